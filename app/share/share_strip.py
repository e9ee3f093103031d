"""A strip at the foot of the window, as long as others can read along."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.share.page_server import PageServer
from app.widgets.labels import ElidedLabel
from app.widgets.layouts import in_row


class ShareStrip(QWidget):
    """Shows that the page is open, and closes it.

    Signals:
        show_wanted: show the page's address.
    """

    show_wanted = Signal()

    def __init__(self, page: PageServer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page = page
        self.setObjectName("transport")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.text = ElidedLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.show_button = QPushButton(self.tr("Show code"))
        self.close_button = QPushButton(self.tr("Close page"))
        for button in (self.show_button, self.close_button):
            button.setProperty("role", "link")
        self.show_button.clicked.connect(self.show_wanted)
        self.close_button.clicked.connect(page.close)
        in_row((self.text, 1), self.show_button, self.close_button, on=self, margins=(16, 2, 12, 2), spacing=12)
        page.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        self.setVisible(bool(self._page.url))
        self.text.setText(self.tr("Reading along: {}").format(self._page.readers))
