"""The multi-token benchmark as a picture: word errors over decoder calls, and what all ways take (Figures 4 and 5)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.bench.captions.plots import ACCENT, FAINT, MUTED, check_target, draw_bars, save, style
from engine.bench.multitoken.methods import (
    COMBINED,
    COMBINED_TOP,
    HEADS,
    PUBLISHED,
    PUBLISHED_THRESHOLD,
    SINGLE,
    THRESHOLDS,
    TOP,
    WHISPER_VERIFIED,
    both,
    threshold,
    top,
)
from engine.bench.multitoken.tables import LanguageRow, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = dict(zip(HEADS, ("#7a6fb0", "#c98a2b", ACCENT, "#b5483a", "#4f8f5b"), strict=True))
FAINTEST = 0.35


def draw(path: Path, rows: Sequence[Row], languages: Sequence[LanguageRow] = ()) -> None:
    """Draw what there is: the sweep over heads and acceptances, bars of the other ways, and of several languages."""
    check_target(path)
    from matplotlib.figure import Figure

    listed = [row for row in rows if row.way.table != "4"]
    swept = any(row.way.table == "4" for row in rows)
    several = len(languages) > 1
    heights = ([4.6] if swept else []) + [0.9 + 0.36 * len(listed)] + ([2.8] if several else [])
    with style():
        figure = Figure(figsize=(10, sum(heights)), layout="constrained")
        parts = list(figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0])
        if swept:
            _draw_sweep(parts.pop(0).subplots(), rows)
        _draw_listed(parts.pop(0).subplots(1, 3, sharey=True, width_ratios=(3, 3, 2)), listed)
        if several:
            _draw_languages(parts.pop(0).subplots(), languages)
        save(figure, path)


def _draw_sweep(axes: Axes, rows: Sequence[Row]) -> None:
    """Figure 4: decoder calls per word to the right, word errors upwards; weaker acceptances are fainter."""
    by_name = {row.way.name: row for row in rows}
    for heads, colour in COLOURS.items():
        label: str | None = f"{heads} heads"
        for marker, names in (
            ("o", [top(heads, m) for m in TOP]),
            ("^", [threshold(heads, least) for least in THRESHOLDS]),
            ("D", [both(heads, PUBLISHED_THRESHOLD, m) for m in COMBINED_TOP]),
        ):
            points = [(place, by_name[name]) for place, name in enumerate(names) if name in by_name]
            line = [_point(row) for _, row in points]
            axes.plot(*zip(*line, strict=True), "-", color=colour, linewidth=0.8, alpha=FAINTEST) if line else None
            for place, row in points:
                alpha = 1 - (1 - FAINTEST) * place / max(1, len(names) - 1)
                x, y = _point(row)
                axes.plot(
                    [x], [y], marker, color=colour, alpha=alpha, markersize=8, label=label, markeredgecolor="none"
                )
                label = None
    if SINGLE in by_name:
        x, y = _point(by_name[SINGLE])
        axes.plot([x], [y], "s", color=MUTED, markersize=9, label="single head")
    axes.plot([], [], "o", color="black", label="top-M: 1, 2, 3, 5, 10")
    axes.plot([], [], "^", color="black", label=f"threshold: {', '.join(f'{least:g}' for least in THRESHOLDS)}")
    axes.plot([], [], "D", color="black", label=f"threshold {PUBLISHED_THRESHOLD:g}, rest top-M: 1, 2")
    axes.margins(x=0.08, y=0.15)
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("decoder calls per word (eta)")
    axes.set_ylabel("word error rate, %")
    axes.set_title("by heads and acceptance; fainter accepts more", loc="left", fontsize=10)
    axes.legend(frameon=False, loc="best", fontsize=8)


def _point(row: Row) -> tuple[float, float]:
    return row.measured.calls_per_word or 0.0, 100 * row.measured.wer


def _draw_listed(axes: Sequence[Axes], rows: Sequence[Row]) -> None:
    """Table I as bars: calls per word, the decoder's real-time factor, word errors."""
    calls, factor, errors = axes
    places = [index + (0.6 if row.way.table == "whisper" else 0.0) for index, row in enumerate(rows)]
    colours = [ACCENT if row.way.name in (PUBLISHED, COMBINED, WHISPER_VERIFIED) else MUTED for row in rows]
    draw_bars(
        calls, places, [row.measured.calls_per_word for row in rows], colours, "decoder calls per word (eta)", "{:.2f}"
    )
    factors = [row.measured.decoder_factor for row in rows]
    draw_bars(factor, places, factors, colours, "decoder's real-time factor", "{:.3f}")
    draw_bars(errors, places, [100 * row.measured.wer for row in rows], colours, "word error rate, %", "{:.1f}")
    calls.set_yticks(places, [_title(row) for row in rows])
    calls.invert_yaxis()


def _title(row: Row) -> str:
    return f"Whisper: {row.way.title}" if row.way.table == "whisper" else row.way.title


def _draw_languages(axes: Axes, rows: Sequence[LanguageRow]) -> None:
    """Figure 5: calls per word by language, with one head and with several."""
    width = 0.36
    for offset, label, colour, values in (
        (-width / 2, "single head", MUTED, [row.single.calls_per_word or 0.0 for row in rows]),
        (width / 2, "4 heads, threshold 0.8", ACCENT, [row.measured.calls_per_word or 0.0 for row in rows]),
    ):
        places = [index + offset for index in range(len(rows))]
        axes.bar(places, values, width=width, color=colour, label=label)
        for place, value in zip(places, values, strict=True):
            axes.annotate(f"{value:.2f}", (place, value), (0, 3), textcoords="offset points", ha="center", fontsize=9)
    axes.set_xticks(range(len(rows)), [row.language for row in rows])
    axes.set_xlim(-0.8, max(len(rows), 3) - 0.2)
    axes.margins(y=0.2)
    axes.tick_params(length=0)
    axes.set_title("decoder calls per word (eta) by language", loc="left", fontsize=10)
    axes.legend(frameon=False, loc="best", fontsize=9)
