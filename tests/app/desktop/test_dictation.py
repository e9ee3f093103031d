"""Dictation: which words are typed, where none are, and how it begins and ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.application import Application
from app.desktop import dictation
from app.desktop.typists.typist import TypingRefusal, Typist
from app.preferences.preferences import Preferences
from app.sound.audio_devices import InputDevice
from tests.app.conftest import MakeApplication
from tests.app.made_captions import better, caption, split

MICROPHONE = InputDevice(0, "default", True, "Laptop")


class FakeTypist(Typist):
    """Records what is typed."""

    def __init__(self, refusal: TypingRefusal | None = None) -> None:
        super().__init__()
        self.text = ""
        self.closed = False
        self._refusal = refusal

    def open(self) -> None:
        if self._refusal is not None:
            self.refused.emit(self._refusal)

    def type(self, text: str) -> None:
        self.text += text

    def close(self) -> None:
        self.closed = True


class Desk:
    """The app with captions going on, another program in front, and what is typed there."""

    def __init__(self, application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
        self.application = application
        self.dictation = application.desktop.dictation
        self.session = application.session
        self.typists: list[FakeTypist] = []
        self.refusal: TypingRefusal | None = None
        self.in_front = False
        self.busy = True
        self.now = 0.0
        self.told: list[str] = []
        self.refused: list[str] = []
        self.started: list[str] = []
        self.dictation.make_typist = self.make_typist
        self.dictation.is_in_front = lambda: self.in_front
        self.dictation.notice_given.connect(self.told.append)
        self.dictation.refused.connect(lambda text, way_out: self.refused.append(text))
        application.actions.start.triggered.disconnect()
        application.actions.stop.triggered.disconnect()
        application.actions.start.triggered.connect(lambda: self.started.append("start"))
        application.actions.stop.triggered.connect(lambda: self.started.append("stop"))
        kind = type(self.session)
        for name in ("is_busy", "is_recording"):
            monkeypatch.setattr(kind, name, property(lambda _: self.busy))
        monkeypatch.setattr(kind, "clock_seconds", property(lambda _: self.now))

    def make_typist(self) -> FakeTypist:
        self.typists.append(FakeTypist(self.refusal))
        return self.typists[-1]

    @property
    def text(self) -> str:
        return self.typists[-1].text

    def say(self, number: int, text: str, *, start: float, pending: str = "", revision: int = 0, by: str = "") -> None:
        self.session.captions.show(
            replace(caption(number, text, pending=pending, start=start, revision=revision), speaker=by)
        )


@pytest.fixture
def desk(make_application: MakeApplication, monkeypatch: pytest.MonkeyPatch) -> Desk:
    application = make_application()
    application.captions_page.show_microphones((MICROPHONE,))
    return Desk(application, monkeypatch)


def test_it_is_off_until_a_key_is_chosen() -> None:
    assert Preferences().behaviour.dictation_key == ""


def test_words_are_typed_once_they_are_certain_and_drafts_never(desk: Desk) -> None:
    desk.dictation.toggle()
    desk.say(1, "", start=1.0, pending="Grüße on")
    assert desk.text == ""
    desk.say(1, "Grüße", start=1.0, pending="aus Köl", revision=1)
    desk.say(1, "Grüße aus Köln.", start=1.0, revision=2)
    desk.say(2, "Und", start=4.0, pending="so")
    assert desk.text == "Grüße aus Köln. Und"


def test_words_that_move_to_the_line_of_another_voice_are_typed_once(desk: Desk) -> None:
    desk.dictation.toggle()
    whole = caption(1, "One two three", start=10.0)
    first, rest = (replace(each, first_text="") for each in split(whole, 2, 2))
    for each in (whole, replace(first, final=True), rest):
        desk.session.captions.show(each)
    desk.say(2, "three four", start=rest.start, revision=1)
    assert desk.text == "One two three four"


def test_case_words_of_a_line_that_was_heard_again_or_corrected_are_not_typed_again(desk: Desk) -> None:
    desk.dictation.toggle()
    first = caption(1, "I'm going home.", start=1.0, final=True)
    for each in (first, better(first, "I am going home.")):
        desk.session.captions.show(each)
    desk.say(2, "Bye.", start=4.0)
    desk.in_front = True
    desk.session.captions.correct({2: "Good bye to all."})
    assert (desk.text, desk.refused) == ("I'm going home. Bye.", [])


def test_what_was_said_before_it_began_is_not_typed(desk: Desk) -> None:
    desk.say(1, "This was", start=1.0)
    desk.now = 2.5
    desk.dictation.toggle()
    desk.say(1, "This was said before.", start=1.0, revision=1)  # words end at 1.4, 1.8, 2.2, 2.6
    assert desk.text == "before."


def test_what_was_said_before_it_ended_is_typed_and_nothing_after(desk: Desk) -> None:
    desk.dictation.toggle()
    desk.say(1, "One", start=1.0, pending="two")
    desk.now = 1.7
    desk.dictation.toggle()
    assert not desk.dictation.is_on
    desk.say(1, "One two three four", start=1.0, revision=1)  # they begin at 1.0, 1.4, 1.8, 2.2
    assert desk.text == "One two"
    assert desk.typists[-1].closed
    desk.say(2, "Five", start=3.0)
    assert desk.text == "One two"


def test_of_a_call_only_the_microphone_is_typed(desk: Desk) -> None:
    desk.session._recording.names = {"You": "Anna", "Call": "Ben"}
    desk.dictation.toggle()
    desk.say(1, "Mine.", start=1.0, by="Anna")
    desk.say(2, "Theirs.", start=2.0, by="Ben")
    desk.say(3, "Mine again.", start=3.0, by="Anna")
    assert desk.text == "Mine. Mine again."


def test_captions_are_begun_and_ended_with_it_where_there_are_none(desk: Desk) -> None:
    desk.busy = False
    desk.dictation.toggle()
    assert desk.started == ["start"]
    assert desk.told == ["Dictation is on: what you say is typed into the program in front."]
    desk.busy = True
    desk.say(1, "One two", start=1.0)
    desk.now = 9.0
    desk.dictation.toggle()
    assert desk.started == ["start", "stop"]
    desk.say(1, "One two three.", start=1.0, revision=1)
    desk.session.finished.emit()
    assert desk.text == "One two three."
    assert desk.typists[-1].closed
    assert desk.told[1:] == ["Dictation is off."]


def test_captions_that_end_by_themselves_end_it(desk: Desk) -> None:
    desk.dictation.toggle()
    desk.session.finished.emit()
    assert not desk.dictation.is_on
    assert desk.told[-1] == "Dictation is off."


def test_into_earshot_itself_nothing_is_typed(desk: Desk) -> None:
    desk.in_front = True
    desk.dictation.toggle()
    assert desk.typists == [] and not desk.dictation.is_on
    assert desk.refused == ["Dictation types into other programs, not into Earshot: click where the text is to go."]
    desk.in_front = False
    desk.dictation.toggle()
    desk.in_front = True
    desk.say(1, "Not here", start=1.0)
    desk.say(1, "Not here again", start=1.0, revision=1)
    assert desk.text == "" and len(desk.refused) == 2, "that is said once"
    desk.in_front = False
    desk.say(1, "Not here again, but there.", start=1.0, revision=2)
    assert desk.text == "but there."


def test_without_a_microphone_there_is_none(desk: Desk) -> None:
    desk.application.captions_page.picker.choose_demo()
    desk.dictation.toggle()
    assert desk.refused == ["Dictation needs a microphone: choose one on the Captions page."]
    assert desk.typists == []


@pytest.mark.parametrize("refusal", TypingRefusal)
def test_a_system_that_refuses_is_told_about(desk: Desk, refusal: TypingRefusal) -> None:
    desk.refusal = refusal
    desk.busy = False
    desk.dictation.toggle()
    assert not desk.dictation.is_on
    assert len(desk.refused) == 1
    assert desk.started == [] and desk.typists[-1].closed
    assert desk.application.window.message.isVisibleTo(desk.application.window)


@pytest.mark.parametrize(("bundled", "whom"), [(True, "Allow Earshot in"), (False, "Allow the terminal that")])
def test_m2_the_message_names_whom_to_allow_and_leads_there(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, bundled: bool, whom: str
) -> None:
    """Mac review M2: what was started from a terminal is allowed with the terminal."""
    opened: list[str] = []
    monkeypatch.setattr(dictation.QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    monkeypatch.setattr(dictation, "is_bundle", lambda: bundled)
    desk.refusal = TypingRefusal.NOT_ALLOWED
    desk.dictation.toggle()
    message = desk.application.window.message
    assert message.text.startswith(whom)
    assert message.way_out is not None
    message.way_out.click()
    assert opened == ["x-apple.systempreferences:com.apple.preference.security?Privacy_Accessibility"]
    desk.refusal = TypingRefusal.PASSWORD
    desk.dictation.toggle()
    assert message.way_out is None


def test_m14_what_it_says_is_said_on_the_overlay_to_who_has_another_program_in_front(desk: Desk) -> None:
    """Mac review M14: notifications are not there without a bundle, and may be blocked with one."""
    face = desk.application.desktop.overlay.face
    desk.say(1, "A caption that is in sight", start=1.0)
    desk.dictation.toggle()
    assert face._notice == desk.told[-1] and face._is_first, "in place of captions"
    desk.refusal = TypingRefusal.NOT_ALLOWED
    desk.dictation.toggle()
    desk.dictation.toggle()
    assert face._notice == desk.refused[-1]


def test_a_desktop_without_a_way_of_typing_says_so(desk: Desk) -> None:
    def none() -> Typist:
        raise OSError("none")

    desk.dictation.make_typist = none
    desk.dictation.toggle()
    assert desk.refused == ["This desktop does not let Earshot type into other programs."]


def test_its_key_begins_and_ends_it(desk: Desk) -> None:
    desk.application.desktop.hotkeys._press("dictate")
    assert desk.dictation.is_on
    desk.application.desktop.hotkeys._press("dictate")
    assert not desk.dictation.is_on
