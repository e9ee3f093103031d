"""Two executors that share the rounds, so that a round is encoded while the one before it is decoded.

The pipeline of WhisperFlow (section 4.3.2). The front, which is the GPU if there is one, encodes round n and reads its
prompt, while the rest, which is a CPU, decodes the remainder of round n-1. Then they exchange: the front finishes round
n-1 and times its words, the rest continues with round n. If there is nothing to start, the front takes over the other's
round. On Linux both are streams of the same CPU.

A round is a generator that pauses between stages with everything evaluated, so that either executor may resume it. A
Mac with its GPU was not available: there the scheduling below is the same, but has not been tested.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Literal

import mlx.core as mx

from engine.errors import EngineError
from engine.events import Hypothesis, Incident
from engine.hear.recognizer import Recognizer, Stage
from engine.machine import backend
from engine.machine.device_turn import DeviceTurn
from engine.machine.threads import usable_cores
from engine.options import CaptionOptions

MOST_ROUNDS = 2
LOOK_SECONDS = 1.0  # interval at which a waiting caller checks that the executors are alive

Stages = Generator[Stage, None, Hypothesis]
Name = Literal["front", "rest"]
_OTHER: dict[Name, Name] = {"front": "rest", "rest": "front"}


def why_serial() -> str | None:
    """Return why two rounds at once gain nothing on this machine, in a sentence; None if they may."""
    if usable_cores() > 1:
        return None
    if backend.on_gpu():
        return "Rounds are heard one after the other: the only core is needed to feed the GPU."
    return "Rounds are heard one after the other: there is one core, and two would only take turns on it."


def make_pipeline(
    options: CaptionOptions, recognizer: Recognizer, on_change: Callable[[], None], tell: Callable[[Incident], None]
) -> Pipeline | None:
    """Create two executors if the options, or else `earshot profile`, want them; report why if that is impossible."""
    wanted = recognizer.prefers_pipeline if options.pipeline is None else options.pipeline
    if not wanted:
        return None
    if reason := why_serial():
        tell(Incident(reason))
        return None
    return Pipeline(on_change=on_change)


@dataclass(frozen=True, slots=True)
class FinishedRound:
    """The result of a round.

    Attributes:
        busy_seconds: computation on it by both executors, without its pauses.
    """

    hypothesis: Hypothesis
    busy_seconds: float


@dataclass(eq=False, slots=True)
class SharedRound:
    """A round in progress.

    Attributes:
        start: starts it, again if necessary.
        stages: the round itself; None before it has started.
        stage: the last completed stage.
        holder: the executor that is working on it.
    """

    start: Callable[[], Stages]
    stages: Stages | None = None
    stage: Stage | None = None
    holder: Name | None = None
    busy_seconds: float = 0.0
    hypothesis: Hypothesis | None = None
    error: BaseException | None = None

    @property
    def done(self) -> bool:
        return self.hypothesis is not None or self.error is not None

    def restart(self) -> None:
        self.stages, self.stage, self.holder = None, None, None


class Pipeline:
    """Runs up to two rounds at once and returns them in order. All calls come from one thread.

    Executors start with the first round. An executor that dies, by an exception other than EngineError, leaves its
    round to the other one, which starts it again from its samples and continues alone; `incidents` reports that. If the
    front is a GPU, its death fails all rounds: one CPU would be far too slow, and a new process has a working GPU. The
    threads end with `close`, or when the pipeline is garbage collected.
    """

    def __init__(self, *, turns: bool = False, on_change: Callable[[], None] | None = None) -> None:
        """Create the pipeline without starting anything.

        `turns` makes the executors take turns as if their devices differed. An executor calls `on_change` when a round
        is done.
        """
        self._work = Work(on_change or _nothing, front_is_gpu=backend.on_gpu())
        self._finalizer = weakref.finalize(self, self._work.close)
        self._contexts = _contexts(turns)
        self._threads: list[threading.Thread] = []

    @property
    def has_room(self) -> bool:
        """Return whether another round would start at once: the newest has been encoded, and there is no third."""
        with self._work.changed:
            return self._work.has_room

    def begin(self, start: Callable[[], Stages]) -> None:
        """Start a round. `start` returns its stages, and is called again if they have to be repeated."""
        if not self._threads:
            self._start_threads()
        self._work.add(start)

    def next_done(self) -> FinishedRound | None:
        """Return the oldest round if it is done; raise its error if it failed."""
        self._look_after_threads()
        return self._work.pop()

    def wait(self, seconds: float | None = None, *, for_room: bool = False) -> None:
        """Wait until the oldest round is done, or for `seconds`; with `for_room`, also until a round may start."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self._work.is_ready(for_room):
            left = LOOK_SECONDS if end is None else min(LOOK_SECONDS, end - time.monotonic())
            if left <= 0:
                return
            self._work.wait(left, for_room)
            self._look_after_threads()

    def incidents(self) -> tuple[Incident, ...]:
        """Remove and return the recovered problems since the last call."""
        return self._work.pop_incidents()

    def close(self) -> None:
        """Drop the rounds in progress and end both threads, at their next pause."""
        self._finalizer()
        for thread in self._threads:
            thread.join()
        self._threads = []

    def _start_threads(self) -> None:
        for name, context in self._contexts.items():
            self._threads.append(
                threading.Thread(
                    target=_execute, args=(self._work, name, context), name=f"{name} executor", daemon=True
                )
            )
        for thread in self._threads:
            thread.start()

    def _look_after_threads(self) -> None:
        for name, thread in zip(self._contexts, self._threads, strict=False):
            if not thread.is_alive():
                self._work.bury(name, None)


