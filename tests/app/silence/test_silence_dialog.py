"""The doctor's dialog: what it says of each cause, and that its buttons do what they say."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from app.look.theme import Theme
from app.silence import silence_card, silence_watch
from app.silence.silence import Cause, Circumstances, Finding
from app.silence.silence_card import SilenceCard
from app.silence.silence_dialog import SilenceDialog
from app.sound import process_tap, sound_server
from app.sound.audio_devices import InputDevice
from tests.app.pulse import Pulse

PATIENCE = 120_000  # milliseconds
YETI = InputDevice(2, "usb_yeti", False, "Yeti")
HEADSET = InputDevice(2, "headset", False, "Headset")


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme(qapp)


class Doctor:
    """Finds what it was told to, and remembers what it was asked."""

    def __init__(self) -> None:
        self.findings: tuple[Finding, ...] = ()
        self.asked: list[Circumstances] = []
        self.waits = threading.Event()
        self.waits.set()

    def examine(self, known: Circumstances, stop: threading.Event, seconds: float) -> tuple[Finding, ...]:
        self.asked.append(known)
        self.waits.wait()
        return self.findings


@pytest.fixture
def doctor(monkeypatch: pytest.MonkeyPatch) -> Iterator[Doctor]:
    made = Doctor()
    monkeypatch.setattr(silence_watch, "examine", made.examine)
    yield made
    made.waits.set()


@pytest.fixture
def dialog(doctor: Doctor, theme: Theme, qtbot: QtBot) -> SilenceDialog:
    made = SilenceDialog(lambda: Circumstances("usb_yeti"), theme)
    qtbot.addWidget(made)
    made.show()
    return made


def look(dialog: SilenceDialog, qtbot: QtBot) -> None:
    dialog.look()
    qtbot.waitUntil(lambda: bool(dialog.cards), timeout=PATIENCE)


@pytest.mark.parametrize("cause", Cause)
def test_every_cause_has_words_of_its_own(cause: Cause, theme: Theme, qtbot: QtBot) -> None:
    def said(cause: Cause) -> str:
        card = SilenceCard(Finding(cause, YETI, "usb_yeti", "It is in use.", -40.0, 7.0), theme)
        qtbot.addWidget(card)
        return card.accessibleName()

    assert len(said(cause)) > 20
    assert all(said(cause) != said(other) for other in Cause if other is not cause)


def test_l7_a_silent_tap_leads_to_the_permission_that_it_may_lack(
    theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mac review L7: only until anything else than silence has come."""
    opened: list[str] = []
    monkeypatch.setattr(
        silence_card.QDesktopServices, "openUrl", lambda url: opened.append(url.toString()), raising=False
    )
    monkeypatch.setattr(process_tap, "_sound_came", threading.Event())
    finding = Finding(Cause.NOTHING_PLAYS, InputDevice(-1, process_tap.NAME, False, "Mac", is_monitor=True))
    card = SilenceCard(finding, theme)
    qtbot.addWidget(card)
    assert card.remedy is not None and "allow Earshot" in card.accessibleName()
    card.remedy.click()
    assert opened == ["x-apple.systempreferences:com.apple.preference.security?Privacy_AudioCapture"]
    process_tap._sound_came.set()
    later = SilenceCard(finding, theme)
    qtbot.addWidget(later)
    assert later.remedy is None and "allow Earshot" not in later.accessibleName()


def test_it_shows_that_it_is_listening_and_then_what_it_found(
    dialog: SilenceDialog, doctor: Doctor, qtbot: QtBot
) -> None:
    doctor.findings = (Finding(Cause.MUTED, YETI, "usb_yeti"), Finding(Cause.ELSEWHERE, HEADSET))
    doctor.waits.clear()
    dialog.look()
    assert not dialog.again.isEnabled()
    doctor.waits.set()
    qtbot.waitUntil(lambda: len(dialog.cards) == 2, timeout=PATIENCE)
    assert dialog.again.isEnabled()
    assert doctor.asked == [Circumstances("usb_yeti")]
    assert "“Yeti” is muted" in dialog.cards[0].accessibleName()
    assert dialog.cards[0].remedy is not None
    qtbot.waitUntil(lambda: dialog.cards[0].remedy is dialog.focusWidget())


def test_no_empty_list_stands_as_a_line_across_the_dialog_while_it_listens(
    dialog: SilenceDialog, doctor: Doctor, qtbot: QtBot
) -> None:
    (area,) = dialog.findChildren(QScrollArea)
    doctor.waits.clear()
    doctor.findings = (Finding(Cause.MUTED, YETI, "usb_yeti"),)
    dialog.look()
    assert not area.isVisible()
    doctor.waits.set()
    qtbot.waitUntil(area.isVisible, timeout=PATIENCE)


def test_the_other_input_is_chosen_by_its_button(dialog: SilenceDialog, doctor: Doctor, qtbot: QtBot) -> None:
    doctor.findings = (Finding(Cause.ELSEWHERE, HEADSET),)
    look(dialog, qtbot)
    remedy = dialog.cards[0].remedy
    assert remedy is not None
    with qtbot.waitSignal(dialog.device_chosen) as chosen:
        qtbot.keyClick(remedy, Qt.Key.Key_Space)
    assert chosen.args == ["headset"]
    assert not dialog.isVisible()


def test_a_stopped_engine_is_started_again_by_its_button(dialog: SilenceDialog, doctor: Doctor, qtbot: QtBot) -> None:
    doctor.findings = (Finding(Cause.STOPPED),)
    look(dialog, qtbot)
    remedy = dialog.cards[0].remedy
    assert remedy is not None
    with qtbot.waitSignal(dialog.restart_wanted):
        remedy.click()


def test_closing_it_forgets_what_is_still_being_looked_for(
    dialog: SilenceDialog, doctor: Doctor, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    doctor.findings = (Finding(Cause.HEARD, YETI),)
    stopped = threading.Event()

    def examine(known: Circumstances, stop: threading.Event, seconds: float) -> tuple[Finding, ...]:
        stop.wait()
        stopped.set()
        return doctor.findings

    monkeypatch.setattr(silence_watch, "examine", examine)
    dialog.look()
    dialog.close_button.click()
    assert stopped.is_set()
    assert dialog.cards == ()


def test_a_muted_microphone_is_unmuted_by_its_button(pulse: Pulse, theme: Theme, qtbot: QtBot) -> None:
    pulse.plug_in("yeti", "Yeti")
    pulse.ask("set-source-mute", "yeti", "1")
    dialog = SilenceDialog(lambda: Circumstances("yeti"), theme, seconds=0.2)
    qtbot.addWidget(dialog)
    dialog.show()
    look(dialog, qtbot)
    first = dialog.cards[0]
    assert first.finding.cause is Cause.MUTED
    assert first.remedy is not None
    first.remedy.click()
    assert not any(source.muted for source in sound_server.sources())
    qtbot.waitUntil(lambda: bool(dialog.cards) and dialog.cards[0] is not first, timeout=PATIENCE)
    assert dialog.cards[0].finding.cause is Cause.ZEROS
    dialog.close()
