"""`earshot bench pipeline`: what two executors that share rounds gain on a machine that is not at hand."""

from __future__ import annotations

import argparse

from lab.commands.builder import Bench, Outcome, figures_table

MOST_SECONDS = 30.0

_EPILOG = """\
A simulation: the scheduling of the executors and of the step is the one that captions have, but no model computes. How
long encoding and a forward of the decoder take is what the authors of WhisperFlow measured on the GPU and the CPU of an
M2 Pro with Whisper medium (their Table 2); other times may be given. "Delay" is from a word's end until the second
round that heard it is done, on average; "gain" is how many times sooner that is where rounds overlap.

examples:
  earshot bench pipeline
  earshot bench pipeline --encode 1.2 --step 0.03 --cpu-step 0.04 --json
"""


def _add_options(bench: argparse.ArgumentParser) -> None:
    for name, default, what in (
        ("--encode", None, "to encode the full window"),
        ("--step", None, "of a forward on the GPU"),
        ("--cpu-step", None, "of a forward on the CPU"),
        ("--audio", 8.0, "that are encoded, beside the full window (default: %(default)s)"),
    ):
        bench.add_argument(name, type=_seconds, metavar="S", default=default, help=f"seconds {what}")


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"must be above 0 and at most {MOST_SECONDS:g} seconds, not {text!r}")
    return value


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.options import CaptionOptions
    from lab.bench.captions.overlap import COLUMNS, StageSeconds, cases
    from lab.bench.captions.overlap import MEDIUM_ON_M2_PRO as MEASURED
    from lab.bench.tables import records_of, table_of

    step, cpu_step = options.step or MEASURED.step["front"], options.cpu_step or MEASURED.step["rest"]
    stages = StageSeconds(options.encode or MEASURED.encode, {"front": step, "rest": cpu_step})
    found = cases(stages, options.audio, CaptionOptions().step_seconds)
    natural = found[: len(found) // 2]
    figures = {f"gain_{each.forwards}_forwards": round(each.gain, 2) for each in natural}
    record = {"encode_seconds": stages.encode, "step_seconds": step, "cpu_step_seconds": cpu_step}
    return Outcome(
        {**record, "rows": records_of(COLUMNS, found), "figures": figures},
        (table_of(COLUMNS, found), figures_table(figures)),
    )


BENCH = Bench(
    "pipeline",
    "what overlapping rounds gain on a Mac, simulated",
    "Simulate rounds that are heard one after the other, and rounds that overlap on a GPU and a CPU.",
    _add_options,
    _measure,
    epilog=_EPILOG,
)