def _contexts(turns: bool) -> dict[Name, AbstractContextManager[None]]:
    """Return the context in which each executor computes: an empty one if both use the only device."""
    if not (turns or backend.on_gpu()):
        return {"front": nullcontext(), "rest": nullcontext()}
    return {"front": DeviceTurn(), "rest": DeviceTurn(mx.Device(mx.cpu))}


def _nothing() -> None:
    """Do nothing."""


def _execute(work: Work, me: Name, context: AbstractContextManager[None]) -> None:
    """Run an executor on its thread, until its end or death."""
    try:
        while (round_ := work.wait_for_round(me)) is not None:
            _advance(work, me, round_, context)
    except BaseException as error:
        work.bury(me, error)
    mx.clear_streams()  # at the very end: without it, leaving the process may crash (seen with MLX 0.32)


def _advance(work: Work, me: Name, round_: SharedRound, context: AbstractContextManager[None]) -> None:
    """Work on a round until another round or executor has precedence."""
    kept = True
    while kept:
        started = time.perf_counter()
        try:
            with context:
                round_.stages = round_.stages or round_.start()
                stage = next(round_.stages)
            outcome: Hypothesis | EngineError | None = None
        except StopIteration as end:
            outcome = end.value
        except EngineError as error:  # caused by the round itself: another executor would fail as well
            outcome = error
        round_.busy_seconds += time.perf_counter() - started
        kept = work.finish(round_, outcome) if outcome is not None else work.pause(me, round_, stage)


