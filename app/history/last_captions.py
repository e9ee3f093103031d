"""The transcript that was on the screen last, so that closing the window loses nothing.

One file, readable by its owner alone, replaced every time. No Qt.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.history.export import ExportError, write_captions
from engine.errors import EngineError
from engine.events import Caption, Word

FILE_NAME = "last-captions.json"


class LastCaptions:
    """Keeps and gives back the last transcript.

    Attributes:
        path: the file; it need not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME

    def keep(self, captions: Sequence[Caption]) -> None:
        """Replace what was kept by these final captions; an empty transcript replaces nothing.

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
        write_captions(self.path, captions)

    def give_back(self) -> tuple[Caption, ...]:
        """Read what was kept; empty where nothing was.

        Raises:
            EngineError: the file is there and cannot be read.
        """
        try:
            record = json.loads(self.path.read_text(encoding="utf-8") or "{}")
            return tuple(_caption(entry) for entry in record.get("captions", ()))
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise EngineError(f"The last captions in {self.path} cannot be read: the file is damaged.") from error


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
