"""Recordings written down one after the other, by the real command in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from app.application import Application
from app.engine_link import command_run
from app.history.kept.audio_files import audio_folder
from app.history.records import Session
from app.history.store import HistoryStore
from app.preferences.preferences import History
from app.transcription.dialog import TranscriptionDialog
from app.transcription.job import Stage
from engine.models.catalogue import ASSETS
from tests.app.made_captions import caption
from tests.app.scripted_hearing import write_wav
from tests.people_clips import people_clips

SCRIPT = """
import json, sys, time
arguments = sys.argv[1:]
path, out = arguments[-1], arguments[arguments.index("--export") + 1]
assert arguments[:5] == ["caption", "--progress", "--careful", "--settings", "-"] and '"captions"' in sys.stdin.read()
print("1 of 4: seconds of sound", file=sys.stderr, flush=True)
if "endless" in path:
    time.sleep(600)
if "bad" in path:
    sys.exit(f"earshot: {path} is empty.")
print("4 of 4: seconds of sound", file=sys.stderr, flush=True)
word = {"text": path.rsplit("/", 1)[1], "start": 0.0, "end": 1.0, "probability": 1.0}
caption = {"id": 0, "start": 0.0, "end": 1.0, "text": word["text"], "language": "en", "words": [word]}
json.dump({"audio_seconds": 4.0, "captions": [caption]}, open(out, "w"))
"""


@pytest.fixture
def application(qapp: QApplication, tmp_path: Path) -> Iterator[Application]:
    made = Application(qapp, tmp_path / "data")
    made.window.show()
    yield made
    made.shut_down()
    made.window.hide()
    for part in (made.window, made.theme, made):
        part.deleteLater()


@pytest.fixture
def scripted_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a script write recordings down: each says its own name."""
    path = tmp_path / "command.py"
    path.write_text(SCRIPT, encoding="utf-8")
    monkeypatch.setattr(command_run, "own_command", lambda: [sys.executable, str(path)])


def files(tmp_path: Path, *names: str) -> list[Path]:
    paths = [tmp_path / name for name in names]
    for path in paths:
        path.write_bytes(b"")
    return paths


def stages(dialog: TranscriptionDialog) -> list[Stage]:
    return [row.job.stage for row in dialog.rows.values()]


def sessions(application: Application, qtbot: QtBot) -> list[Session]:
    answers: list[tuple[Session, ...]] = []
    application.archive.ask(lambda store: store.sessions(), answers.append)
    qtbot.waitUntil(lambda: bool(answers))
    return list(answers[0])


@pytest.mark.usefixtures("scripted_command")
def test_several_are_written_down_in_order_kept_and_exported(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = application.dialogs.transcription
    dialog.format.setCurrentIndex(dialog.format.findData(".txt"))
    application.dialogs.open_transcription(files(tmp_path, "a.mp3", "bad.mp3", "b.mkv"))
    assert dialog.isVisible()
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.DONE, Stage.FAILED, Stage.DONE])
    first, bad, last = dialog.rows.values()
    assert bad.state.text() == "bad.mp3 is empty.", "where it is, is in the tooltip"
    assert dialog._state.text() == "2 of 3 done, 1 failed"
    assert (tmp_path / "a.txt").read_text() == "a.mp3\n"
    assert (tmp_path / "b.txt").exists() and "b.txt" in last.state.text()
    assert sorted(each.source for each in sessions(application, qtbot)) == ["a.mp3", "b.mkv"]
    first.read.click()
    assert application.history_page.isVisible()
    qtbot.waitUntil(lambda: application.history_page.transcript is not None)
    dialog.forget.click()
    assert dialog.rows == {}


@pytest.mark.usefixtures("scripted_command")
def test_a_session_whose_sound_was_kept_is_transcribed_again_beside_it(application: Application, qtbot: QtBot) -> None:
    def write(store: HistoryStore) -> None:
        sound = store.audio_folder / "0a1b2c.ogg"
        sound.parent.mkdir(parents=True, exist_ok=True)
        sound.touch()
        meeting = store.begin("captions", "Budget", "Microphone", "starter", "en", 100.0, audio=sound.name)
        store.put_caption(meeting, caption(0, "God mourning.", final=True))
        store.end(meeting)

    application.archive.write(write)
    (before,) = sessions(application, qtbot)
    dialog, page = application.dialogs.transcription, application.history_page
    dialog.format.setCurrentIndex(dialog.format.findData(".txt"))
    application.actions.history_page.trigger()
    qtbot.waitUntil(lambda: bool(page.sessions.model.sessions))
    page.choose(before.id)
    page.commands.transcribe.trigger()
    assert dialog.isVisible()
    (row,) = dialog.rows.values()
    assert row.name.text() == row.job.title == "Budget"
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.DONE])
    anew, still = sessions(application, qtbot)
    assert still == before
    assert (anew.name, anew.excerpt) == ("Budget", "0a1b2c.ogg"), "the command says the name of what it hears"
    assert (anew.source, anew.recording, anew.audio) == ("Microphone", "", "0a1b2c.ogg")
    assert [each.name for each in audio_folder(application.archive.path).iterdir()] == ["0a1b2c.ogg"], "kept once"
    page.choose(anew.id)
    qtbot.waitUntil(lambda: page.transcript is not None and page.transcript.session == anew)
    assert page.commands.play.isEnabled() and page.pane.sound.isVisibleTo(page)
    for gone, left in ((before, anew), (anew, None)):
        application.archive.write(partial(HistoryStore.delete, session=gone.id))
        application.archive.write(HistoryStore.erase_deleted)
        assert sessions(application, qtbot) == ([left] if left is not None else [])
        assert (audio_folder(application.archive.path) / "0a1b2c.ogg").exists() is (left is not None)


