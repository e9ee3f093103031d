"""`earshot bench assistant`: the tables of the PredGen paper, run again on this machine."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.terminal.commands.bench.captions import progress
from engine.errors import OptionError
from engine.options import MOST_BRANCHES, AnswerOptions, CaptionOptions, VoiceOptions, check_range

if TYPE_CHECKING:
    from engine.bench.assistant.measure import TalkResult
    from engine.bench.assistant.methods import Way
    from engine.bench.assistant.tables import Row
    from engine.bench.assistant.texts import Prompts, Talk
    from engine.bench.tables import Cell
    from engine.language.language_model import LanguageModel
    from engine.speak.voice import Voice

DEFAULTS = AnswerOptions()
QUICK_TALKS = 8
MOST_TALKS = 100
LONGEST_CHARACTERS = 600

_EPILOG = """\
Every method answers the same questions with the same model and voice, one method after the other, question by
question: the plain cascade, which begins when the question has ended; PredGen as published (Table 1), which answers
parts of it ahead; then what Earshot adds. A question comes at 600 characters a minute, and its last word, which may
be cut off, is not asked before the end. The clock is simulated: it goes on by the pace of speech, and by what model
and voice compute, which is measured. With --realtime everything is waited for.

"TTFS" is the time from the end of the question to the end of the first sentence's text, "NFETFS" the forwards of the
model until then, "latency" the time to the first sound (its median "p50", its 95th percentile "p95"), "speedup" the
plain cascade's mean latency over the method's. "NFETFS = 1": the whole first sentence stood its verification and its
sound was there; "made ahead": its sound was there, however it was confirmed. "identical": replies that are the plain
cascade's, token by token. "right": own questions whose answer begins with the sentence it should begin with.

Methods with "branches" also make other answers beside each guess while there is time to spare, for where it fails;
those with "last word" also guess for what has been said with its last word, as long as letters are still to come.

Questions are those of the starter assistant's dialogues that it was never trained on, in a fixed order: by turns one
of an intent and one of a family such as capitals (--set intents or families asks one kind alone). With --data FOLDER,
a folder like the project's data, --set mt-bench, vicuna, gsm8k or arena reads others.

examples:
  earshot bench assistant --quick
  earshot bench assistant --plot assistant.svg --processor-time
  earshot bench assistant --set mt-bench --data DATA --limit 40 --first-guess 5
  earshot bench assistant --noisy --limit 30 --methods baseline,greedy,top-3 --json
"""


def add_to(benches: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the bench and its options."""
    parser = benches.add_parser(
        "assistant",
        help="delay, work and quality of the assistant's answers, by method",
        description="Answer questions while they are being said: plainly, as the PredGen paper does, in Earshot's way.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--model", default="starter-assistant", metavar="NAME|FOLDER",
        help="the language model; 'earshot models' lists them (default: %(default)s)",
    )  # fmt: skip
    _add_question_options(parser)
    _add_method_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON line instead of tables")
    output.add_argument("--plot", type=Path, metavar="OUT", help="draw the methods' delays as a .png or .svg file")
    output.add_argument(
        "--save", type=Path, metavar="FILE",
        help="keep every result in this file and ask nothing again that is in it with the same methods",
    )  # fmt: skip
    parser.set_defaults(run=run, parser=parser)


def _add_question_options(parser: argparse.ArgumentParser) -> None:
    questions = parser.add_argument_group("questions")
    questions.add_argument(
        "--set",
        default="own",
        metavar="NAME",
        help="own (default), intents, families, mt-bench, vicuna, gsm8k or arena",
    )
    questions.add_argument("--data", type=Path, metavar="FOLDER", help="where the other sets are")
    questions.add_argument(
        "--limit", type=int, metavar="N", help=f"only the first N conversations (default: {MOST_TALKS})"
    )
    questions.add_argument(
        "--longest", type=int, default=LONGEST_CHARACTERS, metavar="N",
        help="leave out conversations in which more than N characters are said at once (default: %(default)s)",
    )  # fmt: skip
    questions.add_argument(
        "--pace", type=float, default=600.0, metavar="N", help="characters a minute of a question (default: 600)"
    )
    questions.add_argument(
        "--noisy", action="store_true",
        help="a synthetic voice says the questions, and what is asked is what Earshot hears of them, as it hears it",
    )  # fmt: skip
    questions.add_argument(
        "--hearing-model", default="starter", metavar="NAME|FOLDER", help="what hears (default: starter)"
    )
    questions.add_argument("--quick", action="store_true", help="a few questions and methods: a minute on two cores")


