"""`earshot bench captions`: the figures of the WhisperFlow paper, run again on this machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.terminal.commands.caption import add_model_option
from engine.errors import OptionError
from engine.options import CaptionOptions
from lab.commands.audio import add_audio_options, audio_sentence, check_audio, chosen_clips
from lab.commands.builder import (
    Bench,
    Outcome,
    clock_of,
    figures_table,
    saved_in,
    side_by_side,
    timer_of,
)

if TYPE_CHECKING:
    from lab.bench.captions.clips import Clip
    from lab.bench.captions.comparison import CaptionRow
    from lab.bench.captions.measure import ClipResult
    from lab.bench.captions.methods import Method
    from lab.bench.captions.subject import Subject

DEFAULTS = CaptionOptions()
QUICK_RECORDINGS, QUICK_MINUTES = 2, 1.25
MOST_MINUTES = 24 * 60.0

_EPILOG = """\
Every method hears the same audio with the same weights, one after the other, clip by clip. The first rows are a
ladder: Whisper-Streaming's way (30 s of padding, five candidates, LocalAgreement-2), and what is added to it. The rows
below are for comparison: Whisper-Streaming at its published step of 1 s, with 30 s of padding and with natural lengths
(the padding that Earshot gives the model), both ends with the shortest step there is, Earshot's as it hears a recording
that nobody waits for (caption --careful), where faster-whisper is installed (the dependency group "peers")
Whisper-Streaming's way on it in int8 at both steps, and every utterance heard as a whole.

"WER" is the share of words that are wrong, missing or too many after Whisper's text normaliser, "points" its difference
to the first row, with an interval by the bootstrap over recordings; "kept" is the WER of the text after the second look
at finished captions, and "its cost" computation over audio; "delay" runs from the end of a word to its being shown for
good; "CPU s/s" is processor time of all threads over audio, "W" the energy over audio that the processor itself counted
(RAPL, where it can be read; other programs are in it), "W, estimated" 5 W for each core at work, an assumption, so that
only ratios mean something; "of real time" is computation over audio. "pruned" is the share of search steps with a
single candidate because it followed the last hypothesis, "reduced r" the paper's reduce ratio. GMACs are counted by
formula.

People are speakers of LibriSpeech in the folder that EARSHOT_TEST_DATA names (default: ../shared/data beside the
checkout; without it the five minutes in lab/people): utterances of one speaker joined to stretches, and single ones.
Of the speakers sorted as strings the first half is to choose settings by (--split choose), the last half to judge them
by (--split judge, the default). The words
of an utterance are timed once, by the model itself with its full window and the words that are said. With --set
synthetic, synthetic voices say sentences that no model was trained on. A manifest has one JSON object a line,
{"file": "talk.flac", "text": "what is said", "seconds": 4.2, "lang": "en"}, with files named from the manifest's
folder.

examples:
  earshot bench captions --quick
  earshot bench captions --minutes 20 --curve --save captions.jsonl
  earshot bench captions --split choose --methods whisper-streaming-1s,earshot --step 0.3
  earshot bench captions --manifest speech/manifest.jsonl --limit 50 --json
"""


def _add_options(parser: argparse.ArgumentParser) -> None:
    quick = "a short run, about six minutes on two cores: little audio, and the methods of the headline figures"
    audio = add_audio_options(parser, "all", quick)
    audio.add_argument("--minutes", type=float, metavar="M", help="about so many minutes of people (default: 10)")
    add_model_option(parser)


def _add_methods(methods: argparse._ArgumentGroup) -> None:
    methods.add_argument(
        "--step", dest="step_seconds", type=float, metavar="S",
        help="new audio between two rounds, for all rows of the ladder (default: 0.3; Earshot's own "
        "follows what rounds cost)",
    )  # fmt: skip
    methods.add_argument("--second-model", metavar="MODEL", help="also Earshot's with this model for the second look")
    methods.add_argument(
        "--curve", nargs="?", const="", metavar="A,B",
        help="also both ends and the peer at these steps (default: 0.25, 0.5, 1, 1.5 and 2 s)",
    )  # fmt: skip


def _measure(options: argparse.Namespace) -> Outcome:
    chosen = _check(options)
    from lab.bench.captions import comparison
    from lab.bench.captions.subject import load_subject

    _choose(options, chosen, None)  # a wrong name is refused before a model is loaded
    check_audio(options)
    subject = load_subject(options.model)
    for warning in subject.warnings:
        sys.stderr.write(f"earshot: {warning}\n")
    clips = [subject.time_words(clip) for clip in _clips(options, subject.languages)]
    methods, curve = _choose(options, chosen, subject)
    results = _heard(options, subject, clips, (*methods, *curve))
    full, audio = subject.full_gmacs(), audio_sentence(options, clips)
    by_way = {method.way: results[method.name] for method in (*methods, *curve)}
    found, steps = comparison.rows(methods, by_way, full), comparison.rows(curve, by_way, full)
    figures = comparison.figures(found)
    record = {"model": options.model, "clock": clock_of(options), "audio": audio, "figures": figures}
    record |= {"rows": comparison.records(found)} | ({"curve": comparison.records(steps)} if steps else {})
    natural = subject.natural or "what suits the model"
    last = f"{audio}\nNatural lengths: padding {natural}. Computation was measured in {clock_of(options)}.\n"
    parts = [*_tables(found, steps, results), figures_table(figures), _misheard(found, results), last]
    return Outcome(record, parts)


def _check(options: argparse.Namespace) -> CaptionOptions:
    """Refuse what cannot be measured; return Earshot's own options."""
    if options.minutes is not None and not 0 < options.minutes <= MOST_MINUTES:
        raise OptionError(f"--minutes must be above 0 and at most {MOST_MINUTES:g}, not {options.minutes:g}.")
    if options.minutes is not None and (options.manifest or options.audio_set == "synthetic"):
        raise OptionError("--minutes are of people: give it without --manifest and --set synthetic.")
    if options.step_seconds is None:
        return DEFAULTS
    return replace(DEFAULTS, step_seconds=options.step_seconds, step_follows_cost=False)


