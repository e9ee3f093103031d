"""Speakers that nobody hears but this program: what a sound server of its own plays is recorded as it is played.

For measurements: what PortAudio plays by default goes there while it runs.
"""

from __future__ import annotations

import select
import subprocess
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import AudioError
from lab.commands.private_sound_server import SPEAKERS, sound_server_of_its_own

BLOCK_SAMPLES = 80
"""5 ms: what is read at once."""

AUDIBLE = 1e-3
"""54 dB below the tone that is played."""

_CLOCK_BLOCKS = 400
_SAMPLE_BYTES = 4


class Monitor:
    """The sound of the speakers, from the first sample on. One thread reads at a time.

    Attributes:
        position: how many samples have been read.
        audible_until: behind the newest of them that could be heard.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.position = self.audible_until = 0
        assert process.stdout is not None
        self._out = process.stdout
        self._begins: deque[float] = deque(maxlen=_CLOCK_BLOCKS)

    def read(self) -> Samples:
        """Wait for the next samples (BLOCK_SAMPLES,) at 16 kHz. Raises AudioError where there will be none."""
        data = b""
        while missing := BLOCK_SAMPLES * _SAMPLE_BYTES - len(data):
            if not (part := self._out.read(missing)):
                raise AudioError("PulseAudio, which was started to measure with, has stopped.")
            data += part
        block = np.frombuffer(data, np.float32)
        loud = np.flatnonzero(np.abs(block) > AUDIBLE)
        if len(loud):
            self.audible_until = self.position + int(loud[-1]) + 1
        self.position += BLOCK_SAMPLES
        self._begins.append(time.monotonic() - self.position / SAMPLE_RATE_HZ)
        return block

    def catch_up(self) -> None:
        """Read what waits: it was played while nobody read."""
        while select.select([self._out], [], [], 0)[0]:
            self.read()

    def moment(self, position: int) -> float:
        """Return when a sample was played, on the monotonic clock: no later than it was read.

        Blocks are read late rather than early, so the one that came soonest, of the newest two seconds, tells the time
        of all.
        """
        return min(self._begins) + position / SAMPLE_RATE_HZ


@contextmanager
def listened_speakers() -> Iterator[Monitor]:
    """Run the server for as long as it is listened to. Raises AudioError where it does not start."""
    with sound_server_of_its_own():
        sound = ["--raw", f"--rate={SAMPLE_RATE_HZ}", "--channels=1", "--format=float32le", "--latency-msec=10"]
        command = ["parec", f"--device={SPEAKERS}.monitor", *sound]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0) as recorder:
            try:
                yield Monitor(recorder)
            finally:
                recorder.kill()
