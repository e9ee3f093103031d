"""The model that is advised is the best that this machine can run, in the language that is asked for."""

from __future__ import annotations

import pytest

from engine.loading import advice
from engine.loading.advice import advise, goals_of, knows
from engine.loading.library import LibraryModel, library
from engine.machine.pace import MachinePace
from engine.machine.thread_profile import ThreadProfile
from tests.models.conftest import empty_library as empty_library

ROUNDS = {"tiny.en": 0.1, "tiny": 0.1, "base.en": 0.2, "base": 0.2, "small.en": 0.45, "small": 0.45, "medium": 1.2}
SLOW = MachinePace(50.0, False, {name: 20 * seconds for name, seconds in ROUNDS.items()})
QUICK = MachinePace(900.0, False, ROUNDS)
GPU = MachinePace(9000.0, True, ROUNDS | {"large-v3": 0.3})
MEMORY = 16_000


@pytest.fixture
def models(empty_library: object) -> list[LibraryModel]:
    return library()


def best(
    models: list[LibraryModel], pace: MachinePace | None, language: str = "en", memory: int = MEMORY
) -> str | None:
    return next((each.model.name for each in advise(models, "captions", language, pace, memory) if each.is_best), None)


def test_of_those_that_keep_up_the_one_of_the_fewest_mistakes_is_best(models: list[LibraryModel]) -> None:
    assert best(models, QUICK) == "small.en"
    assert best(models, GPU) == "large-v3"
    first, *rest = advise(models, "captions", "en", QUICK, MEMORY)
    assert (first.model.name, first.is_best, first.why) == ("small.en", True, "fewest mistakes")
    assert not any(each.is_best for each in rest)


def test_the_best_hears_the_language_that_is_asked_for(models: list[LibraryModel]) -> None:
    assert best(models, QUICK, "de") == "small"
    assert "English" not in {each.model.languages for each in advise(models, "captions", "de", QUICK, MEMORY)}


def test_where_none_keeps_up_the_quickest_is_best_and_says_so(models: list[LibraryModel]) -> None:
    first = advise(models, "captions", "en", SLOW, MEMORY)[0]
    assert (first.model.name, first.verdict, first.why) == ("starter", "too slow", "quickest")


def test_without_an_estimate_nothing_is_claimed(models: list[LibraryModel]) -> None:
    assert best(models, None) is None
    assert len(advise(models, "captions", "en", None, MEMORY)) > 10


def test_what_does_not_fit_into_memory_or_is_for_research_is_not_best(models: list[LibraryModel]) -> None:
    assert best(models, GPU, memory=4_000) == "small.en"
    found = {each.model.name: each for each in advise(models, "captions", "en", GPU, 4_000)}
    assert found["large-v3"].verdict == "too large"
    only = [model for model in models if model.research]
    assert only and best(only, QUICK) is None


def test_a_measured_delay_is_told(models: list[LibraryModel], monkeypatch: pytest.MonkeyPatch) -> None:
    measured = ThreadProfile("starter", 1, 1, False, 0.8)
    monkeypatch.setattr(advice, "load_profile", lambda model: (measured if model == "starter" else None, ""))
    found = {each.model.name: each.delay_seconds for each in advise(models, "captions", "en", QUICK, MEMORY)}
    assert (found["starter"], found["small"]) == (0.8, None)


def test_language_models_are_small_on_a_processor_and_large_on_a_gpu(models: list[LibraryModel]) -> None:
    def name(goal: advice.Goal, language: str, pace: MachinePace, memory: int = 40_000) -> str:
        return next(each.model.name for each in advise(models, goal, language, pace, memory) if each.is_best)

    assert name("translation", "de", QUICK) == "firefox-en-de"
    assert name("translation", "", QUICK) == "starter-language"  # the others translate one pair of languages each
    assert name("translation", "pl", QUICK) == "qwen3-0.6b"
    assert name("translation", "pl", GPU) == "qwen3-4b"
    assert name("translation", "pl", GPU, memory=16_000) == "qwen3-1.7b"
    assert name("answers", "en", QUICK) == "starter-assistant"


def test_the_voices_that_come_along_lead_the_natural_one_first_where_it_speaks_the_language(
    models: list[LibraryModel],
) -> None:
    english, german = (
        [each.model.name for each in advise(models, "voice", code, None, MEMORY)] for code in ("en", "de")
    )
    assert english[:3] == ["starter-voice", "espeak", "piper-kristin"]
    assert german == ["espeak", "piper-thorsten"]
    assert [each.is_best for each in advise(models, "voice", "", None, MEMORY)][:2] == [True, False]


def test_what_a_model_knows_and_is_for_is_what_the_catalogue_says(models: list[LibraryModel]) -> None:
    named = {model.name: model for model in models}
    assert knows(named["starter"], "en") and not knows(named["starter"], "de")
    assert knows(named["small"], "de") and not knows(named["small"], "yue") and knows(named["large-v3"], "yue")
    assert knows(named["starter-language"], "fr") and not knows(named["starter-language"], "it")
    assert goals_of(named["starter-language"]) == ("translation",)
    assert goals_of(named["qwen3-4b"]) == ("translation", "answers")
