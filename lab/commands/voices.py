"""`earshot bench voices`: how well voices are understood, how soon they begin, and what they take."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from app.terminal.commands.caption import add_model_option
from app.terminal.screen import progress
from engine.options import STARTER_VOICE, CaptionOptions, VoiceOptions
from lab.commands.builder import Bench, Outcome, check_least, figures_table

if TYPE_CHECKING:
    from engine.speak.voice import Voice
    from lab.bench.assistant.voices import VoiceRow

USUAL_LIMIT, QUICK_LIMIT = 60, 6

_EPILOG = """\
Each voice speaks the same sentences, fixed answers of the starter assistant, and the model that hears writes them down.
"misheard": words that it gets wrong, of all, with the 95% interval by sentences ("from", "to"); numbers are compared as
they go to the voice. "first sound": the mean time to it. "of real time": time to make all sound, over its length;
"processor": the processor time of all threads, over the same.

With --bits, each Piper voice is also heard with its weights in 16 and 8 bits. With --wav, ten answers in each voice are
written to a folder, to be listened to.

examples:
  earshot bench voices --voice espeak --voice piper --voice kokoro
  earshot bench voices --voice FOLDER --bits --limit 100 --json
  earshot bench voices --voice piper --wav answers
"""


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--voice",
        action="append",
        metavar="NAME|FOLDER",
        help="a voice, given again for each other (default: the two that come along)",
    )
    parser.add_argument("--limit", type=int, metavar="N", help=f"how many sentences (default: {USUAL_LIMIT})")
    parser.add_argument("--bits", action="store_true", help="hear Piper's voices with smaller weights too")
    parser.add_argument("--wav", type=Path, metavar="FOLDER", help="write ten answers in each voice")
    parser.add_argument("--quick", action="store_true", help="a few sentences")
    add_model_option(parser)


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.loading.ready import make_ready
    from lab.bench.assistant import voices
    from lab.bench.tables import records_of, table_of

    check_least(options, "limit")
    recognizer = make_ready(options.model).recognizer(CaptionOptions(language="en"))
    texts = voices.sentences(options.limit or (QUICK_LIMIT if options.quick else USUAL_LIMIT))
    rows: list[VoiceRow] = []
    with tempfile.TemporaryDirectory() as folder, progress() as tell:
        for title, name in _voices(options, Path(folder)):
            started = time.perf_counter()
            voice, megabytes = _loaded(name)
            seconds = time.perf_counter() - started
            if options.wav is not None:
                voices.write_samples(voice, options.wav)
            voices.measure(voice, "This is a sentence.", recognizer)  # what is measured pays for nothing but itself
            found = []
            for number, text in enumerate(texts, 1):
                tell(f"{title}: sentence {number} of {len(texts)}")
                found.append(voices.measure(voice, text, recognizer))
            rows.append(voices.VoiceRow(title, megabytes, seconds, found))
    figures = voices.figures(rows)
    record = {"model": options.model, "sentences": len(texts), "rows": records_of(voices.COLUMNS, rows)}
    return Outcome(record | {"figures": figures}, (table_of(voices.COLUMNS, rows, decimals=3), figures_table(figures)))


def _voices(options: argparse.Namespace, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield titles of the voices, and what each is made by."""
    from engine.speak.choice import voice_folder
    from engine.weights.storage import voice_kind
    from lab.bench.assistant.smaller_voices import write_smaller

    for name in options.voice or [STARTER_VOICE, "espeak"]:
        title = Path(name).name
        yield title, name
        if options.bits and name not in ("espeak", "system") and voice_kind(place := voice_folder(name)) == "piper":
            for bits in (16, 8):
                yield f"{title}-{bits}-bits", str(write_smaller(place, folder / f"{title}-{bits}", bits))
        elif options.bits:
            sys.stderr.write(f"earshot: {title} has no weights of Piper's to make smaller.\n")


def _loaded(name: str) -> tuple[Voice, float]:
    from engine.speak.choice import make_voice, voice_folder

    voice = make_voice(VoiceOptions(name))
    if name in ("espeak", "system"):
        return voice, 0.0
    return voice, sum(file.stat().st_size for file in voice_folder(name).iterdir() if file.is_file()) / 1e6


BENCH = Bench(
    "voices",
    "how well voices are understood, how soon they begin, and what they take",
    "Speak sentences in several voices, and hear what is understood of them.",
    _add_options,
    _measure,
    epilog=_EPILOG,
)
