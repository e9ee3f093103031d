"""The step of the first run that chooses the recognition model: the starter, or a better one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QButtonGroup, QFrame, QLabel, QRadioButton, QWidget

from app.models.model_words import ModelWords
from app.welcome.steps import heading, paragraph
from app.widgets.layouts import Spacing, in_column
from engine.loading.library import MEGABYTE, memory_here
from engine.models.catalogue import CatalogueEntry


class ModelStep(QWidget):
    """Offers the starter and models to download; a download starts only when the step is left."""

    def __init__(self, offered: Sequence[CatalogueEntry], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self._names: list[str | None] = []
        column = in_column(
            heading(self.tr("Which model should listen?")),
            Spacing(8),
            paragraph(
                self.tr(
                    "The starter comes with Earshot and understands English. For other languages and fewer mistakes, "
                    "download a larger model once; it then works offline."
                )
            ),
            Spacing(18),
            self._card(None, self.tr("&Starter"), self.tr("English. Nothing to download.")),
            on=self,
            spacing=0,
        )
        words = ModelWords(self)
        for entry in offered:
            about = self.tr("{}. {} to download, uses about {} of memory.").format(
                words.languages(entry.languages),
                words.size(entry.download_megabytes * MEGABYTE),
                words.size(memory_here(entry.kind, entry.memory_megabytes) * MEGABYTE),
            )
            column.addSpacing(10)
            column.addWidget(self._card(entry.name, entry.title, about))
        column.addSpacing(14)
        column.addWidget(paragraph(self.tr("The Models page has every size, and can use models you already have.")))
        column.addStretch(1)
        self._group.buttons()[0].setChecked(True)

    @property
    def wanted(self) -> str | None:
        """Model to download; None for the starter."""
        return self._names[self._group.checkedId()]

    def choose(self, name: str | None) -> None:
        """Select an offered model, or the starter."""
        self._group.button(self._names.index(name)).setChecked(True)

    def _card(self, name: str | None, title: str, about: str) -> QFrame:
        card = QFrame()
        card.setProperty("role", "card")
        button = QRadioButton(title)
        button.setAccessibleDescription(about)
        self._group.addButton(button, len(self._names))
        self._names.append(name)
        text = QLabel(about)
        text.setProperty("role", "quiet")
        text.setWordWrap(True)
        text.setContentsMargins(26, 0, 0, 0)
        in_column(button, text, on=card, margins=(16, 12, 16, 12), spacing=4)
        return card
