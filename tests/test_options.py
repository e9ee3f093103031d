"""Options are checked where they are made, and say what was wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.errors import OptionError
from engine.options import (
    AnswerOptions,
    CaptionOptions,
    DecodeOptions,
    TranslationOptions,
    TurnOptions,
    VoiceOptions,
)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bias", -0.1),
        ("bias", 1.01),
        ("bias", float("nan")),
        ("mask", -1),
        ("mask", 21),
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


@pytest.mark.parametrize(
    ("options", "field", "value", "allowed"),
    [
        (CaptionOptions, "step_seconds", float("nan"), "between 0.1 and 30, not nan."),
        (CaptionOptions, "agreement", 1, "between 2 and 10, not 1."),
        (CaptionOptions, "attention_margin_seconds", 2.1, "between 0 and 2, not 2.1."),
        (CaptionOptions, "certain_probability", 1.1, "between 0 and 1, not 1.1."),
        (CaptionOptions, "buffer_seconds", 60.0, "between 5 and 28, not 60.0."),
        (CaptionOptions, "padding", "much", "one of full, none"),
        (AnswerOptions, "top_k", 0, "between 1 and 100, not 0."),
        (AnswerOptions, "generation", "magic", "one of autoregressive, jacobi, not 'magic'."),
        (AnswerOptions, "reply_tokens", 0, "between 1 and 2048, not 0."),
        (VoiceOptions, "words_per_minute", 5, "between 80 and 450, not 5."),
        (TurnOptions, "doubtful_silence_seconds", 0.2, "between 0.5 and 10, not 0.2."),
    ],
)
def test_a_bad_option_is_named_with_its_range(
    options: Callable[..., object], field: str, value: object, allowed: str
) -> None:
    with pytest.raises(OptionError, match=rf"^{field} must be {allowed}"):
        options(**{field: value})


def test_a_language_that_detection_may_not_choose_is_refused() -> None:
    with pytest.raises(OptionError, match="'de' is not among the allowed en, fr"):
        CaptionOptions(language="de", allowed_languages=("en", "fr"))


def test_the_smallest_and_largest_options_of_the_decoder_are_allowed() -> None:
    DecodeOptions(decoder="multitoken", tokens_ahead=2, threshold=1.0)
    DecodeOptions(decoder="multitoken", tokens_ahead=8, threshold=1e-9, top_m=100, acceptance="threshold")
