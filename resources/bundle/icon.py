"""The icon as files that a desktop reads: `python -m resources.bundle.icon build/Earshot.icns` makes them of the SVG.

A name that ends in .icns gives a Mac's, one that ends in .png a picture of 512 pixels.
"""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

DRAWING = Path(__file__).resolve().parents[1] / "earshot.svg"
PNG_PIXELS = 512
MARGIN = 0.1  # of the side, on each: a Mac's icons do not fill their square
KINDS = {
    b"icp4": 16,
    b"ic11": 32,
    b"icp5": 32,
    b"ic12": 64,
    b"ic07": 128,
    b"ic13": 256,
    b"ic08": 256,
    b"ic14": 512,
    b"ic09": 512,
    b"ic10": 1024,
}
"""Pixels of a side by the kind of an entry; sizes occur twice, for screens of the usual and of twice the density."""


def write_icon(path: Path) -> Path:
    """Write an .icns or a .png; return the path. ValueError for another ending."""
    if path.suffix not in (".icns", ".png"):
        raise ValueError(f"An icon ends in .icns or .png, not in {path.suffix!r}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(icns() if path.suffix == ".icns" else png(PNG_PIXELS))
    return path


def icns() -> bytes:
    """Return the icon as a Mac reads it: entries of four letters, their length, and a PNG."""
    drawn = {pixels: png(pixels, MARGIN) for pixels in set(KINDS.values())}
    entries = b"".join(
        kind + struct.pack(">I", 8 + len(drawn[pixels])) + drawn[pixels] for kind, pixels in KINDS.items()
    )
    return b"icns" + struct.pack(">I", 8 + len(entries)) + entries


def png(pixels: int, margin: float = 0.0) -> bytes:
    """Draw the icon as a PNG of so many pixels a side, with a transparent margin of a share of them."""
    from PySide6.QtCore import QBuffer, QIODevice, QRectF, Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    room = pixels * margin
    QSvgRenderer(str(DRAWING)).render(painter, QRectF(room, room, pixels - 2 * room, pixels - 2 * room))
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # PySide6's stubs want bytes for the format
    return bytes(buffer.data().data())


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    for name in sys.argv[1:]:
        print(write_icon(Path(name)))
