"""Audio samples before a model sees them: reading, resampling, buffering, voice activity detection. No MLX.

In: files, pipes and chunks of any sample rate.
Out: float32 samples, mono, 16 kHz; where speech is.
Callers: every room that recognizes or synthesizes speech, and the app.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAMPLE_RATE_HZ = 16_000
"""Every sample inside the engine is float32, mono, at this rate, within [-1, 1]."""

Samples: TypeAlias = "NDArray[np.float32]"
"""Samples of shape (n,). A name for signatures; importing it does not import numpy."""
