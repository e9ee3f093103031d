"""The tape of a trial may break off or give nothing for a while, and loses no sound of its own."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import AudioError
from lab.commands.endurance.tape import TORN, Tape


def tape() -> Tape:
    return Tape(np.arange(SAMPLE_RATE_HZ, dtype=np.float32), ("one",), speed=50.0)


def ignore(note: object) -> None:
    pass


def test_it_breaks_off_once() -> None:
    torn = tape()
    torn.mishap.is_torn = True
    with pytest.raises(AudioError, match=TORN):
        next(torn.chunks(threading.Event(), ignore))
    assert len(next(torn.chunks(threading.Event(), ignore)))


def test_it_goes_on_where_it_was_when_it_has_waited() -> None:
    held = tape()
    chunks = held.chunks(threading.Event(), ignore)
    heard: list[Samples] = [next(chunks)]
    held.mishap.waits = True
    later = threading.Thread(target=lambda: heard.append(next(chunks)))
    later.start()
    assert len(heard) == 1
    held.mishap.waits = False
    later.join(120)
    assert np.concatenate(heard).tolist() == held.samples[: sum(map(len, heard))].tolist()


def test_it_stops_while_it_waits() -> None:
    held, stop = tape(), threading.Event()
    held.mishap.waits = True
    stop.set()
    assert list(held.chunks(stop, ignore)) == []
