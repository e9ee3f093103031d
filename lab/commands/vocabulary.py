"""`earshot bench vocabulary`: words and names that Earshot is told, and what that does to all the others."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from app.terminal.commands.caption import add_model_option
from lab.commands.builder import Bench, Outcome, check_least, side_by_side

if TYPE_CHECKING:
    pass

USUAL_CLIPS, QUICK_CLIPS = 120, 24
USUAL_DISTRACTORS = 500

_EPILOG = """\
Rare words are those of five letters or more that are not among the 6,000 commonest of everyday English. All that are
said in the recordings are listed, and as many others again as --distractors says, from what other people say. Each
recording is heard without the list, with as much of it as Whisper's prompt holds, and with the list as words to know.

examples:
  earshot bench vocabulary --quick --json
  earshot bench vocabulary --careful --distractors 1000
"""


def _add_options(bench: argparse.ArgumentParser) -> None:
    bench.add_argument("--quick", action="store_true", help=f"only {QUICK_CLIPS} recordings, with 200 others listed")
    bench.add_argument("--limit", type=int, metavar="N", help=f"recordings of people (default: {USUAL_CLIPS})")
    bench.add_argument(
        "--distractors", type=int, metavar="N", help=f"listed words that nobody says (default: {USUAL_DISTRACTORS})"
    )
    bench.add_argument("--careful", action="store_true", help="hear as a recording, with more candidates, not live")
    bench.add_argument("--choosing", action="store_true", help="hear the speakers that settings are chosen by")
    add_model_option(bench)


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.options import MOST_ENTRIES, CaptionOptions
    from lab.bench.captions.people import speakers, utterances
    from lab.bench.captions.subject import load_subject
    from lab.bench.side_by_side import choose
    from lab.bench.tables import records_of, table_of
    from lab.bench.vocabulary import words
    from lab.bench.vocabulary.measure import METHODS, Counts, columns, hearer

    check_least(options, "limit")
    methods = choose(METHODS, options.methods)
    clips = utterances(
        "choose" if options.choosing else "judge", options.limit or _usual(options, USUAL_CLIPS, QUICK_CLIPS)
    )
    others = [clip for said in speakers("judge" if options.choosing else "choose").values() for clip in said]
    common = words.common_words()
    said = words.rare_words(clips, common)
    count = _usual(options, USUAL_DISTRACTORS, 200) if options.distractors is None else max(0, options.distractors)
    listed = words.with_distractors(said, words.rare_words(others, common), min(count, MOST_ENTRIES - len(said)))
    hear = hearer(load_subject(options.model), CaptionOptions(language="en"), listed, careful=options.careful)
    results = side_by_side(options, "recording", methods, clips, hear)
    rows = [(method, sum(results[method.name], start=Counts())) for method in methods]
    by_name = {method.name: counts for method, counts in rows}
    figures = columns(by_name.get("without", Counts()))
    records = records_of(figures, rows)
    audio = f"{len(clips)} recordings of people, {len(listed)} listed words, of which {len(said)} are said"
    record = {
        "model": options.model,
        "audio": audio,
        "figures": next((row for row in records if row["name"] == "listed"), {}),
        "rows": records,
    }
    return Outcome(record, (table_of(figures, rows), f"{audio}.\n"))


def _usual(options: argparse.Namespace, usual: int, quick: int) -> int:
    return quick if options.quick else usual


BENCH = Bench(
    "vocabulary",
    "words and names that it is told",
    "Count rare words that are written rightly without a list, with Whisper's prompt, and as words to know.",
    _add_options,
    _measure,
    epilog=_EPILOG,
    add_methods=lambda group: None,
)
