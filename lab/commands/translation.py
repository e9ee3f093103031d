"""`earshot bench translation`: the tables of the SSBD paper, run again on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from app.terminal.screen import progress
from engine.errors import OptionError
from engine.options import TranslationOptions
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
    from engine.language.token_model import TranslationModel
    from lab.bench.saved import SavedCases
    from lab.bench.translation.measure import TextResult
    from lab.bench.translation.methods import TranslationMethod
    from lab.bench.translation.tables import TranslationRow
    from lab.bench.translation.texts import GrowingText, Text

DEFAULTS = TranslationOptions()
EVERYDAY = "everyday"
"""The set whose translations were judged by hand, and are not compared with references."""

QUICK_TEXTS = 12
QUICK_HEARD = 6
CHRF_TEXTS, CHRF_SENTENCES = 40, 500
MOST_TEXTS = 100
USUAL_PEOPLE = 20

_EPILOG = """\
Every method translates the same growing texts with the same model, one method after the other, text by text. They grow
word by word and become captions by the rules of the app: a caption ends where its sentence does (the paper's texts are
single sentences that grow by three words: --words 3). First
come plain re-translation and SSBD as published (Tables 2 and 3), then SSBD that drafts or shows less (Table 4), then
what Earshot adds. All of them keep what was computed of the prompt, but for the second row.

