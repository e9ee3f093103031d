"""The sound of sessions is kept where that is wanted, and only there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captions.state import State
from app.history import recorder
from app.history.archive import Archive
from app.history.kept.audio_files import audio_folder, audio_from
from app.history.store import HistoryStore
from app.preferences.preferences import HistoryOptions
from engine.audio import SAMPLE_RATE_HZ
from engine.events import Latency, Summary
from lab.screenshots.staged_engine import StagedClient, StagedSource
from tests.app.history.recording_scene import Scene
from tests.app.made_captions import caption


def record(scene: Scene, seconds: float) -> None:
    """Send some seconds of noise to the recorder, if it listens."""
    listener = scene.recorder.audio_listener
    for _ in range(round(10 * seconds)):
        if listener is not None:
            listener(np.full(SAMPLE_RATE_HZ // 10, 0.1, np.float32))


def sounds(archive: Archive) -> list[Path]:
    folder = audio_folder(archive.path)
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_the_sound_of_a_session_is_kept_where_that_is_wanted(scene: Scene, archive: Archive) -> None:
    scene.keep(HistoryOptions(audio=True))
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(1, "Good morning.", final=True))
    record(scene, 3.0)
    scene.recorder.shut_down()
    (kept,) = scene.kept
    (file,) = sounds(archive)
    assert kept.session is not None and kept.session.audio == file.name
    samples = np.concatenate(list(audio_from(file, 0.0)))
    assert len(samples) == pytest.approx(3 * SAMPLE_RATE_HZ, abs=0.05 * SAMPLE_RATE_HZ)


@pytest.mark.parametrize("history", [HistoryOptions(), HistoryOptions(keeps=False, audio=True)])
def test_no_sound_is_kept_where_nobody_asked_for_it(scene: Scene, archive: Archive, history: HistoryOptions) -> None:
    scene.keep(history)
    scene.recorder.begin_captions("Microphone", "starter", "en")
    assert scene.recorder.audio_listener is None
    scene.model.show(caption(1, "Good morning.", final=True))
    scene.recorder.end_captions()
    assert sounds(archive) == []
    assert all(each.session is not None and each.session.audio == "" for each in scene.kept)


def test_the_sound_of_a_recording_in_which_nothing_is_said_goes(scene: Scene, archive: Archive) -> None:
    scene.keep(HistoryOptions(audio=True))
    scene.recorder.begin_captions("Microphone", "starter", "en")
    record(scene, 1.0)
    scene.recorder.end_captions()
    assert scene.kept == ()
    assert sounds(archive) == []


def test_sound_is_kept_no_further_once_that_is_not_wanted(scene: Scene, archive: Archive) -> None:
    scene.keep(HistoryOptions(audio=True))
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(1, "Good morning.", final=True))
    listener, writer = scene.recorder.audio_listener, scene.recorder._audio
    assert listener is not None and writer is not None
    listener(np.zeros(SAMPLE_RATE_HZ, np.float32))
    scene.keep(HistoryOptions(audio=False))
    assert scene.recorder.audio_listener is None
    listener(np.zeros(5 * SAMPLE_RATE_HZ, np.float32))
    writer.wait(120.0)
    (file,) = sounds(archive)
    assert len(np.concatenate(list(audio_from(file, 0.0)))) < 1.1 * SAMPLE_RATE_HZ


def test_why_sound_is_kept_no_further_is_told_and_the_words_go_on(scene: Scene, archive: Archive, qtbot: QtBot) -> None:
    archive.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # the archive's thread may not have come to it
    audio_folder(archive.path).write_bytes(b"no folder")
    scene.keep(HistoryOptions(audio=True))
    with qtbot.waitSignal(scene.recorder.audio_failed) as failed:
        scene.recorder.begin_captions("Microphone", "starter", "en")
    assert failed.args is not None and failed.args[0].endswith("Captions go on.")
    record(scene, 1.0)
    scene.model.show(caption(1, "Good morning.", final=True))
    scene.recorder.end_captions()
    assert [each.text for kept in scene.kept for each in kept.captions] == ["Good morning."]


def test_the_app_gives_a_recording_to_the_history(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "AUDIO_SECONDS", 120.0)  # the machine may be slow
    client, source = StagedClient(), StagedSource("Microphone")
    application = Application(
        qapp, tmp_path, client, StagedClient(), lambda now: replace(now, history=HistoryOptions(audio=True))
    )
    application.session.start(source)
    client.session_started.emit()
    for _ in range(20):
        source.give(0.1)
    client.caption_changed.emit(caption(1, "Good morning.", final=True))
    application.session.stop()
    qtbot.waitUntil(lambda: application.session.status.state is State.FINISHING)
    client.session_finished.emit(Summary("", 0.8, 1, 0.1, 0.1, Latency(1.0, 1.0, 1.0), "en"))
    application.shut_down()
    store = HistoryStore(application.archive.path)
    (session,) = store.sessions()
    store.close()
    samples = np.concatenate(list(audio_from(audio_folder(application.archive.path) / session.audio, 0.0)))
    assert len(samples) == pytest.approx(2 * SAMPLE_RATE_HZ, abs=0.05 * SAMPLE_RATE_HZ)
    assert np.abs(samples).mean() > 0.02
    for part in (application.window, application.theme, application):
        part.deleteLater()
