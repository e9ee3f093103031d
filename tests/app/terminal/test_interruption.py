"""Ctrl-C during captioning."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from app.terminal.interruption import Interruption


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def test_the_first_signal_ends_the_items() -> None:
    got = []
    with Interruption() as interruption:
        for item in interruption.until_asked(range(10)):
            got.append(item)
            if item == 3:
                interrupt()
    assert got == [0, 1, 2, 3]


def test_a_signal_ends_a_read_that_waits_for_ever() -> None:
    reading, writing = os.pipe()

    def silent() -> Iterator[bytes]:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        yield os.read(reading, 1)

    with Interruption() as interruption:
        assert list(interruption.until_asked(silent())) == []
    os.close(reading)
    os.close(writing)


def test_a_source_that_can_be_told_delivers_its_rest() -> None:
    stop = threading.Event()

    def recording() -> Iterator[str]:
        yield "said"
        interrupt()
        assert stop.is_set()
        yield "rest"

    with Interruption(stop) as interruption:
        assert list(interruption.until_asked(recording())) == ["said", "rest"]


def test_a_terminal_that_is_closed_ends_the_items_however_often_that_is_told() -> None:
    got = []
    with Interruption() as interruption:
        for item in interruption.until_asked(range(10)):
            got.append(item)
            if item == 3:
                signal.raise_signal(signal.SIGHUP)
                signal.raise_signal(signal.SIGHUP)
    assert got == [0, 1, 2, 3]


def test_what_was_started_to_outlive_its_terminal_does() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with Interruption() as interruption:
            signal.raise_signal(signal.SIGHUP)
            assert not interruption.asked
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_second_signal_stops_at_once() -> None:
    with Interruption(), pytest.raises(KeyboardInterrupt):
        interrupt()
        interrupt()


def test_terminating_ends_the_items_too() -> None:
    with Interruption() as interruption:
        signal.raise_signal(signal.SIGTERM)
        assert list(interruption.until_asked([1])) == []


def test_afterwards_signals_mean_what_they_meant() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interruption():
        pass
    assert signal.getsignal(signal.SIGINT) is before
