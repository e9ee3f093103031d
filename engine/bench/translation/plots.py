"""The translation benchmark as a picture: flicker against speed and against quality, over the bias."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.bench.plots import ACCENT, FAINT, MUTED, picture
from engine.bench.translation.methods import FULL, PLAIN, RESYNC, STABLE, display_only, trimmed
from engine.bench.translation.tables import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURED = {
    PLAIN: ("s", MUTED),
    trimmed(3): ("v", MUTED),
    display_only(3): ("^", MUTED),
    RESYNC: ("D", "#c98a2b"),
    FULL: ("o", "#b5483a"),
    STABLE: ("P", "#b5483a"),
}
"""The ways that are shown beside the bias, and how."""

Value = Callable[[Row], float | None]


def draw(path: Path, rows: Sequence[Row]) -> None:
    """Draw speed and chrF over normalized erasure: the bias as a line, the other ways as points beside it."""
    with picture(path, 10, 8.4) as figure:
        speed, quality = figure.subplots(2, 1, sharex=True)
        _draw(speed, rows, lambda row: row.speedup, "tokens per second over plain re-translation's")
        _draw(quality, rows, lambda row: row.measured.quality.chrf, "chrF of final translations")
        speed.legend(frameon=False, loc="best", fontsize=9)
        quality.set_xlabel("normalized erasure of what is shown (0 never flickers)")


def _draw(axes: Axes, rows: Sequence[Row], value: Value, title: str) -> None:
    points = [
        (row, row.measured.erasure, found)
        for row in rows
        if row.measured.erasure is not None and (found := value(row)) is not None
    ]
    sweep = [point for point in points if point[0].way.name.startswith("ssbd@")]
    axes.plot(
        [x for _, x, _ in sweep], [y for _, _, y in sweep], "o-", color=ACCENT, linewidth=2, label="SSBD, by bias"
    )
    for place, (row, x, y) in enumerate(sweep):
        offset, side = ((-6, 6), "right") if place % 2 else ((6, -11), "left")  # beside each other where they crowd
        text = f"bias {row.way.options.bias:g}"
        axes.annotate(text, (x, y), offset, textcoords="offset points", fontsize=8, color=ACCENT, ha=side)
    for row, x, y in points:
        if row.way.name in PICTURED:
            marker, colour = PICTURED[row.way.name]
            axes.plot([x], [y], marker, color=colour, markersize=8, label=row.way.title, markeredgecolor="white")
    axes.margins(x=0.12, y=0.2)
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_title(title, loc="left", fontsize=10)
