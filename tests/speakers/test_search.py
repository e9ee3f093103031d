from __future__ import annotations

import pytest

from engine.errors import OptionError
from engine.events import KnownVoice, Word
from engine.speakers.diarization import Diarizer
from engine.speakers.search import MOST_SPEAKERS, SpeakerSearch, find_speakers
from tests.people_clips import people_clips
from tests.speakers.two_people import conversation


def test_several_speakers_are_named_by_number_and_a_single_one_is_not() -> None:
    samples, spoken = conversation()
    said = [Word(" word", (start + end) / 2, (start + end) / 2 + 0.3) for start, end, _ in spoken]
    several = find_speakers([samples], SpeakerSearch(name="Person {}"))
    assert several(said) == ["Person 1", "Person 2", "Person 1", "Person 2"]
    alone = find_speakers([people_clips()[0].samples], SpeakerSearch())
    assert alone([Word(" word", 1.0, 1.4)]) == [""]


def test_a_voice_that_is_known_by_name_has_that_name() -> None:
    samples, spoken = conversation()
    said = [Word(" word", (start + end) / 2, (start + end) / 2 + 0.3) for start, end, _ in spoken]
    alone = people_clips()[0].samples
    (voice,) = Diarizer()([alone]).voices
    known = (KnownVoice("Anna", voice.tobytes()),)
    assert find_speakers([alone], SpeakerSearch(known=known))(said[:1]) == ["Anna"]
    _, other = Diarizer()([samples]).voices
    names = find_speakers([samples], SpeakerSearch(known=(KnownVoice("Ben", other.tobytes()),)))(said)
    assert names == ["Speaker 1", "Ben", "Speaker 1", "Ben"]


@pytest.mark.parametrize("number", [0, -1, MOST_SPEAKERS + 1])
def test_an_impossible_number_is_refused(number: int) -> None:
    with pytest.raises(OptionError, match=f"between 1 and {MOST_SPEAKERS}, not {number}"):
        SpeakerSearch(number)
