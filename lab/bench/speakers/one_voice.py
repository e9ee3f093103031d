"""One voice that speaks for long, and sounds that are nobody's voice: how many speakers are found in them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.clock import SimulatedClock
from engine.events import Caption, SpeakerLabel, Word
from engine.speakers.live_labels import LiveLabels
from engine.speakers.local_speakers import LocalSpeakers
from lab.bench.captions.people import Split, speakers
from lab.bench.speakers.meetings import Meeting, one_chapter, put_together

FINAL_SECONDS = 0.6
"""Time from the end of a caption until it is final."""

WORD_SECONDS = 0.4
STEP_SECONDS = 0.5
CHORDS = ((0, 4, 7), (5, 9, 12), (7, 11, 14), (-3, 0, 4))
"""Notes of each bar, in semitones above the tonic."""

TONIC_HZ = 220.0
BEAT_SECONDS = 0.5


def long_talk(split: Split, minutes: float) -> Meeting:
    """Return the utterances of the split's speaker who says most, over and over again, with pauses and noise."""
    said = max((one_chapter(clips) for clips in speakers(split).values()), key=len)
    times = round(minutes * 60 / (2.0 * len(said))) + 1  # an utterance lasts longer than two seconds
    return put_together("one voice", [said * times], np.random.default_rng(len(split)), minutes, overlap_share=0.0)


def labels_of(meeting: Meeting) -> list[SpeakerLabel]:
    """Return the labels of a meeting that passes by live, with each turn as a caption."""
    labels = LiveLabels(LocalSpeakers(), SimulatedClock(), 0.0)
    waiting = [_caption(number, turn.start, turn.end) for number, turn in enumerate(meeting.turns, 1)]
    step, found = round(STEP_SECONDS * SAMPLE_RATE_HZ), list[SpeakerLabel]()
    for at in range(0, len(meeting.samples), step):
        labels.add(meeting.samples[at : at + step])
        while waiting and waiting[0].end + FINAL_SECONDS <= (at + step) / SAMPLE_RATE_HZ:
            labels.offer([waiting.pop(0)])
        while labels.busy:
            if isinstance(label := labels.step(), SpeakerLabel):
                found.append(label)
    labels.offer(waiting)
    return [*found, *(label for label in labels.finish() if isinstance(label, SpeakerLabel))]


def _caption(number: int, start: float, end: float) -> Caption:
    begins = np.arange(start, max(end - WORD_SECONDS, start + 0.01), WORD_SECONDS)
    words = tuple(Word(" word", float(at), float(at) + WORD_SECONDS) for at in begins)
    return Caption(number, 0, start, end, words, (), True, end, end)


def voiceless(seconds: float) -> Iterator[tuple[str, Samples]]:
    """Yield sounds without a voice by their names: silence, music and coughs, all synthetic."""
    yield "silence", np.zeros(round(seconds * SAMPLE_RATE_HZ), np.float32)
    yield "music", music(seconds)
    yield "coughs", coughs(seconds)


def music(seconds: float) -> Samples:
    """Return plucked chords with a melody above them and a drum, with overtones as strings have."""
    draw = np.random.default_rng(5)
    song = np.zeros(round(seconds * SAMPLE_RATE_HZ) + SAMPLE_RATE_HZ)
    for beat in range(int(seconds / BEAT_SECONDS)):
        chord = CHORDS[beat // 4 % len(CHORDS)]
        notes = [*(chord if beat % 4 == 0 else ()), 12 + int(draw.choice(chord))]
        sound = sum((_string(TONIC_HZ * 2 ** (note / 12)) for note in notes), _drum(draw))
        at = round(beat * BEAT_SECONDS * SAMPLE_RATE_HZ)
        song[at : at + len(sound)] += sound
    return _as_loud(song, 0.1, seconds)


def _string(hertz: float) -> NDArray[np.float64]:
    """Return a second of a plucked string: overtones that fade the sooner the higher they are."""
    times = np.arange(SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ
    tones = (np.sin(2 * np.pi * hertz * n * times) * np.exp(-3 * n**0.5 * times) / n for n in range(1, 9))
    return np.asarray(sum(tones)) * np.minimum(times / 0.005, 1)


def _drum(draw: np.random.Generator) -> NDArray[np.float64]:
    times = np.arange(SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ
    return draw.standard_normal(len(times)) * np.exp(-40 * times) * 0.3


def coughs(seconds: float) -> Samples:
    """Return a cough every few seconds: a burst of breath through a throat's resonances, then a weaker one."""
    draw = np.random.default_rng(6)
    sound = np.zeros(round(seconds * SAMPLE_RATE_HZ) + SAMPLE_RATE_HZ)
    at = SAMPLE_RATE_HZ
    while at < seconds * SAMPLE_RATE_HZ:
        for offset, loudness in ((0.0, 1.0), (0.28, 0.5)):
            burst = loudness * _burst(draw)
            begin = at + round(offset * SAMPLE_RATE_HZ)
            sound[begin : begin + len(burst)] += burst
        at += round(draw.uniform(2.0, 5.0) * SAMPLE_RATE_HZ)
    return _as_loud(sound, 0.3, seconds)


def _burst(draw: np.random.Generator) -> NDArray[np.float64]:
    """Return a third of a second of noise that sets in at once, with most of its power near three resonances."""
    count = round(0.3 * SAMPLE_RATE_HZ)
    hertz = np.fft.rfftfreq(count, 1 / SAMPLE_RATE_HZ)
    shape = sum(np.exp(-(((hertz - centre) / (0.3 * centre)) ** 2)) for centre in (550.0, 1_500.0, 2_800.0))
    noise = np.fft.irfft(np.fft.rfft(draw.standard_normal(count)) * shape, count)
    times = np.arange(count) / SAMPLE_RATE_HZ
    return np.asarray(noise * np.minimum(times / 0.01, 1) * np.exp(-12 * times))


def _as_loud(sound: NDArray[np.float64], peak: float, seconds: float) -> Samples:
    loud: Samples = (peak * sound / np.abs(sound).max()).astype(np.float32)[: round(seconds * SAMPLE_RATE_HZ)]
    return loud
