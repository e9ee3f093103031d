"""The thread that brings audio: it may outlive the window, and then has nobody to tell."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
import shiboken6
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.sound.audio_feed import AudioFeed
from app.sound.source_notes import Back, Lost, Missed, Moved, Note, Slept, Unplayed
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


def _report(notes: list[Note], qtbot: QtBot) -> list[tuple[str, str, bool]]:
    """Run a feed whose source reports; return its signals, their sentences, and whether it is interrupted then."""

    def chunks(stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        for note in notes:
            report(note)
        yield np.zeros(10, np.float32)

    parent = QObject()
    source = SimpleNamespace(chunks=chunks, name="Yeti")
    feed = AudioFeed(source, lambda samples: None, parent)  # type: ignore[arg-type]
    said: list[tuple[str, str, bool]] = []
    for name in ("noticed", "flawed", "interrupted", "resumed"):
        getattr(feed, name).connect(lambda text, name=name: said.append((name, text, feed.is_interrupted)))
    with qtbot.waitSignal(feed.ended):
        feed.start()
    return said


def test_a_device_that_went_and_came_back_is_told_in_sentences(qtbot: QtBot) -> None:
    gone, back = _report([Lost("It was disconnected."), Back(12.4)], qtbot)
    assert gone[:2] == (
        "interrupted",
        "“Yeti” was disconnected. The recording goes on, silent, until it is back.",
    )
    assert back == ("resumed", "“Yeti” is back. The 12 s without it were recorded as silence.", False)


def test_what_else_happens_to_a_device_is_noticed(qtbot: QtBot) -> None:
    notes: list[Note] = [
        Moved("Headset"),
        Moved("Speakers", plays=True),
        Missed(1.52),
        Slept(5400.0),
        Unplayed("No loudspeaker."),
        "It is damaged.",
    ]
    said = _report(notes, qtbot)
    assert [name for name, _, _ in said] == ["noticed"] * 5 + ["flawed"]
    parts = (
        "now listening to “Headset”",
        "not a microphone, but what “Speakers” plays",
        "1.5 s",
        "90 min",
        "No loudspeaker.",
        "It is damaged.",
    )
    for (_, text, _), part in zip(said, parts, strict=True):
        assert part in text


def test_h1_a_source_that_breaks_off_in_an_unknown_way_says_so_even_after_stop(qtbot: QtBot) -> None:
    """Mac review H1: a recording whose thread dies without a word never ends for the window."""

    def chunks(stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        yield np.zeros(10, np.float32)
        stop.wait()
        raise RuntimeError("Tap stream format changed during capture")

    parent = QObject()
    source = SimpleNamespace(chunks=chunks, name="Mac")
    feed = AudioFeed(source, lambda samples: None, parent)  # type: ignore[arg-type]
    with qtbot.waitSignal(feed.failed) as failed:
        feed.start()
        feed.stop()
    assert failed.args == ["“Mac” broke off unexpectedly (Tap stream format changed during capture)."]
