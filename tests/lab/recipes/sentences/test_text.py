"""Some sentences are held out by what they say, and espeak-ng times their words."""

from __future__ import annotations

import pytest

pytest.importorskip("espeakng_loader", reason="the recipes speak with espeak-ng")

from lab.recipes.sentences.text import fraction, is_held_out, is_plain
from lab.recipes.speech.espeak import SyntheticVoice, espeak


def test_one_sentence_in_many_is_held_out() -> None:
    many = [f"This is sentence {word}." for word in map(str, range(5000))]
    held = {sentence for sentence in many if is_held_out(sentence.replace("0", "o"))}
    assert len(held) < len(many) / 32


def test_case_and_punctuation_do_not_change_the_side_a_sentence_is_on() -> None:
    assert fraction("Can you hear me?") == fraction("can you, hear me")


def test_sentences_with_digits_or_capital_runs_are_not_plain() -> None:
    assert is_plain("Let's start the meeting.")
    assert not is_plain("I have 3 cats.")
    assert not is_plain("NASA is here.")
    assert not is_plain("no capital.")


def test_words_spoken_as_one_still_have_times_each() -> None:
    speech = espeak().speak("The end of the day of the week.", SyntheticVoice())
    assert all(end > start for start, end in speech.words)


def test_an_unknown_voice_is_refused() -> None:
    with pytest.raises(ValueError, match="no voice"):
        espeak().speak("Hello.", SyntheticVoice("no-such-voice"))
