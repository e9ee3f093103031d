"""Speech made ahead: made once, resumed where it stopped, forgotten when it fails or grows old."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pytest

from engine.errors import VoiceError
from engine.speak.ahead import BEGINNING_SECONDS, MOST_KEPT_SECONDS, SpeechAhead
from engine.speak.espeak import EspeakVoice
from tests.speak.scripted_voice import CHUNK, RATE_HZ, ScriptedVoice, tone

BEGINNING_CHUNKS = round(BEGINNING_SECONDS * RATE_HZ / CHUNK)


def sound(chunks: object) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.float32), *chunks])  # type: ignore[misc]


def test_the_beginning_is_made_and_no_more() -> None:
    voice = ScriptedVoice()
    ahead = SpeechAhead(voice)
    assert not ahead.made("Hello.")
    ahead.prepare("Hello.")
    assert ahead.made("Hello.")
    assert BEGINNING_CHUNKS <= voice.made["Hello."] <= BEGINNING_CHUNKS + 2
    assert ahead.made_seconds == pytest.approx(BEGINNING_SECONDS, abs=0.06)


def test_a_sentence_goes_on_where_its_beginning_stopped_and_is_made_once() -> None:
    voice, plain = ScriptedVoice(), ScriptedVoice()
    ahead = SpeechAhead(voice)
    ahead.prepare("Hello.")
    taken = ahead.speak("Hello.")
    made = voice.made["Hello."]
    first = [next(taken) for _ in range(BEGINNING_CHUNKS)]
    assert voice.made["Hello."] == made  # it was there
    joined = sound([*first, *taken])
    assert voice.begun == ["Hello."]
    np.testing.assert_array_equal(joined, sound(SpeechAhead(plain).speak("Hello.")))
    assert (ahead.prepared, ahead.used) == (1, 1)


def test_nothing_is_made_before_it_is_asked_for() -> None:
    voice = ScriptedVoice()
    taken = SpeechAhead(voice).speak("Hello.")
    assert voice.made == {"Hello.": 0}
    next(taken)
    assert 1 <= voice.made["Hello."] <= 3


def test_a_sentence_that_is_said_again_is_not_made_again() -> None:
    voice = ScriptedVoice()
    ahead = SpeechAhead(voice)
    first, second = sound(ahead.speak("Hello.")), sound(ahead.speak("Hello."))
    np.testing.assert_array_equal(first, second)
    assert voice.begun == ["Hello."]
    assert ahead.made("Hello.")


def test_a_sentence_that_was_given_up_keeps_its_beginning() -> None:
    voice = ScriptedVoice()
    ahead = SpeechAhead(voice)
    given_up = ahead.speak("Hello.")
    heard = [next(given_up) for _ in range(3)]
    given_up.close()
    again = sound(ahead.speak("Hello."))
    np.testing.assert_array_equal(again[: 3 * CHUNK], sound(heard))
    assert voice.begun == ["Hello."]


def test_two_may_listen_to_one_sentence() -> None:
    ahead = SpeechAhead(ScriptedVoice())
    first, second = ahead.speak("Hello."), ahead.speak("Hello.")
    heard = [next(first), next(first)]
    np.testing.assert_array_equal(sound(second), sound([*heard, *first]))


def test_a_short_sentence_is_made_when_all_of_it_is() -> None:
    ahead = SpeechAhead(ScriptedVoice(lambda _: tone(3)))
    ahead.prepare("Hi!")
    assert ahead.made("Hi!")
    ahead.prepare("Hi!")
    assert ahead.prepared == 1


def test_spaces_and_control_characters_make_no_other_sentence() -> None:
    voice = ScriptedVoice()
    ahead = SpeechAhead(voice)
    ahead.prepare("Hello you.")
    assert ahead.made(" Hello\n you.\0")
    assert not ahead.made("Hello you!")


def test_another_speaker_or_rate_is_other_speech() -> None:
    voice = ScriptedVoice(name="one")
    ahead = SpeechAhead(voice)
    ahead.prepare("Hello.")
    ahead.voice = ScriptedVoice(name="two")
    assert not ahead.made("Hello.")


def test_a_failure_ahead_is_silent_and_the_voice_is_asked_again() -> None:
    voice = ScriptedVoice(fails_after=2)
    ahead = SpeechAhead(voice)
    ahead.prepare("Hello.")
    assert not ahead.made("Hello.")
    voice.fails_after = None
    assert len(sound(ahead.speak("Hello."))) > 30 * CHUNK
    assert voice.begun == ["Hello.", "Hello."]


def test_a_failure_in_the_middle_comes_to_whoever_listens_and_is_not_kept() -> None:
    voice = ScriptedVoice(fails_after=20)
    ahead = SpeechAhead(voice)
    ahead.prepare("Hello.")
    heard = []
    with pytest.raises(VoiceError, match="lost its breath"):
        for chunk in ahead.speak("Hello."):
            heard.append(chunk)
    assert len(heard) > BEGINNING_CHUNKS
    assert not ahead.made("Hello.")
    voice.fails_after = None
    assert len(sound(ahead.speak("Hello."))) > 30 * CHUNK


def test_what_was_used_longest_ago_is_forgotten_first() -> None:
    voice = ScriptedVoice(lambda _: tone(20 * 20))  # 20 seconds
    ahead = SpeechAhead(voice)
    for number in range(round(MOST_KEPT_SECONDS / 20) + 1):
        sound(ahead.speak(f"Sentence {number}."))
        ahead.prepare("Sentence 0.")
    assert ahead.made("Sentence 0.")
    assert not ahead.made("Sentence 1.")
    assert ahead.made("Sentence 6.")


def test_what_is_being_listened_to_goes_on_when_it_is_forgotten() -> None:
    ahead = SpeechAhead(ScriptedVoice(lambda _: tone(20 * 50)))
    long = ahead.speak("Long.")
    next(long)
    for number in range(4):
        sound(ahead.speak(f"{number}"))
    assert not ahead.made("Long.")
    assert len(sound(long)) > 900 * CHUNK


def test_closing_gives_up_everything() -> None:
    voice = ScriptedVoice()
    ahead = SpeechAhead(voice)
    ahead.prepare("One.")
    ahead.prepare("Two.")
    ahead.close()
    assert sorted(voice.closed) == ["One.", "Two."]
    assert not ahead.made("One.")


def test_the_built_in_voice_made_ahead_sounds_as_made_at_once() -> None:
    voice = EspeakVoice()
    ahead = SpeechAhead(voice)
    sentences = ["Sure, I have turned on the lights.", "It is nine o'clock, and the sun shines."]
    for sentence in sentences:
        ahead.prepare(sentence)
    for sentence in sentences:
        raw = sound(voice.speak(sentence))
        taken = sound(ahead.speak(sentence))
        assert np.abs(taken[: round(0.05 * voice.rate_hz)]).max() > 0.02  # it begins at once
        assert len(raw) - 0.6 * voice.rate_hz < len(taken) < len(raw) + 0.02 * voice.rate_hz


@pytest.mark.parametrize("sentence", ["", "...", "\0"])
def test_nothing_to_say_is_no_sound(sentence: str) -> None:
    ahead = SpeechAhead(EspeakVoice())
    ahead.prepare(sentence)
    assert ahead.made(sentence)
    assert list(ahead.speak(sentence)) == []


class AwaitedVoice(ScriptedVoice):
    """Computes each sentence elsewhere: two empty chunks come before its sound."""

    def speak(self, sentence: str) -> Generator[np.ndarray, None, None]:
        self.begun.append(sentence)
        self.made[sentence] = 0
        return self._awaited(sentence)

    def _awaited(self, sentence: str) -> Generator[np.ndarray, None, None]:
        try:
            yield from (np.zeros(0, np.float32), np.zeros(0, np.float32))
        except GeneratorExit:
            self.closed.append(sentence)
            raise
        yield from self._chunks(sentence)


def test_the_beginning_is_made_chunk_by_chunk() -> None:
    voice = ScriptedVoice()
    ahead = SpeechAhead(voice)
    steps = 0
    assert not ahead.started("Hello.")
    while ahead.prepare_more("Hello."):
        steps += 1
        assert ahead.started("Hello.")
        assert not ahead.made("Hello.") and voice.made["Hello."] <= steps + 2
    assert ahead.made("Hello.") and not ahead.complete("Hello.")
    while ahead.prepare_more("Hello.", whole=True):
        assert not ahead.complete("Hello.")
    assert ahead.complete("Hello.") and ahead.prepared == 1


def test_sound_that_is_computed_elsewhere_is_awaited_in_empty_chunks() -> None:
    ahead = SpeechAhead(AwaitedVoice())
    chunks = list(ahead.speak("Hello."))
    assert [len(chunk) for chunk in chunks[:2]] == [0, 0]
    np.testing.assert_array_equal(sound(chunks), sound(SpeechAhead(ScriptedVoice()).speak("Hello.")))


def test_sound_that_is_computed_elsewhere_is_given_up_for_another_sentence() -> None:
    voice = AwaitedVoice()
    ahead = SpeechAhead(voice)
    assert ahead.prepare_more("One.") and ahead.prepare_more("Two.")
    assert voice.closed == ["One."]
    ahead.rest()
    assert voice.closed == ["One.", "Two."]
    assert ahead.prepare_more("Two.")
    assert len(sound(ahead.speak("Three."))) > 0
    assert voice.closed[:3] == ["One.", "Two.", "Two."], "what is spoken now comes first"
    ahead.prepare("Two.")
    assert ahead.made("Two.")
    ahead.rest()
    assert ahead.made("Two."), "what is there stays"
