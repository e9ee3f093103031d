"""Whisper on a CPU, faster than in MLX: the same numbers, without gradients.

In: a model's weights, log-mel frames, tokens.
Out: features, logits and attention scores.
Callers: engine.hear.whisper.load.
"""
