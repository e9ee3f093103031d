"""Checks of this machine, with advice. They change nothing."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.look.text_layout import counted
from app.preferences.program import FOLDER, is_bundle, own_command, version
from engine.errors import AudioError, EngineError

if TYPE_CHECKING:
    from engine.events import Hypothesis

Status = Literal["ok", "warning", "problem"]

LEAST_PYTHON = (3, 11)
LEAST_FREE_BYTES = 1_000_000_000
SLOW_GFLOPS = 20.0
CLIP_SECONDS = 5
HEARINGS = 3
SLOW_REAL_TIME_FACTOR = 0.7
_QT_PROBE_SECONDS = 30
PROBE_WINDOW = "--probe-window"
"""The argument for another process of the doctor: Qt ends a process that finds no display."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check.

    Attributes:
        status: "problem" prevents captions of files; a "warning" costs speed or one feature.
        advice: what to do, empty if all is well.
    """

    name: str
    status: Status
    detail: str
    advice: str = ""


def examine() -> Iterator[CheckResult]:
    """Run all checks; a check that fails is itself a finding."""
    for check in _CHECKS:
        try:
            yield from check()
        except EngineError as error:
            yield CheckResult(_name_of(check), "problem", "does not work", str(error))
        except Exception as error:  # the doctor goes on, whatever a broken installation raises
            yield CheckResult(_name_of(check), "problem", f"{type(error).__name__}: {error}", "Install Earshot again.")


def _name_of(check: Callable[[], Iterator[CheckResult]]) -> str:
    return check.__name__.removeprefix("_").replace("_", " ")


def usable(findings: list[CheckResult]) -> bool:
    """Return whether captions of files work here."""
    return all(finding.status != "problem" for finding in findings)


def _earshot() -> Iterator[CheckResult]:
    place = Path(sys.executable).parent if is_bundle() else FOLDER
    yield CheckResult("earshot", "ok", f"{version()}, {'bundle' if is_bundle() else 'installed'} in {place}")


def _python() -> Iterator[CheckResult]:
    running = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < LEAST_PYTHON:
        yield CheckResult("python", "problem", running, "Earshot needs Python 3.11 or newer.")
    else:
        yield CheckResult("python", "ok", f"{running} ({sys.executable})")


def _engine() -> Iterator[CheckResult]:
    from importlib.metadata import version

    from engine.machine.backend import prepare

    backend = prepare()
    yield CheckResult("device", "ok", f"{backend.device}, mlx {version('mlx')}, models compute in {backend.dtype}")
    gflops = measure_gflops()
    slow = backend.device == "cpu" and gflops < SLOW_GFLOPS
    threads = f" with {counted(backend.blas_threads, 'thread')}" if backend.blas_threads else ""
    advice = " ".join(backend.warnings) or (
        "Close what else keeps the processor busy; captions may lag behind speech." if slow else ""
    )
    status: Status = "warning" if slow or backend.warnings else "ok"
    yield CheckResult("matrix products", status, f"{backend.blas}{threads}: {gflops:.0f} GFLOPS", advice)


def measure_gflops(size: int = 1024, repeats: int = 5) -> float:
    """Measure products of two matrices (size, size) in the type that models compute in.

    Returns the best rate, in 10^9 operations per second.
    """
    import mlx.core as mx

    from engine.machine.backend import on_gpu

    half = mx.float16 if on_gpu() else mx.float32
    left, right = (mx.random.normal((size, size)).astype(half) for _ in range(2))
    mx.eval(left, right, left @ right)
    best = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        mx.eval(left @ right)
        best = min(best, time.perf_counter() - started)
    return 2 * size**3 / best / 1e9


def _models() -> Iterator[CheckResult]:
    from engine.models.catalogue import catalogue

    for entry in catalogue().values():
        folder = entry.local_folder()
        if entry.package is None and (folder is not None or entry.repo is None):
            yield _model(entry.name, folder, entry.kind)


def _model(name: str, folder: Path | None, kind: str = "hearing") -> CheckResult:
    """Load a shipped model; of a downloaded one, gigabytes large, check only whether its files are complete."""
    from engine.loading.check import check_model
    from engine.loading.ready import load_any_hearing
    from engine.models.catalogue import find_model
    from engine.translate.loading import load_translation_model

    ships = name.startswith("starter")
    try:
        if kind == "voice":
            check_model(folder := find_model(name, "voice")[1])
        elif folder is None or ships:
            load = load_translation_model if kind == "language" else load_any_hearing  # it loads every language model
            folder = load(name).folder
        else:
            check_model(folder)
    except EngineError as error:
        status: Status = "problem" if name == "starter" else "warning"
        return CheckResult(f"model {name}", status, "damaged or missing", str(error))
    return CheckResult(f"model {name}", "ok", f"whole, in {folder}")


def _hearing() -> Iterator[CheckResult]:
    seconds, heard = time_hearing()
    factor = seconds / CLIP_SECONDS
    detail = f"{CLIP_SECONDS} s of the demo in {seconds:.2f} s: “{heard.text}”"
    slow = factor > SLOW_REAL_TIME_FACTOR
    yield CheckResult(
        "hearing", "warning" if slow else "ok", detail, "Captions will lag behind speech here." if slow else ""
    )


def time_hearing() -> tuple[float, Hypothesis]:
    """Recognize CLIP_SECONDS of the demo with the starter; return the least seconds it took, and the result."""
    from app.sound.audio_sources import demo_clip
    from engine.audio import SAMPLE_RATE_HZ
    from engine.audio.source import read_audio
    from engine.hear.recognizer import WhisperRecognizer
    from engine.hear.whisper.load import load_hearing_model
    from engine.options import DecodeOptions

    samples = read_audio(demo_clip())[: CLIP_SECONDS * SAMPLE_RATE_HZ]
    recognizer = WhisperRecognizer(load_hearing_model("starter"), DecodeOptions())
    recognizer.hear(samples, offset_seconds=0.0, prompt="", language="en")  # the first run includes warming up
    least = math.inf
    for _ in range(HEARINGS):
        started = time.perf_counter()
        heard = recognizer.hear(samples, offset_seconds=0.0, prompt="", language="en")
        least = min(least, time.perf_counter() - started)
    return least, heard


def _voice() -> Iterator[CheckResult]:
    from engine.errors import VoiceError
    from engine.options import VoiceOptions
    from engine.speak.choice import usable_voice

    started = time.perf_counter()
    try:
        voice, problem = usable_voice(VoiceOptions())
        sound = next(iter(voice.speak("Good morning.")), None)
    except VoiceError as error:
        yield CheckResult("voice", "warning", "does not work", f"{error} The assistant answers in writing without.")
        return
    seconds = time.perf_counter() - started
    if problem:
        yield CheckResult("voice", "warning", f"{voice.name} speaks in place of the usual one", problem)
    elif sound is None:
        yield CheckResult("voice", "warning", f"{voice.name} says nothing", "The assistant answers in writing without.")
    else:
        yield CheckResult("voice", "ok", f"{voice.name}: first sound after {seconds * 1000:.0f} ms")


def _microphones() -> Iterator[CheckResult]:
    from app.sound.audio_devices import list_input_devices

    def names() -> list[str]:
        return [device.label + " (default)" * device.is_default for device in list_input_devices()]

    yield _devices("microphone", names, "captions of files work without")


def _loudspeakers() -> Iterator[CheckResult]:
    from app.sound.output_devices import output_names

    yield _devices("loudspeaker", output_names, "the assistant answers in writing without")


def _devices(kind: str, names: Callable[[], Sequence[str]], without: str) -> CheckResult:
    try:
        found = names()
    except AudioError as error:
        return CheckResult(kind, "warning", "not available", str(error))
    if not found:
        return CheckResult(kind, "warning", "none found", f"Connect one; {without}.")
    return CheckResult(kind, "ok", ", ".join(found))


def _window() -> Iterator[CheckResult]:
    try:
        probe = subprocess.run(
            [*own_command(), "doctor", PROBE_WINDOW],
            capture_output=True,
            text=True,
            cwd=FOLDER,
            timeout=_QT_PROBE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        yield CheckResult("window", "warning", "Qt does not answer", _window_advice())
        return
    if probe.returncode == 0:
        version, platform = probe.stdout.split()[-2:]
        yield CheckResult("window", "ok", f"Qt {version} on {platform}")
        return
    yield CheckResult("window", "warning", *_why_qt_fails(probe.stderr))


def probe_window() -> None:
    """Print Qt's version and platform; without a display Qt ends the process."""
    from PySide6 import __version__
    from PySide6.QtWidgets import QApplication

    print(__version__, QApplication(sys.argv[:1]).platformName())


