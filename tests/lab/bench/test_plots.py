"""Benches as pictures."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from engine.errors import OptionError
from lab.bench.plots import PlotError, check_target
from lab.bench.plots import draw_bars as draw_any_bars
from lab.bench.tables import Column

ROWS: list[tuple[str, float, float | None]] = [("plain", 2.0, 8.0), ("ours", 0.5, None)]
COLUMNS: tuple[Column[tuple[str, float, float | None]], ...] = (
    Column("", lambda row: row[1], "delay, s", "{:.2f}".format),
    Column("", lambda row: row[2], "errors, %", "{:.1f}".format),
)


def draw_bars(path: Path) -> None:
    draw_any_bars(
        path,
        COLUMNS,
        ROWS,
        named=lambda row: row[0],
        apart=lambda row: row[2] is None,
        marked=lambda row: row[2] is None,
    )


def test_a_png_is_a_picture_with_something_on_it(tmp_path: Path) -> None:
    path = tmp_path / "methods.png"
    draw_bars(path)
    from matplotlib.image import imread

    pixels = imread(path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert pixels.shape[1] == 1600
    assert 0.01 < np.mean(pixels[..., 0] < 0.9) < 0.5


def test_an_svg_names_every_bar_and_its_figures(tmp_path: Path) -> None:
    path = tmp_path / "methods.SVG"
    draw_bars(path)
    texts = {"".join(element.itertext()).strip() for element in ElementTree.parse(path).iter()}
    assert {"plain", "ours", "delay, s", "errors, %", "2.00", "0.50", "8.0", "-"} <= texts


def test_the_same_figures_make_the_same_file(tmp_path: Path) -> None:
    first, second = tmp_path / "a.png", tmp_path / "b.png"
    for path in (first, second):
        draw_bars(path)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("name", ["methods.pdf", "methods", "png"])
def test_other_formats_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(OptionError, match=rf"--plot must end in \.png or \.svg, not '{name}'"):
        check_target(tmp_path / name)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlotError, match=r"There is no folder .*gone"):
        check_target(tmp_path / "gone" / "methods.png")


def test_without_matplotlib_the_way_to_install_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PlotError, match=r"matplotlib.*uv sync --extra plot"):
        check_target(tmp_path / "methods.png")


def test_a_picture_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "methods.png"
    path.mkdir()
    with pytest.raises(PlotError, match=r"Cannot write .*methods\.png"):
        draw_bars(path)
