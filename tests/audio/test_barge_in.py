"""Barge-in: the user's voice over ours is noticed, ours coming back is not, by real voices in made-up rooms."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.barge_in import BEFORE_SECONDS, BargeIn, EchoRemover, SpokenOver
from engine.audio.voice_activity import WINDOW_SAMPLES
from lab.recipes.speech.espeak import SyntheticVoice, espeak

NEEDED_SECONDS = 0.384
HOP = 256


def levelled(samples: Samples, level: float = 0.1) -> Samples:
    voiced = samples[np.abs(samples) > 0.003]
    return (samples * (level / np.sqrt(np.mean(np.square(voiced))))).astype(np.float32)


@cache
def own_voice() -> Samples:
    text = "Sure, I have turned on the kitchen lights and set the thermostat to twenty one degrees, as you wished."
    return levelled(espeak().speak(text, SyntheticVoice()).samples)


@cache
def user_voice() -> Samples:
    return levelled(
        espeak().speak("Wait a moment, that is not what I wanted to know", SyntheticVoice("en-gb-x-rp+f3")).samples
    )


def room(delay_seconds: float, reverberation_seconds: float, gain_db: float, seed: int = 0) -> Samples:
    """Make an impulse response: the way through two devices and the air, then the room's echo."""
    rng = np.random.default_rng(seed)
    delay, tail = round(delay_seconds * SAMPLE_RATE_HZ), 6_000
    response = np.zeros(delay + tail)
    fading = np.exp(-6.9 * np.arange(tail) / SAMPLE_RATE_HZ / reverberation_seconds)
    response[delay:] = 0.1 * rng.standard_normal(tail) * fading
    response[delay] = 1.0
    response *= 10 ** (gain_db / 20) / np.sqrt(np.sum(np.square(response)))
    return response.astype(np.float32)


def through(samples: Samples, response: Samples) -> Samples:
    size = 1 << (len(samples) + len(response)).bit_length()
    both = np.fft.rfft(samples, size) * np.fft.rfft(response, size)
    return np.fft.irfft(both, size)[: len(samples)].astype(np.float32)


def noise(count: int, level: float, seed: int = 1) -> Samples:
    return (level * np.random.default_rng(seed).standard_normal(count)).astype(np.float32)


def listen(
    barge_in: BargeIn, microphone: Samples, playback: Samples, chunk: int = 800
) -> list[tuple[float, SpokenOver]]:
    """Feed both; return what was noticed, with the time up to which had been fed."""
    found = []
    for start in range(0, len(microphone), chunk):
        over = barge_in.add(microphone[start : start + chunk], playback[start : start + chunk])
        if over is not None:
            found.append((min(start + chunk, len(microphone)) / SAMPLE_RATE_HZ, over))
    return found


def with_user(echo: Samples, begin_seconds: float, gain_db: float) -> Samples:
    microphone = echo.copy()
    begin = round(begin_seconds * SAMPLE_RATE_HZ)
    said = user_voice()[: len(microphone) - begin] * np.float32(10 ** (gain_db / 20))
    microphone[begin : begin + len(said)] += said
    return microphone


@pytest.mark.parametrize(
    ("delay", "reverberation", "gain_db"),
    [
        (0.0, 0.1, 0.0),
        (0.003, 0.2, 3.0),
        (0.003, 0.2, -3.0),
        (0.02, 0.2, -6.0),
        (0.1, 0.3, -12.0),
        (0.2, 0.4, -20.0),
        (0.3, 0.3, -30.0),
    ],
)
def test_our_own_voice_coming_back_is_not_the_user(delay: float, reverberation: float, gain_db: float) -> None:
    echo = through(own_voice(), room(delay, reverberation, gain_db)) + noise(len(own_voice()), 0.0003)
    assert listen(BargeIn(), echo, own_voice()) == []


