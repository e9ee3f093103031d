"""The captions benchmark as a picture: delay and word errors of the methods, and what the length of a step does."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from engine.bench.captions.clips import BenchError
from engine.bench.captions.comparison import Row
from engine.bench.captions.methods import BASELINE, BEST_EFFORT_EARSHOT, EARSHOT, LADDER
from engine.errors import OptionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


def draw(path: Path, rows: Sequence[Row], curve: Sequence[Row] = ()) -> None:
    """Draw bars of every method's delay and word errors; with a curve, delay against errors over lengths of a step."""
    check_target(path)
    from matplotlib.figure import Figure

    count = len(rows)
    heights = [0.9 + 0.36 * count] + ([4.2] if curve else [])
    with style():
        figure = Figure(figsize=(10, sum(heights)), layout="constrained")
        parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        if curve:
            _draw_curve(parts[1].subplots(), curve)
        delay, errors = parts[0].subplots(1, 2, sharey=True, width_ratios=(3, 2))
        _draw_bars(delay, rows, [row.latency_seconds for row in rows], "delay of a word, seconds", "{:.2f}")
        _draw_bars(errors, rows, [100 * row.measured.wer for row in rows], "word error rate, %", "{:.1f}")
        delay.set_yticks(_places(rows), [_title(row) for row in rows])
        delay.invert_yaxis()
        save(figure, path)


def style() -> AbstractContextManager[None]:
    """How all pictures look."""
    from matplotlib import rc_context

    return rc_context({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "svg.fonttype": "none"})


def save(figure: Figure, path: Path) -> None:
    """Write a figure as what its name ends in. PlotError if it cannot be written."""
    kind = path.suffix[1:].lower()
    undated = {"Date": None} if kind == "svg" else {}  # the same figures make the same file
    try:
        figure.savefig(path, dpi=160, facecolor="white", format=kind, metadata=undated)
    except OSError as error:
        raise PlotError(f"Cannot write {path}: {error.strerror}.") from error


def _draw_bars(axes: Axes, rows: Sequence[Row], values: Sequence[float | None], label: str, text: str) -> None:
    colours = [ACCENT if row.method.name in (EARSHOT, BEST_EFFORT_EARSHOT) else MUTED for row in rows]
    draw_bars(axes, _places(rows), values, colours, label, text)


def draw_bars(
    axes: Axes, places: Sequence[float], values: Sequence[float | None], colours: Sequence[str], label: str, text: str
) -> None:
    """One bar a row, its value beside it as `text` formats it; nothing where there is none."""
    lengths = [value or 0.0 for value in values]
    axes.barh(places, lengths, color=colours, height=0.66)
    for place, value in zip(places, values, strict=True):
        shown = "-" if value is None else text.format(value)
        axes.annotate(shown, (value or 0.0, place), (4, 0), textcoords="offset points", va="center", fontsize=9)
    axes.set_xlim(0, 1.14 * max(*lengths, 0.01))
    axes.set_title(label, loc="left", fontsize=10)
    axes.tick_params(length=0)
    axes.spines["bottom"].set_visible(False)
    axes.spines["left"].set_color(FAINT)
    axes.set_xticks([])


def _places(rows: Sequence[Row]) -> list[float]:
    """Where each row's bar stands: what is beside the ladder stands apart from it."""
    return [index + (0.0 if row.method.name in LADDER else 0.6) for index, row in enumerate(rows)]


def _draw_curve(axes: Axes, curve: Sequence[Row]) -> None:
    """Delay to the right, errors upwards, one line a method; better is nearer to the corner."""
    for method, colour in ((BASELINE, MUTED), (EARSHOT, ACCENT)):
        points = [row for row in curve if row.method.name.startswith(f"{method}@") and row.latency_seconds is not None]
        delays = [row.latency_seconds or 0.0 for row in points]
        errors = [100 * row.measured.wer for row in points]
        title = points[0].method.title.rpartition(",")[0] if points else method
        axes.plot(delays, errors, "o-", color=colour, label=title, linewidth=2, markersize=6)
        for row, delay, wrong in zip(points, delays, errors, strict=True):
            step = f"{row.method.options.step_seconds:g} s"
            axes.annotate(step, (delay, wrong), (5, 6), textcoords="offset points", fontsize=9)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.margins(x=0.1, y=0.2)
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("delay of a word, seconds")
    axes.set_ylabel("word error rate, %")
    axes.set_title("by the length of a step", loc="left", fontsize=10)
    axes.legend(frameon=False, loc="best")


def _title(row: Row) -> str:
    title = row.method.title
    return title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…"
