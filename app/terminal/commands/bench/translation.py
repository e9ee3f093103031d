"""`earshot bench translation`: the tables of the SSBD paper, run again on this machine."""

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
from engine.options import CaptionOptions, TranslationOptions

if TYPE_CHECKING:
    from engine.bench.tables import Cell
    from engine.bench.translation.measure import TextResult
    from engine.bench.translation.methods import Way
    from engine.bench.translation.tables import Row
    from engine.bench.translation.texts import GrowingText
    from engine.language.language_model import LanguageModel

DEFAULTS = TranslationOptions()
QUICK_TEXTS = 6
MOST_TEXTS = 100

_EPILOG = """\
Every method translates the same growing texts with the same model, one method after the other, text by text. First
come plain re-translation and SSBD as published (Tables 2 and 3), then SSBD that drafts or shows less (Table 4), then
what Earshot adds. The published methods have one bias for all updates and compute the whole prompt every time.

"NE" is normalized erasure: words and marks taken back on the screen over those of the final text ("of plain": as a
share of plain re-translation's). "A/D" is the share of drafted tokens that were kept, "A/O" the share of the output
that they make up. "speedup" is tokens per second over plain re-translation's. "prompt ms" is an update's time up to
the first token that was not drafted, "decode ms" the rest; "20 words": updates whose source has 18 to 22 words.
"lag words": how many words later than its own a piece of the translation was there for good. BLEU and chrF are
sacrebleu's, of the final translations.

Texts are English: by default 100 that come with Earshot (sentences of Tatoeba that no model was trained on, strung
together). With --data FOLDER, a folder like the project's data, --set tatoeba, long or acl reads others from it;
--pairs FILE reads lines of source TAB reference [TAB reference ...].

examples:
  earshot bench translation --quick
  earshot bench translation --to fr --plot translation.svg
  earshot bench translation --to fr --set acl --data DATA --limit 100 --processor-time
  earshot bench translation --hearing --limit 30 --methods plain,ssbd@0.2,full --json
"""


