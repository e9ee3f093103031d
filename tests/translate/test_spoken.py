"""Spoken translation: phrases of text that stays, each word once, faster while much waits, and only what is foreign."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.audio.feed import feed
from engine.audio.source import chunks_of
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.errors import VoiceError
from engine.events import Caption, Incident, SpokenTranslation, Translation, Word
from engine.options import CaptionOptions, VoiceOptions
from engine.speak.espeak import EspeakVoice
from engine.speak.voice import at_speed
from engine.translate.spoken import (
    CHARACTERS_A_SECOND,
    HURRIED_SECONDS,
    MOST_SPEED,
    MOST_WORDS,
    TranslationSpeaker,
    ready_phrase,
    voice_into,
)
from tests.hear.planted import FakeTimer, PlantedRecognizer, is_voiced, numbered, plant
from tests.scripted_translator import translating
from tests.speak.scripted_voice import ScriptedVoice, tone


def caption(number: int = 1, words: int = 8, start: float = 0.0, language: str = "en", final: bool = False) -> Caption:
    """Make a caption of a word every half second."""
    said = tuple(Word(f" w{place}", start + place / 2, start + place / 2 + 0.4) for place in range(words))
    return Caption(number, 1, start, said[-1].end, said, (), final, said[-1].end, said[-1].end, language)


def translation(text: str, number: int = 1, *, hidden: str = "", words: int = 8, final: bool = False) -> Translation:
    return Translation(number, 1, text, hidden, " ".join(["w"] * words), "de", final)


def speaker(voice: ScriptedVoice | None = None, since_seconds: float = 0.0) -> TranslationSpeaker:
    voice = voice or ScriptedVoice(lambda text: tone(2 * len(text.split())))
    return TranslationSpeaker(voice, "de", SimulatedClock(FakeTimer()), since_seconds)


def said(spoken: TranslationSpeaker) -> list[str]:
    return [each.text for each in spoken.finish() if each.text]


def test_a_clause_is_spoken_once_another_word_follows_it() -> None:
    assert ready_phrase("Er sagt,", final=False) == ""
    assert ready_phrase("Er sagt, dass", final=False) == "Er sagt,"
    assert ready_phrase("Er sagt, dass er kommt. Und", final=False) == "Er sagt, dass er kommt."
    assert ready_phrase(" dass er", final=True) == " dass er"


def test_a_long_clause_is_spoken_without_its_last_word_which_may_grow() -> None:
    words = [f" w{place}" for place in range(MOST_WORDS)]
    assert ready_phrase("".join(words), final=False) == ""
    assert ready_phrase("".join([*words, " Haus"]), final=False) == "".join(words)


def test_all_that_is_spoken_is_the_final_translation_each_word_once() -> None:
    spoken = speaker()
    spoken.offer(caption())
    heard: list[str] = []
    growing = "Er", "Er sagt, dass", "Er sagt, dass er", "Er sagt, dass er kommt."
    for text, final in zip(growing, (False, False, False, True), strict=True):
        spoken.add(translation(text, final=final))
        heard += said(spoken)
    assert heard == ["Er sagt,", "dass er kommt."]


def test_a_translation_that_takes_back_what_was_spoken_is_not_spoken_on() -> None:
    spoken = speaker()
    spoken.offer(caption())
    spoken.add(translation("Er sagt, dass"))
    assert said(spoken) == ["Er sagt,"]
    spoken.add(translation("Sie meinte, dass er kommt.", final=True))
    assert said(spoken) == []


def test_what_is_in_the_target_language_already_or_began_before_is_not_spoken() -> None:
    spoken = speaker(since_seconds=5.0)
    spoken.offer(caption(1, start=0.0))
    spoken.offer(caption(2, start=6.0, language="de"))
    spoken.offer(caption(3, start=12.0))
    for number in (1, 2, 3):
        spoken.add(translation(f"Satz {number}.", number, final=True))
    assert said(spoken) == ["Satz 3."]


def test_the_delay_counts_from_the_word_at_the_same_share_of_the_caption() -> None:
    spoken = speaker()
    spoken.offer(caption(words=8))
    spoken.add(translation("eins zwei, drei vier", hidden=" 5 6 7", words=8))
    first = next(spoken.finish())
    assert first.heard_seconds == pytest.approx(0.4)
    spoken.add(translation("eins zwei, drei vier 5 6 7", final=True))
    (later,) = [each for each in spoken.finish() if each.text]
    assert 1.0 < later.heard_seconds < 2.5  # the third of seven words stands for the third or fourth of eight


def test_the_voice_hurries_only_while_much_waits_and_never_beyond_its_most() -> None:
    long = " ".join(["lang"] * round(CHARACTERS_A_SECOND * HURRIED_SECONDS / 4))
    speeds = []
    for text in ("Kurz.", long):
        spoken = speaker()
        spoken.offer(caption())
        spoken.add(translation(text, final=True))
        speeds.append(next(spoken.finish()).speed)
    assert speeds == [1.0, MOST_SPEED]


def test_a_faster_voice_is_shorter_and_leaves_the_usual_one_as_it_is() -> None:
    voice = EspeakVoice("de")
    usual, fast = (
        sum(map(len, each.speak("Das ist ein ganzer Satz."))) for each in (voice, at_speed(voice, MOST_SPEED))
    )
    assert fast < 0.9 * usual
    assert voice.words_per_minute == 175


def test_a_voice_speaks_the_target_language_or_says_that_none_does() -> None:
    voice, problem = voice_into(VoiceOptions(), "pt")
    assert (voice.name, problem) == ("espeak pt 175", "")
    assert voice_into(VoiceOptions(), "de")[0].language == "de"
    with pytest.raises(VoiceError, match=r"No voice here speaks"):
        voice_into(VoiceOptions(), "tlh")


def test_a_damaged_voice_is_replaced_by_the_built_in_one_of_the_language_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "voice.onnx").write_bytes(b"no network")
    (tmp_path / "voice.onnx.json").write_text("{}")
    voice, problem = voice_into(VoiceOptions(str(tmp_path)), "de")
    assert voice.name.startswith("espeak de")
    assert problem.endswith("eSpeak NG speaks instead.")
    assert "\n" not in problem


def heard(voice: ScriptedVoice) -> tuple[list[Caption | Translation | SpokenTranslation], CaptionSession]:
    """Caption planted words and speak their translation; return all that comes of it, and the session."""
    words = numbered([(0.5 + place * 0.4, 0.8 + place * 0.4) for place in range(30)], "a{}")
    timer = FakeTimer()
    clock = SimulatedClock(timer)
    options = CaptionOptions(step_seconds=0.5, policy="local-agreement", second_look=False)
    session = CaptionSession(PlantedRecognizer(words, timer=timer, cost_seconds=0.05), options, clock, voice=is_voiced)
    session.translate_with(translating(), TranslationSpeaker(voice, "de", clock))
    shown = list(feed(chunks_of(plant(words, 14.0)), session, pace="fast"))
    return [each for each in shown if isinstance(each, Caption | Translation | SpokenTranslation)], session


def test_a_session_speaks_while_words_still_come_and_loses_none() -> None:
    shown, _ = heard(ScriptedVoice(lambda text: tone(4 * len(text.split()))))
    spoken = [each for each in shown if isinstance(each, SpokenTranslation)]
    finals = [each.text for each in shown if isinstance(each, Translation) and each.final]
    assert " ".join(each.text for each in spoken if each.text) == " ".join(finals)
    assert spoken[0].start_seconds < 6.0  # the last word is said at 12.4 s
    ends = [each.start_seconds + each.seconds for each in spoken]
    assert all(later.start_seconds >= end - 1e-6 for later, end in zip(spoken[1:], ends, strict=False))


@pytest.mark.parametrize("failure", [VoiceError("The voice has lost its breath."), RuntimeError("a broken network")])
def test_a_voice_that_fails_leaves_captions_and_translation_and_one_line(failure: Exception) -> None:
    voice = ScriptedVoice(fails_after=1)
    voice.failure = failure
    shown, session = heard(voice)
    assert [each.text for each in shown if isinstance(each, Translation) and each.final]
    (incident,) = session.incidents
    assert isinstance(incident, Incident)
    assert incident.message.startswith("The translation is shown, but not spoken any more:")