def _choose(
    options: argparse.Namespace, earshot: CaptionOptions, subject: Subject | None
) -> tuple[tuple[Method, ...], tuple[Method, ...]]:
    """Return the methods of the tables and those of the curve; without a subject those that any model might have.

    Raises:
        BenchError: faster-whisper is asked for by name, and cannot be had.
    """
    from lab.bench.captions import methods
    from lab.bench.captions.peer import HOW_TO_GET, has_peer
    from lab.bench.errors import BenchError
    from lab.bench.side_by_side import choose

    step = options.step_seconds or methods.LADDER_STEP_SECONDS
    hush_word, overlap = subject is None or subject.has_hush_word, not options.processor_time
    steps = methods.ladder(step, hush_word=hush_word, earshot=earshot, overlap=overlap)
    natural = subject.natural if subject else None
    beside = methods.beside_the_ladder(steps, natural, peer=subject is None or subject.peer is not None)
    names = options.methods.replace(",", " ").split()
    two_ears = (methods.two_ears(earshot, options.second_model),) if options.second_model else ()
    known = (*steps, *beside, *two_ears)
    if methods.PEER in names and not (has_peer() if subject is None else subject.peer):
        raise BenchError(f"faster-whisper cannot hear with {options.model}." if has_peer() else HOW_TO_GET)
    if subject is not None and not names and not has_peer():
        sys.stderr.write(f"earshot: {HOW_TO_GET}\n")
    chosen = methods.quick(known) if options.quick and not names else choose(known, options.methods)
    return chosen, methods.curve(known, _curve_steps(options.curve)) if options.curve is not None else ()


def _curve_steps(given: str) -> Sequence[float]:
    """Read the steps of the curve; the usual ones where none are named."""
    from lab.bench.captions.methods import CURVE_STEPS_SECONDS

    try:
        return [float(part) for part in given.split(",")] if given else CURVE_STEPS_SECONDS
    except ValueError:
        raise OptionError(f"--curve must be seconds with commas between, not {given!r}.") from None


def _clips(options: argparse.Namespace, languages: Sequence[str]) -> list[Clip]:
    from lab.bench.captions import people

    if options.manifest or options.audio_set == "synthetic":
        return chosen_clips(options, languages, QUICK_RECORDINGS if options.quick else sys.maxsize)
    minutes = options.minutes or (QUICK_MINUTES if options.quick else people.USUAL_MINUTES)
    return people.joined_and_single(options.split, minutes)[: options.limit]


def _heard(
    options: argparse.Namespace, subject: Subject, clips: Sequence[Clip], methods: Sequence[Method]
) -> dict[str, list[ClipResult]]:
    """Measure every clip, by the methods' names; methods that differ in their names alone are heard once."""
    from lab.bench.captions.measure import ClipResult
    from lab.bench.captions.subject import hearer

    hear = hearer(subject, timer_of(options))
    first = {method.way: method for method in reversed(methods)}
    saved = saved_in(options, subject.identity, ClipResult)
    found = side_by_side(
        options, "recording", list(first.values()), clips, lambda method, clip: hear(method.way, clip), saved
    )
    return {method.name: found[first[method.way].name] for method in methods}


def _tables(
    found: Sequence[CaptionRow], steps: Sequence[CaptionRow], results: dict[str, list[ClipResult]]
) -> list[str]:
    from lab.bench.captions import comparison

    clips = [comparison.clip_table(results[found[0].method.name])] if len(found) == 1 else []
    curve = [comparison.speed_table(steps)] if steps else []
    return [*clips, comparison.speed_table(found), comparison.work_table(found), *curve]


def _misheard(found: Sequence[CaptionRow], results: dict[str, list[ClipResult]]) -> str:
    from lab.bench.captions import comparison
    from lab.bench.captions.methods import EARSHOT

    last = next((row for row in found if row.method.name == EARSHOT), found[-1])
    return comparison.misheard(results[last.method.name])


BENCH = Bench(
    "captions",
    "word errors, delay of words and computation, by method",
    "Caption recordings as if they were live, in Whisper-Streaming's way and in Earshot's.",
    _add_options,
    _measure,
    epilog=_EPILOG,
    add_methods=_add_methods,
    processor_time="count computation in processor time, for a machine that does other work too; leaves out the "
    "pipeline, whose rounds would count each other's work",
    save=True,
)