@pytest.mark.parametrize(
    ("delay", "gain_db", "user_db"),
    [
        (0.003, -3.0, 0.0),
        (0.003, 3.0, 6.0),
        (0.0, -12.0, 0.0),
        (0.1, -12.0, -6.0),
        (0.3, -20.0, -10.0),
        (0.1, -60.0, 0.0),
    ],
)
def test_the_user_speaking_over_ours_is_noticed(delay: float, gain_db: float, user_db: float) -> None:
    echo = through(own_voice(), room(delay, 0.3, gain_db)) + noise(len(own_voice()), 0.0003)
    found = listen(BargeIn(), with_user(echo, 2.5, user_db), own_voice())
    assert found
    seconds, over = found[0]
    assert over.seconds >= NEEDED_SECONDS
    assert 2.5 + NEEDED_SECONDS <= seconds < 2.5 + 3 * NEEDED_SECONDS


def test_once_the_room_is_known_our_voice_is_not_the_user_from_its_first_word_on() -> None:
    barge_in = BargeIn()
    for _ in range(2):
        echo = through(own_voice(), room(0.15, 0.3, -6)) + noise(len(own_voice()), 0.0003)
        barge_in.restart()
        assert listen(barge_in, echo, own_voice()) == []


def test_speech_is_noticed_while_nothing_plays() -> None:
    silence = np.zeros(2 * SAMPLE_RATE_HZ, np.float32)
    microphone = with_user(noise(len(silence), 0.0003), 0.5, 0)
    assert listen(BargeIn(), microphone, silence)


@pytest.mark.parametrize("level", [0.0, 0.001, 0.05])
def test_noise_is_nobody(level: float) -> None:
    hiss = noise(3 * SAMPLE_RATE_HZ, level)
    assert listen(BargeIn(), hiss, np.zeros_like(hiss)) == []


def test_noise_over_our_voice_is_nobody() -> None:
    echo = through(own_voice(), room(0.1, 0.3, -20))
    assert listen(BargeIn(), echo + noise(len(echo), 0.01), own_voice()) == []


def test_a_cough_is_no_interruption() -> None:
    silence = np.zeros(2 * SAMPLE_RATE_HZ, np.float32)
    cough = silence.copy()
    cough[8000:11_000] = user_voice()[2000:5000]
    assert listen(BargeIn(), cough, silence) == []


def test_the_sound_handed_over_is_the_newest_and_begins_before_the_speech() -> None:
    silence = np.zeros(3 * SAMPLE_RATE_HZ, np.float32)
    microphone = with_user(noise(len(silence), 0.0003), 1.0, 0)
    seconds, over = listen(BargeIn(), microphone, silence)[0]
    end = round(seconds * SAMPLE_RATE_HZ)
    newest = microphone[end - len(over.samples) : end]
    assert len(over.samples) / SAMPLE_RATE_HZ == pytest.approx(over.seconds + BEFORE_SECONDS, abs=0.06)
    np.testing.assert_allclose(over.samples, newest, atol=1e-4)


def test_our_voice_is_taken_out_of_what_is_handed_over() -> None:
    echo = through(own_voice(), room(0.1, 0.2, -6))
    seconds, over = listen(BargeIn(), with_user(echo, 3.0, 0), own_voice())[0]
    end = round(seconds * SAMPLE_RATE_HZ)
    wanted = with_user(np.zeros_like(echo), 3.0, 0)[end - len(over.samples) : end]
    with_echo = with_user(echo, 3.0, 0)[end - len(over.samples) : end]

    def likeness(samples: Samples) -> float:
        return float(samples @ wanted / np.sqrt((samples @ samples) * (wanted @ wanted)))

    assert likeness(over.samples) > likeness(with_echo)


@pytest.mark.parametrize("chunk", [160, 511, 4000])
def test_the_size_of_chunks_changes_little(chunk: int) -> None:
    echo = through(own_voice(), room(0.1, 0.3, -12))
    seconds, _ = listen(BargeIn(), with_user(echo, 2.5, 0), own_voice(), chunk)[0]
    assert 2.5 + NEEDED_SECONDS <= seconds < 2.5 + 3 * NEEDED_SECONDS + chunk / SAMPLE_RATE_HZ


