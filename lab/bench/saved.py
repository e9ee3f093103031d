"""Results of benches kept in a file, so that hours of measuring may be done in parts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Generic, TypeVar

from cattrs import Converter

from lab.bench.errors import BenchError

Result = TypeVar("Result")

_CONVERTER = Converter(detailed_validation=False, forbid_extra_keys=True)


class SavedCases(Generic[Result]):
    """JSON lines of what cases came to in all ways together: ways measured at different times are not compared.

    Attributes:
        reused: how many cases came from the file instead of being measured now.
    """

    def __init__(self, path: Path, identity: str, kind: type[Result]) -> None:
        """Read what is there: results are dataclasses of a kind. BenchError if the file holds something else.

        identity: what is measured, by which clock; a line about anything else is never mistaken for it.
        """
        self.reused = 0
        self._path, self._identity = path, identity
        self._known: dict[str, dict[str, Result]] = {}
        if path.exists():
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                try:
                    record = json.loads(line)
                    results = record["result"].items()
                    self._known[str(record["key"])] = {name: _CONVERTER.structure(each, kind) for name, each in results}
                except Exception as error:  # whatever is wrong with a line, it is not ours
                    raise BenchError(f"Line {number} of {path} is no saved result. Give another file.") from error

    def get(self, ways: Sequence[object], case: object) -> dict[str, Result] | None:
        """Return the results of a case with these methods, if it was measured with all of them at once."""
        found = self._known.get(self._key(ways, case))
        self.reused += found is not None
        return found

    def add(self, ways: Sequence[object], case: object, results: dict[str, Result]) -> None:
        """Keep the results of a case; they are in the file when this returns."""
        key = self._key(ways, case)
        self._known[key] = results
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "about": repr(case), "result": _CONVERTER.unstructure(results)}) + "\n")

    def _key(self, ways: Sequence[object], case: object) -> str:
        """Return a key that tells methods and cases apart by how they are written out."""
        return sha256(repr((self._identity, case, *ways)).encode()).hexdigest()[:32]
