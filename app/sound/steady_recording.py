"""A recording that survives its device: missing sound becomes silence, so that times stay true. No Qt.

A device that was disconnected is opened again once it is back. If none was selected, the system's current default takes
over meanwhile. While the computer sleeps the recording stands still.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from itertools import chain, repeat

import numpy as np

from app.sound import device_events, sound_server
from app.sound.audio_devices import CHUNK_SECONDS, MicrophoneUnavailable, microphone_chunks
from app.sound.pace import Pace, WrongRate
from app.sound.source_notes import Back, Lost, Missed, Moved, Note, Slept
from engine.audio import SAMPLE_RATE_HZ, Samples

RETRY_SECONDS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Waits before each attempt to open a lost device, the last one repeated; a change of devices ends a wait."""

SLEPT_SECONDS = 2.0

Standing = tuple[int, str, bool] | None
"""Number and name of the recorded device, and whether it is what is played, if the system reports them."""


def steady_chunks(device: str | int | None, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
    """Record as `microphone_chunks` does, but report a lost device and go on.

    Raises:
        MicrophoneUnavailable: it cannot be opened at the start.
    """
    return SteadyRecording(device, report).chunks(stop)


def seconds_asleep() -> float:
    """Return how long this computer has slept since it was switched on."""
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
    elif sys.platform == "darwin":
        return time.clock_gettime(time.CLOCK_MONOTONIC) - time.monotonic()  # on macOS this clock runs during sleep
    else:
        return 0.0


class SteadyRecording:
    """One recording of one device, or of the system's current default (None)."""

    def __init__(
        self,
        device: str | int | None,
        report: Callable[[Note], None],
        *,
        record: Callable[[str | int | None, threading.Event], Generator[Samples]] = microphone_chunks,
        clock: Callable[[], float] = time.monotonic,
        asleep: Callable[[], float] = seconds_asleep,
    ) -> None:
        self._device = device
        self._report = report
        self._record = record
        self._clock = clock
        self._asleep = asleep
        self._asleep_before = asleep()
        self._pace = Pace()
        self._news = threading.Event()

    def chunks(self, stop: threading.Event) -> Iterator[Samples]:
        """Yield mono chunks (n,) at 16 kHz in real time, with silence for missing sound, until `stop`.

        Raises:
            MicrophoneUnavailable: it cannot be opened at the start.
        """
        with device_events.listening(self._news.set):
            yield from self._hear(stop)
            while not stop.is_set():
                yield from self._wait(stop)

    def _hear(self, stop: threading.Event) -> Iterator[Samples]:
        """Record until the end, or until the device is lost, which is reported once something was recorded."""
        heard = False
        while not stop.is_set():
            try:
                for chunk in self._device_chunks(stop):
                    heard = True
                    yield chunk
            except WrongRate:
                continue
            except MicrophoneUnavailable as error:
                if not heard:
                    raise
                self._report(Lost(str(error)))
                return

    def _wait(self, stop: threading.Event) -> Iterator[Samples]:
        """Yield silence until the device works again, then its sound."""
        lost_at = self._clock()
        for pause in chain(RETRY_SECONDS, repeat(RETRY_SECONDS[-1])):
            yield from self._silence(stop, pause)
            if stop.is_set():
                return
            with suppress(MicrophoneUnavailable):
                chunks = self._hear(stop)
                first = next(chunks, None)
                if first is not None:
                    self._report(Back(self._clock() - lost_at))
                    yield first
                    yield from chunks
                return

    def _silence(self, stop: threading.Event, seconds: float) -> Iterator[Samples]:
        """Yield silence in real time, until devices change or the time is over."""
        until = self._clock() + seconds
        while self._clock() < until and not self._news.is_set() and not stop.wait(CHUNK_SECONDS):
            yield from self._pad(self._pace.behind(self._clock()))
        self._news.clear()

    def _device_chunks(self, stop: threading.Event) -> Iterator[Samples]:
        self._news.clear()
        self._pace.restart()
        standing, fresh = self._standing(), True
        with closing(self._record(self._device, stop)) as chunks:
            for chunk in chunks:
                seconds = len(chunk) / SAMPLE_RATE_HZ
                if fresh:  # sound that was missed until it delivered
                    yield from self._pad(self._pace.behind(self._clock()) - seconds)
                    fresh = False
                yield from self._pad(self._missed(seconds))
                yield chunk
                if self._news.is_set():
                    self._news.clear()
                    standing = self._look(standing)

    def _missed(self, seconds: float) -> float:
        """Count a chunk; return how much is missing before it."""
        asleep = self._asleep()
        slept, self._asleep_before = asleep - self._asleep_before, asleep
        if slept > SLEPT_SECONDS:
            self._report(Slept(slept))
        missed = self._pace.add(seconds, self._clock())
        if missed:
            self._report(Missed(missed))
        return missed

    def _pad(self, seconds: float) -> Iterator[Samples]:
        """Yield silence, in chunks of the usual length."""
        wanting = round(seconds * SAMPLE_RATE_HZ)
        while wanting > 0:
            count = min(wanting, round(CHUNK_SECONDS * SAMPLE_RATE_HZ))
            self._pace.deliver(count / SAMPLE_RATE_HZ)
            yield np.zeros(count, np.float32)
            wanting -= count

    def _standing(self) -> Standing:
        if sys.platform == "darwin":
            from app.sound.core_audio import default_input

            return (default_input(), "", False) if self._device is None else None
        else:
            for source in sound_server.sources():
                if source.name == self._device or (self._device is None and source.is_default):
                    return source.number, source.title, source.is_monitor
            return None

    def _look(self, before: Standing) -> Standing:
        """Check whether the recorded device is still the right one, after devices have changed.

        Raises:
            MicrophoneUnavailable: it is gone, and the server may have put another in its place.
            WrongRate: it has to be opened again.
        """
        now = self._standing()
        if now == before or before is None:
            return now
        if self._device is not None:
            raise MicrophoneUnavailable(f"The microphone {before[1]!r} was disconnected.")
        if not before[1]:
            raise WrongRate  # no sound server moves the recording to the new device
        if now is not None:
            self._report(Moved(*now[1:]))
        return now
