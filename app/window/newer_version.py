"""The question whether there is a newer Earshot: from the Help menu, or once a week if that was switched on."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QAction, QDesktopServices

from app.preferences.program import version
from app.preferences.releases import Release, ReleaseError, newest_release
from app.preferences.settings import Settings
from app.widgets.message_bar import MessageBar

WEEK_SECONDS = 7 * 24 * 3600.0
LOOK_MILLISECONDS = 3600 * 1000
"""Interval of checks whether a week is over."""


class NewerVersion(QObject):
    """Asks on a thread, and tells what came of it in the window.

    A weekly question says only that there is a newer version: neither that there is none, nor that it failed.
    """

    _answered = Signal(object, bool)

    def __init__(self, settings: Settings, message: MessageBar, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._message = message
        self._asks = False
        self._release: Release | None = None
        self._show = QAction(self.tr("Show it in the &browser"), self)
        self._show.triggered.connect(self._open_page)
        self._answered.connect(self._tell)
        self._timer = QTimer(self, interval=LOOK_MILLISECONDS)
        self._timer.timeout.connect(self.ask_if_due)

    def start(self) -> None:
        """Ask if it is due, now and from time to time."""
        self._timer.start()
        self.ask_if_due()

    def ask(self) -> None:
        """Ask now, and tell the answer, whatever it is."""
        self._start(by_hand=True)

    def ask_if_due(self) -> None:
        """Ask if that was switched on, and the last time is a week ago."""
        chosen = self._settings.preferences.behaviour
        if chosen.asks_weekly and not 0 <= time.time() - chosen.asked_at < WEEK_SECONDS:
            self._start(by_hand=False)

    def _start(self, *, by_hand: bool) -> None:
        if self._asks:
            return
        self._asks = True
        threading.Thread(target=self._find_out, args=(by_hand,), name="newer version", daemon=True).start()

    def _find_out(self, by_hand: bool) -> None:
        try:
            answer: Release | ReleaseError = newest_release()
        except ReleaseError as error:
            answer = error
        self._answered.emit(answer, by_hand)

    @Slot(object, bool)
    def _tell(self, answer: Release | ReleaseError, by_hand: bool) -> None:
        self._asks = False
        if isinstance(answer, Release):  # without an answer it is asked again in an hour
            asked_at = time.time()
            self._settings.alter(lambda now: replace(now, behaviour=replace(now.behaviour, asked_at=asked_at)))
        if isinstance(answer, Release) and answer.is_newer:
            self._release = answer
            told = self.tr("Earshot {} is there. This is {}.").format(answer.version, version())
            self._message.show_notice(told, self._show)
        elif by_hand and isinstance(answer, Release):
            self._message.show_notice(self.tr("This is the newest Earshot, {}.").format(version()))
        elif by_hand:
            self._message.show_problem(str(answer))

    def _open_page(self) -> None:
        if self._release is not None:
            QDesktopServices.openUrl(QUrl(self._release.address))
