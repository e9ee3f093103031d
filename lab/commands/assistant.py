"""`earshot bench assistant`: the tables of the PredGen paper, run again on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import OptionError
from engine.options import STARTER_VOICE, AnswerOptions, VoiceOptions
from lab.commands.builder import (
    MODEL,
    SIMULATED,
    Bench,
    Outcome,
    as_heard,
    check_least,
    clock_of,
    figures_table,
    saved_in,
    side_by_side,
    timer_of,
)

if TYPE_CHECKING:
    from lab.bench.assistant.methods import AnswerMethod
    from lab.bench.assistant.texts import Prompts, Talk

DEFAULTS = AnswerOptions()
QUICK_TALKS = 8
MOST_TALKS = 100
LONGEST_CHARACTERS = 600

_EPILOG = """\
Every method answers the same questions with the same model and voice, one method after the other, question by
question: the plain cascade, which begins when the question has ended; PredGen as published (Table 1), which answers
parts of it ahead; then what Earshot adds. A question comes at 600 characters a minute, and its last word, which may
be cut off, is not asked before the end. The clock is simulated: it goes on by the pace of speech, and by what model
and voice compute, which is measured.

"TTFS" is the time from the end of the question to the end of the first sentence's text, "NFETFS" the forwards of the
model until then, "latency" the time to the first sound (its median "p50", its 95th percentile "p95"), "speedup" the
plain cascade's mean latency over the method's. "NFETFS = 1": the whole first sentence stood its verification and its
sound was there; "made ahead": its sound was there, however it was confirmed. "identical": replies that are the plain
cascade's, token by token. "right": own questions whose answer begins with the sentence it should begin with. "same
sentence": first sentences that are the plain cascade's. "log-prob.": of a token of the first sentence behind the whole
question, as the model has it, mean. "later": of the second turn of a talk and on.

Methods with "branches" also make other answers beside each guess while there is time to spare, for where it fails;
those with "last word" also guess for what has been said with its last word, as long as letters are still to come.

Questions are those of the starter assistant's dialogues that it was never trained on, in a fixed order: by turns one
of an intent and one of a family such as capitals. With --data FOLDER, a folder like the project's data, --set mt-bench,
vicuna or gsm8k reads others. Figure 4 of the paper: --methods baseline,greedy,top-2,top-3,top-5,top-10.

examples:
  earshot bench assistant --quick
  earshot bench assistant --plot assistant.svg --processor-time
  earshot bench assistant --set mt-bench --data DATA --limit 40
  earshot bench assistant --noisy --limit 30 --methods baseline,greedy,top-3 --json
"""


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default="starter-assistant", metavar="NAME|FOLDER|FILE", help=MODEL)
    parser.add_argument(
        "--voice", default=STARTER_VOICE, metavar="NAME|FOLDER", help="what speaks (default: %(default)s)"
    )
    _add_question_options(parser)


def _add_question_options(parser: argparse.ArgumentParser) -> None:
    questions = parser.add_argument_group("questions")
    questions.add_argument(
        "--set",
        default="own",
        metavar="NAME",
        help="own (default), mt-bench, vicuna or gsm8k",
    )
    questions.add_argument("--data", type=Path, metavar="FOLDER", help="where the other sets are")
    questions.add_argument(
        "--limit", type=int, metavar="N", help=f"only the first N conversations (default: {MOST_TALKS})"
    )
    questions.add_argument(
        "--longest", type=int, default=LONGEST_CHARACTERS, metavar="N", help="longest turn of the user's, in characters"
    )
    questions.add_argument("--reply-tokens", type=int, metavar="N", help="longest reply, in place of the default's")
    heard = "a synthetic voice says the questions, and what is asked is what Earshot hears of them, as it hears it"
    questions.add_argument("--noisy", action="store_true", help=heard)
    questions.add_argument("--quick", action="store_true", help="a few questions and methods: a minute on two cores")


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.clock import SimulatedClock
    from engine.hear.whisper.fingerprint import fingerprint_of
    from engine.language.answering import load_token_model
    from engine.models.catalogue import find_model
    from engine.speak.choice import make_voice
    from lab.bench.assistant import tables
    from lab.bench.assistant.measure import TalkResult
    from lab.bench.assistant.subject import conversations
    from lab.bench.tables import records_of, table_of

    ways, prompts = _ways(options), _prompts(options)
    model, voice = load_token_model(options.model), make_voice(VoiceOptions(options.voice))
    talks = _talks(options, prompts)
    timer = timer_of(options)
    hold = conversations(model, voice, ways, lambda: SimulatedClock(timer))
    place = find_model(options.model, "language")[1]
    identity = f"{model.name} {fingerprint_of(place)}, {voice.name}"
    saved = saved_in(options, identity, TalkResult)
    results = side_by_side(options, "conversation", ways, talks, hold, saved)
    found = tables.rows(ways, results)
    figures = tables.figures(found)
    return Outcome(
        {
            "model": model.name,
            "voice": voice.name,
            "conversations": len(talks),
            "set": _set(options),
            "noisy": options.noisy,
            "clock": clock_of(options),
            "rows": records_of(tables.ALL, found),
            "figures": figures,
        },
        (
            table_of(tables.DELAYS, found),
            table_of(tables.WORK, found, decimals=1),
            figures_table(figures),
            f"{len(talks)} conversations ({_set(options)}), voice {voice.name}; computation in {clock_of(options)}.\n",
        ),
        lambda path: tables.draw(path, found),
    )


def _ways(options: argparse.Namespace) -> tuple[AnswerMethod, ...]:
    """Return the methods that are asked for.

    Raises:
        OptionError: one cannot be measured.
    """
    from engine.language.servers.address import is_address
    from lab.bench.assistant import methods as assistant_methods
    from lab.bench.side_by_side import choose

    check_least(options, "limit", "longest", "reply_tokens")
    if is_address(options.model):
        raise OptionError("--model must be one whose probabilities can be read, which a server does not show.")
    tokens = options.reply_tokens
    known = assistant_methods.ways(DEFAULTS if tokens is None else replace(DEFAULTS, reply_tokens=tokens))
    return choose(known, options.methods, assistant_methods.QUICK if options.quick else ())


def _prompts(options: argparse.Namespace) -> list[Prompts]:
    from lab.bench.assistant.texts import read_set, shorter_than

    found = shorter_than(read_set(options.set, options.data), options.longest)
    return found[: options.limit or (QUICK_TALKS if options.quick else MOST_TALKS)]


def _talks(options: argparse.Namespace, prompts: Sequence[Prompts]) -> list[Talk]:
    from lab.bench.assistant.texts import streams

    if not options.noisy:
        return streams(prompts)
    from lab.bench.assistant.hearing import heard

    return as_heard("conversation", prompts, heard)


def _set(options: argparse.Namespace) -> str:
    return f"{options.set}, {'as heard' if options.noisy else '600 characters a minute'}"


BENCH = Bench(
    "assistant",
    "delay, work and quality of the assistant's answers, by method",
    "Answer questions while they are being said: plainly, as the PredGen paper does, in Earshot's way.",
    _add_options,
    _measure,
    epilog=_EPILOG,
    add_methods=lambda methods: None,
    processor_time=SIMULATED,
    plot="the methods' delays",
    save=True,
)
