"""Benches as pictures: one style, and bars of what every way came to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.bench.errors import BenchError
from engine.errors import OptionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")
MUTED, ACCENT, FAINT = "#9aa7b4", "#1f6f8b", "#d9dee3"
_LONGEST_TITLE = 44


class PlotError(BenchError):
    """A picture that cannot be drawn here."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of the picture.

    Attributes:
        values: one for each column; None where there is none.
        apart: whether it stands a little below the rows above it.
        marked: whether it is drawn in the colour of what the picture is about.
    """

    title: str
    values: tuple[float | None, ...]
    apart: bool = False
    marked: bool = False


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


@contextmanager
def picture(path: Path, width: float, height: float) -> Iterator[Figure]:
    """Give a figure to draw on, in inches, and write it as what its name ends in. PlotError if it cannot be written."""
    check_target(path)
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    kind = path.suffix[1:].lower()
    undated = {"Date": None} if kind == "svg" else {}  # the same figures make the same file
    with rc_context({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "svg.fonttype": "none"}):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        try:
            figure.savefig(path, dpi=160, facecolor="white", format=kind, metadata=undated)
        except OSError as error:
            raise PlotError(f"Cannot write {path}: {error.strerror}.") from error


def draw_bars(path: Path, columns: Sequence[tuple[str, str]], bars: Sequence[Bar]) -> None:
    """Draw a column of bars for each figure, the first the widest; `columns` are titles and formats of values."""
    places = [index + (0.6 if bar.apart else 0.0) for index, bar in enumerate(bars)]
    with picture(path, 10, 1.0 + 0.36 * len(bars)) as figure:
        ratios = (3, *[2] * (len(columns) - 1))
        parts = figure.subplots(1, len(columns), sharey=True, width_ratios=ratios, squeeze=False)[0]
        for number, (axes, (title, text)) in enumerate(zip(parts, columns, strict=True)):
            _draw_column(axes, places, bars, number, text)
            axes.set_title(title, loc="left", fontsize=10)
        parts[0].set_yticks(places, [_shortened(bar.title) for bar in bars])
        parts[0].invert_yaxis()


def _draw_column(axes: Axes, places: Sequence[float], bars: Sequence[Bar], number: int, text: str) -> None:
    """One bar a row, its value beside it as `text` formats it; nothing where there is none."""
    values = [bar.values[number] for bar in bars]
    lengths = [value or 0.0 for value in values]
    axes.barh(places, lengths, color=[ACCENT if bar.marked else MUTED for bar in bars], height=0.66)
    for place, value in zip(places, values, strict=True):
        shown = "-" if value is None else text.format(value)
        axes.annotate(shown, (value or 0.0, place), (4, 0), textcoords="offset points", va="center", fontsize=9)
    axes.set_xlim(0, 1.14 * max(*lengths, 0.01))
    axes.tick_params(length=0)
    axes.spines["bottom"].set_visible(False)
    axes.spines["left"].set_color(FAINT)
    axes.set_xticks([])


def _shortened(title: str) -> str:
    return title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…"
