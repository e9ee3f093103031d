"""Results of the multi-token benchmark kept in a file, clip by clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.bench.captions.clips import Clip
from engine.bench.captions.saved import SavedLines
from engine.bench.multitoken.measure import Heard
from engine.bench.multitoken.methods import Way
from engine.metrics import WordErrors


class SavedHearings(SavedLines[dict[str, Heard]]):
    """What a clip came to in all ways together: ways that were measured at different times are not compared."""

    def __init__(self, path: Path, identity: str) -> None:
        """Read what is there. BenchError if it holds something else."""
        super().__init__(path, identity, lambda found: {name: _heard_of(fields) for name, fields in found.items()})

    def get(self, ways: Sequence[Way], case: Clip) -> dict[str, Heard] | None:
        """What a clip came to in these ways, if it was measured in all of them at once."""
        return self.find((case.name, case.text, case.language), *ways)

    def add(self, ways: Sequence[Way], case: Clip, results: dict[str, Heard]) -> None:
        """Keep the results of a clip; they are in the file when this returns."""
        plain = {name: asdict(result) for name, result in results.items()}
        self.keep(results, plain, (case.name, case.text, case.language), *ways)


def _heard_of(fields: dict[str, Any]) -> Heard:
    """Make a result of what `asdict` made of it."""
    return Heard(**{**fields, "tokens": tuple(fields["tokens"]), "errors": WordErrors(**fields["errors"])})
