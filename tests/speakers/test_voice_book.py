from __future__ import annotations

import numpy as np
import pytest

from engine.events import VOICE_PRINT_VALUES, KnownVoice
from engine.speakers.voice_book import MOST_PRINTS, NEW_VOICE_SECONDS, VoiceBook
from engine.speakers.voice_prints import VoicePrint

NAME = "Speaker {}".format


def voices(count: int, seed: int = 1) -> list[VoicePrint]:
    """Return voices that are unlike each other."""
    made = np.random.default_rng(seed).standard_normal((count, VOICE_PRINT_VALUES)).astype(np.float32)
    return list(made / np.linalg.norm(made, axis=1, keepdims=True))


def spoken(voice: VoicePrint, draw: np.random.Generator, spread: float = 0.6) -> VoicePrint:
    """Return a print of a voice as speech gives it: as far from the voice as two sentences of one person are."""
    noise = draw.standard_normal(VOICE_PRINT_VALUES)
    print_ = voice + spread * noise / np.linalg.norm(noise)
    return np.asarray(print_ / np.linalg.norm(print_), np.float32)


def test_voices_are_numbered_in_order_and_keep_their_names() -> None:
    draw, people = np.random.default_rng(2), voices(3)
    book = VoiceBook(NAME)
    for turn in [0, 1, 0, 2, 1, 2, 0, 1] * 5:
        print_ = spoken(people[turn], draw)
        book.add([(print_, 4.0)])
        assert book.names([print_]) == [f"Speaker {turn + 1}"]


def test_one_voice_alone_stays_one_speaker_for_an_hour() -> None:
    draw, (voice,) = np.random.default_rng(3), voices(1)
    book = VoiceBook(NAME)
    named = set()
    for _ in range(900):  # a window every four seconds
        print_ = spoken(voice, draw)
        book.add([(print_, 3.0)])
        named.update(book.names([print_]))
    assert named == {"Speaker 1"}
    assert len(book._prints) <= MOST_PRINTS


def test_each_print_has_its_name_and_a_stranger_has_none() -> None:
    first, second, stranger = voices(3)
    book = VoiceBook(NAME)
    book.add([(first, 5.0), (second, 5.0)])
    assert sorted(book.names([second, first])) == ["Speaker 1", "Speaker 2"]
    assert book.names([first, None, first]) == [book.names([first])[0], "", book.names([first])[0]]
    assert book.names([stranger]) == [""]
    book.add([(stranger, NEW_VOICE_SECONDS - 0.1)])
    assert book.names([stranger]) == [""]
    book.add([(stranger, 2.0)])
    assert book.names([stranger]) == ["Speaker 3"]


def test_a_known_voice_has_its_name_again_and_its_number_is_taken() -> None:
    draw = np.random.default_rng(4)
    anna, ben, chris = voices(3)
    known = (KnownVoice("Anna", anna.tobytes()), KnownVoice("Speaker 1", ben.tobytes()))
    book = VoiceBook(NAME, known)
    for _ in range(5):
        book.add([(spoken(anna, draw), 4.0), (spoken(ben, draw), 4.0), (spoken(chris, draw), 4.0)])
    assert book.names([spoken(each, draw) for each in (anna, ben, chris)]) == ["Anna", "Speaker 1", "Speaker 2"]
    again = VoiceBook(NAME, [KnownVoice("Chris", book.voice("Speaker 2"))])
    assert again.names([spoken(chris, draw)]) == ["Chris"]
    assert book.voice("nobody") == b""


@pytest.mark.parametrize("seconds", [0.5, 1.5])
def test_a_cough_makes_no_speaker(seconds: float) -> None:
    (cough,) = voices(1)
    book = VoiceBook(NAME)
    book.add([(cough, seconds)])
    assert book.names([cough]) == [""]
