"""A microphone without what it hears of the call from the loudspeaker, which both sides would caption.

The way from the loudspeaker to the microphone is learnt while the call speaks, as for a user who speaks over the
assistant. The part of the microphone's sound that it explains is removed; if that was nearly all, so is the rest. Sound
that the call does not explain stays: with headphones, and while the call is silent, that is everything. At first, and
when somebody moves the microphone, the way is not known yet: what may be no echo waits for a moment, and is removed if
the call explains it by any way.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.barge_in import HOP_SAMPLES, EchoRemover

AHEAD_SECONDS = 0.096
"""Longest time that the call may be recorded after its echo, in seconds: devices deliver their sound in parts."""

LONGEST_WAIT_SECONDS = 0.5
"""Longest wait for the call if its device delivers nothing, in seconds; after it the call counts as silent."""

MUTED_SHARE, KEPT_SHARE = 0.3, 0.45
"""Shares of the microphone's power that the call does not explain: silenced up to the first, kept from the second."""

LEARNING_SECONDS, LEARNING_SHARE = 1.0, 0.2
"""Sound of the call until its way is known, in seconds; the share of it that stays unexplained at first."""

HELD_SECONDS, BEFORE_SECONDS = 0.8, 0.6
"""Wait of sound that may be an echo by an unknown way, and the sound before it that is compared, too, in seconds."""

SILENT_LEVEL = 0.002
"""Root mean square of the call while nobody speaks: its noise teaches nothing, and would spoil what was learnt."""

_AHEAD = round(AHEAD_SECONDS * SAMPLE_RATE_HZ)
_LONGEST_WAIT = round(LONGEST_WAIT_SECONDS * SAMPLE_RATE_HZ)
_HELD, _BEFORE = (round(seconds * SAMPLE_RATE_HZ / HOP_SAMPLES) for seconds in (HELD_SECONDS, BEFORE_SECONDS))
_FADE = 0.94  # of the powers that are compared, at each hop: they remember 0.27 s


@dataclass(slots=True)
class _Hop:
    """HOP_SAMPLES of both streams.

    Attributes:
        microphone, call: as recorded, (HOP_SAMPLES,) each.
        left: the microphone without the echo.
        gain: share of that which is kept.
    """

    microphone: Samples
    call: Samples
    left: Samples
    gain: float


