"""`earshot bench barge-in`: how soon the assistant falls silent when it is spoken over."""

from __future__ import annotations

import argparse

from engine.errors import OptionError
from engine.options import STARTER_VOICE, VoiceOptions
from lab.commands.builder import Bench, Outcome

_EPILOG = """\
"stop" counts from the word to stop to the last sound that can be heard, a tone's that is stopped in its middle.
"detect" counts from the beginning of somebody's first word over a spoken reply until the loudspeaker is told to stop:
0.384 s of speech are waited for, so that a cough is no interruption. "silence" counts from the same moment to the last
sound. The microphone hears no echo, as with headphones.

What is heard is recorded from a PulseAudio server that is started for this and that leads to no real loudspeaker;
where PulseAudio is not installed a tone is played on the usual loudspeaker, and the player's own clock counts.

With --simulated nothing is played: the same interruptions are passed to the detector sample by sample, which tells on
any machine alike whether a voice makes it miss people, or take the voice for them; --echo also has the voice come back.

examples:
  earshot bench barge-in --quick
  earshot bench barge-in --voice piper --json
  earshot bench barge-in --voice piper --simulated --echo -12
"""


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--voice", default=STARTER_VOICE, metavar="NAME|FOLDER", help="what speaks (default: %(default)s)"
    )
    parser.add_argument("--simulated", action="store_true", help="without a clock or a device")
    parser.add_argument(
        "--echo",
        type=float,
        metavar="DB",
        help="with --simulated: how loud the voice comes back, against itself (default: not at all)",
    )
    parser.add_argument("--quick", action="store_true", help="fewer attempts: under a minute on two cores")


def _measure(options: argparse.Namespace) -> Outcome:
    from app.terminal.tables import table
    from engine.speak.choice import make_voice
    from lab.commands.barge_in_delay import figures, measure, simulate

    if options.echo is not None and not options.simulated:
        raise OptionError("--echo is for --simulated: what is recorded of a loudspeaker has none.")
    voice = make_voice(VoiceOptions(options.voice))
    if options.simulated:
        measured = simulate(voice, quick=options.quick, echo_db=options.echo)
    else:
        measured = measure(voice, quick=options.quick)
    found = figures(measured)
    parts = ("p50", "p95", "max")
    rows = [
        (name, found[f"barge_in_{name}s"], *(found[f"barge_in_{name}_seconds_{part}"] for part in parts))
        for name in ("stop", "detect", "silence")
    ]
    last = f"{measured.missed} not noticed, {measured.false_alarms} false alarms; {_HEARD_AT[measured.heard_at]}.\n"
    return Outcome(
        {"voice": voice.name, "figures": found}, (table(("seconds", "times", *parts), rows, decimals=3), last)
    )


_HEARD_AT = {
    "monitor": "what came out of the loudspeaker was recorded",
    "player": "by the player's own clock: PulseAudio is not installed",
    "simulated": "passed to the detector, nothing was played",
}

BENCH = Bench(
    "barge-in",
    "how soon the assistant falls silent when it is spoken over",
    "Speak over the assistant, through the loudspeaker and the listening of a real conversation.",
    _add_options,
    _measure,
    epilog=_EPILOG,
)
