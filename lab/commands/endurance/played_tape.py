"""A tape that is played into a microphone of a sound server, as people in a room speak into one."""

from __future__ import annotations

import subprocess
import threading
from contextlib import suppress

import numpy as np

from app.sound.audio_sources import Microphone
from engine.audio import SAMPLE_RATE_HZ
from lab.commands.endurance.tape import Tape
from lab.commands.private_sound_server import SoundServer

NAME, TITLE = "room", "Room"
CABLE = "room_cable"
"""The sink whose monitor the microphone is: it is spoken into by way of that."""

RATES_HZ = (8_000, 16_000, 22_050, 44_100, 48_000, 96_000)
_USUAL_HZ = 48_000
_LATENCY_MILLISECONDS = 100
_ROOM_VOLUME = 4_400
"""Level of noise, of full scale: 70 dB below it. A room is never as still as a microphone that is muted."""


class PlayedTape:
    """A microphone that hears a tape, in a room that is quiet otherwise.

    Attributes:
        source: the microphone, as the app chooses it.
    """

    def __init__(self, server: SoundServer, tape: Tape) -> None:
        self.server, self.source = server, Microphone(NAME, TITLE)
        self._tape = tape
        self._modules: list[str] = []
        self._players: list[subprocess.Popen[bytes]] = []
        self._stop: threading.Event | None = None  # ends what is being played

    def play_once(self, recorded_seconds: float) -> None:
        """Play the tape from its beginning as soon as it is recorded, unless it plays."""
        if recorded_seconds and self._stop is None:
            self._stop = threading.Event()
            threading.Thread(target=self._play, args=(self._stop,), name="tape", daemon=True).start()

    def rest(self) -> None:
        """Play no more."""
        if self._stop is not None:
            self._stop.set()
            self._stop = None

    def plug_in(self, rate_hz: int = _USUAL_HZ) -> None:
        """Connect the microphone, with a sample rate of its own."""
        self._end_players()
        sink = ("module-null-sink", f"sink_name={CABLE}", "norewinds=1", f"rate={rate_hz}", "channels=1")
        about = f"source_properties='device.description=\"{TITLE}\"'"
        source = ("module-remap-source", f"master={CABLE}.monitor", f"source_name={NAME}", about)
        self._modules = [self.server.ask("load-module", *words) for words in (sink, source)]
        self._players = [self._player("/dev/urandom"), self._player("")]

    def unplug(self) -> None:
        """Disconnect the microphone."""
        self._end_players()
        while self._modules:
            self.server.ask("unload-module", self._modules.pop())

    def mute(self, muted: bool) -> None:
        """Mute the microphone, or have it hear again."""
        self.server.ask("set-source-mute", NAME, str(int(muted)))

    def _player(self, file: str) -> subprocess.Popen[bytes]:
        form = ("--format=s16le", f"--volume={_ROOM_VOLUME}", file) if file else ("--format=float32le",)
        words = ("--raw", f"--rate={SAMPLE_RATE_HZ}", "--channels=1", f"--device={CABLE}", *form)
        quiet = subprocess.DEVNULL
        return subprocess.Popen(
            ["pacat", f"--latency-msec={_LATENCY_MILLISECONDS}", *words],
            stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, bufsize=0,
        )  # fmt: skip

    def _end_players(self) -> None:
        for player in self._players:
            player.kill()
            player.wait()
        self._players = []

    def _play(self, stop: threading.Event) -> None:
        for chunk in self._tape.chunks(stop, lambda note: None):
            with suppress(IndexError, OSError):  # nobody hears what is said into a microphone that is gone
                pipe = self._players[-1].stdin
                assert pipe
                pipe.write(np.asarray(chunk, np.float32).tobytes())
