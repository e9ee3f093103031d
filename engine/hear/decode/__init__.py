"""From a decoder's logits to a text that can be believed, whatever model is behind the decoder.

In: a TokenDecoder, options, the last hypothesis as reference.
Out: tokens with probabilities, and what finding them cost.
Callers: the models that hear: whisper and speech_llama; engine.hear.recognizer.
"""
