"""`earshot bench barge-in`: how soon the assistant falls silent when it is spoken over."""

from __future__ import annotations

import argparse
import json

NAME = "barge-in"

_EPILOG = """\
"stop" counts from the word to stop to the last sound that can be heard, a tone's that is stopped in its middle.
"detect" counts from the beginning of somebody's first word over a spoken reply until the loudspeaker is told to stop:
0.384 s of speech are waited for, so that a cough is no interruption. "silence" counts from the same moment to the last
sound. The microphone hears no echo, as with headphones.

What is heard is recorded from a PulseAudio server that is started for this and that leads to no real loudspeaker;
where PulseAudio is not installed a tone is played on the usual loudspeaker, and the player's own clock counts.

examples:
  earshot bench barge-in --quick
  earshot bench barge-in --json
"""


def add_to(benches: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the bench and its options."""
    parser = benches.add_parser(
        NAME,
        help="how soon the assistant falls silent when it is spoken over",
        description="Speak over the assistant, through the loudspeaker and the listening of a real conversation.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--quick", action="store_true", help="fewer attempts: under a minute on two cores")
    parser.add_argument("--json", action="store_true", help="print one JSON line instead of a table")
    parser.set_defaults(run=run, parser=parser)


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    from app.terminal.commands.bench.barge_in_delay import Measured, figures, measure
    from engine.bench.tables import table

    measured: Measured = measure(quick=options.quick)
    found = figures(measured)
    if options.json:
        print(json.dumps({"bench": NAME, "figures": found}))
        return 0
    parts = ("p50", "p95", "max")
    rows = [
        (name, found[f"barge_in_{name}s"], *(found[f"barge_in_{name}_seconds_{part}"] for part in parts))
        for name in ("stop", "detect", "silence")
    ]
    print(table(("seconds", "times", *parts), rows, decimals=3), end="")
    print(f"\n{measured.missed} not noticed, {measured.false_alarms} false alarms; {_HEARD_AT[measured.heard_at]}.")
    return 0


_HEARD_AT = {
    "monitor": "what came out of the loudspeaker was recorded",
    "player": "by the player's own clock: PulseAudio is not installed",
}
