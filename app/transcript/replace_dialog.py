"""A dialog that asks which words of a transcript are to be replaced by which."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QFormLayout, QLineEdit, QPushButton, QWidget

from app.transcript.replacing import Replacement
from app.widgets.labels import quiet_label
from app.widgets.layouts import in_column
from app.widgets.screen_room import ScreenDialog

WIDTH_PIXELS = 420


class ReplaceDialog(ScreenDialog):
    """Asks for a Replacement, and counts what it would replace.

    Signals:
        chosen: the Replacement.
    """

    chosen = Signal(object)

    def __init__(self, texts: Sequence[str], selected: str, parent: QWidget | None = None) -> None:
        """Replace in these lines; `selected` are the words to begin with."""
        super().__init__(parent)
        self._texts = tuple(texts)
        self.setWindowTitle(self.tr("Replace all"))
        self.old = QLineEdit(" ".join(selected.split()))
        self.new = QLineEdit()
        self.old.setAccessibleName(self.tr("Find"))
        self.new.setAccessibleName(self.tr("Replace by"))
        self.whole = QCheckBox(self.tr("Only &whole words"))
        self.whole.setChecked(True)
        self.same_case = QCheckBox(self.tr("Match &capital letters"))
        self.count = quiet_label("")
        self.buttons = QDialogButtonBox()
        self.replace_button = QPushButton(self.tr("&Replace all"))
        self.replace_button.setProperty("role", "main")
        self.replace_button.setDefault(True)
        self.buttons.addButton(self.replace_button, QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        form = QFormLayout()
        form.addRow(self.tr("&Find"), self.old)
        form.addRow(self.tr("Replace &by"), self.new)
        in_column(form, self.whole, self.same_case, self.count, self.buttons, on=self, margins=(22, 20, 22, 16))
        self.setMinimumWidth(WIDTH_PIXELS)
        self.old.textChanged.connect(self._count)
        self.whole.toggled.connect(self._count)
        self.same_case.toggled.connect(self._count)
        self.buttons.accepted.connect(self._choose)
        self.buttons.rejected.connect(self.reject)
        (self.new if self.old.text() else self.old).setFocus()
        self._count()

    @property
    def replacement(self) -> Replacement:
        return Replacement(self.old.text(), self.new.text(), self.whole.isChecked(), self.same_case.isChecked())

    def _count(self) -> None:
        count = self.replacement.count(self._texts)
        self.count.setText(self.tr("Found: {}").format(count) if self.old.text().strip() else "")
        self.replace_button.setEnabled(count > 0)

    def _choose(self) -> None:
        self.chosen.emit(self.replacement)
        self.accept()
