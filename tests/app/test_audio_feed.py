"""The thread that brings audio: it may outlive the window, and then has nobody to tell."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
import shiboken6
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.audio_feed import AudioFeed
from engine.audio import Samples


def test_a_device_that_hangs_until_the_app_is_gone_is_no_error(qtbot: QtBot) -> None:
    released = threading.Event()

    def chunks(stop: threading.Event, noticed: Callable[[str], None]) -> Iterator[Samples]:
        released.wait()
        yield np.zeros(10, np.float32)

    parent = QObject()
    feed = AudioFeed(SimpleNamespace(chunks=chunks), lambda samples: None, parent)  # type: ignore[arg-type]
    feed.start()
    feed.wait(seconds=0.0)
    thread = feed._thread
    shiboken6.delete(parent)
    released.set()
    thread.join()  # an exception in a thread fails the test
