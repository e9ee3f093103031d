"""The parts of Earshot outside its window: tray icon, system-wide keys, captions above everything."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction

from app.actions import Actions
from app.assistant.live_assistant import LiveAssistant
from app.captions.session import LiveSession
from app.desktop.dictation import Dictation
from app.desktop.hotkey import Hotkeys
from app.desktop.meetings import Meetings
from app.desktop.orders import Orders
from app.desktop.tray import Tray
from app.desktop.wakefulness import Wakefulness
from app.look.theme import Theme
from app.overlay.overlay import Overlay
from app.preferences.settings import Settings


class Desktop(QObject):
    """Tray, hotkeys and overlay.

    Attributes:
        meetings: offers captions when another program listens.
        orders: carries out what the command line asks for.

    Signals:
        window_wanted: bring the main window to the front.
        overlay_settings_wanted: show the settings of the overlay.
    """

    window_wanted = Signal()
    overlay_settings_wanted = Signal()

    def __init__(
        self,
        session: LiveSession,
        assistant: LiveAssistant,
        settings: Settings,
        theme: Theme,
        actions: Actions,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._actions = actions
        leave = QAction(actions.quit.text(), self)  # macOS moves what has the role of Quit out of any other menu
        leave.setMenuRole(QAction.MenuRole.NoRole)
        leave.triggered.connect(actions.quit.trigger)
        recording = actions.start, actions.pause, actions.stop
        offered = (None, *recording, actions.overlay, actions.click_through, None, leave)
        self.tray = Tray(settings, theme, offered, self)
        self.hotkeys = Hotkeys(settings, parent=self)
        self.overlay = Overlay(session.captions, settings, theme, recording[1:])
        self.dictation = Dictation(session, actions, self)
        self.meetings = Meetings(settings, actions, lambda: session.is_busy or assistant.is_listening, self)
        self.orders = Orders(actions, session, self.dictation, assistant)
        self._wakefulness = Wakefulness(session, assistant, self)
        if self.overlay.limits:
            actions.overlay.setToolTip(self.overlay.limits)
        actions.move_overlay.setEnabled(actions.overlay.isChecked())
        actions.overlay.toggled.connect(actions.move_overlay.setEnabled)
        actions.move_overlay.triggered.connect(self.overlay.take_focus)
        self.tray.window_wanted.connect(self.window_wanted)
        self.overlay.window_wanted.connect(self.window_wanted)
        self.overlay.settings_wanted.connect(self.overlay_settings_wanted)
        session.status_changed.connect(lambda: self.tray.show_recording(session.is_recording))
        self.hotkeys.captions_pressed.connect(self.orders.toggle_captions)
        self.hotkeys.dictation_pressed.connect(self.dictation.toggle)
        for said in (self.dictation.notice_given, self.dictation.refused):
            said.connect(self.tray.say)
            said.connect(self.overlay.face.say_first)
        self.hotkeys.talk_pressed.connect(assistant.press)
        self.hotkeys.talk_released.connect(assistant.release)

    def start(self) -> None:
        """Start what the preferences ask for."""
        self.overlay.follow()
        self.tray.follow()
        self.hotkeys.start()
        self.meetings.start()

    def shut_down(self) -> None:
        """Close everything."""
        self.overlay.close_for_good()
        self.dictation.close()
        self.meetings.stop()
        self.hotkeys.stop()
        self._wakefulness.stop()
        self.tray.close()
