"""Try a built Earshot: `python -m tests.bundle dist/earshot/earshot`, or the program within Earshot.app.

Every way through it that has its own processes or files: the doctor, a recording captioned and translated, a question,
growing text, a voice of a network, the window. Prints one line for each, and ends with 1 where one fails.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import wave
from collections.abc import Callable
from pathlib import Path

from engine.options import STARTER_VOICE
from engine.speak.kokoro import RATE_HZ
from tests.speak.small_voices import write_kokoro

PATIENCE_SECONDS = 600
WINDOW_SECONDS = 20
NOT_PASSED_ON = "PYTHON", "VIRTUAL_ENV", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"
"""Beginnings of names of variables of this Python, or of a home elsewhere."""

DEMO = Path(__file__).resolve().parents[2] / "assets" / "demo" / "talk.ogg"


class Bundle:
    """A built program, started with nothing of this Python's and in an empty home."""

    def __init__(self, program: Path, home: Path) -> None:
        self._program = program.resolve()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(NOT_PASSED_ON)}
        self._environment = {**kept, "PATH": "/usr/bin:/bin", "HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
        self.home = home

    def run(self, *words: str, given: str = "") -> str:
        """Run a command and return its output. AssertionError if it fails."""
        done = subprocess.run(
            [self._program, *words],
            input=given,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            cwd=self.home,
            env=self._environment,
        )
        assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-600:]}"
        return done.stdout

    def open_window(self) -> None:
        """Open the window with a recording, and close it as at log-out. AssertionError where it ends otherwise."""
        with subprocess.Popen(
            [self._program, str(DEMO)],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.home,
            env=self._environment,
        ) as window:
            time.sleep(WINDOW_SECONDS)
            assert window.poll() is None, f"it ended by itself: {(window.stderr or sys.stdin).read()[-600:]}"
            window.send_signal(signal.SIGTERM)
            assert window.wait(PATIENCE_SECONDS) == 0
        kept = list(self.home.rglob("history.sqlite*")) + list(self.home.rglob("history.db*"))
        assert kept, "nothing is in the history"


def checks(bundle: Bundle) -> dict[str, Callable[[], None]]:
    """Return the checks, by what a person calls them."""

    def version() -> None:
        assert bundle.run("--version").split()[1][0].isdigit()

    def doctor() -> None:
        findings = {each["name"]: each for each in json.loads(bundle.run("doctor", "--json"))["findings"]}
        assert "bundle in" in findings["earshot"]["detail"]
        for name in ("device", "matrix products", "model starter", "voice", "hearing", "window"):
            assert findings[name]["status"] != "problem", findings[name]
        assert findings["window"]["status"] == "ok", findings["window"]

    def captions() -> None:
        lines = bundle.run("caption", str(DEMO), "--json", "--translate", "de").splitlines()
        finals = [each for each in map(json.loads, lines) if each.get("final")]
        assert finals, "nothing was heard"

    def question() -> None:
        assert len(bundle.run("ask", "What can you do?").split()) > 3

    def translation() -> None:
        assert bundle.run("translate", "--to", "de", given="Good morning.\n").strip()

    def speech() -> None:
        spoken = bundle.home / "answer.wav"
        for voice in (STARTER_VOICE, str(write_kokoro(bundle.home / "voice"))):
            bundle.run("ask", "What can you do?", "--voice", voice, "--speech", str(spoken))
            with wave.open(str(spoken)) as sound:
                assert sound.getframerate() == RATE_HZ, "eSpeak NG has spoken"
                assert sound.getnframes()

    tried = (version, doctor, captions, question, translation, speech)
    return {each.__name__: each for each in tried} | {"window": bundle.open_window}


def main() -> int:
    """Try everything, also after a failure."""
    parser = argparse.ArgumentParser(prog="python -m tests.bundle", description="Try a built Earshot.")
    parser.add_argument("program", type=Path)
    program = parser.parse_args().program
    if not program.is_file():
        parser.error(f"{program} is no program: build it first (docs/packaging.md)")
    failed = False
    with tempfile.TemporaryDirectory() as home:
        for name, check in checks(Bundle(program, Path(home))).items():
            began = time.monotonic()
            try:
                check()
                said = "ok"
            except (AssertionError, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
                said, failed = f"FAILED: {error}", True
            print(f"{name:12} {time.monotonic() - began:6.1f} s  {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
