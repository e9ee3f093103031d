"""A history of a test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.history import recorder, session_sound
from app.history.archive import Archive
from app.history.kept.schema import FILE_NAME
from app.history.page import HistoryPage
from app.history.store import HistoryStore
from app.look.theme import Theme
from app.notes.maker import NotesMaker
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.sound.playback import Player
from engine.turns import Turn, TurnStats
from tests.app.fake_player import FakePlayer
from tests.app.history.history_pages import MakePage
from tests.app.history.recording_scene import Scene
from tests.app.made_captions import caption, translation
from tests.app.silent_client import SilentClient

NOON = 1_700_000_000.0


@pytest.fixture(autouse=True)
def patient_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for sound that is played or written at the app's end as long as a busy machine takes."""
    monkeypatch.setattr(recorder, "AUDIO_SECONDS", 120.0)
    monkeypatch.setattr(session_sound, "_PATIENCE_SECONDS", 120.0)


@pytest.fixture
def history_path(tmp_path: Path) -> Path:
    return tmp_path / "history" / FILE_NAME


@pytest.fixture
def store(history_path: Path) -> Iterator[HistoryStore]:
    opened = HistoryStore(history_path)
    yield opened
    opened.close()


@pytest.fixture
def archive(history_path: Path, qtbot: QtBot) -> Iterator[Archive]:
    made = Archive(history_path)
    made.start()
    yield made
    made.close()


@pytest.fixture
def settings(qtbot: QtBot, tmp_path: Path) -> Iterator[Settings]:
    parent = QObject()
    yield Settings(PreferencesFile(tmp_path), parent)
    parent.deleteLater()


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme(qapp)
    yield made
    made.deleteLater()


def history_page(
    archive: Archive, settings: Settings, theme: Theme, make_player: Callable[[], Player] = FakePlayer
) -> HistoryPage:
    """Make the page, with notes that no engine makes."""
    notes = QAction("Notes")
    notes.setCheckable(True)
    page = HistoryPage(archive, settings, theme, make_player, NotesMaker(SilentClient(), settings), notes)
    notes.setParent(page)
    return page


@pytest.fixture
def make_page(archive: Archive, settings: Settings, theme: Theme, qtbot: QtBot) -> MakePage:
    def make(width: int = 900, make_player: Callable[[], Player] | None = None) -> HistoryPage:
        page = history_page(archive, settings, theme, make_player or FakePlayer)
        qtbot.addWidget(page)
        page.resize(width, 600)
        page.show()
        return page

    return make


@pytest.fixture
def filled(archive: Archive) -> Archive:
    """Three sessions: a lecture with a translation, a conversation, and one that was broken off."""

    def write(store: HistoryStore) -> None:
        lecture = store.begin("captions", "", "Microphone", "starter", "en", NOON)
        for number, (said, translated) in enumerate(
            (("About the October budget.", "Über den Haushalt im Oktober."), ("Any questions?", "Gibt es Fragen?"))
        ):
            store.put_caption(lecture, caption(number, said, start=5.0 * number, final=True), 5.0 * number + 2.6)
            store.put_translation(lecture, translation(number, translated, final=True))
        store.end(lecture, NOON + 10)
        talk = store.begin("conversation", "", "", "starter-assistant", "en", NOON + 100)
        stats = TurnStats(first_sound_seconds=0.7)
        store.put_turn(talk, Turn(1, 0, "What is the capital of France?", "Paris.", stats=stats), NOON + 101)
        store.end(talk, NOON + 110)
        broken = store.begin("captions", "Broken off", "Microphone", "starter", "en", NOON + 200)
        store.put_caption(broken, caption(0, "We were about to", final=True))
        store._db.execute("UPDATE session SET crashed = 1 WHERE id = ?", (broken,))
        store._db.commit()

    archive.write(write)
    return archive


@pytest.fixture
def scene(archive: Archive, settings: Settings, qtbot: QtBot) -> Iterator[Scene]:
    parent = QObject()
    yield Scene(archive, settings, qtbot, parent)
    parent.deleteLater()