@pytest.mark.usefixtures("scripted_command")
def test_what_was_to_be_kept_is_kept_where_the_history_is_switched_off_meanwhile(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = application.dialogs.transcription
    application.dialogs.open_transcription(files(tmp_path, "a.mp3"))
    application.settings.alter(lambda now: replace(now, history=History(keeps=False)))
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.DONE])
    (row,) = dialog.rows.values()
    (kept,) = sessions(application, qtbot)
    assert (kept.id, kept.excerpt) == (row.job.session, "a.mp3")
    assert row.state.text() == "Done. Kept in the history, which was on when you asked for this."
    assert row.read.isVisible()


@pytest.mark.usefixtures("scripted_command")
def test_where_a_file_is_written_nothing_is_kept_once_the_history_is_off(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = application.dialogs.transcription
    dialog.format.setCurrentIndex(dialog.format.findData(".txt"))
    application.dialogs.open_transcription(files(tmp_path, "a.mp3"))
    application.settings.alter(lambda now: replace(now, history=History(keeps=False)))
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.DONE])
    assert (tmp_path / "a.txt").read_text() == "a.mp3\n"
    assert sessions(application, qtbot) == []


@pytest.mark.usefixtures("scripted_command")
@pytest.mark.parametrize("keeps", [True, False])
def test_a_file_that_cannot_be_written_in_the_end_is_saved_elsewhere_or_read_in_the_history(
    application: Application, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, keeps: bool
) -> None:
    application.settings.alter(lambda now: replace(now, history=History(keeps=keeps)))
    dialog = application.dialogs.transcription
    dialog.format.setCurrentIndex(dialog.format.findData(".txt"))
    folder = tmp_path / "stick"
    folder.mkdir()
    application.dialogs.open_transcription(files(folder, "a.mp3"))
    (folder / "a.mp3").unlink()
    folder.rmdir()  # it is pulled out
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.FAILED])
    (row,) = dialog.rows.values()
    assert "does not exist" in row.state.text()
    assert row.state.text().endswith("The transcript is in the history.") is keeps
    assert (row.read.isVisible(), row.save.isVisible()) == (keeps, not keeps)
    if not keeps:
        dialog.forget.click()
        assert list(dialog.rows.values()) == [row], "it is nowhere else"
        elsewhere = tmp_path / "talk v1.2"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(elsewhere), ""))
        row.save.click()
        assert stages(dialog) == [Stage.DONE]
        assert (tmp_path / "talk v1.2.txt").read_text() == "a.mp3\n"
        assert row.folder.isVisible() and not row.save.isVisible()


