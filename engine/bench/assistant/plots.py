"""The assistant benchmark as a picture: how soon the first sound comes, by method."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.bench.assistant.methods import EARSHOT
from engine.bench.assistant.tables import Row
from engine.bench.captions.plots import ACCENT, MUTED, check_target, draw_bars, save, style


def draw(path: Path, rows: Sequence[Row]) -> None:
    """Draw bars of every method's delay and forwards until then, and of how often nothing had to be made any more."""
    check_target(path)
    from matplotlib.figure import Figure

    places = [index + (0.0 if row.way.published else 0.6) for index, row in enumerate(rows)]
    colours = [ACCENT if row.way.name == EARSHOT else MUTED for row in rows]
    sounds = [1000 * row.measured.sound.mean if row.measured.sound else None for row in rows]
    forwards = [row.measured.forwards_to_sentence for row in rows]
    premade = [None if row.measured.premade is None else 100 * row.measured.premade for row in rows]
    with style():
        figure = Figure(figsize=(11, 1.2 + 0.36 * len(rows)), layout="constrained")
        delay, work, ahead = figure.subplots(1, 3, sharey=True, width_ratios=(3, 2, 2))
        draw_bars(delay, places, sounds, colours, "to the first sound, ms", "{:.0f}")
        draw_bars(work, places, forwards, colours, "forwards to the first sentence", "{:.1f}")
        draw_bars(ahead, places, premade, colours, "first sentence made ahead, %", "{:.0f}")
        delay.set_yticks(places, [row.way.title for row in rows])
        delay.invert_yaxis()
        save(figure, path)
