"""Lists of words and names: one a line; lines that begin with # are comments. No Qt."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from app.preferences.glossary import text_of
from app.preferences.preferences import Preferences
from engine.options import DecodeOptions

MOST_PHRASE_WORDS, LEAST_LETTERS = 4, 5
"""Longest correction that may be a name, in words, and the shortest such word in lower case."""

EDGES = " .,;:!?…\"“”„‚‘’'()[]«»。、！？"
"""Marks at the edges of a word."""

PATH = "captions.decode.vocabulary"
"""Path of the list in the preferences."""


def read_vocabulary(path: Path, flag: str = "--vocabulary ") -> tuple[str, ...]:
    """Read the entries of a file in order, without duplicates; `flag` begins messages about the file.

    Raises:
        FileError: the file cannot be read.
        OptionError: it holds an entry that is too long, or too many.
    """
    return parse_vocabulary(text_of(path, flag))


def parse_vocabulary(text: str) -> tuple[str, ...]:
    """Parse the text of a list. Raises OptionError for an entry that is too long, or for too many."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return checked(line for line in lines if line and not line.startswith("#"))


def with_words(preferences: Preferences, words: Iterable[str]) -> Preferences:
    """Return preferences with more words to know. Raises OptionError if there are too many."""
    decode = preferences.captions.decode
    decode = replace(decode, vocabulary=checked((*decode.vocabulary, *words)))
    return replace(preferences, captions=replace(preferences.captions, decode=decode))


def checked(entries: Iterable[str]) -> tuple[str, ...]:
    """Return the entries without duplicates: the first spelling counts. Raises OptionError for bad ones."""
    kept: dict[str, str] = {}
    for entry in (unicodedata.normalize("NFC", each) for each in entries):  # as models write letters with accents
        kept.setdefault(entry.casefold(), entry)
    return DecodeOptions(vocabulary=tuple(kept.values())).vocabulary


def corrected_words(before: str, after: str) -> tuple[str, ...]:
    """Return the words of a corrected line that differ from what was heard and may be names, neighbours as one phrase.

    Capital letters and punctuation at the edges do not count as differences.
    """
    old, new = before.split(), after.split()
    matcher = SequenceMatcher(None, [_bare(word) for word in old], [_bare(word) for word in new], autojunk=False)
    spans = [(begin, end) for kind, _, _, begin, end in matcher.get_opcodes() if kind in ("replace", "insert")]
    phrases = [" ".join(new[begin:end]).strip(EDGES) for begin, end in spans if end - begin <= MOST_PHRASE_WORDS]
    return tuple(phrase for phrase in phrases if _may_be_a_name(phrase))


def _bare(word: str) -> str:
    return word.strip(EDGES).casefold()


def _may_be_a_name(phrase: str) -> bool:
    """Return whether a phrase has a long word or a capital letter."""
    return any(len(word) >= LEAST_LETTERS or word != word.lower() for word in phrase.split())
