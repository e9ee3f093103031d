"""The rules of each language's file: words, misspellings, harmless phrases, and the patterns of each danger."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

from engine.answer.safety.patterns import Pattern, SentenceWords, parse_pattern
from engine.answer.safety.wording import END, START, begun, meant, rewritten

Language = Literal["en", "de", "fr", "es"]
Danger = Literal[
    "overdose", "choking", "breathing", "bleeding", "heart", "stroke", "allergy", "unconscious", "fumes",
    "poisoned_pet", "poisoned", "fire", "threatened", "suicide", "suicide_other", "emergency", "harming", "mixing",
    "too_much",
]  # fmt: skip
"""Kinds of danger, the most urgent first."""

LANGUAGES: tuple[Language, ...] = get_args(Language)
DANGERS: tuple[Danger, ...] = get_args(Danger)


@dataclass(frozen=True, slots=True)
class DangerRule:
    """Patterns of one danger.

    Attributes:
        firm: it also holds in a possible question about a film, history or words.
        weak: it holds only if no other rule does.
    """

    danger: Danger
    patterns: tuple[Pattern, ...]
    firm: bool
    weak: bool


class DangerRules:
    """The rules of one language."""

    def __init__(self, file: Mapping[str, Any]) -> None:
        """Read a language's file. Raises ValueError if a pattern cannot be read, KeyError if a part is missing."""
        sets = _sets(file["words"])
        self._rewrites: dict[str, str] = file["rewrite"]
        self._keys = frozenset(file["keys"].split())
        self._known = (
            self._keys
            | frozenset(file["real"].split())
            | {part for words in sets.values() for word in words for part in word.split("_")}
        )
        self._harmless = _patterns(file["harmless"], sets)
        self._quoting = _patterns(file["quoting"], sets)
        self._about = _patterns(file["about"], sets)
        self._rules = tuple(
            DangerRule(
                rule["danger"], _patterns(rule["patterns"], sets), rule.get("firm", False), rule.get("weak", False)
            )
            for rule in file["rule"]
        )
        self._common = frozenset(file["common"].split())
        self._known |= self._common
        self._known |= {word for rule in self._rules for pattern in rule.patterns for word in _of(pattern)}
        unknown = {rule.danger for rule in self._rules} - set(DANGERS)
        if unknown:
            raise ValueError(f"no such dangers: {', '.join(sorted(unknown))}")

    def known(self, words: Iterable[str]) -> int:
        """Count the words that are this language's."""
        return sum(word in self._known for word in words)

    def common_in(self, words: Iterable[str]) -> int:
        """Count the words that are among this language's commonest."""
        return sum(word in self._common for word in words)

    def dangers(self, words: tuple[str, ...], *, last: bool) -> frozenset[Danger]:
        """Return the dangers in a sentence; the `last` one's last word may be cut off."""
        sentence = SentenceWords(self._readings(rewritten(words, self._rewrites), last=last))
        found = _matching(self._rules, sentence)
        if not found or _any_in(self._quoting, sentence):
            return frozenset()
        if _any_in(self._about, sentence):
            found = [rule for rule in found if rule.firm]
        found = _matching(found, sentence.masked(self._harmless))
        return frozenset(rule.danger for rule in [rule for rule in found if not rule.weak] or found)

    def _readings(self, words: tuple[str, ...], *, last: bool) -> list[frozenset[str]]:
        read = [frozenset((START,)), *map(self._reading, words), frozenset((END,))]
        if last and words[-1] not in self._known:
            read[-2] |= frozenset(begun(words[-1], self._keys))
        return read

    def _reading(self, word: str) -> frozenset[str]:
        """Return a word with the key words that it may be a misspelling of."""
        readings = {word, _without_umlauts(word)}
        return frozenset(readings if readings & self._known else readings.union(meant(word, self._keys)))


def _matching(rules: Iterable[DangerRule], sentence: SentenceWords) -> list[DangerRule]:
    return [rule for rule in rules if _any_in(rule.patterns, sentence)]


def _any_in(patterns: Iterable[Pattern], sentence: SentenceWords) -> bool:
    return any(pattern.spans(sentence) for pattern in patterns)


@cache
def rules_of(language: Language) -> DangerRules:
    """Read the rules of a language, once."""
    text = resources.files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return DangerRules(tomllib.loads(text))


def _sets(words: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return the sets of words by name; a name within a set is an earlier set."""
    sets: dict[str, frozenset[str]] = {}
    for name, text in words.items():
        members = (sets[word] if word.isupper() else {word} for word in text.split())
        sets[name] = frozenset[str]().union(*members)
    return sets


def _patterns(texts: Sequence[str], sets: Mapping[str, frozenset[str]]) -> tuple[Pattern, ...]:
    return tuple(parse_pattern(text, sets) for text in texts)


def _of(pattern: Pattern) -> set[str]:
    """Return the words of a pattern."""
    single = (word for element in pattern.elements for word in element.words)
    return {*single, *(word for element in pattern.elements for row in element.rows for word in row)}


def _without_umlauts(word: str) -> str:
    """Return words with German vowels that were written out in place of dots: "moechte" is "mochte"."""
    return word.replace("ae", "a").replace("oe", "o").replace("ue", "u")
