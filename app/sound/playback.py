"""Playback of speech through PortAudio: queued, and silenced at once on request.

PortAudio's callback reads the queue; nothing in it waits. No Qt: window and command line share it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import soxr

from app.sound import portaudio
from app.sound.output_devices import LoudspeakerUnavailable, find_output, load_portaudio, no_answer
from app.sound.portaudio import SILENT_DEVICE_SECONDS
from engine.audio import SAMPLE_RATE_HZ, Samples

FADE_SECONDS = 0.01
LATENCY_SECONDS = 0.03
"""Requested output latency, in seconds. What the device holds cannot be stopped; with less, a busy machine is late."""

BLOCK_SECONDS = 0.005
MOST_KEPT_SECONDS = 2.0
"""Most played sound that is kept for a caller that asks late, in seconds."""


class Player:
    """Plays sound on one device, opened when there is something to play. Any thread may use it.

    After a stop, the device still plays what it holds (LATENCY_SECONDS), the current block, and the fade: silence comes
    within 50 ms.

    If there is no device, or it is disconnected, an error is raised once; from then on nothing is played, so that the
    caller goes on without sound.
    """

    def __init__(self, device: str | int | None = None) -> None:
        """Select `device`: the number or the name of an output, or a part of the name, or None for the system's
        default.
        """
        self._device = device
        self._output: _Output | None = None
        self._lost = False
        self._converter: _Converter | None = None
        self._played_before = 0.0  # on devices that were closed
        self._lock = threading.RLock()

    @property
    def available(self) -> bool:
        """Return whether sound can be audible: no device was missing or lost."""
        return not self._lost

    @property
    def playing(self) -> bool:
        """Return whether sound is queued or has just been passed to the device."""
        output = self._output
        return output is not None and output.playing

    @property
    def played_seconds(self) -> float:
        """Seconds of sound passed to the device since the player was made, silence in between not counted."""
        with self._lock:
            return self._played_before + (self._output.played_seconds if self._output is not None else 0.0)

    @property
    def latency_seconds(self) -> float:
        """Output latency that the device reports; 0 while none is open."""
        output = self._output
        return output.latency_seconds if output is not None else 0.0

    def play(self, samples: Samples, rate_hz: int) -> None:
        """Queue samples (n,); returns at once.

        Raises:
            LoudspeakerUnavailable: once; then nothing is played any more.
        """
        with self._lock:
            if self._lost:
                return
            if self._output is None:
                self._output = self._opened()
            self._check()
            if self._converter is None or self._converter.rate_hz != rate_hz:
                self._flush()
                self._converter = _Converter(rate_hz, self._output.rate_hz)
            self._output.add(self._converter(samples))

    def stop(self) -> None:
        """Fade out within FADE_SECONDS and clear the queue."""
        with self._lock:
            self._converter = None
            if self._output is not None:
                self._output.fade_out()

    def drain(self) -> None:
        """Wait until everything has been played, or nothing can be.

        Raises:
            LoudspeakerUnavailable: the device was disconnected meanwhile; once, as in `play`.
        """
        with self._lock:
            self._flush()
        while (output := self._output) is not None and output.wait():
            self._check()

    def played(self) -> Samples:
        """Remove and return what the device was given since the last call, silence included, at 16 kHz (n,)."""
        output = self._output
        return output.pop_played() if output is not None else np.zeros(0, np.float32)

    def close(self) -> None:
        """Silence and close the device; sound that is played afterwards opens it again."""
        with self._lock:
            if self._output is not None:
                self._played_before += self._output.played_seconds
                self._output.close()
            self._output = self._converter = None

    def _flush(self) -> None:
        if self._converter is not None and self._output is not None:
            self._output.add(self._converter.finish())
        self._converter = None

    def _check(self) -> None:
        with self._lock:
            if self._output is None or not self._output.gone:
                return
            self._lost = True
            name = self._output.name
            self.close()
        raise LoudspeakerUnavailable(
            f"The loudspeaker {name!r} stopped taking sound. Everything goes on without; "
            "start again once it is connected."
        )

    def _opened(self) -> _Output:
        try:
            return _Output(self._device)
        except LoudspeakerUnavailable:
            self._lost = True
            raise


class _Converter:
    """Conversion of samples from one rate to another, chunk by chunk."""

    def __init__(self, rate_hz: int, device_rate_hz: int) -> None:
        self.rate_hz = rate_hz
        # "LQ" is flat up to 8 kHz and holds nothing back: better filters delay up to 50 ms.
        same = rate_hz == device_rate_hz
        self._stream = None if same else soxr.ResampleStream(rate_hz, device_rate_hz, 1, quality="LQ")

    def __call__(self, samples: Samples, *, last: bool = False) -> Samples:
        if self._stream is None:
            return samples
        return np.asarray(self._stream.resample_chunk(np.ascontiguousarray(samples, np.float32), last=last))

    def finish(self) -> Samples:
        return self(np.zeros(0, np.float32), last=True)


class _Output:
    """An open stream and its queue.

    Attributes:
        name: name of the device, for messages.
        rate_hz: sample rate of the queued sound.
        latency_seconds: output latency of the device.
    """

    def __init__(self, device: str | int | None) -> None:
        sounddevice = load_portaudio()
        self._changed = threading.Condition()
        self._waiting: deque[Samples] = deque()
        self._recent: deque[Samples] = deque()  # played sound that was not asked for yet
        self._recent_samples = 0
        self._played_samples = 0
        self._ended = False
        self.name, self.rate_hz = "", 0

        def make(ended: Callable[[], None]) -> Any:
            info, sink = find_output(sounddevice, device)
            self.name = info["name"]
            self.rate_hz = self.rate_hz or int(info["default_samplerate"])  # queued sound keeps its rate
            with portaudio.routed("PULSE_SINK", sink) if sink else nullcontext():
                return sounddevice.OutputStream(
                    device=info["index"],
                    samplerate=self.rate_hz,
                    channels=min(info["max_output_channels"], 2),
                    dtype="float32",
                    blocksize=round(self.rate_hz * BLOCK_SECONDS),
                    latency=LATENCY_SECONDS,
                    callback=self._give,
                    finished_callback=ended,
                )

        self._stream = _started(sounddevice, make, self)
        self._told = _Converter(self.rate_hz, SAMPLE_RATE_HZ)
        self.latency_seconds = self._stream.latency_seconds
        self._called = time.monotonic()
        self._sounding_until = 0.0

    @property
    def gone(self) -> bool:
        """Return whether the device accepts no more."""
        return self._ended or time.monotonic() - self._called > SILENT_DEVICE_SECONDS

    @property
    def playing(self) -> bool:
        with self._changed:
            return bool(self._waiting) or time.monotonic() < self._sounding_until

    @property
    def played_seconds(self) -> float:
        return self._played_samples / self.rate_hz

    def add(self, samples: Samples) -> None:
        if len(samples):
            with self._changed:
                self._waiting.append(samples)

    def fade_out(self) -> None:
        """Keep only the start of the queue, and fade it."""
        count = round(FADE_SECONDS * self.rate_hz)
        with self._changed:
            last = np.concatenate([np.zeros(0, np.float32), *self._waiting])[:count]
            self._waiting.clear()
            if len(last):
                self._waiting.append(last * np.linspace(1, 0, len(last), dtype=np.float32))

    def wait(self) -> bool:
        """Wait until something changes; return whether there still is something to play."""
        with self._changed:
            if self._waiting and not self._ended:
                self._changed.wait(SILENT_DEVICE_SECONDS)
                return True
            left = self._sounding_until - time.monotonic()
            if left > 0 and not self._ended:
                self._changed.wait(left)
            return self._ended and bool(self._waiting)

    def pop_played(self) -> Samples:
        with self._changed:
            blocks = list(self._recent)
            self._recent.clear()
            self._recent_samples = 0
        return np.concatenate([np.zeros(0, np.float32), *(self._told(block) for block in blocks)])

    def close(self) -> None:
        self._stream.close()

    def _give(self, out: np.ndarray, frames: int, when: object, status: object) -> None:
        """Fill `out` (frames, channels); PortAudio's callback, on its own thread."""
        with self._changed:
            block = np.zeros(frames, np.float32)
            filled = 0
            while self._waiting and filled < frames:
                part = self._waiting.popleft()
                count = min(len(part), frames - filled)
                block[filled : filled + count] = part[:count]
                filled += count
                if count < len(part):
                    self._waiting.appendleft(part[count:])
            self._keep(block)
            self._called = time.monotonic()
            if filled:
                self._played_samples += filled
                self._sounding_until = self._called + self.latency_seconds
            if filled and not self._waiting:
                self._changed.notify_all()
        out[:] = block[:, None]

    def _keep(self, block: Samples) -> None:
        self._recent.append(block)
        self._recent_samples += len(block)
        while self._recent_samples > MOST_KEPT_SECONDS * self.rate_hz:
            self._recent_samples -= len(self._recent.popleft())

    def _note_end(self) -> None:
        """Record that the stream accepts no more."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()


def _started(sounddevice: Any, make: Callable[[Callable[[], None]], Any], output: _Output) -> portaudio.Stream:
    try:
        return portaudio.Stream(sounddevice, make, output._note_end)
    except (sounddevice.PortAudioError, portaudio.StartHangs) as error:
        if not output.name:
            raise no_answer(error) from error
        raise LoudspeakerUnavailable(
            f"The loudspeaker {output.name!r} cannot be opened ({portaudio.reason(error)}). Close what else may be "
            "using it, or choose another; everything goes on without sound."
        ) from error
