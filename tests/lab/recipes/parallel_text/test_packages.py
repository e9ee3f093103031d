"""Packages of Debian, read without being installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lab.recipes.parallel_text.packages import PackageError, files_of, read_packages


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="packages are made by dpkg-deb")
def test_only_the_files_that_are_wanted_are_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "DEBIAN" / "control").write_text(
        "Package: a\nVersion: 1\nArchitecture: all\nMaintainer: x\nDescription: x\n"
    )
    (root / "usr").mkdir()
    (root / "usr" / "a.mo").write_bytes(b"wanted")
    (root / "usr" / "a.png").write_bytes(b"not")
    package = tmp_path / "a.deb"
    subprocess.run(["dpkg-deb", "--build", root, package], check=True, capture_output=True)
    assert files_of(package, re.compile(r"\.mo$")) == {"usr/a.mo": b"wanted"}
    package.write_bytes(b"broken")
    with pytest.raises(PackageError, match=r"a\.deb cannot be read"):
        files_of(package, re.compile("."))


def test_another_system_is_told_that_it_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda tool: None)
    with pytest.raises(PackageError, match="apt-get is missing"):
        read_packages(["a"], re.compile("."))
