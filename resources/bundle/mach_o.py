"""Check what a Mac would refuse to load: `python -m resources.bundle.mach_o FOLDER…`, on any system.

Reads the headers of every Mach-O file in a built app, or in a folder of packages for a Mac. Tags of wheels do not
suffice: some name an older macOS than their libraries need. Format: Apple's mach-o/loader.h and mach-o/fat.h.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from resources.bundle.macos import OLDEST_MACOS, BuildRefused

ALLOWED = {"catap": (14, 2), "PySide6": (15, 0), "shiboken6": (15, 0)}
"""Newest macOS that the libraries of a package may name though Earshot runs on older ones.

catap is only imported where the system is new enough (`app/sound/process_tap.py`). PySide6 names 15.0 in wheels for
13.0, but all that 6.11.3 imports of the system has been there for longer, and macOS refuses a library only for a
missing symbol.
"""

ARCHITECTURES = {0x0100_0007: "x86_64", 0x0100_000C: "arm64"}
_MAGIC, _FAT_MAGIC, _FAT_64_MAGIC = b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"
_LOADED_KINDS = {2, 6, 8}  # programs, libraries, bundles; an object file is never loaded
_LC_CODE_SIGNATURE, _LC_VERSION_MIN_MACOSX, _LC_BUILD_VERSION = 0x1D, 0x24, 0x32


@dataclass(frozen=True, slots=True)
class Slice:
    """The part of a Mach-O file for one architecture.

    Attributes:
        architecture: "arm64", "x86_64", or the number of another one.
        macos: oldest macOS that loads it, major and minor; (0, 0) where it names none.
        signed: whether it has a signature. Whether the signature is valid only a Mac can tell.
    """

    architecture: str
    macos: tuple[int, int]
    signed: bool


def slices(data: bytes) -> list[Slice]:
    """Return the slices of a file that a Mac can load; none for any other file. ValueError for a cut header."""
    try:
        if data[:4] == _MAGIC:
            return list(_slice(data, 0))
        if data[:4] not in (_FAT_MAGIC, _FAT_64_MAGIC):
            return []
        entry = ">IIIII" if data[:4] == _FAT_MAGIC else ">IIQQII"
        (count,) = struct.unpack_from(">I", data, 4)
        offsets = [struct.unpack_from(entry, data, 8 + index * struct.calcsize(entry))[2] for index in range(count)]
        return [each for offset in offsets if data[offset : offset + 4] == _MAGIC for each in _slice(data, offset)]
    except struct.error as error:
        raise ValueError(f"The header of a Mach-O file is cut: {error}.") from error


def _slice(data: bytes, start: int) -> Iterator[Slice]:
    kind, _, file_kind, commands = struct.unpack_from("<IIII", data, start + 4)
    if file_kind not in _LOADED_KINDS:
        return
    macos, signed, position = (0, 0), False, start + 32
    for _ in range(commands):
        command, size = struct.unpack_from("<II", data, position)
        if command in (_LC_BUILD_VERSION, _LC_VERSION_MIN_MACOSX):
            (version,) = struct.unpack_from("<I", data, position + (12 if command == _LC_BUILD_VERSION else 8))
            macos = (version >> 16, version >> 8 & 0xFF)
        signed = signed or command == _LC_CODE_SIGNATURE
        position += size
    yield Slice(ARCHITECTURES.get(kind, f"{kind:#x}"), macos, signed)


def problems(folder: Path) -> list[str]:
    """Return one sentence for each Mach-O file in a folder that the oldest supported Mac would not load."""
    found = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file() and not each.is_symlink()):
        for_mac = slices(path.read_bytes())
        name, arm64 = path.relative_to(folder), [each for each in for_mac if each.architecture == "arm64"]
        if for_mac and not arm64:
            found.append(f"{name} is not for arm64, but for {', '.join(each.architecture for each in for_mac)}.")
        for each in arm64:
            if not each.signed:
                found.append(f"{name} is not signed.")
            if each.macos > max([OLDEST_MACOS, *(ALLOWED[part] for part in name.parts if part in ALLOWED)]):
                found.append(f"{name} needs macOS {each.macos[0]}.{each.macos[1]}.")
    return found


def refuse_unloadable(app: Path) -> None:
    """Stop a build whose app the oldest supported Mac would not load. BuildRefused names the files."""
    if found := problems(app):
        raise BuildRefused("\n".join(found))


def main() -> int:
    """Print what is wrong in the folders of the command line; return 1 if anything is."""
    found = [problem for folder in sys.argv[1:] for problem in problems(Path(folder))]
    print("\n".join(found) or "Every library is signed, for arm64, and names no newer macOS than is allowed.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