def test_streams_in_unequal_parts_are_paired() -> None:
    echo = through(own_voice(), room(0.1, 0.3, -6))
    microphone = with_user(echo, 2.5, 0)
    barge_in, heard, played, found = BargeIn(), 0, 0, []
    for parts in itertools.cycle([(800, 441), (800, 1159)]):
        over = barge_in.add(microphone[heard : heard + parts[0]], own_voice()[played : played + parts[1]])
        heard, played = heard + parts[0], played + parts[1]
        found += [heard / SAMPLE_RATE_HZ] if over else []
        if heard >= len(microphone):
            break
    assert found and 2.5 + NEEDED_SECONDS <= found[0] < 2.5 + 3 * NEEDED_SECONDS


def test_what_was_played_before_the_microphone_was_opened_does_not_matter() -> None:
    echo = through(own_voice(), room(0.1, 0.3, -6)) + noise(len(own_voice()), 0.0003)
    barge_in = BargeIn()
    before = own_voice()[-SAMPLE_RATE_HZ // 2 :]
    first = barge_in.add(echo[:800], np.concatenate([before, own_voice()[:800]]))
    assert first is None
    assert listen(barge_in, echo[800:], own_voice()[800:]) == []


def test_a_microphone_alone_is_heard_too() -> None:
    barge_in = BargeIn()
    microphone = with_user(noise(2 * SAMPLE_RATE_HZ, 0.0003), 0.5, 0)
    nothing = np.zeros(0, np.float32)
    assert any(barge_in.add(microphone[at : at + 800], nothing) for at in range(0, len(microphone), 800))


def test_only_speech_long_enough_interrupts_and_a_new_reply_forgets_it() -> None:
    loud = noise(WINDOW_SAMPLES, 0.1)
    silent = np.zeros(WINDOW_SAMPLES, np.float32)
    barge_in = BargeIn(0.32, model=lambda _: 0.9)
    assert [barge_in.add(loud, silent) is not None for _ in range(10)] == [False] * 9 + [True]
    assert [barge_in.add(loud, silent) is not None for _ in range(9)] == [False] * 9
    barge_in.restart()
    assert [barge_in.add(loud, silent) is not None for _ in range(10)] == [False] * 9 + [True]


def test_speech_with_small_gaps_is_speech() -> None:
    chances = itertools.chain([0.9, 0.9, 0.9, 0.1], itertools.repeat(0.9))
    barge_in = BargeIn(0.16, model=lambda _: next(chances))
    loud, silent = noise(WINDOW_SAMPLES, 0.1), np.zeros(WINDOW_SAMPLES, np.float32)
    found = [barge_in.add(loud, silent) for _ in range(8)]
    first = next(over for over in found if over)
    assert found.index(first) == 6  # five, and one for the gap, which took one off
    assert first.seconds == pytest.approx(7 * WINDOW_SAMPLES / SAMPLE_RATE_HZ)


def test_the_echo_remover_lets_through_what_was_not_played() -> None:
    remover = EchoRemover()
    heard = noise(20 * HOP, 0.1)
    silent = np.zeros(HOP, np.float32)
    left = np.concatenate([remover(heard[at : at + HOP], silent)[0] for at in range(0, len(heard), HOP)])
    np.testing.assert_allclose(left[HOP:], heard[:-HOP], atol=1e-5)


def test_the_echo_remover_takes_out_what_was() -> None:
    remover = EchoRemover()
    echo = through(own_voice(), room(0.12, 0.2, -6))
    pairs = [(echo[at : at + HOP], own_voice()[at : at + HOP]) for at in range(0, len(echo) - HOP, HOP)]
    left = np.concatenate([remover(heard, played)[0] for heard, played in pairs])
    second = SAMPLE_RATE_HZ
    assert np.sum(np.square(left[second:])) < 0.15 * np.sum(np.square(echo[second : len(left)]))
