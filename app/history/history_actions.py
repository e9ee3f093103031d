"""All actions of the history's page, defined once: text, keys, icon."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from app.look.theme import Theme
from app.widgets.labels import literal


class HistoryActions(QObject):
    """The page's actions by name. Whoever carries one out connects to its `triggered`."""

    def __init__(self, theme: Theme, page: QWidget) -> None:
        """Create the actions; their keys work on `page` and everything in it."""
        super().__init__(page)
        self._theme = theme
        self._page = page
        self._icons: dict[QAction, str] = {}
        self.open = self._action(self.tr("&Open"), "")
        self.copy = self._action(self.tr("&Copy"), "copy")
        self.export = self._action("", "export")
        self.translate = self._action(self.tr("Translate…"), "translate")
        self.rename = self._action(self.tr("&Rename"), "rename", "F2")
        self.delete = self._action("", "delete")
        self.transcribe = self._action(self.tr("&Transcribe again…"), "")
        self.find_speakers = self._action(self.tr("Find spea&kers"), "")
        self.split_speaker = self._action("", "")
        self.join = self._action(self.tr("&Join into one"), "")
        self.show_file = self._action(self.tr("&Show in folder"), "folder")
        self.delays = self._action(self.tr("Show de&lays"), "clock")
        self.delays.setCheckable(True)
        self.play = self._action(self.tr("&Play"), "resume", "Space")
        self.play.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)  # else no button could be pressed by it
        self.back_5 = self._action(self.tr("&Back 5 s"), "back-5", "Shift+Space")
        self.back_5.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.correct = self._action(self.tr("C&orrect…"), "rename", "Ctrl+E")
        keys = "Ctrl+Alt+F" if sys.platform == "darwin" else "Ctrl+H"
        self.replace = self._action(self.tr("Replace &all…"), "", keys)
        self.mark = self._action(self.tr("&Mark"), "mark", "Ctrl+J" if sys.platform == "darwin" else "Ctrl+M")
        self.next_mark = self._action(self.tr("Next mar&k"), "", "F4")
        self.back = self._action(self.tr("Back to the list"), "back", "Alt+Left")
        self.next_hit = self._action(self.tr("Next match"), "arrow-down", "F3")
        self.previous_hit = self._action(self.tr("Previous match"), "arrow-up", "Shift+F3")
        self.undo = self._action(self.tr("&Undo"), "", QKeySequence.StandardKey.Undo)
        self.keep = self._action(self.tr("&Keep history"), "history")
        self.name_count(1)

    def name_count(self, count: int) -> None:
        """Add the number of selected sessions to the names of actions on all of them."""
        several = count > 1
        self.export.setText(self.tr("E&xport {}…").format(count) if several else self.tr("E&xport…"))
        self.delete.setText(self.tr("&Delete {}").format(count) if several else self.tr("&Delete"))

    def to_split(self, speaker: str) -> QAction:
        """Return the action that splits a speaker, named after the one who is meant now."""
        self.split_speaker.setData(speaker)
        self.split_speaker.setText(self.tr("Split “{}” by &voice").format(literal(speaker)))
        return self.split_speaker

    def name_playing(self, playing: bool) -> None:
        """Name the play action by what it does now."""
        self.play.setText(self.tr("&Pause") if playing else self.tr("&Play"))
        self._icons[self.play] = "pause" if playing else "resume"
        self.play.setIcon(self._theme.icon(self._icons[self.play]))

    def session_menu(self, parent: QWidget) -> QMenu:
        """Make the menu of the selected sessions; it is deleted when it closes."""
        menu = QMenu(parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions([self.open, self.rename])
        menu.addSeparator()
        menu.addActions([self.join, self.transcribe, self.find_speakers, self.export, self.show_file])
        menu.addSeparator()
        menu.addAction(self.delete)
        return menu

    def refresh_icons(self) -> None:
        """Load the icons in the theme's colours."""
        for action, name in self._icons.items():
            action.setIcon(self._theme.icon(name))

    def _action(self, text: str, icon: str, keys: str | QKeySequence.StandardKey = "") -> QAction:
        action = QAction(text, self)
        action.setIconVisibleInMenu(False)
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._page.addAction(action)
        if icon:
            self._icons[action] = icon
        return action
