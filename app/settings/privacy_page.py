"""Folders of stored data, and all settings at once: export, import, reset."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton

from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.settings.page import SettingsPage
from app.widgets.labels import quiet_label
from app.widgets.layouts import in_row
from app.widgets.rows import TextRow


class PrivacySettings(SettingsPage):
    """The page about data that leaves this computer (only requested downloads do), and about all settings at once.

    Signals:
        export_wanted, import_wanted, reset_wanted: export, import or reset all settings.
    """

    export_wanted = Signal()
    import_wanted = Signal()
    reset_wanted = Signal()

    def __init__(self, title: str, settings: Settings, here: Surroundings) -> None:
        super().__init__(settings, title)
        self._folder = here.data_folder
        self.card(
            self.tr("What leaves this computer"),
            quiet_label(
                self.tr(
                    "Nothing you say, hear or type. Listening, translating and answering happen here, and nobody is "
                    "told that you use Earshot. Only models are downloaded, and only when you ask for one."
                )
            ),
            TextRow(
                settings,
                "behaviour.mirror",
                self.tr("Download models f&rom"),
                self.tr("If Hugging Face cannot be reached: the address of a mirror."),
                "https://huggingface.co",
            ),
        )
        folder = QLabel(str(here.data_folder))
        folder.setWordWrap(True)
        folder.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        folder.setAccessibleName(self.tr("Folder"))
        self.open = self._button(self.tr("&Open the folder"), self._open_folder)
        self.card(
            self.tr("Where everything is kept"),
            quiet_label(self.tr("Settings and history are in this folder, which only you can read.")),
            folder,
            _row(self.open),
        )
        self.card(
            self.tr("All settings"),
            quiet_label(self.tr("Take them to another computer, or start over. Both can be undone.")),
            _row(
                self._button(self.tr("&Export…"), self.export_wanted.emit),
                self._button(self.tr("&Import…"), self.import_wanted.emit),
            ),
            _row(self._button(self.tr("Reset to &defaults"), self.reset_wanted.emit)),
        )

    def _button(self, text: str, slot: object) -> QPushButton:
        button = QPushButton(text)
        button.setAccessibleName(text.replace("&", "").rstrip("…"))
        button.clicked.connect(slot)
        return button

    def _open_folder(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))


def _row(*buttons: QPushButton) -> QHBoxLayout:
    row = in_row(spacing=10)
    for button in buttons:
        row.addWidget(button)
    row.addStretch(1)
    return row
