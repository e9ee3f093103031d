from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.voice_activity import (
    CUTOFF_HZ,
    WEIGHTS,
    WINDOW_SAMPLES,
    HighPass,
    LevelledVoice,
    SileroVoice,
    SpeechEnded,
    SpeechStarted,
    VoiceGate,
)
from engine.errors import ModelError
from tests.people_clips import people_clips

WINDOW_SECONDS = WINDOW_SAMPLES / SAMPLE_RATE_HZ


def probabilities(samples: np.ndarray) -> np.ndarray:
    model = SileroVoice()
    whole = len(samples) // WINDOW_SAMPLES * WINDOW_SAMPLES
    return np.array([model(window) for window in samples[:whole].reshape(-1, WINDOW_SAMPLES)])


def run(gate: VoiceGate, samples: np.ndarray) -> list[SpeechStarted | SpeechEnded]:
    events = []
    while len(samples):
        count = min(gate.room, len(samples))
        event = gate.add(samples[:count])
        samples = samples[count:]
        if event is not None:
            events.append(event)
    return events


def scripted(*chances: float) -> VoiceGate:
    script = iter(chances)
    return VoiceGate(lambda _: next(script))


def windows(count: int) -> np.ndarray:
    return np.zeros(count * WINDOW_SAMPLES, np.float32)


def test_silence_and_noise_are_no_speech() -> None:
    rng = np.random.default_rng(0)
    second = SAMPLE_RATE_HZ
    hum = 0.1 * np.sin(2 * np.pi * 50 * np.arange(second) / SAMPLE_RATE_HZ)
    for samples in (np.zeros(second), 0.02 * rng.standard_normal(second), hum, np.full(second, 0.3)):
        assert (probabilities(samples.astype(np.float32)) < 0.35).all()


@pytest.fixture(scope="module")
def sentences() -> np.ndarray:
    """Two sentences of one speaker, with a pause before, between and behind."""
    pause = np.zeros(SAMPLE_RATE_HZ, np.float32)
    first, second = (clip.samples for clip in people_clips()[-2:])
    return np.concatenate([pause, first, pause, second, pause])


def test_recorded_speech_is_speech(sentences: np.ndarray) -> None:
    heard = probabilities(sentences)
    assert 0.5 < (heard > 0.5).mean() < 0.95
    assert (heard[:8] < 0.5).all()


@pytest.mark.parametrize("gain", [0.1, 0.01, 0.003])
def test_quiet_speech_is_noticed_like_loud_speech(sentences: np.ndarray, gain: float) -> None:
    loud, quiet = (run(VoiceGate(LevelledVoice()), factor * sentences) for factor in (1, np.float32(gain)))
    assert [type(event) for event in quiet] == [type(event) for event in loud]
    assert all(abs(a.seconds - b.seconds) < 0.3 for a, b in zip(quiet, loud, strict=True))


@pytest.mark.parametrize("level", [0.1, 0.001])
def test_noise_stays_noise_however_far_it_is_raised(level: float) -> None:
    noise = level * np.random.default_rng(0).standard_normal(5 * SAMPLE_RATE_HZ)
    assert run(VoiceGate(LevelledVoice()), noise.astype(np.float32)) == []


def test_probabilities_equal_those_of_the_published_network() -> None:
    time = np.arange(12 * WINDOW_SAMPLES) / SAMPLE_RATE_HZ
    pitch_hz = 120 + 30 * np.sin(2 * np.pi * 3 * time)
    phase = 2 * np.pi * np.cumsum(pitch_hz) / SAMPLE_RATE_HZ
    vowel = np.zeros(len(time))
    for k in range(1, 25):
        formants = np.exp(-(((k * pitch_hz - 600) / 300) ** 2)) + 0.5 * np.exp(-(((k * pitch_hz - 1500) / 300) ** 2))
        vowel += formants * np.sin(k * phase)
    signal = 0.2 * vowel * np.clip(np.sin(2 * np.pi * 4 * time) + 0.3, 0, 1)
    # Computed by onnxruntime from the ONNX file that the weights come from.
    expected = [0.294622, 0.402653, 0.128402, 0.134554, 0.137528, 0.055061]
    expected += [0.050155, 0.140839, 0.349045, 0.161268, 0.098481, 0.165173]
    np.testing.assert_allclose(probabilities(signal.astype(np.float32)), expected, atol=1e-5)


