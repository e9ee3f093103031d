"""The documentation in a window of its own, read from the files that come with Earshot."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QAction, QDesktopServices, QKeySequence, QTextDocument
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QLabel, QPushButton, QTextBrowser, QTextEdit, QWidget

from app.preferences.program import FOLDER
from app.widgets.layouts import Stretch, in_column, in_row
from app.widgets.rows import combo
from app.widgets.screen_room import ScreenDialog

START = "README.md"
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")


class _Page(QTextBrowser):
    """A page that the tab key leaves; there are too many links to pass through them."""

    def focusNextPrevChild(self, forth: bool) -> bool:
        return QTextEdit.focusNextPrevChild(self, forth)


class Documentation(ScreenDialog):
    """Shows the README and the pages that it links to; a link to the network opens in the browser, and only then.

    Attributes:
        text: the page.
        pages: all pages, to choose from.
    """

    def __init__(self, folder: Path = FOLDER, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._visited: list[str] = []
        self.setWindowTitle(self.tr("Documentation"))
        self.text = _Page()
        self.text.setAccessibleName(self.tr("Documentation"))
        self.text.setOpenLinks(False)
        self.text.anchorClicked.connect(self._follow)
        self.back = QPushButton(self.tr("&Back"))
        self.back.clicked.connect(self.go_back)
        self.pages = combo()
        self.pages.setAccessibleName(self.tr("Page"))
        self.pages.addItems([START, *sorted(f"docs/{each.name}" for each in (folder / "docs").glob("*.md"))])
        self.pages.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.pages.textActivated.connect(self.show_page)
        back = QAction(self)
        back.setShortcut(QKeySequence(QKeySequence.StandardKey.Back))
        back.triggered.connect(self.go_back)
        self.addAction(back)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        label = QLabel(self.tr("&Page"))
        label.setBuddy(self.pages)
        above = in_row(self.back, label, self.pages, Stretch(1), buttons)
        in_column(above, (self.text, 1), on=self, margins=(16, 12, 16, 16), spacing=10)
        self.text.setFocus()
        self.resize(820, 640)
        self.show_page(START)

    @property
    def page(self) -> str:
        """Path of the page, from the folder of the documentation."""
        return self._visited[-1]

    def show_page(self, page: str) -> None:
        """Show a page, given its path from the folder of the documentation."""
        self._visited.append(page)
        self._render()

    def go_back(self) -> None:
        """Return to the page before."""
        if len(self._visited) > 1:
            self._visited.pop()
            self._render()

    def _render(self) -> None:
        path = self._folder / self.page
        self.text.document().setBaseUrl(QUrl.fromLocalFile(str(path)))
        text = _PICTURE.sub("", _read(path))  # they are wider than the window
        self.text.document().setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
        self.text.moveCursor(self.text.textCursor().MoveOperation.Start)
        self.back.setEnabled(len(self._visited) > 1)
        self.pages.setCurrentIndex(max(0, self.pages.findText(self.page)))

    def _follow(self, link: QUrl) -> None:
        """Show another page, or open what is none in the program for it."""
        target = self.text.document().baseUrl().resolved(link)
        path = Path(target.toLocalFile())
        is_ours = target.isLocalFile() and path.is_relative_to(self._folder) and path.exists()
        if is_ours and path.suffix == ".md":
            self.show_page(str(path.relative_to(self._folder)))
        elif is_ours or not target.isLocalFile():
            QDesktopServices.openUrl(target)


def _read(path: Path) -> str:
    """Return the text of a page; of the first one, where there is no file, that of the installed package."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        from importlib.metadata import PackageNotFoundError, distribution

        try:
            about = distribution("earshot").read_text("METADATA") or ""
        except PackageNotFoundError:
            return ""
        return about.partition("\n\n")[2]  # behind the headers
