"""Between the rows of the history's tables and the values that travel. No Qt."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from app.history.kept.correcting import corrected
from app.history.records import KeptTurn, Session
from engine.events import Caption, Word
from engine.turns import AnswerStats, Turn, TurnStats

Row = tuple[Any, ...]


def written(words: Sequence[Word], shown: Sequence[float | None], shown_at: float | None) -> str:
    """Words with the time at which each was shown: as before where it is known, now where it is new."""
    times = [*shown[: len(words)], *[shown_at] * (len(words) - len(shown))]
    record = [
        [each.text, round(each.start, 3), round(each.end, 3), round(each.probability, 4), _rounded(at)]
        for each, at in zip(words, times, strict=True)
    ]
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def shown_of(words: str, correction: str | None = None) -> tuple[float | None, ...]:
    """When each of the words was shown, in seconds; None where that is not known, as of those a person has written."""
    shown = tuple(each[4] for each in json.loads(words))
    if correction is None:
        return shown
    return tuple(None if each.place is None else shown[each.place] for each in corrected(_heard(words), correction))


def caption_of(row: Row) -> Caption:
    """Make a caption of its row: number, revision, start, end, language, words, their correction, and who spoke."""
    number, revision, start, end, language, words, correction, speaker = row
    said = _heard(words)
    if correction is not None:
        said = tuple(each.word for each in corrected(said, correction))
    return Caption(number, revision, start, end, said, (), True, end, end, language, speaker)


def _heard(words: str) -> tuple[Word, ...]:
    return tuple(Word(*each[:4]) for each in json.loads(words))


def turn_of(row: Row) -> KeptTurn:
    """Make a turn of its number, revision, prompt, reply, end, stats and time."""
    number, revision, prompt, reply, ended, stats, answered = row
    return KeptTurn(Turn(number, revision, prompt, reply, ended, _stats(json.loads(stats))), answered)


def session_of(row: Row, hits: int = 0, found: str = "") -> Session:
    """Make a session of its columns in their order, and of what was found in it."""
    return replace(Session(*row), crashed=bool(row[9]), hits=hits, found=found)


def _stats(record: dict[str, Any]) -> TurnStats:
    """Read what a turn cost, as far as its names are known."""
    answer = record.pop("answer", {})
    return TurnStats(**_known(TurnStats, record), answer=AnswerStats(**_known(AnswerStats, answer)))


def _known(kind: type[TurnStats] | type[AnswerStats], record: dict[str, Any]) -> dict[str, Any]:
    names = {each.name for each in fields(kind)}
    return {name: value for name, value in record.items() if name in names}
