"""Results of the translation benchmark kept in a file, text by text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.bench.saved import SavedLines
from engine.bench.translation import TextResult, Update
from engine.bench.translation_methods import Way
from engine.bench.translation_texts import GrowingText
from engine.events import TranslationStats

Results = dict[str, TextResult]


class SavedTranslations(SavedLines[Results]):
    """What a text came to in all ways together: ways that were measured at different times are not compared."""

    def __init__(self, path: Path, identity: str) -> None:
        """Read what is there. BenchError if it holds something else."""
        super().__init__(path, identity, _results_of)

    def get(self, ways: Sequence[Way], text: GrowingText) -> Results | None:
        """What a text came to in these ways, if it was measured in all of them at once."""
        return self.find(text, *ways)

    def add(self, ways: Sequence[Way], text: GrowingText, results: Results) -> None:
        """Keep the results of a text; they are in the file when this returns."""
        self.keep(results, {name: asdict(result) for name, result in results.items()}, text, *ways)


def _results_of(record: dict[str, Any]) -> Results:
    return {name: _result_of(fields) for name, fields in record.items()}


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
