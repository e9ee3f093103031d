"""`earshot bench hush-word`: what follows speech, and what it does to the words and to the computation."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from engine.errors import OptionError

_EPILOG = """\
Without --model a small sibling of Whisper is trained first, padded to its full window only, as the published models
were: minutes on two idle cores, a quarter of an hour on two busy ones. Sibling and hush word stay in --out: run
again, the command measures only.
With --model and --manifest, a fifth of the recordings is measured; the model's hush word is used if there is one and
--minutes is not given, else one is trained on the rest. --minutes is the length of all training.

examples:
  earshot bench hush-word
  earshot bench hush-word --model MODEL-FOLDER --manifest speech/manifest.jsonl --minutes 60
"""


def add_to(benches: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this bench to those of `earshot bench`."""
    bench = benches.add_parser(
        "hush-word",
        help="word errors and computation by padding",
        description="Compare paddings: the full window, none, zeros, noise, a trained hush word, cached silence.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    bench.add_argument("--model", metavar="NAME|FOLDER", help="a model of your own; needs --manifest")
    bench.add_argument("--manifest", type=Path, metavar="M.jsonl", help="recordings and what is said in them")
    bench.add_argument("--minutes", type=float, metavar="M", help="how long to train")
    bench.add_argument("--out", type=Path, metavar="DIR", help="what is trained is kept there (default: in the cache)")
    bench.add_argument("--quick", action="store_true", help="a few steps of training: shows only that it runs")
    bench.add_argument("--json", action="store_true", help="print one JSON line instead of tables")
    bench.set_defaults(run=run, parser=bench)


def run(options: argparse.Namespace) -> int:
    """Train what is not there yet, measure, print."""
    from platformdirs import user_cache_path

    from engine.bench import hush_word

    if (options.model is None) != (options.manifest is None):
        raise OptionError("--model and --manifest need each other; without both, a small sibling is trained.")
    if options.minutes is not None and not options.minutes > 0:
        raise OptionError(f"--minutes must be positive, not {options.minutes:g}.")
    out = options.out or user_cache_path("earshot", appauthor=False) / "bench-hush-word"
    how = {"minutes": options.minutes, "quick": options.quick}
    if options.model is None:
        comparison = hush_word.with_sibling(out, _progress, **how)
    else:
        comparison = hush_word.with_model(options.model, options.manifest, out / "own", _progress, **how)
    _progress("")
    if options.json:
        figures = hush_word.figures(comparison)
        print(json.dumps({"bench": "hush-word", "model": options.model or "sibling", "figures": figures}))
    else:
        print(hush_word.report(comparison), end="")
    return 0


def _progress(line: str) -> None:
    """Show how far it is, on a terminal alone."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()