class CallEcho:
    """Passes the microphone's sound on, delayed by the wait for the call. One thread uses it."""

    def __init__(self, call_delay_seconds: float = 0.0) -> None:
        """Align the streams: the call's first sample stands that much later than the microphone's, or sooner."""
        early = _AHEAD - round(call_delay_seconds * SAMPLE_RATE_HZ)
        self._remover = EchoRemover()
        self._microphone = np.zeros(0, np.float32)  # what was not given on yet
        self._call = np.zeros(max(-early, 0), np.float32)  # as of then, and _AHEAD more
        self._dropped = max(early, 0)  # samples of the call that are not to be kept when they come
        self._surplus = HOP_SAMPLES  # the remover gives its sound a hop later
        self._unknown = 1.0  # how little of the call's way has been learnt
        self._share = _Share()
        self._echoes = False  # whether the microphone has ever heard the call
        self._past: deque[_Hop] = deque(maxlen=_BEFORE)  # given on
        self._held: list[_Hop] = []  # the first of these may be an echo

    def add_call(self, chunk: Samples) -> None:
        """Add the next samples (n,) that the computer plays."""
        dropped = min(self._dropped, len(chunk))
        self._dropped -= dropped
        self._call = np.concatenate([self._call, chunk[dropped:]])

    def add_microphone(self, chunk: Samples) -> Samples:
        """Add the next samples (n,) of the microphone; return those (m,) that are ready."""
        self._microphone = np.concatenate([self._microphone, chunk])
        self._miss_call(len(self._microphone) - _LONGEST_WAIT)
        return self._clean(min(len(self._microphone), len(self._call)) // HOP_SAMPLES)

    def finish(self) -> Samples:
        """Return the rest (m,): no more is coming."""
        rest = len(self._microphone) + len(self._held) * HOP_SAMPLES + HOP_SAMPLES - self._surplus
        hops = -(-len(self._microphone) // HOP_SAMPLES) + 1
        padding = np.zeros(hops * HOP_SAMPLES - len(self._microphone), np.float32)
        self._microphone = np.concatenate([self._microphone, padding])
        self._miss_call(len(self._microphone))
        return self._clean(hops, ended=True)[:rest]

    def _miss_call(self, count: int) -> None:
        """Count the call as silent up to `count` samples from here; its samples that come later are dropped."""
        missing = count - len(self._call)
        if missing > 0:
            self._dropped += missing
            self._call = np.concatenate([self._call, np.zeros(missing, np.float32)])

    def _clean(self, hops: int, *, ended: bool = False) -> Samples:
        given = [np.zeros(0, np.float32)]
        for at in range(0, hops * HOP_SAMPLES, HOP_SAMPLES):
            window = slice(at, at + HOP_SAMPLES)
            given += self._judged(self._hop(self._microphone[window], self._call[window]))
        if ended:
            given += self._released()
        self._microphone = self._microphone[hops * HOP_SAMPLES :]
        self._call = self._call[hops * HOP_SAMPLES :]
        samples = np.concatenate(given)
        surplus = min(self._surplus, len(samples))
        self._surplus -= surplus
        return samples[surplus:]

    def _hop(self, microphone: Samples, call: Samples) -> _Hop:
        """Remove the echo by the way that is known."""
        if float(call @ call) < HOP_SAMPLES * SILENT_LEVEL**2:
            call = np.zeros_like(call)
        else:
            self._unknown = max(0.0, self._unknown - HOP_SAMPLES / (LEARNING_SECONDS * SAMPLE_RATE_HZ))
        left, powers = self._remover(microphone, call)
        gain = _gain(self._share(powers) - LEARNING_SHARE * self._unknown)
        return _Hop(microphone, call, left, gain)

    def _judged(self, hop: _Hop) -> list[Samples]:
        """Return the sound that is ready with another hop: none while it waits."""
        speaks = bool(np.any(hop.call))
        self._echoes |= speaks and hop.gain == 0
        doubtful = speaks and hop.gain > 0 and (self._echoes or self._unknown > 0)
        if not (self._held or doubtful):
            self._past.append(hop)
            return [hop.left * np.float32(hop.gain)]
        self._held.append(hop)
        return self._released() if len(self._held) >= _HELD else []

    def _released(self) -> list[Samples]:
        """Return the held sound, without what the call explains by a way that only the newest sound tells."""
        both = [*self._past, *self._held]
        remover, share = EchoRemover(), _Share()
        for hop in both:
            remover(hop.microphone, hop.call)
        shares = [share(remover(hop.microphone, hop.call)[1]) for hop in both]
        given = [
            hop.left * np.float32(min(hop.gain, _gain(left)))
            for hop, left in zip(self._held, shares[len(self._past) :], strict=True)
        ]
        self._past.extend(self._held)
        self._held = []
        return given


class _Share:
    """The share of the microphone's power that the call does not explain, in about the last quarter of a second."""

    def __init__(self) -> None:
        self._powers = np.zeros(2)  # of the microphone and of what is left of it, the newest counting most

    def __call__(self, powers: tuple[float, float]) -> float:
        """Add the powers of a hop, before and after the echo was removed; return the share."""
        self._powers = _FADE * self._powers + np.array(powers)
        heard, left = self._powers
        return float(left / max(heard, 1e-12))


def _gain(share: float) -> float:
    """Return how much of the remaining sound is kept."""
    return float(np.clip((share - MUTED_SHARE) / (KEPT_SHARE - MUTED_SHARE), 0, 1))
