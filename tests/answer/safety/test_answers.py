"""Answers to danger: whom to call, by region and language, in a few sentences that can be said aloud."""

import re
import tomllib
from importlib import resources
from typing import get_args

import pytest

from engine.answer.safety.answers import SafetyAnswer, SafetyAnswers, sayable
from engine.answer.safety.region import region_of
from engine.answer.safety.rules import DANGERS, Language
from lab.bench.assistant.phrasings import SAFETY, phrasings

FILE = tomllib.loads(resources.files("engine.answer.safety").joinpath("answers.toml").read_text(encoding="utf-8"))
EXAMPLES = {(danger, language): text for danger, language, text in phrasings(SAFETY[:1]) if danger != "none"}
SUICIDE = {language: EXAMPLES["suicide", language] for language in get_args(Language)}


def said(text: str, region: str | None = None) -> SafetyAnswer:
    answer = SafetyAnswers(region).to(text)
    assert answer is not None
    return answer


@pytest.mark.parametrize("region", [None, *FILE["regions"]])
@pytest.mark.parametrize("language", get_args(Language))
def test_every_danger_has_an_answer_in_two_to_four_sentences_with_nothing_left_open(
    language: str, region: str | None
) -> None:
    for danger in DANGERS:
        answer = said(EXAMPLES[danger, language], region)
        assert (answer.danger, answer.language) == (danger, language)
        assert 2 <= len(answer.sentences) <= 4
        assert not re.search(r"[][{}]|  ", answer.text)
        assert all(sentence[-1] in ".!" and len(sentence) < 220 for sentence in answer.sentences)


@pytest.mark.parametrize("language", get_args(Language))
def test_what_may_be_danger_gets_one_line_with_the_number_of_the_region(language: Language) -> None:
    assert "112" in SafetyAnswers("DE").in_case("de")
    unknown, known = SafetyAnswers().in_case(language), SafetyAnswers("US").in_case(language)
    assert not re.search(r"[][{}]|  ", unknown + known)
    assert ("911" in known) is (language in ("en", "es")), "where the place is believed"


@pytest.mark.parametrize(
    ("language", "region", "numbers"),
    [
        ("en", "US", {"988", "911"}),
        ("en", "CA", {"988", "911"}),
        ("fr", "CA", {"988", "911"}),
        ("en", "GB", {"116 123", "999"}),
        ("en", "DE", {"0800 111 0 111", "112"}),
        ("de", "DE", {"0800 111 0 111", "112"}),
        ("de", "CH", {"143", "112"}),
        ("fr", "FR", {"3114", "112"}),
        ("es", "ES", {"024", "112"}),
        ("es", "US", {"988", "911"}),
        ("en", "PL", {"112"}),
    ],
)
def test_the_numbers_are_those_of_the_region(language: str, region: str, numbers: set[str]) -> None:
    text = said(SUICIDE[language], region).text
    assert {each.strip() for each in re.findall(r"\d[\d ]*", text)} == numbers


@pytest.mark.parametrize("region", [None, "US", "XX"])
def test_where_the_place_is_unknown_or_speaks_another_language_the_local_number_is_meant(region: str | None) -> None:
    assert "die örtliche Notrufnummer (in Europa 112)" in said(SUICIDE["de"], region).text
    assert "your local emergency number" in said(SUICIDE["en"]).text


def test_bleach_and_vinegar_are_not_mixed_and_it_is_said_why_and_what_to_do() -> None:
    text = said("Is it safe to mix bleach and vinegar?", "US").text
    assert text.startswith("No, never mix them")
    assert "poisonous gas" in text
    assert "fresh air and call the poison centre on 1-800-222-1222, or 911" in text


def test_what_is_harmless_has_no_answer() -> None:
    assert SafetyAnswers("DE").to("How do I kill a process?") is None


def test_numbers_are_said_digit_by_digit_in_their_groups() -> None:
    assert sayable("Call 988 now.") == "Call 9 8 8 now."
    assert sayable("Unter 0800 111 0 111 hört jemand zu.") == "Unter 0 8 0 0, 1 1 1, 0, 1 1 1 hört jemand zu."
    assert sayable("Call 1-800-222-1222.") == "Call 1, 8 0 0, 2 2 2, 1 2 2 2."
    assert sayable("Nobody is alone.") == "Nobody is alone."


@pytest.mark.parametrize(
    ("environment", "region"),
    [
        ({"LANG": "de_DE.UTF-8"}, "DE"),
        ({"LANG": "en_US.UTF-8", "LC_TELEPHONE": "de_AT.UTF-8"}, "AT"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "fr_CA"}, "CA"),
        ({"LANG": "C.UTF-8"}, None),
        ({"LANG": "ca_ES@valencia"}, "ES"),
        ({"LANG": "en"}, None),
        ({}, None),
    ],
)
def test_the_region_is_read_from_the_locale(environment: dict[str, str], region: str | None) -> None:
    assert region_of(environment) == region
