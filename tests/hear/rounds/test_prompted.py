"""Words that a decoder copies from its prompt give way to what is heard without it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.audio import SAMPLE_RATE_HZ
from engine.events import Reference, Word, text_of
from engine.hear.rounds.audio_span import AudioSpan
from engine.hear.rounds.prompted import Prompted

PROMPT = "The first edition sold in about three weeks."
SAID = "and the demand was strong."


def said(text: str, doubtful: Sequence[str] = ()) -> tuple[Word, ...]:
    """Return words that follow each other by a third of a second; the doubtful ones are hardly likely."""
    return tuple(
        Word(f" {word}", place / 3, (place + 1) / 3, 0.2 if word in doubtful else 0.9)
        for place, word in enumerate(text.split())
    )


class Ear:
    """Hears the same words without a prompt, and counts how often it is asked."""

    def __init__(self, text: str) -> None:
        self.words = said(text)
        self.asked = 0

    def __call__(self, span: AudioSpan) -> tuple[Word, ...]:
        self.asked += 1
        return self.words


def span(seconds: float = 2.0, prompt: str = PROMPT) -> AudioSpan:
    samples = np.zeros(round(seconds * SAMPLE_RATE_HZ), np.float32)
    return AudioSpan(samples, 0.0, prompt, "en", Reference(), False, seconds, 0.0)


def mended(text: str, ear: Ear, doubtful: Sequence[str] = (), known_until: float = 1.0) -> str:
    return text_of(Prompted().mended(said(text, doubtful), span(), (), known_until, ear))


def test_the_end_of_the_prompt_is_not_written_over_other_speech() -> None:
    assert mended("and the demand three weeks.", Ear(SAID), ["three"]) == SAID


def test_the_middle_of_the_prompt_is_not_either() -> None:
    assert mended("and the demand sold in about", Ear(SAID), ["sold", "in"]) == SAID


def test_words_before_the_copy_stay_as_they_were_heard() -> None:
    assert mended("And the command three weeks.", Ear(SAID), ["three"]) == "And the command was strong."


def test_words_before_the_copy_are_found_by_their_time_too() -> None:
    ear = Ear("and a demand was strong in the end")
    assert mended("and the three weeks.", ear, ["three"], 0.5) == "and the demand was strong in the end"


def test_a_round_that_began_with_the_prompt_meanwhile_is_mended_too() -> None:
    ear, prompted, words = Ear(SAID), Prompted(), said("and the demand three weeks.", ["three"])
    early, drafted = said("and of", ["of"]), said("and tha demant was strog.")
    for seconds in (2.0, 2.5):
        assert text_of(prompted.mended(words, span(seconds), (), 1.0, ear)) == SAID
    assert ear.asked == 1
    for seconds in (2.0, 2.5):
        assert text_of(prompted.mended(early, span(seconds), drafted, 0.0, ear)) == SAID
    assert ear.asked == 2


def test_what_is_really_said_again_stays_and_is_heard_again_once() -> None:
    ear, prompted = Ear("and the demand three weeks."), Prompted()
    words = said("and the demand three weeks.", ["three"])
    for _ in range(3):
        assert prompted.mended(words, span(), (), 1.0, ear) is words
    assert ear.asked == 1


def test_what_is_heard_surely_is_no_copy_nor_what_is_committed_nor_two_words_by_chance() -> None:
    ear = Ear(SAID)
    for text, doubtful, known_until in (
        ("and the demand three weeks.", (), 1.0),
        ("and the demand three weeks.", ("three",), 1.7),
        ("and the demand first edition was", ("first",), 1.0),
    ):
        assert mended(text, ear, doubtful, known_until) == text
    assert not ear.asked


def test_where_nothing_is_heard_without_the_prompt_the_words_stay() -> None:
    assert mended("and the demand three weeks.", Ear(""), ["three"]) == "and the demand three weeks."


def test_a_decoder_that_ends_early_is_heard_again_without_the_prompt() -> None:
    ear, prompted, words = Ear(SAID), Prompted(), said("and of", ["of"])
    drafted = said("and tha demant was strog.")
    assert text_of(prompted.mended(words, span(), drafted, 0.0, ear)) == SAID
    assert prompted.mended(words, span(), drafted[:4], 0.0, ear) is words  # speech may go on behind two words
    assert prompted.mended(said("and of"), span(), drafted, 0.0, ear) == said("and of")  # the next sentence has begun
    assert ear.asked == 1


def test_a_decoder_that_ends_early_without_the_prompt_too_is_believed() -> None:
    ear, prompted, words = Ear("and of"), Prompted(), said("and of", ["of"])
    for _ in range(3):
        assert prompted.mended(words, span(), said("and tha demant was strog."), 0.0, ear) is words
    assert ear.asked == 1
