"""Gain of two executors that share rounds: their scheduling is the real one, the time of every stage is given.

It stands for machines that are not at hand. Audio passes at the pace of speech, a round hears all that has been said,
and a word is certain with the second round that heard it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from engine.events import Hypothesis
from engine.hear.recognizer import Stage
from engine.hear.rounds.pipeline import Name, SharedRound, Work
from engine.hear.rounds.schedule import RoundSchedule
from lab.bench.tables import Column

FORWARDS = (5, 22, 150)
"""Forwards of a round: Earshot's, which verifies the last text as one block; one that decodes a sentence token by
token; and the round of WhisperFlow's Table 2."""

WINDOW_SECONDS = 30.0
LASTS_SECONDS = 120.0
SETTLED_ROUNDS = 3
"""Number of rounds at the beginning that do not count: the step is still being found."""

ROUNDS_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class StageSeconds:
    """The time that each stage of a round takes.

    Attributes:
        encode: on the front; the rest never encodes.
        step: one forward of the decoder, on the front and on the rest; reading the prompt, which is the first, and
            timing the words are taken to cost as much and a half.
    """

    encode: float
    step: dict[Name, float]

    def of(self, stage: Stage | None, who: Name) -> float:
        """Return the time of what follows after `stage`, in seconds."""
        if stage is None:
            return self.encode
        return self.step[who] * (1.0 if stage == "decoding" else 1.5)

    def round(self, forwards: int) -> float:
        """Return the time of a whole round on the front alone, in seconds."""
        return self.encode + self.step["front"] * (forwards + 2.0)


MEDIUM_ON_M2_PRO = StageSeconds(0.477, {"front": 1.929 / 150, "rest": 2.355 / 150})
"""Whisper medium with the full window, one candidate, GPU and CPU: Table 2 of WhisperFlow (Wang et al. 2025)."""


def natural(full: StageSeconds, seconds: float) -> StageSeconds:
    """Return the stages with this much audio encoded instead of the full window."""
    return StageSeconds(full.encode * seconds / WINDOW_SECONDS, full.step)


@dataclass(frozen=True, slots=True)
class Rhythm:
    """The pace of rounds, and of words.

    Attributes:
        step: seconds between the beginnings of two rounds.
        delay: seconds from a word's end until it is certain, on average.
    """

    step: float
    delay: float


def serial(stages: StageSeconds, forwards: int, shortest_seconds: float) -> Rhythm:
    """Simulate rounds that come one after the other."""
    lasts = stages.round(forwards)
    schedule = RoundSchedule(shortest_seconds)
    schedule.add_cost(lasts)
    return Rhythm(schedule.step_seconds, 1.5 * schedule.step_seconds + lasts)


def overlapping(stages: StageSeconds, forwards: int, shortest_seconds: float) -> Rhythm:
    """Simulate rounds of which one is encoded while the one before it is decoded."""
    landed = list(_Race(stages, forwards, shortest_seconds).run())[SETTLED_ROUNDS:]
    begun = [start for start, _ in landed]
    spans = [(after - before, (before + after) / 2) for before, after in pairwise(begun)]
    certain = [done for _, done in landed[2:]]  # of what the round before the last one was the first to hear
    weights = [span for span, _ in spans[: len(certain)]]
    late = sum(span * (done - middle) for (span, middle), done in zip(spans, certain, strict=False))
    return Rhythm((begun[-1] - begun[0]) / (len(begun) - 1), late / sum(weights))


@dataclass(frozen=True, slots=True)
class Case:
    """A model and its rounds, one after the other and overlapping.

    Attributes:
        name: what is encoded.
        forwards: of the decoder in a round.
        gain: how many times sooner words are certain where rounds overlap.
    """

    name: str
    forwards: int
    serial: Rhythm
    overlapping: Rhythm

    @property
    def gain(self) -> float:
        return self.serial.delay / self.overlapping.delay


COLUMNS: tuple[Column[Case], ...] = (
    Column("encoded", lambda case: case.name, "encoded"),
    Column("forwards", lambda case: case.forwards, "forwards"),
    Column("serial_step_seconds", lambda case: case.serial.step, "one by one: step"),
    Column("serial_delay_seconds", lambda case: case.serial.delay, "delay"),
    Column("overlapping_step_seconds", lambda case: case.overlapping.step, "overlapping: step"),
    Column("overlapping_delay_seconds", lambda case: case.overlapping.delay, "delay"),
    Column("gain", lambda case: case.gain, "gain"),
)


def cases(full: StageSeconds, seconds: float, shortest_seconds: float) -> list[Case]:
    """Compare both, with `seconds` encoded and with the full window, for rounds of few forwards and of many."""
    found = []
    for name, stages in ((f"{seconds:g} s", natural(full, seconds)), ("full window", full)):
        for forwards in FORWARDS:
            alone, shared = (way(stages, forwards, shortest_seconds) for way in (serial, overlapping))
            found.append(Case(name, forwards, alone, shared))
    return found


class _Race:
    """Two executors, by a clock that leaps from the end of one stage to the next."""

    def __init__(self, stages: StageSeconds, forwards: int, shortest_seconds: float) -> None:
        self._stages = stages
        self._forwards = forwards
        self._schedule = RoundSchedule(shortest_seconds)
        self._work = Work(lambda: None, share_threads=False)
        self._ends: list[tuple[float, Name]] = []  # of the stages that are being done, earliest first
        self._at: dict[Name, SharedRound] = {}
        self._begun: list[float] = []
        self._done_forwards: dict[int, int] = {}
        self._cost: dict[int, float] = {}

    def run(self) -> Iterator[tuple[float, float]]:
        """Yield when each round was begun and when it was done."""
        now = due = 0.0
        while now < LASTS_SECONDS:
            if now >= due and self._work.has_room:
                self._work.add(lambda: iter(()))  # type: ignore[arg-type, return-value]
                self._begun.append(now)
                due = now + self._schedule.step_seconds
            self._put_to_work(now)
            nothing_due = not self._work.has_room
            if self._ends and (nothing_due or self._ends[0][0] <= due):
                now, who = heapq.heappop(self._ends)
                self._end_stage(who, now)
            else:
                now = max(now, due)
            while self._work.rounds and self._work.rounds[0].done:
                oldest = self._work.rounds.popleft()
                self._schedule.add_cost(self._cost.pop(id(oldest)) / ROUNDS_AT_ONCE)
                yield self._begun.pop(0), now

    def _put_to_work(self, now: float) -> None:
        names: tuple[Name, ...] = ("front", "rest")
        for who in names:
            if who not in self._at and (claimed := self._work.claim(who)) is not None:
                self._begin_stage(who, claimed, now)

    def _begin_stage(self, who: Name, round_: SharedRound, now: float) -> None:
        takes = self._stages.of(round_.stage, who)
        self._at[who] = round_
        self._cost[id(round_)] = self._cost.get(id(round_), 0.0) + takes
        heapq.heappush(self._ends, (now + takes, who))

    def _end_stage(self, who: Name, now: float) -> None:
        round_ = self._at.pop(who)
        if round_.stage == "decoded":
            self._work.finish(round_, Hypothesis((), "en"))
            return
        if self._work.pause(who, round_, self._next_stage(round_)):
            self._begin_stage(who, round_, now)

    def _next_stage(self, round_: SharedRound) -> Stage:
        if round_.stage is None:
            return "encoded"
        done = self._done_forwards.get(id(round_), 0)
        if done == self._forwards:
            del self._done_forwards[id(round_)]
            return "decoded"
        self._done_forwards[id(round_)] = done + 1
        return "decoding"
