"""Sessions that are heard again."""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.history.archive import Archive
from app.history.kept.audio_files import audio_folder
from app.history.kept.audio_writer import AudioWriter
from app.history.page import HistoryPage
from app.history.session_sound import SessionSound
from app.history.store import HistoryStore
from app.look.text_layout import unbreakable
from app.sound.output_devices import LoudspeakerUnavailable
from engine.audio import SAMPLE_RATE_HZ
from tests.app.fake_player import FakePlayer
from tests.app.history.history_pages import MakePage, Told, show
from tests.app.made_captions import caption, translation
from tests.app.scripted_hearing import write_wav

SECONDS = 20.0


class Loudspeaker(FakePlayer):
    """Plays at once what it is given, but never beyond a second."""

    def __init__(self, until: float = 0.0, failure: LoudspeakerUnavailable | None = None) -> None:
        super().__init__(failure)
        self.until = until

    @property
    def played_seconds(self) -> float:
        return min(sum(map(len, self.pieces)) / SAMPLE_RATE_HZ, self.until)


class Room:
    """Keeps all loudspeakers that were asked for; the newest is the last."""

    def __init__(self) -> None:
        self.loudspeakers: list[Loudspeaker] = []
        self.until = 0.0
        self.failure: LoudspeakerUnavailable | None = None

    def make_player(self) -> Loudspeaker:
        self.loudspeakers.append(Loudspeaker(self.until, self.failure))
        return self.loudspeakers[-1]


@pytest.fixture
def room() -> Room:
    return Room()


@pytest.fixture
def page(archive: Archive, make_page: MakePage, room: Room, qtbot: QtBot) -> HistoryPage:
    """A session with its sound, in which something is said at 0, 5 and 10 seconds, and one without."""
    path = audio_folder(archive.path) / "sound.ogg"
    writer = AudioWriter(path, lambda _: None)
    writer.put(np.zeros(round(SECONDS * SAMPLE_RATE_HZ), np.float32))
    writer.finish()
    writer.wait(120.0)

    def write(store: HistoryStore) -> None:
        silent = store.begin("captions", "Without", "Microphone", "starter", "en", 100.0)
        store.put_caption(silent, caption(0, "Nothing to hear.", final=True))
        store.end(silent)
        session = store.begin("captions", "With", "Microphone", "starter", "en", 200.0, audio="sound.ogg")
        for number, said in enumerate(("One, two.", "Three, four.", "Five, six.")):
            store.put_caption(session, caption(number, said, start=5.0 * number, final=True))
            store.put_translation(session, translation(number, f"Satz {number}", final=True))
        store.end(session)

    archive.write(write)
    made = make_page(make_player=room.make_player)
    show(made, qtbot, "With")
    return made


def click(page: HistoryPage, qtbot: QtBot, place: int) -> None:
    view = page.pane.view
    point = view.viewport().mapFrom(view, view.place_of(place).topLeft()) + QPoint(12, 8)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)


def test_a_click_on_a_line_plays_from_there(page: HistoryPage, room: Room, qtbot: QtBot) -> None:
    assert page.pane.sound.isVisible() and page.commands.play.text() == "&Play"
    click(page, qtbot, 2)
    qtbot.waitUntil(lambda: page.sound.is_playing)
    assert page.sound.seconds == 5.0
    assert page.pane.view._heard == 2
    assert page.commands.play.text() == "&Pause"
    qtbot.waitUntil(lambda: bool(room.loudspeakers) and bool(room.loudspeakers[-1].pieces))


def test_a_click_on_a_translation_plays_what_it_is_of(page: HistoryPage, qtbot: QtBot) -> None:
    click(page, qtbot, 5)
    qtbot.waitUntil(lambda: page.sound.is_playing)
    assert (page.sound.seconds, page.pane.view._heard) == (10.0, 4)


def test_the_line_that_is_heard_is_followed(page: HistoryPage, room: Room, qtbot: QtBot) -> None:
    page.sound.play(4.0)
    qtbot.waitUntil(lambda: bool(room.loudspeakers))
    assert page.pane.view._heard == 0
    room.loudspeakers[-1].until = 3.0
    qtbot.waitUntil(lambda: page.pane.view._heard == 2)
    qtbot.waitUntil(lambda: page.pane.sound.time.text() == "0:07")  # the sound comes in pieces


def heard_word(page: HistoryPage) -> str:
    """Return the highlighted word of the transcript; empty if there is none."""
    return "".join(each.cursor.selectedText() for each in page.pane.view.extraSelections())


