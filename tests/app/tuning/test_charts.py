"""Charts of what is measured: their words, their drawing, and what they cost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPalette
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from app.assistant.turn_figures import FIRST_SOUND, PREMADE
from app.captions.figures import REAL_TIME_FACTOR, TRANSLATION_ERASURE, WORD_LATENCY, Sample
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.tuning.board import ASSISTANT, HEARING, SPEED, TRANSLATION
from app.tuning.chart import FigureChart, points
from app.tuning.panel import TuningPanel
from engine.options import CaptionOptions


def feed(panel: TuningPanel, figure: str, *values: float) -> None:
    for value in values:
        panel.add_figure(Sample(figure, 0.0, value))


def step(seconds: float, preferences: Preferences) -> Preferences:
    return replace(preferences, captions=replace(preferences.captions, step_seconds=seconds))


def chart(panel: TuningPanel, figure: str) -> FigureChart:
    pages = (panel.pages.hearing, panel.pages.translation, panel.pages.assistant)
    return next(each for page in pages for each in page.charts.charts if each.figure.name == figure)


def accented(shown: FigureChart) -> int:
    """Count the pixels that have the colour of the line."""
    image = shown.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    wanted = shown.palette().color(QPalette.ColorRole.Accent).rgb()
    return sum(image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height()))


def test_a_figure_says_how_it_is_how_it_was_and_in_which_unit(panel: TuningPanel, settings: Settings) -> None:
    delay = chart(panel, WORD_LATENCY)
    assert (delay.now, delay.before) == ("–", "")
    assert delay.accessibleDescription() == "Not measured yet."
    feed(panel, WORD_LATENCY, *[0.8] * 9)
    settings.alter(lambda now: step(0.5, now))
    feed(panel, WORD_LATENCY, *[0.6] * 9)
    panel.pages.hearing.charts.refresh()
    assert (delay.now, delay.before) == ("0.60 s", "was 0.80 s")
    assert delay.accessibleDescription() == (
        "0.60 s now, 0.80 s before the last change, recently between 0.60 s and 0.80 s"
    )
    feed(panel, PREMADE, 1, 0, 1, 1)
    assert chart(panel, PREMADE).now == "75%"
    feed(panel, REAL_TIME_FACTOR, 0.25)
    assert chart(panel, REAL_TIME_FACTOR).now == "0.25"


def test_only_figures_that_a_change_may_have_an_effect_on_are_compared(panel: TuningPanel, settings: Settings) -> None:
    for figure in (WORD_LATENCY, TRANSLATION_ERASURE, FIRST_SOUND):
        feed(panel, figure, *[1.0] * 9)
    settings.alter(lambda now: step(0.5, now))
    before = {name: panel.board.series[name].before for name in (WORD_LATENCY, TRANSLATION_ERASURE, FIRST_SOUND)}
    assert before == {WORD_LATENCY: 1.0, TRANSLATION_ERASURE: None, FIRST_SOUND: None}
    settings.alter(lambda now: replace(now, translates=True))
    assert panel.board.series[TRANSLATION_ERASURE].before == 1.0
    settings.alter(lambda now: replace(now, appearance=replace(now.appearance, stable_only=True)))
    assert panel.board.series[FIRST_SOUND].before is None


def test_the_line_is_drawn_once_something_is_measured(panel: TuningPanel) -> None:
    delay = chart(panel, WORD_LATENCY)
    assert accented(delay) == 0
    feed(panel, WORD_LATENCY, *[0.2, 0.9] * 20)
    panel.pages.hearing.charts.refresh()
    assert accented(delay) > 50


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("values", [[0.0], [0.0] * 5, [1e-9] * 5, [1e6, 0.0], [-1.0, 1.0], [3.0] * 500])
def test_any_values_can_be_drawn(panel: TuningPanel, settings: Settings, values: list[float], low: bool) -> None:
    panel.pages.hearing.charts.set_low(low)
    feed(panel, WORD_LATENCY, *values)
    settings.alter(lambda now: step(0.5, now))
    panel.pages.hearing.charts.refresh()
    assert not chart(panel, WORD_LATENCY).grab().isNull()
    feed(panel, WORD_LATENCY, *values)
    assert not chart(panel, WORD_LATENCY).grab().isNull()


def test_the_newest_value_is_at_the_right_and_the_top_is_the_end_of_the_axis() -> None:
    room = QRectF(10, 5, 100, 50)
    places = points([0.0, 1.0, 2.0], room, 2.0, most=11)
    assert [(place.x(), place.y()) for place in places] == [(90, 55), (100, 30), (110, 5)]


def test_a_chart_is_drawn_a_few_times_a_second_and_not_at_all_while_hidden(panel: TuningPanel, qtbot: QtBot) -> None:
    drawn: list[str] = []
    delay = chart(panel, WORD_LATENCY)
    delay.refresh = lambda: drawn.append("")  # type: ignore[method-assign]
    grid = panel.pages.hearing.charts
    feed(panel, WORD_LATENCY, *[1.0] * 200)
    assert drawn == []
    qtbot.waitUntil(lambda: len(drawn) == 1)
    assert not grid._rest.isActive()  # nothing new, nothing to do
    panel.hide()
    feed(panel, WORD_LATENCY, *[1.0] * 200)
    assert not grid._rest.isActive()
    panel.show()
    assert len(drawn) == 2


def test_a_figure_that_nobody_draws_is_left_out(panel: TuningPanel) -> None:
    feed(panel, "something_else", 1.0)
    assert "something_else" not in panel.board.series


def test_a_day_of_figures_takes_no_more_room_than_a_minute(panel: TuningPanel) -> None:
    feed(panel, WORD_LATENCY, *[0.5] * 5000)
    assert len(panel.board.series[WORD_LATENCY].values) == HEARING[0].most


def test_every_figure_has_a_title_and_a_meaning(panel: TuningPanel) -> None:
    shown = [
        *panel.pages.hearing.charts.charts,
        *panel.pages.translation.charts.charts,
        *panel.pages.assistant.charts.charts,
        *panel.pages.threads.charts.charts,
    ]
    assert [each.figure for each in shown] == [*HEARING, *TRANSLATION, *ASSISTANT, *SPEED]
    assert all(each.accessibleName() and each.toolTip().endswith(".") for each in shown)


def test_charts_scroll_with_the_settings_where_there_is_no_room_for_both(panel: TuningPanel) -> None:
    charts = panel.pages.hearing.charts
    for height, scrolls in ((800, False), (260, True), (800, False)):
        panel.setFixedHeight(height)
        QApplication.processEvents()
        assert all(each.height() >= each.minimumSizeHint().height() for each in charts.charts), height
        above: QWidget | None = charts.parentWidget()
        while above is not None and not isinstance(above, QScrollArea):
            above = above.parentWidget()
        assert (above is not None) == scrolls, height


def test_charts_are_lower_where_the_panel_is(panel: TuningPanel) -> None:
    high = chart(panel, WORD_LATENCY).sizeHint().height()
    panel.resize(370, 500)
    assert chart(panel, WORD_LATENCY).sizeHint().height() < high
    assert CaptionOptions() == panel._settings.preferences.captions
