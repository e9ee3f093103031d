"""Libraries that the oldest supported Mac would not load are found by their headers. Mac review M11."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest

from resources.bundle import mach_o
from resources.bundle.mach_o import Slice, problems, refuse_unloadable, slices
from resources.bundle.macos import BuildRefused

ARM64, X86_64 = 0x0100_000C, 0x0100_0007
PROGRAM, LIBRARY, OBJECT = 2, 6, 1


def library(macos: tuple[int, int] = (11, 0), *, kind: int = LIBRARY, cpu: int = ARM64, signed: bool = True) -> bytes:
    """Return the header of a thin Mach-O file: a build version, a command of no interest, a signature."""
    commands = [struct.pack("<IIIIII", 0x32, 24, 1, macos[0] << 16 | macos[1] << 8, 26 << 16, 0)]
    commands.append(struct.pack("<II16s", 0x1B, 24, bytes(16)))
    if signed:
        commands.append(struct.pack("<IIII", 0x1D, 16, 4096, 64))
    body = b"".join(commands)
    return b"\xcf\xfa\xed\xfe" + struct.pack("<IIIIIII", cpu, 0, kind, len(commands), len(body), 0, 0) + body


def old_library(macos: tuple[int, int]) -> bytes:
    """Return a header that names its macOS by the older command."""
    body = struct.pack("<IIII", 0x24, 16, macos[0] << 16 | macos[1] << 8, 0) + struct.pack("<IIII", 0x1D, 16, 0, 0)
    return b"\xcf\xfa\xed\xfe" + struct.pack("<IIIIIII", ARM64, 0, LIBRARY, 2, len(body), 0, 0) + body


def universal(*parts: bytes, wide: bool = False) -> bytes:
    """Return a file of several architectures, with 32-bit or 64-bit offsets."""
    entry = ">IIQQII" if wide else ">IIIII"
    start = 8 + len(parts) * struct.calcsize(entry)
    header = (b"\xca\xfe\xba\xbf" if wide else b"\xca\xfe\xba\xbe") + struct.pack(">I", len(parts))
    for part in parts:
        cpu = struct.unpack_from("<I", part, 4)[0]
        header += struct.pack(entry, cpu, 0, start, len(part), 0, *([0] if wide else []))
        start += len(part)
    return header + b"".join(parts)


def test_a_header_tells_architecture_oldest_macos_and_whether_there_is_a_signature() -> None:
    assert slices(library((14, 2))) == [Slice("arm64", (14, 2), True)]
    assert slices(library(kind=PROGRAM, signed=False)) == [Slice("arm64", (11, 0), False)]
    assert slices(old_library((10, 9))) == [Slice("arm64", (10, 9), True)]


@pytest.mark.parametrize("wide", [False, True])
def test_a_universal_file_has_a_slice_for_each_architecture(wide: bool) -> None:
    both = universal(library(cpu=X86_64, macos=(10, 13)), library(macos=(15, 0)), wide=wide)
    assert slices(both) == [Slice("x86_64", (10, 13), True), Slice("arm64", (15, 0), True)]


def test_what_a_mac_does_not_load_has_no_slice() -> None:
    java = b"\xca\xfe\xba\xbe" + struct.pack(">HH", 0, 1) + bytes(400)  # a class begins as a universal file does
    assert slices(library(kind=OBJECT)) == slices(b"\x7fELF") == slices(b"") == slices(java) == []


def test_a_cut_header_is_refused() -> None:
    with pytest.raises(ValueError, match="is cut"):
        slices(library()[:50])


def test_each_file_that_would_not_load_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tags of wheels lie: a wheel for macOS 11 may hold a library for macOS 15."""
    app = tmp_path / "Earshot.app" / "Contents" / "Frameworks"
    for name, content in {
        "numpy/fine.so": library((14, 0)),
        "mlx/universal.dylib": universal(library(cpu=X86_64, macos=(15, 0)), library((13, 0))),
        "catap/tap.dylib": library((14, 2)),
        "PySide6/QtCore.abi3.so": library((15, 0)),
        "assets/talk.ogg": b"OggS",
    }.items():
        (app / name).parent.mkdir(parents=True, exist_ok=True)
        (app / name).write_bytes(content)
    refuse_unloadable(app)
    (app / "newer.so").write_bytes(library((14, 1)))
    (app / "catap" / "tap.dylib").write_bytes(library((14, 4)))
    (app / "unsigned.so").write_bytes(library(signed=False))
    (app / "intel.so").write_bytes(library(cpu=X86_64))
    (app / "link.so").symlink_to("newer.so")
    assert problems(app) == [
        "catap/tap.dylib needs macOS 14.4.",
        "intel.so is not for arm64, but for x86_64.",
        "newer.so needs macOS 14.1.",
        "unsigned.so is not signed.",
    ]
    with pytest.raises(BuildRefused, match=r"newer\.so needs macOS 14\.1"):
        refuse_unloadable(app)
    monkeypatch.setattr(sys, "argv", ["mach_o", str(app)])
    assert mach_o.main() == 1
