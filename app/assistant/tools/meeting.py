"""Search in what was said: in the present captions, and in the history."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Protocol, TypeVar

from app.history.records import KeptLine
from app.history.search import Term, hits_in, terms_of
from app.history.store import HistoryStore
from engine.answer.tools.note_sections import SUMMARY
from engine.answer.tools.outcomes import Quote, ToolOutcome
from engine.answer.tools.wording import folded
from engine.events import Caption, Word, text_of
from engine.notes.records import NoteLine, Notes
from engine.sentence_ends import ends_sentence

MOST_QUOTES = 3
"""Most lines that are quoted of a search."""

MOST_READ = 30
"""Most of the newest lines that are returned."""

_DOING = re.compile(r"([a-z]*[aeiouy][a-z]*?[a-z])(?:(?<=([bdgmnprt]))\2)?ing")
"""A verb form in "ing", with its stem in a group; the stem's last letter may be doubled."""

_SMALL_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "on",
        "at",
        "for",
        "and",
        "or",
        "our",
        "my",
        "your",
        "his",
        "her",
        "their",
        "this",
        "that",
        "these",
        "those",
        "it",
        "its",
        "we",
        "he",
        "she",
        "they",
        "is",
        "are",
        "der",
        "die",
        "das",
        "den",
        "dem",
        "des",
        "ein",
        "eine",
        "einen",
        "einem",
        "einer",
        "und",
        "oder",
        "von",
        "vom",
        "zu",
        "zum",
        "zur",
        "mit",
        "im",
        "am",
        "unser",
        "unsere",
        "le",
        "la",
        "les",
        "l",
        "un",
        "une",
        "des",
        "du",
        "de",
        "d",
        "et",
        "ou",
        "notre",
        "nos",
        "mon",
        "ma",
        "mes",
        "el",
        "los",
        "las",
        "lo",
        "y",
        "o",
        "nuestro",
        "nuestra",
        "mi",
        "mis",
        "con",
        "por",
    ]
)


def sentences_of(captions: Iterable[Caption]) -> list[Quote]:
    """Split captions into their sentences, each with its start."""
    found: list[Quote] = []
    for caption in captions:
        begun: list[Word] = []
        words = caption.committed
        for word, following in zip(words, (*words[1:], None), strict=True):
            begun.append(word)
            if following is None or ends_sentence(word.text.strip(), following.text):
                found.append(Quote(text_of(tuple(begun)).strip(), begun[0].start, speaker=caption.speaker))
                begun = []
    return [quote for quote in found if any(character.isalnum() for character in quote.text)]


def terms_for(topic: str) -> tuple[Term, ...]:
    """Return the search terms for a topic: its telling words, without their endings."""
    terms = terms_of(topic.replace("'", " ").replace("’", " "))
    words = [word for term in terms for word in term.words]
    telling = [word for word in words if word not in _SMALL_WORDS] or words
    return tuple(dict.fromkeys(Term((_stem(word),)) for word in telling))


