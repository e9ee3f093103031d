"""Debian's packages: downloaded, read, and never installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from engine.errors import EngineError

Files = dict[str, bytes]
"""Contents of files by their path in a package."""


class PackageError(EngineError):
    """A package that cannot be had or read."""


def read_packages(names: Sequence[str], wanted: re.Pattern[str]) -> Files:
    """Download packages and return their files whose path is wanted; "a|b" is a or else b.

    Raises:
        PackageError: this is no Debian, or there is no such package.
    """
    for tool in ("apt-get", "dpkg-deb"):
        if not shutil.which(tool):
            raise PackageError(f"{tool} is missing: aligned text is read from Debian's packages.")
    files: Files = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            files |= files_of(_download(name, Path(folder)), wanted)
    return files


def files_of(package: Path, wanted: re.Pattern[str]) -> Files:
    """Return the files of a package whose path is wanted. PackageError where it cannot be read."""
    found: Files = {}
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as unpacked:
        try:
            with tarfile.open(fileobj=unpacked.stdout, mode="r|") as members:
                for member in members:
                    path = member.name.removeprefix("./")
                    if member.isfile() and wanted.search(path) and (file := members.extractfile(member)):
                        found[path] = file.read()
        except tarfile.TarError as error:
            raise PackageError(f"{package.name} cannot be read ({error}).") from error
    return found


def _download(name: str, folder: Path) -> Path:
    for choice in name.split("|"):
        command = ["apt-get", "-o", "APT::Sandbox::User=root", "download", "-qq", choice]
        if subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0:
            return max(folder.glob(f"{choice}_*.deb"))
    raise PackageError(f"apt-get cannot download {name.replace('|', ' or ')}.")
