"""Log-mel in few bytes, and changed on the device: louder, faster, and with noise.

Shapes: b clips, f frames of log-mel (100 a second), m bands.
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

FRAMES_PER_SECOND = 100
LEVELS = 31
RANGE = 2.0  # of Whisper's log-mel: eight powers of ten
SLOWEST, FASTEST = 0.88, 1.14
NOISY_SHARE = 0.6
QUIETEST_NOISE, LOUDEST_NOISE = 35.0, 8.0  # decibels below the speech
MOST_TILT = 1.5  # powers of ten between the lowest and the highest band of a noise


def coded(mel: NDArray[np.float32]) -> tuple[NDArray[np.uint8], float]:
    """Round log-mel (f, m) to steps of 2.6 decibels below its loudest; return what each frame adds, and the loudest."""
    loudest = float(mel.max())
    levels = np.rint((mel - (loudest - RANGE)) * (LEVELS / RANGE)).clip(0, LEVELS).astype(np.uint8)
    return np.diff(levels, axis=0, prepend=np.zeros_like(levels[:1])), loudest


def decoded(added: NDArray[np.uint8], loudest: float) -> NDArray[np.float32]:
    """Return the log-mel (f, m) that was coded."""
    levels = np.cumsum(added, axis=0, dtype=np.uint8)
    return levels.astype(np.float32) * np.float32(RANGE / LEVELS) + np.float32(loudest - RANGE)


def changed(mel: Tensor, fewest: int, chance: torch.Generator) -> Tensor:
    """Return log-mel (f, m) as if it was said faster or slower, in some frames at least, and mostly with noise."""
    speed, noisy, louder, tilt = torch.rand(4, generator=chance).tolist()
    frames = max(min(fewest, len(mel)), round(len(mel) / (SLOWEST + (FASTEST - SLOWEST) * speed)))
    mel = F.interpolate(mel.T[None], size=frames, mode="linear", align_corners=False)[0].T
    if noisy > NOISY_SHARE:
        return mel
    power = 10 ** (4 * mel - 4)
    below = LOUDEST_NOISE + (QUIETEST_NOISE - LOUDEST_NOISE) * louder
    slope = 10 ** (MOST_TILT * (tilt - 0.5) * torch.linspace(-1, 1, mel.shape[1]))
    uneven = -torch.rand(mel.shape, generator=chance).clamp(min=1e-6).log() * (slope / slope.mean())
    power = power + power.mean() * 10 ** (-below / 10) * uneven.to(mel.device)
    loud = power.log10()
    return (torch.maximum(loud, loud.max() - 4 * RANGE) + 4) / 4


def stacked(rows: list[Tensor]) -> tuple[Tensor, Tensor]:
    """Return log-mel of clips (b, f, m), with nothing behind the shorter ones, and how many frames each has (b,)."""
    frames = torch.tensor([len(row) for row in rows], device=rows[0].device)
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True), frames
