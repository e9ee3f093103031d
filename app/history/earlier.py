"""Captions that were kept before there was a history: read, and taken over into it once. No Qt."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from app.history.store import HistoryStore
from engine.errors import EngineError
from engine.events import Caption, Translation, Word

T = TypeVar("T")


def take_over(store: HistoryStore, path: Path) -> bool:
    """Make a session of the captions in a JSON export, and remove the file; whether there was one.

    A file that cannot be read stays where it is.
    """
    try:
        captions, translations = read_captions(path), read_translations(path)
        written = path.stat().st_mtime if captions else 0.0
    except (EngineError, OSError):
        return False
    if not captions:
        return False
    end = max(each.end for each in captions)
    session = store.begin("captions", "", "", "", captions[0].language, written - end)
    for caption in captions:
        store.put_caption(session, caption)
    for translation in translations:
        store.put_translation(session, translation)
    store.end(session, written)
    path.unlink(missing_ok=True)
    return True


def read_captions(path: Path) -> tuple[Caption, ...]:
    """Read the captions of a JSON export; none where there is no file.

    Raises:
        EngineError: the file is there and cannot be read.
    """
    return tuple(_read(path, _caption))


def read_translations(path: Path) -> tuple[Translation, ...]:
    """Read the translations of a JSON export; raises as read_captions does."""
    return tuple(each for each in _read(path, _translation) if each is not None)


def _read(path: Path, make: Callable[[dict[str, Any]], T]) -> list[T]:
    try:
        record = json.loads(path.read_text(encoding="utf-8") or "{}")
        return [make(entry) for entry in record.get("captions", ())]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EngineError(f"The last captions in {path} cannot be read: the file is damaged.") from error


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
        speaker=str(entry.get("speaker", "")),
    )
