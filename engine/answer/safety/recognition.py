"""Recognition of danger in a text, and of its language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from engine.answer.safety.rules import DANGERS, LANGUAGES, Danger, Language, rules_of
from engine.answer.safety.wording import plain_sentences

FEWEST_WORDS = 2
"""Fewest words by which a language other than English is known."""


@dataclass(frozen=True, slots=True)
class RecognisedDanger:
    """A danger, and the language of the text about it.

    Attributes:
        certain: it is answered as a danger; otherwise the text only may speak of one.
    """

    danger: Danger
    language: Language
    certain: bool = True


def recognise(text: str) -> RecognisedDanger | None:
    """Find the most urgent danger in any sentence of a text; return None if there is none.

    The text may break off anywhere, and may lack marks.
    """
    sentences = plain_sentences(text)
    found = [_in_sentence(words, number == len(sentences)) for number, words in enumerate(sentences, 1)]
    dangers = [each for each in found if each is not None]
    return min(dangers, key=lambda each: DANGERS.index(each.danger), default=None)


def language_of(text: str) -> Language:
    """Return the language of a text, by its commonest words; English if that is open."""
    words = {word for sentence in plain_sentences(text) for word in sentence}
    common = {language: rules_of(language).common_in(words) for language in LANGUAGES}
    likely = max(LANGUAGES, key=lambda language: (common[language], rules_of(language).known(words)))
    enough = max(FEWEST_WORDS, 2 * common["en"] + 1, len(words) / 3)
    return likely if common[likely] >= enough else "en"


@lru_cache(maxsize=1_000)
def _in_sentence(words: tuple[str, ...], last: bool) -> RecognisedDanger | None:
    """Find the most urgent danger of one sentence, in the language of most of its words."""
    known = {language: rules_of(language).known(words) for language in LANGUAGES}
    likely = [language for language in LANGUAGES if known[language] == max(known.values())]
    found = [
        RecognisedDanger(danger, language)
        for language in likely
        for danger in rules_of(language).dangers(words, last=last)
    ]
    return min(found, key=lambda each: DANGERS.index(each.danger), default=None)