def add_to(benches: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the bench and its options."""
    parser = benches.add_parser(
        "translation",
        help="flicker, speed and quality of live translation, by method",
        description="Translate texts while they grow: plainly, as the SSBD paper does, and in Earshot's way.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--model", default="starter-language", metavar="NAME|FOLDER",
        help="the language model; 'earshot models' lists them (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--to", default=DEFAULTS.target, metavar="CODE", help="into which language (default: de)")
    _add_text_options(parser)
    _add_method_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON line instead of tables")
    output.add_argument("--plot", type=Path, metavar="OUT", help="draw flicker against speed and quality: .png or .svg")
    output.add_argument(
        "--save", type=Path, metavar="FILE",
        help="keep every result in this file and measure no text again that is in it with the same methods",
    )  # fmt: skip
    parser.set_defaults(run=run, parser=parser)


def _add_text_options(parser: argparse.ArgumentParser) -> None:
    texts = parser.add_argument_group("texts")
    texts.add_argument("--set", default="bundled", metavar="NAME", help="bundled (default), tatoeba, long or acl")
    texts.add_argument("--data", type=Path, metavar="FOLDER", help="where the other sets are")
    texts.add_argument("--pairs", type=Path, metavar="FILE.tsv", help="texts of your own, maybe packed (.tsv.gz)")
    texts.add_argument(
        "--limit", type=int, metavar="N", help="only the first N texts (default: all; 100 of tatoeba, long and acl)"
    )
    texts.add_argument("--words", type=int, default=3, metavar="K", help="words between two updates (default: 3)")
    texts.add_argument(
        "--hearing", action="store_true",
        help="a synthetic voice speaks the texts, and what is translated are the captions as they come",
    )  # fmt: skip
    texts.add_argument(
        "--hearing-model", default="starter", metavar="NAME|FOLDER", help="what hears (default: starter)"
    )
    texts.add_argument("--quick", action="store_true", help="a few texts and methods: under a minute on two cores")


def _add_method_options(parser: argparse.ArgumentParser) -> None:
    methods = parser.add_argument_group("methods")
    methods.add_argument("--methods", metavar="A,B", default="", help="only these rows; a wrong name lists them")
    methods.add_argument("--biases", metavar="A,B", help="the biases of the sweep (default: 0,0.1,0.2,0.3,0.4,0.5)")
    methods.add_argument(
        "--bias", type=float, default=DEFAULTS.bias, metavar="B", help="bias of Earshot's rows (default: %(default)s)"
    )
    methods.add_argument(
        "--final-bias", type=float, metavar="B", help="bias of their last update of a text (default: as before it)"
    )
    methods.add_argument(
        "--mask", type=int, default=DEFAULTS.mask, metavar="K", help="mask of Earshot's rows (default: %(default)s)"
    )
    methods.add_argument(
        "--context", type=int, default=0, metavar="N",
        help="finished texts that every method sees before the present one (default: 0, as published)",
    )  # fmt: skip
    methods.add_argument(
        "--processor-time", action="store_true",
        help="count computation in processor time, for a machine that does other work too",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    from engine.bench.captions import plots
    from engine.translation_metrics import check_quality

    ways = _ways(options)
    check_quality()
    if options.plot:
        plots.check_target(options.plot)
    texts = _texts(options)
    from engine.language.language_model import load_language_model

    model = load_language_model(options.model)
    results = _measure(options, model, ways, texts)
    _print(options, model, ways, results)
    return 0


def _ways(options: argparse.Namespace) -> tuple[Way, ...]:
    """The rows that are asked for. OptionError for what cannot be measured."""
    from engine.bench.captions import methods
    from engine.bench.translation import methods as translation_methods

    for flag in ("limit", "words"):
        if (given := getattr(options, flag)) is not None and given < 1:
            raise OptionError(f"--{flag} must be at least 1, not {given}.")
    if options.pairs and options.set != "bundled":
        raise OptionError("--pairs and --set name different texts: give one of them.")
    try:
        earshot = TranslationOptions(
            target=options.to,
            bias=options.bias,
            final_bias=options.final_bias,
            mask=options.mask,
            context_sentences=options.context,
        )
    except OptionError as error:
        field, _, rest = str(error).partition(" ")
        flags = {"target": "--to", "context_sentences": "--context", "final_bias": "--final-bias"}
        raise OptionError(f"{flags.get(field, f'--{field}')} {rest}") from None
    known = translation_methods.ways(earshot, _biases(options.biases))
    names = [name.strip() for name in options.methods.split(",") if name.strip()]
    if not names and options.quick:
        names = [way.name for way in known if way.name in translation_methods.QUICK]
    return methods.choose(known, names)


def _biases(given: str | None) -> Sequence[float]:
    from engine.bench.translation.methods import BIASES

    if given is None:
        return BIASES
    try:
        found = [float(part) for part in given.split(",")]
    except ValueError:
        found = []
    if not found or not all(0 <= bias <= 1 for bias in found):
        raise OptionError(f"--biases must be numbers from 0 to 1 with commas between, not {given!r}.")
    return found


def _texts(options: argparse.Namespace) -> list[GrowingText]:
    from engine.bench.translation import texts as translation_texts

    if options.pairs:
        texts = translation_texts.read_pairs(options.pairs)
    else:
        texts = translation_texts.read_set(options.set, options.to, options.data)
    usual = QUICK_TEXTS if options.quick else None if options.pairs else MOST_TEXTS
    texts = texts[: options.limit or usual]
    if not options.hearing:
        return translation_texts.growing(texts, options.words)
    from engine.bench.captions.clips import BenchError
    from engine.bench.translation.hearing import heard
    from engine.loading.ready import make_ready

    ready = make_ready(options.hearing_model)
    choice = CaptionOptions(language="en")
    found: list[GrowingText] = []
    with progress() as tell:
        for text in heard(texts, ready.recognizer(choice), choice):
            found.append(text)
            tell(f"heard {len(found)} of {len(texts)} texts")
    if not found:
        raise BenchError("Nothing was heard of any text.")
    return found


def _measure(
    options: argparse.Namespace, model: LanguageModel, ways: Sequence[Way], texts: Sequence[GrowingText]
) -> dict[str, list[TextResult]]:
    """All results by way."""
    from engine.bench.side_by_side import compare
    from engine.bench.translation.saved import SavedTranslations
    from engine.bench.translation.subject import translators

    translate = translators(model, ways, time.process_time if options.processor_time else time.perf_counter)
    saved = SavedTranslations(options.save, _identity(options, model)) if options.save else None
    results: dict[str, list[TextResult]] = {way.name: [] for way in ways}
    with progress() as tell:
        tell(f"text 1 of {len(texts)}")
        for number, found in enumerate(compare(ways, texts, translate, saved), 1):
            for name, result in found.items():
                results[name].append(result)
            tell(f"text {min(number + 1, len(texts))} of {len(texts)}")
    if saved and saved.reused:
        sys.stderr.write(f"earshot: {saved.reused} texts come from {options.save}, not from this run.\n")
    return results


def _print(
    options: argparse.Namespace, model: LanguageModel, ways: Sequence[Way], results: dict[str, list[TextResult]]
) -> None:
    from engine.bench.translation import plots as translation_plots
    from engine.bench.translation import tables as translation_tables
    from engine.bench.translation.measure import measure_all

    found = translation_tables.rows(ways, measure_all(ways, results, options.to))
    figures = translation_tables.figures(found)
    if options.json:
        record: dict[str, object] = {"bench": "translation", "model": model.name, "target": options.to}
        record |= {"texts": len(results[ways[0].name]), "set": _set(options), "hearing": options.hearing}
        record |= {"clock": _clock(options), "bleu_signature": found[0].measured.quality.signature}
        print(json.dumps(record | {"rows": translation_tables.records(found), "figures": figures}))
    else:
        print(_report(options, found, figures, results), end="")
    if options.plot:
        translation_plots.draw(options.plot, found)


def _report(
    options: argparse.Namespace, found: Sequence[Row], figures: dict[str, Cell], results: dict[str, list[TextResult]]
) -> str:
    """Tables for a person, then the figures that they come to."""
    from engine.bench.tables import table
    from engine.bench.translation import tables as translation_tables

    last = found[-1]
    known = [(name.replace("_", " "), value) for name, value in figures.items() if value is not None]
    quality = last.measured.quality
    parts = [
        translation_tables.quality_table(found),
        translation_tables.work_table(found),
        table(("figure", "measured"), known, decimals=3),
        translation_tables.worst(results[last.way.name], options.to),
        f"{len(results[last.way.name])} texts ({_set(options)}) into {options.to}; computation in {_clock(options)}.\n"
        f"BLEU: {quality.signature}\n",
    ]
    return "\n".join(part for part in parts if part)


def _set(options: argparse.Namespace) -> str:
    name = options.pairs.name if options.pairs else options.set
    return f"{name}, as heard" if options.hearing else f"{name}, {options.words} words at a time"


def _identity(options: argparse.Namespace, model: LanguageModel) -> str:
    """What measurements of one kind have in common."""
    from engine.hear.whisper.fingerprint import fingerprint_of

    return f"{model.name} {fingerprint_of(model.folder)}, {_clock(options)}"


def _clock(options: argparse.Namespace) -> str:
    """What computation was measured with."""
    return "processor time" if options.processor_time else "wall time"