class Work:
    """The shared state of both executors and the caller: the rounds, and who works on them.

    Attributes:
        changed: a condition whose lock guards everything here; notified after every change that someone may wait for.
        rounds: rounds in progress, oldest first.
    """

    def __init__(
        self, on_change: Callable[[], None], *, share_threads: bool = True, front_is_gpu: bool = False
    ) -> None:
        """Start without rounds; with `share_threads` each working executor gets the threads allotted to it."""
        self.changed = threading.Condition()
        self.rounds: deque[SharedRound] = deque()
        self._on_change = on_change
        self._shares = share_threads
        self._front_is_gpu = front_is_gpu
        self._alive: list[Name] = ["front", "rest"]
        self._incidents: list[Incident] = []
        self._closed = False

    # --- for the caller ---

    @property
    def has_room(self) -> bool:
        """Room for a round, as in Pipeline.has_room. A single executor starts nothing before the last round is done."""
        if not self.rounds:
            return True
        newest = self.rounds[-1]
        begun = newest.done or newest.stage is not None
        return begun and len(self.rounds) < MOST_ROUNDS and len(self._alive) > 1

    def add(self, start: Callable[[], Stages]) -> None:
        with self.changed:
            if len(self.rounds) == MOST_ROUNDS:
                raise ValueError(f"No more than {MOST_ROUNDS} rounds may be in flight.")
            self.rounds.append(SharedRound(start))
            self.changed.notify_all()

    def pop(self) -> FinishedRound | None:
        with self.changed:
            if not (self.rounds and self.rounds[0].done):
                return None
            oldest = self.rounds.popleft()
            if oldest.hypothesis is None:
                assert oldest.error is not None
                raise oldest.error
            return FinishedRound(oldest.hypothesis, oldest.busy_seconds)

    def is_ready(self, for_room: bool) -> bool:
        with self.changed:
            return self._is_ready(for_room)

    def wait(self, seconds: float, for_room: bool) -> None:
        with self.changed:
            self.changed.wait_for(partial(self._is_ready, for_room), seconds)

    def pop_incidents(self) -> tuple[Incident, ...]:
        with self.changed:
            incidents, self._incidents = tuple(self._incidents), []
            return incidents

    def close(self) -> None:
        with self.changed:
            self._closed = True
            self.rounds.clear()
            self.changed.notify_all()

    # --- for the executors ---

    def wait_for_round(self, me: Name) -> SharedRound | None:
        """Wait for a round to work on; return None when there is nothing to do any more."""
        with self.changed:
            while not self._closed:
                if (claimed := self.claim(me)) is not None:
                    return claimed
                self.changed.wait()
            return None

    def claim(self, me: Name) -> SharedRound | None:
        """Return the round that this executor should work on, if it is free."""
        with self.changed:
            chosen = self._choice(me)
            if chosen is None or chosen.holder is not None:
                return None
            chosen.holder = me
            self._share_threads()
            return chosen

    def pause(self, me: Name, round_: SharedRound, stage: Stage) -> bool:
        """Record a completed stage; return whether the executor should continue with the round."""
        with self.changed:
            round_.stage = stage
            kept = not self._closed and self._choice(me) is round_
            if kept:
                self._share_threads()
            else:
                round_.holder = None
            if not kept or stage != "decoding":
                self.changed.notify_all()
            return kept

    def finish(self, round_: SharedRound, outcome: Hypothesis | EngineError) -> bool:
        with self.changed:
            if isinstance(outcome, Hypothesis):
                round_.hypothesis = outcome
            else:
                round_.error = outcome
            round_.stages = round_.holder = None
            self._share_threads()
            self.changed.notify_all()
        self._on_change()
        return False

    def bury(self, dead: Name, error: BaseException | None) -> None:
        """Leave a dead executor's round to the other one; fail all rounds if there is none, or if the GPU's has
        died.
        """
        with self.changed:
            if dead not in self._alive or self._closed:
                return
            self._alive.remove(dead)
            if dead == "front" and self._front_is_gpu:
                self._alive.clear()
            reason = "its thread is gone" if error is None else f"{type(error).__name__}: {error}"
            for round_ in self.rounds:
                if not self._alive and not round_.done:
                    round_.error = error if isinstance(error, Exception) else RuntimeError(f"No worker left: {reason}.")
                elif round_.holder == dead:
                    round_.restart()
            if self._alive:
                self._incidents.append(Incident(_death_sentence(dead, reason)))
            self.changed.notify_all()
        self._on_change()

    def _is_ready(self, for_room: bool) -> bool:
        return not self.rounds or self.rounds[0].done or (for_room and self.has_room)

    def _choice(self, me: Name) -> SharedRound | None:
        """Return the round that this executor should work on now."""
        waiting = [round_ for round_ in self.rounds if not round_.done]
        if not waiting or me not in self._alive:
            return None
        if len(self._alive) == 1:
            return waiting[0]
        front = self._choice_of_front(waiting[0], waiting[-1])
        if me == "front":
            return front
        return next((round_ for round_ in waiting if round_ is not front and round_.stage is not None), None)

    def _choice_of_front(self, oldest: SharedRound, newest: SharedRound) -> SharedRound:
        """Choose in this order: encode the new round; time the old one's words; read the new one's prompt; decode the
        old one.
        """
        if newest.stage is None:
            return newest
        if oldest.stage == "decoded":
            return oldest
        return newest if newest.stage == "encoded" else oldest

    def _share_threads(self) -> None:
        """Set the threads of matrix products for the present work."""
        if not self._shares:
            return
        held = [round_ for round_ in self.rounds if round_.holder is not None]
        if len(held) == 1:
            backend.use_threads_after(held[0].stage)
        elif held:
            backend.use_threads_at_once()


def _death_sentence(dead: Name, reason: str) -> str:
    kept = {"front": "first", "rest": "second"}
    return (
        f"The {kept[dead]} of the two hearing workers stopped ({reason}). Its round is heard again, and "
        f"the {kept[_OTHER[dead]]} goes on alone: no words are lost, but captions may come later."
    )
