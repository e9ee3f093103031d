"""What a person can do in a conversation, once: text, keys and icons, for buttons and menus."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence

from app.theme import Theme


class AssistantActions(QObject):
    """The actions by name. Who can carry one out connects to its `triggered`."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icons: dict[QAction, str] = {}
        self.listen = self._make(self.tr("Start &listening"), "Ctrl+Shift+Return", "microphone")
        self.send = self._make(self.tr("&Ask"), None, "send")
        self.stop = self._make(self.tr("&Stop answering"), "Ctrl+Shift+.", "stop")
        self.begin_anew = self._make(self.tr("&New conversation"), "Ctrl+Shift+N", "new-conversation")
        self.aloud = self._make(self.tr("Answer al&oud"), "Ctrl+Shift+A", "speaker")
        self.aloud.setCheckable(True)
        self.copy_all = self._make(self.tr("Cop&y conversation"), "Ctrl+Shift+C", "copy")
        self.replay_last = self._make(self.tr("&Play last answer again"), "Ctrl+Shift+P", "speaker")
        self.restart_engine = self._make(self.tr("&Restart the assistant"), None, "restart")
        self.newest = self._make(self.tr("&Jump to newest"), None, "arrow-down")
        theme.changed.connect(self.take_icons)
        self.take_icons()

    @property
    def for_menu(self) -> tuple[QAction | None, ...]:
        """What a menu offers, in order; None is a line."""
        return (
            *(self.listen, self.stop, self.replay_last, None),
            *(self.aloud, None, self.begin_anew, self.copy_all, None, self.restart_engine),
        )

    def name_listening(self, listening: bool) -> None:
        """Say what pressing `listen` does now."""
        self.listen.setText(self.tr("Stop &listening") if listening else self.tr("Start &listening"))

    def take_icons(self) -> None:
        """Fetch the icons in the theme's colours."""
        for action, icon in self._icons.items():
            action.setIcon(self._theme.icon(icon))

    def _make(self, text: str, keys: str | None, icon: str) -> QAction:
        action = QAction(text, self)
        action.setIconVisibleInMenu(False)
        if keys is not None:
            action.setShortcut(QKeySequence(keys))
        self._icons[action] = icon
        return action
