"""Recordings of any length heard at once, in windows: what streaming is compared with.

They are cut in pauses, never through a word, and never past words that were not heard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.pauses import FRAME, FRAME_SECONDS, PAUSE_SECONDS, frame_power
from engine.events import Word
from engine.hear.recognizer import WINDOW_SECONDS, ModelRecognizer, Recognizer

SEARCH_SHARE = 0.4  # of the longest window, at its end, where a pause is looked for
PAUSE_POWER = 0.02  # of the window's mean power, -17 dB
SEAM_SECONDS = 1.0  # words that end later may have been cut through
UNHEARD_SECONDS = 3.0
UNHEARD_POWER = 0.1  # of the power of what was heard
LEAST_PROGRESS_SECONDS = 4.0


def transcribe(
    recognizer: Recognizer, samples: Samples, *, language: str | None = None, window_seconds: float | None = None
) -> tuple[Word, ...]:
    """Hear all samples (n,) at 16 kHz, of any length; times are seconds from the first of them.

    Windows are as long as suits the recognizer, or up to window_seconds. They end in a pause where there is one,
    else between two words that were heard well before the window's end. Each stands alone: a prompt would hand one
    window's mistakes to the next.
    """
    if isinstance(recognizer, ModelRecognizer):
        recognizer = recognizer.for_files()
        window_seconds = window_seconds or recognizer.window_seconds
    words: list[Word] = []
    position = 0
    while position < len(samples):
        window = next_window(samples, position, window_seconds or WINDOW_SECONDS)
        heard = recognizer.hear(
            samples[window.start : window.end],
            offset_seconds=window.start / SAMPLE_RATE_HZ,
            prompt="",
            language=language,
            final=True,
        )
        position = resume_at(samples, window, heard.words)
        words += [word for word in heard.words if round(word.end * SAMPLE_RATE_HZ) <= position]
    return tuple(words)


@dataclass(frozen=True, slots=True)
class Window:
    """Samples start to end; `whole` unless the end may cut through a word."""

    start: int
    end: int
    whole: bool


def next_window(samples: Samples, start: int, longest_seconds: float = WINDOW_SECONDS) -> Window:
    """The window of samples (n,) from `start`: the rest, or up to the quietest place near its longest end."""
    longest = start + int(longest_seconds * SAMPLE_RATE_HZ)
    if longest >= len(samples):
        return Window(start, len(samples), whole=True)
    power = frame_power(samples[start:longest])
    width = round(PAUSE_SECONDS / FRAME_SECONDS)
    smooth = np.convolve(power, np.full(width, 1 / width), "valid")
    first = len(power) - round(SEARCH_SHARE * longest_seconds / FRAME_SECONDS)
    quietest = first + int(smooth[first:].argmin())
    end = start + (quietest + width // 2) * FRAME
    return Window(start, end, whole=bool(smooth[quietest] < PAUSE_POWER * power.mean()))


def resume_at(samples: Samples, window: Window, words: Sequence[Word]) -> int:
    """The sample at which the next window begins, given the words heard in this one.

    That is its end, unless words near a rough end may have been cut (then the gap before them), or the recognizer
    stopped long before sounds did (then where it stopped). The words that end later are to be heard again.
    """
    end = window.end / SAMPLE_RATE_HZ
    kept = [word for word in words if window.whole or word.end <= end - SEAM_SECONDS]
    if not kept:
        return window.end
    stopped = kept[-1].end
    if len(kept) < len(words):
        stopped = (stopped + words[len(kept)].start) / 2
    elif not _goes_on(samples, window, stopped):
        return window.end
    resume = round(stopped * SAMPLE_RATE_HZ)
    return resume if resume >= window.start + LEAST_PROGRESS_SECONDS * SAMPLE_RATE_HZ else window.end


def _goes_on(samples: Samples, window: Window, stopped: float) -> bool:
    """Tell whether the window sounds on for long after the last word, about as loud as before it."""
    stop = round(stopped * SAMPLE_RATE_HZ)
    if window.end - stop < UNHEARD_SECONDS * SAMPLE_RATE_HZ or stop <= window.start:
        return False
    heard, unheard = frame_power(samples[window.start : stop]), frame_power(samples[stop : window.end])
    return bool(np.percentile(unheard, 80) >= UNHEARD_POWER * np.percentile(heard, 80))
