"""Everything a person can do in the window, once: text, keys, and the menus that hold it."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenuBar

from app.theme import Theme

Keys = QKeySequence.StandardKey | str | None


class Actions(QObject):
    """The actions by name. Who can carry one out connects to its `triggered`."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icons: dict[QAction, str] = {}
        standard = QKeySequence.StandardKey
        self.new = self._make(self.tr("&New transcript"), standard.New)
        self.reopen = self._make(self.tr("&Reopen last captions"), "Ctrl+Shift+O")
        self.open_file = self._make(self.tr("&Open audio file…"), standard.Open, "file")
        self.export = self._make(self.tr("E&xport…"), standard.Save, "export")
        self.quit = self._make(self.tr("&Quit"), standard.Quit)
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)
        self.copy = self._make(self.tr("Co&py"), standard.Copy, "copy")
        self.start = self._make(self.tr("&Start captions"), "Ctrl+Return", "record")
        self.stop = self._make(self.tr("S&top"), "Ctrl+.", "stop")
        self.demo = self._make(self.tr("Play &demo"), "Ctrl+D", "demo")
        self.translation = self._make("", "Ctrl+T", "translate")
        self.name_translation(None)
        self.restart_engine = self._make(self.tr("&Restart engine"), None, "restart")
        self.undo_new = self._make(self.tr("&Undo"), None)
        self.newest = self._make(self.tr("Jump to ne&west"), "Ctrl+End", "arrow-down")
        self.larger = self._make(self.tr("&Larger text"), standard.ZoomIn)
        self.smaller = self._make(self.tr("S&maller text"), standard.ZoomOut)
        self.usual_size = self._make(self.tr("&Usual text size"), "Ctrl+0")
        self.about = self._make(self.tr("&About Earshot"), None)
        self.about.setMenuRole(QAction.MenuRole.AboutRole)
        theme.changed.connect(self.take_icons)
        self.take_icons()

    def fill(self, bar: QMenuBar) -> None:
        """Lay the actions out as menus."""
        menus: tuple[tuple[str, tuple[QAction | None, ...]], ...] = (
            (self.tr("&File"), (self.new, self.open_file, self.reopen, None, self.export, None, self.quit)),
            (self.tr("&Edit"), (self.copy,)),
            (
                self.tr("&Captions"),
                (self.start, self.stop, None, self.demo, None, self.translation, None, self.restart_engine),
            ),
            (self.tr("&View"), (self.newest, None, self.larger, self.smaller, self.usual_size)),
            (self.tr("&Help"), (self.about,)),
        )
        for title, actions in menus:
            menu = bar.addMenu(title)
            for action in actions:
                if action is None:
                    menu.addSeparator()
                else:
                    menu.addAction(action)

    def name_translation(self, language: str | None) -> None:
        """Say into which language captions are translated, or that they are not."""
        text = self.tr("Tra&nslate") if language is None else self.tr("Tra&nslate: {}").format(language)
        self.translation.setText(text)

    def take_icons(self) -> None:
        """Fetch the icons in the theme's colours."""
        for action, icon in self._icons.items():
            action.setIcon(self._theme.icon(icon))

    def _make(self, text: str, keys: Keys, icon: str = "") -> QAction:
        action = QAction(text, self)
        action.setIconVisibleInMenu(False)
        if keys is not None:
            action.setShortcut(QKeySequence(keys))
        if icon:
            self._icons[action] = icon
        return action
