"""The packages can be had for every system and Python that the README names."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
UV = shutil.which("uv")
OFFLINE = ("Could not connect", "Failed to fetch", "dns error", "tcp connect error", "offline", "error sending request")


@pytest.mark.skipif(UV is None, reason="needs uv")
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_a_mac_of_macos_14_can_have_all_packages(python: str, tmp_path: Path) -> None:
    assert UV is not None
    out = tmp_path / "pins.txt"
    run = subprocess.run(
        [
            *(UV, "pip", "compile", "--quiet", "--no-build", "--python-platform", "aarch64-apple-darwin"),
            *("--python-version", python, "--output-file", str(out), "pyproject.toml"),
        ],
        cwd=ROOT,
        env={**os.environ, "MACOSX_DEPLOYMENT_TARGET": "14.0"},
        capture_output=True,
        text=True,
    )
    if run.returncode and any(sign in run.stderr for sign in OFFLINE):
        pytest.skip("no index of packages can be reached")
    assert run.returncode == 0, run.stderr
    pins = dict(line.split(" ")[0].split("==") for line in out.read_text().splitlines() if "==" in line)
    assert pins["mlx"] == pins["mlx-metal"] and pins["mlx"].startswith("0.32.")
    assert "catap" in pins and "torch" not in pins and "jeepney" not in pins
