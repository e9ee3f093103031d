"""Homebrew's description of the disk image."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from resources.bundle.cask import MACOS_NAMES, cask
from resources.bundle.macos import OLDEST_MACOS


def test_a_cask_names_the_image_its_digest_and_the_oldest_macos(tmp_path: Path) -> None:
    image = tmp_path / "Earshot.dmg"
    image.write_bytes(b"an image")
    address = "https://example.org/me/earshot/releases/download/v1.2.3/Earshot.dmg"
    written = cask(image, address, "https://example.org/me/earshot", "1.2.3")
    fields = dict(re.findall(r'^  (version|sha256|url|homepage) "(.+)"$', written, re.MULTILINE))
    assert fields == {
        "version": "1.2.3",
        "sha256": hashlib.sha256(b"an image").hexdigest(),
        "url": address,
        "homepage": "https://example.org/me/earshot",
    }
    assert f'depends_on macos: ">= :{MACOS_NAMES[OLDEST_MACOS[0]]}"' in written
    assert '"#{appdir}/Earshot.app/Contents/MacOS/earshot"' in written
