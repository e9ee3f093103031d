"""A row for selecting several languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from app.preferences.settings import Settings
from app.widgets.rows import Row

HEIGHT_PIXELS = 150
_CODE = Qt.ItemDataRole.UserRole


class LanguageList(Row):
    """A list of languages with check boxes; checked ones come first when the page is opened."""

    control: QListWidget

    def __init__(
        self, settings: Settings, path: str, name: str, explanation: str, languages: Sequence[tuple[str, str]]
    ) -> None:
        super().__init__(settings, path, QListWidget(), name, explanation)
        self.control.ensurePolished()
        chosen = settings.preferences.captions.allowed_languages
        for code, title in sorted(languages, key=lambda each: each[0] not in chosen):
            item = QListWidgetItem(title, self.control)
            item.setData(_CODE, code)
            item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Unchecked)
        self.control.setFixedHeight(HEIGHT_PIXELS)
        self.control.itemChanged.connect(self._store_checked)

    def show_value(self, value: Any) -> None:
        for place in range(self.control.count()):
            item = self.control.item(place)
            ticked = item.data(_CODE) in value
            item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)

    def _store_checked(self) -> None:
        items = (self.control.item(place) for place in range(self.control.count()))
        self.put(tuple(item.data(_CODE) for item in items if item.checkState() == Qt.CheckState.Checked))
