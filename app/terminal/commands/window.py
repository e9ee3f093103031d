"""`earshot` without a command, and `earshot window`: the window."""

from __future__ import annotations

import argparse
import os
import sys
from collections import deque

from app.preferences.program import has_display
from engine.errors import EngineError

NAME = "window"
_WITHOUT = "'earshot caption' and 'earshot demo' work without a window"


class WindowError(EngineError):
    """A window that cannot open here."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command with its options."""
    parser = commands.add_parser(NAME, help="open the window", description="Open the window.")
    parser.add_argument("--hidden", action="store_true", help="start in the tray, without showing the window")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Open the window; return its exit code."""
    return open_window(["--hidden"] if options.hidden else [])


def open_window(arguments: list[str]) -> int:
    """Open the window with arguments of its own.

    Raises:
        WindowError: Qt or a display is missing.
    """
    _check_display()
    try:
        from app.start import main
    except ImportError as error:
        raise _no_window(_what_qt_lacks(error)) from error
    _end_in_one_line()
    return main(arguments)


def _check_display() -> None:
    if not (has_display() or os.environ.get("QT_QPA_PLATFORM")):
        raise _no_window("there is no display")


def _what_qt_lacks(error: ImportError) -> str:
    if "PySide6" in (error.name or ""):
        return "Qt is not installed (the package PySide6-Essentials)"
    return f"Qt lacks a library of the system ({error})"


def _no_window(reason: str) -> WindowError:
    return WindowError(f"The window cannot open: {reason}; {_WITHOUT}.")


def _end_in_one_line() -> None:
    """Make Qt exit with one line where it would abort, as without a working display.

    Messages of its platform plugin are held back; QT_DEBUG_PLUGINS shows them.
    """
    from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

    if os.environ.get("QT_DEBUG_PLUGINS"):
        return
    held: deque[str] = deque(maxlen=8)

    def hold(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        if kind == QtMsgType.QtFatalMsg:
            reason = held[0] if held else message.splitlines()[0]
            sys.stderr.write(f"earshot: {_no_window(reason.strip().rstrip('.'))}\n")
            sys.stderr.flush()
            os._exit(1)  # returning would abort
        elif (context.category or "").startswith("qt.qpa"):
            held.append(message)
        else:
            sys.stderr.write(f"{message}\n")

    qInstallMessageHandler(hold)
