"""`earshot bench`: how well and how fast this machine hears, measured."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from app.commands.caption import add_model_option
from engine.errors import OptionError
from engine.options import CaptionOptions, DecodeOptions

NAME = "bench"

_EPILOG = """\
A manifest has one JSON object a line: {"file": "talk.flac", "text": "what is said", "lang": "en"}, with files
named from the manifest's folder. Without one, the built-in voice speaks sentences that the starter model has
never seen. WER is the share of words that are wrong, missing or too many; "delay" runs from the end of a word to its
being shown for good; "of real time" is computation over audio.

examples:
  earshot bench captions --quick
  earshot bench captions --manifest speech/manifest.jsonl --limit 50 --json
"""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its benches."""
    parser = commands.add_parser(
        NAME,
        help="measure captions and the window",
        description="Measure what Earshot does on this machine.",
        allow_abbrev=False,
    )
    benches = parser.add_subparsers(metavar="BENCH", required=True, dest="bench", parser_class=type(parser))
    captions = benches.add_parser(
        "captions",
        help="word errors, delay of words, real-time factor",
        description="Caption recordings as if they were live and compare the words with what was said.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    captions.add_argument("--manifest", type=Path, metavar="M.jsonl", help="recordings and what is said in them")
    captions.add_argument("--limit", type=int, metavar="N", help="only the first N recordings")
    captions.add_argument(
        "--sentences", type=int, default=1, metavar="N",
        help="sentences in each recording of the built-in voice; more is more like running speech (default: 1)",
    )  # fmt: skip
    captions.add_argument(
        "--beam", type=int, default=CaptionOptions().decode.beam_size, metavar="N",
        help="candidates kept while decoding (default: %(default)s)",
    )  # fmt: skip
    captions.add_argument("--quick", action="store_true", help="a short run: under a minute on two cores")
    captions.add_argument("--json", action="store_true", help="print one JSON line instead of tables")
    add_model_option(captions)
    captions.set_defaults(run=run_captions, parser=captions)
    _add_window(benches)
    parser.set_defaults(parser=parser)


def _add_window(benches: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    window = benches.add_parser(
        "window",
        help="how soon the window is there, and whether it ever stalls",
        description="Start the window, play the demo in it, and watch it from inside.",
        allow_abbrev=False,
    )
    window.add_argument("--quick", action="store_true", help="only the first seconds of the demo")
    window.add_argument("--json", action="store_true", help="print one JSON line instead of a table")
    add_model_option(window)
    window.set_defaults(run=run_window, parser=window)


def run_captions(options: argparse.Namespace) -> int:
    """Measure captions and print a table, then the figures."""
    from app.captioning import load_recognizer
    from engine.bench import captions

    for flag in ("limit", "sentences"):
        if (given := getattr(options, flag)) is not None and given < 1:
            raise OptionError(f"--{flag} must be at least 1, not {given}.")
    chosen = CaptionOptions(decode=DecodeOptions(beam_size=options.beam))
    recognizer = load_recognizer(options.model, chosen)
    if options.manifest:
        limit = options.limit or (captions.QUICK_RECORDINGS if options.quick else None)
        clips = captions.read_manifest(options.manifest, recognizer.languages, limit)
    else:
        quick = max(1, captions.QUICK_SENTENCES // options.sentences)
        limit = options.limit or (quick if options.quick else None)
        clips = captions.spoken_clips(limit, options.sentences)
    measured = []
    for result in captions.measure(recognizer, clips, chosen):
        measured.append(result)
        _progress(f"{len(measured)} of {len(clips)} recordings")
    _progress("")
    if options.json:
        print(json.dumps({"bench": "captions", "model": options.model, "figures": captions.figures(measured)}))
    else:
        print(captions.report(measured), end="")
    return 0


def run_window(options: argparse.Namespace) -> int:
    """Measure the window and print its figures."""
    from app.window_bench import measure
    from engine.bench.tables import table

    measured = asdict(measure(options.model, quick=options.quick))
    if options.json:
        figures = {name: round(value, 4) for name, value in measured.items()}
        print(json.dumps({"bench": "window", "model": options.model, "figures": figures}))
    else:
        print(
            table(("figure", "measured"), [(name.replace("_", " "), value) for name, value in measured.items()]), end=""
        )
    return 0


def _progress(line: str) -> None:
    """Show how far a bench is, on a terminal alone."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()
