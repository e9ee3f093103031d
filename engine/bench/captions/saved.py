"""Results of benchmarks kept in a file, so that hours of measuring may be done in parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from engine.bench.captions.clips import BenchError, Clip
from engine.bench.captions.measure import ClipResult, RoundTotals
from engine.bench.captions.methods import Way
from engine.metrics import WordErrors

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Result = TypeVar("Result")
Kind = TypeVar("Kind")
Case = TypeVar("Case")
Record = TypeVar("Record", bound="DataclassInstance")


class SavedLines(Generic[Result]):
    """JSON lines of what was measured; a line about anything else is never mistaken for it.

    Attributes:
        reused: how many results came from the file instead of being measured now.
    """

    def __init__(self, path: Path, identity: str, read: Callable[[Any], Result]) -> None:
        """Read what is there; `read` makes a result of its JSON. BenchError if the file holds something else."""
        self.reused = 0
        self._path = path
        self._identity = identity
        self._known: dict[str, Result] = {}
        if path.exists():
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                try:
                    record = json.loads(line)
                    self._known[str(record["key"])] = read(record["result"])
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    raise BenchError(f"Line {number} of {path} is no saved result. Give another file.") from error

    def find(self, *about: object) -> Result | None:
        """What this came to, if it was measured before; `about` is told apart by how it is written out."""
        found = self._known.get(self._key(about))
        self.reused += found is not None
        return found

    def keep(self, result: Result, plain: object, *about: object) -> None:
        """Keep a result and, in the file, what JSON can hold of it; it is there when this returns."""
        key = self._key(about)
        self._known[key] = result
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "about": repr(about[0]), "result": plain}) + "\n")

    def _key(self, about: tuple[object, ...]) -> str:
        return sha256(repr((self._identity, *about)).encode()).hexdigest()[:32]


class SavedCases(SavedLines[dict[str, Record]], Generic[Kind, Case, Record]):
    """What a case came to in all ways together: ways that were measured at different times are not compared."""

    def __init__(self, path: Path, identity: str, read: Callable[[Any], Record]) -> None:
        """Read what is there; `read` makes a way's result of its JSON. BenchError if the file holds something else."""
        super().__init__(path, identity, lambda found: {name: read(fields) for name, fields in found.items()})

    def get(self, ways: Sequence[Kind], case: Case) -> dict[str, Record] | None:
        """What a case came to in these ways, if it was measured in all of them at once."""
        return self.find(case, *ways)

    def add(self, ways: Sequence[Kind], case: Case, results: dict[str, Record]) -> None:
        """Keep the results of a case, which are dataclasses; they are in the file when this returns."""
        self.keep(results, {name: asdict(result) for name, result in results.items()}, case, *ways)


class SavedResults(SavedLines[ClipResult]):
    """Results of the captions benchmark, by model, way and clip."""

    def __init__(self, path: Path, identity: str) -> None:
        """Read what is there. BenchError if it holds something else."""
        super().__init__(path, identity, _result_of)

    def get(self, way: Way, clip: Clip) -> ClipResult | None:
        """What this clip came to in this way, if it was measured before."""
        return self.find(repr(way), clip.name, clip.text, len(clip.words))

    def add(self, way: Way, clip: Clip, result: ClipResult) -> None:
        """Keep a result; it is in the file when this returns."""
        self.keep(result, asdict(result), repr(way), clip.name, clip.text, len(clip.words))


def _result_of(record: dict[str, object]) -> ClipResult:
    """Make a result of what `asdict` made of it."""
    fields = dict(record)
    fields["errors"] = WordErrors(**record["errors"])  # type: ignore[arg-type]
    fields["latencies"] = tuple(record["latencies"])  # type: ignore[arg-type]
    fields["totals"] = RoundTotals(**record["totals"])  # type: ignore[arg-type]
    return ClipResult(**fields)  # type: ignore[arg-type]