def test_missing_damaged_and_foreign_weights_are_named(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(WEIGHTS.read_bytes()[:1000])
    foreign = tmp_path / "foreign.safetensors"
    save_file({"lstm_cell.weight_ih": np.zeros((4, 4), np.float32)}, foreign)
    for path in (tmp_path / "absent.safetensors", broken, foreign):
        with pytest.raises(ModelError, match=path.stem):
            SileroVoice(path)


def test_speech_begins_after_three_voiced_windows_and_is_dated_back_to_the_first() -> None:
    gate = scripted(0.1, 0.9, 0.6, 0.9, 0.9)
    assert run(gate, windows(5)) == [SpeechStarted(WINDOW_SECONDS, 4 * WINDOW_SECONDS)]
    assert gate.speaking


def test_a_click_does_not_open_the_gate() -> None:
    gate = scripted(*[0.9, 0.9, 0.1] * 10)
    assert run(gate, windows(30)) == []
    assert not gate.speaking


def test_between_the_thresholds_nothing_changes() -> None:
    assert run(scripted(*[0.4] * 20), windows(20)) == []
    events = run(scripted(*[0.9] * 3, *[0.4] * 40), windows(43))
    assert [type(event) for event in events] == [SpeechStarted]


def test_speech_is_clear_up_to_where_the_network_begins_to_doubt_it() -> None:
    gate = scripted(*[0.9] * 4, 0.7, 0.4, 0.1)
    run(gate, windows(7))
    assert (gate.clear_seconds, gate.voiced_seconds) == (4 * WINDOW_SECONDS, 6 * WINDOW_SECONDS)


def test_speech_ends_after_half_a_second_of_silence_and_is_dated_back() -> None:
    gate = scripted(*[0.9] * 4, *[0.1] * 30)
    ended = run(gate, windows(34))[1]
    assert isinstance(ended, SpeechEnded)
    assert ended.seconds == pytest.approx(4 * WINDOW_SECONDS)
    assert 0.5 <= ended.known_seconds - ended.seconds < 0.5 + WINDOW_SECONDS
    assert not gate.speaking and not gate.has_unheard_speech


def test_a_short_pause_does_not_end_speech() -> None:
    gate = scripted(*[0.9] * 4, *[0.1] * 14, *[0.9] * 2)
    assert [type(event) for event in run(gate, windows(20))] == [SpeechStarted]


def test_the_first_windows_of_a_word_are_hopeful() -> None:
    gate = scripted(0.9)
    run(gate, windows(1))
    assert gate.has_unheard_speech and not gate.speaking


@pytest.mark.parametrize("chunk", [1, 100, 512])
def test_the_size_of_chunks_changes_no_decision(chunk: int) -> None:
    rng = np.random.default_rng(1)
    samples = (rng.standard_normal(40_000) * np.repeat(rng.random(40) > 0.5, 1000)).astype(np.float32)
    loud = VoiceGate(lambda window: float(np.abs(window).mean() > 0.3))
    expected = run(VoiceGate(lambda window: float(np.abs(window).mean() > 0.3)), samples)
    events = []
    while len(samples):
        count = min(loud.room, chunk, len(samples))
        events.append(loud.add(samples[:count]))
        samples = samples[count:]
    assert [event for event in events if event] == expected


def test_the_high_pass_is_that_of_its_difference_equation_in_windows_of_any_sound() -> None:
    samples = np.random.default_rng(0).normal(size=4 * WINDOW_SAMPLES)
    expected = samples
    for quality in (0.54119610, 1.30656296):
        turn = 2 * np.pi * CUTOFF_HZ / SAMPLE_RATE_HZ
        slope, cosine = np.sin(turn) / (2 * quality), np.cos(turn)
        filtered = np.zeros(len(expected) + 2)
        given = np.concatenate([np.zeros(2), expected])
        for at in range(2, len(given)):
            ahead = (1 + cosine) / 2 * (given[at] - 2 * given[at - 1] + given[at - 2])
            filtered[at] = (ahead + 2 * cosine * filtered[at - 1] - (1 - slope) * filtered[at - 2]) / (1 + slope)
        expected = filtered[2:]
    high_pass = HighPass()
    heard = np.concatenate([high_pass(window) for window in samples.astype(np.float32).reshape(4, -1)])
    np.testing.assert_allclose(heard, expected, atol=1e-4)


def hum(count: int) -> np.ndarray:
    return 0.18 * np.sin(2 * np.pi * 50 * np.arange(count) / SAMPLE_RATE_HZ)


def rumble(count: int) -> np.ndarray:
    return 0.2 * (np.sin(2 * np.pi * 18 * np.arange(count) / SAMPLE_RATE_HZ) + np.sin(np.arange(count) * 0.009))


def clicks(count: int) -> np.ndarray:
    return np.where(np.arange(count) % SAMPLE_RATE_HZ < 80, 0.9, 0.0)


@pytest.mark.parametrize("noise", [hum, rumble, lambda count: np.full(count, 0.2), clicks])
def test_case_low_sound_an_offset_and_clicks_do_not_close_the_gate(noise: Callable[[int], np.ndarray]) -> None:
    (said, *_) = people_clips()
    quiet = 0.02 * said.samples / np.abs(said.samples).max()  # about -45 dBFS
    clean, noisy = (sum(gate_of(samples.astype(np.float32))) for samples in (quiet, quiet + noise(len(quiet))))
    assert clean > 0.8 * said.seconds
    assert noisy > 0.9 * clean


@pytest.mark.parametrize("noise", [hum, rumble, lambda count: np.full(count, 0.2), clicks])
def test_low_sound_an_offset_and_clicks_alone_are_no_speech(noise: Callable[[int], np.ndarray]) -> None:
    assert gate_of(noise(10 * SAMPLE_RATE_HZ).astype(np.float32)) == []


def gate_of(samples: np.ndarray) -> list[float]:
    """Return how long each span of speech is that the gate finds in samples (n,), in seconds."""
    events = run(VoiceGate(LevelledVoice()), samples)
    ends = [each.seconds for each in events if isinstance(each, SpeechEnded)]
    begins = [each.seconds for each in events if isinstance(each, SpeechStarted)]
    return [end - begin for begin, end in zip_longest(begins, ends, fillvalue=len(samples) / SAMPLE_RATE_HZ)]
