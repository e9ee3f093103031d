"""The panel's controls: each sets what it says, shows what is set elsewhere, and is reached without a mouse."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QPushButton, QSlider, QWidget
from pytestqt.qtbot import QtBot

from app.captions.figures import WORD_LATENCY, Sample
from app.look.theme import Theme
from app.preferences.paths import value_at, with_value
from app.preferences.preferences import Preferences, Threads
from app.preferences.settings import Settings
from app.tuning.panel import LEAST_PIXELS, TuningPanel
from app.tuning.section import Section
from app.widgets.control import CheckControl, ChoiceControl, SliderControl
from engine.machine.threads import usable_cores
from engine.options import TranslationOptions

MULTITOKEN = with_value(Preferences(), "captions.decode.decoder", "multitoken")
BOTH = with_value(MULTITOKEN, "captions.decode.acceptance", "both")
AGREEING = with_value(Preferences(), "captions.policy", "local-agreement")
TOP_K = with_value(Preferences(), "assistant.answer.verifier", "top-k")
BIASED = with_value(Preferences(), "assistant.answer.verifier", "biased")
BY_HAND = replace(Preferences(), threads=Threads(False))


def pages(panel: TuningPanel) -> tuple[Section, ...]:
    return panel.pages.hearing, panel.pages.translation, panel.pages.assistant, panel.pages.threads


@pytest.mark.parametrize(
    ("page", "name", "path", "start"),
    [
        ("hearing", "margin", "captions.attention_margin_seconds", Preferences()),
        ("hearing", "agreement", "captions.agreement", AGREEING),
        ("hearing", "step", "captions.step_seconds", Preferences()),
        ("hearing", "kept", "captions.decode.verify_margin", Preferences()),
        ("hearing", "beam", "captions.decode.beam_size", Preferences()),
        ("hearing", "ahead", "captions.decode.tokens_ahead", MULTITOKEN),
        ("hearing", "top_m", "captions.decode.top_m", BOTH),
        ("hearing", "threshold", "captions.decode.threshold", BOTH),
        ("translation", "steadiness", "translation.bias", Preferences()),
        ("translation", "held_back", "translation.mask", Preferences()),
        ("assistant", "top_k", "assistant.answer.top_k", TOP_K),
        ("assistant", "bias", "assistant.answer.bias", BIASED),
        ("assistant", "pause", "assistant.turns.silence_seconds", Preferences()),
        ("assistant", "rate", "assistant.voice.words_per_minute", Preferences()),
        ("threads", "cpu", "threads.cpu_threads", BY_HAND),
        ("threads", "gpu", "threads.gpu_threads", BY_HAND),
    ],
)
def test_every_place_of_a_slider_is_a_valid_value_with_words_for_it(
    panel: TuningPanel, settings: Settings, page: str, name: str, path: str, start: Preferences
) -> None:
    settings.change(start)
    section = getattr(panel.pages, page)
    panel.pages.setCurrentWidget(section)
    control: SliderControl = getattr(section, name)
    assert control.isVisible()
    usual = value_at(settings.preferences, path)
    for place in (0, control.slider.maximum(), *range(control.slider.maximum() + 1)):
        control.slider.setValue(place)
        control.settle()
        now = value_at(settings.preferences, path)
        assert now == pytest.approx(control.scale.value(place))
        assert type(now) is type(usual)
        assert control.slider.accessibleDescription()


@pytest.mark.parametrize(
    ("page", "name", "path", "start"),
    [
        ("hearing", "policy", "captions.policy", Preferences()),
        ("hearing", "reuse", "captions.decode.reuse", Preferences()),
        ("hearing", "decoder", "captions.decode.decoder", Preferences()),
        ("hearing", "acceptance", "captions.decode.acceptance", MULTITOKEN),
        ("hearing", "padding", "captions.padding", Preferences()),
        ("assistant", "verifier", "assistant.answer.verifier", Preferences()),
        ("assistant", "voice", "assistant.voice.voice", Preferences()),
        ("threads", "overlap", "captions.pipeline", Preferences()),
    ],
)
def test_every_choice_is_a_valid_value_and_the_usual_one_is_among_them(
    panel: TuningPanel, settings: Settings, page: str, name: str, path: str, start: Preferences
) -> None:
    settings.change(start)
    section = getattr(panel.pages, page)
    panel.pages.setCurrentWidget(section)
    control: ChoiceControl = getattr(section, name)
    assert control.isVisible()
    count = control.box.count()
    assert control.box.currentData() == value_at(settings.preferences, path)
    for place in range(count):
        control.box.activated.emit(place)
        assert value_at(settings.preferences, path) == control.box.itemData(place)
        assert control.box.currentIndex() == place
    assert control.box.count() == count


@pytest.mark.parametrize(
    ("page", "name", "path"),
    [
        ("translation", "stable", "translation.stable"),
        ("translation", "decay", "translation.decay"),
        ("translation", "draft", "translation.draft"),
        ("assistant", "speculate", "assistant.answer.speculate"),
        ("threads", "automatic", "threads.automatic"),
    ],
)
def test_a_box_is_yes_or_no(panel: TuningPanel, settings: Settings, page: str, name: str, path: str) -> None:
    control: CheckControl = getattr(getattr(panel.pages, page), name)
    before = value_at(settings.preferences, path)
    assert control.box.isChecked() == before
    control.box.click()
    assert value_at(settings.preferences, path) == (not before)


def test_a_slider_that_is_being_dragged_changes_nothing_until_it_rests(
    panel: TuningPanel, settings: Settings, qtbot: QtBot
) -> None:
    changes: list[object] = []
    settings.changed.connect(lambda before, after: changes.append(after.captions.step_seconds))
    for place in range(10):
        panel.pages.hearing.step.slider.setValue(place)
    assert changes == []
    settings.alter(lambda now: replace(now, translates=True))  # something else meanwhile
    assert panel.pages.hearing.step.value == pytest.approx(0.55)
    qtbot.waitUntil(lambda: changes[-1] == pytest.approx(0.55))


def test_what_is_set_elsewhere_is_shown(panel: TuningPanel, settings: Settings) -> None:
    settings.alter(lambda now: with_value(now, "captions.step_seconds", 0.33))
    assert panel.pages.hearing.step.value == 0.33  # as it is, though the slider has no such place
    settings.alter(lambda now: with_value(now, "captions.padding", "zeros:2"))
    assert panel.pages.hearing.padding.box.currentText() == "zeros:2"
    settings.alter(lambda now: replace(now, translation=TranslationOptions("fr", bias=0.35)))
    assert panel.pages.translation.steadiness.value == 0.35


def test_controls_that_mean_nothing_now_are_not_there(panel: TuningPanel, settings: Settings) -> None:
    hearing = panel.pages.hearing
    assert hearing.beam.isVisible() and not hearing.ahead.isVisible() and not hearing.agreement.isVisible()
    settings.change(BOTH)
    assert not hearing.beam.isVisible() and hearing.ahead.isVisible() and hearing.threshold.isVisible()
    settings.change(AGREEING)
    assert hearing.agreement.isVisible() and not hearing.margin.isVisible()
    panel.pages.setCurrentWidget(panel.pages.threads)
    assert not panel.pages.threads.cpu.isVisible()
    panel.pages.threads.automatic.box.click()
    assert panel.pages.threads.cpu.isVisible()
    assert f"of {usable_cores()} cores" in panel.pages.threads.cpu.slider.accessibleDescription()


def test_translation_says_that_it_is_off(panel: TuningPanel, settings: Settings) -> None:
    panel.pages.setCurrentWidget(panel.pages.translation)
    off = next(
        label for label in panel.pages.translation.findChildren(QLabel) if "not being translated" in label.text()
    )
    assert off.isVisible()
    settings.alter(lambda now: replace(now, translates=True))
    assert not off.isVisible()


def test_a_pause_takes_those_of_sure_and_doubtful_turns_along(panel: TuningPanel, settings: Settings) -> None:
    pause = panel.pages.assistant.pause
    panel.pages.setCurrentWidget(panel.pages.assistant)
    pause.slider.setValue(0)
    pause.settle()
    assert settings.preferences.assistant.turns.sure_silence_seconds == pytest.approx(0.2)
    pause.slider.setValue(pause.slider.maximum())
    pause.settle()
    assert settings.preferences.assistant.turns.doubtful_silence_seconds == pytest.approx(2.0)


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
    settings.change(replace(BOTH, threads=Threads(False)))
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
    """What the tabulator stops at, in order."""
    reached: list[QWidget] = []
    each = panel.nextInFocusChain()
    while each is not panel:
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isVisible() and each.isEnabled():
            reached.append(each)
        each = each.nextInFocusChain()
    return reached


def test_the_wheel_scrolls_the_page_and_moves_no_slider(panel: TuningPanel, settings: Settings) -> None:
    for widget in (panel.pages.hearing.step.slider, panel.pages.hearing.policy.box):
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
    panel.pages.hearing.step.settle()
    assert settings.preferences == Preferences()


def test_nothing_is_cut_off_in_a_narrow_panel(panel: TuningPanel, settings: Settings) -> None:
    settings.change(replace(BOTH, threads=Threads(False)))
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
    panel.take_figure(Sample(WORD_LATENCY, 0.0, 0.5))
    panel.set_recording(True)
    panel.shut_down()
    assert panel._pages is None
    panel.show()
    assert panel._pages is not None and panel._pages.isVisible()
    assert panel.pages.hearing.charts.charts[0].now == "0.50 s"
    assert not panel.pages.threads.profile.start.isEnabled()
