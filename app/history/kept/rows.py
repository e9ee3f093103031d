"""Conversion between rows of the history's tables and values. No Qt."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import cattrs

from app.history.records import KeptTurn, Session
from app.transcript.correcting import corrected
from engine.events import Caption, Word
from engine.notes.records import Notes
from engine.turns import AnswerStats, Turn, TurnStats

Row = tuple[Any, ...]


def written(words: Sequence[Word], shown: Sequence[float | None], shown_at: float | None) -> str:
    """Encode words with the time at which each was shown: the known time, or now for new words."""
    times = [*shown[: len(words)], *[shown_at] * (len(words) - len(shown))]
    record = [
        [each.text, round(each.start, 3), round(each.end, 3), round(each.probability, 4), _rounded(at)]
        for each, at in zip(words, times, strict=True)
    ]
    return encode_words(record)


def encode_words(record: Sequence[Any]) -> str:
    """Encode a list of words, each with its text, start, end, probability, and when it was shown."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def shown_of(words: str, correction: str | None = None) -> tuple[float | None, ...]:
    """Return when each of the words was shown, in seconds; None if that is not known, as of corrected words."""
    shown = tuple(each[4] for each in json.loads(words))
    if correction is None:
        return shown
    return tuple(None if each.place is None else shown[each.place] for each in corrected(_heard(words), correction))


def caption_of(row: Row) -> Caption:
    """Make a caption from its row: number, revision, start, end, language, words, first text, correction, speaker."""
    number, revision, start, end, language, words, first, correction, speaker = row
    said = _heard(words)
    if correction is not None:
        said = tuple(each.word for each in corrected(said, correction))
    return Caption(number, revision, start, end, said, (), True, end, end, language, speaker, first)


def _heard(words: str) -> tuple[Word, ...]:
    return tuple(Word(*each[:4]) for each in json.loads(words))


def turn_of(row: Row) -> KeptTurn:
    """Make a turn from its number, revision, prompt, reply, end, stats and time."""
    number, revision, prompt, reply, ended, stats, answered = row
    return KeptTurn(Turn(number, revision, prompt, reply, ended, _stats(json.loads(stats))), answered)


def session_of(row: Row, hits: int = 0, found: str = "") -> Session:
    """Make a session from its columns in their order, and from its search result."""
    resumed = tuple((float(at), float(then)) for at, then in json.loads(row[-1]))
    return replace(Session(*row), crashed=bool(row[9]), resumed=resumed, hits=hits, found=found)


def encode_notes(notes: Notes) -> str:
    """Encode notes for the table."""
    return json.dumps(cattrs.unstructure(notes), ensure_ascii=False)


def decode_notes(text: str) -> Notes:
    """Make notes from their row."""
    return cattrs.structure(json.loads(text), Notes)


def _stats(record: dict[str, Any]) -> TurnStats:
    """Read a turn's stats, as far as their names are known."""
    answer = record.pop("answer", {})
    return TurnStats(**_known(TurnStats, record), answer=AnswerStats(**_known(AnswerStats, answer)))


def _known(kind: type[TurnStats] | type[AnswerStats], record: dict[str, Any]) -> dict[str, Any]:
    names = {each.name for each in fields(kind)}
    return {name: value for name, value in record.items() if name in names}
