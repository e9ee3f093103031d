"""`earshot compare`: the user's own recording, by Whisper-Streaming as published and with the present settings."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.preferences.preferences import Preferences
from app.terminal.commands.caption import add_model_option
from app.terminal.commands.flags import settings_in, settings_of
from app.tuning.replay import USUAL_SECONDS, Comparison, Replayed, as_record, first_seconds, replay
from engine.errors import OptionError

NAME = "compare"
LEAST_SECONDS, MOST_SECONDS = 2.0, 600.0

_EPILOG = """\
The text of the recording need not be known. "delay" runs from the end of a word to its being shown for good, "late" is
what 19 of 20 words keep within, "of real time" is computation over audio, "taken back" the words that were shown and
changed, for every hundred that stayed. Only the method differs; kernels, model, threads and sound are the same.
"""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        NAME,
        help="measure your own recording, as published and as set",
        description="Caption a recording as if it were live, by Whisper-Streaming as published and with your settings.",
        epilog=_EPILOG,
    )
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the recording (default: the demo)")
    parser.add_argument(
        "--seconds", type=float, default=USUAL_SECONDS, metavar="S",
        help="how much of it, from its beginning (default: %(default)g)",
    )  # fmt: skip
    parser.add_argument(
        "--settings",
        metavar="FILE",
        help="settings as the window exports them; - reads standard input",
    )
    parser.add_argument(
        "--progress", action="store_true", help="say on standard error how far it is, a line for every second"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    add_model_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure both, and print the figures."""
    if not LEAST_SECONDS <= options.seconds <= MOST_SECONDS:
        raise OptionError(f"--seconds must be between {LEAST_SECONDS:g} and {MOST_SECONDS:g}, not {options.seconds!r}.")
    comparison = _compare(options, _preferences(options.settings))
    if options.json:
        print(json.dumps({"model": options.model, **as_record(comparison)}))
    else:
        print(_as_text(comparison), end="")
    return 0


def _preferences(source: str | None) -> Preferences:
    if source == "-":
        return settings_in(sys.stdin.read(), "standard input")
    return settings_of(source) if source is not None else Preferences()


def _compare(options: argparse.Namespace, preferences: Preferences) -> Comparison:
    from app.sound.audio_sources import demo_clip
    from app.terminal.caption_run import load_recognizer
    from engine.audio import SAMPLE_RATE_HZ
    from engine.captions.published import WHISPER_STREAMING
    from engine.machine import backend
    from engine.machine.threads import ThreadAllocation

    samples = first_seconds(options.file or demo_clip(), options.seconds)
    chosen = preferences.captions
    published = replace(WHISPER_STREAMING, language=chosen.language, allowed_languages=chosen.allowed_languages)
    threads = preferences.threads
    seconds = len(samples) / SAMPLE_RATE_HZ
    note = _progress_line(2 * seconds) if options.progress else None
    results = []
    for before, way in ((0.0, published), (seconds, chosen)):
        recognizer = load_recognizer(options.model)(way)
        if not threads.automatic:
            backend.allot(ThreadAllocation(threads.cpu_threads, threads.gpu_threads))
        results.append(replay(recognizer, samples, way, _after(before, note)))
    return Comparison(seconds, *results)


def _progress_line(total: float) -> Callable[[float], None]:
    """Return what says on standard error, once a second of sound, how many of `total` seconds are through."""
    said = -1

    def note(heard: float) -> None:
        nonlocal said
        done = min(int(heard), round(total))
        if done > said:
            said = done
            sys.stderr.write(f"{done} of {round(total)}: seconds of sound\n")
            sys.stderr.flush()

    return note


def _after(before: float, note: Callable[[float], None] | None) -> Callable[[float], None]:
    return lambda heard: note(before + heard) if note is not None else None


def _as_text(comparison: Comparison) -> str:
    from app.terminal.tables import table

    def row(title: str, one: Replayed) -> tuple[str | float | int | None, ...]:
        taken_back = None if one.flicker is None else 100 * one.flicker
        return title, one.words, one.delay_seconds, one.late_seconds, one.real_time_factor, taken_back

    return table(
        ("way", "words", "delay s", "late s", "of real time", "taken back"),
        [row("Whisper-Streaming, as published", comparison.published), row("as set", comparison.set_now)],
    )
