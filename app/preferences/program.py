"""The program itself: whether it is a packaged app, what starts its command line, whether it can be seen. No Qt."""

from __future__ import annotations

import os
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2]
"""Where `app` and `engine` are."""


def version() -> str:
    """Give the installed version, or what a plain checkout can say."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("earshot")
    except PackageNotFoundError:
        return "(not installed)"


def is_bundle() -> bool:
    """Tell whether this is the packaged app, which brings its own Python."""
    return bool(getattr(sys, "frozen", False))


def has_display() -> bool:
    """Tell whether windows can be shown here."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def own_command() -> list[str]:
    """Give what starts Earshot's command line, in FOLDER: this Python, or the packaged program itself."""
    return [sys.executable] if is_bundle() else [sys.executable, "-m", "app"]
