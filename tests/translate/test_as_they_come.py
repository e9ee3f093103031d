"""Lines as people write them: what must come through a translation does, and nothing becomes debris."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.language.language_model import LanguageModel, load_language_model
from engine.options import TranslationOptions
from engine.translate.translator import Translator

LINES = [
    line.split("\t")
    for line in Path(__file__).with_suffix("").with_name("as_they_come.tsv").read_text("utf-8").splitlines()
]
"""A source, and what its translation must have: pieces between " ; ", each in one of the spellings between "|".

"!" before a word forbids it, and "=UPPER" asks for no small letters but in what is copied.
"""

TARGETS = ("de", "fr", "es")


@pytest.fixture(scope="module")
def starter() -> LanguageModel:
    return load_language_model()


def is_kept(wanted: str, translation: str) -> bool:
    """Return whether a translation has a piece, or lacks it if that is asked for."""
    if wanted == "=UPPER":
        return not re.search(r"[a-zäöüéèàñ]{2}", translation)
    if wanted.startswith("!"):
        return not re.search(rf"\b{wanted[1:]}\b", translation) if wanted[1:] else True
    return any(
        re.search(
            rf"(?<![\d,.]){re.escape(form)}", translation.replace("\u202f", " "), 0 if form[0].isupper() else re.I
        )
        and not re.search(rf"{re.escape(form)}\d", translation)
        for form in wanted.split("|")
    )


def faults(translation: str, wanted: str) -> list[str]:
    """Return what is wrong with a translation."""
    found = [piece for piece in wanted.split(" ; ") if not is_kept(piece, translation)]
    broken = re.search(r"\ufffd|(\w{2,})\1\1|\b(\w+)(\W+\2\b){2}", translation)
    return [*found, *(["debris"] if broken else [])]


def test_there_are_two_hundred_lines() -> None:
    assert len(LINES) >= 200 and len({source for source, _ in LINES}) == len(LINES)


@pytest.mark.parametrize("target", TARGETS)
def test_what_must_come_through_a_translation_does(starter: LanguageModel, target: str) -> None:
    translator = Translator(starter, TranslationOptions(target), context_sentences=0)
    wrong = {}
    for source, wanted in LINES[TARGETS.index(target) :: len(TARGETS)]:
        translation = translator.update(source, final=True).text
        if found := faults(translation, wanted):
            wrong[source] = (translation, found)
    assert not wrong
