"""Parts of a recording that are heard by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples


def only_within(chunks: Iterable[Samples], spans: Sequence[tuple[float, float]]) -> Iterator[Samples]:
    """Yield the samples of a recording with silence outside these spans of seconds."""
    begin = 0
    for chunk in chunks:
        kept = np.zeros_like(chunk)
        for start, end in spans:
            first, last = (round(second * SAMPLE_RATE_HZ) - begin for second in (start, end))
            kept[max(0, first) : max(0, last)] = chunk[max(0, first) : max(0, last)]
        begin += len(chunk)
        yield kept
