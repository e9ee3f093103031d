"""A Wayland desktop without a screen: sway, with XWayland, and pictures of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from PySide6.QtGui import QImage

NEEDED = ("sway", "grim", "Xwayland", "xhost")
PATIENCE_SECONDS = 120.0
_NOBODY = "65534"
_CONFIG = """
output HEADLESS-1 resolution 1280x720 position 0 0
default_border none
exec sh -c 'xhost +si:localuser:{user} && echo ready $DISPLAY $WAYLAND_DISPLAY'
"""


@dataclass(frozen=True)
class Sway:
    """A running desktop.

    Attributes:
        environment: what programs need to show themselves on it.
        folder: the place for its files.
    """

    environment: Mapping[str, str]
    folder: Path

    def picture(self) -> QImage:
        """Return what is on the screen now."""
        path = self.folder / "picture.png"
        subprocess.run(["grim", str(path)], env=dict(self.environment), check=True, timeout=PATIENCE_SECONDS)
        return QImage(str(path))


@contextmanager
def sway() -> Iterator[Sway]:
    """Run the desktop; skips where it is not installed."""
    with TemporaryDirectory(prefix="sway-") as folder:  # another user, see below, can't reach what pytest offers
        yield from _sway(Path(folder))


def _sway(folder: Path) -> Iterator[Sway]:
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        pytest.skip(f"{', '.join(missing)} missing: apt install sway grim xwayland x11-xserver-utils")
    folder.chmod(0o777)
    (folder / "config").write_text(_CONFIG.format(user=os.environ.get("USER", "root"), folder=folder))
    surroundings = {
        **{name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK")},
        "XDG_RUNTIME_DIR": str(folder),
        "HOME": str(folder),
        "WLR_BACKENDS": "headless",
        "WLR_LIBINPUT_NO_DEVICES": "1",
        "WLR_RENDERER": "pixman",
    }
    # Sway refuses to run as root.
    alone = ["setpriv", "--reuid", _NOBODY, "--regid", _NOBODY, "--clear-groups"] if os.getuid() == 0 else []
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*alone, "sway", "-c", str(folder / "config")],
            env=surroundings, stdout=subprocess.PIPE, stderr=log, text=True,
        )  # fmt: skip
    assert process.stdout is not None
    try:
        ready = next((line.split() for line in process.stdout if line.startswith("ready ")), [])
        if len(ready) != 3:
            pytest.skip(f"sway does not run here: {(folder / 'log').read_text('utf-8', 'replace')[-300:]}")
        _, x11, wayland = ready
        yield Sway({**surroundings, "DISPLAY": x11, "WAYLAND_DISPLAY": wayland}, folder)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
