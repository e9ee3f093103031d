"""Voice activity detection, so that silence costs almost nothing and recognition starts in time.

The network is Silero VAD (its 16 kHz half) written in numpy: magnitudes of a short-time Fourier transform, four
convolutions, one LSTM cell, one output. The weights are in assets/voice_activity, with their source.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import ModelError

WINDOW_SAMPLES = 512
"""Samples per decision: 32 ms."""

WINDOW_SECONDS = WINDOW_SAMPLES / SAMPLE_RATE_HZ
CLEAR_WINDOWS = 1_250
"""Windows of clear speech that are remembered: 40 s, more than any buffer holds."""

CONTEXT_SAMPLES = 64  # from the window before, prepended
FFT_SAMPLES, FFT_HOP = 256, 128
STATE_SIZE = 128
STRIDES = (1, 2, 2, 1)
END_SILENCE_SECONDS = 0.5
CUTOFF_HZ = 80.0
"""Cutoff of the high-pass, below voices and above mains hum, rumble and a constant offset."""

CLICK_WINDOWS = 5
"""Number of consecutive windows: sound in fewer than half of them is a click, too short for speech."""

WEIGHTS = Path(__file__).resolve().parents[2] / "assets" / "voice_activity" / "silero_vad_16k.safetensors"

SpeechModel = Callable[[Samples], float]
"""Maps the next window (WINDOW_SAMPLES,) to the probability that it is speech; keeps its own state."""


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """The start of speech at `seconds`, detected at `known_seconds`."""

    seconds: float
    known_seconds: float


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """The end of speech: it was last voiced at `seconds`; detected at `known_seconds`, after a silence."""

    seconds: float
    known_seconds: float


class SileroVoice:
    """The network as a SpeechModel. Raises ModelError if its weights are missing or damaged."""

    def __init__(self, weights: Path = WEIGHTS) -> None:
        tensors = _load(weights)
        # The transform's rows are windowed cosines, then windowed sines.
        self._fourier = np.ascontiguousarray(tensors["stft_conv.weight"][:, 0].T)
        self._convolutions = [
            (_rows(tensors[f"conv{i}.weight"]), tensors[f"conv{i}.bias"], stride)
            for i, stride in enumerate(STRIDES, start=1)
        ]
        both = [tensors["lstm_cell.weight_ih"], tensors["lstm_cell.weight_hh"]]
        self._recurrent = np.ascontiguousarray(np.concatenate(both, axis=1).T)
        self._recurrent_bias = tensors["lstm_cell.bias_ih"] + tensors["lstm_cell.bias_hh"]
        self._output = tensors["final_conv.weight"].ravel()
        self._output_bias = tensors["final_conv.bias"][0]
        self._hidden = np.zeros(STATE_SIZE, np.float32)
        self._cell = np.zeros(STATE_SIZE, np.float32)
        self._context = np.zeros(CONTEXT_SAMPLES, np.float32)

    def __call__(self, window: Samples) -> float:
        features = self._spectrum(window)
        for weight, bias, stride in self._convolutions:
            features = _convolve(features, weight, bias, stride)
        gates = np.concatenate([features[0], self._hidden]) @ self._recurrent + self._recurrent_bias
        keep_input, forget, candidate, expose = gates.reshape(4, STATE_SIZE)
        self._cell = _sigmoid(forget) * self._cell + _sigmoid(keep_input) * np.tanh(candidate)
        self._hidden = _sigmoid(expose) * np.tanh(self._cell)
        return float(_sigmoid(np.maximum(self._hidden, 0) @ self._output + self._output_bias))

    def _spectrum(self, window: Samples) -> NDArray[np.float32]:
        """Return the magnitudes (4, 129) of the window, with its context before and its own end mirrored after it."""
        mirrored = window[-2 : -CONTEXT_SAMPLES - 2 : -1]
        samples = np.concatenate([self._context, window, mirrored])
        self._context = window[-CONTEXT_SAMPLES:].copy()
        frames = np.lib.stride_tricks.sliding_window_view(samples, FFT_SAMPLES)[::FFT_HOP]
        parts = (frames @ self._fourier).reshape(len(frames), 2, -1)
        return np.hypot(parts[:, 0], parts[:, 1])


def _load(path: Path) -> dict[str, NDArray[np.float32]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors = load_file(path)
        shape = tensors["lstm_cell.weight_ih"].shape
    except (OSError, SafetensorError, KeyError) as error:
        raise ModelError(f"The voice gate's weights, {path}, are missing or damaged. Install Earshot again.") from error
    if shape != (4 * STATE_SIZE, STATE_SIZE):
        raise ModelError(f"The voice gate's weights, {path}, are those of another network. Install Earshot again.")
    return tensors


def _rows(weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """Reshape convolution weights (out, in, 3) to the matrix (3 * in, out) by which unrolled frames are multiplied."""
    return np.ascontiguousarray(weight.transpose(2, 1, 0).reshape(-1, len(weight)))


def _convolve(
    frames: NDArray[np.float32], weight: NDArray[np.float32], bias: NDArray[np.float32], stride: int
) -> NDArray[np.float32]:
    """Convolve with width 3 and zero padding 1, then apply ReLU: (n, in) -> (ceil(n / stride), out)."""
    padded = np.zeros((len(frames) + 2, frames.shape[1]), np.float32)
    padded[1:-1] = frames
    unrolled = [padded[i : i + 3].reshape(-1) for i in range(0, len(frames), stride)]
    convolved: NDArray[np.float32] = np.stack(unrolled) @ weight + bias
    return np.maximum(convolved, np.float32(0))


def _sigmoid(values: NDArray[np.float32]) -> NDArray[np.float32]:
    half = np.float32(0.5)
    curve: NDArray[np.float32] = half + half * np.tanh(half * values)  # the logistic function, without overflow
    return curve


class HighPass:
    """A Butterworth high-pass of fourth order, which removes mains hum, rumble and a constant offset from windows.

    Each of its two sections is computed window by window, as the response to the window plus the response to the
    section's state of two values.
    """

    def __init__(self, cutoff_hz: float = CUTOFF_HZ) -> None:
        self._halves = [_SecondOrder(cutoff_hz, quality) for quality in (0.54119610, 1.30656296)]

    def __call__(self, window: Samples) -> Samples:
        """Return a window (WINDOW_SAMPLES,) filtered."""
        for half in self._halves:
            window = half(window)
        return window


class _SecondOrder:
    """A second-order high-pass section, by the bilinear transform."""

    def __init__(self, cutoff_hz: float, quality: float) -> None:
        turn = 2 * math.pi * cutoff_hz / SAMPLE_RATE_HZ
        slope = math.sin(turn) / (2 * quality)
        ahead = np.array([1 + math.cos(turn), -2 * (1 + math.cos(turn)), 1 + math.cos(turn)]) / 2 / (1 + slope)
        back = np.array([-2 * math.cos(turn), 1 - slope]) / (1 + slope)
        # In the transposed direct form each sample multiplies the state (2,) by this matrix, and adds weights of it.
        self._step = np.array([[-back[0], 1.0], [-back[1], 0.0]])
        entry = ahead[1:] - back * ahead[0]
        powers = [np.eye(2)]
        for _ in range(WINDOW_SAMPLES):
            powers.append(self._step @ powers[-1])
        self._of_memory = np.array([power[0] for power in powers[:-1]])
        self._response = np.array([ahead[0], *(power[0] @ entry for power in powers[: WINDOW_SAMPLES - 1])])
        self._to_memory = np.array([power @ entry for power in reversed(powers[:-1])]).T
        self._after_window = powers[-1]
        self._memory = np.zeros(2)

    def __call__(self, window: Samples) -> Samples:
        filtered = np.convolve(window, self._response)[:WINDOW_SAMPLES] + self._of_memory @ self._memory
        self._memory = self._after_window @ self._memory + self._to_memory @ window
        return filtered.astype(np.float32)


class Loudness:
    """Amplifies quiet windows to the loudness of ordinary speech, by the recent maximum; loud ones stay as they are.

    Recognition works with a quiet microphone, but the network would classify its speech as silence. A click is shorter
    than speech: the level of a window is the median of the newest ones, so that clicks do not hide the speech between
    them.
    """

    def __init__(self, target: float = 0.1, max_gain: float = 100.0, half_life_seconds: float = 5.0) -> None:
        self._target = target
        self._max_gain = max_gain
        self._decay = 0.5 ** (WINDOW_SAMPLES / SAMPLE_RATE_HZ / half_life_seconds)
        self._newest: deque[float] = deque([0.0] * CLICK_WINDOWS, maxlen=CLICK_WINDOWS)
        self._level = 0.0

    def __call__(self, window: Samples) -> Samples:
        """Return a window (n,), amplified where it is quiet."""
        level = math.sqrt(float(window @ window) / len(window))
        self._newest.append(level)
        self._level = max(sorted(self._newest)[CLICK_WINDOWS // 2], self._level * self._decay)
        loudest = max(level, self._level)
        gain = min(self._target / loudest, self._max_gain) if loudest else 1.0
        return window * np.float32(max(gain, 1.0))


class LevelledVoice:
    """A SpeechModel for any microphone or recording: the network, on sound that was filtered and levelled."""

    def __init__(self) -> None:
        """Load the network. Raises ModelError where its weights are missing or damaged."""
        self._network = SileroVoice()
        self._high_pass = HighPass()
        self._loudness = Loudness()

    def __call__(self, window: Samples) -> float:
        return self._network(self._loudness(self._high_pass(window)))


class VoiceGate:
    """Turns window probabilities into the start and the end of speech.

    Speech starts when `min_speech_seconds` of consecutive windows reach `start_threshold`, and lasts until
    `end_silence_seconds` of consecutive windows have stayed below `stop_threshold`. Between the thresholds nothing
    changes.

    Attributes:
        speaking: whether speech has started and not ended.
        voiced_seconds: end of the newest window that sounded like speech, `start_seconds` before any.
        clear_seconds: end of the newest window that clearly sounded like speech, `start_seconds` before any. When
            somebody stops, the probability falls over a window or two.
    """

    def __init__(
        self,
        model: SpeechModel,
        *,
        start_threshold: float = 0.5,
        stop_threshold: float = 0.35,
        clear_threshold: float = 0.85,
        min_speech_seconds: float = 0.09,
        end_silence_seconds: float = END_SILENCE_SECONDS,
        start_seconds: float = 0.0,
    ) -> None:
        """Judge a stream whose first sample stands at `start_seconds`."""
        self._model = model
        self._start_threshold = start_threshold
        self._stop_threshold = stop_threshold
        self._clear_threshold = clear_threshold
        self._min_speech_samples = min_speech_seconds * SAMPLE_RATE_HZ
        self._end_silence_samples = end_silence_seconds * SAMPLE_RATE_HZ
        self._window = np.zeros(WINDOW_SAMPLES, np.float32)
        self._filled = 0
        self._position = self._voiced = self._clear = round(start_seconds * SAMPLE_RATE_HZ)
        self._clear_windows: deque[int] = deque(maxlen=CLEAR_WINDOWS)  # ends of those of clear speech
        self._onset: int | None = None  # start of the consecutive voiced windows that may become speech
        self.speaking = False

    @property
    def voiced_seconds(self) -> float:
        return self._voiced / SAMPLE_RATE_HZ

    @property
    def clear_seconds(self) -> float:
        return self._clear / SAMPLE_RATE_HZ

    def clear_between(self, begin_seconds: float, end_seconds: float) -> float:
        """Return how much clear speech there is between two moments of the newest audio, in seconds."""
        begin, end = (seconds * SAMPLE_RATE_HZ for seconds in (begin_seconds, end_seconds))
        return sum(begin + WINDOW_SAMPLES <= each <= end for each in self._clear_windows) * WINDOW_SECONDS

    def clear_span(self, begin_seconds: float, end_seconds: float) -> tuple[float, float] | None:
        """Return where clear speech begins and ends between two moments of the newest audio; None if there is none."""
        begin, end = (seconds * SAMPLE_RATE_HZ for seconds in (begin_seconds, end_seconds))
        within = [each for each in self._clear_windows if begin < each < end + WINDOW_SAMPLES]
        return ((within[0] - WINDOW_SAMPLES) / SAMPLE_RATE_HZ, within[-1] / SAMPLE_RATE_HZ) if within else None

    @property
    def has_unheard_speech(self) -> bool:
        """Return whether the newest audio is speech or may be the start of it."""
        return self.speaking or self._onset is not None

    @property
    def room(self) -> int:
        """Number of samples that the next decision still waits for."""
        return WINDOW_SAMPLES - self._filled

    @property
    def decided(self) -> bool:
        """Return whether the newest decision covers all the audio there is."""
        return self._filled == 0

    def add(self, samples: Samples) -> SpeechStarted | SpeechEnded | None:
        """Add at most `room` samples; return the start or end of speech, if they bring one."""
        self._window[self._filled : self._filled + len(samples)] = samples
        self._filled += len(samples)
        self._position += len(samples)
        if self._filled < WINDOW_SAMPLES:
            return None
        self._filled = 0
        return self._decide(self._model(self._window))

    def _decide(self, probability: float) -> SpeechStarted | SpeechEnded | None:
        now = self._position / SAMPLE_RATE_HZ
        if probability >= self._clear_threshold:
            self._clear = self._position
            self._clear_windows.append(self._position)
        if probability >= (self._stop_threshold if self.speaking else self._start_threshold):
            if self._onset is None:
                self._onset = self._position - WINDOW_SAMPLES
            self._voiced = self._position
            if not self.speaking and self._position - self._onset >= self._min_speech_samples:
                self.speaking = True
                return SpeechStarted(self._onset / SAMPLE_RATE_HZ, now)
            return None
        if not self.speaking:
            self._onset = None
        elif self._position - self._voiced >= self._end_silence_samples:
            self.speaking, self._onset = False, None
            return SpeechEnded(self.voiced_seconds, now)
        return None
