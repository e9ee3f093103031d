"""Decoding of logits to text, independent of the model behind the decoder.

In: a TokenDecoder, options, the last hypothesis as reference.
Out: tokens with probabilities, and the cost of finding them.
Callers: the recognition models, whisper and speech_llama; engine.hear.recognizer.
"""
