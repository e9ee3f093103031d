"""The window's figures are measured on the running app."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.terminal.cli import main
from engine.models.catalogue import ASSETS
from lab.bench.errors import BenchError
from lab.commands.window.figures import measure

if not (ASSETS / "starter" / "hearing" / "model.safetensors").is_file():
    pytest.skip("the starter model is not in assets/starter/hearing", allow_module_level=True)


@pytest.mark.realtime
def test_the_window_and_its_first_caption_are_timed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "window", "--quick", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert 0 < figures["window_seconds"] < figures["model_seconds"]
    assert figures["window_work_seconds"] > 0
    assert figures["first_caption_seconds"] > 0
    assert 0 < figures["longest_work_seconds"] <= figures["longest_stall_seconds"]
    assert figures["own_stalls_above_50_ms"] <= figures["stalls_above_50_ms"]
    assert figures["turns"] > 10
    assert 0 <= figures["idle_cpu_share"] < 0.5
    assert 0 < figures["overlay_seconds"] <= figures["longest_overlay_seconds"]
    assert figures["caption_minutes"] < 60
    assert 0 < figures["caption_work_seconds"] <= figures["longest_caption_work_seconds"]
    assert figures["transcript_megabytes"] < 20
    assert figures["other_growth_megabytes"] < 10


def test_a_model_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="could not be measured: "):
        measure(str(tmp_path / "nothing"), quick=True)
