"""All actions of the window in one place: text, keys, and menus."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenuBar

from app.look.theme import Theme

Keys = QKeySequence.StandardKey | str | None


class Actions(QObject):
    """The actions by name. Their implementations connect to `triggered`."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icons: dict[QAction, str] = {}
        standard = QKeySequence.StandardKey
        self.new = self._make(self.tr("&New transcript"), standard.New)
        self.reopen = self._make(self.tr("&Reopen last captions"), "Ctrl+Shift+O")
        self.open_file = self._make(self.tr("Pla&y and caption a file…"), standard.Open, "file")
        self.transcribe = self._make(self.tr("&Transcribe files…"), "Ctrl+Shift+T", "file")
        self.export = self._make(self.tr("E&xport…"), standard.Save, "export")
        self.quit = self._make(self.tr("&Quit"), standard.Quit)
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)
        self.close_window = self._make(self.tr("&Close window"), standard.Close)
        # On a Mac, menu items with Qt's own words for these also work in fields that are not Qt's.
        self.cut = self._make(self.tr("Cu&t"), standard.Cut)
        self.copy = self._make(self.tr("Co&py"), standard.Copy, "copy")
        self.paste = self._make(self.tr("P&aste"), standard.Paste)
        self.select_all = self._make(self.tr("Select A&ll"), standard.SelectAll)
        self.start = self._make(self.tr("&Start captions"), "Ctrl+Return", "record")
        self.stop = self._make(self.tr("S&top"), "Ctrl+.", "stop")
        self.pause = self._make("", "Ctrl+P", "pause")
        self.name_pause(paused=False)
        self.demo = self._make(self.tr("Play &demo"), "Ctrl+D", "demo")
        self.mute = self._make_switch(self.tr("&Mute the sound"), "Ctrl+Shift+D", "speaker")
        self.mute.toggled.connect(self._show_muted)
        self.translation = self._make("", "Ctrl+T", "translate")
        self.name_translation(None)
        self.restart_engine = self._make(self.tr("&Restart engine"), None, "restart")
        self.undo_new = self._make(self.tr("&Undo"), None)
        self.newest = self._make(self.tr("Jump to ne&west"), "Ctrl+End", "arrow-down")
        # On a Mac ⌘M minimizes the window in every program.
        mark, back = ("Ctrl+J", "Ctrl+Shift+J") if sys.platform == "darwin" else ("Ctrl+M", "Ctrl+Shift+M")
        self.mark_place = self._make(self.tr("&Mark this moment"), mark, "mark")
        self.return_to_mark = self._make(self.tr("&Return to my marks"), back, "return")
        self.minimise = self._make(self.tr("Mi&nimise"), "Ctrl+M" if sys.platform == "darwin" else None)
        self.find = self._make(self.tr("&Find in transcript…"), standard.Find, "find")
        self.share = self._make(self.tr("&Let others read along…"), None)
        self.private = self._make_switch(self.tr("Pr&ivate session"), "Ctrl+Shift+H")
        self.private.setStatusTip(self.tr("Nothing that is said is kept until this is switched off."))
        self.correct = self._make(self.tr("C&orrect a line"), "Ctrl+E")
        self.replace = self._make(self.tr("Repla&ce all…"), "Ctrl+H" if sys.platform != "darwin" else "Ctrl+Alt+F")
        self.stable_only = self._make_switch(self.tr("Show only words that will not &change"), None)
        self.overlay = self._make_switch(self.tr("&Overlay"), "Ctrl+L", "overlay")
        self.overlay.setIconText(self.tr("Overlay"))
        self.click_through = self._make_switch(self.tr("Clicks &go through the overlay"), "Ctrl+Shift+L")
        self.move_overlay = self._make(self.tr("Move overlay by &keys"), "Ctrl+Alt+L")
        self.notes = self._make_switch(self.tr("N&otes"), "Ctrl+I", "notes")
        self.tuning = self._make_switch(self.tr("&Tuning"), "Ctrl+U", "tuning")
        self.compare = self._make(self.tr("Com&pare with the published method…"), None)
        self.why_silent = self._make(self.tr("&Why is it silent?"), None)
        self.details = self._make_switch(self.tr("Show d&etails"), None)
        self.clock_times = self._make_switch(self.tr("Times of da&y"), None)
        self._add_pages()
        self.larger = self._make(self.tr("&Larger text"), standard.ZoomIn)
        self.smaller = self._make(self.tr("S&maller text"), standard.ZoomOut)
        self.usual_size = self._make(self.tr("De&fault text size"), "Ctrl+0")
        self.about = self._make(self.tr("&About Earshot"), None)
        self.about.setMenuRole(QAction.MenuRole.AboutRole)
        theme.changed.connect(self.refresh_icons)
        self.refresh_icons()

    def _add_pages(self) -> None:
        self.captions_page = self._make_switch(self.tr("&Captions"), "Ctrl+1", "captions")
        self.assistant_page = self._make_switch(self.tr("&Assistant"), "Ctrl+2", "assistant")
        self.history_page = self._make_switch(self.tr("&History"), "Ctrl+3", "history")
        self.models_page = self._make_switch(self.tr("Mo&dels"), "Ctrl+4", "models")
        group = QActionGroup(self)
        for page in self.pages:
            group.addAction(page)
        self.captions_page.setChecked(True)
        self.assistant = AssistantActions(self._theme, self)
        self.add_model = self._make(self.tr("Add a &model folder…"), None, "folder")
        self.settings = self._make(self.tr("&Settings…"), "Ctrl+,", "settings")
        self.settings.setMenuRole(QAction.MenuRole.PreferencesRole)
        self.welcome = self._make(self.tr("&Welcome to Earshot"), None)
        self.shortcuts = self._make(self.tr("&Keyboard shortcuts"), "F1")
        self.documentation = self._make(self.tr("&Documentation"), None)
        self.report = self._make(self.tr("&Report a problem…"), None)
        self.newer_version = self._make(self.tr("Is there a &newer Earshot?"), None)

    @property
    def pages(self) -> tuple[QAction, ...]:
        """Actions of the pages, of which the window shows one at a time, in order."""
        return self.captions_page, self.assistant_page, self.history_page, self.models_page

    @property
    def menus(self) -> tuple[tuple[str, tuple[QAction | None, ...]], ...]:
        """The actions as menus by their titles; None is a separator."""
        on_a_mac = sys.platform == "darwin"
        closing = (self.close_window,) if on_a_mac else ()
        editing = (self.cut, self.copy, self.paste, self.select_all, None) if on_a_mac else (self.copy,)
        correcting = self.correct, self.replace
        helping = self.welcome, self.documentation, self.shortcuts
        return (
            (
                self.tr("&File"),
                (
                    *(self.new, self.open_file, self.transcribe, self.reopen, None, self.export, None),
                    *(self.add_model, self.settings, None, *closing, self.quit),
                ),
            ),
            (self.tr("&Edit"), (*editing, self.find, None, *correcting, None, self.mark_place, self.return_to_mark)),
            (
                self.tr("&Captions"),
                (
                    *(self.start, self.pause, self.stop, self.private, None, self.demo, self.mute, None),
                    *(self.translation, self.stable_only, None),
                    *(self.overlay, self.move_overlay, self.click_through, self.share, None),
                    *(self.why_silent, self.restart_engine),
                ),
            ),
            (self.tr("&Assistant"), self.assistant.for_menu),
            (
                self.tr("&View"),
                (
                    *self.pages,
                    None,
                    self.notes,
                    self.tuning,
                    self.compare,
                    self.details,
                    self.clock_times,
                    None,
                    self.newest,
                    self.larger,
                    self.smaller,
                    self.usual_size,
                    None,
                    self.minimise,
                ),
            ),
            (self.tr("&Help"), (*helping, None, self.report, self.newer_version, self.about)),
        )

    def fill(self, bar: QMenuBar) -> None:
        """Add the actions to a menu bar."""
        for title, actions in self.menus:
            menu = bar.addMenu(title)
            for action in actions:
                if action is None:
                    menu.addSeparator()
                else:
                    menu.addAction(action)

    def name_pause(self, paused: bool) -> None:
        """Name `pause` by its present effect."""
        self.pause.setText(self.tr("&Go on") if paused else self.tr("&Pause"))
        self._icons[self.pause] = "resume" if paused else "pause"
        self.pause.setIcon(self._theme.icon(self._icons[self.pause]))

    def name_translation(
        self, language: str | None, *, is_spoken: bool = False, behind_seconds: int | None = None
    ) -> None:
        """Show the target language in the action, and whether it is spoken already; or that nothing is translated.

        `behind_seconds` is how far a voice that speaks the translation is behind.
        """
        text = self.tr("Tra&nslate") if language is None else self.tr("Tra&nslate: {}").format(language)
        if is_spoken and language is not None:
            text = self.tr("Tra&nslate: {} (spoken already)").format(language)
        elif behind_seconds is not None and language is not None:
            text = self.tr("Tra&nslate: {} ({} s behind)").format(language, behind_seconds)
        self.translation.setText(text)

    def _show_muted(self, muted: bool) -> None:
        self._icons[self.mute] = "speaker-off" if muted else "speaker"
        self.refresh_icons()

    def refresh_icons(self) -> None:
        """Fetch the icons in the theme's colours."""
        for action, icon in self._icons.items():
            action.setIcon(self._theme.icon(icon))

    def _make_switch(self, text: str, keys: Keys, icon: str = "") -> QAction:
        action = self._make(text, keys, icon)
        action.setCheckable(True)
        return action

    def _make(self, text: str, keys: Keys, icon: str = "") -> QAction:
        action = QAction(text, self)
        action.setIconVisibleInMenu(False)
        if keys is not None:
            action.setShortcut(QKeySequence(keys))
        if icon:
            self._icons[action] = icon
        return action


class AssistantActions(QObject):
    """Actions of a conversation, by name. Their implementations connect to `triggered`."""

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
        theme.changed.connect(self.refresh_icons)
        self.refresh_icons()

    @property
    def for_menu(self) -> tuple[QAction | None, ...]:
        """Actions of a menu, in order; None is a separator."""
        return (
            *(self.listen, self.stop, self.replay_last, None),
            *(self.aloud, None, self.begin_anew, self.copy_all, None, self.restart_engine),
        )

    def name_listening(self, listening: bool) -> None:
        """Name `listen` by its present effect."""
        self.listen.setText(self.tr("Stop &listening") if listening else self.tr("Start &listening"))

    def refresh_icons(self) -> None:
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
