"""Options are checked where they are made, and say what was wrong."""

from __future__ import annotations

import pytest

from engine.errors import OptionError
from engine.options import DecodeOptions, TranslationOptions


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bias", -0.1),
        ("bias", 1.01),
        ("bias", float("nan")),
        ("mask", -1),
        ("mask", 21),
        ("context_sentences", 21),
    ],
)
def test_a_bad_translation_option_is_named_with_its_range(field: str, value: float) -> None:
    with pytest.raises(OptionError, match=rf"^{field} must be between"):
        TranslationOptions(**{field: value})  # type: ignore[arg-type]


def test_an_empty_target_language_is_refused() -> None:
    with pytest.raises(OptionError, match="target must be the code of a language"):
        TranslationOptions(target=" ")


def test_a_glossary_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(OptionError, match="contradicts itself: 'Bank' is to be both 'Ufer' and 'Geldhaus'"):
        TranslationOptions(glossary=(("bank", "Ufer"), ("Bank", "Geldhaus")))


def test_a_glossary_may_say_the_same_twice() -> None:
    assert TranslationOptions(glossary=(("bank", "Ufer"), ("Bank", "Ufer")))


@pytest.mark.parametrize("term", [("", "Ufer"), ("bank", "  "), ("bank\nmoney", "Ufer"), ("bank", "Ufer\u2028Geld")])
def test_a_glossary_term_must_be_one_line_that_says_something(term: tuple[str, str]) -> None:
    with pytest.raises(OptionError, match="term = translation"):
        TranslationOptions(glossary=(term,))


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("tokens_ahead", 0, "between 2 and 8, not 0."),
        ("tokens_ahead", 1, "between 2 and 8, not 1."),
        ("tokens_ahead", 9, "between 2 and 8, not 9."),
        ("top_m", 0, "between 1 and 100, not 0."),
        ("threshold", 0.0, "above 0 and at most 1, not 0.0."),
        ("threshold", 1.01, "above 0 and at most 1, not 1.01."),
        ("threshold", float("nan"), "above 0 and at most 1, not nan."),
        ("acceptance", "top-1", "one of top-m, threshold, both, not 'top-1'."),
        ("decoder", "greedy", "one of beam, multitoken, not 'greedy'."),
    ],
)
def test_a_bad_option_of_the_decoder_is_named_with_its_range(field: str, value: object, allowed: str) -> None:
    with pytest.raises(OptionError, match=rf"^{field} must be {allowed}"):
        DecodeOptions(**{field: value})  # type: ignore[arg-type]


def test_the_smallest_and_largest_options_of_the_decoder_are_allowed() -> None:
    DecodeOptions(decoder="multitoken", tokens_ahead=2, threshold=1.0)
    DecodeOptions(decoder="multitoken", tokens_ahead=8, threshold=1e-9, top_m=100, acceptance="threshold")
