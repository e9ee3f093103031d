"""Word times that a recogniser tells roughly, fitted to the speech that the gate has heard."""

from __future__ import annotations

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.captions.gated_audio import KEPT_SILENCE_SECONDS, GatedAudio
from engine.events import Caption, Word


def heard(*spans: tuple[float, float]) -> GatedAudio:
    """Return a gate that has heard clear speech between these seconds of ten."""
    audio = GatedAudio(lambda window: float(np.abs(window).max() > 0.5))
    samples = np.zeros(10 * SAMPLE_RATE_HZ, np.float32)
    for start, end in spans:
        samples[round(start * SAMPLE_RATE_HZ) : round(end * SAMPLE_RATE_HZ)] = 1.0
    audio.add(samples)
    while audio.waiting:
        audio.judge(audio.remove(10.0))
    return audio


def line(*words: Word, final: bool = True) -> Caption:
    return Caption(1, 1, words[0].start, words[-1].end, words, (), final, 10.0, 10.0)


def test_the_words_of_a_finished_line_take_up_no_pause() -> None:
    audio = heard((1.0, 2.0), (3.0, 4.0))
    fitted = audio.fitted(line(Word(" one", 0.5, 1.4), Word(" two", 1.4, 2.6), Word(" three", 2.6, 4.0)))
    spans = [(word.start, word.end) for word in fitted.committed]
    kept = KEPT_SILENCE_SECONDS
    assert spans[0] == pytest.approx((1.0 - kept, 1.4), abs=0.04)
    assert spans[1] == pytest.approx((1.4, 2.0 + kept), abs=0.04)
    assert spans[2] == pytest.approx((3.0 - kept, 4.0), abs=0.04)
    assert (fitted.start, fitted.end) == (spans[0][0], spans[2][1])


def test_words_stay_where_they_fit_and_where_nothing_clear_was_heard() -> None:
    audio = heard((1.0, 2.0))
    kept = line(Word(" one", 0.9, 1.5), Word(" two", 1.5, 2.1), Word(" soft", 5.0, 6.0))
    assert audio.fitted(kept) == kept
    rough = line(Word(" one", 0.5, 1.5), final=False)
    assert audio.fitted(rough) is rough, "an open line still changes"
    assert GatedAudio(None).fitted(line(*rough.committed)) == line(*rough.committed)
