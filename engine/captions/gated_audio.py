"""Audio on its way into a session: it waits in the inbox, and passes the voice gate window by window."""

from __future__ import annotations

import math

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.inbox import Inbox
from engine.audio.voice_activity import SpeechEnded, SpeechStarted, VoiceGate

SETTLED_SECONDS = 0.2
"""A round that heard this much beyond the end of speech has heard all of it."""

FADED_SECONDS = 0.03
"""The same beyond what was clearly speech, where speech ends after so little silence that no round would come before:
there one hears what may turn out to be the end as soon as speech begins to fade."""

MOST_FADING_SECONDS = 0.1
"""For so long the gate takes for speech what no longer is."""

GateEvent = SpeechStarted | SpeechEnded | None


class GatedAudio:
    """The inbox of a session and its gate, if it has one.

    Attributes:
        level: root mean square of the newest chunk, 0 to 1.
    """

    def __init__(self, gate: VoiceGate | None, *, hears_ends_ahead: bool, start_seconds: float = 0.0) -> None:
        """Let through what a gate says, if there is one; ends are heard ahead where they come soon.

        The first sample stands at `start_seconds`.
        """
        self.level = 0.0
        self._hears_ends_ahead = hears_ends_ahead
        self._inbox = Inbox(start_seconds)
        self._gate = gate

    def add(self, chunk: Samples) -> None:
        """Let samples (n,) wait."""
        self._inbox.add(chunk)
        self.level = float(np.sqrt(np.mean(np.square(chunk, dtype=np.float64))))

    def take(self, until_seconds: float) -> Samples:
        """Take samples that wait: up to a moment while somebody speaks, and up to the gate's next decision."""
        most = math.inf if self._gate is None else self._gate.room
        if self.speaking:
            passed, target = (round(each * SAMPLE_RATE_HZ) for each in (self.passed_seconds, until_seconds))
            most = min(most, max(1, target - passed))
        samples = self._inbox.take(most)
        assert samples is not None, "there is audio in the inbox"
        return samples

    def judge(self, samples: Samples) -> GateEvent:
        """Have the gate hear samples that were taken; give what it decides, if anything."""
        return None if self._gate is None else self._gate.add(samples)

    @property
    def arrived_seconds(self) -> float:
        """Return up to which second audio has been handed over."""
        return self._inbox.arrived_seconds

    @property
    def passed_seconds(self) -> float:
        """Return up to which moment audio was taken."""
        return self._inbox.taken_seconds

    @property
    def waiting(self) -> bool:
        """Tell whether audio waits."""
        return bool(self._inbox.waiting_seconds)

    @property
    def speaking(self) -> bool:
        """Tell whether the newest audio is taken for speech; always so without a gate."""
        return self._gate is None or self._gate.speaking

    @property
    def has_unheard_speech(self) -> bool:
        """Tell whether there may be words that no round has heard; always so without a gate."""
        return self._gate is None or self._gate.has_unheard_speech

    @property
    def is_silent(self) -> bool:
        """Tell whether the gate is sure that nobody speaks."""
        return self._gate is not None and not self._gate.speaking and self._gate.decided

    @property
    def voiced_until(self) -> float | None:
        """End of the newest audio that sounded like speech; None where no gate says so."""
        return None if self._gate is None else self._gate.voiced_seconds

    def fades_behind(self, tried_seconds: float) -> bool:
        """Tell whether speech may be ending, behind what has been heard: to be heard now, though it may go on."""
        if not self._hears_ends_ahead or self._gate is None or not self._gate.speaking or self.waiting:
            return False
        return tried_seconds < self._gate.clear_seconds + FADED_SECONDS <= self.passed_seconds

    def ends_before(self, heard_seconds: float) -> bool:
        """Tell whether a round that heard up to a moment has heard all the speech; False where no gate says so."""
        if self._gate is None:
            return False
        voiced, clear = self._gate.voiced_seconds, self._gate.clear_seconds
        if not self._hears_ends_ahead:
            return heard_seconds >= voiced + SETTLED_SECONDS
        return heard_seconds >= FADED_SECONDS + (clear if voiced - clear <= MOST_FADING_SECONDS else voiced)
