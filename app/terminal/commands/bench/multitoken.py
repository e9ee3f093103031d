"""`earshot bench multitoken`: the tables and figures of arXiv:2409.08148, run again on this machine."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from app.terminal.commands.bench.audio import add_people_options, audio_sentence, check_audio
from app.terminal.commands.bench.captions import progress
from engine.errors import OptionError

if TYPE_CHECKING:
    from engine.bench.captions.clips import Clip
    from engine.bench.captions.measure import ClipResult
    from engine.bench.multitoken.measure import Heard
    from engine.bench.multitoken.methods import Way
    from engine.bench.multitoken.subject import Subject, Subjects
    from engine.bench.multitoken.tables import LiveRow, Row
    from engine.bench.side_by_side import Saved
    from engine.bench.tables import Cell

Result = TypeVar("Result")
QUICK_CLIPS = 6
MOST_SENTENCES = 8  # some 25 s
LIVE_CLIPS = 12

_EPILOG = """\
Every method hears the same clips with the same encoder, one right after the other, clip by clip. First comes Table I:
Speech-LLaMA's single head, its four latent heads, and heads that were added to it where --heads gives a file of them.
Then come Figure 4 (the first two to six of its heads, by how a token is accepted), Figure 5 (by language, where --data
has several that the model knows), the same for Whisper with the heads that were trained for it, and live sessions.

"top-M" keeps a token that the next token's head finds among its M likeliest once it has read what comes before; with
top-1 the text is that of the single head. "threshold" keeps what its own head is so sure of. "eta" is decoder calls
per word, 2 calls / (words said + words heard), "fewer" how many times fewer than with the single head; "RTF" is time
in the decoder over audio, "of single" the same over the single head's. "identical" is the share of clips that were
written token by token as with the single head. "of real time" is all computation of a live session over its audio.

By default people are heard: speakers of LibriSpeech in the folder that EARSHOT_TEST_DATA names, the last half of them
(--split choose: the first half), in turn one utterance of each. With --set synthetic, synthetic voices say sentences
that no model of this project was trained on. --data names a folder like the project's data, or a manifest with one
JSON object a line, {"file": "talk.flac", "text": "what is said", "lang": "de"}.

examples:
  earshot bench multitoken --quick
  earshot bench multitoken --plot multitoken.svg --save multitoken.jsonl --processor-time
  earshot bench multitoken --heads projection.safetensors --methods single,latent-4-0.8,added-projection-0.8
  earshot bench multitoken --data DATA --limit 50 --json
