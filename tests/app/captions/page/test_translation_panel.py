"""Choosing how captions are translated: the panel, the preferences, and the session that carries them out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.actions import Actions
from app.captions.page.translation_chooser import TranslationChooser
from app.captions.page.translation_panel import TranslationPanel
from app.captions.session import LiveSession
from app.engine_link.engine_client import EngineClient
from app.look.language_names import language_name
from app.look.theme import Theme
from app.preferences.preferences import Models, Preferences
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.widgets.editors import MOST_BIAS
from app.widgets.rows import ChoiceRow, SliderRow, SwitchRow
from engine.options import CaptionOptions, TranslationOptions
from engine.process.messages import TranslationChoice
from tests.app.made_captions import translation

OFF = "Off"
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")  # said offscreen when a panel opens


@dataclass(frozen=True)
class Scene:
    """A button with the panel beneath it, and all that the panel has an effect on."""

    settings: Settings
    session: LiveSession
    client: EngineClient
    actions: Actions
    chooser: TranslationChooser
    button: QPushButton

    @property
    def panel(self) -> TranslationPanel:
        return self.chooser.panel

    @property
    def steadiness(self) -> SliderRow:
        row = self.panel.rows[0]
        assert isinstance(row, SliderRow)
        return row

    @property
    def held_back(self) -> SliderRow:
        row = self.panel.rows[2]
        assert isinstance(row, SliderRow)
        return row

    @property
    def display(self) -> ChoiceRow:
        row = self.panel.rows[1]
        assert isinstance(row, ChoiceRow)
        return row

    @property
    def stable(self) -> SwitchRow:
        row = self.panel.rows[3]
        assert isinstance(row, SwitchRow)
        return row

    @property
    def chosen(self) -> TranslationOptions | None:
        """Options that the session translates with."""
        choice = self.session.translation
        return None if choice is None else choice.options

    def open(self) -> None:
        self.chooser.open_below(self.button)

    def choose(self, name: str) -> None:
        """Choose a language as a person does."""
        index = self.panel.language.findText(name)
        assert index >= 0
        self.panel.language.setCurrentIndex(index)
        self.panel.language.activated.emit(index)


@pytest.fixture
def language_model(tmp_path: Path) -> Path:
    """A folder that says what its model translates into."""
    folder = tmp_path / "language"
    folder.mkdir()
    folder.joinpath("config.json").write_text(json.dumps({"earshot": {"translates_to": ["de", "fr", "es"]}}))
    return folder


@pytest.fixture
def scene(qapp: QApplication, qtbot: QtBot, tmp_path: Path, language_model: Path) -> Iterator[Scene]:
    """All of it with the panel open, and no engine started."""
    owner = QObject()
    settings = Settings(PreferencesFile(tmp_path / "data"), owner)
    settings.alter(lambda now: replace(now, models=Models(translation=str(language_model))))
    actions = Actions(Theme(qapp), owner)
    client = EngineClient(owner)
    session = LiveSession(client, "scripted", CaptionOptions(), owner)
    button = QPushButton()
    qtbot.addWidget(button)
    button.show()
    chooser = TranslationChooser(actions, settings, button)
    settings.rested.connect(lambda before, after: session.translate(after.translation_choice))
    session.figure_measured.connect(chooser.show_figure)
    made = Scene(settings, session, client, actions, chooser, button)
    made.open()
    yield made
    chooser.panel.hide()


def offered(panel: TranslationPanel) -> list[str]:
    return [panel.language.itemText(index) for index in range(panel.language.count())]


def test_the_panel_offers_what_the_model_translates_into(scene: Scene) -> None:
    assert scene.panel.isVisible()
    assert offered(scene.panel) == [OFF, "French", "German", "Portuguese", "Spanish"]
    assert scene.panel.language.currentText() == OFF
    assert not scene.steadiness.isEnabled()


def test_a_model_of_several_languages_translates_into_english_itself_and_the_button_says_so(
    scene: Scene, qtbot: QtBot
) -> None:
    by_ear = "English, by the model that hears"
    assert by_ear not in offered(scene.panel)  # the starter knows English alone
    scene.settings.alter(lambda now: replace(now, models=replace(now.models, hearing="base")))
    scene.open()
    scene.choose(by_ear)
    choice = scene.settings.preferences.translation_choice
    assert choice is not None and choice.by_ear and choice.options.target == "en"
    assert not scene.settings.preferences.captions.decode.into_english, "captions stay in the spoken language"
    qtbot.waitUntil(lambda: scene.actions.translation.text().endswith(": English"))
    scene.settings.alter(lambda now: replace(now, models=replace(now.models, hearing="starter")))
    scene.open()
    assert scene.panel.language.currentText() == by_ear, "what is chosen is never hidden"
    scene.choose("German")
    choice = scene.settings.preferences.translation_choice
    assert choice is not None and not choice.by_ear and choice.options.target == "de"


def test_a_model_that_often_errs_is_named_so_and_a_better_one_offered(scene: Scene, qtbot: QtBot) -> None:
    assert not scene.panel.better.isVisible()
    scene.settings.alter(lambda now: replace(now, models=Models()))
    scene.open()
    assert scene.panel.better.isVisible()
    with qtbot.waitSignal(scene.chooser.model_wanted):
        scene.panel.better.click()
    assert not scene.panel.isVisible()


def test_a_translation_into_the_spoken_language_is_named_so(scene: Scene, qtbot: QtBot) -> None:
    scene.choose("German")
    scene.settings.alter(lambda now: replace(now, captions=replace(now.captions, language="de")))
    qtbot.waitUntil(lambda: scene.actions.translation.text().endswith(": German (spoken already)"))


def test_it_asks_for_a_language_first_and_keeps_the_rest_behind_more(scene: Scene) -> None:
    panel = scene.panel
    assert panel.language.isVisible() and panel.more.isVisible()
    assert not any(row.isVisible() for row in panel.rows) and not panel.usual.isVisible()
    closed = panel.height()
    panel.more.click()
    assert all(row.isVisible() for row in panel.rows) and panel.usual.isVisible()
    assert panel.height() > closed
    panel.more.click()
    assert panel.height() == closed
    panel.more.click()
    scene.open()
    assert not panel.usual.isVisible()  # hidden again until somebody asks for it


def test_a_model_that_does_not_say_is_offered_all_languages(scene: Scene, language_model: Path) -> None:
    language_model.joinpath("config.json").write_text("{}")
    scene.open()
    assert {"German", "Japanese", "Arabic"} <= set(offered(scene.panel))


def test_another_model_in_the_preferences_is_the_one_that_translates(scene: Scene, tmp_path: Path) -> None:
    scene.choose("German")
    other = tmp_path / "other"
    other.mkdir()
    other.joinpath("config.json").write_text(json.dumps({"earshot": {"translates_to": ["de", "it"]}}))
    scene.settings.alter(lambda now: replace(now, models=Models(translation=str(other))))
    assert scene.session.translation == TranslationChoice(TranslationOptions("de"), str(other))
    scene.open()
    assert offered(scene.panel) == [OFF, "German", "Italian", "Portuguese"]  # that one by the model that ships


def test_choosing_a_language_translates_into_it_and_the_action_says_so(scene: Scene, language_model: Path) -> None:
    scene.choose("French")
    assert scene.session.translation == TranslationChoice(TranslationOptions("fr"), str(language_model))
    assert "French" in scene.actions.translation.text()
    assert scene.settings.preferences.translation_choice == scene.session.translation
    scene.choose(OFF)
    assert scene.session.translation is None
    assert "French" not in scene.actions.translation.text()
    assert not scene.held_back.isEnabled()


def test_choosing_leaves_all_other_preferences_alone(scene: Scene) -> None:
    scene.settings.alter(lambda now: replace(now, captions=CaptionOptions(step_seconds=0.5)))
    scene.choose("French")
    scene.stable.control.click()
    assert scene.settings.preferences.captions.step_seconds == 0.5


def test_sliders_and_the_box_set_the_options(scene: Scene, qtbot: QtBot) -> None:
    panel = scene.panel
    scene.choose("German")
    scene.steadiness.control.setValue(scene.steadiness.control.maximum())
    scene.display.control.setCurrentIndex(1)
    scene.display.control.activated.emit(1)
    scene.held_back.control.setValue(0)
    masked = TranslationOptions("de", bias=MOST_BIAS, display="mask-k", mask=0)
    qtbot.waitUntil(lambda: scene.chosen == masked)
    scene.stable.control.click()
    qtbot.waitUntil(lambda: scene.chosen == replace(masked, stable=True))
    panel.usual.click()
    assert scene.chosen == TranslationOptions("de")
    assert not panel.usual.isEnabled()


def test_usual_settings_keep_the_glossary(scene: Scene) -> None:
    glossary = (("hush word", "Stillewort"),)
    scene.settings.change(Preferences(True, TranslationOptions("de", bias=0.4, glossary=glossary)))
    scene.panel.usual.click()
    assert scene.chosen == TranslationOptions("de", glossary=glossary)


def test_a_slider_that_is_being_moved_is_told_once(scene: Scene, qtbot: QtBot) -> None:
    scene.choose("German")
    slider = scene.steadiness.control
    told: list[float] = []
    scene.settings.rested.connect(lambda before, after: told.append(after.translation.bias))
    for value in range(slider.maximum() + 1):
        slider.setValue(value)
    assert told == []
    qtbot.waitUntil(lambda: bool(told))
    assert told == [MOST_BIAS]


def test_closing_the_panel_loses_no_choice(scene: Scene, qtbot: QtBot) -> None:
    scene.choose("German")
    scene.held_back.control.setValue(7)
    qtbot.keyClick(scene.panel, Qt.Key.Key_Escape)
    assert not scene.panel.isVisible()
    qtbot.waitUntil(lambda: scene.chosen == TranslationOptions("de", mask=7))


def test_every_place_of_a_slider_is_a_valid_option_with_words_for_it(scene: Scene) -> None:
    scene.choose("German")
    words: dict[str, set[str]] = {"bias": set(), "mask": set()}
    for name, control in (("bias", scene.steadiness), ("mask", scene.held_back)):
        for place in range(control.control.maximum() + 1):
            control.control.setValue(place)
            scene.settings.tell()
            assert getattr(scene.chosen, name) == control.scale.value(place)
            words[name].add(control.control.accessibleDescription())
    assert "changes no word until the end" in words["bias"]
    assert len(words["bias"]) >= 4
    assert len(words["mask"]) == scene.held_back.control.maximum() + 1
    assert "" not in words["bias"] | words["mask"]


def test_a_change_made_elsewhere_is_shown_and_carried_out(scene: Scene) -> None:
    scene.settings.alter(lambda now: replace(now, translates=True, translation=TranslationOptions("es", mask=5)))
    assert scene.panel.language.currentText() == "Spanish"
    assert scene.held_back.control.value() == 5
    assert scene.chosen == TranslationOptions("es", mask=5)


def test_how_steady_it_is_is_measured_anew_for_every_setting(scene: Scene) -> None:
    def measured() -> str:
        return next(each.text() for each in scene.panel.findChildren(QLabel) if "easured" in each.text())

    scene.choose("German")
    assert "will be measured" in measured()
    long = "Wort " * 25
    scene.client.translation_changed.emit(translation(0, "Wort Wort falsch"))
    scene.client.translation_changed.emit(translation(0, long, final=True))
    assert "for every 100 words that stayed, 4 were taken back" in measured()
    scene.stable.control.click()
    scene.settings.tell()
    assert "will be measured" in measured()
    scene.client.translation_changed.emit(translation(1, long, final=True))
    assert "no word" in measured()


def test_a_missing_model_is_a_sentence_where_the_language_would_be_chosen(scene: Scene) -> None:
    scene.settings.alter(lambda now: replace(now, models=Models(translation="/nowhere/at/all")))
    scene.open()
    assert offered(scene.panel) == [OFF]
    assert not scene.panel.language.isEnabled()
    assert any("/nowhere/at/all" in label.text() for label in scene.panel.findChildren(QLabel))


def test_translation_can_be_switched_off_where_its_model_is_missing(scene: Scene) -> None:
    scene.settings.alter(lambda now: replace(now, models=Models(translation="/nowhere/at/all"), translates=True))
    scene.open()
    panel = scene.panel
    assert (offered(panel), panel.language.currentText()) == ([OFF, "German"], "German")
    assert panel.language.isEnabled()
    panel.language.setCurrentIndex(0)
    panel.language.activated.emit(0)
    assert not scene.settings.preferences.translates


def test_the_tabulator_reaches_all_of_the_panel(scene: Scene) -> None:
    panel = scene.panel
    scene.choose("German")
    scene.held_back.control.setValue(0)
    panel.more.click()
    reached = []
    focused = panel.language
    while focused not in reached:
        reached.append(focused)
        focused = focused.nextInFocusChain()
        while not (focused.focusPolicy() & Qt.FocusPolicy.TabFocus and focused.isVisible() and focused.isEnabled()):
            focused = focused.nextInFocusChain()
    assert reached == [
        panel.language,
        panel.interpreter.speaks.control,
        panel.more,
        scene.steadiness.control,
        scene.display.control,
        scene.stable.control,
        panel.usual,
    ]


def test_spoken_translations_keep_what_is_shown_and_have_a_device_and_a_delay(scene: Scene) -> None:
    panel = scene.panel
    scene.choose("German")
    assert not panel.interpreter.device.isVisible()
    panel.interpreter.offer([("headphones", "My headphones")])
    panel.interpreter.speaks.control.click()
    panel.interpreter.device.control.setCurrentIndex(1)
    panel.interpreter.device.control.activated.emit(1)
    now = scene.settings.preferences
    assert (now.interpreting.speaks, now.interpreting.output) == (True, "headphones")
    assert now.translation_choice is not None
    assert now.translation_choice.live_options.stable
    assert not now.translation_choice.for_files().live_options.stable
    assert not scene.stable.isEnabled()
    panel.show_behind(3.2)
    assert any(label.isVisible() and "3 s" in label.text() for label in panel.findChildren(QLabel))


def test_no_two_controls_of_the_panel_share_a_mnemonic(scene: Scene) -> None:
    texts = [each.text() for kind in (QAbstractButton, QLabel) for each in scene.panel.findChildren(kind)]
    keys = Counter(QKeySequence.mnemonic(text).toString() for text in texts if "&" in text)
    assert len(keys) == 10
    assert max(keys.values()) == 1


def test_the_panel_stays_on_the_screen(scene: Scene) -> None:
    scene.button.move(0, 0)
    scene.open()
    scene.panel.more.click()
    QApplication.processEvents()
    assert scene.button.screen().availableGeometry().contains(scene.panel.geometry())


@pytest.mark.parametrize(("code", "name"), [("de", "German"), ("pt-br", "Brazilian Portuguese"), ("qqq", "qqq")])
def test_languages_are_named_for_people(code: str, name: str) -> None:
    assert language_name(code) == name