def _add_method_options(parser: argparse.ArgumentParser) -> None:
    methods = parser.add_argument_group("methods")
    methods.add_argument("--methods", metavar="A,B", default="", help="only these rows; a wrong name lists them")
    methods.add_argument("--top-ks", metavar="A,B", help="the sweep of the top-k verifier (default: 1,2,3,5,10)")
    methods.add_argument(
        "--top-k-floor", type=float, default=DEFAULTS.top_k_floor, metavar="P",
        help="Earshot's top-k keeps no token less likely than the best by more than this (default: %(default)s)",
    )  # fmt: skip
    methods.add_argument(
        "--bias", type=float, default=DEFAULTS.bias, metavar="B", help="of the biased verifier (default: %(default)s)"
    )
    methods.add_argument(
        "--branches", type=int, metavar="N",
        help="other answers that are made ahead beside each guess, in the methods that have them (default: 8)",
    )  # fmt: skip
    methods.add_argument(
        "--reply-tokens", type=int, default=DEFAULTS.reply_tokens, metavar="N",
        help="the most of a reply (default: %(default)s)",
    )  # fmt: skip
    methods.add_argument(
        "--first-guess", type=float, default=0.0, metavar="S",
        help="guess nothing in the first S seconds of a question; 5 in the paper's code (default: from its first word)",
    )  # fmt: skip
    methods.add_argument("--realtime", action="store_true", help="take as long as the questions take to say")
    methods.add_argument(
        "--processor-time", action="store_true",
        help="count computation in processor time, for a machine that does other work too",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    from engine.bench.captions import plots

    ways = _ways(options)
    if options.plot:
        plots.check_target(options.plot)
    prompts = _prompts(options)
    from engine.language.language_model import load_language_model
    from engine.speak.choice import make_voice

    model = load_language_model(options.model)
    voice = make_voice(VoiceOptions())
    talks = _talks(options, prompts)
    results = _measure(options, model, voice, ways, talks)
    _print(options, model, voice, ways, results)
    return 0


def _ways(options: argparse.Namespace) -> tuple[Way, ...]:
    """The rows that are asked for. OptionError for what cannot be measured."""
    from engine.bench.assistant import methods as assistant_methods
    from engine.bench.captions import methods

    for flag in ("limit", "longest"):
        if (given := getattr(options, flag)) is not None and given < 1:
            raise OptionError(f"--{flag} must be at least 1, not {given}.")
    if not 1 <= options.pace <= 10_000:
        raise OptionError(f"--pace must be between 1 and 10000 characters a minute, not {options.pace:g}.")
    if not 0 <= options.first_guess <= 3600:
        raise OptionError(f"--first-guess must be between 0 and 3600 seconds, not {options.first_guess:g}.")
    if options.realtime and options.processor_time:
        raise OptionError("--realtime waits by the wall clock: it goes without --processor-time.")
    try:
        earshot = AnswerOptions(top_k_floor=options.top_k_floor, bias=options.bias, reply_tokens=options.reply_tokens)
        branches = assistant_methods.USUAL_BRANCHES if options.branches is None else options.branches
        check_range("branches", branches, 1, MOST_BRANCHES)
    except OptionError as error:
        field, _, rest = str(error).partition(" ")
        raise OptionError(f"--{field.replace('_', '-')} {rest}") from None
    known = assistant_methods.ways(earshot, _top_ks(options.top_ks), branches)
    names = [name.strip() for name in options.methods.split(",") if name.strip()]
    if not names and options.quick:
        names = [way.name for way in known if way.name in assistant_methods.QUICK]
    return methods.choose(known, names)


def _top_ks(given: str | None) -> Sequence[int]:
    from engine.bench.assistant.methods import TOP_KS

    if given is None:
        return TOP_KS
    try:
        found = [int(part) for part in given.split(",")]
    except ValueError:
        found = []
    if not found or not all(1 <= k <= 100 for k in found):
        raise OptionError(f"--top-ks must be whole numbers from 1 to 100 with commas between, not {given!r}.")
    return found


def _prompts(options: argparse.Namespace) -> list[Prompts]:
    from engine.bench.assistant.texts import read_set, shorter_than
    from engine.bench.captions.clips import BenchError

    everything = read_set(options.set, options.data)
    found = shorter_than(everything, options.longest)
    if not found:
        raise BenchError(f"All conversations of {options.set} are longer than --longest {options.longest}.")
    return found[: options.limit or (QUICK_TALKS if options.quick else MOST_TALKS)]


def _talks(options: argparse.Namespace, prompts: Sequence[Prompts]) -> list[Talk]:
    from engine.bench.assistant.texts import streams

    if not options.noisy:
        return streams(prompts, options.pace)
    from engine.bench.assistant.hearing import heard
    from engine.bench.captions.clips import BenchError
    from engine.loading.ready import make_ready

    ready = make_ready(options.hearing_model)
    choice = CaptionOptions(language="en")
    found: list[Talk] = []
    with progress() as tell:
        for talk in heard(prompts, ready.recognizer(choice), choice):
            found.append(talk)
            tell(f"heard {len(found)} of {len(prompts)} conversations")
    if not found:
        raise BenchError("Nothing was heard of any question.")
    return found


def _measure(
    options: argparse.Namespace, model: LanguageModel, voice: Voice, ways: Sequence[Way], talks: Sequence[Talk]
) -> dict[str, list[TalkResult]]:
    """All results by way."""
    from engine.bench.assistant.saved import SavedTalks
    from engine.bench.assistant.subject import clock_maker, conversations
    from engine.bench.side_by_side import compare

    timer = time.process_time if options.processor_time else time.perf_counter
    clock = clock_maker(timer, realtime=options.realtime)
    hold = conversations(model, voice, ways, clock, options.first_guess)
    saved = SavedTalks(options.save, _identity(options, model, voice)) if options.save else None
    results: dict[str, list[TalkResult]] = {way.name: [] for way in ways}
    with progress() as tell:
        tell(f"conversation 1 of {len(talks)}")
        for number, found in enumerate(compare(ways, talks, hold, saved), 1):
            for name, result in found.items():
                results[name].append(result)
            tell(f"conversation {min(number + 1, len(talks))} of {len(talks)}")
    if saved and saved.reused:
        sys.stderr.write(f"earshot: {saved.reused} conversations come from {options.save}, not from this run.\n")
    return results


def _print(
    options: argparse.Namespace,
    model: LanguageModel,
    voice: Voice,
    ways: Sequence[Way],
    results: dict[str, list[TalkResult]],
) -> None:
    from engine.bench.assistant import plots as assistant_plots
    from engine.bench.assistant import tables as assistant_tables

    found = assistant_tables.rows(ways, results)
    figures = assistant_tables.figures(found)
    if options.json:
        record: dict[str, object] = {"bench": "assistant", "model": model.name, "voice": voice.name}
        record |= {"conversations": len(results[ways[0].name]), "set": _set(options), "noisy": options.noisy}
        record |= {"clock": _clock(options), "first_guess_seconds": options.first_guess}
        print(json.dumps(record | {"rows": assistant_tables.records(found), "figures": figures}))
    else:
        print(_report(options, voice, found, figures, results), end="")
    if options.plot:
        assistant_plots.draw(options.plot, found)


def _report(
    options: argparse.Namespace,
    voice: Voice,
    found: Sequence[Row],
    figures: dict[str, Cell],
    results: dict[str, list[TalkResult]],
) -> str:
    """Tables for a person, then the figures that they come to."""
    from engine.bench.assistant import tables as assistant_tables
    from engine.bench.tables import table

    last = results[found[-1].way.name]
    known = [(name.replace("_", " "), value) for name, value in figures.items() if value is not None]
    parts = [
        assistant_tables.delay_table(found),
        assistant_tables.work_table(found),
        table(("figure", "measured"), known, decimals=3) if known else "",
        assistant_tables.wrong(results[found[0].way.name]),
        f"{len(last)} conversations ({_set(options)}), voice {voice.name}; {_clock(options)}.\n",
    ]
    return "\n".join(part for part in parts if part)


def _set(options: argparse.Namespace) -> str:
    return f"{options.set}, {'as heard' if options.noisy else f'{options.pace:g} characters a minute'}"


def _identity(options: argparse.Namespace, model: LanguageModel, voice: Voice) -> str:
    """What measurements of one kind have in common."""
    from engine.hear.whisper.fingerprint import fingerprint_of

    which = f"{model.name} {fingerprint_of(model.folder)}, {voice.name}"
    return f"{which}, {_clock(options)}, first guess {options.first_guess:g}"


def _clock(options: argparse.Namespace) -> str:
    """What the clock was."""
    if options.realtime:
        return "in real time"
    return f"simulated clock, computation in {'processor' if options.processor_time else 'wall'} time"
