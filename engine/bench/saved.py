"""Results of the captions benchmark kept in a file, so that hours of measuring may be done in parts."""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

from engine.bench.captions import ClipResult, RoundTotals
from engine.bench.clips import BenchError, Clip
from engine.metrics import WordErrors
from engine.options import CaptionOptions


class SavedResults:
    """JSON lines of what was measured; a line whose model, options or clip are others is never mistaken for it.

    Attributes:
        reused: how many results came from the file instead of being measured now.
    """

    def __init__(self, path: Path, identity: str) -> None:
        """Read what is there. BenchError if it holds something else."""
        self.reused = 0
        self._path = path
        self._identity = identity
        self._known: dict[str, ClipResult] = {}
        if path.exists():
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                self._read(number, line)

    def get(self, options: CaptionOptions, clip: Clip) -> ClipResult | None:
        """What this clip came to with these options, if it was measured before."""
        found = self._known.get(self._key(options, clip))
        self.reused += found is not None
        return found

    def add(self, options: CaptionOptions, clip: Clip, result: ClipResult) -> None:
        """Keep a result; it is in the file when this returns."""
        key = self._key(options, clip)
        self._known[key] = result
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "options": repr(options), "result": asdict(result)}) + "\n")

    def _key(self, options: CaptionOptions, clip: Clip) -> str:
        about = (self._identity, repr(options), clip.name, clip.text, len(clip.words))
        return sha256(repr(about).encode()).hexdigest()[:32]

    def _read(self, number: int, line: str) -> None:
        try:
            record = json.loads(line)
            self._known[str(record["key"])] = _result_of(record["result"])
        except (ValueError, KeyError, TypeError) as error:
            raise BenchError(f"Line {number} of {self._path} is no saved result. Give another file.") from error


def _result_of(record: dict[str, object]) -> ClipResult:
    """Make a result of what `asdict` made of it."""
    fields = dict(record)
    fields["errors"] = WordErrors(**record["errors"])  # type: ignore[arg-type]
    fields["latencies"] = tuple(record["latencies"])  # type: ignore[arg-type]
    fields["totals"] = RoundTotals(**record["totals"])  # type: ignore[arg-type]
    return ClipResult(**fields)  # type: ignore[arg-type]