def _why_qt_fails(output: str) -> tuple[str, str]:
    """Return Qt's error in one line, and what to do."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if any("could not connect to display" in line for line in lines):
        return "no display", "The command line works without. Open the window from within a graphical session."
    return next((line for line in lines if "Error" in line), "Qt does not start"), _window_advice()


def _window_advice() -> str:
    if sys.platform == "darwin":
        return "The command line works without. Open the window on the Mac's own screen, or else install Earshot again."
    else:
        return (
            "The command line works without. On Debian and Ubuntu the window needs libegl1 libgl1 libxkbcommon-x11-0 "
            "libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libfontconfig1 libdbus-1-3."
        )


def _folders() -> Iterator[CheckResult]:
    from platformdirs import user_cache_path, user_data_path

    data, cache = user_data_path("earshot", appauthor=False), user_cache_path("earshot", appauthor=False)
    for name, folder in (("data folder", data), ("cache folder", cache)):
        existing = _nearest_existing(folder)
        if os.access(existing, os.W_OK):
            yield CheckResult(name, "ok", str(folder))
        else:
            yield CheckResult(name, "warning", f"{folder} is not writable", f"Make {existing} writable.")
    free = shutil.disk_usage(_nearest_existing(data)).free
    few = free < LEAST_FREE_BYTES
    advice = "Free some space before fetching models or keeping transcripts." if few else ""
    yield CheckResult("free disk", "warning" if few else "ok", f"{free / 1e9:.1f} GB", advice)


def _nearest_existing(folder: Path) -> Path:
    return next(each for each in (folder, *folder.parents) if each.exists())


_CHECKS: tuple[Callable[[], Iterator[CheckResult]], ...] = (
    _earshot,
    _python,
    _engine,
    _models,
    _hearing,
    _voice,
    _microphones,
    _loudspeakers,
    _window,
    _folders,
)
