"""`earshot bench lost-words`: words in a row that live captions lack."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace

from app.terminal.commands.caption import add_model_option
from app.terminal.screen import progress
from app.terminal.tables import table
from engine.options import CaptionOptions
from lab.commands.audio import add_minutes_options, audio_sentence, check_audio, minutes_of
from lab.commands.builder import Bench, Outcome, check_least, figures_table, saved_in, side_by_side

USUAL_MINUTES, QUICK_MINUTES = 60.0, 2.0

_EPILOG = """\
Captions are live, in processor time, with Earshot's default options, but without the second look. Lost are four words
or more in a row that were said and have no word in their place, though the whole utterance, heard with the full window
and five candidates, has them. Recordings are those of 'earshot bench captions'.

With --repeated phrases of these people are said again after pauses of 1.4, 3 and 7 s, and every word that captions then
lack is lost, live and of a recording, each also without the text before the pause as a prompt.

examples:
  earshot bench lost-words --quick
  earshot bench lost-words --minutes 60 --save lost.jsonl
  earshot bench lost-words --repeated 60 --split choose
"""


def _add_options(bench: argparse.ArgumentParser) -> None:
    add_minutes_options(bench, USUAL_MINUTES, QUICK_MINUTES, "judge")
    bench.set_defaults(processor_time=True)
    add_model_option(bench)
    bench.add_argument(
        "--repeated", type=int, metavar="N", help="instead: phrases said again, cut out of the first N utterances"
    )


def _measure_repeated(options: argparse.Namespace) -> Outcome:
    import time

    from engine.captions.for_files import for_files
    from engine.hear.decode.pruning import IMPROVED
    from lab.bench.captions import people, repeated
    from lab.bench.captions.subject import load_subject

    check_least(options, "repeated")
    check_audio(options)
    subject = load_subject(options.model)
    live = replace(CaptionOptions(), pipeline=False, second_look=False)
    ways = {"live": live, "of a recording": for_files(live)}
    ears = {name: (subject.make(way, IMPROVED), way) for name, way in ways.items()}
    ears |= {f"{name}, no prompt": (repeated.Unprompted(ear), way) for name, (ear, way) in ears.items()}
    whole = subject.make(CaptionOptions(padding="full"), IMPROVED)
    clips = people.utterances(options.split, options.repeated)
    found = []
    with progress() as tell:
        for number, splice in enumerate(repeated.splices(whole, clips), 1):
            tell(f"phrase {number}")
            for name, (ear, way) in ears.items():
                found.append((name, repeated.losses_of(ear, splice, way, time.process_time)))
    figures: dict[str, int] = {}
    for name in ears:
        losses = [each for way, each in found if way == name]
        figures |= {"phrases": len(losses), "words_said_again": sum(each.splice.repeated for each in losses)}
        figures |= {f"lost, {name}": sum(each.lost for each in losses)}
    audio = audio_sentence(options, clips)
    rows = [
        (name, each.splice.kind, each.splice.pause_seconds, " ".join(each.splice.said), each.heard, each.lost)
        for name, each in found
        if each.lost
    ]
    record = {"model": options.model, "audio": audio, "figures": figures, "lost": rows}
    listed = table(("way", "kind", "pause", "said", "heard", "lost"), rows) if rows else ""
    return Outcome(record, (listed, figures_table(figures), f"{audio}\n"))


def _measure(options: argparse.Namespace) -> Outcome:
    if options.repeated is not None:
        return _measure_repeated(options)
    import time

    from engine.hear.decode.pruning import IMPROVED
    from lab.bench.captions import lost_words, people
    from lab.bench.captions.methods import EARSHOT, WHOLE, Method
    from lab.bench.captions.subject import load_subject

    minutes = minutes_of(options, USUAL_MINUTES, QUICK_MINUTES)
    check_audio(options)
    subject = load_subject(options.model)
    live_options = replace(CaptionOptions(), pipeline=False, second_look=False)
    live, whole = subject.make(live_options, IMPROVED), subject.make(WHOLE, IMPROVED)
    clips = people.joined_and_single(options.split, minutes)
    way = Method(EARSHOT, "live", live_options)
    found = side_by_side(
        options, "recording", [way], clips,
        lambda way, clip: lost_words.gaps_of(live, whole, clip, way.options, time.process_time),
        saved_in(options, subject.identity, lost_words.ClipGaps),
    )[way.name]  # fmt: skip
    gaps = [gap for each in found for gap in each.gaps]
    figures = {
        "minutes": round(sum(each.seconds for each in found) / 60, 1),
        "words": sum(each.words for each in found),
        "captions": sum(each.captions for each in found),
        "words_lost": sum(gap.lost for gap in gaps if gap.heard_later),
        "lacked_by_whole_utterances_too": sum(gap.lost for gap in gaps if not gap.heard_later),
    }
    audio = audio_sentence(options, clips)
    record = {"model": options.model, "audio": audio, "figures": figures, "gaps": [asdict(gap) for gap in gaps]}
    rows = [(gap.said, gap.heard, gap.lost, gap.heard_later) for gap in gaps]
    listed = table(("said", "heard", "lost", "heard later"), rows) if rows else ""
    return Outcome(record, (listed, figures_table(figures), f"{audio}\n"))


BENCH = Bench(
    "lost-words",
    "words that live captions lose",
    "Count words in a row that live captions lack.",
    _add_options,
    _measure,
    epilog=_EPILOG,
    save=True,
)
