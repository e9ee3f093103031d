"""The dialog that opens recordings."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QMimeData, QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from engine.audio.endings import ENDINGS

_last_folder = ""


def start_folder() -> str:
    """Return the initial folder of the dialog: that of the last recording, at first the user's documents."""
    return _last_folder or documents_folder()


def documents_folder() -> str:
    """Return the user's folder for documents, or their home if they have none."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return folder if Path(folder).is_dir() else str(Path.home())


def ask_for_audio(parent: QWidget, title: str) -> Path | None:
    """Let the user choose a recording; return None if they choose none."""
    name, _ = QFileDialog.getOpenFileName(parent, title, start_folder(), _kinds())
    return _noted([name])[0] if name else None


def ask_for_several(parent: QWidget, title: str) -> list[Path]:
    """Let the user choose recordings."""
    names, _ = QFileDialog.getOpenFileNames(parent, title, start_folder(), _kinds())
    return _noted(names)


def is_recording(path: Path) -> bool:
    """Return whether the dialog offers a file of this name."""
    return path.suffix.lower().removeprefix(".") in ENDINGS


def recordings_in(places: list[Path]) -> list[Path]:
    """Return files unchanged, and folders as the recordings in them, in order and recursively, hidden ones left out."""
    found: list[Path] = []
    for place in places:
        if not place.is_dir():
            found.append(place)
            continue
        inside = sorted(each for each in place.rglob("*") if each.is_file() and is_recording(each))
        found += [each for each in inside if not any(part.startswith(".") for part in each.relative_to(place).parts)]
    return found


def dropped_paths(data: QMimeData) -> list[Path]:
    """Return the local files and folders that are being dropped."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def _kinds() -> str:
    patterns = " ".join(f"*.{ending}" for ending in ENDINGS)
    kinds = QCoreApplication.translate("OpenAudio", "Audio and video files ({});;All files (*)")
    return kinds.format(patterns)


def _noted(names: list[str]) -> list[Path]:
    global _last_folder
    paths = [Path(name) for name in names]
    if paths:
        _last_folder = str(paths[0].parent)
    return paths
