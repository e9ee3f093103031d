"""`earshot models` gets, removes and adds models, and says what is wrong in one line."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.terminal.cli import main
from app.terminal.commands.models import download_progress
from engine.loading.library import library_model
from engine.machine.pace import MachinePace
from engine.models.download import DownloadProgress
from tests.models.hub_server import Faults, HubServer


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["models", *arguments])
    said = capsys.readouterr()
    return code, said.out.strip(), said.err.strip()


PACE = MachinePace(94.0, False, {"tiny.en": 0.17, "base.en": 0.37, "base": 0.37, "small.en": 0.98, "small": 0.98})


@pytest.fixture(autouse=True)
def pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer whose pace was measured."""
    monkeypatch.setattr("engine.machine.pace.load_pace", lambda: PACE)


def test_a_model_is_fetched_listed_and_removed(hub: HubServer, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "get", "tiny.en", "--mirror", hub.url)
    assert code == 0 and out.startswith("tiny.en is here, in ")
    _, out, _ = run(capsys, "--json")
    listed = {model["name"]: model for model in json.loads(out)["models"]}
    assert listed["tiny.en"]["installed"] and listed["tiny.en"]["disk_bytes"] > 1_000_000
    assert not listed["base.en"]["installed"] and listed["base.en"]["folder"] is None
    code, out, _ = run(capsys, "remove", "tiny.en")
    assert code == 0 and out.startswith("tiny.en is deleted: ") and out.endswith(" MB are free again.")
    code, _, err = run(capsys, "remove", "tiny.en")
    assert code == 1 and err == "earshot: The model tiny.en is not on this machine."


