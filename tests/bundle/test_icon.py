"""The icon as a Mac and a Linux desktop read it."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication, QImage

from resources.bundle.icon import KINDS, icns, write_icon


def entries(data: bytes) -> dict[bytes, bytes]:
    """Read an .icns as the format says: four letters, the length with these eight bytes, a PNG."""
    magic, length = struct.unpack_from(">4sI", data)
    assert (magic, length) == (b"icns", len(data))
    found, at = {}, 8
    while at < length:
        kind, size = struct.unpack_from(">4sI", data, at)
        found[kind] = data[at + 8 : at + size]
        at += size
    assert at == length
    return found


def test_an_icns_holds_a_picture_of_each_size(qapp: QGuiApplication) -> None:
    pictures = entries(icns())
    assert pictures.keys() == KINDS.keys()
    for kind, png in pictures.items():
        image = QImage.fromData(png, "PNG")
        assert image.width() == image.height() == KINDS[kind]
        assert image.pixelColor(0, 0).alpha() == 0
        assert image.pixelColor(image.width() // 2, image.height() // 4).alpha() == 255


def test_a_name_says_what_is_written(qapp: QGuiApplication, tmp_path: Path) -> None:
    assert QImage(str(write_icon(tmp_path / "new" / "earshot.png"))).width() == 512
    assert write_icon(tmp_path / "Earshot.icns").read_bytes()[:4] == b"icns"
    with pytest.raises(ValueError, match=r"not in '\.ico'"):
        write_icon(tmp_path / "earshot.ico")
