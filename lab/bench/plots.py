"""Benches as pictures: one style, and bars of what every way came to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.terminal.tables import Cell
from engine.errors import OptionError
from lab.bench.errors import BenchError
from lab.bench.tables import Column, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg")
MUTED, ACCENT, FAINT = "#9aa7b4", "#1f6f8b", "#d9dee3"
_LONGEST_TITLE = 44


class PlotError(BenchError):
    """A picture that cannot be drawn here."""


def check_target(path: Path) -> None:
    """Refuse what could not be drawn before anything is measured.

    Raises:
        OptionError: neither a PNG nor an SVG.
        PlotError: there is nothing to draw with, or no folder to put it in.
    """
    if path.suffix.lower() not in FORMATS:
        raise OptionError(f"--plot must end in {' or '.join(FORMATS)}, not {path.name!r}.")
    if not path.absolute().parent.is_dir():
        raise PlotError(f"There is no folder {path.absolute().parent} for the plot.")
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        raise PlotError(
            "--plot needs matplotlib: 'uv sync --extra plot' or 'pip install matplotlib' adds it."
        ) from error


def draw_bars(
    path: Path,
    columns: Sequence[Column[Row]],
    rows: Sequence[Row],
    *,
    named: Callable[[Row], str],
    apart: Callable[[Row], bool],
    marked: Callable[[Row], bool],
) -> None:
    """Draw a column of bars for each figure, the first the widest, and write it as what the path's name ends in.

    Args:
        named: a row's title.
        apart: whether a row stands a little below those above it.
        marked: whether it is drawn in the colour of what the picture is about.

    Raises:
        PlotError: it cannot be written.
    """
    check_target(path)
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    kind = path.suffix[1:].lower()
    undated = {"Date": None} if kind == "svg" else {}  # the same figures make the same file
    places = [index + (0.6 if apart(row) else 0.0) for index, row in enumerate(rows)]
    with rc_context({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "svg.fonttype": "none"}):
        figure = Figure(figsize=(10, 1.0 + 0.36 * len(rows)), layout="constrained")
        ratios = (3, *[2] * (len(columns) - 1))
        parts = figure.subplots(1, len(columns), sharey=True, width_ratios=ratios, squeeze=False)[0]
        for axes, column in zip(parts, columns, strict=True):
            _draw_column(axes, places, [marked(row) for row in rows], [column.value(row) for row in rows], column.shown)
            axes.set_title(column.title, loc="left", fontsize=10)
        parts[0].set_yticks(places, [_shortened(named(row)) for row in rows])
        parts[0].invert_yaxis()
        try:
            figure.savefig(path, dpi=160, facecolor="white", format=kind, metadata=undated)
        except OSError as error:
            raise PlotError(f"Cannot write {path}: {error.strerror}.") from error


def _draw_column(
    axes: Axes, places: Sequence[float], marked: Sequence[bool], values: Sequence[Cell], shown: Callable[[Any], Cell]
) -> None:
    """Draw a bar for each row with its value beside it; nothing where there is none."""
    lengths = [float(value or 0.0) for value in values]
    axes.barh(places, lengths, color=[ACCENT if each else MUTED for each in marked], height=0.66)
    for place, length, value in zip(places, lengths, values, strict=True):
        text = "-" if value is None else str(shown(value))
        axes.annotate(text, (length, place), (4, 0), textcoords="offset points", va="center", fontsize=9)
    axes.set_xlim(0, 1.14 * max(*lengths, 0.01))
    axes.tick_params(length=0)
    axes.spines["bottom"].set_visible(False)
    axes.spines["left"].set_color(FAINT)
    axes.set_xticks([])


def _shortened(title: str) -> str:
    return title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…"