def test_the_word_that_is_heard_is_marked(archive: Archive, page: HistoryPage, room: Room, qtbot: QtBot) -> None:
    def write(store: HistoryStore) -> None:
        session = store.begin("captions", "Named", "Microphone", "starter", "en", 300.0, audio="sound.ogg")
        said = caption(0, "Good \N{PARTY POPPER} morning, everyone.", start=2.0, final=True)  # Qt counts one twice
        store.put_caption(session, replace(said, speaker="Anna"))
        store.end(session)

    archive.write(write)
    show(page, qtbot, "Named")
    page.sound.play(2.0)
    qtbot.waitUntil(lambda: heard_word(page) == "Good")
    room.loudspeakers[-1].until = 1.0  # the third word is said 0.8 seconds after the first
    qtbot.waitUntil(lambda: heard_word(page) == "morning,")
    page.sound.pause()
    assert heard_word(page) == ""
    page.sound.play(0.5)
    assert heard_word(page) == "", "nobody has said anything by then"
    page.sound.pause()


def test_space_pauses_and_goes_on_where_it_was(page: HistoryPage, room: Room, qtbot: QtBot) -> None:
    page.activateWindow()
    page.pane.view.setFocus()
    room.until = 1.5
    qtbot.keyClick(page.pane.view, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: page.sound.seconds == 1.5)
    qtbot.keyClick(page.pane.view, Qt.Key.Key_Space)
    assert not page.sound.is_playing and page.commands.play.text() == "&Play"
    qtbot.waitUntil(lambda: room.loudspeakers[-1].closed)
    assert page.pane.view._heard is None
    page.pane.sound.button.click()
    assert page.sound.is_playing
    assert page.sound.seconds == 1.5


def test_at_its_end_it_falls_silent_and_begins_anew(page: HistoryPage, room: Room, qtbot: QtBot) -> None:
    room.until = SECONDS + 1
    page.sound.play(18.0)
    qtbot.waitUntil(lambda: not page.sound.is_playing)
    assert page.sound.seconds == 0.0
    assert sum(map(len, room.loudspeakers[-1].pieces)) == pytest.approx(2.0 * SAMPLE_RATE_HZ, abs=1600)


def test_a_double_click_corrects_and_plays_nothing(page: HistoryPage, room: Room, qtbot: QtBot) -> None:
    click(page, qtbot, 2)
    view = page.pane.view
    point = view.viewport().mapFrom(view, view.place_of(2).topLeft()) + QPoint(12, 8)
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert page.corrections.editor.isVisible()
    assert not page.playback._second_click.isActive()
    assert not page.sound.is_playing and room.loudspeakers == []


