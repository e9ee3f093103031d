"""`earshot bench interpreter`: how far a spoken translation is behind the people whom it translates."""

from __future__ import annotations

import argparse

from engine.options import VoiceOptions
from lab.commands.builder import (
    MODEL,
    SIMULATED,
    Bench,
    Outcome,
    check_least,
    clock_of,
    figures_table,
    saved_in,
    side_by_side,
    timer_of,
)

USUAL_MINUTES, QUICK_MINUTES = 10.0, 1.0

_EPILOG = """\
"span": the ear-voice span, from the end of a word to the beginning of its translation, the median over all spoken
words, with the 95% interval over recordings. A word of a translation is held against the word at the same share of its
caption. "taken back": spoken words that the final translation does not have. "spoken": the share of the final
translation's words that was spoken. "underruns": how often the voice fell silent within a phrase because its sound was
late. "speed": of the voice, the mean. "tail": how long the voice goes on behind the last word. "processor": processor
time over the length of the recordings.

examples:
  earshot bench interpreter --processor-time
  earshot bench interpreter --voice piper-thorsten --minutes 4 --methods finished,phrases
"""


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default="starter", metavar="NAME|FOLDER", help="the model that hears")
    parser.add_argument("--translation-model", default="starter-language", metavar="NAME|FOLDER", help=MODEL)
    parser.add_argument("--to", dest="target", default="de", metavar="CODE", help="into which language (default: de)")
    parser.add_argument("--voice", default="espeak", metavar="NAME|FOLDER", help="what speaks (default: espeak)")
    parser.add_argument("--minutes", type=float, help=f"recordings of people (default: {USUAL_MINUTES:g})")
    parser.add_argument("--split", choices=("judge", "choose"), default="judge", help="which speakers (default: judge)")
    parser.add_argument("--quick", action="store_true", help="a minute of people")


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.process.loading import load_recognizer, load_translation
    from engine.translate.spoken import voice_into
    from engine.translate.targets import model_for
    from lab.bench.captions.people import joined_and_single
    from lab.bench.interpreter import measure
    from lab.bench.side_by_side import choose
    from lab.bench.tables import records_of, table_of

    check_least(options, "minutes")
    ways = choose(measure.METHODS, options.methods)
    clips = joined_and_single(options.split, options.minutes or (QUICK_MINUTES if options.quick else USUAL_MINUTES))
    _, make_recognizer = load_recognizer(options.model)
    ready, make_translation = load_translation(model_for(options.translation_model, options.target, "en"))
    voice, problem = voice_into(VoiceOptions(options.voice), options.target)
    interpret = measure.interpreter(make_recognizer, make_translation, voice, options.target, timer_of(options))
    identity = f"{options.model}, {ready.model} into {options.target}, {voice.name}"
    saved = saved_in(options, identity, measure.Interpreted)
    found = side_by_side(options, "recording", ways, clips, interpret, saved)
    rows = [measure.InterpreterRow(way, found[way.name]) for way in ways]
    figures = measure.figures(rows)
    record = {
        "model": options.model,
        "translation": ready.model,
        "target": options.target,
        "voice": voice.name,
        "split": options.split,
        "recordings": len(clips),
        "clock": clock_of(options),
        "rows": records_of(measure.COLUMNS, rows),
        "figures": figures,
    }
    minutes = sum(each.audio_seconds for each in rows[0].found) / 60
    told = (
        f"{len(clips)} recordings, {minutes:.1f} minutes of people, into {options.target} by {ready.model}, spoken by "
        f"{voice.name}; computation in {clock_of(options)}.\n"
    )
    return Outcome(record, (table_of(measure.COLUMNS, rows), figures_table(figures), problem, told))


BENCH = Bench(
    "interpreter",
    "how far a spoken translation is behind the speaker, and whether it takes anything back",
    "Translate recordings of people aloud, phrase by phrase, while they speak.",
    _add_options,
    _measure,
    epilog=_EPILOG,
    add_methods=lambda methods: None,
    processor_time=SIMULATED,
    save=True,
)
