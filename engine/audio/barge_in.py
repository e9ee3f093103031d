"""Barge-in detection: the user's voice against the assistant's own echo, while the assistant speaks.

The loudspeaker's sound reaches the microphone late, softer and with the reverberation of the room. The echo path is
estimated during playback: for every frequency, a few filter taps over frames of a short-time Fourier transform,
starting at the delay at which microphone and playback correlate best (a Wiener filter on running sums). The predicted
echo is subtracted. The user is speaking if the residual still is speech and holds a good share of the microphone's
power.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.voice_activity import WINDOW_SAMPLES, Loudness, SileroVoice, SpeechModel

BARGE_IN_SECONDS = 0.384
"""Shortest speech that is an interruption and no cough, in seconds."""

MOST_DELAY_SECONDS = 0.4
"""Longest delay from playback to the microphone, in seconds: the buffers of two devices and the way through the air."""

LEAST_PROBABILITY = 0.5
"""Lowest probability of speech at which the user speaks."""

LEAST_SHARE = 0.4
"""Smallest share of the microphone's power that the playback must leave unexplained for the user to be speaking."""

BEFORE_SECONDS = 0.2
"""Audio before the user's speech that is passed on with it, in seconds, because its first consonants are soft."""

HOP_SAMPLES = 256
"""Samples that an EchoRemover processes per call."""

_FRAME = 2 * HOP_SAMPLES
_TAPS, _EARLY_TAPS = 10, 2
_LAGS = round(MOST_DELAY_SECONDS * SAMPLE_RATE_HZ / HOP_SAMPLES) + _TAPS
_BINS = slice(4, 193)  # 125 to 6000 Hz
_KEEP = 1 - HOP_SAMPLES / (3.0 * SAMPLE_RATE_HZ)  # decay of the running sums per frame: about 3 seconds
_RIDGE = 1e-3
_SOLVE_FRAMES = 2  # frames between two solutions: taps that are a few frames old explain little at first
_MOST_WAITING = SAMPLE_RATE_HZ // 10

Spectrum = NDArray[np.complex64]


@dataclass(frozen=True, slots=True)
class SpokenOver:
    """Speech of the user over the playback.

    Attributes:
        seconds: how long the user has been speaking.
        samples: the newest audio of the microphone (n,), from BEFORE_SECONDS before that speech on, with the echo
            removed, so that the assistant's own voice is not recognized as the user's.
    """

    seconds: float
    samples: Samples = field(repr=False)


class BargeIn:
    """Detects the user's speech over the playback. One thread uses it.

    Microphone and playback are two streams of samples that run in parallel from the first call on. A constant delay
    between them is learnt. The estimated echo path is kept from reply to reply.
    """

    def __init__(self, seconds: float = BARGE_IN_SECONDS, model: SpeechModel | None = None) -> None:
        """Count speech of `seconds` as an interruption; `model` detects speech (default: SileroVoice)."""
        self._needed = max(1, round(seconds * SAMPLE_RATE_HZ / WINDOW_SAMPLES))
        self._model = model or SileroVoice()
        self._loudness = Loudness()
        self._remover = EchoRemover()
        self._microphone = np.zeros(0, np.float32)
        self._playback = np.zeros(0, np.float32)
        self._heard = np.zeros(0, np.float32)  # the newest audio as recorded
        self._left = np.zeros(0, np.float32)  # the same without the echo, a hop shorter
        self._begun = False
        self._voiced = 0  # windows with the user's speech, minus windows without
        self._since = 0  # samples since the first of those windows began

    def restart(self) -> None:
        """Forget speech in progress, because another reply begins."""
        self._voiced = self._since = 0

    def add(self, microphone: Samples, playback: Samples) -> SpokenOver | None:
        """Add recorded audio (n,) and the audio played meanwhile (m,), both at 16 kHz, zeros while nothing was played.

        The streams may arrive in parts of different length: the microphone waits up to 0.1 s for the playback. Sound
        that was played before the microphone was opened is ignored.
        """
        if not self._begun:
            self._begun, playback = True, playback[max(0, len(playback) - len(microphone)) :]
        self._microphone = np.concatenate([self._microphone, microphone])
        self._playback = np.concatenate([self._playback, playback])[-SAMPLE_RATE_HZ:]
        missing = len(self._microphone) - _MOST_WAITING - len(self._playback)
        if missing > 0:  # nothing has been played
            self._playback = np.concatenate([self._playback, np.zeros(missing, np.float32)])
        found = None
        while min(len(self._microphone), len(self._playback)) >= WINDOW_SAMPLES:
            window, self._microphone = self._microphone[:WINDOW_SAMPLES], self._microphone[WINDOW_SAMPLES:]
            played, self._playback = self._playback[:WINDOW_SAMPLES], self._playback[WINDOW_SAMPLES:]
            found = self._window(window, played) or found
        if found is None:
            return None
        return SpokenOver(found, self._since_before(found))

    def _window(self, window: Samples, played: Samples) -> float | None:
        """Process a window; return how long the user has been speaking, None while that is too short."""
        hops = [
            self._remover(window[at : at + HOP_SAMPLES], played[at : at + HOP_SAMPLES])
            for at in range(0, WINDOW_SAMPLES, HOP_SAMPLES)
        ]
        left = np.concatenate([samples for samples, _ in hops])
        heard_power, left_power = (sum(powers) for powers in zip(*(powers for _, powers in hops), strict=True))
        self._keep(window, left)
        raised = self._loudness(window)
        gain = math.sqrt(float(raised @ raised) / max(float(window @ window), 1e-12))
        speech = self._model(left * np.float32(gain)) >= LEAST_PROBABILITY
        self._since += WINDOW_SAMPLES
        if speech and left_power >= LEAST_SHARE * heard_power:
            self._voiced += 1
        else:
            self._voiced = max(0, self._voiced - 1)
        if self._voiced == 0:
            self._since = 0
        if self._voiced < self._needed:
            return None
        seconds = self._since / SAMPLE_RATE_HZ
        self.restart()
        return seconds

    def _keep(self, window: Samples, left: Samples) -> None:
        most = 4 * SAMPLE_RATE_HZ
        self._heard = np.concatenate([self._heard, window])[-most:]
        self._left = np.concatenate([self._left, left])[-most:]

    def _since_before(self, seconds: float) -> Samples:
        """Return the newest audio up to the last sample that arrived. Its last part still contains the echo."""
        count = round((seconds + BEFORE_SECONDS) * SAMPLE_RATE_HZ)
        raw_end = np.concatenate([self._heard[-HOP_SAMPLES:], self._microphone])
        return np.concatenate([self._left[-max(0, count - HOP_SAMPLES) :], raw_end])


