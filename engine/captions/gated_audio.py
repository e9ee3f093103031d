"""Audio on its way into a session: it waits in the inbox, and passes the voice gate window by window."""

from __future__ import annotations

import math
from dataclasses import replace

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.inbox import Inbox
from engine.audio.voice_activity import END_SILENCE_SECONDS, SpeechEnded, SpeechModel, SpeechStarted, VoiceGate
from engine.events import Caption, Word

SETTLED_SECONDS = 0.2
"""Audio beyond the end of speech that a round must have heard to have heard all of it, in seconds."""

FADED_SECONDS = 0.03
"""The same beyond the end of clear speech, in seconds, where speech counts as ended after so little silence that no
round would come before: there a round runs as soon as speech starts to fade."""

MOST_FADING_SECONDS = 0.1
"""Longest time for which the gate counts as speech what no longer is, in seconds."""

LONGEST_SILENCE_SECONDS, KEPT_SILENCE_SECONDS = 0.15, 0.1
"""Silence at the end of a word that is cut, and how much of it is kept. Chosen in LOG 2026-11-29."""

GateEvent = SpeechStarted | SpeechEnded | None


class GatedAudio:
    """The inbox of a session and its gate, if it has one."""

    def __init__(
        self, voice: SpeechModel | None, *, end_silence_seconds: float = END_SILENCE_SECONDS, start_seconds: float = 0.0
    ) -> None:
        """Start at `start_seconds`, the place of the first sample; without a `voice` there is no gate."""
        self._hears_ends_ahead = end_silence_seconds < SETTLED_SECONDS
        self._inbox = Inbox(start_seconds)
        self._gate: VoiceGate | None = None
        if voice is not None:
            self._gate = VoiceGate(voice, end_silence_seconds=end_silence_seconds, start_seconds=start_seconds)

    def add(self, chunk: Samples) -> None:
        """Add samples (n,) to those that wait."""
        self._inbox.add(chunk)

    def remove(self, until_seconds: float) -> Samples:
        """Remove samples that wait: up to a moment while somebody speaks, and up to the gate's next decision."""
        most = math.inf if self._gate is None else self._gate.room
        if self.speaking:
            passed, target = (round(each * SAMPLE_RATE_HZ) for each in (self.passed_seconds, until_seconds))
            most = min(most, max(1, target - passed))
        samples = self._inbox.remove(most)
        assert samples is not None, "there is audio in the inbox"
        return samples

    def judge(self, samples: Samples) -> GateEvent:
        """Pass samples that were removed to the gate; return its decision, if there is one."""
        return None if self._gate is None else self._gate.add(samples)

    @property
    def arrived_seconds(self) -> float:
        """Return the second up to which audio was added."""
        return self._inbox.arrived_seconds

    @property
    def passed_seconds(self) -> float:
        """Return the second up to which audio was removed."""
        return self._inbox.removed_seconds

    @property
    def waiting(self) -> bool:
        """Return whether audio waits."""
        return bool(self._inbox.waiting_seconds)

    @property
    def speaking(self) -> bool:
        """Return whether the newest audio counts as speech; always true without a gate."""
        return self._gate is None or self._gate.speaking

    @property
    def has_unheard_speech(self) -> bool:
        """Return whether there may be words that no round has heard; always true without a gate."""
        return self._gate is None or self._gate.has_unheard_speech

    @property
    def is_silent(self) -> bool:
        """Return whether the gate is sure that nobody speaks."""
        return self._gate is not None and not self._gate.speaking and self._gate.decided

    @property
    def voiced_until(self) -> float | None:
        """Return the end of the newest audio that sounded like speech; None without a gate."""
        return None if self._gate is None else self._gate.voiced_seconds

    def clear_between(self, begin_seconds: float, end_seconds: float) -> float:
        """Return how much clear speech there is between two moments, in seconds; none is known without a gate."""
        return 0.0 if self._gate is None else self._gate.clear_between(begin_seconds, end_seconds)

    def fitted(self, caption: Caption) -> Caption:
        """Return a final caption whose words take up no silence around them: what hears tells their ends roughly."""
        if not caption.final or caption.is_gap or not caption.committed:
            return caption
        words = tuple(self._fitted(word) for word in caption.committed)
        return replace(caption, start=words[0].start, end=words[-1].end, committed=words)

    def _fitted(self, word: Word) -> Word:
        clear = None if self._gate is None else self._gate.clear_span(word.start, word.end)
        if clear is None:
            return word
        start = clear[0] - KEPT_SILENCE_SECONDS if clear[0] - word.start > LONGEST_SILENCE_SECONDS else word.start
        end = clear[1] + KEPT_SILENCE_SECONDS if word.end - clear[1] > LONGEST_SILENCE_SECONDS else word.end
        return replace(word, start=start, end=end)

    def fades_behind(self, tried_seconds: float) -> bool:
        """Return whether speech may be ending after `tried_seconds`: it is heard now, though it may go on."""
        if not self._hears_ends_ahead or self._gate is None or not self._gate.speaking or self.waiting:
            return False
        return tried_seconds < self._gate.clear_seconds + FADED_SECONDS <= self.passed_seconds

    def ends_before(self, heard_seconds: float) -> bool:
        """Return whether a round that heard up to a moment has heard all the speech; False without a gate."""
        if self._gate is None:
            return False
        voiced, clear = self._gate.voiced_seconds, self._gate.clear_seconds
        if not self._hears_ends_ahead:
            return heard_seconds >= voiced + SETTLED_SECONDS
        return heard_seconds >= FADED_SECONDS + (clear if voiced - clear <= MOST_FADING_SECONDS else voiced)
