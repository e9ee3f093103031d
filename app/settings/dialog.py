"""The settings dialog: a list of pages, a search, and the page; changes have immediate effect."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFileDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from app.look.theme import Theme
from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.settings.assistant_page import AssistantSettings
from app.settings.captions_page import CaptionsSettings
from app.settings.general_page import GeneralSettings
from app.settings.history_page import HistorySettings
from app.settings.inquiry import Inquiry
from app.settings.overlay_page import OverlaySettings
from app.settings.page import SettingsPage
from app.settings.privacy_page import PrivacySettings
from app.settings.sound_page import SoundSettings
from app.settings.translation_page import TranslationSettings
from app.widgets.layouts import Stretch, in_column, in_row
from app.widgets.message_bar import MessageBar
from app.widgets.open_audio import documents_folder
from app.widgets.rows import name_clear_button
from app.widgets.screen_room import ScreenDialog, room_for
from engine.errors import EngineError

if TYPE_CHECKING:
    from app.sound.audio_devices import InputDevice
    from app.sound.output_devices import OutputDevice

Page = TypeVar("Page", bound=SettingsPage)
SIDEBAR_PIXELS = 190
FILE_NAME = "earshot-settings.json"


class SettingsDialog(ScreenDialog):
    """Shows and changes all preferences; it can stay open beside the window.

    Attributes:
        general, captions, translation, overlay, assistant, sound, history, privacy: the pages, created on first use.
        search, sidebar, message, close_button: other parts of the dialog.

    Signals:
        history_deletion_confirmed: delete the whole history; the user has confirmed it.
    """

    history_deletion_confirmed = Signal()

    def __init__(
        self, settings: Settings, theme: Theme, surroundings: Surroundings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._here = surroundings
        self._inquiry = Inquiry(self)
        self._titles = {
            "general": self.tr("General"),
            "captions": self.tr("Captions"),
            "translation": self.tr("Translation"),
            "overlay": self.tr("Overlay"),
            "assistant": self.tr("Assistant"),
            "sound": self.tr("Sound"),
            "history": self.tr("History"),
            "privacy": self.tr("Privacy and files"),
        }
        self.search = QLineEdit()
        self.sidebar = QListWidget()
        self.close_button = QPushButton(self.tr("Close"))
        self._stack = QStackedWidget()
        self.message = MessageBar(theme, self, self._stack.geometry)
        self._none = QLabel(self.tr("No setting matches."))
        self._rail = QWidget()
        self._undo = QAction(self.tr("&Undo"), self)
        self._connect()
        self._lay_out()

    @cached_property
    def general(self) -> GeneralSettings:
        return self._add(GeneralSettings(self._titles["general"], self._settings, self._here))

    @cached_property
    def captions(self) -> CaptionsSettings:
        return self._add(CaptionsSettings(self._titles["captions"], self._settings, self._here, self._inquiry))

    @cached_property
    def translation(self) -> TranslationSettings:
        title = self._titles["translation"]
        return self._add(TranslationSettings(title, self._settings, self._here, self._inquiry))

    @cached_property
    def overlay(self) -> OverlaySettings:
        return self._add(OverlaySettings(self._titles["overlay"], self._settings))

    @cached_property
    def assistant(self) -> AssistantSettings:
        return self._add(AssistantSettings(self._titles["assistant"], self._settings, self._here, self._inquiry))

    @cached_property
    def sound(self) -> SoundSettings:
        return self._add(SoundSettings(self._titles["sound"], self._settings))

    @cached_property
    def history(self) -> HistorySettings:
        page = self._add(HistorySettings(self._titles["history"], self._settings, self._here.data_folder))
        page.deletion_confirmed.connect(self.history_deletion_confirmed)
        return page

    @cached_property
    def privacy(self) -> PrivacySettings:
        page = self._add(PrivacySettings(self._titles["privacy"], self._settings, self._here))
        page.export_wanted.connect(self._ask_for_export)
        page.import_wanted.connect(self._ask_for_import)
        page.reset_wanted.connect(self.reset)
        return page

    @property
    def pages(self) -> tuple[SettingsPage, ...]:
        """All pages, from top to bottom."""
        return tuple(getattr(self, name) for name in self._titles)

    def open_page(self, name: str) -> None:
        """Show the dialog at one of its pages, such as "overlay"."""
        self.search.clear()
        self.sidebar.setCurrentRow(list(self._titles).index(name))
        self.show()
        self.activateWindow()

    def show_inputs(self, devices: Sequence[InputDevice]) -> None:
        """Offer the devices that can be recorded from."""
        self.sound.offer_inputs([(each.name, each.label) for each in devices])

    def show_outputs(self, devices: Sequence[OutputDevice]) -> None:
        """Offer the devices that can play."""
        named = [(each.name, each.label) for each in devices]
        self.sound.offer_outputs(named)
        self.translation.interpreter.offer(named)

    def say_refused(self, path: str, problem: str) -> None:
        """Show why the keys at a path of the preferences are unavailable; an empty text hides the message."""
        self.general.say(path, problem)

    def shut_down(self) -> None:
        """Wait for pending questions, before the app ends."""
        self._inquiry.close()

    def export_to(self, path: Path) -> None:
        """Export all settings to a file; an error is shown."""
        try:
            self._settings.export_to(path)
        except EngineError as error:
            self.message.show_problem(str(error))
        else:
            self.message.show_notice(self.tr("The settings were exported to {}.").format(path))

    def import_from(self, path: Path) -> None:
        """Import all settings from a file; errors and unusable values are shown."""
        try:
            ignored = self._settings.import_from(path)
        except EngineError as error:
            self.message.show_problem(str(error))
            return
        text = self.tr("The settings were imported from {}.").format(path.name)
        if ignored:
            self.message.show_problem("\n".join((text, *ignored)), self._undo)
        else:
            self.message.show_notice(text, self._undo)

    def reset(self) -> None:
        """Reset the settings; this can be undone."""
        self._settings.reset()
        text = self.tr("All settings are back to their defaults. The history and its settings stay as they were.")
        self.message.show_notice(text, self._undo)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return  # it ends typing in a field, and presses no button elsewhere
        super().keyPressEvent(event)

    def _lay_out(self) -> None:
        self.setWindowTitle(self.tr("Settings"))
        self.setMinimumSize(QSize(600, 380))
        self.resize(820, 640)
        self.search.setPlaceholderText(self.tr("Search settings"))
        self.search.setAccessibleName(self.tr("Search settings"))
        self.search.setClearButtonEnabled(True)
        name_clear_button(self.search)
        self.sidebar.setProperty("role", "sidebar")
        self.sidebar.ensurePolished()
        self.sidebar.setAccessibleName(self.tr("Pages of the settings"))
        for title in self._titles.values():
            self.sidebar.addItem(QListWidgetItem(title))
        self._none.setProperty("role", "quiet")
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack.addWidget(self._none)
        self.sidebar.setCurrentRow(0)
        rail = self._rail
        rail.setObjectName("rail")
        rail.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        rail.setFixedWidth(max(SIDEBAR_PIXELS, self.sidebar.sizeHintForColumn(0) + 2 * self.sidebar.frameWidth() + 20))
        left = in_column(on=rail, margins=(0, 12, 0, 0), spacing=0)
        top = in_row(self.search, margins=(10, 0, 10, 0))
        left.addLayout(top)
        left.addWidget(self.sidebar, 1)
        bottom = in_row(Stretch(1), self.close_button, margins=(24, 10, 24, 14))
        right = in_column((self._stack, 1), bottom, spacing=0)
        in_row(rail, (right, 1), on=self, margins=0, spacing=0)
        self.sidebar.setFocus()

    def _connect(self) -> None:
        self.sidebar.currentRowChanged.connect(self._show_page)
        self.search.textChanged.connect(self._search)
        self.search.returnPressed.connect(self.sidebar.setFocus)
        self.close_button.clicked.connect(self.close)
        self._undo.triggered.connect(self._undo_replacement)
        self._settings.failed.connect(self.message.show_problem)
        self._settings.unsaved.connect(self._say_unsaved)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self.search.setFocus)

    def _add(self, page: Page) -> Page:
        self._stack.addWidget(page)
        return page

    def _show_page(self, row: int) -> None:
        if row >= 0:
            page = getattr(self, list(self._titles)[row])
            self._stack.setCurrentWidget(page)
            self._visit_close_last()
            needed = self._rail.width() + page.least_width
            self.setMinimumWidth(max(self.minimumWidth(), min(needed, room_for(self).width())))

    def _say_unsaved(self, why: str) -> None:
        if why:
            self.message.show_problem(why)
        else:
            self.message.drop_passing()

    def _visit_close_last(self) -> None:
        """Make the close button the last in the tab order: pages are created late, and would come after it."""
        if not self.isAncestorOf(self.close_button):
            return  # the button is still being created
        last = self.previousInFocusChain()
        while last is not None and (last.window() is not self or not last.focusPolicy() & Qt.FocusPolicy.TabFocus):
            last = last.previousInFocusChain()
        if last is not None and last is not self.close_button:
            self.setTabOrder(last, self.close_button)

    def _search(self, text: str) -> None:
        found = [page.search(text) > 0 or not text.strip() for page in self.pages]
        for row, is_found in enumerate(found):
            self.sidebar.item(row).setHidden(not is_found)
        if not any(found):
            self._stack.setCurrentWidget(self._none)
        elif not found[max(self.sidebar.currentRow(), 0)]:
            self.sidebar.setCurrentRow(found.index(True))
        else:
            self._show_page(self.sidebar.currentRow())

    def _undo_replacement(self) -> None:
        self._settings.undo()
        self.message.drop_passing()

    def _ask_for_export(self) -> None:
        proposal = str(Path(documents_folder()) / FILE_NAME)
        name, _ = QFileDialog.getSaveFileName(self, self.tr("Export settings"), proposal, self._kinds())
        if name:
            self.export_to(Path(name))

    def _ask_for_import(self) -> None:
        folder = documents_folder()
        name, _ = QFileDialog.getOpenFileName(self, self.tr("Import settings"), folder, self._kinds())
        if name:
            self.import_from(Path(name))

    def _kinds(self) -> str:
        return self.tr("Settings (*.json);;All files (*)")
