"""The page of the assistant before a conversation: examples of questions, and how to ask."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.look.theme import Theme
from app.widgets.layouts import Spacing, Stretch, in_column

TWO_COLUMNS_FROM_PIXELS = 620
SIGN_PIXELS = 56


class EmptyConversation(QWidget):
    """Invites to ask, with examples that ask themselves.

    Signals:
        example_chosen: a question.
    """

    example_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._columns = 0
        self._sign = _centred("", "")
        self.setObjectName("empty")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        title = _centred(self.tr("Ask something"), "title")
        self._advice = _centred("", "quiet")
        self.other_model = QPushButton()
        self.other_model.setProperty("role", "link")
        self.other_model.hide()
        self._privacy = _centred("", "quiet")
        self.show_host("")
        in_column(
            Stretch(5),
            self._sign,
            Spacing(10),
            title,
            Spacing(8),
            self._advice,
            Spacing(22),
            self._examples(),
            Spacing(22),
            (self.other_model, 0, Qt.AlignmentFlag.AlignHCenter),
            self._privacy,
            Stretch(6),
            on=self,
            margins=(28, 20, 28, 20),
        )
        self.advise(holds=False)
        theme.changed.connect(self._refresh_colours)
        self._refresh_colours()

    def offer_model(self, language: str, size: str) -> None:
        """Offer models that answer in a language that the present one does not answer in, else one that answers more.

        `size` is that of its download. "" for both offers none.
        """
        anything = self.tr("Get a model that answers anything ({})…").format(size)
        self.other_model.setText(self.tr("Get a model that answers in {}…").format(language) if language else anything)
        self.other_model.setVisible(bool(language or size))

    def show_host(self, host: str) -> None:
        """Show where it thinks: on this computer, or, if there is a `host`, on that one."""
        self._privacy.setText(
            self.tr("It listens and speaks on this computer. Your questions go to {}.").format(host)
            if host
            else self.tr("It listens, thinks and speaks on this computer. Nothing leaves it.")
        )

    def advise(self, *, holds: bool) -> None:
        """Explain how to ask aloud."""
        self._advice.setText(
            self.tr("Hold the button below and speak, or type. Or try one of these:")
            if holds
            else self.tr("Start listening and speak, or type. Or try one of these:")
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(2 if self.width() >= TWO_COLUMNS_FROM_PIXELS else 1)

    def show_sign(self, shown: bool) -> None:
        """Show the sign above the examples, or leave its room to them."""
        self._sign.setVisible(shown)

    def _refresh_colours(self) -> None:
        self._sign.setPixmap(self._theme.icon("assistant", "accent").pixmap(SIGN_PIXELS, SIGN_PIXELS))

    def _examples(self) -> QGridLayout:
        questions = (
            self.tr("How do I make a good cup of tea?"),
            self.tr("Tell me a short story."),
            self.tr("What is Earshot?"),
            self.tr("What did I miss?"),
        )
        self.examples = tuple(QPushButton(question) for question in questions)
        for button in self.examples:
            question = button.text()
            button.setAccessibleName(self.tr("Ask: {}").format(question))
            button.setMinimumWidth(1)  # so that the window may be narrow; then they are below each other
            button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            button.clicked.connect(lambda _=False, question=question: self.example_chosen.emit(question))
        grid = self._grid = QGridLayout()
        grid.setSpacing(10)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(3, 1)
        self._arrange(2)
        return grid

    def _arrange(self, columns: int) -> None:
        if columns != self._columns:
            self._columns = columns
            for place, button in enumerate(self.examples):
                self._grid.addWidget(button, place // columns, 1 + place % columns)


def _centred(text: str, role: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", role)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setWordWrap(True)
    return label
