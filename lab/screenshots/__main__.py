"""`python -m lab.screenshots FOLDER`: picture every view."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

LOOKS = ("light", "dark", "contrast")
SCREEN = (1600, 1100)


def main(argv: Sequence[str] | None = None) -> int:
    """Picture every scene, print the name of each, and return the exit code."""
    from app.preferences.preferences import INTERFACE_LANGUAGES
    from app.preferences.program import has_display

    parser = argparse.ArgumentParser(
        prog="python -m lab.screenshots",
        description="Picture every view of the window, with made-up content. No engine runs, and nothing is recorded.",
    )
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--look", choices=LOOKS, default="light")
    parser.add_argument("--language", choices=INTERFACE_LANGUAGES, default="en", help="of the interface")
    parser.add_argument("--size", type=_size, default=(1080, 720), metavar="WxH", help="of the window, 1080x720")
    options = parser.parse_args(argv)
    options.folder.mkdir(parents=True, exist_ok=True)
    if not has_display():
        os.environ.setdefault("QT_QPA_PLATFORM", _offscreen(options.folder))

    from PySide6.QtCore import QSize
    from PySide6.QtWidgets import QApplication

    from lab.screenshots.scenes import take_all
    from lab.screenshots.studio import studio

    qt = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(qt, QApplication)
    with studio(qt, options.folder, options.look, options.language, QSize(*options.size)) as made:
        for name in take_all(made):
            print(name, flush=True)
    print(f"{len(made.taken)} pictures in {options.folder}")
    return 0


def _offscreen(folder: Path) -> str:
    """Return Qt's platform without a display, with a screen that has room for the window (by default 800 pixels
    wide)."""
    file = folder / "screen.json"
    width, height = SCREEN
    screen = {"name": "screen", "x": 0, "y": 0, "width": width, "height": height}
    screen |= {"logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
    file.write_text(json.dumps({"synchronousWindowSystemEvents": False, "screens": [screen]}))
    return f"offscreen:configfile={file}"


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 1080x720")
    return int(width), int(height)


if __name__ == "__main__":
    sys.exit(main())
