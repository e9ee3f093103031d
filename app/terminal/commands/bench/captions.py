"""`earshot bench captions`: the figures of the WhisperFlow paper, run again on this machine."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.terminal.commands.bench.audio import add_people_options, audio_sentence, check_audio
from app.terminal.commands.caption import add_model_option
from app.terminal.commands.decoder_options import add_decoder_options, decode_options
from app.terminal.commands.flags import named_by_flag
from engine.errors import OptionError
from engine.options import CaptionOptions

if TYPE_CHECKING:
    from engine.bench.captions.clips import Clip
    from engine.bench.captions.comparison import Row
    from engine.bench.captions.measure import ClipResult
    from engine.bench.captions.methods import Method, Way
    from engine.bench.captions.saved import SavedResults
    from engine.bench.captions.subject import Subject
    from engine.bench.tables import Cell

DEFAULTS = CaptionOptions()
QUICK_SENTENCES = 4
QUICK_RECORDINGS = 2
QUICK_MINUTES, QUICK_SPOKEN_MINUTES = 1.25, 0.2
LEAST_HOURS, MOST_HOURS = 1 / 6, 24.0

_EPILOG = """\
Every method hears the same audio with the same weights, one after the other, clip by clip. The first rows are a
ladder: Whisper-Streaming's way (30 s of padding, five candidates, LocalAgreement-2), and what is added to it. The rows
below are for comparison: Whisper-Streaming at its published step of 1 s, with 30 s of padding and with natural lengths
(the padding that Earshot gives the model), both ends with the shortest step there is, where faster-whisper is
installed (the dependency group "peers") Whisper-Streaming's way on it in int8, and every utterance heard as a whole.

"WER" is the share of words that are wrong, missing or too many after Whisper's text normaliser, "points" its
difference to the first row; "delay" runs from the end of a word to its being shown for good; "CPU s/s" is processor
time of all threads over audio, the stand-in for energy; "of real time" is computation over audio. "pruned" is the
share of search steps with a single candidate because it followed the last hypothesis, "reduced r" the paper's reduce
ratio. GMACs are counted by formula.

People are speakers of LibriSpeech in the folder that EARSHOT_TEST_DATA names (default: ../shared/data beside the
checkout): utterances of one speaker joined to stretches, and single ones. Of the speakers sorted as strings the first
half is to choose settings by (--split choose), the last half to judge them by (--split judge, the default). The words
of an utterance are timed once, by the model itself with its full window and the words that are said. With --set
synthetic, synthetic voices say sentences that no model was trained on. A manifest has one JSON object a line,
{"file": "talk.flac", "text": "what is said", "seconds": 4.2, "lang": "en"}, with files named from the manifest's
folder; a folder of chapters, each with NAME.segments.json beside it, is one too.

examples:
  earshot bench captions --quick
  earshot bench captions --minutes 20 --curve --plot captions.svg --save captions.jsonl
  earshot bench captions --split choose --methods whisper-streaming-1s,earshot --step 0.3
  earshot bench captions --manifest speech/manifest.jsonl --limit 50 --json
  earshot bench captions --hour
