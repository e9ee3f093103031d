"""Speakers that nobody hears but this program: a sound server of its own, whose output is recorded as it is played.

For measurements: what PortAudio plays by default goes there while it runs. It is PulseAudio with a sink that leads
nowhere; every sink has a monitor, from which its sound can be read.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import AudioError

BLOCK_SAMPLES = 80
"""5 ms: what is read at once."""

AUDIBLE = 1e-3
"""54 dB below the tone that is played."""

_CLOCK_BLOCKS = 400
_SAMPLE_BYTES = 4
_ATTEMPTS = 200

# Without norewinds a null sink drops audio that is recorded from its monitor.
_DAEMON = """
load-module module-native-protocol-unix socket={folder}/native auth-anonymous=1
load-module module-null-sink sink_name=speakers norewinds=1 rate=48000 channels=2
set-default-sink speakers
"""
_ALSA = """
</usr/share/alsa/alsa.conf>
pcm.!default { type pulse }
ctl.!default { type pulse }
"""
_ALONE = "-n --daemonize=no --use-pid-file=no --exit-idle-time=-1 --disable-shm=yes"


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
        """When a sample was played, on the monotonic clock: no later than it was read.

        Blocks are read late rather than early, so that the one that came soonest, of the newest two seconds, tells
        the time of all.
        """
        return min(self._begins) + position / SAMPLE_RATE_HZ


def can_be_listened_to() -> bool:
    """Tell whether there is what this takes."""
    installed = all(shutil.which(name) for name in ("pulseaudio", "parec", "pactl"))
    return installed and bool(list(Path("/usr/lib").glob("*/alsa-lib/libasound_module_pcm_pulse.so")))


@contextmanager
def listened_speakers() -> Iterator[Monitor]:
    """Run the server for as long as it is listened to. Raises AudioError where it does not start."""
    with tempfile.TemporaryDirectory(prefix="earshot-speakers-") as name, _environment(Path(name)):
        folder = Path(name)
        (folder / "daemon.pa").write_text(_DAEMON.format(folder=folder))
        (folder / "asoundrc").write_text(_ALSA)
        with _running(["pulseaudio", *_ALONE.split(), "-F", str(folder / "daemon.pa")]):
            _await_server()
            sound = ["--raw", f"--rate={SAMPLE_RATE_HZ}", "--channels=1", "--format=float32le", "--latency-msec=10"]
            with _running(["parec", "--device=speakers.monitor", *sound], read=True) as recorder:
                yield Monitor(recorder)


@contextmanager
def _environment(folder: Path) -> Iterator[None]:
    """Have PulseAudio and ALSA go by this folder, in this process and those it starts."""
    wanted = {
        "PULSE_SERVER": f"unix:{folder}/native",
        "PULSE_RUNTIME_PATH": str(folder / "run"),
        "PULSE_STATE_PATH": str(folder / "state"),
        "ALSA_CONFIG_PATH": str(folder / "asoundrc"),
    }
    for each in ("run", "state"):
        (folder / each).mkdir(mode=0o700)
    before = {key: os.environ.get(key) for key in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value


@contextmanager
def _running(command: list[str], *, read: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    out = subprocess.PIPE if read else subprocess.DEVNULL
    with subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, bufsize=0) as process:
        try:
            yield process
        finally:
            process.kill()


def _await_server() -> None:
    # pactl itself waits for a server that is coming up; a few tries cover the moment before its socket exists.
    for _ in range(_ATTEMPTS):
        if subprocess.run(["pactl", "info"], capture_output=True, timeout=10).returncode == 0:
            return
    raise AudioError("PulseAudio, which is to be measured with, does not start.")
