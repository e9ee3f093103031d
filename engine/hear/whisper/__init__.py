"""Whisper: its layers, input, paddings, and file formats.

In: a model folder in any known layout, samples.
Out: a loaded model, features, tokens and their times.
Callers: engine.hear.recognizer, speech_llama and loading; recipes and benches.
"""
