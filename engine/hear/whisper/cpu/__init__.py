"""Whisper on a processor, sooner than MLX computes there: the same numbers, without gradients.

In: a model's weights, frames of log-mel, tokens.
Out: features, logits and the scores of attention.
Callers: engine.hear.whisper.load.
"""
