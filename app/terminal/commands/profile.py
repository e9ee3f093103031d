"""`earshot profile`: measure thread settings on this machine, and store the best."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.terminal.commands.caption import add_model_option
from app.terminal.screen import progress
from engine.errors import OptionError
from engine.options import CaptionOptions

if TYPE_CHECKING:
    from engine.process.profiling import Setting, SettingCost

NAME = "profile"
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_WIDEST_BAR = 48

_EPILOG = """\
C2:G1 stands for two threads that decode and one that encodes; "pipeline" for rounds that overlap. "delay" runs from
the end of a word to its being shown for good, with rounds as close together as they can be.

The best is stored for this machine and model, and used from then on by captions in the window and on the terminal.
"""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        NAME,
        help="find out how this machine hears soonest",
        description="Caption a few seconds of the demo with every sharing of threads, and store the best.",
        epilog=_EPILOG,
    )
    add_model_option(parser)
    parser.add_argument("--quick", action="store_true", help="a shorter clip, heard once: a rougher answer")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument(
        "--progress", action="store_true", help="say on standard error how far it is, where that is no terminal too"
    )
    stored = parser.add_mutually_exclusive_group()
    stored.add_argument("--no-store", action="store_true", help="measure only; leave what is stored as it is")
    stored.add_argument("--forget", action="store_true", help="drop what is stored for this machine and model")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure and store, or forget."""
    if options.forget:
        if options.quick:
            raise OptionError("--forget measures nothing, so --quick means nothing with it.")
        return _forget(options)
    from engine.machine.thread_profile import store_profile
    from engine.process.profiling import best_of, profile_of

    measured = _measure(options)
    best = best_of(measured)
    path = None if options.no_store else store_profile(_fingerprint(options.model), profile_of(options.model, best))
    if options.json:
        print(json.dumps(_as_record(options.model, measured, best, str(path) if path else None)))
        return 0
    width = max(40, min(shutil.get_terminal_size().columns, 120))
    print(_as_text(measured, best, width), end="")
    print(f"\nBest: {best.setting.name}." + (f" Stored in {path}." if path else " Nothing was stored."))
    return 0


def _measure(options: argparse.Namespace) -> list[SettingCost]:
    """Measure all settings."""
    from app.sound.audio_sources import demo_clip
    from app.terminal.caption_run import load_recognizer
    from engine.audio import SAMPLE_RATE_HZ
    from engine.audio.source import read_audio
    from engine.hear.recognizer import ModelRecognizer
    from engine.process import profiling

    chosen = CaptionOptions()
    recognizer = load_recognizer(options.model)(chosen)
    seconds = profiling.QUICK_CLIP_SECONDS if options.quick else profiling.CLIP_SECONDS
    clip = read_audio(demo_clip())[: round(seconds * SAMPLE_RATE_HZ)]
    turns = profiling.QUICK_TURNS if options.quick else profiling.TURNS
    settings = profiling.settings_here(quantised=isinstance(recognizer, ModelRecognizer) and recognizer.is_quantised)
    total, count = len(settings) * turns, 0

    if profiling.fixed_at_start():
        runs = profiling.measure_in_processes(options.model, clip, settings, turns, chosen)
    else:
        runs = profiling.measure(recognizer, clip, settings, turns, chosen)
    with progress(always=options.progress) as tell:

        def note(setting: Setting) -> None:
            nonlocal count
            count += 1
            tell(f"{count} of {total}: {setting.name}")

        return profiling.gather(runs, note)


def _forget(options: argparse.Namespace) -> int:
    from engine.machine.thread_profile import forget_profiles

    known = forget_profiles(fingerprint=_fingerprint(options.model))
    if options.json:
        print(json.dumps({"profile": options.model, "forgotten": known}))
    else:
        print("Forgotten." if known else f"Nothing was stored for {options.model} on this machine.")
    return 0


def _fingerprint(model: str) -> str:
    """Return the fingerprint under which profiles of a recognition model are stored."""
    from engine.hear.whisper.fingerprint import fingerprint_of
    from engine.models.catalogue import find_model

    return fingerprint_of(find_model(model)[1])


def _as_record(model: str, measured: Sequence[SettingCost], best: SettingCost, stored: str | None) -> dict[str, object]:
    def record(one: SettingCost) -> dict[str, object]:
        latency = one.word_latency_seconds
        return {
            "cpu_threads": one.setting.allocation.cpu_threads,
            "gpu_threads": one.setting.allocation.gpu_threads,
            "pipeline": one.setting.pipeline,
            "word_latency_seconds": None if latency is None else round(latency, 4),
            "round_seconds": round(one.round_seconds, 4),
            "rounds": one.rounds,
        }

    from engine.machine.thread_profile import machine

    figures = {name: value for name, value in record(best).items() if isinstance(value, float)}
    return {
        "profile": model,
        "machine": machine(),
        "allocations": [record(one) for one in measured],
        "best": record(best),
        "stored": stored,
        "figures": figures,
    }


def _as_text(measured: Sequence[SettingCost], best: SettingCost, width: int) -> str:
    """Format a table, then a bar for each setting's delay (of its rounds, if no word was recognized)."""
    from app.terminal.tables import table

    rows = [
        (one.setting.name, one.word_latency_seconds, one.round_seconds, one.rounds, "best" if one is best else "")
        for one in measured
    ]
    lengths = [one.round_seconds if one.word_latency_seconds is None else one.word_latency_seconds for one in measured]
    names = max(len(one.setting.name) for one in measured)
    room = min(_WIDEST_BAR, width - names - 12)
    bars = [
        f"{one.setting.name.ljust(names)}  {length:6.2f} s {_bar(length / max(max(lengths), 1e-9) * room)}".rstrip()
        for one, length in zip(measured, lengths, strict=True)
    ]
    return table(("setting", "delay s", "round s", "rounds", ""), rows) + "\n" + "\n".join(bars) + "\n"


def _bar(cells: float) -> str:
    """Return a bar of this length, to an eighth of a cell."""
    eighths = max(1, round(8 * cells))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
