"""The transcript that was on the screen last, so that closing the window loses nothing.

One file, readable by its owner alone, replaced every time. No Qt.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from app.history.export import ExportError, write_captions
from engine.errors import EngineError
from engine.events import Caption, Translation, Word

T = TypeVar("T")
FILE_NAME = "last-captions.json"


class LastCaptions:
    """Keeps and gives back the last transcript.

    Attributes:
        path: the file; it need not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME

    def keep(self, captions: Sequence[Caption], translations: Iterable[Translation] = ()) -> None:
        """Replace what was kept by these final captions and translations; an empty transcript replaces nothing.

        Raises:
            ExportError: the file cannot be written.
        """
        if not captions:
            return
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.touch(mode=0o600)  # before there is anything in it; replacing it keeps the mode
        except OSError as error:
            raise ExportError(f"Cannot keep the captions in {self.path}: {error.strerror}.") from error
        write_captions(self.path, captions, translations=translations)

    def give_back(self) -> tuple[Caption, ...]:
        """Read the captions that were kept; empty where none were.

        Raises:
            EngineError: the file is there and cannot be read.
        """
        return tuple(self._read(_caption))

    def give_back_translations(self) -> tuple[Translation, ...]:
        """Read the translations that were kept with those captions; raises as give_back does."""
        return tuple(each for each in self._read(_translation) if each is not None)

    def _read(self, make: Callable[[dict[str, Any]], T]) -> list[T]:
        try:
            record = json.loads(self.path.read_text(encoding="utf-8") or "{}")
            return [make(entry) for entry in record.get("captions", ())]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise EngineError(f"The last captions in {self.path} cannot be read: the file is damaged.") from error


def _translation(entry: dict[str, Any]) -> Translation | None:
    kept = entry.get("translation")
    if kept is None:
        return None
    return Translation(
        id=int(entry["id"]),
        revision=0,
        text=str(kept["text"]),
        hidden="",
        source=str(entry["text"]),
        language=str(kept["language"]),
        final=True,
    )


def _caption(entry: dict[str, Any]) -> Caption:
    words = tuple(Word(**word) for word in entry["words"])
    end = float(entry["end"])
    return Caption(
        id=int(entry["id"]),
        revision=0,
        start=float(entry["start"]),
        end=end,
        committed=words,
        pending=(),
        final=True,
        audio_seconds=end,
        emitted_seconds=end,
        language=entry["language"],
    )
