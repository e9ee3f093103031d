"""The figures of spoken translation, from events that a test makes up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.events import Caption, SpokenTranslation, Translation, Word
from lab.bench.interpreter.measure import METHODS, PHRASES, Interpreted, InterpreterRow, _result, figures
from lab.bench.saved import SavedCases

WAY = next(way for way in METHODS if way.name == PHRASES)


def spoken(text: str, start_seconds: float, seconds: float = 1.0, speed: float = 1.0) -> SpokenTranslation:
    sound = np.zeros(round(seconds * SAMPLE_RATE_HZ), np.float32)
    return SpokenTranslation(1, text, sound.tobytes(), SAMPLE_RATE_HZ, 0.0, start_seconds, speed)


def result(*sounds: SpokenTranslation, final: str = "eins zwei drei vier") -> Interpreted:
    """Return the outcome of four words, said at the ends of seconds 1 to 4."""
    words = tuple(Word(f" {text}", second - 0.5, second) for second, text in enumerate(("a", "b", "c", "d"), 1))
    caption = Caption(1, 1, 0.5, 4.0, words, (), True, 4.0, 4.0)
    translation = Translation(1, 1, final, "", "a b c d", "de", True)
    return _result("clip", 10.0, [caption, *sounds, translation], 2.5)


def test_the_span_is_from_the_word_at_the_same_share_to_where_its_translation_stands_in_the_sound() -> None:
    found = result(spoken("eins zwei", 4.0, 0.6), spoken("", 4.6, 0.4), spoken("drei vier", 6.0, speed=1.3))
    assert found.spans == pytest.approx((3.0, 4.5 - 2.0, 6.0 - 3.0, 6.5 - 4.0), abs=0.1)
    assert (found.words, found.spoken, found.taken_back, found.underruns) == (4, 4, 0, ())
    assert found.tail_seconds == pytest.approx(3.0)
    row = InterpreterRow(WAY, [found])
    assert row.rate == pytest.approx(1.15)
    assert row.cpu == pytest.approx(0.25)
    assert figures([row])["retractions"] == 0


def test_words_that_the_final_translation_has_not_are_taken_back() -> None:
    found = result(spoken("eins zwei", 3.0), spoken("fünf sechs", 5.0))
    assert (found.spoken, found.taken_back) == (2, 2)


def test_a_silence_within_a_phrase_is_an_underrun_and_one_between_phrases_is_none() -> None:
    found = result(spoken("eins zwei", 3.0), spoken("", 4.2), spoken("drei vier", 7.0))
    assert found.underruns == pytest.approx((0.2,))


def test_what_came_out_is_kept_and_read_again(tmp_path: Path) -> None:
    found = {PHRASES: result(spoken("eins zwei", 3.0), spoken("", 4.2, speed=1.2))}
    SavedCases(tmp_path / "saved.jsonl", "anything", Interpreted).add([WAY], "clip", found)
    assert SavedCases(tmp_path / "saved.jsonl", "anything", Interpreted).get([WAY], "clip") == found
