"""`earshot bench kernels`: how near the computation of hearing is to what this machine can do."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

from app.terminal.commands.caption import add_model_option
from app.terminal.screen import progress
from lab.commands.builder import Bench, Outcome, figures_table

REPEATS, QUICK_REPEATS = 9, 3

_EPILOG = """\
Each stage of a round is computed several times and the least processor time counts, with one thread: the encoder for 1,
5, 10 and 30 s of speech, the keys and values that the decoder attends to, a step of the decoder for one and for five
candidates, and the product with the vocabulary that is a part of each step. Where CTranslate2 is installed (the
dependency group "peers") it computes with the same weights in turn with Earshot. "GFLOPS" and "GB/s" are Earshot's, by
formula; what a matrix product and memory reach here, measured in the same run, stands below the table.

"encoder ratio" is Earshot's time over CTranslate2's in float32, "step ratio" that over CTranslate2's in int8, "two
threads ratio" the encoder's time by the clock with two threads over that with one.

With --avx2 no library uses instructions beyond AVX2, as on most laptops. "instruction_sets" of --json names the kernels
that each library chose.

examples:
  earshot bench kernels --quick
  earshot bench kernels --avx2
  earshot bench kernels --model base --json
"""


def _add_options(bench: argparse.ArgumentParser) -> None:
    bench.add_argument("--quick", action="store_true", help=f"{QUICK_REPEATS} times each instead of {REPEATS}")
    bench.add_argument(
        "--avx2", action="store_true", help="use no instructions beyond AVX2, which processors without AVX-512 have"
    )
    add_model_option(bench)


def _measure(options: argparse.Namespace) -> Outcome:
    from lab.bench.kernels import instruction_sets

    if options.avx2:
        instruction_sets.restart_with_avx2()
    from engine.hear.whisper.load import load_hearing_model
    from engine.machine import backend
    from lab.bench.captions.peer import HOW_TO_GET, has_peer
    from lab.bench.kernels import measure, stages

    hearing = load_hearing_model(options.model)
    if not has_peer():
        sys.stderr.write(f"earshot: {HOW_TO_GET}\n")
    backend.prepare(1)
    listed = stages.stages(hearing, stages.load_peers(hearing) if has_peer() else {})
    repeats = QUICK_REPEATS if options.quick else REPEATS
    with progress() as tell:
        limits = measure.limits(repeats)
        found = measure.measure(listed, repeats, tell)
        figures = measure.figures(found, measure.two_threads_ratio(listed, repeats))
    sets = instruction_sets.instruction_sets()
    record = {
        "model": options.model,
        "instruction_sets": sets,
        "figures": figures,
        "limits": asdict(limits),
        "stages": measure.records(found),
    }
    return Outcome(record, (measure.report(found, limits), figures_table(figures), instruction_sets.sentence(sets)))


BENCH = Bench(
    "kernels",
    "how fast each stage of hearing computes, beside CTranslate2",
    "Time the encoder, the decoder's steps and the product with the vocabulary.",
    _add_options,
    _measure,
    epilog=_EPILOG,
)
