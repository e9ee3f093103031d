"""Measurement of the best sharing of threads on this machine, and of whether rounds should overlap.

The offline profiling of WhisperFlow (section 4.3.2): a short recording is captioned with every allocation, step by
step as fast as the rounds allow, and the one with the lowest per-word latency is the best. Allocations take turns, so
that a machine that is busy for a while is so for all of them.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.audio import Samples
from engine.audio.feed import feed
from engine.audio.source import chunks_of
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Caption, Summary
from engine.machine import backend
from engine.machine.thread_profile import ThreadProfile
from engine.machine.threads import ThreadAllocation, allocations, counts_to_try, usable_cores
from engine.metrics import word_latencies
from engine.options import MIN_STEP_SECONDS, CaptionOptions

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer

CLIP_SECONDS, QUICK_CLIP_SECONDS = 16.0, 6.0
TURNS, QUICK_TURNS = 3, 1
MOST_BESIDE_GPU = 4  # cores that decode while a GPU encodes: more gain nothing at the rows of a decoder step
SAME_SHARE = 0.03  # nearer than this is taken for equal: then the plainer way is the better one


@dataclass(frozen=True, slots=True)
class Setting:
    """An allocation of threads, with or without overlapping rounds."""

    allocation: ThreadAllocation
    pipeline: bool

    @property
    def name(self) -> str:
        return f"C{self.allocation.cpu_threads}:G{self.allocation.gpu_threads}" + (" pipeline" if self.pipeline else "")


@dataclass(frozen=True, slots=True)
class SettingCost:
    """The cost of a setting, over all its turns.

    Attributes:
        word_latency_seconds: mean over all words; None if none was heard.
        round_seconds: mean computation of a round.
        rounds: number of rounds.
    """

    setting: Setting
    word_latency_seconds: float | None
    round_seconds: float
    rounds: int


def settings(cores: int, *, pipeline: bool = True) -> list[Setting]:
    """Return every setting worth a measurement, the plainest first; overlapping rounds need two cores."""
    serial = [Setting(allocation, False) for allocation in allocations(cores, pipelined=False)]
    overlapping = [Setting(allocation, True) for allocation in allocations(cores, pipelined=True)]
    return serial + overlapping if pipeline and cores > 1 else serial


def measure(
    recognizer: Recognizer, clip: Samples, chosen: Sequence[Setting], turns: int, options: CaptionOptions
) -> Iterator[tuple[Setting, Summary, list[float]]]:
    """Caption a clip with each setting in turn; yield the setting, the summary and the latency of every word."""
    options = replace(options, step_seconds=MIN_STEP_SECONDS, step_follows_cost=False)
    for _ in range(turns):
        for setting in chosen:
            backend.allot(setting.allocation)
            try:
                yield setting, *_caption(recognizer, clip, replace(options, pipeline=setting.pipeline))
            finally:
                backend.allot(None)


def measure_in_processes(
    model: str, clip: Samples, chosen: Sequence[Setting], turns: int, options: CaptionOptions
) -> Iterator[tuple[Setting, Summary, list[float]]]:
    """Measure as `measure` does, with a process for each setting: for systems that fix threads when a process starts.

    It is meant for macOS, and has been run on Linux only.
    """
    spawn = multiprocessing.get_context("spawn")
    for setting in chosen:
        threads = setting.allocation.cpu_threads
        with (
            backend.threads_of_children(threads),
            ProcessPoolExecutor(1, spawn, backend.prepare, (threads,)) as process,
        ):
            yield from process.submit(_measure_there, model, clip, setting, turns, options).result()


def fixed_at_start() -> bool:
    """Return whether this system fixes the threads of matrix products when a process starts."""
    return sys.platform == "darwin"


def _measure_there(
    model: str, clip: Samples, setting: Setting, turns: int, options: CaptionOptions
) -> list[tuple[Setting, Summary, list[float]]]:
    from engine.process.loading import load_recognizer

    _, make = load_recognizer(model)
    return list(measure(make(options), clip, [setting], turns, options))


def _caption(recognizer: Recognizer, clip: Samples, options: CaptionOptions) -> tuple[Summary, list[float]]:
    session = CaptionSession(recognizer, options, SimulatedClock())
    captions = [each for each in feed(chunks_of(clip), session, pace="fast") if isinstance(each, Caption)]
    return session.summary, word_latencies(captions)


def gather(
    runs: Iterator[tuple[Setting, Summary, list[float]]], note: Callable[[Setting], None] = lambda setting: None
) -> list[SettingCost]:
    """Combine the turns of each setting, in the order in which settings came first; report each turn by `note`."""
    latencies: dict[Setting, list[float]] = {}
    summaries: dict[Setting, list[Summary]] = {}
    for setting, summary, delays in runs:
        latencies.setdefault(setting, []).extend(delays)
        summaries.setdefault(setting, []).append(summary)
        note(setting)
    return [_measured(setting, parts, latencies[setting]) for setting, parts in summaries.items()]


def _measured(setting: Setting, parts: Sequence[Summary], delays: Sequence[float]) -> SettingCost:
    rounds = sum(part.rounds for part in parts)
    computed = sum(part.compute_seconds for part in parts)
    return SettingCost(setting, sum(delays) / len(delays) if delays else None, computed / max(1, rounds), rounds)


def best_of(measured: Sequence[SettingCost]) -> SettingCost:
    """Return the first setting whose latency is about the lowest; without words, the one with the shortest rounds."""

    def cost(one: SettingCost) -> float:
        return one.round_seconds if one.word_latency_seconds is None else one.word_latency_seconds

    lowest = min(map(cost, measured))
    return next(one for one in measured if cost(one) <= lowest * (1 + SAME_SHARE))


def profile_of(model: str, best: SettingCost) -> ThreadProfile:
    """Return the profile that stores the best setting."""
    allocation = best.setting.allocation
    return ThreadProfile(
        model,
        allocation.cpu_threads,
        allocation.gpu_threads,
        best.setting.pipeline,
        round(best.word_latency_seconds or 0.0, 4),
    )


def settings_here(*, quantised: bool) -> list[Setting]:
    """Return the settings worth a measurement on this machine, for a model with weights that stay quantised or not."""
    if backend.on_gpu():
        return settings_beside_gpu(usable_cores(), pipeline=not quantised)
    return settings(usable_cores())


def settings_beside_gpu(cores: int, *, pipeline: bool = True) -> list[Setting]:
    """Return the few settings that differ where a GPU multiplies: rounds one by one, or overlapping on some cores.

    One core is left to feed the GPU. A process is started for each setting, so that all of them would take too long.
    A quantised model is best left on the GPU (no `pipeline`): a processor multiplies its weights on one thread.
    """
    counts = counts_to_try(cores - 1) if pipeline and cores > 1 else ()
    counts = tuple(count for count in counts if count <= MOST_BESIDE_GPU)
    return [Setting(ThreadAllocation(), False), *(Setting(ThreadAllocation(count, 1), True) for count in counts)]
