"""Meetings put together from readers: turns, pauses, people who speak at once, rooms, levels and noise.

Everything is drawn from a seed, so that a meeting is the same each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import stream_audio
from engine.audio.voice_activity import WINDOW_SAMPLES, LevelledVoice, SpeechEnded, SpeechStarted, VoiceGate
from engine.speakers.turns import SpeakerTurn
from lab.bench.captions.clips import Clip
from lab.bench.captions.people import Split, speakers
from lab.bench.errors import BenchError

LONGEST_TURN_SECONDS = 14.0
OVERLAP_SHARE = 0.2
"""Share of turns that begin before the last one has ended."""

END_SILENCE_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class Meeting:
    """A recording whose turns are known.

    Attributes:
        turns: by start; speakers are numbered in no particular order.
    """

    name: str
    samples: Samples
    turns: tuple[SpeakerTurn, ...]

    @property
    def speakers(self) -> int:
        return len({turn.speaker for turn in self.turns})


def meetings(split: Split, count: int, minutes: float) -> Iterator[Meeting]:
    """Yield meetings of two, three and four of a split's speakers in turn, each of about this many minutes.

    A speaker is heard in one chapter: other chapters were recorded on other days, often with another microphone.
    """
    people = speakers(split)
    for number in range(count):
        draw = np.random.default_rng([number, len(split)])
        names = [str(each) for each in draw.permutation(sorted(people))[: 2 + number % 3]]
        yield put_together(f"meeting {number + 1}", [one_chapter(people[name]) for name in names], draw, minutes)


def one_chapter(said: Sequence[Clip]) -> list[Clip]:
    """Return the utterances of the chapter that has most of them."""
    chapters: dict[str, list[Clip]] = {}
    for clip in said:
        chapters.setdefault(clip.name.rpartition("-")[0], []).append(clip)
    return max(chapters.values(), key=len)


def put_together(
    name: str,
    people: Sequence[Sequence[Clip]],
    draw: np.random.Generator,
    minutes: float,
    overlap_share: float = OVERLAP_SHARE,
) -> Meeting:
    """Return a meeting of these people, who say their utterances in turn; so many turns begin before the last ends."""
    rooms = [_room(draw) for _ in people]
    levels = [10 ** (draw.uniform(-6, 0) / 20) * 0.1 for _ in people]
    waiting = [[clip for clip in draw.permutation(np.array(said, object))] for said in people]
    pieces, turns = list[tuple[int, Samples]](), list[SpeakerTurn]()
    said = dict[tuple[int, str], _Said]()  # one voice alone says the same over and over again
    position, last = SAMPLE_RATE_HZ // 2, -1
    while position < minutes * 60 * SAMPLE_RATE_HZ and any(waiting):
        speaker = _next_speaker(draw, [bool(said) for said in waiting], last)
        clip = waiting[speaker].pop()
        if (speaker, clip.name) not in said:
            said[speaker, clip.name] = _said(clip.listen(), levels[speaker], rooms[speaker])
        spoken = said[speaker, clip.name]
        if spoken.count > LONGEST_TURN_SECONDS * SAMPLE_RATE_HZ:
            continue
        pieces.append((position, spoken.samples))
        offset = position / SAMPLE_RATE_HZ
        turns += [SpeakerTurn(offset + start, offset + end, speaker) for start, end in spoken.speech]
        gap = -draw.uniform(0.2, 1.2) if draw.random() < overlap_share else draw.uniform(0.1, 1.2)
        position = max(position + spoken.count + round(gap * SAMPLE_RATE_HZ), position)
        last = speaker
    mixed = np.zeros(max(at + len(piece) for at, piece in pieces) + SAMPLE_RATE_HZ // 2, np.float32)
    for at, piece in pieces:
        mixed[at : at + len(piece)] += piece
    mixed += (draw.standard_normal(len(mixed)) * 10 ** (draw.uniform(-62, -46) / 20)).astype(np.float32)
    return Meeting(name, np.clip(mixed, -1, 1), tuple(sorted(turns, key=lambda turn: turn.start)))


@dataclass(frozen=True, slots=True)
class _Said:
    """An utterance in its room: how many samples it was, how it sounds, and the seconds of its speech."""

    count: int
    samples: Samples
    speech: list[tuple[float, float]]


def _said(dry: Samples, level: float, room: NDArray[np.float32]) -> _Said:
    """Return an utterance at a level in a room; one that is too long for a turn is not heard."""
    if len(dry) > LONGEST_TURN_SECONDS * SAMPLE_RATE_HZ:
        return _Said(len(dry), dry, [])
    dry = dry * np.float32(level / max(float(np.sqrt(np.mean(dry**2))), 1e-6))
    heard = np.convolve(dry, room)[: len(dry) + SAMPLE_RATE_HZ // 4].astype(np.float32)
    return _Said(len(dry), heard, _speech(dry))


def _next_speaker(draw: np.random.Generator, left: Sequence[bool], last: int) -> int:
    """Return the next speaker: mostly somebody else than before."""
    weights = np.array([float(has) * (0.15 if who == last else 1.0) for who, has in enumerate(left)])
    return int(draw.choice(len(left), p=weights / weights.sum()))


def _room(draw: np.random.Generator) -> NDArray[np.float32]:
    """Return the impulse response of a small room: the direct sound and a decaying tail."""
    decay = draw.uniform(0.15, 0.4)  # seconds until the tail has fallen by 60 dB
    times = np.arange(round(decay * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    tail = draw.standard_normal(len(times)) * 10 ** (-3 * times / decay) * draw.uniform(0.02, 0.08)
    tail[0] = 1.0
    return tail.astype(np.float32)


def _speech(samples: Samples) -> list[tuple[float, float]]:
    """Return the stretches of speech in a clean utterance, in seconds."""
    gate = VoiceGate(LevelledVoice(), end_silence_seconds=END_SILENCE_SECONDS)
    found, start = list[tuple[float, float]](), 0.0
    for at in range(0, len(samples) - WINDOW_SAMPLES + 1, WINDOW_SAMPLES):
        match gate.add(samples[at : at + WINDOW_SAMPLES]):
            case SpeechStarted(seconds):
                start = seconds
            case SpeechEnded(seconds):
                found.append((start, seconds))
    return [*found, (start, gate.voiced_seconds)] if gate.speaking else found


def recorded(recording: str, rttm: str) -> Meeting:
    """Return a recording with its turns, from a file in NIST's RTTM.

    Raises:
        BenchError: the turns cannot be read.
        AudioError: the recording cannot be decoded.
    """
    try:
        fields = [line.split() for line in Path(rttm).read_text(encoding="utf-8").splitlines()]
        spans = [(float(each[3]), float(each[4]), each[7]) for each in fields if each and each[0] == "SPEAKER"]
    except (OSError, ValueError, IndexError) as error:
        raise BenchError(f"The turns in {rttm} cannot be read: {error}.") from error
    names = sorted({name for _, _, name in spans})
    turns = tuple(SpeakerTurn(start, start + length, names.index(name)) for start, length, name in sorted(spans))
    return Meeting(Path(recording).name, np.concatenate(list(stream_audio(Path(recording)))), turns)
