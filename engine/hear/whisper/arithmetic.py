"""Computation of a model by formula, in multiply-accumulates, which papers report as GFLOPS or GMACs."""

from __future__ import annotations

from engine.hear.whisper.model import ModelDimensions


def encoder_macs(dims: ModelDimensions, frames: int, *, beside: int = 0) -> int:
    """Return the multiply-accumulates of encoding `frames` frames of features (50 per second), without biases and
    norms.

    Every layer has four projections and a feed-forward layer of four times the states (12 T d²) and two products of
    attention (2 T² d); before them come two convolutions of width 3, the first at twice the frames. `beside` counts
    kept frames that are attended to but not computed. 1500 frames of Whisper medium are 569.0e9; the WhisperFlow paper
    states 569.4.
    """
    states, length = dims.n_audio_state, frames
    layer = 12 * length * states**2 + 2 * length * (length + beside) * states
    stem = 3 * dims.n_mels * states * 2 * length + 3 * states**2 * length
    return dims.n_audio_layer * layer + stem


def decoder_macs(dims: ModelDimensions, frames: int, tokens: int) -> int:
    """Return the multiply-accumulates of `tokens` tokens in the decoder, after `frames` frames of features.

    Every layer projects the features to keys and values once (2 T d²), and computes six projections and a feed-forward
    layer (14 d²) and attention to the features (2 T d) per token; then come the logits (v d). Self-attention among so
    few tokens is left out.
    """
    states = dims.n_text_state
    layer = 2 * frames * states**2 + tokens * (14 * states**2 + 2 * frames * states)
    return dims.n_text_layer * layer + tokens * dims.n_vocab * states
