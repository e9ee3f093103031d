"""`earshot bench multitoken`: Table I of arXiv:2409.08148, run again on this machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from lab.commands.audio import add_audio_options, audio_sentence, check_audio, chosen_clips
from lab.commands.builder import (
    SIMULATED,
    Bench,
    Outcome,
    clock_of,
    figures_table,
    saved_in,
    side_by_side,
    timer_of,
)

if TYPE_CHECKING:
    from engine.loading.ready import ReadyModel
    from lab.bench.captions.clips import Clip
    from lab.bench.multitoken.measure import HeardClip
    from lab.bench.multitoken.methods import DecodingMethod, Model

USUAL_CLIPS, QUICK_CLIPS = 40, 6

_EPILOG = """\
Every method hears the same clips with the same encoder, one right after the other, clip by clip: Speech-LLaMA's single
head, the draft of its encoder, its heads; and Whisper, greedily and with that draft.

With "top-1" a token is kept that the next token's head finds likeliest once it has read what comes before, so that the
text is that of the single head. "threshold" keeps what its own head is so sure of. "eta" is decoder calls per word,
2 calls / (words said + words heard), "fewer" how many times fewer than with the single head; "RTF" is time in the
decoder over audio, "of single" the same over the single head's. "identical" is the share of clips that were written
token by token as with the single head. Those with four candidates are held against one head with four.

examples:
  earshot bench multitoken --quick
  earshot bench multitoken --methods single,latent-4-0.8 --processor-time
  earshot bench multitoken --sweep --limit 8 --processor-time
  earshot bench multitoken --manifest speech/manifest.jsonl --limit 50 --json
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
        "--sweep",
        action="store_true",
        help="the paper's Figure 4 in place of the table: 2 to 6 heads, by threshold and by M (--methods chooses)",
    )
    add_audio_options(parser, str(USUAL_CLIPS), f"only {QUICK_CLIPS} clips: a minute or two on two cores")


def _measure(options: argparse.Namespace) -> Outcome:
    from lab.bench.multitoken import measure, methods
    from lab.bench.side_by_side import choose
    from lab.bench.tables import records_of, table_of

    check_audio(options)
    known = methods.sweep() if options.sweep else methods.METHODS
    wanted = choose(known, options.methods)  # a wrong name is refused before a model is loaded
    clips = measure.fitting(chosen_clips(options, ["en"], QUICK_CLIPS if options.quick else USUAL_CLIPS))
    heard: dict[str, list[HeardClip]] = {}
    for model, name in ((methods.SPEECH_LLAMA, options.model), (methods.WHISPER, options.whisper)):
        if any(way.model == model for way in wanted):
            ready, draft = _loaded(model, name)
            ways = [way for way in wanted if way.model == model and (draft or not way.drafts)]
            identity = f"{ready.hearing.name} {ready.hearing.fingerprint}, draft {draft}"
            saved = saved_in(options, identity, measure.HeardClip)
            heard |= side_by_side(options, f"{ready.hearing.name} clip", ways, clips, _hearer(options, ready), saved)
    rows = measure.rows(wanted, heard)
    figures, audio = measure.figures(rows), audio_sentence(options, clips)
    record = {"model": options.model, "whisper": options.whisper, "clips": len(clips), "audio": audio}
    record |= {"clock": clock_of(options), "rows": records_of(measure.COLUMNS, rows), "figures": figures}
    table = table_of(measure.COLUMNS, rows, decimals=3)
    return Outcome(record, (table, figures_table(figures), f"{audio} Decoding in {clock_of(options)}.\n"))


def _loaded(model: Model, name: str) -> tuple[ReadyModel, str]:
    """Load a model; return the digest of its encoder's draft too, "" where it has none. ModelError for another kind."""
    from engine.errors import ModelError
    from engine.hear.speech_llama.load import SpeechLlamaModel
    from engine.hear.whisper.encoder_draft import find_draft
    from engine.loading.ready import make_ready
    from lab.bench.multitoken.methods import SPEECH_LLAMA

    ready = make_ready(name)
    hearing = ready.hearing
    if isinstance(hearing, SpeechLlamaModel) != (model == SPEECH_LLAMA):
        flag = "--model is for a Speech-LLaMA" if model == SPEECH_LLAMA else "--whisper is for a Whisper model"
        raise ModelError(f"{flag}, and {name} is none.")
    for warning in ready.warnings:
        sys.stderr.write(f"earshot: {warning}\n")
    draft = find_draft(hearing.ear if isinstance(hearing, SpeechLlamaModel) else hearing.fingerprint)
    return ready, draft.digest if draft else ""


def _hearer(options: argparse.Namespace, ready: ReadyModel) -> Callable[[DecodingMethod, Clip], HeardClip]:
    """Return what hears a clip in a way; its recognizers have heard something before they are measured."""
    from engine.loading.ready import AnyRecognizer
    from engine.options import CaptionOptions
    from lab.bench.captions.subject import warm_up
    from lab.bench.multitoken.measure import hear_clip

    made: dict[str, AnyRecognizer] = {}

    def hear(way: DecodingMethod, clip: Clip) -> HeardClip:
        if way.name not in made:
            made[way.name] = ready.recognizer(CaptionOptions(decode=way.decode))
            warm_up(made[way.name])
        return hear_clip(made[way.name], clip, timer_of(options))

    return hear


BENCH = Bench(
    "multitoken",
    "decoder calls, speed and word errors of several tokens at once",
    "Decode speech one token at a time and several at once, with Speech-LLaMA and with Whisper.",
    _add_options,
    _measure,
    epilog=_EPILOG,
    add_methods=lambda methods: None,
    processor_time=SIMULATED,
    save=True,
)
