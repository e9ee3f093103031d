"""The dialog that opens recordings: where it begins, what it offers, and what is in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from app.widgets import open_audio
from app.widgets.open_audio import ask_for_audio, ask_for_several, recordings_in


def test_it_begins_where_the_last_recording_was_and_never_in_the_program_s_folder(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []

    def answer(parent: QWidget, title: str, folder: str, kinds: str) -> tuple[str, str]:
        asked.append((folder, kinds))
        return str(tmp_path / "talk.mp4"), kinds

    monkeypatch.setattr(open_audio, "_last_folder", "")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", answer)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([], ""))
    window = QWidget()
    assert ask_for_audio(window, "Open") == tmp_path / "talk.mp4"
    assert ask_for_several(window, "Open") == []
    ask_for_audio(window, "Open")
    assert Path(asked[0][0]).is_absolute()
    assert asked[1][0] == str(tmp_path)
    assert all(f"*.{ending}" in asked[0][1] for ending in ("wav", "mp3", "m4a", "mp4", "mov", "mkv", "webm"))


def test_of_a_folder_all_recordings_are_taken_and_nothing_that_is_hidden(tmp_path: Path) -> None:
    for name in ("b.mp3", "a.WAV", "notes.txt", "more/c.mkv", ".hidden/d.wav", "._a.wav"):
        path = tmp_path / "talks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    own = tmp_path / "notes.xyz"
    assert [each.name for each in recordings_in([tmp_path / "talks", own])] == ["a.WAV", "b.mp3", "c.mkv", "notes.xyz"]


def test_dialogs_begin_at_home_where_there_is_no_folder_for_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda place: str(tmp_path / "Documents"))
    assert open_audio.documents_folder() == str(Path.home())
    (tmp_path / "Documents").mkdir()
    assert open_audio.documents_folder() == str(tmp_path / "Documents")
