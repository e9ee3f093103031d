"""The panel's controls: each sets what it says, shows what is set elsewhere, and is reached without a mouse."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QPushButton, QSlider, QWidget
from pytestqt.qtbot import QtBot

from app.captions.figures import WORD_LATENCY, Sample
from app.look.theme import Theme
from app.preferences.paths import value_at, with_value
from app.preferences.preferences import Preferences, Threads
from app.preferences.settings import Settings
from app.tuning.panel import LEAST_PIXELS, TuningPanel
from app.tuning.section import Section
from engine.machine.threads import usable_cores
from engine.options import TranslationOptions

MULTITOKEN = with_value(Preferences(), "captions.decode.decoder", "multitoken")
AGREEING = with_value(Preferences(), "captions.policy", "local-agreement")
TOP_K = with_value(Preferences(), "assistant.answer.verifier", "top-k")
BIASED = with_value(Preferences(), "assistant.answer.verifier", "biased")
BY_HAND = replace(Preferences(), threads=Threads(False))


def pages(panel: TuningPanel) -> tuple[Section, ...]:
    return panel.pages.hearing, panel.pages.translation, panel.pages.assistant, panel.pages.threads


@pytest.mark.parametrize(
    ("page", "path", "start"),
    [
        ("hearing", "captions.attention_margin_seconds", Preferences()),
        ("hearing", "captions.step_seconds", Preferences()),
        ("hearing", "captions.decode.verify_margin", Preferences()),
        ("hearing", "captions.decode.beam_size", Preferences()),
        ("translation", "translation.bias", Preferences()),
        ("translation", "translation.mask", Preferences()),
        ("assistant", "assistant.answer.top_k", TOP_K),
        ("assistant", "assistant.answer.bias", BIASED),
        ("threads", "threads.cpu_threads", BY_HAND),
        ("threads", "threads.gpu_threads", BY_HAND),
    ],
)
def test_every_place_of_a_slider_is_a_valid_value_with_words_for_it(
    panel: TuningPanel, settings: Settings, page: str, path: str, start: Preferences
) -> None:
    settings.change(start)
    section = getattr(panel.pages, page)
    panel.pages.setCurrentWidget(section)
    row = section.rows[path]
    assert row.isVisible()
    usual = value_at(settings.preferences, path)
    for place in (0, row.control.maximum(), *range(row.control.maximum() + 1)):
        row.control.setValue(place)
        now = value_at(settings.preferences, path)
        assert now == pytest.approx(row.scale.value(place))
        assert type(now) is type(usual)
        assert row.control.accessibleDescription()


@pytest.mark.parametrize(
    ("page", "path", "start"),
    [
        ("hearing", "captions.policy", Preferences()),
        ("hearing", "captions.decode.reuse", Preferences()),
        ("hearing", "captions.decode.decoder", Preferences()),
        ("hearing", "captions.padding", Preferences()),
        ("assistant", "assistant.answer.verifier", Preferences()),
        ("threads", "captions.pipeline", Preferences()),
    ],
)
def test_every_choice_is_a_valid_value_and_the_usual_one_is_among_them(
    panel: TuningPanel, settings: Settings, page: str, path: str, start: Preferences
) -> None:
    settings.change(start)
    section = getattr(panel.pages, page)
    panel.pages.setCurrentWidget(section)
    row = section.rows[path]
    assert row.isVisible()
    count = row.control.count()
    for place in range(count):
        row.control.activated.emit(place)
        assert value_at(settings.preferences, path) == row._options[place][0]
        assert row.control.currentIndex() == place
    settings.change(start)
    assert row.control.count() == count


def test_a_box_is_yes_or_no(panel: TuningPanel, settings: Settings) -> None:
    box = panel.pages.threads.rows["threads.automatic"].control
    assert isinstance(box, QCheckBox) and box.isChecked() == settings.preferences.threads.automatic
    box.click()
    assert not settings.preferences.threads.automatic


def test_what_is_set_elsewhere_is_shown(panel: TuningPanel, settings: Settings) -> None:
    rows = {**panel.pages.hearing.rows, **panel.pages.translation.rows}
    settings.alter(lambda now: with_value(now, "captions.step_seconds", 0.33))
    step = rows["captions.step_seconds"].control
    assert step.accessibleDescription() == "0.33 s"  # as it is, though the slider has no such place
    settings.alter(lambda now: with_value(now, "captions.padding", "zeros:2"))
    padding = rows["captions.padding"].control
    assert isinstance(padding, QComboBox) and padding.currentText() == "zeros:2 (missing)"
    settings.alter(lambda now: replace(now, translation=TranslationOptions("fr", bias=0.35)))
    assert rows["translation.bias"].control.accessibleDescription() == "very steady"


def test_settings_that_mean_nothing_now_are_not_there(panel: TuningPanel, settings: Settings) -> None:
    def shown(*names: str) -> list[bool]:
        return [panel.pages.hearing.rows[f"captions.{name}"].isVisible() for name in names]

    assert shown("decode.beam_size", "decode.verify_margin", "attention_margin_seconds") == [True, True, True]
    settings.change(MULTITOKEN)
    assert shown("decode.beam_size", "decode.verify_margin") == [False, True]
    settings.change(AGREEING)
    assert shown("decode.beam_size", "attention_margin_seconds") == [True, False]
    panel.pages.setCurrentWidget(panel.pages.threads)
    rows = panel.pages.threads.rows
    assert not rows["threads.cpu_threads"].isVisible()
    box = rows["threads.automatic"].control
    assert isinstance(box, QCheckBox)
    box.click()
    assert rows["threads.cpu_threads"].isVisible()
    assert f"of {usable_cores()} cores" in rows["threads.cpu_threads"].control.accessibleDescription()


def test_translation_says_that_it_is_off(panel: TuningPanel, settings: Settings) -> None:
    panel.pages.setCurrentWidget(panel.pages.translation)
    off = next(
        label for label in panel.pages.translation.findChildren(QLabel) if "not being translated" in label.text()
    )
    assert off.isVisible()
    settings.alter(lambda now: replace(now, translates=True))
    assert not off.isVisible()


def test_usual_settings_keep_what_was_chosen_for_other_reasons(panel: TuningPanel, settings: Settings) -> None:
    assert not panel.pages.hearing.usual.isEnabled()
    chosen = with_value(Preferences(), "captions.language", "de")
    chosen = with_value(chosen, "translation.target", "es")
    chosen = with_value(chosen, "translation.glossary", (("hush", "leise"),))
    chosen = with_value(chosen, "assistant.voice.speaker", "de")
    chosen = with_value(chosen, "assistant.turns.push_to_talk", True)
    changed = chosen
    for path, value in (
        ("captions.step_seconds", 1.0),
        ("translation.bias", 0.5),
        ("assistant.answer.verifier", "reflection"),
        ("assistant.voice.words_per_minute", 300),
        ("threads.automatic", False),
        ("captions.pipeline", True),
    ):
        changed = with_value(changed, path, value)
    settings.change(changed)
    for page in pages(panel):
        assert page.usual.isEnabled()
        page.usual.click()
        assert not page.usual.isEnabled()
    assert settings.preferences == chosen


def test_everything_has_a_name_and_is_reached_by_tab_from_top_to_bottom(panel: TuningPanel, settings: Settings) -> None:
    settings.change(replace(MULTITOKEN, threads=Threads(False)))
    for page in pages(panel):
        panel.pages.setCurrentWidget(page)
        QApplication.processEvents()
        reached = tab_order(panel)
        controls = [
            each
            for kind in (QSlider, QComboBox, QPushButton)
            for each in page.findChildren(kind)
            if each.isVisible() and each.isEnabled()
        ]
        assert set(controls) <= set(reached)
        assert [each for each in reached if not each.accessibleName()] == []
        inside = [each for each in reached if page.isAncestorOf(each)]
        heights = [each.mapTo(panel, QPoint(0, 0)).y() for each in inside]
        assert heights == sorted(heights)


def tab_order(panel: TuningPanel) -> list[QWidget]:
    """Return the controls at which the tabulator key stops, in order."""
    reached: list[QWidget] = []
    each = panel.nextInFocusChain()
    while each is not panel:
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isVisible() and each.isEnabled():
            reached.append(each)
        each = each.nextInFocusChain()
    return reached


def test_the_wheel_scrolls_the_page_and_moves_no_slider(panel: TuningPanel, settings: Settings) -> None:
    for widget in (panel.pages.hearing.rows[path].control for path in ("captions.step_seconds", "captions.policy")):
        place = QPointF(5, 5)
        turn = QWheelEvent(
            place,
            QPointF(widget.mapToGlobal(place.toPoint())),
            QPoint(0, -120),
            QPoint(0, -120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(widget, turn)
    assert settings.preferences == Preferences()


def test_nothing_is_cut_off_in_a_narrow_panel(panel: TuningPanel, settings: Settings) -> None:
    settings.change(replace(MULTITOKEN, threads=Threads(False)))
    panel.resize(LEAST_PIXELS, 480)
    for page in pages(panel):
        panel.pages.setCurrentWidget(page)
        QApplication.processEvents()
        assert panel.width() == LEAST_PIXELS
        for each in page.findChildren(QWidget):
            if each.isVisible():
                right = each.mapTo(panel, QPoint(each.width(), 0)).x()
                assert right <= panel.width()


def test_closing_is_a_persons_choice(panel: TuningPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.closed):
        panel.close_button.click()


def test_pages_are_made_when_they_are_first_seen_and_know_what_happened_before(
    settings: Settings, theme: Theme, qtbot: QtBot
) -> None:
    panel = TuningPanel(settings, theme)
    qtbot.addWidget(panel)
    panel.add_figure(Sample(WORD_LATENCY, 0.0, 0.5))
    panel.set_recording(True)
    panel.shut_down()
    assert panel._pages is None
    panel.show()
    assert panel._pages is not None and panel._pages.isVisible()
    assert panel.pages.hearing.charts.charts[0].now == "0.50 s"
    assert not panel.pages.threads.profile.start.isEnabled()


def test_after_defaults_the_keyboard_is_at_the_first_control(panel: TuningPanel, settings: Settings) -> None:
    page = panel.pages.hearing
    panel.pages.setCurrentWidget(page)
    settings.alter(lambda now: with_value(now, "captions.step_seconds", 1.0))
    page.usual.setFocus()
    page.usual.click()
    focused = QApplication.focusWidget()
    assert focused is not None and page.isAncestorOf(focused)
