"""A sound server that nobody uses but this program and what it starts: PulseAudio with a sink that leads nowhere.

Every sink has a monitor, from which its sound can be read.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.errors import AudioError

SPEAKERS = "speakers"
"""The sink on which is played where nobody chooses."""

_ATTEMPTS = 200
_ASK_SECONDS = 60.0

# Without norewinds a null sink drops audio that is recorded from its monitor.
_DAEMON = f"""
load-module module-native-protocol-unix socket={{folder}}/native auth-anonymous=1
load-module module-null-sink sink_name={SPEAKERS} norewinds=1 rate=48000 channels=2
set-default-sink {SPEAKERS}
"""
_ALSA = """
</usr/share/alsa/alsa.conf>
pcm.!default { type pulse }
ctl.!default { type pulse }
"""
_ALONE = "-n --daemonize=no --use-pid-file=no --exit-idle-time=-1 --disable-shm=yes"


def can_be_listened_to() -> bool:
    """Return whether everything that this needs is installed."""
    installed = all(shutil.which(name) for name in ("pulseaudio", "parec", "pactl"))
    return installed and bool(list(Path("/usr/lib").glob("*/alsa-lib/libasound_module_pcm_pulse.so")))


@dataclass(slots=True)
class SoundServer:
    """A server that is running, or was killed.

    Attributes:
        folder: what it runs by.
    """

    folder: Path
    _process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it.

        Raises:
            AudioError: it does not run.
        """
        (self.folder / "native").unlink(missing_ok=True)
        command = ["pulseaudio", *_ALONE.split(), "-F", str(self.folder / "daemon.pa")]
        if shutil.which("setpriv"):  # it is to end with this process, however that ends
            command = ["setpriv", "--pdeathsig", "KILL", *command]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # pactl itself waits for a server that is coming up; a few tries cover the moment before its socket exists.
        for _ in range(_ATTEMPTS):
            if subprocess.run(["pactl", "info"], capture_output=True, timeout=_ASK_SECONDS).returncode == 0:
                return
        raise AudioError("PulseAudio, which is to be measured with, does not start.")

    def kill(self) -> None:
        """End it without warning."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def ask(self, *words: str) -> str:
        """Send it a command, and return its answer.

        Raises:
            subprocess.SubprocessError: the command fails.
        """
        asked = subprocess.run(["pactl", *words], capture_output=True, text=True, timeout=_ASK_SECONDS, check=True)
        return asked.stdout.strip()


@contextmanager
def sound_server_of_its_own(within: Path | None = None) -> Iterator[SoundServer]:
    """Run one that this process and those it starts use. Raises AudioError where it does not start.

    Args:
        within: the folder for its own folder; the system's for passing files where none is given.
    """
    with tempfile.TemporaryDirectory(prefix="sound-", dir=within) as name, _environment(Path(name)):
        folder = Path(name)
        (folder / "daemon.pa").write_text(_DAEMON.format(folder=folder))
        (folder / "asoundrc").write_text(_ALSA)
        server = SoundServer(folder)
        try:
            server.start()
            yield server
        finally:
            server.kill()


@contextmanager
def _environment(folder: Path) -> Iterator[None]:
    """Lead PulseAudio and ALSA to this folder, in this process and those it starts."""
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
