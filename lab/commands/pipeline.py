"""`earshot bench pipeline`: what two executors that share rounds gain on a machine that is not at hand."""

from __future__ import annotations

import argparse

from lab.commands.builder import Bench, Outcome, figures_table

NATURAL_SECONDS = 8.0
"""Audio that is encoded, beside the full window, in seconds."""

_EPILOG = """\
A simulation: the scheduling of the executors and of the step is the one that captions have, but no model computes. How
long encoding and a forward of the decoder take is what the authors of WhisperFlow measured on the GPU and the CPU of an
M2 Pro with Whisper medium (their Table 2). "Delay" is from a word's end until the second
round that heard it is done, on average; "gain" is how many times sooner that is where rounds overlap.
"""


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.options import CaptionOptions
    from lab.bench.captions.overlap import COLUMNS, MEDIUM_ON_M2_PRO, cases
    from lab.bench.tables import records_of, table_of

    found = cases(MEDIUM_ON_M2_PRO, NATURAL_SECONDS, CaptionOptions().step_seconds)
    natural = found[: len(found) // 2]
    figures = {f"gain_{each.forwards}_forwards": round(each.gain, 2) for each in natural}
    return Outcome(
        {"rows": records_of(COLUMNS, found), "figures": figures},
        (table_of(COLUMNS, found), figures_table(figures)),
    )


BENCH = Bench(
    "pipeline",
    "what overlapping rounds gain on a Mac, simulated",
    "Simulate rounds that are heard one after the other, and rounds that overlap on a GPU and a CPU.",
    lambda parser: None,
    _measure,
    epilog=_EPILOG,
)
