"""Results of the assistant benchmark kept in a file, conversation by conversation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.bench.assistant.measure import TalkResult, TurnResult
from engine.bench.assistant.methods import Way
from engine.bench.assistant.texts import Question, Talk
from engine.bench.captions.saved import SavedCases


class SavedTalks(SavedCases[Way, Talk, TalkResult]):
    """What a conversation came to in all ways together."""

    def __init__(self, path: Path, identity: str) -> None:
        """Read what is there. BenchError if it holds something else."""
        super().__init__(path, identity, _result_of)


def _result_of(fields: dict[str, Any]) -> TalkResult:
    """Make a result of what `asdict` made of it."""
    talk = fields["talk"]
    questions = tuple(map(_question_of, talk["questions"]))
    return TalkResult(Talk(talk["name"], questions, talk["reply"]), tuple(map(_turn_of, fields["turns"])))


def _question_of(fields: dict[str, Any]) -> Question:
    parts = {name: tuple(map(tuple, fields[name])) for name in ("partials", "unfinished")}
    return Question(**{**fields, **parts})


def _turn_of(fields: dict[str, Any]) -> TurnResult:
    return TurnResult(**{**fields, "tokens": tuple(fields["tokens"])})
