"""`earshot bench hush-word`: what follows speech, and what it does to the words and to the computation."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from app.terminal.commands.caption import add_model_option
from app.terminal.screen import progress
from lab.commands.audio import add_audio_options, audio_sentence, check_audio, chosen_clips
from lab.commands.builder import Bench, Outcome

if TYPE_CHECKING:
    from engine.hear.whisper.load import HearingModel
    from engine.hear.whisper.measured_padding import MeasuredPadding

USUAL_CLIPS, QUICK_CLIPS = 160, 24

_EPILOG = """\
Every utterance is heard after every padding: silence up to the model's full window, nothing, silence or noise of half
a second or one, the model's hush word if it has one ('earshot train hush-word' makes one), that word alone, without the
keys and values that were trained with it, and cached silence.
Each is also cut off at random, inside a word and between two, as the rounds of live captions hear it, and held against
the words before the cut.
faster-whisper, where it is installed (the dependency group "peers"), hears it with the full window in int8. People are
speakers of LibriSpeech in the folder that EARSHOT_TEST_DATA names (without it, in lab/people), in turn one utterance of
each: the last half of them, so that a hush word is not judged by those that it was chosen by. A manifest has one JSON
object a line, {"file": "talk.flac", "text": "what is said"}, with files named from the manifest's folder.

examples:
  earshot bench hush-word --quick
  earshot bench hush-word --model base --adopt
  earshot bench hush-word --model MODEL-FOLDER --manifest speech/manifest.jsonl --limit 300
"""


def _add_options(bench: argparse.ArgumentParser) -> None:
    add_audio_options(bench, str(USUAL_CLIPS), f"only {QUICK_CLIPS} recordings: a minute on two cores")
    bench.add_argument(
        "--adopt",
        action="store_true",
        help="have a model without a hush word hear with cached silence from now on, where that costs hardly any words",
    )
    add_model_option(bench)


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.hear.whisper.hush import train_command
    from engine.hear.whisper.load import load_hearing_model
    from lab.bench.captions import hush_word
    from lab.bench.captions.peer import PeerRecognizer, has_peer

    check_audio(options)
    hearing = load_hearing_model(options.model)
    paddings = hush_word.usable_paddings(hearing)
    if "hush" not in paddings:
        sys.stderr.write(f"earshot: {hearing.name} has no hush word: its row is left out. {train_command(hearing)}\n")
    clips = chosen_clips(options, hearing.languages, QUICK_CLIPS if options.quick else USUAL_CLIPS)
    audio = audio_sentence(options, clips)
    with progress() as tell:
        peer = PeerRecognizer(hearing) if has_peer() else None
        results = hush_word.measure(hearing, clips, paddings, tell, peer)
    told = f"{audio}\n"
    if options.adopt:
        told += _adopt(hearing, hush_word.measured_padding(hearing, results, audio))
    record = {"model": options.model, "audio": audio, "figures": hush_word.figures(results)}
    return Outcome(record, (hush_word.report(results), told))


def _adopt(hearing: HearingModel, measured: MeasuredPadding) -> str:
    from engine.hear.whisper.measured_padding import save_measured_padding
    from engine.hear.whisper.padding import own_padding

    path = save_measured_padding(hearing, measured)
    return f"Wrote {path}. {hearing.name} hears with {own_padding(hearing)} from now on.\n"


BENCH = Bench(
    "hush-word",
    "word errors and computation by padding",
    "Compare paddings: the full window, none, zeros, noise, the hush word, cached silence.",
    _add_options,
    _measure,
    epilog=_EPILOG,
)
