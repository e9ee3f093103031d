"""Playback of a kept transcript: its sound from any line on, with the present line and word marked."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.history.history_actions import HistoryActions
from app.history.records import Session
from app.history.session_sound import SessionSound
from app.history.transcript.transcript_pane import TranscriptPane

ROUNDING_SECONDS = 0.01
BACK_SECONDS = 5.0
"""The step back for hearing something again."""


class TranscriptPlayback(QObject):
    """Plays the sound of a TranscriptPane from the line that a person clicks; the pane follows."""

    def __init__(self, pane: TranscriptPane, commands: HistoryActions, sound: SessionSound) -> None:
        super().__init__(pane)
        self._pane = pane
        self._commands = commands
        self._sound = sound
        self._begins: list[tuple[float, int]] = []  # of the lines that were said: when, and their places
        self._clicked = -1
        self._skips_click = False
        # A second click makes it a double one, which corrects the line.
        self._second_click = QTimer(self, singleShot=True)
        self._second_click.timeout.connect(lambda: self._play_from(self._clicked))
        pane.view.clicked.connect(self._note_click)
        pane.view.double_clicked.connect(self._make_way)
        commands.correct.triggered.connect(self._make_way)
        commands.play.triggered.connect(self._play_or_pause)
        commands.back_5.triggered.connect(lambda: sound.seek(sound.seconds - BACK_SECONDS))
        pane.sound.bar.chosen.connect(sound.seek)
        pane.sound.speed_chosen.connect(sound.set_speed)
        sound.measured.connect(pane.sound.show_length)
        sound.changed.connect(self._show_playing)
        sound.moved.connect(self._follow)

    def show(self, session: Session | None, folder: Path) -> None:
        """Play the sound of the session that the pane shows from now on; `folder` holds the sound."""
        path = sound_of(session, folder)
        self._second_click.stop()
        if session is not None and path != self._sound.path:
            self._pane.sound.show_length(session.seconds)  # until the file is measured
        self._sound.open(path)
        self._pane.sound.setVisible(path is not None)
        for command in (self._commands.play, self._commands.back_5):
            command.setEnabled(path is not None)
        self._pane.sound.bar.setEnabled(path is not None)
        lines = enumerate(self._pane.view.lines)
        self._begins = [(line.seconds, place) for place, line in lines if line.seconds is not None]
        self._follow(self._sound.seconds)

    def skip_click(self) -> None:
        """Ignore the present click on a line: it ended something else."""
        pressed = bool(QApplication.mouseButtons() & Qt.MouseButton.LeftButton)
        self._skips_click = pressed and self._pane.view.viewport().underMouse()

    def _note_click(self, place: int) -> None:
        skips, self._skips_click = self._skips_click, False
        if self._commands.play.isEnabled() and not skips:
            self._clicked = place
            self._second_click.start(QApplication.doubleClickInterval())

    def _make_way(self) -> None:
        self._second_click.stop()
        self._sound.pause()

    def _play_from(self, place: int) -> None:
        """Play from the line at a place on; of a translation from the line that it translates."""
        begins = [seconds for seconds, each in self._begins if each <= place]
        if begins:
            self._sound.play(begins[-1])

    def _play_or_pause(self) -> None:
        if self._sound.is_playing:
            self._sound.pause()
        else:
            self._sound.play()

    def _show_playing(self, playing: bool) -> None:
        self._commands.name_playing(playing)
        self._follow(self._sound.seconds)

    def _follow(self, seconds: float) -> None:
        self._pane.sound.show_time(seconds)
        at = bisect_right(self._begins, seconds + ROUNDING_SECONDS, key=lambda each: each[0]) - 1
        place = self._begins[at][1] if at >= 0 and self._sound.is_playing else None
        line = None if place is None else self._pane.view.line(place)
        self._pane.view.mark_heard(place, None if line is None else line.word_at(seconds + ROUNDING_SECONDS))


def sound_of(session: Session | None, folder: Path) -> Path | None:
    """Return the file with a session's sound: the one kept in this folder, or else the recording.

    Returns None if neither is there, or the session is not over.
    """
    if session is None or session.is_running:
        return None
    files = [folder / session.audio] * bool(session.audio) + [Path(session.recording)] * bool(session.recording)
    return next((path for path in files if path.is_file()), None)
