"""Delay of the overlay, counted from the engine's pipe to the picture."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.overlay.overlay_face import OverlayFace
from app.overlay.overlay_feed import OverlayFeed
from app.preferences.preferences import OverlayOptions
from app.transcript.caption_model import CaptionModel
from lab.commands.window.overlay_watch import OverlayWatch
from lab.screenshots.staged_engine import StagedClient
from tests.app.made_captions import caption


def test_each_caption_is_timed_until_it_is_painted(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    client, model = StagedClient(), CaptionModel()
    face = OverlayFace(OverlayOptions(), None)
    qtbot.addWidget(face)
    face.resize(600, 120)
    feed = OverlayFeed(model, face)
    feed.run(True)
    face.show()
    watch = OverlayWatch(client, face)
    for revision, text in enumerate(("Good", "Good morning,", "Good morning, everyone.")):
        said = caption(0, text, revision=revision)
        client.arrived.emit(said)
        model.show(said)
        qtbot.waitUntil(lambda count=revision: len(watch.seconds) == count + 1)  # type: ignore[misc]
    assert all(0 <= seconds < 5 for seconds in watch.seconds)


def test_a_caption_that_was_not_painted_yet_is_not_counted(qapp: QApplication, qtbot: QtBot) -> None:
    client = StagedClient()
    face = OverlayFace(OverlayOptions(), None)
    qtbot.addWidget(face)
    face.show()
    watch = OverlayWatch(client, face)
    client.arrived.emit(caption(0, "Nobody shows this."))
    painted = []
    watch._painted.timeout.connect(lambda: painted.append(True))
    face.update()
    qtbot.waitUntil(lambda: bool(painted))
    assert watch.seconds == []
