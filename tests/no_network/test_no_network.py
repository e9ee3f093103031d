"""No command touches the network, nor listens on it; only an asked-for download tries to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.models.catalogue import catalogue

ROOT = Path(__file__).resolve().parents[2]


def run(
    tried: Path, *arguments: str, said: str = "", module: tuple[str, ...] = ("-m", "app")
) -> subprocess.CompletedProcess[str]:
    """Run a command with the network forbidden; what it tries is written into `tried`."""
    tried.touch()
    surroundings = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"} | {
        "PYTHONPATH": os.pathsep.join((str(Path(__file__).parent), str(ROOT))),
        "EARSHOT_TRIED_NETWORK": str(tried),
        "HF_HUB_OFFLINE": "0",
        "HOME": str(tried.parent),
        "XDG_CONFIG_HOME": str(tried.parent / "config"),
        "XDG_DATA_HOME": str(tried.parent / "data"),
        "XDG_CACHE_HOME": str(tried.parent / "cache"),
    }
    command = [sys.executable, *module, *arguments]
    return subprocess.run(command, cwd=ROOT, env=surroundings, input=said, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("demo", "--fast", "--json", "--translate", "de"), ""),
        (("translate", "--to", "fr"), "Good morning.\n"),
        (("ask", "What is your name?", "--silent"), ""),
        (("models",), ""),
        (("doctor",), ""),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_command_needs_no_network(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    if any(catalogue()[name].local_folder() is None for name in ("starter", "starter-language")):
        pytest.skip("the starter models are not in this checkout")
    tried = tmp_path / "tried.txt"
    done = run(tried, *arguments, said=said)
    assert tried.read_text(encoding="utf-8") == ""
    assert not (tmp_path / "cache" / "Microsoft").exists()  # the guard sees no library that is not in Python
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_guard_sees_what_is_tried(tmp_path: Path) -> None:
    tried = tmp_path / "tried.txt"
    done = run(tried, "-c", "import socket; socket.create_connection(('192.0.2.1', 80))", module=())
    assert "192.0.2.1" in tried.read_text(encoding="utf-8")
    assert "The network is forbidden here." in done.stderr
