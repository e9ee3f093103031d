"""A recording that goes on whatever its device does: what is not heard is silence, so that times stay true. No Qt.

A device that goes away is opened again once it is back; where the person chose none in particular, whatever the system
uses meanwhile takes over. While the computer sleeps the recording stands still.
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
"""How long to wait before each try to open a lost device, the last for ever; news of devices ends a wait."""

SLEPT_SECONDS = 2.0

Standing = tuple[int, str] | None
"""Which device is being recorded and what a person calls it, as far as the system tells."""


def steady_chunks(device: str | int | None, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
    """Record as `microphone_chunks` does, but report a device that goes away and go on.

    Raises:
        MicrophoneUnavailable: it cannot be opened in the first place.
    """
    return SteadyRecording(device, report).chunks(stop)


def seconds_asleep() -> float:
    """For how long this computer has slept since it was switched on."""
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
    elif sys.platform == "darwin":
        return time.clock_gettime(time.CLOCK_MONOTONIC) - time.monotonic()  # there, this one does not stand still
    else:
        return 0.0


class SteadyRecording:
    """One recording of one device, or of whatever the system uses (None)."""

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
        """Yield mono chunks (n,) at 16 kHz as they are heard, silence where nothing is, until `stop`.

        Raises:
            MicrophoneUnavailable: it cannot be opened in the first place.
        """
        with device_events.listening(self._news.set):
            yield from self._hear(stop)
            while not stop.is_set():
                yield from self._wait(stop)

    def _hear(self, stop: threading.Event) -> Iterator[Samples]:
        """Record until the end, or until the device is lost, which is reported once something was heard."""
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
        """Deliver silence until the device can be heard again, then what it records."""
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
        """Deliver it at the pace of the clock, until there is news or the time is over."""
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
                if fresh:  # what was missed until it delivered
                    yield from self._pad(self._pace.behind(self._clock()) - seconds)
                    fresh = False
                yield from self._pad(self._missed(seconds))
                yield chunk
                if self._news.is_set():
                    self._news.clear()
                    standing = self._look(standing)

    def _missed(self, seconds: float) -> float:
        """Take note of a chunk; return what is missing before it."""
        asleep = self._asleep()
        slept, self._asleep_before = asleep - self._asleep_before, asleep
        if slept > SLEPT_SECONDS:
            self._report(Slept(slept))
        missed = self._pace.add(seconds, self._clock())
        if missed:
            self._report(Missed(missed))
        return missed

    def _pad(self, seconds: float) -> Iterator[Samples]:
        """Deliver silence, in chunks of the usual length."""
        wanting = round(seconds * SAMPLE_RATE_HZ)
        while wanting > 0:
            count = min(wanting, round(CHUNK_SECONDS * SAMPLE_RATE_HZ))
            self._pace.deliver(count / SAMPLE_RATE_HZ)
            yield np.zeros(count, np.float32)
            wanting -= count

    def _standing(self) -> Standing:
        if sys.platform == "darwin":
            from app.sound.core_audio import default_input

            return (default_input(), "") if self._device is None else None
        else:
            for source in sound_server.sources():
                if source.name == self._device or (self._device is None and source.is_default):
                    return source.number, source.title
            return None

    def _look(self, before: Standing) -> Standing:
        """There is news of devices: is the one that is recorded still the right one?

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
            raise WrongRate  # no sound server takes the recording along
        if now is not None:
            self._report(Moved(now[1]))
        return now
