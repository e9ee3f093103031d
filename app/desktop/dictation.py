"""Dictation: speech into the microphone, typed into the active program."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication

from app.actions import Actions
from app.captions.session import LiveSession
from app.desktop.typists.typist import TypingRefusal, Typist
from app.look.text_layout import printable
from app.macos.permission import PRIVACY_SETTINGS
from app.preferences.program import is_bundle
from app.sound.audio_sources import Microphone, Source, sides_of
from engine.events import Caption

LAST_WORDS_MILLISECONDS = 20_000
"""Longest wait for the words spoken before the end, while captions go on."""


class Dictation(QObject):
    """Types the words of the microphone's captions once they are committed; drafts are not typed.

    Dictation starts captions of the microphone if none are running. While Earshot itself is the active program, nothing
    is
    typed.

    Attributes:
        chosen_source: returns the source that is, or would be, captioned now.
        make_typist: returns a way of typing into other programs; raises OSError if there is none.
        is_in_front: returns whether Earshot's own window has the keyboard.
        privacy_settings: opens the settings page where a macOS user permits typing.

    Signals:
        notice_given: a sentence about a change of the state.
        refused: the reason why dictation is impossible, as a sentence, and the QAction that helps, or None.
    """

    notice_given = Signal(str)
    refused = Signal(str, object)

    def __init__(self, session: LiveSession, actions: Actions, parent: QObject) -> None:
        super().__init__(parent)
        self.chosen_source: Callable[[], Source | None] = lambda: None
        self.make_typist: Callable[[], Typist] = _typist_of_this_desktop
        self.is_in_front: Callable[[], bool] = lambda: QGuiApplication.focusWindow() is not None
        self.privacy_settings = QAction(self.tr("Open privacy settings"), self)
        self.privacy_settings.triggered.connect(
            lambda: QDesktopServices.openUrl(QUrl(PRIVACY_SETTINGS.format("Accessibility")))
        )
        self._session = session
        self._actions = actions
        self._typist: Typist | None = None
        self._began_captions = False
        self._begin_seconds = self._end_seconds = 0.0  # of the transcript: speech in between is typed
        self._typed: dict[int, int] = {}  # number of processed words, by id of the caption
        self._is_first = True
        self._warned = False
        self._last_words = QTimer(self, singleShot=True, interval=LAST_WORDS_MILLISECONDS)
        self._last_words.timeout.connect(self._close)
        for signal in (session.captions.rowsInserted, session.captions.dataChanged):
            signal.connect(self._note_captions)
        session.finished.connect(self._close)

    @property
    def is_on(self) -> bool:
        """Return whether new speech is typed."""
        return self._typist is not None and self._end_seconds == float("inf")

    @Slot()
    def toggle(self) -> None:
        """Start, or end after the words that have been spoken."""
        if self.is_on:
            self._end()
        else:
            self._begin()

    def close(self) -> None:
        """Stop typing, before the app ends."""
        self._close()

    def _begin(self) -> None:
        self._close()
        source = self.chosen_source()
        if source is None or not isinstance(sides_of(source)[0], Microphone):
            self.refused.emit(self.tr("Dictation needs a microphone: choose one on the Captions page."), None)
            return
        if self.is_in_front():
            self.refused.emit(self._in_front(), None)
            return
        try:
            typist = self.make_typist()
        except OSError:
            self.refused.emit(self.tr("This desktop does not let Earshot type into other programs."), None)
            return
        self._typist = typist
        typist.refused.connect(self._refuse)
        self._end_seconds = float("inf")
        self._is_first, self._warned = True, False
        self._typed = {each.id: len(each.committed) for each in self._session.captions.captions}
        runs = self._session.is_busy and not self._session.is_paused
        self._begin_seconds = self._now() if runs else 0.0
        typist.open()
        if not self.is_on:
            return  # refused at once
        self._began_captions = not runs
        if self._began_captions:
            self._actions.start.trigger()
        self.notice_given.emit(self.tr("Dictation is on: what you say is typed into the program in front."))

    def _end(self) -> None:
        """Wait for the words that were spoken before now."""
        self._end_seconds = self._now()
        if self._began_captions:
            self._actions.stop.trigger()
        else:
            self._last_words.start()
        self.notice_given.emit(self.tr("Dictation is off."))

    def _now(self) -> float:
        """Return the present time in the transcript, in seconds."""
        return self._session.recording_start_seconds + max(self._session.clock_seconds, 0.0)

    @Slot()
    def _close(self) -> None:
        typist, self._typist = self._typist, None
        self._last_words.stop()
        if typist is not None:
            was_on = self._end_seconds == float("inf")
            typist.close()
            typist.deleteLater()
            if was_on:
                self.notice_given.emit(self.tr("Dictation is off."))

    def _refuse(self, refusal: TypingRefusal) -> None:
        sentences = {
            TypingRefusal.DENIED: self.tr("The desktop did not allow Earshot to type into other programs."),
            TypingRefusal.UNREACHABLE: self.tr("This desktop does not let Earshot type into other programs."),
            TypingRefusal.NOT_ALLOWED: self._how_to_allow(),
            TypingRefusal.PASSWORD: self.tr(
                "A program in front asks for a password, or lets no other program type: dictation has ended."
            ),
        }
        self._end_seconds = 0.0
        self._close()
        if self._began_captions and self._session.is_busy:
            self._actions.stop.trigger()
        way_out = self.privacy_settings if refusal is TypingRefusal.NOT_ALLOWED else None
        self.refused.emit(sentences[refusal], way_out)

    def _how_to_allow(self) -> str:
        if is_bundle():
            return self.tr(
                "Allow Earshot in System Settings, Privacy & Security, Accessibility; then start dictation again."
            )
        return self.tr(
            "Allow the terminal that Earshot was started from in System Settings, Privacy & Security, Accessibility; "
            "then start dictation again."
        )

    def _note_captions(self) -> None:
        if self._typist is None:
            return
        model = self._session.captions
        for caption in model.captions:
            if caption.first_text or model.is_corrected(caption.id):
                continue  # what is typed does not change with its line
            if self._typed.get(caption.id, 0) < len(caption.committed) and self._is_mine(caption):
                self._receive(caption)

    def _is_mine(self, caption: Caption) -> bool:
        """Return whether a caption is from the microphone, not from the other side of a call."""
        names = tuple(self._session.speakers.values())
        return len(names) == 1 or caption.speaker not in names[1:]

    def _receive(self, caption: Caption) -> None:
        before = max(self._typed.get(caption.id, 0), caption.moved)
        self._typed[caption.id] = len(caption.committed)
        new = [word for word in caption.committed[before:] if self._begin_seconds <= word.end]
        said = [word for word in new if word.start <= self._end_seconds]
        if said and not caption.is_gap:
            self._type(printable("".join(word.text for word in said)))
        if len(said) < len(new):
            self._close()  # all words before the end have come

    def _type(self, text: str) -> None:
        if self.is_in_front():
            if not self._warned:
                self._warned = True
                self.refused.emit(self._in_front(), None)
            return
        self._warned = False
        if self._typist is not None:
            self._typist.type(text.lstrip() if self._is_first else text)
            self._is_first = False

    def _in_front(self) -> str:
        return self.tr("Dictation types into other programs, not into Earshot: click where the text is to go.")


def _typist_of_this_desktop() -> Typist:
    """Return a typist for this desktop. Raises OSError if there is none."""
    if sys.platform == "darwin":
        from app.desktop.typists.macos import MacTypist

        return MacTypist()
    elif os.environ.get("WAYLAND_DISPLAY"):
        from app.desktop.typists.portal import PortalTypist

        return PortalTypist()
    elif QGuiApplication.platformName() == "xcb":
        from app.desktop.typists.x11 import X11Typist

        return X11Typist()
    else:
        raise OSError("there is no way of typing into other programs here")
