"""A dialog for the speaker of lines of a transcript."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QWidget,
)

from app.widgets.labels import literal
from app.widgets.layouts import in_column
from app.widgets.screen_room import ScreenDialog

LONGEST_NAME = 60
MOST_NUMBERED = 50


def side_names() -> tuple[str, str]:
    """Return what the two sides of a call are called before they are renamed."""
    return QCoreApplication.translate("LiveSession", "You"), QCoreApplication.translate("LiveSession", "Call")


def first_names() -> frozenset[str]:
    """Return what speakers are called before a person names them: the sides of a call, and numbers."""
    numbered = [QCoreApplication.translate("LiveSession", "Speaker {}"), *(f"{side} {{}}" for side in side_names())]
    numbers = range(1, MOST_NUMBERED + 1)
    return frozenset((*side_names(), *(name.format(number) for name in numbered for number in numbers)))


def renamed(name: str, lines: int) -> str:
    """Return the sentence that so many lines have another speaker now."""
    if not name:
        text = QT_TRANSLATE_NOOP("SpeakerDialog", "Nobody in particular said this.")
    elif lines == 1:
        text = QT_TRANSLATE_NOOP("SpeakerDialog", "“{}” said this line.")
    else:
        text = QT_TRANSLATE_NOOP("SpeakerDialog", "“{}” said these lines.")
    return QCoreApplication.translate("SpeakerDialog", str(text)).format(name)


class SpeakerDialog(ScreenDialog):
    """Asks for the speaker of some lines, and whether to rename all lines of the same speaker.

    Signals:
        chosen: the name, empty for none, and whether it applies to all lines of these speakers.
    """

    chosen = Signal(str, bool)

    def __init__(
        self,
        speakers: Sequence[str],
        present: Sequence[str],
        parent: QWidget | None = None,
        *,
        everywhere: bool = False,
    ) -> None:
        """Build the dialog; `speakers` are the names used so far, `present` those of the selected lines.

        `everywhere` proposes to rename all lines of that speaker.
        """
        super().__init__(parent)
        self._present = tuple(dict.fromkeys(present))
        only = self._present[0] if len(self._present) == 1 else ""
        self.setWindowTitle(self.tr("Speaker"))
        self.name = QComboBox()
        self.name.setEditable(True)
        self.name.setView(QListView())
        self.name.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.name.setAccessibleName(self.tr("Name"))
        self.name.addItems([each for each in dict.fromkeys(speakers) if each])
        field = QLineEdit()
        self.name.setLineEdit(field)
        self.name.setCurrentText(only)
        field.setAccessibleName(self.name.accessibleName())
        field.setMaxLength(LONGEST_NAME)
        field.setPlaceholderText(self.tr("Nobody in particular"))
        field.selectAll()
        self.everywhere = QCheckBox(self.tr("For &all lines of “{}”").format(literal(only)))
        self.everywhere.setVisible(bool(only))
        self.everywhere.setChecked(everywhere)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.save = QPushButton(self.tr("&Save"))
        self.save.setProperty("role", "main")
        self.buttons.addButton(self.save, QDialogButtonBox.ButtonRole.AcceptRole)
        label = QLabel(self.tr("&Who said this?"))
        label.setBuddy(self.name)
        column = in_column(on=self, spacing=10)
        for part in (label, self.name, self.everywhere):
            column.addWidget(part)
        column.addSpacing(6)
        column.addWidget(self.buttons)
        self.setMinimumWidth(320)
        self.save.setDefault(True)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)

    def _accept(self) -> None:
        name = " ".join(self.name.currentText().split())
        self.accept()
        self.chosen.emit(name, self.everywhere.isChecked() and not self.everywhere.isHidden())
