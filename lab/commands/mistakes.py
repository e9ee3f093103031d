"""`earshot bench mistakes`: causes of live mistakes that are none when the whole utterance is heard."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace

from app.terminal.commands.caption import add_model_option
from app.terminal.screen import progress
from app.terminal.tables import table
from engine.options import CaptionOptions
from lab.commands.audio import add_minutes_options, audio_sentence, check_audio, minutes_of
from lab.commands.builder import Bench, Outcome, figures_table

USUAL_MINUTES, QUICK_MINUTES = 20.0, 1.25

_EPILOG = """\
Captions are live, in processor time, with Earshot's default options; then every utterance is heard as a whole, with the
full window and five candidates. Each word that is wrong, missing or too many live and right there is heard again: the
audio of the round that committed it with five candidates, with the full window, in float32, with a second more audio;
and its whole utterance as live captions hear. "mended by" counts what has the word right, each alone; "cause" is the
first that applies, from above. Recordings are those of 'earshot bench captions', by default of the speakers to choose
settings by.

examples:
  earshot bench mistakes --quick
  earshot bench mistakes --minutes 20 --json
"""


def _add_options(bench: argparse.ArgumentParser) -> None:
    add_minutes_options(bench, USUAL_MINUTES, QUICK_MINUTES, "choose")
    add_model_option(bench)


def _measure(options: argparse.Namespace) -> Outcome:
    import time

    from engine.metrics import WordErrors
    from lab.bench.captions import mistakes, people
    from lab.bench.captions.subject import load_subject

    minutes = minutes_of(options, USUAL_MINUTES, QUICK_MINUTES)
    check_audio(options)
    subject = load_subject(options.model)
    live = replace(CaptionOptions(), pipeline=False, second_look=False)
    ears = mistakes.ears_of(subject, options.model, live)
    clips = people.joined_and_single(options.split, minutes)
    found = []
    with progress() as tell:
        for number, clip in enumerate(clips, 1):
            tell(f"recording {number} of {len(clips)}")
            found.append(mistakes.mistakes_of(ears, subject.time_words(clip), live, time.process_time))
    errors = sum((each.live for each in found), start=WordErrors())
    offline = sum((each.offline for each in found), start=WordErrors())
    causes = mistakes.count(found, lambda each: (each.cause,), mistakes.CAUSES)
    remedies = mistakes.count(found, lambda each: each.mended_by, mistakes.REMEDIES)
    listed = [mistake for each in found for mistake in each.mistakes]
    figures = {
        "words": errors.reference_words,
        "wer": round(errors.rate, 4),
        "offline_wer": round(offline.rate, 4),
        "wrong_live_alone": sum(each.words for each in listed),
    }
    audio = audio_sentence(options, clips)
    record = {
        "model": options.model,
        "audio": audio,
        "figures": figures,
        "causes": causes,
        "mended_by": remedies,
        "mistakes": [asdict(each) for each in listed],
    }
    rows = [(each.said, each.heard, each.words, each.cause, each.probability, each.beyond_seconds) for each in listed]
    parts = (
        table(("said", "heard", "words", "cause", "probability", "heard beyond s"), rows),
        table(("cause", "words"), list(causes.items())),
        table(("mended by", "words"), list(remedies.items())),
        figures_table(figures),
        f"{audio}\n",
    )
    return Outcome(record, parts)


BENCH = Bench(
    "mistakes",
    "why words are wrong live that are right later",
    "Find the cause of each word that is wrong live and right when its utterance is heard as a whole.",
    _add_options,
    _measure,
    epilog=_EPILOG,
)
