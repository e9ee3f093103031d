"""`earshot bench conversation`: how long somebody waits who speaks to the assistant."""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING

from app.terminal.commands.bench.captions import progress
from engine.errors import OptionError
from engine.options import CaptionOptions, VoiceOptions

if TYPE_CHECKING:
    from engine.bench.assistant.conversation import Answered, Spoken, Way

USUAL_LIMIT, QUICK_LIMIT = 40, 6

_EPILOG = """\
A synthetic voice says questions that the starter assistant was never trained on; the whole assistant hears, answers
and speaks: in the plain way, which does nothing before half a second of silence; ahead; and with less silence where
the model takes the question for complete, more where it does not. The clock is simulated: it goes on by the pace of
speech, and by what is computed, which is measured.

Times count from the end of the last word. "after endpoint": from the end of the turn to the first sound. "pre-made":
that sound was there when the turn ended. "too early": questions that were taken for finished before they were, and
taken up again. "heard": word for word. "right": the answer begins with the sentence it should begin with.

examples:
  earshot bench conversation --quick
  earshot bench conversation --pause 0.4             every question breaks off in its middle
  earshot bench conversation --limit 100 --json
"""


def add_to(benches: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the bench and its options."""
    parser = benches.add_parser(
        "conversation",
        help="from the end of a spoken question to the first sound of its answer",
        description="Speak questions to the whole assistant, and measure what somebody waits for.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--model", default="starter", metavar="NAME|FOLDER", help="what hears (default: %(default)s)")
    parser.add_argument(
        "--assistant-model",
        default="starter-assistant",
        metavar="NAME|FOLDER",
        help="what answers (default: %(default)s)",
    )
    parser.add_argument("--limit", type=int, metavar="N", help=f"how many questions (default: {USUAL_LIMIT})")
    parser.add_argument(
        "--pause", type=float, default=0.0, metavar="S", help="seconds of silence in the middle of each (default: none)"
    )
    parser.add_argument("--methods", metavar="A,B", default="", help="only these rows; a wrong name lists them")
    parser.add_argument("--quick", action="store_true", help="a few questions: under a minute on two cores")
    parser.add_argument(
        "--processor-time", action="store_true",
        help="count computation in processor time, for a machine that does other work too",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON line instead of a table")
    parser.set_defaults(run=run, parser=parser)


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    from engine.bench.assistant import conversation
    from engine.bench.captions import methods

    if options.limit is not None and options.limit < 1:
        raise OptionError(f"--limit must be at least 1, not {options.limit}.")
    if not 0 <= options.pause <= 5:
        raise OptionError(f"--pause must be between 0 and 5 seconds, not {options.pause:g}.")
    names = [name.strip() for name in options.methods.split(",") if name.strip()]
    ways = methods.choose(conversation.ways(), names)
    found = conversation.rows(_measure(options, ways))
    figures = conversation.figures(found)
    if options.json:
        record: dict[str, object] = {"bench": "conversation", "model": options.model, "pause_seconds": options.pause}
        record |= {"assistant_model": options.assistant_model, "processor_time": options.processor_time}
        print(json.dumps(record | {"rows": found, "figures": figures}))
    else:
        print(conversation.conversation_table(found), end="")
        print(f"\n{found[0]['questions']} questions; computation in {_timed(options)} time.")
    return 0


def _measure(options: argparse.Namespace, ways: tuple[Way, ...]) -> list[tuple[Way, list[Answered]]]:
    """All answers by way, question by question."""
    from engine.bench.assistant.conversation import holder, speak
    from engine.clock import SimulatedClock
    from engine.language.language_model import load_language_model
    from engine.loading.ready import make_ready
    from engine.speak.choice import make_voice

    spoken = _spoken(options)
    ready = make_ready(options.model)
    timer = time.process_time if options.processor_time else time.perf_counter
    recognizer = ready.recognizer(CaptionOptions(language="en"))
    model = load_language_model(options.assistant_model)
    hold = holder(recognizer, model, make_voice(VoiceOptions()), lambda: SimulatedClock(timer))
    results: list[tuple[Way, list[Answered]]] = [(way, []) for way in ways]
    warm_up = speak(0, "What is this?", None)
    for way in ways:
        hold(way, warm_up)
    with progress() as tell:
        for number, each in enumerate(spoken, 1):
            tell(f"question {number} of {len(spoken)}")
            for way, answered in results:
                answered.append(hold(way, each))
    return results


def _spoken(options: argparse.Namespace) -> list[Spoken]:
    from engine.bench.assistant.conversation import speak
    from engine.bench.assistant.texts import read_set

    limit = options.limit or (QUICK_LIMIT if options.quick else USUAL_LIMIT)
    prompts = read_set("own", None)[:limit]
    return [speak(number, each.turns[-1], each.reply, options.pause) for number, each in enumerate(prompts)]


def _timed(options: argparse.Namespace) -> str:
    return "processor" if options.processor_time else "wall"
