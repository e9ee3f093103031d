"""Loudness of the recording: a meter for each side, with its name where there are several."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.widgets.layouts import in_row
from app.widgets.level_meter import BARS, LevelMeter

GAP_PIXELS, NAME_GAP_PIXELS = 14, 7


class Levels(QWidget):
    """Shows one meter, or a shorter one a side."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.meters: tuple[LevelMeter, ...] = ()
        self.names: tuple[QLabel, ...] = ()
        self._row = in_row(on=self, margins=0, spacing=NAME_GAP_PIXELS)
        self.show_sides(("",))

    @property
    def newest(self) -> float:
        """The first meter's newest bar, 0 to 1."""
        return self.meters[0].newest

    def show_sides(self, names: Sequence[str]) -> None:
        """Show a meter for each of these sides; a single one needs no name."""
        if tuple(label.text() for label in self.names) == tuple(names):
            return
        while self._row.count():
            item = self._row.takeAt(0)
            if item is not None and (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.meters = tuple(LevelMeter(bars=BARS // len(names)) for _ in names)
        self.names = tuple(QLabel(name) for name in names)
        for number, (label, meter) in enumerate(zip(self.names, self.meters, strict=True)):
            if number:
                self._row.addSpacing(GAP_PIXELS - NAME_GAP_PIXELS)
            label.setProperty("role", "quiet")
            self._row.addWidget(label)
            self._row.addWidget(meter)
            if label.text():
                meter.setAccessibleName(self.tr("Input level: {}").format(label.text()))
            for part, shown in ((label, bool(label.text())), (meter, True)):
                part.setVisible(shown)  # at once: what is not shown yet has no size

    def show_level(self, dbfs: float, side: int = 0) -> None:
        """Add the loudness of what was just heard on a side."""
        if side < len(self.meters):
            self.meters[side].show_level(dbfs)

    def rest(self) -> None:
        """Show that nothing is recorded."""
        for meter in self.meters:
            meter.rest()
