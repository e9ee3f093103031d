"""A second start hands over what it was given to the first, and ends."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.application import Application
from app.desktop import single_start
from app.desktop.single_start import Request, SingleStart, request_of
from app.sound.audio_sources import AudioFile

SECOND = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.desktop.single_start import SingleStart, request_of
app = QCoreApplication([])
print(SingleStart(Path(sys.argv[1])).hand_over(request_of(Path(sys.argv[2]), "base", None)))
"""


@pytest.fixture(autouse=True)
def runtime_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Runtime folder of the test's own, with a path as short as a system's: a socket's path has 107 bytes at most."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        monkeypatch.setattr(single_start, "PATIENCE_MILLISECONDS", 60_000)
        yield Path(folder)


@pytest.fixture
def first(qapp: QApplication, tmp_path: Path) -> Iterator[SingleStart]:
    made = SingleStart(tmp_path / "data")
    assert not made.hand_over(Request())
    yield made
    made.close()


def test_the_first_is_given_the_file_of_the_second_and_no_one_else_can_write_to_it(
    first: SingleStart, qtbot: QtBot, tmp_path: Path, runtime_folder: Path
) -> None:
    got: list[Request] = []
    first.requested.connect(got.append)
    command = [sys.executable, "-c", SECOND, str(tmp_path / "data"), "talk.wav"]
    environment = os.environ | {"XDG_ACTIVATION_TOKEN": "a token"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as second:
        qtbot.waitUntil(lambda: bool(got))
        assert second.communicate()[0] == "True\n"
    assert got == [Request(str(Path("talk.wav").absolute()), "base", "", {"XDG_ACTIVATION_TOKEN": "a token"})]
    (socket,) = (each for each in runtime_folder.iterdir() if each.suffix == ".socket")
    mode = socket.stat().st_mode
    assert stat.S_ISSOCK(mode) and not mode & 0o077


def test_another_folder_of_data_has_an_earshot_of_its_own(first: SingleStart, tmp_path: Path) -> None:
    other = SingleStart(tmp_path / "elsewhere")
    assert not other.hand_over(Request())
    other.close()


def test_one_that_was_killed_is_in_nobody_s_way(first: SingleStart, tmp_path: Path, runtime_folder: Path) -> None:
    path = first._path
    first.close()
    path.write_text("")  # as after a power cut
    again = SingleStart(tmp_path / "data")
    assert not again.hand_over(Request())
    assert stat.S_ISSOCK(path.stat().st_mode)
    again.close()


@pytest.mark.parametrize("said", [b"nonsense\n", b"[]\n", json.dumps({"file": 3}).encode() + b"\n", b"x" * 70_000])
def test_what_is_no_request_is_turned_away(first: SingleStart, qtbot: QtBot, said: bytes) -> None:
    got: list[Request] = []
    first.requested.connect(got.append)
    socket = QLocalSocket()
    socket.connectToServer(str(first._path))
    socket.write(said)
    qtbot.waitUntil(lambda: socket.state() is QLocalSocket.LocalSocketState.UnconnectedState)
    assert got == []


def test_the_window_comes_to_the_front_with_the_file(application: Application, tmp_path: Path) -> None:
    application.window.hide()
    application.actions.history_page.trigger()
    application.carry_out_request(request_of(tmp_path / "talk.wav", None, None))
    assert application.window.isVisible()
    assert application.captions_page.isVisible()
    assert application.captions_page.picker.source == AudioFile(tmp_path / "talk.wav")
    assert application.settings.preferences.models.hearing == "scripted"


ORDER = """
import sys
from pathlib import Path
from app.preferences import program
program.data_folder = lambda: Path(sys.argv[1])
from app.terminal.cli import main
sys.exit(main(sys.argv[2:]))
"""


def ordered(folder: Path, *arguments: str, qtbot: QtBot, bare: bool = False) -> tuple[int, str, str]:
    """Run a command in a process of its own, while this one answers; return its exit code and what it printed.

    With `bare` it has no runtime folder, as in a job that a timer starts.
    """
    command = [sys.executable, "-c", ORDER, str(folder), *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "XDG_RUNTIME_DIR"} if bare else None
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as running:
        qtbot.waitUntil(lambda: running.poll() is not None, timeout=120_000)
        out, err = running.communicate()
        return running.returncode, out, err


def test_an_order_is_carried_out_by_the_first_and_answered(first: SingleStart, qtbot: QtBot, tmp_path: Path) -> None:
    orders: list[str] = []

    def carry_out(order: str) -> dict[str, object]:
        orders.append(order)
        return {"captions": True, "overlay": False}

    first.carry_out = carry_out
    requested: list[Request] = []
    first.requested.connect(requested.append)
    folder = tmp_path / "data"
    assert ordered(folder, "toggle", "captions", qtbot=qtbot) == (0, "", "")
    code, out, _ = ordered(folder, "status", "--json", qtbot=qtbot)
    assert (code, json.loads(out)) == (0, {"captions": True, "overlay": False})
    assert ordered(folder, "status", qtbot=qtbot)[1] == "captions: on\noverlay: off\n"
    assert orders == ["toggle captions", "status", "status"]
    assert requested == [], "the window does not come to the front"


def test_an_order_to_nobody_is_one_line(qtbot: QtBot, tmp_path: Path) -> None:
    code, out, err = ordered(tmp_path / "data", "mark", qtbot=qtbot, bare=True)
    assert (code, out) == (1, "")
    assert err == "earshot: Earshot is not running. Start it with 'earshot', or with 'earshot window --hidden'.\n"
    assert ordered(tmp_path / "data", "toggle", "everything", qtbot=qtbot)[0] == 2


def test_starts_of_a_flatpak_meet_in_the_folder_that_they_share(
    runtime_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = runtime_folder / "app" / "org.earshot.Earshot"
    shared.mkdir(parents=True)
    monkeypatch.setenv("FLATPAK_ID", "org.earshot.Earshot")
    made = SingleStart(tmp_path / "data")
    assert not made.hand_over(Request())
    assert list(shared.glob("*.socket"))
    made.close()
