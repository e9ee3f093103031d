"""Which danger a text speaks of, and in which language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from engine.answer.safety.rules import DANGERS, LANGUAGES, Danger, Language, rules_of
from engine.answer.safety.wording import plain_sentences

FEWEST_WORDS = 2
"""A language other than English is known by so many words."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """A danger, and the language that it was spoken of in."""

    danger: Danger
    language: Language


def recognise(text: str) -> Recognised | None:
    """Find the most urgent danger that a text speaks of, in any of its sentences; None where it speaks of none.

    The text may break off anywhere, and may lack marks.
    """
    sentences = plain_sentences(text)
    found = [_in_sentence(words, number == len(sentences)) for number, words in enumerate(sentences, 1)]
    dangers = [each for each in found if each is not None]
    return min(dangers, key=lambda each: DANGERS.index(each.danger), default=None)


def language_of(text: str) -> Language:
    """Tell in which language somebody speaks, by its commonest words; English where that is open."""
    words = {word for sentence in plain_sentences(text) for word in sentence}
    common = {language: rules_of(language).common_in(words) for language in LANGUAGES}
    likely = max(LANGUAGES, key=lambda language: (common[language], rules_of(language).known(words)))
    enough = max(FEWEST_WORDS, 2 * common["en"] + 1, len(words) / 3)
    return likely if common[likely] >= enough else "en"


@lru_cache(maxsize=1_000)
def _in_sentence(words: tuple[str, ...], last: bool) -> Recognised | None:
    """Find the most urgent danger of one sentence, in the language that most of its words are of."""
    known = {language: rules_of(language).known(words) for language in LANGUAGES}
    likely = [language for language in LANGUAGES if known[language] == max(known.values())]
    found = [
        Recognised(danger, language) for language in likely for danger in rules_of(language).dangers(words, last=last)
    ]
    return min(found, key=lambda each: DANGERS.index(each.danger), default=None)
