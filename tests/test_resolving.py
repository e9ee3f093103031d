"""Every supported system can install the packages, with every Python that pyproject.toml allows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
UV = shutil.which("uv")
OFFLINE = (
    *("Could not connect", "Failed to fetch", "Failed to download", "dns error", "tcp connect error", "offline"),
    "error sending request",
)

pytestmark = pytest.mark.skipif(UV is None, reason="needs uv")


def allowed_pythons() -> list[str]:
    """Return the minor versions of Python between the bounds of pyproject.toml, oldest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", project["requires-python"])
    assert bounds is not None, "an upper bound keeps uv from fetching a Python that nobody has tried"
    return [f"3.{minor}" for minor in range(int(bounds[1]), int(bounds[2]))]


def run_uv(*arguments: str, folder: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run uv; skip the test where neither an index of packages nor Pythons can be reached."""
    assert UV is not None
    inherited = {name: value for name, value in os.environ.items() if name != "UV_PYTHON"}  # CI names one for itself
    environment = {**inherited, **environment}
    run = subprocess.run([UV, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    if run.returncode and any(sign in run.stderr for sign in OFFLINE):
        pytest.skip("packages or Pythons cannot be downloaded")
    return run


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a folder with the project's requirements, and with the lock if there is one."""
    for name in ("pyproject.toml", "uv.lock"):
        if (ROOT / name).is_file():
            shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def test_a_machine_without_python_gets_one_that_is_allowed(clone: Path) -> None:
    """Mac review H3: uv fetched 3.15, which the lock then refused. Nothing is fetched here: the mirror is no folder."""
    pythons, mirror = str(clone / "pythons"), "file:///nowhere"
    run = run_uv(
        *("sync", "--managed-python", "--dry-run"),
        folder=clone,
        UV_PYTHON_INSTALL_DIR=pythons,
        UV_PYTHON_INSTALL_MIRROR=mirror,
    )
    wanted = re.search(r"cpython-(3\.\d+)", run.stderr)
    assert wanted is not None, run.stderr
    assert wanted[1] in allowed_pythons()


@pytest.mark.parametrize("python", allowed_pythons())
def test_all_packages_can_be_installed_with_a_python_of_uv(python: str, clone: Path) -> None:
    """Mac review H3."""
    run = run_uv(
        *("sync", "--managed-python", "--python", python, "--dry-run"),
        folder=clone,
        UV_PYTHON_INSTALL_DIR=str(clone / "pythons"),
        UV_HTTP_RETRIES="0",
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("python", allowed_pythons())
def test_a_mac_of_macos_14_can_have_all_packages(python: str, tmp_path: Path) -> None:
    out = tmp_path / "pins.txt"
    run = run_uv(
        *("pip", "compile", "--quiet", "--no-build", "--python-platform", "aarch64-apple-darwin"),
        *("--python-version", python, "--output-file", str(out), "pyproject.toml"),
        MACOSX_DEPLOYMENT_TARGET="14.0",
    )
    assert run.returncode == 0, run.stderr
    pins = dict(line.split(" ")[0].split("==") for line in out.read_text().splitlines() if "==" in line)
    assert pins["mlx"] == pins["mlx-metal"] and pins["mlx"].startswith("0.32.")
    assert "catap" in pins and "torch" not in pins and "jeepney" not in pins
