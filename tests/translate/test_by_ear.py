"""The model that hears translates into English itself, and the original stays beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.feed import feed
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.errors import ModelError
from engine.events import Caption, Hypothesis, Translation, Word, text_of
from engine.options import CaptionOptions, TranslationOptions
from engine.translate.by_ear import KEPT_SECONDS, LOWEST_LOGPROB, EarTranslation, into_english
from tests.hear.planted import PlantedRecognizer, is_voiced, plant

LANGUAGES = ("de", "en")
ENGLISH = TranslationOptions("en")
GERMAN = tuple(
    Word(f" {text}", start, start + 0.4)
    for text, start in (("Guten", 0.5), ("Morgen.", 1.0), ("Wir", 4.0), ("beginnen", 4.5), ("jetzt.", 5.0))
)
SAID = ("Good", "morning.", "We", "begin", "now.")


def heard_in_english() -> PlantedRecognizer:
    """Make a recogniser that writes the same planted words in English."""
    words = [replace(word, text=f" {text}") for word, text in zip(GERMAN, SAID, strict=True)]
    return PlantedRecognizer(words, languages=LANGUAGES)


def captioned(language: str) -> list[Caption | Translation]:
    options = CaptionOptions(language=language, step_seconds=0.5, policy="local-agreement")
    session = CaptionSession(
        PlantedRecognizer(GERMAN, 0.2, languages=LANGUAGES),
        options,
        SimulatedClock(),
        voice=is_voiced,
        translation=EarTranslation(heard_in_english(), ENGLISH),
    )
    samples = plant(GERMAN, 7.0)
    chunks = [samples[at : at + 1600] for at in range(0, len(samples), 1600)]
    return list(feed(chunks, session, pace="fast"))


def finals(shown: list[Caption | Translation]) -> dict[int, str]:
    return {each.id: text_of(each.committed).strip() for each in shown if isinstance(each, Caption) and each.final}


def test_every_final_caption_keeps_its_words_and_gets_those_that_were_heard_in_english() -> None:
    shown = captioned("de")
    translations = {each.id: each.text for each in shown if isinstance(each, Translation)}
    assert list(finals(shown).values()) == ["Guten Morgen.", "Wir beginnen jetzt."]
    assert [translations[number] for number in finals(shown)] == ["Good morning.", "We begin now."]
    assert all(each.language == "en" and each.final for each in shown if isinstance(each, Translation))


def test_a_caption_that_is_english_is_passed_on_as_it_is() -> None:
    shown = captioned("en")
    assert {each.id: each.text for each in shown if isinstance(each, Translation)} == finals(shown)


def test_a_model_of_one_language_cannot() -> None:
    with pytest.raises(ModelError, match="English only"):
        EarTranslation(PlantedRecognizer(GERMAN), ENGLISH)


def test_a_caption_whose_sound_is_no_longer_kept_has_no_translation() -> None:
    translation = EarTranslation(heard_in_english(), ENGLISH)
    translation.add_audio(plant(GERMAN, 7.0), 7.0)
    late = 7.0 + KEPT_SECONDS
    translation.add_audio(np.zeros(round(KEPT_SECONDS * SAMPLE_RATE_HZ), np.float32), late)
    translation.offer(Caption(1, 1, 0.5, 1.4, GERMAN[:2], (), True, 7.0, 7.0, "de"))
    assert list(translation.finish()) == []


def test_what_the_model_itself_is_unsure_of_is_not_shown() -> None:
    class Unsure(PlantedRecognizer):
        def hear(self, samples: Samples, **asked: Any) -> Hypothesis:
            return replace(super().hear(samples, **asked), average_logprob=LOWEST_LOGPROB - 0.1)

    translation = EarTranslation(Unsure(GERMAN, languages=LANGUAGES), ENGLISH)
    translation.add_audio(plant(GERMAN, 7.0), 7.0)
    translation.offer(Caption(1, 1, 0.5, 1.4, GERMAN[:2], (), True, 7.0, 7.0, "de"))
    assert list(translation.finish()) == []


def test_only_the_task_of_the_model_changes() -> None:
    options = CaptionOptions(language="de", step_seconds=0.5)
    english = into_english(options)
    assert english.decode.into_english and replace(english, decode=options.decode) == options
