"""Recording of a Mac's own sound with a process tap of Core Audio, from macOS 14.4 on. No Qt.

catap makes the tap and reads it outside of Python; here its buffers become chunks. Before 14.4 a loopback device such
as BlackHole, which is an ordinary input, does the same. (Not tested: no Mac was available.)
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import platform
import queue
import re
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from engine.audio import SAMPLE_RATE_HZ
from engine.errors import AudioError
from engine.machine.backend import macos_version

if TYPE_CHECKING:
    import numpy as np

    from engine.audio import Samples

NAME = "earshot.process-tap"
"""Its name in preferences and on the command line."""

SINCE_MACOS = (14, 4)
WAIT_SECONDS = 0.05
SLACK_SECONDS = 0.25
"""Longest delay of a buffer, in seconds. A later one is replaced by silence: a tap may pause while nothing plays."""

_LOOPBACK = re.compile(r"BlackHole|Soundflower|Loopback Audio|VB-Cable|Background Music", re.IGNORECASE)
_sound_came = threading.Event()  # of any tap of this process


class TapUnavailable(AudioError):
    """A tap of the computer's sound that cannot be opened, or broke off."""


def is_there() -> bool:
    """Return whether this system has taps, and catap is installed."""
    if sys.platform == "darwin":
        return macos_version() >= SINCE_MACOS and importlib.util.find_spec("catap") is not None
    else:
        return False


def needs_loopback() -> bool:
    """Return whether the computer's sound can only be recorded through a loopback device."""
    return sys.platform == "darwin" and not is_there()


def is_loopback(device: str) -> bool:
    """Return whether an input is a loopback device on a Mac, judged by its name."""
    return sys.platform == "darwin" and _LOOPBACK.search(device) is not None


def title() -> str:
    """Return the computer's name, as the title of its sound."""
    return platform.node().removesuffix(".local") or "Mac"


def may_be_forbidden(device: str) -> bool:
    """Return whether silence of this input may mean that the user refused: macOS then delivers zeros, and no error.

    Once anything else has come, the user has agreed.
    """
    return device == NAME and not _sound_came.is_set()


def tap_chunks(
    stop: threading.Event, *, catap: Any = None, clock: Callable[[], float] = time.monotonic
) -> Generator[Samples]:
    """Record the sound of all programs until `stop` is set, yielding float32 mono chunks (n,) at 16 kHz.

    Earshot's own sound is left out. Without the person's leave the system delivers silence, and asks for it when the
    first tap is opened.

    Raises:
        TapUnavailable: there is no tap, or it ended, as it does when the computer plays on another output.
    """
    import numpy as np

    from engine.audio.resample import Resampler, mix_down

    buffers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    session = _started(catap, buffers)
    resampler: Resampler | None = None
    began, delivered = clock(), 0.0
    try:
        while not stop.is_set():
            if session.capture_failed:  # what comes now may be of another rate than it says
                raise TapUnavailable("What this computer plays can no longer be heard.")
            try:
                buffer = buffers.get(timeout=WAIT_SECONDS)
            except queue.Empty:
                behind = clock() - began - delivered
                if behind > SLACK_SECONDS:
                    delivered += behind
                    yield np.zeros(round(behind * SAMPLE_RATE_HZ), np.float32)
                continue
            resampler = resampler or Resampler(round(buffer.format.sample_rate))
            delivered += buffer.frame_count / buffer.format.sample_rate
            chunk = resampler.add(mix_down(samples_of(buffer)))
            if not session.captured_only_silence:
                _sound_came.set()
            if len(chunk):
                yield chunk
    finally:
        _close(session)
    if resampler is not None and len(rest := resampler.finish()):
        yield rest


def samples_of(buffer: Any) -> np.ndarray:
    """Return the samples (n, channels), float32 within ±1, of a buffer of catap's.

    Raises:
        TapUnavailable: the format is not known.
    """
    import numpy as np

    layout = buffer.format
    if layout.is_float and layout.bits_per_sample == 32:
        samples = np.frombuffer(buffer.data, "<f4")
    elif layout.is_signed_integer and layout.bits_per_sample in (16, 32):
        whole = np.frombuffer(buffer.data, f"<i{layout.bytes_per_sample}")
        samples = (whole / 2.0 ** (layout.bits_per_sample - 1)).astype(np.float32)
    else:
        raise TapUnavailable(f"This computer plays sound of a format that is not known ({layout}).")
    return samples.reshape(-1, layout.num_channels)


def _started(catap: Any, buffers: queue.SimpleQueue[Any]) -> Any:
    try:
        maker = importlib.import_module("catap") if catap is None else catap
        session = maker.record_system_audio(on_buffer=buffers.put, mono=True, exclude=_ourselves(maker))
        session.start()
    except (ImportError, LookupError, OSError, RuntimeError, ValueError) as error:
        raise TapUnavailable(
            f"What this computer plays cannot be heard ({error}). Allow it in System Settings, Privacy & Security, "
            "Screen & System Audio Recording, or use a loopback device such as BlackHole."
        ) from error
    return session


def _ourselves(catap: Any) -> list[Any]:
    """Return this process as Core Audio knows it; it may not, before anything is played or recorded."""
    with suppress(OSError):
        process = catap.find_process_by_pid(os.getpid())
        return [] if process is None else [process]
    return []


def _close(session: Any) -> None:
    """Close a session, and once more where that left anything behind.

    catap raises here for a file that it would not write: when the format changed, buffers were dropped, or the tap is
    gone. No file is written, so these errors are dropped.
    """
    with suppress(Exception):
        session.close()
    if session.needs_cleanup:
        with suppress(Exception):
            session.close()