"""


def add_to(benches: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the bench and its options."""
    parser = benches.add_parser(
        "multitoken",
        help="decoder calls, speed and word errors of several tokens at once",
        description="Decode speech one token at a time and several at once, with Speech-LLaMA and with Whisper.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    models = parser.add_argument_group("models")
    models.add_argument("--model", metavar="FOLDER", help="the Speech-LLaMA; none ships with Earshot yet")
    models.add_argument(
        "--whisper", default="starter", metavar="NAME|FOLDER", help="the Whisper model (default: %(default)s)"
    )
    models.add_argument(
        "--heads", type=Path, action="append", default=[], metavar="FILE",
        help="heads that were trained for one of the two; may be repeated (default for Whisper: those that are there)",
    )  # fmt: skip
    audio = parser.add_argument_group("audio")
    add_people_options(audio)
    audio.add_argument(
        "--data", type=Path, metavar="FOLDER|M.jsonl", help="instead: recordings and what is said in them"
    )
    audio.add_argument(
        "--limit", type=int, metavar="N",
        help="only the first N clips, of each language (default: 40 recordings; all sentences)",
    )  # fmt: skip
    audio.add_argument(
        "--sentences", type=int, metavar="N",
        help="sentences in one clip of a synthetic voice (default: 3, about the words of LibriSpeech's utterances; "
        "needs --set synthetic)",
    )  # fmt: skip
    audio.add_argument("--quick", action="store_true", help="a few clips and methods: under a minute on two cores")
    methods = parser.add_argument_group("methods")
    methods.add_argument("--methods", metavar="A,B", default="", help="only these rows; a wrong name lists them")
    methods.add_argument(
        "--processor-time", action="store_true",
        help="count decoding in processor time, for a machine that does other work too",
    )  # fmt: skip
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON line instead of tables")
    output.add_argument("--plot", type=Path, metavar="OUT", help="draw the tables as a .png or .svg file")
    output.add_argument(
        "--save", type=Path, metavar="FILE",
        help="keep what is heard at once in this file and measure no clip again that is in it with the same methods",
    )  # fmt: skip
    parser.set_defaults(run=run, parser=parser)


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    from engine.bench.captions import plots
    from engine.bench.multitoken import methods

    _check(options)
    wanted = _choose(options, methods.ways())  # a wrong name is refused before a model is loaded
    if options.plot:
        plots.check_target(options.plot)
    if options.model is None and any(way.model == methods.SPEECH_LLAMA for way in wanted):
        raise OptionError(
            "No Speech-LLaMA ships with Earshot yet: name one with --model, or a Whisper's ways alone with --methods."
        )
    from engine.bench.multitoken.subject import load_subjects

    subjects = load_subjects(
        options.model if any(way.model == methods.SPEECH_LLAMA for way in wanted) else None,
        options.whisper if any(way.model == methods.WHISPER for way in wanted) else None,
        options.heads,
    )
    for warning in subjects.warnings:
        sys.stderr.write(f"earshot: {warning}\n")
    ways = _choose(options, subjects.ways())
    found = _measure(options, subjects, ways)
    _print(options, subjects, ways, found)
    return 0


def _check(options: argparse.Namespace) -> None:
    """Refuse what cannot be heard."""
    if options.sentences is not None and not 1 <= options.sentences <= MOST_SENTENCES:
        raise OptionError(f"--sentences must be between 1 and {MOST_SENTENCES}, not {options.sentences}.")
    if options.data and options.sentences:
        raise OptionError("--data and --sentences name different audio: give one of them.")
    check_audio(options, options.data)


@dataclass(frozen=True, slots=True)
class _Found:
    """Everything that was measured, by the ways' names, and what was heard, in a sentence."""

    audio: str
    heard: dict[str, list[Heard]]
    live: dict[str, list[ClipResult]]


def _choose(options: argparse.Namespace, known: Sequence[Way]) -> tuple[Way, ...]:
    """The rows that are asked for. OptionError for a name that is not known."""
    from engine.bench.captions import methods
    from engine.bench.multitoken import methods as multitoken_methods

    names = [name.strip() for name in options.methods.split(",") if name.strip()]
    if not names and options.quick:
        names = [way.name for way in known if way.name in multitoken_methods.QUICK]
    return methods.choose(known, names)


def _clips(options: argparse.Namespace, languages: Sequence[str]) -> list[Clip]:
    from engine.bench.multitoken import clips as multitoken_clips

    limit = options.limit or (QUICK_CLIPS if options.quick else None)
    if options.data:
        return multitoken_clips.recorded(options.data, languages, limit)
    if options.audio_set == "people":
        return multitoken_clips.people(languages, options.split, limit)
    return multitoken_clips.spoken(languages, limit, options.sentences or multitoken_clips.SENTENCES_EACH)


def _measure(options: argparse.Namespace, subjects: Subjects, ways: Sequence[Way]) -> _Found:
    """Everything by way: model by model, clip by clip, first at once and then live."""
    clips = _clips(options, subjects.languages)
    found = _Found(
        audio_sentence(options, clips, options.data), {way.name: [] for way in ways}, {way.name: [] for way in ways}
    )
    for subject in subjects:
        own = [way for way in ways if way.model == subject.model]
        _measure_one(options, subject, own, [clip for clip in clips if clip.language in subject.languages], found)
    return found


def _measure_one(
    options: argparse.Namespace, subject: Subject, ways: Sequence[Way], clips: Sequence[Clip], found: _Found
) -> None:
    """What one model makes of the clips."""
    from engine.bench.multitoken.measure import caption_live, hear_clip
    from engine.bench.multitoken.saved import SavedHearings

    timer = time.process_time if options.processor_time else time.perf_counter
    saved = SavedHearings(options.save, f"{subject.identity}, {_clock(options)}") if options.save else None

    def hear(way: Way, clip: Clip) -> Heard:
        return hear_clip(subject.make(way), clip, timer)

    def caption(way: Way, clip: Clip) -> ClipResult:
        return caption_live(subject.make(way), way, clip, timer)

    _compare(subject.name, [way for way in ways if way.table != "live"], clips, hear, found.heard, saved)
    live = [way for way in ways if way.table == "live"]
    _compare(f"{subject.name}, live", live, clips[:LIVE_CLIPS], caption, found.live)
    if saved and saved.reused:
        reused = f"{saved.reused} clips of {subject.name}"
        sys.stderr.write(f"earshot: {reused} come from {options.save}, not from this run.\n")


def _compare(
    title: str,
    ways: Sequence[Way],
    clips: Sequence[Clip],
    measure: Callable[[Way, Clip], Result],
    found: dict[str, list[Result]],
    saved: Saved[Way, Clip, Result] | None = None,
) -> None:
    """Measure every clip in all ways, and say how far it is."""
    from engine.bench.side_by_side import compare

    if not ways:
        return
    with progress() as tell:
        tell(f"{title}: clip 1 of {len(clips)}")
        for number, results in enumerate(compare(ways, clips, measure, saved), 2):
            for name, result in results.items():
                found[name].append(result)
            tell(f"{title}: clip {min(number, len(clips))} of {len(clips)}")


def _print(options: argparse.Namespace, subjects: Subjects, ways: Sequence[Way], found: _Found) -> None:
    from engine.bench.multitoken import plots as multitoken_plots
    from engine.bench.multitoken import tables as multitoken_tables

    rows = multitoken_tables.rows(ways, found.heard)
    live = multitoken_tables.live_rows(ways, found.live)
    figures = multitoken_tables.figures(rows, live)
    if options.json:
        record: dict[str, object] = {"bench": "multitoken", "model": options.model, "whisper": options.whisper}
        record |= {"clips": max(row.measured.clips for row in rows) if rows else 0, "audio": found.audio}
        record |= {"clock": _clock(options), "rows": multitoken_tables.records(rows)}
        record |= {"languages": multitoken_tables.language_records(found.heard)}
        record |= {"live": multitoken_tables.live_records(live), "figures": figures}
        print(json.dumps(record))
    else:
        print(_report(options, rows, live, figures, found), end="")
    if options.plot:
        multitoken_plots.draw(options.plot, rows, multitoken_tables.languages(found.heard))


def _report(
    options: argparse.Namespace,
    rows: Sequence[Row],
    live: Sequence[LiveRow],
    figures: dict[str, Cell],
    found: _Found,
) -> str:
    """Tables for a person, then the figures that they come to, and what comes out otherwise."""
    from engine.bench.multitoken import methods, tables
    from engine.bench.tables import table

    speech = [row for row in rows if row.way.model == methods.SPEECH_LLAMA]
    known = [(name.replace("_", " "), value) for name, value in figures.items() if value is not None]
    parts = [
        _titled(f"{options.model}, Table I:", tables.table_one([row for row in speech if row.way.table == "I"])),
        _titled("Figure 4:", tables.figure_four(speech)),
        _titled("Figure 5:", tables.figure_five(found.heard)),
        _titled(f"{options.whisper}:", tables.table_one([row for row in rows if row.way.model == methods.WHISPER])),
        tables.live_table(live) if live else "",
        table(("figure", "measured"), known, decimals=3) if known else "",
        tables.changed(found.heard.get(methods.PUBLISHED, ()), found.heard.get(methods.SINGLE, ())),
        f"{found.audio} Decoding in {_clock(options)}.\n",
    ]
    return "\n".join(part for part in parts if part)


def _titled(title: str, text: str) -> str:
    return f"{title}\n{text}" if text else ""


def _clock(options: argparse.Namespace) -> str:
    """What decoding was measured with."""
    return "processor time" if options.processor_time else "wall time"
