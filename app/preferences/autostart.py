"""Starting Earshot with the user's session, hidden in the tray.

On Linux an entry in the desktop's autostart folder does it (freedesktop.org's Desktop Application Autostart), on a
Mac a launch agent. The file is the only record, so that what the desktop's own settings change is seen here, too.
In a Flatpak the desktop's portal writes the entry (`background_request.py`), and the folder can be read at most.
"""

from __future__ import annotations

import configparser
import os
import plistlib
import shlex
import sys
from pathlib import Path

from app.preferences.program import FOLDER, flatpak_id, is_bundle, own_command

LABEL = "org.earshot.Earshot"
"""Name of the launch agent."""


def is_possible() -> bool:
    """Return whether this system can start Earshot with the session."""
    return sys.platform in ("linux", "darwin")


def is_known() -> bool:
    """Return whether the file that starts Earshot can be seen. In a Flatpak it cannot where the folder was made after
    Earshot's start, or is withheld.
    """
    return not flatpak_id() or _place().parent.is_dir()


def starts_with_session() -> bool:
    """Return whether Earshot starts with the session now."""
    place = _place()
    try:
        return _is_on(place.read_bytes())
    except OSError:
        return False


def start_with_session(on: bool) -> None:
    """Write or remove the file that starts Earshot with the session. Raises OSError if the file cannot be written."""
    place = _place()
    if not on:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(_agent() if _on_mac() else _entry().encode())


def _on_mac() -> bool:
    return sys.platform == "darwin"


def _place() -> Path:
    if _on_mac():
        return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    settings = os.environ.get("HOST_XDG_CONFIG_HOME" if flatpak_id() else "XDG_CONFIG_HOME")
    folder = (Path(settings) if settings else Path.home() / ".config") / "autostart"
    return folder / f"{flatpak_id() or 'earshot'}.desktop"


def session_command() -> list[str]:
    """Return the command that starts Earshot with the session.

    An AppImage is mounted at another place each time, so that its file is named, which is in APPIMAGE.
    """
    program = ["earshot"] if flatpak_id() else own_command()
    if is_bundle() and (image := os.environ.get("APPIMAGE")):
        program = [image]
    return [*program, "window", "--hidden"]


def _entry() -> str:
    folder = "" if is_bundle() else f"Path={FOLDER}\n"
    command = " ".join(_quoted(part) for part in session_command())
    return (
        "[Desktop Entry]\nType=Application\nName=Earshot\nComment=Live captions, in the background\n"
        f"Icon=earshot\nExec={command}\n{folder}X-GNOME-Autostart-enabled=true\n"
    )


def _quoted(part: str) -> str:
    """Quote one part of a command as the Desktop Entry Specification asks for."""
    if part == shlex.quote(part) and "%" not in part:
        return part
    for special in ("\\", '"', "`", "$"):
        part = part.replace(special, "\\" + special)
    return '"' + part.replace("\\", "\\\\").replace("%", "%%") + '"'


def _agent() -> bytes:
    agent = {"Label": LABEL, "ProgramArguments": session_command(), "RunAtLoad": True, "ProcessType": "Interactive"}
    return plistlib.dumps(agent if is_bundle() else {**agent, "WorkingDirectory": str(FOLDER)})


def _is_on(content: bytes) -> bool:
    """Return whether a file of the session's start is in force."""
    if _on_mac():
        try:
            return not plistlib.loads(content).get("Disabled", False)
        except (plistlib.InvalidFileException, ValueError):
            return False
    entry = configparser.RawConfigParser(strict=False)
    try:
        entry.read_string(content.decode("utf-8", "replace"))
    except configparser.Error:
        return False
    if not entry.has_section("Desktop Entry"):
        return False
    found = entry["Desktop Entry"]
    hidden, enabled = found.get("Hidden", "false"), found.get("X-GNOME-Autostart-enabled", "true")
    return hidden.lower() != "true" and enabled.lower() != "false"
