"""Sharing from the window: the dialog, the strip, and what ends with a recording."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.application import Application
from app.share.addresses import local_addresses
from app.share.live_folder import NEWEST_NAME
from app.share.qr_code import qr_code
from app.share.share_strip import ShareStrip
from tests.app.made_captions import caption
from tests.app.share.page import HERE, Reader, aside


def test_the_page_is_opened_by_hand_shown_while_it_is_open_and_closed(application: Application, qtbot: QtBot) -> None:
    dialog = application.dialogs.sharing
    dialog._addresses = lambda: (HERE, "10.0.0.1")
    application.actions.share.trigger()
    strip = application.window.findChild(ShareStrip)
    assert strip is not None
    assert not strip.isVisible()
    assert dialog.networks.isVisible()
    assert not dialog.code.isVisible()
    dialog.toggle.click()
    page = application.sharing.page
    assert page.url.startswith(f"http://{HERE}:")
    assert dialog.code.isVisible()
    assert not dialog.networks.isVisible()
    assert strip.isVisible()
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text() == page.url
    reader = aside(qtbot, lambda: Reader(page))
    qtbot.waitUntil(lambda: strip.text.text() == "Reading along: 1")
    strip.close_button.click()
    qtbot.waitUntil(lambda: reader.is_over)
    assert reader.has_ended
    assert not strip.isVisible()
    assert not dialog.code.isVisible()


def test_a_computer_in_no_network_says_so(application: Application) -> None:
    dialog = application.dialogs.sharing
    dialog._addresses = lambda: ()
    application.actions.share.trigger()
    assert not dialog.toggle.isEnabled()
    assert dialog.state.text() == "This computer is in no local network."


def test_an_address_that_has_gone_is_told(application: Application) -> None:
    dialog = application.dialogs.sharing
    dialog._addresses = lambda: ("192.0.2.1",)
    application.actions.share.trigger()
    dialog.toggle.click()
    assert dialog.problem.isVisible()
    assert dialog.problem.text().startswith("The page cannot be opened: ")


def test_page_and_live_files_end_with_the_recording(
    live: Application, speech_file: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "live"
    folder.mkdir()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    dialog = live.dialogs.open_sharing()
    dialog.files.click()
    assert dialog.folder.text()
    page = live.sharing.page
    page.open(HERE)
    reader = aside(qtbot, lambda: Reader(page))
    qtbot.waitUntil(lambda: page.readers == 1)
    seen: list[str] = []
    live.session.captions.dataChanged.connect(lambda: seen.append((folder / NEWEST_NAME).read_text()))
    with qtbot.waitSignal(live.session.finished):
        live.window.open_file(speech_file)
    qtbot.waitUntil(lambda: reader.is_over)
    assert page.url == ""
    (text,) = {str(each["said"]) for each in reader.lines.values()}
    assert text == live.session.captions.captions[0].text
    assert any(seen)
    assert (folder / NEWEST_NAME).read_text() == ""
    (subtitles,) = folder.glob("*.srt")
    assert text in " ".join(subtitles.read_text().split())


def test_live_files_that_cannot_be_written_are_told_and_stop_nothing(application: Application, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    application.dialogs.sharing._keep(str(gone))
    gone.rmdir()
    application.sharing.begin()
    assert any("does not exist" in each for each in application.window.message.problems)
    application.session.captions.show(caption(1, "Hello."))


def test_a_qr_code_is_black_on_white_with_its_margin(application: Application) -> None:
    image = qr_code("http://192.168.1.20:8642/abcdefghijkmnpqrstuv/").toImage()
    colours = {image.pixelColor(x, image.height() // 2).name() for x in range(image.width())}
    assert colours == {"#000000", "#ffffff"}
    assert {image.pixelColor(x, 20).name() for x in range(image.width())} == {"#ffffff"}
    assert image.width() > 180


def test_addresses_are_those_of_local_networks() -> None:
    assert all(each.startswith(("10.", "172.", "192.168.")) for each in local_addresses())