def test_a_click_that_ends_a_correction_plays_nothing(
    page: HistoryPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.corrections.begin(0)
    monkeypatch.setattr(QApplication, "mouseButtons", lambda: Qt.MouseButton.LeftButton)
    monkeypatch.setattr(page.pane.view.viewport(), "underMouse", lambda: True)
    page.corrections.editor.leave()
    click(page, qtbot, 2)
    assert not page.playback._second_click.isActive()
    click(page, qtbot, 2)
    assert page.playback._second_click.isActive()


def test_a_session_without_sound_offers_none(page: HistoryPage, qtbot: QtBot) -> None:
    page.sound.play(0.0)
    show(page, qtbot, "Without")
    assert not page.pane.sound.isVisible() and not page.commands.play.isEnabled()
    assert not page.sound.is_playing
    click(page, qtbot, 0)
    assert not page.playback._second_click.isActive()


def test_a_file_that_is_gone_offers_nothing(archive: Archive, page: HistoryPage, qtbot: QtBot) -> None:
    (audio_folder(archive.path) / "sound.ogg").unlink()
    show(page, qtbot, "Without")
    show(page, qtbot, "With")
    assert not page.pane.sound.isVisible()


def test_what_cannot_be_heard_is_a_sentence(page: HistoryPage, room: Room, archive: Archive, qtbot: QtBot) -> None:
    told = Told(page)
    room.failure = LoudspeakerUnavailable("No loudspeaker was found.")
    page.commands.play.trigger()
    qtbot.waitUntil(lambda: told.texts == ["No loudspeaker was found."])
    assert not page.sound.is_playing
    room.failure = None
    path: Path = audio_folder(archive.path) / "sound.ogg"
    path.write_bytes(b"damaged" * 50)
    page.commands.play.trigger()
    qtbot.waitUntil(lambda: len(told.texts) == 2)
    assert "gone or damaged" in told.texts[1]


def transcribed(archive: Archive, page: HistoryPage, qtbot: QtBot, recording: Path) -> None:
    def write(store: HistoryStore) -> None:
        session = store.begin("captions", "A talk", "talk.wav", "starter", "en", 300.0, recording=str(recording))
        store.put_caption(session, caption(0, "One, two.", start=0.5, final=True))
        store.end(session)

    archive.write(write)
    show(page, qtbot, "A talk")


def test_a_recording_that_was_transcribed_is_played_from_its_own_file(
    archive: Archive, page: HistoryPage, room: Room, qtbot: QtBot, tmp_path: Path
) -> None:
    recording = write_wav(tmp_path / "talk.wav", np.full(2 * SAMPLE_RATE_HZ, 0.25, np.float32))
    transcribed(archive, page, qtbot, recording)
    assert page.pane.sound.isVisible() and page.commands.play.isEnabled()
    assert page.pane.header.notice.text() == ""
    page.sound.play(0.5)
    qtbot.waitUntil(lambda: bool(room.loudspeakers) and sum(map(len, room.loudspeakers[-1].pieces)) > 0)
    assert float(np.max(room.loudspeakers[-1].pieces[0])) == pytest.approx(0.25, abs=0.01)


def test_a_transcribed_recording_that_is_gone_is_said_to_be(
    archive: Archive, page: HistoryPage, qtbot: QtBot, tmp_path: Path
) -> None:
    transcribed(archive, page, qtbot, tmp_path / "moved.wav")
    assert not page.pane.sound.isVisible() and not page.commands.play.isEnabled()
    notice = unbreakable(page.pane.header.notice.text())
    assert notice == f"It cannot be played: “{tmp_path / 'moved.wav'}” is not there any more."


def sounding(but: Collection[threading.Thread] = ()) -> list[threading.Thread]:
    """List the threads that play, without those that another test has left behind."""
    return [each for each in threading.enumerate() if each.name == "session sound" and each not in but]


def test_nothing_goes_on_playing_when_the_page_is_gone(tmp_path: Path, room: Room, qtbot: QtBot) -> None:
    parent, others = QObject(), sounding()
    sound = SessionSound(room.make_player, parent)
    sound.open(write_wav(tmp_path / "long.wav", np.zeros(60 * SAMPLE_RATE_HZ, np.float32)))
    sound.play(0.0)
    qtbot.waitUntil(lambda: bool(room.loudspeakers) and bool(room.loudspeakers[-1].pieces))
    assert sounding(but=others)
    shiboken6.delete(parent)
    qtbot.waitUntil(lambda: sounding(but=others) == [])


def test_the_apps_end_waits_for_every_stretch_that_plays(tmp_path: Path, room: Room, qtbot: QtBot) -> None:
    parent, others = QObject(), sounding()
    sound = SessionSound(room.make_player, parent)
    sound.open(write_wav(tmp_path / "long.wav", np.zeros(60 * SAMPLE_RATE_HZ, np.float32)))
    for second in range(8):
        sound.play(float(second))
    sound.shut_down()
    assert sounding(but=others) == []


def drag(page: HistoryPage, qtbot: QtBot, share: float) -> None:
    """Press on the bar at a share of its length, and let go there."""
    bar = page.pane.sound.bar
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(round(bar.width() * share), bar.height() // 2))


def test_a_click_on_the_bar_leads_there_whether_it_plays_or_not(page: HistoryPage, room: Room, qtbot: QtBot) -> None:
    sound = page.pane.sound
    qtbot.waitUntil(lambda: sound.length.text() == "0:20")
    drag(page, qtbot, 0.5)
    assert page.sound.seconds == pytest.approx(10.0, abs=0.5) and not page.sound.is_playing
    assert sound.time.text() in ("0:09", "0:10")
    page.commands.play.trigger()
    assert page.sound.is_playing and page.sound.seconds == pytest.approx(10.0, abs=0.5)
    drag(page, qtbot, 0.25)
    assert page.sound.is_playing and page.sound.seconds == pytest.approx(5.0, abs=0.5)
    assert len(room.loudspeakers) <= 2


def test_while_the_handle_is_held_nothing_pulls_it_away(page: HistoryPage, qtbot: QtBot) -> None:
    bar, sound = page.pane.sound.bar, page.pane.sound
    qtbot.waitUntil(lambda: sound.length.text() == "0:20")
    middle = QPoint(bar.width() // 2, bar.height() // 2)
    qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=middle)
    sound.show_time(1.0)
    assert sound.time.text() in ("0:09", "0:10") and page.sound.seconds == 0.0
    qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=middle)
    assert page.sound.seconds == pytest.approx(10.0, abs=0.5)


def test_keys_seek_and_go_back(page: HistoryPage, qtbot: QtBot) -> None:
    sound = page.pane.sound
    qtbot.waitUntil(lambda: sound.length.text() == "0:20")
    sound.bar.setFocus()
    for _ in range(3):
        qtbot.keyClick(sound.bar, Qt.Key.Key_Right)
    assert page.sound.seconds == 15.0
    assert sound.bar.accessibleDescription() == "0:15"
    page.pane.view.setFocus()
    qtbot.keyClick(page.pane.view, Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    assert page.sound.seconds == 10.0
    for _ in range(4):
        sound.back.click()
    assert page.sound.seconds == 0.0


def test_at_twice_the_speed_the_position_runs_twice_as_fast(page: HistoryPage, room: Room, qtbot: QtBot) -> None:
    page.sound.play(4.0)
    speed = page.pane.sound.speed
    speed.setCurrentIndex(speed.findText("2×"))
    speed.activated.emit(speed.currentIndex())
    assert page.sound.is_playing and page.sound.seconds == 4.0
    room.until = 3.0
    page.sound.set_speed(2.0)
    qtbot.waitUntil(lambda: page.sound.seconds == pytest.approx(10.0))
    page.sound.pause()
