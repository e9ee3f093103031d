"""A sound system of its own for tests: PulseAudio with a speaker and a microphone that tests speak into."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

MICROPHONE = "fake_microphone"
REFUSED = "refused_microphone"
PATIENCE_SECONDS = 120.0

# Without norewinds a null sink drops audio that is recorded from its monitor.
_DAEMON = """
load-module module-native-protocol-unix socket={folder}/native auth-anonymous=1
load-module module-null-sink sink_name=speakers norewinds=1 rate=48000 channels=2
load-module module-null-sink sink_name=speech norewinds=1 rate=48000 channels=1
set-default-sink speakers
set-default-source speech.monitor
"""
# A hint makes PortAudio list a device.
_ALSA = """
</usr/share/alsa/alsa.conf>
pcm.!default {{ type pulse }}
ctl.!default {{ type pulse }}
pcm.{microphone} {{ type pulse device speech.monitor hint {{ show on description "a microphone" }} }}
pcm.{refused} {{ type pulse device no_such_source hint {{ show on description "one that refuses" }} }}
"""


@dataclass
class Pulse:
    """A running server.

    Attributes:
        process: may be killed, as if every device were unplugged.
        folder: what it runs by.
    """

    process: subprocess.Popen[bytes]
    folder: Path

    def restart(self) -> None:
        """Bring it back after it was killed."""
        (self.folder / "native").unlink(missing_ok=True)
        self.process = _serve(self.folder)

    def speak(self, wav: Path, into: str = "speech") -> subprocess.Popen[bytes]:
        """Play a file into the microphone, or another sink; the process ends when it has been said."""
        return subprocess.Popen(["paplay", f"--device={into}", str(wav)])

    def plug_in(self, name: str, title: str, rate_hz: int = 44_100) -> int:
        """Connect a microphone that is spoken into by way of the sink `name`_cable; return what unplugs it."""
        cable = f"{name}_cable"
        self.ask("load-module", "module-null-sink", f"sink_name={cable}", "norewinds=1", f"rate={rate_hz}")
        properties = f"source_properties='device.description=\"{title}\"'"
        source = ("module-remap-source", f"master={cable}.monitor", f"source_name={name}", properties)
        return int(self.ask("load-module", *source))

    def unplug(self, module: int) -> None:
        """Disconnect what was plugged in."""
        self.ask("unload-module", str(module))

    def await_subscriber(self, count: int = 1) -> None:
        """Wait until so many clients are told of news."""
        due = time.monotonic() + PATIENCE_SECONDS
        clients = ""
        while time.monotonic() < due:  # each question takes a while itself
            clients = self.ask("list", "clients")
            # Asking makes a client too, which has another process of the same name.
            if clients.count('application.process.binary = "pactl"') - 1 == count:
                return
        raise RuntimeError(f"{count} subscribers never came: {clients}")

    def ask(self, *words: str) -> str:
        """Run a command of pactl; return its output."""
        asked = subprocess.run(["pactl", *words], capture_output=True, text=True, timeout=400, check=True)
        return asked.stdout.strip()


@contextmanager
def private_pulse(folder: Path) -> Iterator[Pulse]:
    """Run a server whose devices PortAudio finds in this process; skips where PulseAudio is not installed."""
    if not all(shutil.which(name) for name in ("pulseaudio", "paplay", "pactl")):
        pytest.skip("PulseAudio is not installed: apt install pulseaudio pulseaudio-utils libasound2-plugins")
    if not list(Path("/usr/lib").glob("*/alsa-lib/libasound_module_pcm_pulse.so")):
        pytest.skip("ALSA does not know PulseAudio: apt install libasound2-plugins")
    pytest.importorskip("sounddevice", reason="PortAudio is missing: apt install libportaudio2", exc_type=OSError)
    for name in ("run", "state"):
        (folder / name).mkdir(mode=0o700)
    (folder / "daemon.pa").write_text(_DAEMON.format(folder=folder))
    (folder / "asoundrc").write_text(_ALSA.format(microphone=MICROPHONE, refused=REFUSED))
    environment = {
        "PULSE_SERVER": f"unix:{folder}/native",
        "PULSE_RUNTIME_PATH": str(folder / "run"),
        "PULSE_STATE_PATH": str(folder / "state"),
        "ALSA_CONFIG_PATH": str(folder / "asoundrc"),
    }
    with mock.patch.dict(os.environ, environment):
        pulse = Pulse(_serve(folder), folder)
        try:
            yield pulse
        finally:
            pulse.process.kill()
            pulse.process.wait()


def _serve(folder: Path) -> subprocess.Popen[bytes]:
    alone = "-n --daemonize=no --use-pid-file=no --exit-idle-time=-1 --disable-shm=yes --realtime=no --high-priority=no"
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            ["pulseaudio", *alone.split(), "-F", str(folder / "daemon.pa")], stdout=log, stderr=log
        )
    # pactl itself waits for a server that is coming up; a few tries cover the moment before its socket exists.
    for _ in range(200):
        if subprocess.run(["pactl", "info"], capture_output=True, timeout=400).returncode == 0:
            return process
    process.kill()
    process.wait()
    raise RuntimeError(f"PulseAudio did not start: {(folder / 'log').read_text()[-500:]}")