def best_about(terms: Sequence[Term], quotes: Iterable[Quote]) -> tuple[Quote, ...]:
    """Return the lines that contain most of the terms, and at least half of them, in their order."""
    counted = [(sum(bool(hits_in(_line(quote), [term])) for term in terms), quote) for quote in quotes]
    most = max((count for count, _ in counted), default=0)
    enough = max(most, (len(terms) + 1) // 2)
    return tuple(quote for count, quote in counted if most and count >= enough)


T = TypeVar("T")


class SearchableHistory(Protocol):
    """A history that can be searched: the window's archive, or a file."""

    @property
    def problem(self) -> str: ...
    def ask(self, question: Callable[[HistoryStore], T], answer: Callable[[T], None]) -> None: ...


class Meeting:
    """The lines that were said, for questions about them."""

    def __init__(self, captions: Callable[[], tuple[Caption, ...]], archive: SearchableHistory) -> None:
        """Search the present captions, which `captions` returns, and a history."""
        self._captions = captions
        self._archive = archive

    def last_lines(self, asked: Mapping[str, str]) -> ToolOutcome:
        """Return the newest sentences, or those before some of them, with the language that they are wanted in."""
        count, skipped = int(asked["count"]), int(asked.get("skip", "0"))
        quotes = sentences_of(self._captions())
        end = len(quotes) - skipped
        if end <= 0:
            return ToolOutcome("nothing_before" if quotes else "nothing_said")
        wanted = {"language": asked["language"]} if "language" in asked else {}
        return ToolOutcome("last_lines", wanted, tuple(quotes[max(end - count, 0) : end]))

    def since(self, seconds: float | None) -> tuple[Quote, ...]:
        """Return the sentences of the last seconds, or the newest ones."""
        quotes = sentences_of(self._captions())
        end = max((caption.end for caption in self._captions()), default=0.0)
        recent = [quote for quote in quotes if seconds is None or quote.seconds >= end - seconds]
        return tuple(recent[-MOST_READ:])

    def missed(self, asked: Mapping[str, str], notes: Notes | None, starts: Mapping[int, float]) -> ToolOutcome:
        """Answer from notes; with what was said last where they sum up nothing, or a time is named."""
        seconds, section = asked.get("seconds"), asked.get("section", SUMMARY)
        if seconds is None and notes is not None and notes.lines:
            found = noted(notes, section, starts)
            if found.quotes or section != SUMMARY:
                return found
        quotes = self.since(None if seconds is None else float(seconds))
        return ToolOutcome("missed", quotes=quotes) if quotes else ToolOutcome("nothing_said")

    def about(self, topic: str, give: Callable[[tuple[Quote, ...]], None], who: str = "") -> None:
        """Search for a topic in the present captions, then in the history; call `give` with the newest lines.

        The lines that are named after `who` come first, those of the history too; without any, the others are given.
        """
        terms = terms_for(topic)
        quotes = sentences_of(self._captions())
        found = best_about(terms, said_by(who, quotes) if who else quotes)
        others = best_about(terms, quotes)
        if found or not terms or self._archive.problem:
            give((found or others)[-MOST_QUOTES:])
            return

        def choose(lines: Iterable[KeptLine]) -> None:
            kept = _quotes(terms, lines)
            give((tuple(said_by(who, kept)) or others or kept)[-MOST_QUOTES:])

        self._archive.ask(lambda store: _lines(store, terms), choose)


def outcome_of(kind: str, topic: str, who: str, quotes: tuple[Quote, ...]) -> ToolOutcome:
    """Return the outcome of a search; it is said if `who` was asked for, and others said what was found."""
    if not quotes:
        return ToolOutcome("said_nothing", {"topic": topic})
    if who and not said_by(who, quotes):
        return ToolOutcome("said_by_others", {"who": who}, quotes)
    return ToolOutcome(kind, quotes=quotes)


def noted(notes: Notes, section: str, starts: Mapping[int, float]) -> ToolOutcome:
    """Return what a section of notes has; with the summary also decisions and tasks."""
    kinds = (SUMMARY, "decisions", "tasks") if section == SUMMARY else (section,)
    lines = [line for each in notes.sections if each.kind in kinds for line in each.lines]
    found = {line.text: Quote(line.text, _start_of(line, starts), speaker=line.who) for line in lines}
    quotes = tuple(found.values())  # a chosen line may stand in the summary too
    return ToolOutcome("noted", quotes=quotes) if quotes else ToolOutcome("noted_nothing")


def _start_of(line: NoteLine, starts: Mapping[int, float]) -> float:
    return starts.get(line.rests_on[0], 0.0) if line.rests_on else 0.0


def _lines(store: HistoryStore, terms: Sequence[Term]) -> tuple[KeptLine, ...]:
    try:
        return store.lines_with(terms)
    except sqlite3.Error:  # whoever asked waits for an answer
        return ()


def said_by(who: str, quotes: Iterable[Quote]) -> list[Quote]:
    """Return the lines of the speaker with this name, or with this among several; none without a name."""
    name = folded(who).split()
    return [each for each in quotes if name and set(name) <= set(folded(each.speaker).split())]


def _quotes(terms: Sequence[Term], lines: Iterable[KeptLine]) -> tuple[Quote, ...]:
    """Quote the matching sentences of kept captions, the oldest first."""
    quotes = [
        replace(sentence, day=date.fromtimestamp(line.session.began), session=line.session.id)
        for line in lines
        for sentence in sentences_of((line.caption,))
    ]
    return best_about(terms, quotes)


def _line(quote: Quote) -> str:
    """Return the searched text of a quote: who said it, and what."""
    return f"{quote.speaker} {quote.text}"


def _stem(word: str) -> str:
    """Return the beginning that related words share: "hir" of "hiring", which finds "hire" too."""
    if (doing := _DOING.fullmatch(word)) is not None and word != "evening":
        return doing[1]
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word
