"""The step of the first run that asks for languages, and chooses the recognition model that they need."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QButtonGroup, QComboBox, QFrame, QGridLayout, QLabel, QRadioButton, QWidget

from app.look.language_names import language_name
from app.models.model_words import ModelWords
from app.preferences.heard_languages import HEARD_LANGUAGES
from app.welcome.steps import heading, paragraph
from app.widgets.layouts import Spacing, in_column
from app.widgets.rows import combo
from engine.loading.library import MEGABYTE, memory_here
from engine.models.catalogue import CatalogueEntry

SEVERAL = ""
"""The code that stands for several languages, and, of those that are read, for the spoken one."""


class ModelStep(QWidget):
    """Asks what is spoken and read, and offers the starter and models to download.

    The choice of a spoken language selects the model that it needs.

    Attributes:
        heard, read: the languages to choose from, by their codes.
    """

    def __init__(
        self, offered: Sequence[CatalogueEntry], best: str, spoken: str, parent: QWidget | None = None
    ) -> None:
        """Offer models, of which `best` is recommended for languages other than English; propose a `spoken` one."""
        super().__init__(parent)
        self._best = best
        self._are_chosen = False  # whether a person has chosen languages
        self.heard = _languages(self.tr("Several languages"), self.tr("Spoken language"))
        self.read = _languages(self.tr("As it is spoken"), self.tr("Language to read"))
        self.heard.setCurrentIndex(max(0, self.heard.findData(spoken)))
        self._group = QButtonGroup(self)
        self._names: list[str | None] = []
        self._titles: list[str] = []
        column = in_column(
            heading(self.tr("What do you hear and read?")),
            Spacing(12),
            self._ask(),
            Spacing(14),
            paragraph(
                self.tr(
                    "The starter comes with Earshot and understands English. For other languages and fewer mistakes, "
                    "download a larger model once; it then works offline."
                )
            ),
            Spacing(12),
            self._card(None, self.tr("&Starter"), self.tr("English. Nothing to download.")),
            on=self,
            spacing=0,
        )
        words = ModelWords(self)
        for entry in offered:
            about = self.tr("{}. {} to download, uses about {} of memory.").format(
                words.languages(entry),
                words.size(entry.download_megabytes * MEGABYTE),
                words.size(memory_here(entry.kind, entry.memory_megabytes) * MEGABYTE),
            )
            column.addSpacing(10)
            column.addWidget(self._card(entry.name, entry.title, about))
        column.addSpacing(14)
        column.addWidget(paragraph(self.tr("The Models page has every size, and can use models you already have.")))
        column.addStretch(1)
        self._group.buttons()[0].setChecked(True)
        self.heard.activated.connect(self._choose_language)
        self.read.activated.connect(self._note_choice)
        self._recommend()

    @property
    def languages(self) -> tuple[str, str] | None:
        """The spoken language and the one to be read, SEVERAL for either; None while nobody has chosen them."""
        return (self.heard.currentData(), self.read.currentData()) if self._are_chosen else None

    @property
    def recommended(self) -> str | None:
        """The model that is recommended for the spoken language; None is the starter."""
        return None if self.heard.currentData() == "en" else self._best

    def _ask(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(10)
        grid.setColumnStretch(1, 1)
        for row, (text, box) in enumerate(((self.tr("I &hear"), self.heard), (self.tr("I r&ead"), self.read))):
            label = QLabel(text)
            label.setBuddy(box)
            grid.addWidget(label, row, 0)
            grid.addWidget(box, row, 1)
        return grid

    def _choose_language(self) -> None:
        self._note_choice()
        self._recommend()
        self.choose(self.recommended)

    def _note_choice(self) -> None:
        self._are_chosen = True

    def _recommend(self) -> None:
        """Mark the recommended model."""
        for name, button, title in zip(self._names, self._group.buttons(), self._titles, strict=True):
            button.setText(self.tr("{} (recommended)").format(title) if name == self.recommended else title)

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
        self._titles.append(title)
        text = QLabel(about)
        text.setProperty("role", "quiet")
        text.setWordWrap(True)
        text.setContentsMargins(26, 0, 0, 0)
        in_column(button, text, on=card, margins=(16, 12, 16, 12), spacing=4)
        return card


def _languages(first: str, name: str) -> QComboBox:
    """Make a list of languages by their codes, with a first entry without one."""
    box = combo()
    box.setAccessibleName(name)
    box.addItem(first, SEVERAL)
    for code in sorted(HEARD_LANGUAGES, key=language_name):
        box.addItem(language_name(code), code)
    return box