def test_the_best_for_this_computer_is_recommended_to_people_and_to_programs(
    hub: HubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    assert "Recommended for this computer: base.en: makes the fewest mistakes of those that keep up" in out
    assert "Models that translate:" in out and "Voices:" in out
    _, out, _ = run(capsys, "--use", "captions", "--language", "de")
    assert "Recommended for this computer: base:" in out and "4.2%" not in out and "5.1%" in out
    _, out, _ = run(capsys, "--use", "captions", "--language", "de", "--json")
    said = json.loads(out)
    assert said["recommended"] == {"captions": "base"}
    assert said["advice"]["captions"][0] == {
        **{"name": "base", "captions": "keeps up", "round_seconds": 0.37, "delay_seconds": None},
        **{"fit": "well", "why": "fewest mistakes"},
    }
    assert {model["kind"] for model in said["models"]} == {"hearing"}


def test_a_computer_that_was_never_measured_is_measured_once(
    capsys: pytest.CaptureFixture[str], empty_library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.machine.pace.load_pace", lambda: None)
    monkeypatch.setattr("app.terminal.plan.find_pace", lambda: PACE)
    _, out, err = run(capsys, "--use", "captions")
    assert err.startswith("Measuring how fast this computer is") and "Recommended for this computer: base.en" in out


def test_any_repository_is_fetched_and_then_called_by_its_name(
    hub: HubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "get", "town/council", "--mirror", hub.url, "--json")
    assert code == 0 and json.loads(out)["name"] == "council" and json.loads(out)["kind"] == "hearing"
    assert library_model("council").installed
    code, out, _ = run(capsys, "add", "town/council")
    assert code == 0 and out.endswith("is called council from now on.")


def test_a_fetched_model_that_earshot_cannot_run_says_so(hub: HubServer, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "get", "base.en", "--mirror", hub.url)
    assert (
        (code == 1 and "is cut off or is not a safetensors file" in err) or "describes no" in err or "model_type" in err
    )


def test_a_folder_is_added_under_a_name_and_forgotten(
    hub: HubServer, whisper_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "add", str(whisper_folder), "--name", "mine", "--json")
    assert code == 0 and json.loads(out) == {"name": "mine", "kind": "hearing", "folder": str(whisper_folder)}
    _, out, _ = run(capsys)
    assert "mine" in out
    code, out, _ = run(capsys, "remove", "mine")
    assert code == 0 and out == f"mine is forgotten; {whisper_folder} stays as it is."


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["get", "nonsense"], "There is no model called 'nonsense' to fetch."),
        (["get", "starter"], "came with Earshot; there is nothing to fetch."),
        (["get", "tiny", "--mirror", "nonsense"], "The mirror 'nonsense' is no address."),
        (["remove", "starter"], "came with Earshot and stays."),
        (["add", "/nowhere/at all"], "There is no folder /nowhere/at all."),
        (["add", "some/model"], "some/model is not on this machine."),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_1(
    empty_library: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "") and words in err and len(err.splitlines()) == 1


def test_a_model_is_converted_and_no_folder_is_overwritten(
    whisper_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "made"
    code, said, _ = run(capsys, "convert", str(whisper_folder), str(out), "--json")
    assert code == 0 and json.loads(said)["bits"] == 16
    assert json.loads(said)["size_bytes"] == (out / "model.safetensors").stat().st_size
    code, _, err = run(capsys, "convert", str(whisper_folder), str(out))
    assert code == 1 and err == f"earshot: {out} holds config.json already. Give a new folder, or empty this one."
    code, _, err = run(capsys, "convert", str(whisper_folder), str(tmp_path / "other"), "--bits", "7")
    assert code == 2 and err.endswith("Weights can have 16, 8, 6, 5, 4, 3 or 2 bits, not 7.")


def test_bad_usage_is_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "get")[0] == 2
    assert run(capsys, "fetch")[0] == 2


def test_a_download_that_was_begun_is_listed_with_how_far_it_is(
    hub: HubServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.models.download.PATIENCE_SECONDS", ())
    hub.faults["model.safetensors"] = Faults(times=9, cut_after=200_000)
    assert run(capsys, "get", "base.en", "--mirror", hub.url)[0] == 1
    _, out, _ = run(capsys)
    assert next(line for line in out.splitlines() if line.startswith("base.en ")).split()[1] == "50%"


def test_ctrl_c_keeps_what_has_come_and_says_how_to_go_on(hub: HubServer, empty_library: Path, tmp_path: Path) -> None:
    hub.faults["model.safetensors"] = Faults(stall_after=100_000)
    folders = {"HF_HUB_CACHE": str(empty_library), "XDG_DATA_HOME": str(tmp_path)}
    environment = {**os.environ, **folders, "HF_HUB_OFFLINE": "0"}
    command = [sys.executable, "-m", "app", "models", "get", "tiny.en", "--mirror", hub.url]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    assert hub.stalled.wait(120)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=400)
    assert process.returncode == 130
    assert said == "What has come is kept; to go on: earshot models get tiny.en\n"
    assert library_model("tiny.en").fetched_bytes > 0


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_how_far_it_is_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with download_progress("small") as report:
        report(DownloadProgress("asking"))
        report(DownloadProgress("fetching", 120_000_000, 480_000_000, 5_000_000.0))
        report(DownloadProgress("fetching", 120_000_000, 480_000_000, 3_010_000.0))
        report(DownloadProgress("waiting", 120_000_000, 480_000_000, 0.0, 8.0, "the connection was cut"))
    shown = terminal.getvalue().split("\r\x1b[K")
    assert shown == [
        "",
        "small: asking what there is …",
        "small: 120 of 480 MB, 5.0 MB/s, 1 min 12 s left",
        "small: 120 of 480 MB, 3.0 MB/s, 2 min 00 s left",
        "small: 120 of 480 MB; the connection was cut; trying again in 8 s",
        "",
    ]


def test_where_there_is_no_terminal_only_problems_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = io.StringIO()
    monkeypatch.setattr(sys, "stderr", notes)
    with download_progress("small") as report:
        report(DownloadProgress("fetching", 1, 2, 3.0))
        for seconds in (2.0, 1.0):
            report(DownloadProgress("waiting", 1, 2, 0.0, seconds, "the connection was cut"))
    assert notes.getvalue() == "small: the connection was cut; trying again\n"
