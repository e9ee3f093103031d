"""The end of the window: it stays in the tray, asks, or lets the app end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum, auto

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMessageBox

from app.preferences.settings import Settings
from app.widgets.question import Question
from app.window.main_window import MainWindow


class Answer(Enum):
    """An answer to the question about a window that is being closed."""

    STAY = auto()
    QUIT = auto()
    CANCEL = auto()


class Closing(QObject):
    """Asks before anything that runs would end with the window."""

    def __init__(
        self,
        window: MainWindow,
        settings: Settings,
        has_icon: Callable[[], bool],
        is_transcribing: Callable[[], bool],
        would_lose_transcripts: Callable[[], bool],
    ) -> None:
        """Guard the end of a window; `has_icon` returns whether an icon in the tray could bring it back.

        `is_transcribing` returns whether files are being transcribed, and `would_lose_transcripts` whether a
        transcript is not saved.
        """
        super().__init__(window)
        self._window = window
        self._has_icon = has_icon
        self._settings = settings
        self._is_transcribing = is_transcribing
        self._would_lose_transcripts = would_lose_transcripts
        self._agreed_to_stop = False
        window.stays, window.may_leave = self.stays, self.may_leave

    def stays(self) -> bool:
        """Hide the window in the tray, if there is one; return whether it is not to be closed.

        The first time it explains this and offers to quit instead.
        """
        if not self._has_icon():
            return False
        if not self._settings.preferences.behaviour.tray_explained:
            answer = self._ask_whether_to_stay()
            if answer is not Answer.STAY:
                self._agreed_to_stop = answer is Answer.QUIT
                return answer is Answer.CANCEL
            self._settings.alter(lambda now: replace(now, behaviour=replace(now.behaviour, tray_explained=True)))
        self._window.hide()
        return True

    def may_leave(self) -> bool:
        """Ask whether to quit while captions run, while files are transcribed, or if a transcript would be lost."""
        agreed, self._agreed_to_stop = self._agreed_to_stop, False
        captions, unfinished, unsaved = (
            self._captions and not agreed,
            self._is_transcribing(),
            self._would_lose_transcripts(),
        )
        if not (captions or unfinished or unsaved):
            return True
        question = Question(self.tr("Quit Earshot"), self._window)
        if captions:
            question.setText(self.tr("Stop captions and quit?"))
        else:
            question.setText(self.tr("Quit although not all transcripts are finished?"))
        begun = self.tr("Transcripts that are not finished begin again when Earshot is started next.")
        lost = self.tr("Transcripts that are not saved will be lost.")
        kept = self._what_is_kept() if captions else ""
        told = (kept, begun if unfinished else "", lost if unsaved else "")
        question.setInformativeText("\n".join(each for each in told if each))
        leave = question.addButton(self.tr("&Quit"), QMessageBox.ButtonRole.DestructiveRole)
        leave.setProperty("role", "stop")
        question.setDefaultButton(question.addButton(QMessageBox.StandardButton.Cancel))
        question.exec()
        return question.clickedButton() is leave

    @property
    def _captions(self) -> bool:
        """Return whether captions run that somebody may miss; nobody misses the demo."""
        captions = self._window.captions
        session = captions.session
        return (session.is_recording or session.is_paused) and captions.picker.source != captions.demo

    def _what_is_kept(self) -> str:
        history, passes_by = self._settings.preferences.history, bool(self._window.captions.session.clock)
        if history.keeps and history.audio and passes_by:
            return self.tr("What was said so far is kept in the history, and so is its sound.")
        if history.keeps:
            return self.tr("What was said so far is kept in the history.")
        return self.tr("What was said so far is lost, because the history is off.")

    def _ask_whether_to_stay(self) -> Answer:
        question = Question(self.tr("Earshot stays in the tray"), self._window)
        question.setIcon(QMessageBox.Icon.Information)
        question.setText(
            self.tr("Captions go on in the background.") if self._captions else self.tr("Earshot stays in the tray.")
        )
        question.setInformativeText(
            self.tr("Its icon brings the window back. This can be switched off in the settings.")
        )
        stay = question.addButton(self.tr("Close the &window"), QMessageBox.ButtonRole.AcceptRole)
        leave = question.addButton(self.tr("&Quit Earshot"), QMessageBox.ButtonRole.DestructiveRole)
        leave.setProperty("role", "stop")
        question.addButton(QMessageBox.StandardButton.Cancel)
        question.setDefaultButton(stay)
        question.exec()
        answers = {stay: Answer.STAY, leave: Answer.QUIT}
        return next((answer for button, answer in answers.items() if question.clickedButton() is button), Answer.CANCEL)
