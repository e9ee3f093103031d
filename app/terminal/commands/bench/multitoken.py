"""`earshot bench multitoken`: the tables and figures of arXiv:2409.08148, run again on this machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from app.terminal.commands.bench.audio import add_people_options, audio_sentence, check_audio
from app.terminal.commands.bench.builder import (
    Bench,
    Outcome,
    clock_of,
    figures_table,
    saved_in,
    side_by_side,
    timer_of,
)
from engine.errors import OptionError

if TYPE_CHECKING:
    from engine.bench.captions.clips import Clip
    from engine.bench.captions.measure import ClipResult
    from engine.bench.multitoken.measure import Heard
    from engine.bench.multitoken.methods import Way
    from engine.bench.multitoken.subject import Subject, Subjects
    from engine.bench.tables import Column

Row = TypeVar("Row")

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


def _add_options(parser: argparse.ArgumentParser) -> None:
    models = parser.add_argument_group("models")
    models.add_argument(
        "--model", default="starter-speech-llama", metavar="NAME|FOLDER", help="the Speech-LLaMA (default: %(default)s)"
    )
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


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.bench.multitoken import methods, tables
    from engine.bench.multitoken.subject import load_subjects
    from engine.bench.tables import records_of, table_of

    _check(options)
    wanted = _choose(options, methods.ways())  # a wrong name is refused before a model is loaded
    subjects = load_subjects(
        options.model if any(way.model == methods.SPEECH_LLAMA for way in wanted) else None,
        options.whisper if any(way.model == methods.WHISPER for way in wanted) else None,
        options.heads,
    )
    for warning in subjects.warnings:
        sys.stderr.write(f"earshot: {warning}\n")
    ways, clips = _choose(options, subjects.ways()), _clips(options, subjects.languages)
    heard, lived = _heard(options, subjects, ways, clips)
    rows, live = tables.rows(ways, heard), tables.live_rows(ways, lived)
    languages = tables.languages(heard)
    figures, audio = tables.figures(rows, live), audio_sentence(options, clips, options.data)
    speech = [row for row in rows if row.way.model == methods.SPEECH_LLAMA]
    return Outcome(
        {
            "model": options.model,
            "whisper": options.whisper,
            "clips": max((row.measured.clips for row in rows), default=0),
            "audio": audio,
            "clock": clock_of(options),
            "rows": records_of(tables.ALL, rows),
            "languages": records_of(tables.LANGUAGES, languages),
            "live": records_of(tables.LIVE, live),
            "figures": figures,
        },
        (
            _table(f"{options.model}, Table I:", tables.TABLE_ONE, [row for row in speech if row.way.table == "I"]),
            f"Figure 4:\n{tables.figure_four(speech)}" if any(row.way.table == "4" for row in speech) else "",
            _table("Figure 5:", tables.LANGUAGES, languages),
            _table(f"{options.whisper}:", tables.TABLE_ONE, [row for row in rows if row.way.model == methods.WHISPER]),
            table_of(tables.LIVE, live) if live else "",
            figures_table(figures),
            tables.changed(heard.get(methods.PUBLISHED, ()), heard.get(methods.SINGLE, ())),
            f"{audio} Decoding in {clock_of(options)}.\n",
        ),
        lambda path: tables.draw(path, rows),
    )


def _check(options: argparse.Namespace) -> None:
    """Refuse what cannot be heard."""
    if options.sentences is not None and not 1 <= options.sentences <= MOST_SENTENCES:
        raise OptionError(f"--sentences must be between 1 and {MOST_SENTENCES}, not {options.sentences}.")
    if options.data and options.sentences:
        raise OptionError("--data and --sentences name different audio: give one of them.")
    check_audio(options, options.data)


def _choose(options: argparse.Namespace, known: Sequence[Way]) -> tuple[Way, ...]:
    """The rows that are asked for. OptionError for a name that is not known."""
    from engine.bench.multitoken.methods import QUICK
    from engine.bench.side_by_side import choose

    return choose(known, options.methods, QUICK if options.quick else ())


def _clips(options: argparse.Namespace, languages: Sequence[str]) -> list[Clip]:
    from engine.bench.multitoken import clips as multitoken_clips

    limit = options.limit or (QUICK_CLIPS if options.quick else None)
    if options.data:
        return multitoken_clips.recorded(options.data, languages, limit)
    if options.audio_set == "people":
        return multitoken_clips.people(languages, options.split, limit)
    return multitoken_clips.spoken(languages, limit, options.sentences or multitoken_clips.SENTENCES_EACH)


def _heard(
    options: argparse.Namespace, subjects: Subjects, ways: Sequence[Way], clips: Sequence[Clip]
) -> tuple[dict[str, list[Heard]], dict[str, list[ClipResult]]]:
    """Measure everything by way: model by model, clip by clip, first at once and then live."""
    from engine.bench.multitoken.measure import Heard, caption_live, hear_clip

    timer = timer_of(options)
    heard: dict[str, list[Heard]] = {way.name: [] for way in ways}
    lived: dict[str, list[ClipResult]] = {way.name: [] for way in ways}
    for subject in subjects:
        known = [clip for clip in clips if clip.language in subject.languages]
        at_once = [way for way in ways if way.model == subject.model and way.table != "live"]
        live = [way for way in ways if way.model == subject.model and way.table == "live"]

        def hear(way: Way, clip: Clip, subject: Subject = subject) -> Heard:
            return hear_clip(subject.make(way), clip, timer)

        def caption(way: Way, clip: Clip, subject: Subject = subject) -> ClipResult:
            return caption_live(subject.make(way), way, clip, timer)

        saved = saved_in(options, subject.identity, Heard)
        heard |= side_by_side(options, f"{subject.name} clip", at_once, known, hear, saved)
        lived |= side_by_side(options, f"{subject.name} clip, live,", live, known[:LIVE_CLIPS], caption)
    return heard, lived


def _table(title: str, columns: Sequence[Column[Row]], rows: Sequence[Row]) -> str:
    from engine.bench.tables import table_of

    return f"{title}\n{table_of(columns, rows, decimals=3)}" if rows else ""


BENCH = Bench(
    "multitoken",
    "decoder calls, speed and word errors of several tokens at once",
    "Decode speech one token at a time and several at once, with Speech-LLaMA and with Whisper.",
    _add_options,
    _measure,
    epilog=_EPILOG,
    add_methods=lambda methods: None,
    processor_time="count decoding in processor time, for a machine that does other work too",
    plot="Table I",
    save=True,
)
