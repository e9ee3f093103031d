"""Recordings written down one after the other, by an engine process of their own."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
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
from app.history.kept.audio_files import audio_folder
from app.history.records import Session
from app.history.store import HistoryStore
from app.preferences.preferences import HistoryOptions
from app.transcription import queue
from app.transcription.dialog import TranscriptionDialog
from app.transcription.job import Job, Stage
from app.transcription.queue_file import load
from app.transcription.strip import TranscriptionStrip
from engine.models.catalogue import ASSETS
from engine.options import CaptionOptions
from engine.process.process import BACKGROUND_NICENESS, serve
from tests.app.made_captions import caption
from tests.app.scripted_hearing import write_wav
from tests.app.transcription.spoken_files import ENDLESS_SECONDS, hearing_model, spoken_files
from tests.people_clips import people_clips
from tests.speakers.two_people import conversation

OPTIONS = CaptionOptions(voice_gate=False, language="en")


@pytest.fixture
def make(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Application]]:
    """Build the app, whose engine for files knows the words of `spoken_files`."""
    monkeypatch.setattr(queue, "serve", partial(serve, load=hearing_model(tmp_path)))
    made: list[Application] = []

    def build() -> Application:
        application = Application(qapp, tmp_path / "data", given=lambda now: replace(now, captions=OPTIONS))
        made.append(application)
        application.window.show()
        return application

    yield build
    for application in made:
        application.shut_down()
        application.window.hide()
        for part in (application.window, application.theme, application):
            part.deleteLater()


@pytest.fixture
def application(make: Callable[[], Application]) -> Application:
    return make()


def stages(dialog: TranscriptionDialog) -> list[Stage]:
    return [row.job.stage for row in dialog.rows.values()]


def sessions(application: Application, qtbot: QtBot) -> list[Session]:
    answers: list[tuple[Session, ...]] = []
    application.archive.ask(lambda store: store.sessions(), answers.append)
    qtbot.waitUntil(lambda: bool(answers))
    return list(answers[0])


def test_several_are_written_down_in_order_kept_and_exported(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = application.dialogs.transcription
    dialog.format.setCurrentIndex(dialog.format.findData(".txt"))
    application.dialogs.open_transcription(spoken_files(tmp_path, "a.wav", "bad.wav", "b.mkv"))
    assert dialog.isVisible()
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.DONE, Stage.FAILED, Stage.DONE])
    first, bad, last = dialog.rows.values()
    assert bad.state.text() == "bad.wav is empty.", "where it is, is in the tooltip"
    assert dialog._state.text() == "2 of 3 done, 1 failed"
    assert (tmp_path / "a.txt").read_text() == "Word 1.\n"
    assert (tmp_path / "b.txt").read_text() == "Word 3.\n" and "b.txt" in last.state.text()
    assert sorted(each.source for each in sessions(application, qtbot)) == ["a.wav", "b.mkv"]
    first.read.click()
    assert application.history_page.isVisible()
    qtbot.waitUntil(lambda: application.history_page.transcript is not None)
    dialog.forget.click()
    assert dialog.rows == {}


def test_speakers_are_told_apart_where_that_is_chosen(application: Application, tmp_path: Path, qtbot: QtBot) -> None:
    dialog = application.dialogs.transcription
    assert dialog._queue.known_voices == application.voices.known
    dialog.speakers.setChecked(True)
    samples, _ = conversation()
    application.dialogs.open_transcription([write_wav(tmp_path / "talk.wav", samples)])
    (row,) = dialog.rows.values()
    qtbot.waitUntil(lambda: row.job.stage is Stage.SPEAKERS, timeout=120_000)
    assert row.state.text().startswith("Telling the speakers apart: ") and row.bar.isVisibleTo(dialog)
    row.cancel.click()
    assert row.job.stage is Stage.CANCELLED


def test_a_session_whose_sound_was_kept_is_transcribed_again_beside_it(application: Application, qtbot: QtBot) -> None:
    def write(store: HistoryStore) -> None:
        sound = store.audio_folder / "0a1b2c.ogg"
        sound.parent.mkdir(parents=True, exist_ok=True)
        spoken_files(sound.parent, sound.name)
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
    assert (anew.name, anew.excerpt) == ("Budget", "Word 1.")
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


def test_what_was_to_be_kept_is_kept_where_the_history_is_switched_off_meanwhile(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = application.dialogs.transcription
    application.dialogs.open_transcription(spoken_files(tmp_path, "a.wav"))
    application.settings.alter(lambda now: replace(now, history=HistoryOptions(keeps=False)))
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.DONE])
    (row,) = dialog.rows.values()
    (kept,) = sessions(application, qtbot)
    assert (kept.id, kept.excerpt) == (row.job.session, "Word 1.")
    assert row.state.text() == "Done. Kept in the history, which was on when you asked for this."
    assert row.read.isVisible()


def test_where_a_file_is_written_nothing_is_kept_once_the_history_is_off(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = application.dialogs.transcription
    dialog.format.setCurrentIndex(dialog.format.findData(".txt"))
    application.dialogs.open_transcription(spoken_files(tmp_path, "a.wav"))
    application.settings.alter(lambda now: replace(now, history=HistoryOptions(keeps=False)))
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.DONE])
    assert (tmp_path / "a.txt").read_text() == "Word 1.\n"
    assert sessions(application, qtbot) == []


@pytest.mark.parametrize("keeps", [True, False])
def test_a_file_that_cannot_be_written_in_the_end_is_saved_elsewhere_or_read_in_the_history(
    application: Application, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, keeps: bool
) -> None:
    application.settings.alter(lambda now: replace(now, history=HistoryOptions(keeps=keeps)))
    dialog = application.dialogs.transcription
    dialog.format.setCurrentIndex(dialog.format.findData(".txt"))
    folder = tmp_path / "stick"
    folder.mkdir()

    def pull_out(job: Job) -> None:
        if job.stage is Stage.WRITING:
            (folder / "a.wav").unlink()
            folder.rmdir()

    dialog._queue.changed.connect(pull_out)
    application.dialogs.open_transcription(spoken_files(folder, "a.wav"))
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.FAILED])
    (row,) = dialog.rows.values()
    assert "does not exist" in row.state.text()
    assert row.state.text().endswith("The transcript is in the history.") is keeps
    assert (row.read.isVisible(), row.save.isVisible()) == (keeps, not keeps)
    if not keeps:
        dialog.forget.click()
        assert list(dialog.rows.values()) == [row], "it is nowhere else"
        elsewhere = tmp_path / "talk v1.2"
        (tmp_path / "talk v1.2.txt").write_text("mine")
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(elsewhere), ""))
        row.save.click()
        assert stages(dialog) == [Stage.DONE]
        assert (tmp_path / "talk v1.2.txt").read_text() == "mine", "nobody was asked"
        assert (tmp_path / "talk v1.2-2.txt").read_text() == "Word 1.\n"
        assert row.folder.isVisible() and not row.save.isVisible()


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
    application.dialogs.open_transcription(spoken_files(tmp_path, "endless.wav"))
    answer(QMessageBox.ButtonRole.RejectRole)
    leave()
    assert asked == ["Transcripts that are not finished begin again when Earshot is started next."]
    assert application.window.isVisible() and stages(application.dialogs.transcription) != [Stage.CANCELLED]
    answer(QMessageBox.ButtonRole.DestructiveRole)
    with qtbot.waitSignal(application.window.left):
        leave()
    assert len(asked) == 2


def test_a_long_name_of_a_file_does_not_widen_the_dialog(application: Application, tmp_path: Path) -> None:
    dialog = application.dialogs.transcription
    before = dialog.minimumSizeHint().width()
    application.dialogs.open_transcription(spoken_files(tmp_path, "an_endless_name_without_spaces_" * 6 + ".wav"))
    assert dialog.minimumSizeHint().width() == before


def test_a_signal_and_the_end_of_a_login_ask_nobody(
    application: Application, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QMessageBox, "exec", lambda _: pytest.fail("somebody was asked"))
    application.dialogs.open_transcription(spoken_files(tmp_path, "endless.wav"))
    with qtbot.waitSignal(application.window.left):
        application.window.leave()


def test_a_file_that_could_not_be_written_is_told_before_anything_is_heard(
    application: Application, tmp_path: Path
) -> None:
    dialog = application.dialogs.transcription
    dialog.format.setCurrentIndex(dialog.format.findData(".srt"))
    application.dialogs.open_transcription([tmp_path / "gone" / "endless.wav"])
    assert stages(dialog) == [Stage.FAILED]
    assert "does not exist" in next(iter(dialog.rows.values())).state.text()


def test_where_the_history_cannot_be_opened_what_was_heard_is_saved_to_a_file(
    make: Callable[[], Application], tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "history").write_bytes(b"no folder")
    application = make()
    dialog = application.dialogs.transcription
    application.dialogs.open_transcription(spoken_files(tmp_path, "a.wav", "b.wav"))
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.FAILED, Stage.FAILED])
    first = next(iter(dialog.rows.values()))
    assert first.state.text() == "The transcript cannot be kept in the history now."
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "a.txt"), ""))
    first.save.click()
    assert (tmp_path / "a.txt").read_text() == "Word 1.\n"


def test_what_runs_and_what_waits_can_be_cancelled_and_the_rest_goes_on(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    application.dialogs.open_transcription(spoken_files(tmp_path, "endless.wav", "waits.wav", "c.wav"))
    dialog = application.dialogs.transcription
    qtbot.waitUntil(lambda: stages(dialog)[0] is Stage.HEARING)
    endless, waits, _ = dialog.rows.values()
    qtbot.waitUntil(lambda: endless.state.text() == "25% done")
    assert endless.bar.isVisible() and endless.job.total_seconds == ENDLESS_SECONDS
    waits.cancel.click()
    endless.cancel.click()
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.CANCELLED, Stage.CANCELLED, Stage.DONE])
    assert [each.source for each in sessions(application, qtbot)] == ["c.wav"]


def test_several_files_and_folders_can_be_dropped_on_the_window(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "talks").mkdir()
    spoken_files(tmp_path / "talks", "d.wav", "notes.md")
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
    application.settings.alter(lambda now: replace(now, history=HistoryOptions(keeps=False)))
    assert dialog.format.findData("") == -1 and dialog.format.currentData() == ".srt"


def test_a_recording_that_is_damaged_in_part_is_kept_as_far_as_it_was_heard_and_the_damage_is_told(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = application.dialogs.transcription
    dialog.format.setCurrentIndex(dialog.format.findData(".txt"))
    application.dialogs.open_transcription(spoken_files(tmp_path, "cut.wav"))
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.FAILED])
    (row,) = dialog.rows.values()
    assert row.state.text().startswith("cut.wav is cut short")
    assert row.state.text().endswith("What can be heard of it was captioned. The transcript is in the history.")
    assert (tmp_path / "cut.txt").read_text() == "Word 1.\n"
    assert row.read.isVisible() and row.folder.isVisible() and not row.save.isVisible()
    assert [each.id for each in sessions(application, qtbot)] == [row.job.session]


def test_a_recording_whose_name_is_no_text_is_kept_and_what_comes_later_too(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = application.dialogs.transcription
    folder = tmp_path / "old"
    folder.mkdir()
    first, _ = spoken_files(folder, "a.wav", "b.wav")
    first.rename(folder / os.fsdecode(b"a\xe9.wav"))
    application.dialogs.open_transcription([folder])
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.DONE] * 2)
    assert [each.title for each in sessions(application, qtbot)] == ["b.wav", "a?.wav"]


def test_a_recording_that_is_gone_is_one_sentence(application: Application, tmp_path: Path, qtbot: QtBot) -> None:
    dialog = application.dialogs.transcription
    application.dialogs.open_transcription([tmp_path / "gone.wav"])
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.FAILED])
    (row,) = dialog.rows.values()
    assert row.state.text() == "There is no file gone.wav."
    assert sessions(application, qtbot) == []


def test_an_engine_that_dies_fails_one_recording_and_the_next_is_heard_by_another(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    application.dialogs.open_transcription(spoken_files(tmp_path, "endless.wav", "b.wav"))
    dialog, engine = application.dialogs.transcription, application.dialogs.transcription._queue._client
    qtbot.waitUntil(lambda: stages(dialog)[0] is Stage.HEARING)
    assert engine.process_id is not None
    os.kill(engine.process_id, signal.SIGKILL)
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.FAILED, Stage.DONE])
    dead, _ = dialog.rows.values()
    assert dead.state.text() == "It stopped before it had finished. Try again."
    assert [each.source for each in sessions(application, qtbot)] == ["b.wav"]


def test_one_engine_hears_all_that_wait_and_is_gone_behind_the_last(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog, transcribes = application.dialogs.transcription, application.dialogs.transcription._queue
    engines: set[int | None] = set()
    transcribes.changed.connect(lambda job: engines.add(transcribes._client.process_id))
    application.dialogs.open_transcription(spoken_files(tmp_path, "a.wav", "b.wav", "c.wav"))
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.DONE] * 3)
    assert len(engines - {None}) == 1
    assert not transcribes._client.is_running


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no niceness")
def test_live_captions_compute_before_recordings(application: Application, tmp_path: Path, qtbot: QtBot) -> None:
    application.dialogs.open_transcription(spoken_files(tmp_path, "endless.wav"))
    dialog, engine = application.dialogs.transcription, application.dialogs.transcription._queue._client
    qtbot.waitUntil(lambda: stages(dialog) == [Stage.HEARING])
    assert engine.process_id is not None
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, engine.process_id) == min(19, own + BACKGROUND_NICENESS)


@pytest.mark.skipif(not (ASSETS / "starter" / "hearing").is_dir(), reason="the starter model is not in assets/starter")
def test_a_recording_of_people_is_written_down_by_the_model_of_captions(
    application: Application, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "serve", serve)
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


def test_the_window_shows_how_far_the_queue_is_and_leads_to_it(
    application: Application, tmp_path: Path, qtbot: QtBot
) -> None:
    strips = application.window.findChildren(TranscriptionStrip)
    assert strips == []
    application.dialogs.open_transcription(spoken_files(tmp_path, "a.wav", "endless.wav"))
    application.dialogs.transcription.close()
    (strip,) = application.window.findChildren(TranscriptionStrip)
    qtbot.waitUntil(lambda: strip.text.text() == "Transcribing endless.wav · 2 of 2")
    assert strip.isVisible() and strip.bar.value() >= 500
    strip.show_button.click()
    assert application.dialogs.transcription.isVisible()
    (row,) = [each for each in application.dialogs.transcription.rows.values() if not each.job.is_over]
    row.cancel.click()
    assert not strip.isVisible()


def test_what_was_not_finished_goes_on_when_the_app_is_started_again(
    make: Callable[[], Application], tmp_path: Path, qtbot: QtBot
) -> None:
    first = make()
    dialog = first.dialogs.transcription
    dialog.format.setCurrentIndex(dialog.format.findData(".txt"))
    dialog.speakers.setChecked(True)
    first.dialogs.open_transcription(spoken_files(tmp_path, "endless.wav", "b.wav", "gone.wav"))
    first.window.leave()
    (tmp_path / "endless.wav").rename(tmp_path / "moved.wav")
    (tmp_path / "gone.wav").unlink()
    second = make()
    second.dialogs.resume_transcriptions()
    assert second.window.message.text == "Transcriptions that were not finished go on: 1"
    assert [each.speakers for each in second.dialogs.transcription._queue.jobs] == [True]
    qtbot.waitUntil(lambda: stages(second.dialogs.transcription) == [Stage.DONE])
    assert (tmp_path / "b.txt").is_file()
    second.window.leave()
    third = make()
    third.dialogs.resume_transcriptions()
    assert not third.window.message.isVisible(), "nothing is left"


@pytest.mark.parametrize(
    "content", ["", "{", "[1]", "[" * 100_000, '[{"path": "/", "other": 1}]', '{"path": 3}', "null"]
)
def test_a_damaged_file_of_unfinished_transcriptions_is_none(tmp_path: Path, content: str) -> None:
    file = tmp_path / "transcriptions.json"
    assert load(file) == ()
    file.write_text(content)
    assert load(file) == ()


def test_what_recordings_are_transcribed_with_is_shown_and_a_click_from_being_changed(application: Application) -> None:
    dialog = application.dialogs.transcription
    application.settings.alter(lambda now: replace(now, translates=True, captions=replace(now.captions, language="de")))
    assert "German" in dialog.choices.text() and "translated into: German" in dialog.choices.text()
    application.settings.alter(lambda now: replace(now, translates_by_ear=True))
    assert "translated into: English" in dialog.choices.text()
    dialog.change.click()
    assert application.dialogs.settings.captions.isVisible()
    application.dialogs.settings.close()
