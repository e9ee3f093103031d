"""Speech of Earshot's own that is played beside a recording, and kept out of what is recorded. No Qt.

A microphone that hears it from a loudspeaker loses its echo, as it does that of a call. What a sound server records of
an output cannot lose it, so that nothing is played there.
"""

from __future__ import annotations

import numpy as np

from app.sound import process_tap, sound_server
from app.sound.audio_sources import Microphone, Source, sides_of
from app.sound.playback import Player
from engine.audio import Samples
from engine.captions.call_echo import CallEcho
from engine.events import SpokenTranslation


def is_recorded(source: Source, output: str | None) -> bool:
    """Return whether a source records what is played on an output; None is the system's default.

    Of a device whose name tells nothing it is assumed.
    """
    played = [each.device for each in sides_of(source) if isinstance(each, Microphone) and each.is_monitor]
    if all(device == process_tap.NAME for device in played):
        return False  # a tap leaves this process out
    sink = output or next((each.name for each in sound_server.sinks() if each.is_default), None)
    source_used = sound_server.default_source()
    usual = source_used.name if source_used is not None else None
    named = [usual if device in (None, "default") else device for device in played]
    return any(sink is None or not isinstance(name, str) or name.removesuffix(".monitor") == sink for name in named)


class OwnVoice:
    """Plays speech, and removes its echo from a microphone. A thread may play while another records."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._echo: CallEcho | None = None  # from the first sound on

    def play(self, spoken: SpokenTranslation) -> None:
        """Queue sound. Raises LoudspeakerUnavailable once, if there is no device or it was disconnected."""
        self._player.play(np.frombuffer(spoken.samples, np.float32), spoken.rate_hz)
        self._echo = self._echo or CallEcho()

    def drain(self) -> None:
        """Wait until all sound has been played."""
        self._player.drain()

    def without(self, chunk: Samples) -> Samples:
        """Return the next samples (n,) of a microphone without the echo, a little later; all of them before a sound.

        What still waits when the recording ends is lost.
        """
        echo = self._echo
        if echo is None:
            return chunk
        # A device that works delivers in uneven parts: where none has come, more comes at once soon after.
        echo.add_call(self._player.played() if self._player.available else np.zeros(len(chunk), np.float32))
        return echo.add_microphone(chunk)

    def close(self) -> None:
        self._player.close()
