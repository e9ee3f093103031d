"""Every view can be pictured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from lab.screenshots.__main__ import main
from lab.screenshots.scenes import history
from lab.screenshots.studio import studio

PAGES = ("captions", "captions-empty", "assistant", "history", "models-captions", "settings-general", "overlay",
         "tuning-hearing", "tuning-profile", "export", "silence", "welcome-1", "welcome-4")  # fmt: skip
LEAST_COLOURS = 12


def colours(image: QImage) -> int:
    """Count the different colours on a grid of places."""
    places = ((x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7))
    return len({image.pixel(x, y) for x, y in places})


def test_every_view_is_pictured_in_one_look(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lab.screenshots", str(tmp_path), "--look", "dark", "--size", "780x700"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=400)
    assert run.returncode == 0, run.stderr
    pictures = {path.stem: QImage(str(path)) for path in tmp_path.glob("*.png")}
    assert set(PAGES) <= set(pictures)
    assert run.stdout.splitlines()[-1] == f"{len(pictures)} pictures in {tmp_path}"
    assert pictures["captions"].width() == 780  # the screen has 800
    assert pictures["captions"].pixelColor(5, 300).lightness() < 60  # the rail, in the dark
    assert {name for name, picture in pictures.items() if colours(picture) < LEAST_COLOURS} == set()


def test_a_window_in_which_list_and_transcript_take_turns_is_pictured_too(qapp: QApplication, tmp_path: Path) -> None:
    with studio(qapp, tmp_path, "light", "de", QSize(560, 500)) as made:
        history(made)
        assert not made.app.history_page.shows_both
    assert {"history", "history-search", "history-narrow"} <= {path.stem for path in tmp_path.glob("*.png")}


@pytest.mark.parametrize("size", ["1000", "x700", "1000x-1", "big"])
def test_a_size_that_is_none_is_told(size: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--size", size])
    assert "is no size such as 1080x720" in capsys.readouterr().err