"""


def add_to(benches: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the bench and its options."""
    parser = benches.add_parser(
        "captions",
        help="word errors, delay of words and computation, by method",
        description="Caption recordings as if they were live, in Whisper-Streaming's way and in Earshot's.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_audio_options(parser)
    _add_method_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON line instead of tables")
    output.add_argument("--plot", type=Path, metavar="OUT", help="draw the methods as a .png or .svg file")
    output.add_argument(
        "--save", type=Path, metavar="FILE",
        help="keep every result in this file and measure none again that is in it",
    )  # fmt: skip
    add_model_option(parser)
    parser.set_defaults(run=run, parser=parser)


def _add_audio_options(parser: argparse.ArgumentParser) -> None:
    audio = parser.add_argument_group("audio")
    add_people_options(audio)
    audio.add_argument("--manifest", type=Path, metavar="M.jsonl", help="instead: recordings and what is said in them")
    audio.add_argument("--limit", type=int, metavar="N", help="only the first N recordings")
    audio.add_argument(
        "--minutes", type=float, metavar="M",
        help="about so many minutes of people (default: 10), or at least so many of synthetic voices (default: about "
        "8; from 20 on, the first file lasts 10)",
    )  # fmt: skip
    audio.add_argument(
        "--sentences", type=int, metavar="N",
        help="one synthetic voice alone, N sentences in each recording (needs --set synthetic)",
    )  # fmt: skip
    audio.add_argument(
        "--quick", action="store_true",
        help="a short run, about six minutes on two cores: little audio, and the methods of the headline figures",
    )  # fmt: skip
    audio.add_argument(
        "--hours", type=float, metavar="H", help="instead: so many hours through one session, for memory and speed"
    )
    audio.add_argument("--hour", dest="hours", action="store_const", const=1.0, help="the same as --hours 1")


def _add_method_options(parser: argparse.ArgumentParser) -> None:
    methods = parser.add_argument_group("methods")
    methods.add_argument("--methods", metavar="A,B", default="", help="only these rows; a wrong name lists them")
    methods.add_argument(
        "--step", type=float, metavar="S", default=DEFAULTS.step_seconds,
        help="new audio between two rounds, for all rows of the ladder (default: %(default)s)",
    )  # fmt: skip
    methods.add_argument(
        "--processor-time", action="store_true",
        help="count computation in processor time, for a machine that does other work too; hides what a pipeline gains",
    )  # fmt: skip
    methods.add_argument("--curve", action="store_true", help="also both ends at steps of 0.25, 0.5, 1, 1.5 and 2 s")
    earshot = parser.add_argument_group("Earshot's row")
    earshot.add_argument(
        "--padding", metavar="HOW", default=DEFAULTS.padding,
        help="what follows speech, there and in the rows with natural lengths: full, none, zeros:S, noise:S, hush or "
        "silence_cache (default: what suits the model)",
    )  # fmt: skip
    add_decoder_options(earshot)


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    chosen = _check(options)
    if options.hours is not None:
        return _run_long(options, chosen)
    from engine.bench.captions import plots
    from engine.bench.captions.saved import SavedResults
    from engine.bench.captions.subject import load_subject

    if options.plot:
        plots.check_target(options.plot)
    _choose(options, chosen, None)  # a wrong name is refused before a model is loaded
    check_audio(options, options.manifest)
    subject = load_subject(options.model)
    for warning in subject.warnings:
        sys.stderr.write(f"earshot: {warning}\n")
    if chosen.decode.decoder == "multitoken":
        subject.make(chosen)  # a model without heads is told of now, not after the first recording
    clips = [subject.time_words(clip) for clip in _clips(options, subject.languages)]
    methods, curve = _choose(options, chosen, subject)
    saved = SavedResults(options.save, f"{subject.identity}, {_clock(options)}") if options.save else None
    results = _measure(options, subject, clips, (*methods, *curve), saved)
    _print(options, subject, clips, methods, curve, results)
    if saved and saved.reused:
        sys.stderr.write(f"earshot: {saved.reused} results come from {options.save}, not from this run.\n")
    return 0


def _check(options: argparse.Namespace) -> CaptionOptions:
    """Refuse what cannot be measured; give Earshot's own options."""
    if options.sentences is not None and options.sentences < 1:
        raise OptionError(f"--sentences must be at least 1, not {options.sentences}.")
    if options.minutes is not None and not 0 < options.minutes <= 60 * MOST_HOURS:
        raise OptionError(f"--minutes must be above 0 and at most {60 * MOST_HOURS:g}, not {options.minutes:g}.")
    if options.hours is not None and not LEAST_HOURS <= options.hours <= MOST_HOURS:
        raise OptionError(f"--hours must be between {LEAST_HOURS:.2g} and {MOST_HOURS:g}, not {options.hours:g}.")
    sources = [
        f"--{name}" for name in ("manifest", "minutes", "sentences", "hours") if getattr(options, name) is not None
    ]
    if len(sources) > 1:
        raise OptionError(f"{' and '.join(sources)} name different audio: give one of them.")
    methods_only = ("methods", "curve", "plot", "save", "limit", "quick", "processor_time")
    unused = [f"--{name.replace('_', '-')}" for name in methods_only if getattr(options, name)]
    if options.hours is not None and unused:
        raise OptionError(f"--hours measures one session of Earshot's default: it goes without {', '.join(unused)}.")
    try:
        return replace(DEFAULTS, step_seconds=options.step, padding=options.padding, decode=decode_options(options))
    except OptionError as error:
        raise named_by_flag(error, {"step_seconds": "--step", "padding": "--padding"}) from None


def _choose(
    options: argparse.Namespace, earshot: CaptionOptions, subject: Subject | None
) -> tuple[tuple[Method, ...], tuple[Method, ...]]:
    """The rows of the tables and those of the curve; without a subject those that any model might have.

    BenchError where faster-whisper is asked for by name, and cannot be had.
    """
    from engine.bench.captions import methods
    from engine.bench.captions.clips import BenchError
    from engine.bench.captions.peer import HOW_TO_GET, has_peer

    steps = methods.ladder(options.step, hush_word=subject is not None and subject.has_hush_word, earshot=earshot)
    natural = options.padding or (subject.natural if subject else None)
    beside = methods.beside_the_ladder(steps, natural, peer=subject is None or subject.peer is not None)
    names = [name.strip() for name in options.methods.split(",") if name.strip()]
    known = (*steps, *beside)
    if methods.PEER in names and not (has_peer() if subject is None else subject.peer):
        raise BenchError(f"faster-whisper cannot hear with {options.model}." if has_peer() else HOW_TO_GET)
    if subject is not None and not names and not has_peer():
        sys.stderr.write(f"earshot: {HOW_TO_GET}\n")
    chosen = methods.quick(known) if options.quick and not names else methods.choose(known, names)
    return chosen, methods.curve(steps) if options.curve else ()


def _clips(options: argparse.Namespace, languages: Sequence[str]) -> list[Clip]:
    from engine.bench.captions import clips, people

    if options.manifest:
        return clips.read_manifest(
            options.manifest, languages, options.limit or (QUICK_RECORDINGS if options.quick else None)
        )
    if options.sentences:
        quick = max(1, QUICK_SENTENCES // options.sentences)
        return clips.spoken_clips(options.limit or (quick if options.quick else None), options.sentences)
    if options.audio_set == "synthetic":
        return clips.spoken_files(options.minutes or (QUICK_SPOKEN_MINUTES if options.quick else None), options.limit)
    minutes = options.minutes or (QUICK_MINUTES if options.quick else people.USUAL_MINUTES)
    return people.joined_and_single(options.split, minutes)[: options.limit]


def _measure(
    options: argparse.Namespace,
    subject: Subject,
    clips: Sequence[Clip],
    methods: Sequence[Method],
    saved: SavedResults | None,
) -> dict[Way, list[ClipResult]]:
    """All results by way."""
    from engine.bench.captions.comparison import compare
    from engine.bench.captions.subject import hearer

    titles = {method.way: method.title for method in reversed(methods)}
    timer = time.process_time if options.processor_time else time.perf_counter
    results: dict[Way, list[ClipResult]] = {}
    numbers = {clip.name: number for number, clip in enumerate(clips, 1)}
    with progress() as tell:

        def watch(way: Way, clip: Clip) -> None:
            tell(f"recording {numbers[clip.name]} of {len(clips)}: {titles[way]}")

        for found in compare(methods, clips, hearer(subject, saved, on_start=watch, timer=timer)):
            for way, result in found.items():
                results.setdefault(way, []).append(result)
    return results


def _print(
    options: argparse.Namespace,
    subject: Subject,
    clips: Sequence[Clip],
    methods: Sequence[Method],
    curve: Sequence[Method],
    results: dict[Way, list[ClipResult]],
) -> None:
    from engine.bench.captions import comparison, plots

    full, audio = subject.full_gmacs(), audio_sentence(options, clips, options.manifest)
    found = comparison.rows(methods, results, full)
    steps = comparison.rows(curve, results, full)
    figures = comparison.figures(found)
    if options.json:
        record: dict[str, object] = {"bench": "captions", "model": options.model, "clock": _clock(options)}
        record |= {"audio": audio, "figures": figures, "rows": comparison.records(found)}
        if steps:
            record["curve"] = comparison.records(steps)
        print(json.dumps(record))
    else:
        print(_report(found, steps, figures, results), end="")
        natural = options.padding or subject.natural or "what suits the model"
        print(f"\n{audio}\nNatural lengths: padding {natural}. Computation was measured in {_clock(options)}.")
    if options.plot:
        plots.draw(options.plot, found, steps)


def _report(
    found: Sequence[Row],
    steps: Sequence[Row],
    figures: dict[str, Cell],
    results: dict[Way, list[ClipResult]],
) -> str:
    """Tables for a person, then the figures that they come to."""
    from engine.bench.captions import comparison
    from engine.bench.captions.methods import EARSHOT
    from engine.bench.tables import table

    parts = [comparison.speed_table(found), comparison.work_table(found)]
    if steps:
        parts.append(comparison.speed_table(steps))
    if len(found) == 1:
        parts.insert(0, comparison.clip_table(results[found[0].method.way]))
    known = [(name.replace("_", " "), value) for name, value in figures.items() if value is not None]
    parts.append(table(("figure", "measured"), known, decimals=3))
    last = next((row for row in found if row.method.name == EARSHOT), found[-1])
    parts.append(comparison.misheard(results[last.method.way]))
    return "\n".join(part for part in parts if part)


def _run_long(options: argparse.Namespace, chosen: CaptionOptions) -> int:
    """Hours of audio through one session: memory by the minute, rounds by the slice."""
    from engine.bench.captions import long_audio
    from engine.bench.captions.subject import load_subject

    check_audio(options, options.manifest)
    subject = load_subject(options.model)
    options.minutes = long_audio.SLICE_SECONDS / 60
    tape = long_audio.tape_of(_clips(options, subject.languages))
    seconds = 3600 * options.hours
    moments = []
    with progress() as tell:
        for moment in long_audio.hear_long(subject.make(chosen), chosen, tape, seconds):
            moments.append(moment)
            tell(f"{moment.audio_seconds / 60:.0f} of {seconds / 60:.0f} minutes")
    found = long_audio.LongAudio(tuple(moments))
    if options.json:
        figures = long_audio.figures(found)
        record = {"bench": "captions-long", "model": options.model, "figures": figures}
        print(json.dumps(record | {"rows": [asdict(moment) for moment in moments]}))
    else:
        print(long_audio.report(found), end="")
    return 0


def _clock(options: argparse.Namespace) -> str:
    """What computation was measured with."""
    return "processor time" if options.processor_time else "wall time"


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Show how far a bench is, on a terminal alone; the line is gone at the end, however that comes."""
    shown = sys.stderr.isatty()

    def tell(line: str) -> None:
        if shown:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()

    try:
        yield tell
    finally:
        tell("")