"speedup" is the time that plain re-translation takes over the method's, for the same revisions of the same captions.
"p" is how likely the difference in BLEU, then in chrF, is by chance (sacrebleu's paired bootstrap). "equal" is the
share of final translations that are what the model writes offline. "NE" is normalized erasure: words and marks taken
back on the screen over those of the final text ("of plain": as a share of plain re-translation's); "taken back": the
same over all captions together; "at end": those taken back when a caption became final. "lag words": how many words
later than its own a piece of the translation was there for good; "before end": the share of final pieces that were
there before their caption ended. "Finished captions only" is the plainest way: fast, steady and late. In JSON these
three have the bounds of their 95% interval over texts (…_low, …_high; a bootstrap). As heard, Earshot's ways translate
pending words up to the first doubtful one, the paper's all of them. "A/D" is the share of drafted tokens that were
kept, "A/O" the share of the output that they make up. "prompt ms" is an update's time up to the first token that was
not drafted, "decode ms" the rest; "20 words": updates whose source has 18 to 22 words. BLEU and chrF are sacrebleu's,
of the final translations.

Texts are English: by default 100 that come with Earshot (sentences of Tatoeba that no model was trained on, one after
the other). With --data FOLDER, a folder like the project's data, --set tatoeba, long, dialogue or acl6060 (talks, into
French) reads others from it; --pairs FILE reads lines of source TAB reference [TAB reference ...].

--set everyday translates 200 lines of ten kinds, each as a whole, and says which share of them is usable: each
translation was judged from 0 (says something else) to 4 (right); 3 and 4 are usable. What nobody has judged is counted
apart; JSON has every line with its translation.

--quick also translates a few texts as they are heard (the figures that end in "heard"; like --hearing), and complete
texts into German, French and Spanish (the figures chrf_…: with --data 500 held-out sentences of Tatoeba, else texts
that come with Earshot; chrf_…_careful: as transcripts and files are translated, with five candidates).

examples:
  earshot bench translation --quick --json
  earshot bench translation --to fr --set long --data DATA --limit 100 --processor-time
  earshot bench translation --methods plain,ssbd@0,ssbd@0.1,ssbd@0.2,ssbd@0.3,ssbd@0.4,ssbd@0.5,ssbd@1 --limit 20
  earshot bench translation --methods plain,ssbd@0.2,mask-3,mask-5,display-3,display-5 --limit 20
  earshot bench translation --hearing --limit 30 --methods plain,ssbd@0.2,full --json
  earshot bench translation --people --methods plain,finals-only,full --processor-time
  earshot bench translation --set everyday --to pt
"""


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default="starter-language", metavar="NAME|FOLDER", help=MODEL)
    parser.add_argument(
        "--to", dest="target", default=DEFAULTS.target, metavar="CODE", help="into which language (default: de)"
    )
    _add_text_options(parser)


def _add_text_options(parser: argparse.ArgumentParser) -> None:
    texts = parser.add_argument_group("texts")
    texts.add_argument(
        "--set", default="bundled", metavar="NAME",
        help="bundled (default), tatoeba, long, dialogue, acl6060 or everyday",
    )  # fmt: skip
    texts.add_argument("--data", type=Path, metavar="FOLDER", help="where the other sets are")
    texts.add_argument("--pairs", type=Path, metavar="FILE.tsv", help="texts of your own, maybe packed (.tsv.gz)")
    texts.add_argument("--limit", type=int, metavar="N", help="only the first N texts (default: 100)")
    texts.add_argument("--words", type=int, default=1, metavar="K", help="words between two updates (default: 1)")
    heard = "a synthetic voice speaks the texts, and what is translated are the captions as they come"
    texts.add_argument("--hearing", action="store_true", help=heard)
    people = (
        "recordings of people in place of texts (the judged speakers of 'earshot bench captions'), as they are heard"
    )
    texts.add_argument("--people", action="store_true", help=people)
    texts.add_argument("--quick", action="store_true", help="a few texts and methods: about two minutes on two cores")


def _measure(options: argparse.Namespace) -> Outcome:
    return _judged(options) if options.set == EVERYDAY else _live(options)


def _judged(options: argparse.Namespace) -> Outcome:
    """Translate everyday lines and count those that were judged usable."""
    from engine.translate.loading import load_translation_model
    from engine.translate.targets import model_for
    from lab.bench.tables import records_of, table_of
    from lab.bench.translation import everyday

    check_least(options, "limit")
    if options.hearing or options.people or options.pairs or options.methods:
        raise OptionError(
            "--set everyday is judged line by line: leave out --pairs, --people, --hearing and --methods."
        )
    model = load_translation_model(model_for(options.model, options.target))
    lines = everyday.translated(model, options.target, everyday.read_judgements(), options.limit)
    summaries = everyday.summaries(lines)
    figures = everyday.figures(summaries[-1])
    return Outcome(
        {
            "model": model.name,
            "target": options.target,
            "rows": records_of(everyday.COLUMNS, summaries),
            "lines": [asdict(line) for line in lines],
            "figures": figures,
        },
        (
            table_of(everyday.COLUMNS, summaries),
            figures_table(figures),
            f"{len(lines)} everyday lines into {options.target}, translated greedily.\n",
        ),
    )


def _live(options: argparse.Namespace) -> Outcome:
    """Translate growing texts in every way that is asked for."""
    from engine.hear.whisper.fingerprint import fingerprint_of
    from engine.models.catalogue import find_model
    from engine.translate.loading import load_translation_model
    from engine.translate.targets import model_for
    from lab.bench.tables import records_of, table_of
    from lab.bench.translation import methods, tables
    from lab.bench.translation.measure import TextResult
    from lab.bench.translation.metrics import check_quality

    ways = _ways(options)
    check_quality()
    texts = _texts(options)
    name = model_for(options.model, options.target)
    model = load_translation_model(name)
    saved = saved_in(options, f"{model.name} {fingerprint_of(find_model(name, 'language')[1])}", TextResult)
    found = _rows(options, model, ways, texts, saved)
    heard: list[TranslationRow] = []
    chrf: dict[str, float] = {}
    if options.quick and not (options.hearing or options.people or options.methods):
        heard = _rows(options, model, _named(ways, methods.HEARD), _heard(_read(options)[:QUICK_HEARD]))
        chrf = _chrf(options, model)
    if not options.quick:
        found = tables.with_chance(found, texts, options.target)
    figures, quality = tables.figures(found, heard, chrf), found[0].measured.quality
    signature = quality.signature if quality else "no references"
    return Outcome(
        {
            "model": model.name,
            "target": options.target,
            "texts": len(texts),
            "set": _set(options),
            "hearing": options.hearing or options.people,
            "clock": clock_of(options),
            "bleu_signature": signature,
            "rows": records_of(tables.ALL, found),
            "heard_rows": records_of(tables.ALL, heard),
            "figures": figures,
        },
        (
            table_of(tables.QUALITY, found),
            table_of(tables.WORK, found, decimals=1),
            f"As heard:\n{table_of(tables.QUALITY, heard)}" if heard else "",
            figures_table(figures),
            f"{len(texts)} texts ({_set(options)}) into {options.target}; computation in {clock_of(options)}.\n"
            f"BLEU: {signature}\n",
        ),
    )


def _rows(
    options: argparse.Namespace,
    model: TranslationModel,
    ways: Sequence[TranslationMethod],
    texts: Sequence[GrowingText],
    saved: SavedCases[TextResult] | None = None,
) -> list[TranslationRow]:
    """Return the rows of all methods."""
    from lab.bench.translation import tables
    from lab.bench.translation.measure import measure_all
    from lab.bench.translation.subject import translators

    translate = translators(model, ways, timer_of(options))
    results = side_by_side(options, "text", ways, texts, translate, saved)
    return tables.rows(ways, measure_all(ways, results, options.target))


def _named(ways: Sequence[TranslationMethod], names: Sequence[str]) -> list[TranslationMethod]:
    return [way for way in ways if way.name in names]


def _chrf(options: argparse.Namespace, model: TranslationModel) -> dict[str, float]:
    """Measure how well complete texts are translated into each language, greedily and where nobody waits."""
    from engine.translate.languages import accepts_language
    from lab.bench.translation.methods import CAREFUL
    from lab.bench.translation.subject import offline_chrf
    from lab.bench.translation.texts import BUNDLED_TARGETS, read_set

    name, count = ("tatoeba", CHRF_SENTENCES) if options.data else ("bundled", CHRF_TEXTS)
    found: dict[str, float] = {}
    with progress() as tell:
        for target in BUNDLED_TARGETS:
            if accepts_language(target, model.targets):
                tell(f"complete texts into {target}")
                texts = read_set(name, target, options.data)[: options.limit or count]
                found[target] = offline_chrf(model, target, texts)
                found[f"{target}_careful"] = offline_chrf(model, target, texts, CAREFUL)
    return found


def _ways(options: argparse.Namespace) -> tuple[TranslationMethod, ...]:
    """Return the methods that are asked for.

    Raises:
        OptionError: one cannot be measured.
    """
    from lab.bench.side_by_side import choose
    from lab.bench.translation import methods

    check_least(options, "limit", "words")
    if options.people and (options.pairs or options.hearing or options.set != "bundled"):
        raise OptionError("--people are heard in place of texts: leave out --set, --pairs and --hearing.")
    if options.pairs and options.set != "bundled":
        raise OptionError("--pairs and --set name different texts: give one of them.")
    earshot = TranslationOptions(target=options.target)
    return choose(methods.ways(earshot), options.methods, methods.QUICK if options.quick else ())


def _texts(options: argparse.Namespace) -> list[GrowingText]:
    from lab.bench.translation.texts import growing

    if options.people:
        return _people_heard(options.limit or (QUICK_HEARD if options.quick else USUAL_PEOPLE))
    texts = _read(options)
    return _heard(texts) if options.hearing else growing(texts, options.words)


def _read(options: argparse.Namespace) -> list[Text]:
    """Return the texts that are asked for, complete."""
    from lab.bench.translation import texts as translation_texts

    if options.pairs:
        texts = translation_texts.read_pairs(options.pairs)
    else:
        texts = translation_texts.read_set(options.set, options.target, options.data)
    return texts[: options.limit or (QUICK_TEXTS if options.quick else MOST_TEXTS)]


def _heard(texts: Sequence[Text]) -> list[GrowingText]:
    """Return the texts as they are heard."""
    from lab.bench.translation.hearing import heard

    return as_heard("text", texts, heard)


def _people_heard(count: int) -> list[GrowingText]:
    """Return what is heard of so many recordings of judged people, as it comes."""
    from lab.bench.captions.people import utterances
    from lab.bench.translation.hearing import people_heard

    return as_heard("recording", utterances("judge", count), people_heard)


def _set(options: argparse.Namespace) -> str:
    if options.people:
        return "people, as heard"
    name = options.pairs.name if options.pairs else options.set
    counted = "1 word" if options.words == 1 else f"{options.words} words"
    return f"{name}, as heard" if options.hearing else f"{name}, {counted} at a time"


BENCH = Bench(
    "translation",
    "flicker, speed and quality of live translation, by method",
    "Translate texts while they grow: plainly, as the SSBD paper does, and in Earshot's way.",
    _add_options,
    _measure,
    epilog=_EPILOG,
    add_methods=lambda methods: None,
    processor_time=SIMULATED,
    save=True,
)
