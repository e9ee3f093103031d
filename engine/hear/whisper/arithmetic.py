"""How much an encoder computes, counted by formula: multiply-accumulates, which papers report as GFLOPS or GMACs."""

from __future__ import annotations

from engine.hear.whisper.model import ModelDimensions


def encoder_macs(dims: ModelDimensions, frames: int, *, beside: int = 0) -> int:
    """Multiply-accumulates of encoding `frames` frames of features (50 a second), biases and norms not counted.

    Every layer has four projections and a feed-forward layer of four times the states (12 T d²) and two products of
    attention (2 T² d); before them come two convolutions of width 3, the first at twice the frames. `beside` counts
    kept frames that are attended to but not computed. 1500 frames of Whisper medium are 569.0e9, where the
    WhisperFlow paper gives 569.4.
    """
    states, length = dims.n_audio_state, frames
    layer = 12 * length * states**2 + 2 * length * (length + beside) * states
    stem = 3 * dims.n_mels * states * 2 * length + 3 * states**2 * length
    return dims.n_audio_layer * layer + stem
