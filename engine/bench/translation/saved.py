"""Results of the translation benchmark kept in a file, text by text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.bench.captions.saved import SavedCases
from engine.bench.translation.measure import TextResult, Update
from engine.bench.translation.methods import Way
from engine.bench.translation.texts import GrowingText
from engine.events import TranslationStats


class SavedTranslations(SavedCases[Way, GrowingText, TextResult]):
    """What a text came to in all ways together."""

    def __init__(self, path: Path, identity: str) -> None:
        """Read what is there. BenchError if it holds something else."""
        super().__init__(path, identity, _result_of)


def _result_of(fields: dict[str, Any]) -> TextResult:
    """Make a result of what `asdict` made of it."""
    text = fields["text"]
    segments = tuple(tuple(sources) for sources in text["segments"])
    return TextResult(
        GrowingText(text["name"], segments, tuple(text["references"])),
        tuple(tuple(map(_update_of, updates)) for updates in fields["segments"]),
    )


def _update_of(fields: dict[str, Any]) -> Update:
    return Update(**{**fields, "stats": TranslationStats(**fields["stats"])})
