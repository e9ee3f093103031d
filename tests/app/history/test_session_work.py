"""Several sessions at a time, and the menu of the list."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from pytestqt.qtbot import QtBot

from app.history.archive import Archive
from app.history.export.export_dialog import ExportDialog
from app.history.export.exporting import ExportChoice
from app.history.kept.audio_files import audio_folder
from app.history.page import HistoryPage
from app.history.store import HistoryStore
from app.preferences.preferences import HistoryOptions
from app.preferences.settings import Settings
from tests.app.history.history_pages import MakePage, Told, show, titles
from tests.app.made_captions import caption

LECTURE, TALK, BROKEN = "About the October budget.", "What is the capital of France?", "Broken off"


def click(page: HistoryPage, qtbot: QtBot, title: str, modifier: Qt.KeyboardModifier) -> None:
    """Click a session in the list with a key held down."""
    row = page.sessions.model.row_of(page.sessions.model.sessions[titles(page).index(title)].id)
    place = page.sessions.list.visualRect(page.sessions.model.index(row)).center()
    qtbot.mouseClick(page.sessions.list.viewport(), Qt.MouseButton.LeftButton, modifier, place)


def selected(page: HistoryPage) -> list[str]:
    return [page.sessions.model.title_of(each) for each in page.sessions.selected]


@pytest.fixture
def two_selected(filled: Archive, make_page: MakePage, qtbot: QtBot) -> HistoryPage:
    """The newest session and the oldest, by a click with Ctrl."""
    page = make_page()
    show(page, qtbot, BROKEN)
    click(page, qtbot, LECTURE, Qt.KeyboardModifier.ControlModifier)
    assert selected(page) == [BROKEN, LECTURE]
    return page


def test_several_are_deleted_and_brought_back_selected(two_selected: HistoryPage, qtbot: QtBot) -> None:
    page, told = two_selected, Told(two_selected)
    assert page.commands.delete.text() == "&Delete 2"
    qtbot.keyClick(page.sessions.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: titles(page) == [TALK])
    qtbot.waitUntil(lambda: page.pane.header.title.text() == TALK)
    assert told.texts == ["2 sessions were deleted."]
    assert page.commands.delete.text() == "&Delete"
    page.commands.undo.trigger()
    qtbot.waitUntil(lambda: len(titles(page)) == 3)
    qtbot.waitUntil(lambda: selected(page) == [BROKEN, LECTURE])


def test_shift_selects_all_between_and_the_list_may_change_meanwhile(
    filled: Archive, two_selected: HistoryPage, qtbot: QtBot
) -> None:
    page = two_selected
    click(page, qtbot, BROKEN, Qt.KeyboardModifier.NoModifier)
    click(page, qtbot, LECTURE, Qt.KeyboardModifier.ShiftModifier)
    assert selected(page) == [BROKEN, TALK, LECTURE]
    filled.write(lambda store: store.end(store.begin("captions", "Newer", "", "", "")))
    qtbot.waitUntil(lambda: len(titles(page)) == 4)
    assert selected(page) == [BROKEN, TALK, LECTURE]


def test_a_click_with_a_key_held_down_leads_nowhere_where_it_is_narrow(
    filled: Archive, make_page: MakePage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = make_page(width=400)
    qtbot.waitUntil(lambda: len(titles(page)) == 3)
    control = Qt.KeyboardModifier.ControlModifier
    with monkeypatch.context() as patch:
        patch.setattr(QGuiApplication, "keyboardModifiers", lambda: control)
        click(page, qtbot, LECTURE, control)
    assert page.sessions.isVisible() and not page.pane.isVisible()


def test_several_are_exported_into_a_folder_each_under_its_name(
    two_selected: HistoryPage, qtbot: QtBot, tmp_path: Path
) -> None:
    page, told = two_selected, Told(two_selected)
    (tmp_path / "Broken off.md").write_text("from before")
    assert page.commands.export.text() == "E&xport 2…"
    page.commands.export.trigger()
    qtbot.waitUntil(lambda: bool(page.window().findChildren(ExportDialog)))
    (dialog,) = page.window().findChildren(ExportDialog)
    assert not dialog.part_only.isVisible()
    assert dialog.hint.text() == "Sessions: 2"
    dialog.format.setCurrentIndex(dialog.format.findData(".md"))
    dialog.export_to_folder(tmp_path)
    qtbot.waitUntil(lambda: bool(told.texts))
    assert told.texts == [f"Exported 2 sessions to {tmp_path}."]
    assert (tmp_path / "Broken off.md").read_text() == "from before"
    assert "We were about to" in (tmp_path / "Broken off 2.md").read_text()
    assert "Über den Haushalt" in (tmp_path / "About the October budget.md").read_text(encoding="utf-8")


def test_a_conversation_among_others_is_exported_as_no_subtitles(two_selected: HistoryPage, qtbot: QtBot) -> None:
    page = two_selected
    click(page, qtbot, TALK, Qt.KeyboardModifier.ControlModifier)
    page.commands.export.trigger()
    qtbot.waitUntil(lambda: bool(page.window().findChildren(ExportDialog)))
    (dialog,) = page.window().findChildren(ExportDialog)
    assert dialog.format.findData(".srt") < 0 and dialog.format.findData(".docx") >= 0
    dialog.reject()


def test_the_menu_of_sessions_has_what_can_be_done_with_them(two_selected: HistoryPage, qtbot: QtBot) -> None:
    page = two_selected
    place = page.sessions.list.visualRect(page.sessions.model.index(page.sessions.model.row_of(1))).center()
    page.sessions.menu_wanted.disconnect()
    with qtbot.waitSignal(page.sessions.menu_wanted):
        page.sessions.list.customContextMenuRequested.emit(place)
    offered = [each for each in page.commands.session_menu(page).actions() if each.isVisible()]
    texts = [each.text().replace("&", "") for each in offered if each.text()]
    assert texts == ["Open", "Rename", "Join into one", "Export 2…", "Show in folder", "Delete 2"]


def test_the_folder_of_the_exported_file_is_shown_or_else_that_of_the_recording(
    archive: Archive, make_page: MakePage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording, exported = tmp_path / "talk.mp3", tmp_path / "notes" / "talk.txt"
    recording.touch()
    exported.parent.mkdir()

    def write(store: HistoryStore) -> None:
        session = store.begin("captions", "Talk", "talk.mp3", "starter", "en", 100.0, str(recording))
        store.put_caption(session, caption(0, "Good morning.", final=True))
        store.end(session)

    archive.write(write)
    page = make_page()
    show(page, qtbot, "Talk")
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    page.commands.show_file.trigger()
    assert page.transcript is not None
    page.exports.write(exported, page.transcript, ExportChoice(".txt"))
    qtbot.waitUntil(lambda: page.sessions.meant[0].exported == str(exported))
    page.commands.show_file.trigger()
    exported.unlink()
    page.commands.show_file.trigger()
    recording.unlink()
    page.commands.show_file.trigger()
    assert opened == [str(tmp_path), str(exported.parent), str(tmp_path)]


def transcribe_is_offered(page: HistoryPage, qtbot: QtBot, title: str) -> bool:
    """Return whether the menu of a session offers to transcribe it again."""
    show(page, qtbot, title)
    page.work.refresh()
    offered = page.commands.transcribe
    assert offered in page.commands.session_menu(page).actions()
    return offered.isVisible()


@pytest.fixture
def sounds(filled: Archive, tmp_path: Path) -> tuple[Path, Path]:
    """Two more sessions, each with its sound: what was kept of "Kept", and the recording that "Own" is of."""
    kept, own = audio_folder(filled.path) / "0a1b2c.ogg", tmp_path / "talk.mp3"
    kept.parent.mkdir(parents=True, exist_ok=True)
    for path in (kept, own):
        path.touch()

    def write(store: HistoryStore) -> None:
        for about, where in (("Kept", {"audio": kept.name}), ("Own", {"recording": str(own)})):
            session = store.begin("captions", about, "Microphone", "starter", "en", 100.0, **where)
            store.put_caption(session, caption(0, "Good morning.", final=True))
            store.end(session)

    filled.write(write)
    return kept, own


def test_sessions_whose_sound_is_there_can_be_transcribed_again(
    sounds: tuple[Path, Path], make_page: MakePage, qtbot: QtBot
) -> None:
    page, wanted = make_page(), list[tuple[Path, str]]()
    page.work.transcription_wanted.connect(lambda path, title: wanted.append((path, title)))
    assert not transcribe_is_offered(page, qtbot, LECTURE)
    for title in ("Kept", "Own"):
        assert transcribe_is_offered(page, qtbot, title)
        page.commands.transcribe.trigger()
    assert wanted == [(sounds[0], "Kept"), (sounds[1], "Own")]
    sounds[1].unlink()
    assert not transcribe_is_offered(page, qtbot, "Own")


def test_none_of_several_sessions_nor_one_that_goes_on_is_transcribed_again(
    filled: Archive, sounds: tuple[Path, Path], make_page: MakePage, qtbot: QtBot
) -> None:
    def write(store: HistoryStore) -> None:
        store.put_caption(store.begin("captions", "Now", "", "", "", audio=sounds[0].name), caption(0, "Good"))

    filled.write(write)
    page = make_page()
    assert not transcribe_is_offered(page, qtbot, "Now")
    assert transcribe_is_offered(page, qtbot, "Kept")
    click(page, qtbot, "Own", Qt.KeyboardModifier.ControlModifier)
    assert len(page.sessions.selected) == 2 and not page.commands.transcribe.isVisible()


def test_where_nothing_is_kept_nothing_is_transcribed_again(
    sounds: tuple[Path, Path], settings: Settings, make_page: MakePage, qtbot: QtBot
) -> None:
    settings.alter(lambda now: replace(now, history=HistoryOptions(keeps=False)))
    assert not transcribe_is_offered(make_page(), qtbot, "Kept")


def test_what_is_being_recorded_stays_where_it_is_selected_with_others(
    filled: Archive, make_page: MakePage, qtbot: QtBot
) -> None:
    filled.write(lambda store: store.put_caption(store.begin("captions", "Now", "", "", ""), caption(0, "Good")))
    page = make_page()
    show(page, qtbot, "Now")
    page.sessions.list.selectAll()
    assert len(page.sessions.selected) == 4
    page.commands.delete.trigger()
    qtbot.waitUntil(lambda: titles(page) == ["Now"])
    page.commands.undo.trigger()
    qtbot.waitUntil(lambda: len(titles(page)) == 4)
