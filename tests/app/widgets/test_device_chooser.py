"""Choice of inputs and outputs: the preference decides, no matter what is connected at the time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.captions.page.source_picker import SourcePicker
from app.look.theme import Theme
from app.preferences.preferences import Sound
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.sound.audio_devices import InputDevice
from app.sound.audio_sources import AudioFile, Microphone
from app.sound.device_search import DeviceSearch
from app.sound.output_devices import OutputDevice
from app.widgets.device_chooser import InputChooser, OutputChooser
from app.widgets.input_box import DeviceBox

DEFAULT = InputDevice(3, "default", True, "Yeti")
YETI = InputDevice(2, "usb_yeti", False, "Yeti")
TWIN = InputDevice(2, "usb_yeti_2", False, "Yeti")
SPEAKERS = InputDevice(2, "speakers.monitor", False, "Speakers", True)
INPUTS = (DEFAULT, YETI, TWIN, SPEAKERS)


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme(qapp)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(PreferencesFile(tmp_path))


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch) -> DeviceSearch:
    made = DeviceSearch()
    monkeypatch.setattr(made, "start", lambda: None)  # tests decide what is connected
    return made


@pytest.fixture
def inputs(settings: Settings, search: DeviceSearch, theme: Theme, qtbot: QtBot) -> InputChooser:
    chooser = InputChooser(settings, search, theme)
    qtbot.addWidget(chooser)
    search.found.emit(INPUTS)
    return chooser


@pytest.fixture
def picker(theme: Theme, qtbot: QtBot, tmp_path: Path) -> SourcePicker:
    made = SourcePicker(theme, AudioFile(tmp_path / "demo.wav", "Demo"))
    qtbot.addWidget(made)
    made.offer_microphones(INPUTS)
    return made


def texts(box: DeviceBox) -> list[str]:
    return [box.itemText(index) for index in range(box.count())]


def choose(box: DeviceBox, text: str) -> None:
    """Choose as a person does."""
    index = box.findText(text)
    box.setCurrentIndex(index)
    box.activated.emit(index)


def prefer(settings: Settings, name: str | None) -> None:
    settings.alter(lambda all_: replace(all_, sound=replace(all_.sound, input=name, output=name)))


def test_inputs_are_named_plainly_and_twins_are_numbered(inputs: InputChooser) -> None:
    assert texts(inputs) == ["Default microphone (Yeti)", "Yeti", "Yeti (2)", "What this computer plays: Speakers"]
    assert inputs.currentText() == "Default microphone (Yeti)"


def test_choosing_an_input_is_a_preference_by_its_lasting_name(inputs: InputChooser, settings: Settings) -> None:
    choose(inputs, "Yeti (2)")
    assert settings.preferences.sound.input == "usb_yeti_2"
    choose(inputs, "Default microphone (Yeti)")
    assert settings.preferences.sound.input is None


def test_a_preferred_input_that_is_not_connected_is_shown_as_such_until_it_comes(
    inputs: InputChooser, settings: Settings, search: DeviceSearch
) -> None:
    choose(inputs, "Yeti (2)")
    search.found.emit((DEFAULT, YETI))
    assert inputs.currentText() == "usb_yeti_2 (not connected)"
    assert not inputs.is_connected
    assert settings.preferences.sound.input == "usb_yeti_2"
    search.found.emit(INPUTS)
    assert inputs.currentText() == "Yeti (2)"
    assert inputs.is_connected


def test_a_preference_that_changes_elsewhere_is_followed(inputs: InputChooser, settings: Settings) -> None:
    prefer(settings, "speakers.monitor")
    assert inputs.currentText() == "What this computer plays: Speakers"


def test_without_any_input_the_default_is_still_offered(inputs: InputChooser, search: DeviceSearch) -> None:
    search.found.emit(())
    assert texts(inputs) == ["Default microphone"]


def test_outputs_are_chosen_alike(settings: Settings, search: DeviceSearch, theme: Theme, qtbot: QtBot) -> None:
    chooser = OutputChooser(settings, search, theme)
    qtbot.addWidget(chooser)
    assert texts(chooser) == ["Default output"]
    search.outputs_found.emit((OutputDevice("default", True, "Speakers"), OutputDevice("headset", False, "Headset")))
    assert texts(chooser) == ["Default output (Speakers)", "Headset"]
    choose(chooser, "Headset")
    assert settings.preferences.sound.output == "headset"
    search.outputs_found.emit(())
    assert chooser.currentText() == "headset (not connected)"


def test_a_default_that_is_a_device_of_its_own_can_also_be_chosen_by_name(
    inputs: InputChooser, search: DeviceSearch
) -> None:
    search.found.emit((InputDevice(0, "MacBook Microphone", True),))
    assert texts(inputs) == ["Default microphone (MacBook Microphone)", "MacBook Microphone"]


def test_a_long_name_ends_in_dots_and_is_told_in_full_by_the_tool_tip(
    inputs: InputChooser, search: DeviceSearch, settings: Settings
) -> None:
    long = "A microphone with a name that no box of this width can show in full"
    search.found.emit((InputDevice(0, "long", False, long),))
    prefer(settings, "long")
    inputs.setFixedWidth(200)
    inputs.show()
    assert inputs.shown_text.endswith("…")
    assert long.startswith(inputs.shown_text[:-1])
    assert inputs.toolTip() == long
    inputs.setFixedWidth(900)
    assert inputs.shown_text == long


def test_the_picker_returns_to_the_chosen_input_when_it_is_back(picker: SourcePicker, qtbot: QtBot) -> None:
    with qtbot.waitSignal(picker.input_chosen) as chosen:
        choose(picker, "Yeti (2)")
    assert chosen.args == ["usb_yeti_2", False]
    picker.offer_microphones((DEFAULT, YETI))
    assert picker.source == Microphone(None, "Default microphone")
    picker.offer_microphones(INPUTS)
    assert picker.source == Microphone("usb_yeti_2", "Yeti (2)")


def test_the_picker_chooses_a_saved_input_as_soon_as_it_is_found(picker: SourcePicker) -> None:
    picker.offer_microphones(())
    picker.choose_input(Sound(input="speakers.monitor"))
    picker.offer_microphones(INPUTS)
    assert picker.source == Microphone("speakers.monitor", "What this computer plays: Speakers")


def test_a_chosen_file_stays_chosen_when_devices_come(picker: SourcePicker) -> None:
    picker.choose_demo()
    picker.offer_microphones((*INPUTS, InputDevice(9, "webcam", False)))
    assert picker.currentText() == "Demo"


def test_what_is_gone_is_called_what_it_was(picker: SourcePicker) -> None:
    for name, gone in (("speakers.monitor", "The sound of the computer is gone"), ("usb_yeti", "No microphone found")):
        picker.offer_microphones(INPUTS)
        picker.choose_input(Sound(input=name))
        for _ in range(2):  # looked for again, it is still gone
            picker.offer_microphones(())
            assert picker.itemText(0) == gone
            assert picker.source is None