class EchoRemover:
    """Subtracts the echo of the playback from the microphone's audio."""

    def __init__(self) -> None:
        bins = _FRAME // 2 + 1
        self._shape = np.sqrt(np.hanning(_FRAME + 1)[:_FRAME]).astype(np.float32)
        self._microphone = np.zeros(_FRAME, np.float32)
        self._playback = np.zeros(_FRAME, np.float32)
        self._out = np.zeros(_FRAME, np.float32)
        self._played = np.zeros((_LAGS, bins), np.complex64)  # the newest frame first
        # Sums over frames, the newest counting most.
        self._with_itself = np.zeros((_TAPS, bins), np.complex64)
        self._with_playback = np.zeros((_LAGS, bins), np.complex64)
        self._heard_power = np.zeros(bins, np.float32)
        self._taps = np.zeros((_TAPS, bins), np.complex64)
        self._first_tap = 0
        self._frames = 0

    def __call__(self, microphone: Samples, playback: Samples) -> tuple[Samples, tuple[float, float]]:
        """Process recorded audio (HOP_SAMPLES,) and the playback (HOP_SAMPLES,) of the same time.

        Returns the audio without the echo (HOP_SAMPLES,), a hop later, and the power of the newest frame before and
        after the subtraction.
        """
        heard = self._spectrum(self._microphone, microphone)
        self._played = np.roll(self._played, 1, axis=0)
        self._played[0] = self._spectrum(self._playback, playback)
        left = heard
        if np.any(self._played):
            self._learn(heard)
            less = heard - np.sum(self._taps * self._played[self._first_tap :][:_TAPS], axis=0)
            left = np.where(np.abs(less) < np.abs(heard), less, heard)
        powers = [float(np.sum(np.square(np.abs(each[_BINS])))) for each in (heard, left)]
        self._out = np.concatenate([self._out[HOP_SAMPLES:], np.zeros(HOP_SAMPLES, np.float32)])
        self._out += np.fft.irfft(left).astype(np.float32) * self._shape
        return self._out[:HOP_SAMPLES], (powers[0], powers[1])

    def _spectrum(self, window: Samples, new: Samples) -> Spectrum:
        window[:-HOP_SAMPLES] = window[HOP_SAMPLES:]
        window[-HOP_SAMPLES:] = new
        return np.fft.rfft(window * self._shape).astype(np.complex64)

    def _learn(self, heard: Spectrum) -> None:
        for sums, new in (
            (self._with_itself, self._played[:_TAPS].conj() * self._played[0]),
            (self._with_playback, self._played.conj() * heard),
            (self._heard_power, np.square(np.abs(heard))),
        ):
            sums *= _KEEP
            sums += new
        if self._frames % _SOLVE_FRAMES == 0:
            self._solve()
        self._frames += 1

    def _solve(self) -> None:
        """Find the taps (_TAPS, bins) that explain most of the recorded audio (normal equations)."""
        power = self._with_itself[0].real
        alike = np.square(np.abs(self._with_playback)) / (power * self._heard_power + 1e-12)
        latest = int(np.argmax(np.sum(alike[:, _BINS], axis=1)))
        self._first_tap = min(max(0, latest - _EARLY_TAPS), _LAGS - _TAPS)
        row, column = np.indices((_TAPS, _TAPS))
        apart = self._with_itself[np.abs(row - column)]  # Toeplitz: the sum nearly depends on the distance alone
        matrix = np.where((row > column)[:, :, None], apart, apart.conj()).transpose(2, 0, 1)
        matrix = matrix + (_RIDGE * power + 1e-9)[:, None, None] * np.eye(_TAPS, dtype=np.float32)
        wanted = self._with_playback[self._first_tap :][:_TAPS].T[:, :, None]
        self._taps = np.linalg.solve(matrix, wanted)[:, :, 0].T.astype(np.complex64)
