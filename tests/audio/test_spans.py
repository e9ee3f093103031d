from __future__ import annotations

import numpy as np

from engine.audio.spans import only_within


def test_all_but_the_spans_is_silent_whatever_the_chunks() -> None:
    samples = np.ones(48_000, np.float32)
    spans = ((0.5, 1.25), (-0.1, 0.25), (2.5, 9.0))
    whole = next(only_within([samples], spans))
    assert len(whole) == len(samples) and whole.sum() == (0.75 + 0.25 + 0.5) * 16_000
    assert whole[8_000] == 1 and whole[7_999] == 0 and whole[19_999] == 1 and whole[20_000] == 0
    parts = [samples[at : at + 1_111] for at in range(0, len(samples), 1_111)]
    assert np.array_equal(np.concatenate(list(only_within(parts, spans))), whole)
    assert not next(only_within([samples], ())).any()
