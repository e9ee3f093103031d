"""Captions being made, with the panel beside them: what is measured is drawn, what is set takes effect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.captions.figures import CAPTION_ERASURE, REAL_TIME_FACTOR, WORD_LATENCY
from app.captions.session import Hearing, LiveSession, State
from app.preferences.settings import Settings
from app.sound.audio_sources import AudioFile
from app.tuning.panel import TuningPanel
from app.widgets.rows import SliderRow
from engine.options import CaptionOptions
from tests.app.scripted_engine import scripted_client
from tests.app.scripted_hearing import say, write_wav

SPOKEN = "Can you hear me now? I can hear you very well, thank you."
PATIENCE = 120_000


@pytest.fixture
def session(qapp: QApplication, panel: TuningPanel, settings: Settings) -> Iterator[LiveSession]:
    """A session that obeys the settings, and whose figures the panel takes."""
    client = scripted_client(say(SPOKEN))
    made = LiveSession(client, "scripted", CaptionOptions())
    made.figure_measured.connect(panel.add_figure)
    settings.rested.connect(lambda before, after: made.change(Hearing("scripted", after.captions)))
    yield made
    made.shut_down()
    client.shut_down()
    made.deleteLater()
    client.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def test_what_is_measured_is_drawn_and_a_change_is_seen_beside_what_was(
    session: LiveSession, panel: TuningPanel, tmp_path: Path, qtbot: QtBot
) -> None:
    series = panel.board.series
    session.prepare()
    session.start(AudioFile(write_wav(tmp_path / "speech.wav", say(SPOKEN).samples)))
    qtbot.waitUntil(lambda: len(series[WORD_LATENCY].values) >= 5, timeout=PATIENCE)
    step = panel.pages.hearing.rows["captions.step_seconds"]
    assert isinstance(step, SliderRow)
    step.control.setValue(step.scale.place(0.4))
    assert series[WORD_LATENCY].before is not None
    qtbot.waitUntil(lambda: session.status.state is State.FINISHED, timeout=PATIENCE)
    assert " ".join(caption.text for caption in session.captions.captions) == SPOKEN
    assert series[WORD_LATENCY].now is not None and series[REAL_TIME_FACTOR].now is not None
    assert all(value >= 0 for figure in (WORD_LATENCY, CAPTION_ERASURE) for value in series[figure].values)
    panel.pages.hearing.charts.refresh()
    assert "before the last change" in panel.pages.hearing.charts.charts[0].accessibleDescription()
