"""The description by which Homebrew installs Earshot on a Mac: `python -m resources.bundle.cask dist/Earshot.dmg URL`.

URL is the address that the image will have. Only a notarised image is worth it: Homebrew installs no others.
"""

from __future__ import annotations

import argparse
import hashlib
from importlib.metadata import version
from pathlib import Path

from resources.bundle.macos import IDENTIFIER, OLDEST_MACOS

MACOS_NAMES = {14: "sonoma"}
"""Homebrew's names for versions of macOS."""

_CASK = """\
cask "earshot" do
  version "{number}"
  sha256 "{digest}"

  url "{address}"
  name "Earshot"
  desc "Live captions, live translation and a voice assistant, on your own computer"
  homepage "{home}"

  depends_on arch: :arm64
  depends_on macos: ">= :{oldest}"

  app "Earshot.app"
  binary "#{{appdir}}/Earshot.app/Contents/MacOS/earshot"

  zap trash: [
    "~/Library/Application Support/earshot",
    "~/Library/LaunchAgents/{identifier}.plist",
  ]
end
"""


def cask(image: Path, address: str, home: str, number: str) -> str:
    """Return the cask of a disk image that can be had at an address."""
    return _CASK.format(
        number=number,
        digest=hashlib.sha256(image.read_bytes()).hexdigest(),
        address=address,
        home=home,
        oldest=MACOS_NAMES[OLDEST_MACOS[0]],
        identifier=IDENTIFIER,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m resources.bundle.cask", description="Write a cask.")
    parser.add_argument("image", type=Path)
    parser.add_argument("address", help="where the image can be had")
    parser.add_argument("home", help="the project's page")
    parser.add_argument("--out", type=Path, default=Path("dist/earshot.rb"))
    options = parser.parse_args()
    options.out.write_text(cask(options.image, options.address, options.home, version("earshot")), encoding="utf-8")
    print(options.out)
