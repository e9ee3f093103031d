"""The file that remembers which recordings are still to be transcribed when the app is started again. No Qt."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

FILE_NAME = "transcriptions.json"


@dataclass(frozen=True, slots=True)
class Pending:
    """A recording that is still to be transcribed; see Job."""

    path: str
    ending: str
    name: str
    speakers: bool = False


def load(file: Path) -> tuple[Pending, ...]:
    """Return what is still to be done, as far as the recordings are still there."""
    try:
        records = json.loads(file.read_text(encoding="utf-8"))
        found = [Pending(**each) for each in records]
        return tuple(each for each in found if Path(each.path).is_file())
    except (OSError, ValueError, TypeError, RecursionError):
        return ()


def save(file: Path, pending: Sequence[Pending]) -> None:
    """Remember what is still to be done; where that cannot be written, it is only forgotten at the end of the app."""
    with suppress(OSError):
        if not pending:
            file.unlink(missing_ok=True)
            return
        partial = file.with_name(f"{file.name}.partial")
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
            json.dump([asdict(each) for each in pending], out, indent=1)
        os.replace(partial, file)
