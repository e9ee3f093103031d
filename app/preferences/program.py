"""Facts about the program: whether it is packaged, the command that starts it, whether there is a display. No Qt."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2]
"""The folder that holds `app` and `engine`."""


def version() -> str:
    """Return the installed version, or a substitute in a plain checkout."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("earshot")
    except PackageNotFoundError:
        return "(not installed)"


def ending_signals() -> list[signal.Signals]:
    """Return the signals that request an end, without those that are ignored, as after `nohup`.

    SIGHUP comes, often twice, when the terminal is closed; Windows has none.
    """
    known = [signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    return [each for each in known if signal.getsignal(each) != signal.SIG_IGN]


def data_folder() -> Path:
    """Return the folder of the app's data."""
    from platformdirs import user_data_path

    return user_data_path("earshot", appauthor=False)


def is_bundle() -> bool:
    """Return whether this is the packaged app, which includes its own Python."""
    return bool(getattr(sys, "frozen", False))


def flatpak_id() -> str:
    """Return the name of the Flatpak that this runs in; empty outside of one."""
    return os.environ.get("FLATPAK_ID", "")


def has_display() -> bool:
    """Return whether windows can be shown here."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def own_command() -> list[str]:
    """Return the command that starts Earshot's command line, in FOLDER: this Python, or the packaged program itself."""
    return [sys.executable] if is_bundle() else [sys.executable, "-m", "app"]
