"""The voice that was chosen, and one for another language."""

import pytest

from engine.speak.choice import in_language
from engine.speak.espeak import EspeakVoice
from tests.speak.scripted_voice import ScriptedVoice


@pytest.mark.parametrize(("speaker", "language"), [("en-gb", "en"), ("en-us+f3", "en"), ("de", "de"), ("fr-be", "fr")])
def test_a_voice_that_speaks_the_language_is_kept(speaker: str, language: str) -> None:
    voice = EspeakVoice(speaker)
    assert in_language(voice, language) is voice


@pytest.mark.parametrize(
    ("language", "name"), [("de", "espeak de 140"), ("fr", "espeak fr-fr 140"), ("es", "espeak es 140")]
)
def test_another_language_is_spoken_by_the_built_in_voice_at_the_same_rate(language: str, name: str) -> None:
    assert in_language(EspeakVoice("en-us", 140), language).name == name


def test_of_a_voice_that_is_not_known_nothing_is_changed() -> None:
    voice = ScriptedVoice()
    assert in_language(voice, "de") is voice
