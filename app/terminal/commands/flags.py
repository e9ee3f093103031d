"""Flags that several commands share: --settings, and --help-all; and words of their help."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import NoReturn

from app.preferences.preferences import Preferences
from app.preferences.reading import read_preferences
from engine.errors import EngineError, FileError

TRANSCRIPT = "a transcript (.txt, .md, .srt, .vtt, .json), a recording, 'last', or words of a kept session's title"
"""The sources of a transcript, for the help of a command."""

_LEFT_OUT = "help_of_all"
"""Attribute of an option that --help leaves out: its help."""


class _HelpAll(argparse.Action):
    """Prints the help with the options that --help leaves out."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        for action in parser._actions:
            action.help = getattr(action, _LEFT_OUT, action.help)
        parser.print_help()
        parser.exit()


def leave_out_of_help(parser: argparse.ArgumentParser, flags: frozenset[str]) -> None:
    """Show these options only with --help-all, which is added: they are for people who measure."""
    parser.add_argument("--help-all", action=_HelpAll, nargs=0, help="show all options, those for measuring too")
    for action in parser._actions:
        if not flags.isdisjoint(action.option_strings):
            setattr(action, _LEFT_OUT, action.help)
            action.help = argparse.SUPPRESS


def add_settings_option(parser: argparse._ActionsContainer, what: str) -> None:
    """Add --settings to a command or to a group of its options; `what` describes the settings in its help."""
    parser.add_argument(
        "--settings", metavar="FILE",
        help=f"{what}: a file that the window exports; options on the command line win",
    )  # fmt: skip


def settings_of(path: str) -> Preferences:
    """Read the settings file that --settings names.

    Raises:
        FileError: the file cannot be read, or holds no settings.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"--settings: {path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise _no_settings(path, error) from error
    return settings_in(text, path)


def settings_in(text: str, source: str) -> Preferences:
    """Read settings in the window's export format; write a warning about each unusable value to standard error.

    Raises:
        FileError: the text holds no settings; the error names the source.
    """
    try:
        reading = read_preferences(text)
    except (ValueError, EngineError) as error:
        raise _no_settings(source, error) from error
    for sentence in reading.ignored:
        sys.stderr.write(f"earshot: {sentence}\n")
    return reading.preferences


def _no_settings(source: str, error: Exception) -> FileError:
    match error:
        case UnicodeDecodeError():
            why = "this is not UTF-8 text."
        case json.JSONDecodeError():
            why = f"line {error.lineno} is not JSON."
        case _:
            why = str(error)
    return FileError(f"--settings: {source} holds no settings as the window saves them: {why}")
