"""A program with one line of text, which says what is in it: run as `python typed_into.py`."""

from __future__ import annotations

import json
import sys

from PySide6.QtWidgets import QApplication, QLineEdit


class Line(QLineEdit):
    def focusInEvent(self, event: object) -> None:
        super().focusInEvent(event)  # type: ignore[arg-type]
        print(json.dumps("ready"), flush=True)


if __name__ == "__main__":
    qt = QApplication(sys.argv)
    line = Line()
    line.textChanged.connect(lambda text: print(json.dumps(text), flush=True))
    line.show()
    line.activateWindow()
    line.setFocus()
    qt.exec()
