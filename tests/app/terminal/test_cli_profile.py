"""`earshot profile`: what it prints, what it keeps, and how it forgets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.terminal.cli import main
from app.terminal.commands.profile import _as_text
from engine.machine import thread_profile
from engine.machine.thread_profile import profile_path
from engine.machine.threads import ThreadAllocation, usable_cores
from engine.process import profiling as bench
from engine.process.profiling import Setting, SettingCost
from tests.random_whisper import write_random_model


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_profile, "user_config_path", lambda *_, **__: tmp_path / "settings")


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A model that is soon heard, and little for it to hear."""
    monkeypatch.setattr(bench, "QUICK_CLIP_SECONDS", 1.5)
    return str(write_random_model(tmp_path / "tiny", n_audio_ctx=1500))


def test_what_was_measured_is_stored_used_and_forgotten(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "--model", model, "--quick", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["profile"] == model
    ways = [(one["cpu_threads"], one["gpu_threads"], one["pipeline"]) for one in record["allocations"]]
    assert len(ways) == len(set(ways)) and (1, 1, False) in ways
    assert ((1, 1, True) in ways) == (usable_cores() > 1)
    assert all(one["rounds"] > 0 and one["round_seconds"] > 0 for one in record["allocations"])
    assert record["best"] in record["allocations"]
    assert record["figures"]["round_seconds"] == record["best"]["round_seconds"]
    assert record["stored"] == str(profile_path())
    (entries,) = json.loads(profile_path().read_text()).values()
    (stored,) = entries.values()
    assert {key: stored[key] for key in ("cpu_threads", "gpu_threads", "pipeline")} == {
        key: record["best"][key] for key in ("cpu_threads", "gpu_threads", "pipeline")
    }
    assert main(["profile", "--model", model, "--forget"]) == 0
    assert capsys.readouterr().out == "Forgotten.\n"
    assert main(["profile", "--model", model, "--forget", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["forgotten"] is False


def test_people_get_a_table_and_bars_and_need_not_store_anything(
    model: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "settings_here", lambda quantised: [Setting(ThreadAllocation(), False)])
    assert main(["profile", "--model", model, "--quick", "--no-store"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("setting")
    assert "C1:G1" in out and "█" in out
    assert out.endswith("Best: C1:G1. Nothing was stored.\n")
    assert not profile_path().exists()


@pytest.mark.parametrize("width", [40, 60, 120])
def test_the_chart_is_as_wide_as_the_terminal_allows_and_true_to_scale(width: int) -> None:
    measured = [
        SettingCost(Setting(ThreadAllocation(), False), 0.8, 0.2, 9),
        SettingCost(Setting(ThreadAllocation(), True), 0.4, 0.3, 9),
    ]
    text = _as_text(measured, measured[1], width)
    bars = [line for line in text.splitlines() if "█" in line]
    assert max(map(len, bars)) <= width
    assert [bar.count("█") for bar in bars] == [bars[0].count("█"), bars[0].count("█") // 2]
    assert "best" in next(line for line in text.splitlines() if line.startswith("C1:G1 pipeline"))


def test_a_model_that_is_not_there_and_options_that_make_no_sense_are_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["profile", "--model", "/nowhere/at/all", "--quick"]) == 1
    assert main(["profile", "--model", "/nowhere/at/all", "--forget"]) == 1
    assert main(["profile", "--forget", "--quick"]) == 2
    assert main(["profile", "--forget", "--no-store"]) == 2
    assert main(["profile", "--fast"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 5
    assert all(line.startswith("earshot") for line in lines)


def test_a_place_that_cannot_be_written_is_a_problem_of_one_line(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "settings_here", lambda quantised: [Setting(ThreadAllocation(), False)])
    (tmp_path / "settings").write_text("")
    assert main(["profile", "--model", model, "--quick"]) == 1
    assert "threads.json cannot be written" in capsys.readouterr().err
