"""Stages measured in turn, so that what else the machine does falls on all programs alike; the least time counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from app.terminal.tables import table
from engine.clock import Timer
from engine.machine import backend
from engine.machine.threads import usable_cores
from lab.bench.kernels.stages import CANDIDATES, EARSHOT, PEER_BYTES, PEER_FLOAT, Run, Stage
from lab.bench.tables import rounded

PRODUCT = (1500, 512, 2048)  # rows, summed over and outputs of the product that others are held against
READ_BYTES = 1 << 28
THREADED_STAGE = "encoder, 5 s"
LEAST_SECONDS = 1e-9


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of this machine in the same run: a matrix product of float32, and reading memory, on one thread."""

    gflops: float
    gigabytes: float


@dataclass(frozen=True, slots=True)
class StageTimes:
    """A stage and its least processor time in seconds, by program."""

    stage: Stage
    seconds: Mapping[str, float]


def measure(stages: Sequence[Stage], repeats: int, tell: Callable[[str], None]) -> list[StageTimes]:
    """Measure every stage this many times, all programs in turn."""
    found = []
    for stage in stages:
        tell(stage.name)
        seconds = {name: _Least() for name in stage.runs}
        for repeat in range(repeats + 1):
            for name, run in stage.runs.items():
                taken, count = _timed(run, time.process_time)
                if stage.shorter and name in stage.shorter:
                    less, fewer = _timed(stage.shorter[name], time.process_time)
                    taken, count = taken - less, count - fewer
                if repeat:  # the first one pays for memory
                    seconds[name].add(taken / max(1, count))
        found.append(StageTimes(stage, {name: least.seconds for name, least in seconds.items()}))
    return found


def limits(repeats: int) -> Limits:
    """Measure what products and memory reach."""
    generator = np.random.default_rng(0)
    rows, summed, outputs = PRODUCT
    left, right = (mx.array(generator.normal(size=shape).astype(np.float32)) for shape in (PRODUCT[:2], PRODUCT[1:]))
    mx.eval(left, right)
    much = np.ones(READ_BYTES // 4, np.float32)
    product, reading = _Least(), _Least()

    def multiply() -> int:
        mx.eval(left @ right)
        return 1

    for _ in range(repeats + 1):
        product.add(_timed(multiply, time.process_time)[0])
        reading.add(_timed(lambda: int(much.max()), time.process_time)[0])
    return Limits(2e-9 * rows * summed * outputs / product.seconds, 1e-9 * READ_BYTES / reading.seconds)


def two_threads_ratio(stages: Sequence[Stage], repeats: int) -> float | None:
    """Time on the wall of the encoder with two threads over that with one; None where there are not two cores."""
    if usable_cores() < 2:
        return None
    run = next(stage.runs[EARSHOT] for stage in stages if stage.name == THREADED_STAGE)
    usual = backend.prepare().blas_threads
    least = {1: _Least(), 2: _Least()}
    try:
        for _ in range(repeats + 1):
            for threads, times in least.items():
                backend.prepare(threads)
                times.add(_timed(run, time.perf_counter)[0])
    finally:
        backend.prepare(usual)
    return least[2].seconds / least[1].seconds


def figures(found: Sequence[StageTimes], two_threads: float | None) -> dict[str, float | None]:
    """Return Earshot's time over CTranslate2's: float32 for the encoder, int8 for steps; below 1 is faster."""
    one, more = CANDIDATES
    return {
        "encoder_ratio_5s": _ratio(found, "encoder, 5 s", PEER_FLOAT),
        "encoder_ratio_30s": _ratio(found, "encoder, 30 s", PEER_FLOAT),
        "step_ratio_1": _ratio(found, f"decoder step, {one} candidate", PEER_BYTES),
        "step_ratio_5": _ratio(found, f"decoder step, {more} candidates", PEER_BYTES),
        "two_threads_ratio": rounded(two_threads),
    }


def records(found: Sequence[StageTimes]) -> list[dict[str, object]]:
    """Return every stage for JSON: seconds by program, GFLOPS and GB/s of Earshot."""
    return [
        {
            "stage": one.stage.name,
            "seconds": {name: round(seconds, 6) for name, seconds in one.seconds.items()},
            "gflops": rounded(_gflops(one)),
            "gigabytes_per_second": rounded(_gigabytes(one)),
        }
        for one in found
    ]


def report(found: Sequence[StageTimes], limit: Limits) -> str:
    """Lay out milliseconds by program, and what Earshot reaches of the machine."""
    names = [EARSHOT, *(name for name in (PEER_FLOAT, PEER_BYTES) if any(name in one.seconds for one in found))]
    rows = [
        (
            one.stage.name,
            *(1e3 * one.seconds[name] if name in one.seconds else None for name in names),
            _gflops(one),
            _gigabytes(one),
        )
        for one in found
    ]
    heads = ("stage", *(f"{name} ms" for name in names), "GFLOPS", "GB/s")
    reached = (
        f"One thread here: {limit.gflops:.0f} GFLOPS in a matrix product, {limit.gigabytes:.0f} GB/s from memory.\n"
    )
    return table(heads, rows) + reached


def _ratio(found: Sequence[StageTimes], stage: str, peer: str) -> float | None:
    seconds = next(one.seconds for one in found if one.stage.name == stage)
    return rounded(seconds[EARSHOT] / seconds[peer]) if peer in seconds else None


def _gflops(one: StageTimes) -> float:
    return 1e-9 * one.stage.flop / one.seconds[EARSHOT]


def _gigabytes(one: StageTimes) -> float | None:
    return 1e-9 * one.stage.bytes / one.seconds[EARSHOT] if one.stage.bytes else None


class _Least:
    """The least of several times."""

    def __init__(self) -> None:
        self.seconds = float("inf")

    def add(self, seconds: float) -> None:
        self.seconds = min(self.seconds, max(seconds, LEAST_SECONDS))


def _timed(run: Run, timer: Timer) -> tuple[float, int]:
    started = timer()
    count = run()
    return timer() - started, count
