"""A command in a process of its own: progress, result, failure, end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.engine_link import command_run
from app.engine_link.command_run import CommandRun
from app.preferences.program import own_command
from tests.app.tuning.conftest import Script


@pytest.fixture
def run(qapp: QApplication) -> Iterator[CommandRun]:
    made = CommandRun()
    yield made
    made.cancel()


def is_alive(process: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(process, 0)
        return True
    return False


def test_progress_comes_line_by_line_and_what_was_printed_at_the_end(
    run: CommandRun, script: Script, qtbot: QtBot
) -> None:
    script(
        "sys.stderr.write('loading\\n1 of 2: C1:')\n"
        "sys.stderr.flush()\n"
        "sys.stderr.write('G1\\n2 of 2: größer\\n')\n"
        "print(sys.stdin.read().upper(), sys.argv[1:])\n"
    )
    steps: list[tuple[int, int, str]] = []
    run.progressed.connect(lambda *step: steps.append(step))
    with qtbot.waitSignal(run.ended) as ended:
        run.start(["--json", "a b"], "given")
    assert ended.args == ["GIVEN ['--json', 'a b']\n"]
    assert steps == [(1, 2, "C1:G1"), (2, 2, "größer")]
    assert not run.is_running


def test_a_problem_is_the_last_line_that_was_said(run: CommandRun, script: Script, qtbot: QtBot) -> None:
    script("sys.stderr.write('a warning\\nearshot: There is no model here. Get one.\\n'); sys.exit(1)")
    with qtbot.waitSignal(run.failed) as failed:
        run.start([])
    assert failed.args == ["There is no model here. Get one."]


def test_a_silent_problem_and_a_crash_are_sentences(run: CommandRun, script: Script, qtbot: QtBot) -> None:
    script("sys.exit(3)")
    with qtbot.waitSignal(run.failed) as failed:
        run.start([])
    assert "without saying why" in failed.args[0]
    script("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    with qtbot.waitSignal(run.failed) as failed:
        run.start([])
    assert "before it had finished" in failed.args[0]


def test_a_program_that_is_not_there_is_a_sentence(
    run: CommandRun, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(command_run, "own_command", lambda: ["/nowhere/at/all"])
    with qtbot.waitSignal(run.failed) as failed:
        run.start([])
    assert "could not be started" in failed.args[0]
    assert not run.is_running


def test_cancelling_ends_the_process_and_nothing_comes_of_it(run: CommandRun, script: Script, qtbot: QtBot) -> None:
    script(
        "import os\n"
        "sys.stderr.write(f'1 of 9: {os.getpid()}\\n')\n"
        "sys.stderr.flush()\n"
        "sys.stdin.close()\n"
        "while True: time.sleep(9)\n"
    )
    told: list[object] = []
    run.ended.connect(told.append)
    run.failed.connect(told.append)
    with qtbot.waitSignal(run.progressed) as progressed:
        run.start([])
    assert is_alive(int(progressed.args[2]))
    run.cancel()
    assert not is_alive(int(progressed.args[2]))
    assert not run.is_running and told == []
    script("print('again')")
    with qtbot.waitSignal(run.ended) as ended:
        run.start([])
    assert ended.args == ["again\n"]


def test_earshot_itself_is_run_and_its_problem_is_told(run: CommandRun, qtbot: QtBot) -> None:
    with qtbot.waitSignal(run.failed, timeout=120_000) as failed:
        run.start(["profile", "--json", "--progress", "--model", "/nowhere/at/all"])
    assert "/nowhere/at/all" in failed.args[0]
    assert not failed.args[0].startswith("earshot")


def test_a_packaged_build_runs_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert own_command()[1:] == ["-m", "app"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert len(own_command()) == 1
