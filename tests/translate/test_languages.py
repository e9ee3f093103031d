import pytest

from engine.errors import OptionError
from engine.translate.languages import accepts_language, check_source, check_target, name_of


def test_a_language_is_called_by_its_english_name_with_or_without_a_region() -> None:
    assert [name_of(code) for code in ("de", "DE", "de-AT", "pt_BR", "zh-Hant")] == [
        "German",
        "German",
        "German",
        "Brazilian Portuguese",
        "Traditional Chinese",
    ]


def test_a_target_that_the_model_was_not_made_for_is_refused_with_those_it_was_made_for() -> None:
    with pytest.raises(OptionError, match=r"de \(German\), fr \(French\) with the model starter, not 'ja'"):
        check_target("ja", ("de", "fr"), "starter")


def test_a_code_that_is_no_language_is_refused_by_any_model() -> None:
    for targets in (None, ("de",)):
        with pytest.raises(OptionError, match="'klingon'"):
            check_target("klingon", targets, "any")


def test_a_model_that_says_nothing_of_languages_may_be_asked_for_any() -> None:
    assert check_target("ja", None, "any") == "Japanese"
    assert accepts_language("ja", None)


def test_a_spoken_language_that_the_model_does_not_know_is_refused() -> None:
    check_source(None, ("en",), "starter")
    check_source("en-GB", ("en",), "starter")
    with pytest.raises(OptionError, match=r"source must be one of en \(English\).*not 'fr'"):
        check_source("fr", ("en",), "starter")


def test_a_model_that_does_not_translate_says_so() -> None:
    with pytest.raises(OptionError, match="target cannot be 'de' with the model starter-assistant: it does not"):
        check_target("de", (), "starter-assistant")