@pytest.mark.usefixtures("scripted_command")
@pytest.mark.parametrize("way", ["quit", "close"])
def test_before_a_recording_is_transcribed_nobody_leaves_unasked(
    application: Application, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    asked: list[str] = []

    def answer(role: QMessageBox.ButtonRole) -> None:
        def click(question: QMessageBox) -> int:
            asked.append(question.informativeText())
            next(each for each in question.buttons() if question.buttonRole(each) is role).click()
            return 0

        monkeypatch.setattr(QMessageBox, "exec", click)

    leave = application.actions.quit.trigger if way == "quit" else application.window.close
    application.dialogs.open_transcription(files(tmp_path, "endless.mp3"))
    answer(QMessageBox.ButtonRole.RejectRole)
    leave()
    assert asked == ["Those that are not finished and saved will be lost."]
    assert application.window.isVisible() and stages(application.dialogs.transcription) != [Stage.CANCELLED]
    answer(QMessageBox.ButtonRole.DestructiveRole)
    with qtbot.waitSignal(application.window.left):
        leave()
    assert len(asked) == 2


@pytest.mark.usefixtures("scripted_command")
def test_a_long_name_of_a_file_does_not_widen_the_dialog(application: Application, tmp_path: Path) -> None:
    dialog = application.dialogs.transcription
    before = dialog.minimumSizeHint().width()
    application.dialogs.open_transcription(files(tmp_path, "an_endless_name_without_spaces_" * 6 + ".mp3"))
    assert dialog.minimumSizeHint().width() == before


@pytest.mark.usefixtures("scripted_command")
def test_a_signal_and_the_end_of_a_login_ask_nobody(
    application: Application, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QMessageBox, "exec", lambda _: pytest.fail("somebody was asked"))
    application.dialogs.open_transcription(files(tmp_path, "endless.mp3"))
    with qtbot.waitSignal(application.window.left):
        application.window.leave()


@pytest.mark.usefixtures("scripted_command")
def test_a_file_that_could_not_be_written_is_told_before_anything_is_heard(
    application: Application, tmp_path: Path
) -> None:
    dialog = application.dialogs.transcription
    dialog.format.setCurrentIndex(dialog.format.findData(".srt"))
    application.dialogs.open_transcription([tmp_path / "gone" / "endless.mp3"])
    assert stages(dialog) == [Stage.FAILED]
    assert "does not exist" in next(iter(dialog.rows.values())).state.text()


@pytest.mark.usefixtures("scripted_command")
def test_where_the_history_cannot_be_opened_what_was_heard_is_saved_to_a_file(
    qapp: QApplication, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "history").write_bytes(b"no folder")
    made = Application(qapp, tmp_path / "data")
    made.window.show()
    dialog = made.dialogs.transcription
    made.dialogs.open_transcription(files(tmp_path, "a.mp3", "b.mp3"))
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.FAILED, Stage.FAILED])
    first = next(iter(dialog.rows.values()))
    assert first.state.text() == "The transcript cannot be kept in the history now."
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "a.txt"), ""))
    first.save.click()
    assert (tmp_path / "a.txt").read_text() == "a.mp3\n"
    made.shut_down()
    made.window.hide()
    for part in (made.window, made.theme, made):
        part.deleteLater()


@pytest.mark.usefixtures("scripted_command")
def test_what_runs_and_what_waits_can_be_cancelled_and_the_rest_goes_on(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    application.dialogs.open_transcription(files(tmp_path, "endless.mp3", "waits.mp3", "c.mp3"))
    dialog = application.dialogs.transcription
    qtbot.waitUntil(lambda: stages(dialog)[0] is Stage.HEARING)
    endless, waits, _ = dialog.rows.values()
    assert endless.bar.isVisible() and endless.state.text() == "25% done"
    waits.cancel.click()
    endless.cancel.click()
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.CANCELLED, Stage.CANCELLED, Stage.DONE])
    assert [each.source for each in sessions(application, qtbot)] == ["c.mp3"]


@pytest.mark.usefixtures("scripted_command")
def test_several_files_and_folders_can_be_dropped_on_the_window(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "talks").mkdir()
    files(tmp_path / "talks", "d.wav", "notes.md")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "talks"))])
    none = Qt.KeyboardModifier.NoModifier
    drop = QDropEvent(QPointF(QPoint(50, 50)), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, none)
    application.window.dropEvent(drop)
    dialog = application.dialogs.transcription
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.DONE])
    assert [row.job.path.name for row in dialog.rows.values()] == ["d.wav"]
    assert not application.session.is_busy


def test_where_no_history_is_kept_something_has_to_be_written(application: Application) -> None:
    dialog = application.dialogs.transcription
    assert dialog.format.currentData() == ""
    application.settings.alter(lambda now: replace(now, history=History(keeps=False)))
    assert dialog.format.findData("") == -1 and dialog.format.currentData() == ".srt"


@pytest.mark.skipif(not (ASSETS / "starter" / "hearing").is_dir(), reason="the starter model is not in assets/starter")
def test_a_recording_of_people_is_written_down_by_the_model_of_captions(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    samples = np.concatenate([clip.samples for clip in people_clips()[:2]])
    path = write_wav(tmp_path / "people.wav", samples)
    dialog = application.dialogs.transcription
    dialog.format.setCurrentIndex(dialog.format.findData(".srt"))
    application.dialogs.open_transcription([path])
    qtbot.waitUntil(lambda: stages(dialog)[0] in (Stage.DONE, Stage.FAILED), timeout=400_000)
    (row,) = dialog.rows.values()
    assert row.job.stage is Stage.DONE, row.state.text()
    assert (tmp_path / "people.srt").read_text().startswith("1\n00:00:0")
    assert row.job.total_seconds == pytest.approx(len(samples) / 16_000, abs=1.0)
