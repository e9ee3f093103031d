"""Hours of audio through one session: does memory stay flat, and is the last round as fast as the first?

The same minutes of speech are heard over and over, so that one slice of the stream is as hard as any other and
whatever grows from slice to slice grows with the length of the stream alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import chunks_of
from engine.bench.captions.clips import Clip
from engine.bench.captions.measure import new_stats
from engine.bench.tables import Cell, table
from engine.captions import CaptionSession, SimulatedClock
from engine.hear.recognizer import Recognizer
from engine.options import CaptionOptions

SLICE_SECONDS = 300.0
SAMPLE_SECONDS = 60.0
MEBIBYTE = 2**20
_STATUS = Path("/proc/self/status")


@dataclass(frozen=True, slots=True)
class Moment:
    """How things stood when so much audio had been heard.

    Attributes:
        round_seconds: mean computation of the rounds since the moment before; None where there was none.
    """

    audio_seconds: float
    memory_bytes: int
    rounds: int
    round_seconds: float | None


@dataclass(frozen=True, slots=True)
class LongAudio:
    """What a long stream came to.

    Attributes:
        moments: in order, one for every minute of audio.
        slice_seconds: how much audio a slice holds; the first slice is what the others are held against.
    """

    moments: tuple[Moment, ...]
    slice_seconds: float = SLICE_SECONDS

    @property
    def memory_growth_mebibytes(self) -> float | None:
        """The most memory held after the first slice, less what was held at its end."""
        settled = [m.memory_bytes for m in self.moments if m.audio_seconds >= self.slice_seconds]
        return (max(settled) - settled[0]) / MEBIBYTE if len(settled) > 1 else None

    @property
    def slices(self) -> list[float | None]:
        """The mean seconds of a round in every slice that is whole."""
        count = int(self.moments[-1].audio_seconds / self.slice_seconds) if self.moments else 0
        return [self._mean_round(index) for index in range(count)]

    @property
    def slowest_over_first(self) -> float | None:
        """The slowest slice's mean round over the first one's; about 1 where rounds don't grow slower."""
        first, *later = self.slices or [None]
        known = [seconds for seconds in later if seconds is not None]
        return max(known) / first if known and first else None

    def _mean_round(self, index: int) -> float | None:
        begin, end = index * self.slice_seconds, (index + 1) * self.slice_seconds
        inside = [m for m in self.moments if begin < m.audio_seconds <= end + 1e-6 and m.round_seconds is not None]
        rounds = sum(m.rounds for m in inside)
        return sum(m.rounds * (m.round_seconds or 0.0) for m in inside) / rounds if rounds else None


def hear_long(
    recognizer: Recognizer,
    options: CaptionOptions,
    tape: Samples,
    seconds: float,
    *,
    sample_seconds: float = SAMPLE_SECONDS,
) -> Iterator[Moment]:
    """Caption `seconds` of a tape (n,) that begins again when it ends; yields every so many seconds of audio."""
    seen, due = 0, sample_seconds
    costs: list[float] = []
    with closing(CaptionSession(recognizer, options, SimulatedClock())) as session:
        for chunk in loop(tape, seconds):
            session.add_audio(chunk)
            exhaust(session.update())
            for stats in new_stats(session, seen):
                seen = stats.round
                costs.append(stats.encode_seconds + stats.decode_seconds + stats.align_seconds)
            if session.audio_seconds >= due - 1e-6:
                mean = sum(costs) / len(costs) if costs else None
                yield Moment(session.audio_seconds, resident_bytes(), len(costs), mean)
                due += sample_seconds
                costs = []
        exhaust(session.finish())


def tape_of(clips: Sequence[Clip], seconds: float = SLICE_SECONDS) -> Samples:
    """Clips one after the other, (n,) samples, exactly so long."""
    spoken = np.concatenate([clip.listen() for clip in clips])
    count = round(seconds * SAMPLE_RATE_HZ)
    return np.pad(spoken, (0, max(0, count - len(spoken))))[:count]


def loop(tape: Samples, seconds: float) -> Iterator[Samples]:
    """Chunks of a tape (n,) from its beginning again and again, for so many seconds."""
    left = round(seconds * SAMPLE_RATE_HZ)
    while left > 0:
        for chunk in chunks_of(tape[:left]):
            left -= len(chunk)
            yield chunk


def resident_bytes() -> int:
    """The memory this process holds now; where the system doesn't say, the most it ever held."""
    if _STATUS.exists():
        found = re.search(r"^VmRSS:\s+(\d+) kB", _STATUS.read_text(), re.MULTILINE)
        if found:
            return int(found[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # macOS counts bytes, the others kibibytes


def figures(found: LongAudio) -> dict[str, Cell]:
    """The headline numbers, None where the stream was too short for one."""
    growth, slowest = found.memory_growth_mebibytes, found.slowest_over_first
    return {
        "memory_growth_mebibytes": None if growth is None else round(growth, 2),
        "slowest_over_first": None if slowest is None else round(slowest, 4),
        "audio_seconds": found.moments[-1].audio_seconds if found.moments else 0.0,
    }


def report(found: LongAudio) -> str:
    """Memory by the minute and rounds by the slice, as tables for a person."""
    minutes = [
        (f"{m.audio_seconds / 60:.0f}", m.memory_bytes / MEBIBYTE, m.rounds, _ms(m.round_seconds))
        for m in found.moments
    ]
    size = found.slice_seconds / 60
    first = found.slices[0] if found.slices else None
    slices = [_slice_cells(index, size, seconds, first) for index, seconds in enumerate(found.slices)]
    text = table(("minute", "memory MiB", "rounds", "ms a round"), minutes, decimals=1)
    text += "\n" + table(("minutes", "ms a round", "of first"), slices)
    growth, slowest = found.memory_growth_mebibytes, found.slowest_over_first
    if growth is not None and slowest is not None:
        text += f"\nAfter minute {size:g} memory grew by {growth:.1f} MiB. "
        text += f"The slowest slice took {slowest:.2f} of the first.\n"
    return text


def _slice_cells(index: int, minutes: float, seconds: float | None, first: float | None) -> tuple[Cell, ...]:
    name = f"{index * minutes:g} to {(index + 1) * minutes:g}"
    return (name, _ms(seconds), seconds / first if seconds and first else None)


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else 1000 * seconds


def exhaust(items: Iterable[object]) -> None:
    """Run a stream to its end for what it does, not for what it gives."""
    for _ in items:
        pass
