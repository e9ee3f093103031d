"""What flags of several commands have in common: settings from a file, how far it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from app.preferences.preferences import Preferences
from app.preferences.reading import read_preferences
from engine.errors import EngineError, OptionError


def settings_of(source: str) -> Preferences:
    """Read what --settings names: a file as the window exports it, or standard input for "-".

    What of it cannot be used is said on standard error. OptionError where it cannot be read.
    """
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
        reading = read_preferences(text)
    except OSError as error:
        raise OptionError(f"--settings: {source} cannot be read: {error.strerror or error}.") from error
    except (ValueError, EngineError) as error:
        raise OptionError(f"--settings: {source} holds no settings as the window saves them: {error}") from error
    for sentence in reading.ignored:
        sys.stderr.write(f"earshot: {sentence}\n")
    return reading.preferences


def progress_line(total: float) -> Callable[[float], None]:
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
