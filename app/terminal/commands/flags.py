"""Flags of several commands: settings from a file, progress."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from app.preferences.preferences import Preferences
from app.preferences.reading import read_preferences
from engine.errors import EngineError, OptionError


def add_settings_option(parser: argparse._ActionsContainer, what: str) -> None:
    """Add --settings to a command or to a group of its options; `what` is what they say."""
    parser.add_argument(
        "--settings", metavar="FILE",
        help=f"{what}: a file that the window exports, or - for standard input; options on the command line win",
    )  # fmt: skip


def settings_of(source: str) -> Preferences:
    """Read the settings that --settings names: a file as the window exports it, or standard input for "-".

    Settings that cannot be used are told on standard error. OptionError if the file cannot be read.
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
    """Return a function that tells the seconds heard of `total` on standard error, once for each second."""
    said = -1

    def note(heard: float) -> None:
        nonlocal said
        done = min(int(heard), round(total))
        if done > said:
            said = done
            sys.stderr.write(f"{done} of {round(total)}: seconds of sound\n")
            sys.stderr.flush()

    return note
