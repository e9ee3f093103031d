"""An address as a QR code."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPixmap

MODULE_PIXELS = 6


def qr_code(text: str, pixel_ratio: float = 1.0) -> QPixmap:
    """Draw a QR code, black on white in any theme, with the white margin that readers need."""
    import segno  # needed here alone

    rows = [list(row) for row in segno.make(text, error="m", micro=False).matrix_iter()]
    image = QImage(len(rows[0]), len(rows), QImage.Format.Format_RGB32)
    for y, row in enumerate(rows):
        for x, dark in enumerate(row):
            image.setPixel(x, y, 0xFF000000 if dark else 0xFFFFFFFF)
    side = round(len(rows) * MODULE_PIXELS * pixel_ratio)
    scaled = image.scaled(side, side, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.FastTransformation)
    pixmap = QPixmap.fromImage(scaled)
    pixmap.setDevicePixelRatio(pixel_ratio)
    return pixmap
