"""Actions on the sessions that are selected in the history's list, one or several."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from shiboken6 import isValid

from app.history.archive import Archive
from app.history.changes import Changes
from app.history.exports import TranscriptExports
from app.history.history_actions import HistoryActions
from app.history.kept.audio_files import audio_folder
from app.history.kept.joined_audio import begins_of
from app.history.records import Session, Transcript
from app.history.sessions_pane import SessionsPane
from app.history.transcript_playback import sound_of
from app.look.text_layout import shortened
from app.preferences.settings import Settings

TITLE_CHARACTERS = 40


class SessionWork(QObject):
    """Deletes, exports, joins and transcribes again the selected sessions.

    Signals:
        transcription_wanted: the Path of a sound to transcribe, and its title.
        refused: why something cannot be done, in one sentence.
    """

    transcription_wanted = Signal(object, str)
    refused = Signal(str)
    _joined = Signal(object)

    def __init__(
        self,
        archive: Archive,
        settings: Settings,
        sessions: SessionsPane,
        commands: HistoryActions,
        changes: Changes,
        exports: TranscriptExports,
    ) -> None:
        super().__init__(sessions)
        self._archive = archive
        self._settings = settings
        self._sessions = sessions
        self._commands = commands
        self._changes = changes
        self._exports = exports
        self._is_joining = False
        sessions.selected_changed.connect(self.refresh)
        sessions.deletion_wanted.connect(self.delete)
        sessions.menu_wanted.connect(self._open_menu)
        commands.delete.triggered.connect(self.delete)
        commands.export.triggered.connect(self.export)
        commands.transcribe.triggered.connect(self.transcribe)
        commands.show_file.triggered.connect(self.show_file)
        commands.join.triggered.connect(self.join)
        self._joined.connect(self._keep_joined)

    def refresh(self) -> None:
        """Adapt the actions to the selected sessions."""
        meant, commands = self._sessions.meant, self._commands
        over = [each for each in meant if not each.is_running]
        commands.name_count(len(meant))
        commands.export.setEnabled(bool(meant))
        commands.transcribe.setVisible(self._sound() is not None)
        commands.join.setVisible(len(meant) > 1)
        commands.join.setEnabled(len(self._joinable()) > 1 and not self._is_joining)
        commands.delete.setEnabled(bool(over))
        commands.delete.setStatusTip(self._why_not_deleted(meant[0]) if meant and not over else "")

    def delete(self) -> None:
        """Delete the selected sessions, which can be undone; sessions that are still running stay."""
        meant = self._sessions.meant
        over = [each for each in meant if not each.is_running]
        if over:
            self._commands.delete.setEnabled(False)
            self._sessions.choose_neighbour({each.id for each in over})
            self._changes.delete([each.id for each in over], self._told_deleted(over))
        elif meant:
            self.refused.emit(self._why_not_deleted(meant[0]))

    def export(self) -> None:
        """Ask how the selected sessions are to be exported."""
        ids = [each.id for each in self._sessions.meant]
        if ids:
            self._archive.ask(lambda store: [store.transcript(each) for each in ids], self._ask_for_export)

    def join(self) -> None:
        """Make one session of the selected ones, the earliest first, with their sound; it can be undone."""
        meant = self._joinable()
        if len(meant) < 2 or self._is_joining:
            return
        folder = audio_folder(self._archive.path)
        parts = [(sound_of(each, folder), each.seconds) for each in meant]
        ids = [each.id for each in meant]
        self._is_joining = True
        self.refresh()

        def work() -> None:  # an hour of sound takes a while
            try:
                begins, name = begins_of(parts, folder)
            except Exception as error:  # whatever FFmpeg or the disk raises
                found: object = str(error) or type(error).__name__
            else:
                found = ids, begins, name
            if isValid(self):
                self._joined.emit(found)

        threading.Thread(target=work, name="joining sessions", daemon=True).start()

    @Slot(object)
    def _keep_joined(self, found: object) -> None:
        self._is_joining = False
        if isinstance(found, tuple):
            ids, begins, name = found
            self._changes.join(ids, begins, name, self.tr("{} sessions are one now.").format(len(ids)))
        else:
            self.refused.emit(self.tr("The sessions could not be joined: {}").format(found))
        self.refresh()

    def _joinable(self) -> list[Session]:
        """Return the selected sessions if they can be joined, the earliest first."""
        meant = self._sessions.meant
        can = all(each.kind == "captions" and not each.is_running for each in meant)
        return sorted(meant, key=lambda each: each.began) if can else []

    def transcribe(self) -> None:
        """Transcribe the sound of the selected session once more, into a session beside it."""
        sound = self._sound()
        if sound is not None:
            self.transcription_wanted.emit(sound, self._sessions.model.title_of(self._sessions.meant[0]))

    def show_file(self) -> None:
        """Open the folder of the file that belongs to the first selected session."""
        file = self._file()
        if file is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(file.parent)))

    def _ask_for_export(self, transcripts: list[Transcript]) -> None:
        title_of = self._sessions.model.title_of
        self._exports.ask([(title_of(each.session), each) for each in transcripts if each.session is not None])

    def _open_menu(self, where: QPoint) -> None:
        self.refresh()  # a file may have gone meanwhile
        self._commands.show_file.setVisible(self._file() is not None)
        self._commands.session_menu(self._sessions.window()).popup(where)

    def _sound(self) -> Path | None:
        """Return the sound of the one selected session; None too if a transcript of it would not be kept."""
        meant = self._sessions.meant
        if len(meant) != 1 or not self._settings.preferences.history.keeps:
            return None
        return sound_of(meant[0], audio_folder(self._archive.path))

    def _file(self) -> Path | None:
        """Return the exported file, or the recording, if one of them still exists."""
        files = [name for each in self._sessions.meant[:1] for name in (each.exported, each.recording) if name]
        return next((Path(name) for name in files if Path(name).is_file()), None)

    def _told_deleted(self, sessions: list[Session]) -> str:
        if len(sessions) > 1:
            return self.tr("{} sessions were deleted.").format(len(sessions))
        title = self._sessions.model.title_of(sessions[0])
        return self.tr("“{}” was deleted.").format(shortened(title, TITLE_CHARACTERS))

    def _why_not_deleted(self, session: Session) -> str:
        if session.kind == "conversation":
            return self.tr("This conversation is still open: begin a new one, then it can be deleted.")
        return self.tr("This is still being recorded: stop it, then it can be deleted.")
