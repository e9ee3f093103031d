"""Outlooks for larger models, which follow from what was measured on this machine."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from app.terminal import plan
from app.terminal.cli import main
from app.terminal.plan import Machine, outlooks
from engine.hear.whisper.arithmetic import decoder_macs, encoder_macs
from engine.hear.whisper.files.published import PUBLISHED
from engine.machine.pace import MachinePace, verdict_of

SLOW = Machine(gflops=100.0, starter_seconds=0.3, starter_audio_seconds=5, starter_tokens=15, is_gpu=False)
FAST = Machine(gflops=5000.0, starter_seconds=0.06, starter_audio_seconds=5, starter_tokens=15, is_gpu=True)


def test_the_starter_is_expected_to_take_what_it_took() -> None:
    for machine in (SLOW, FAST):
        seconds = machine.seconds(PUBLISHED["tiny.en"].dims, 5, 0, 15)
        assert seconds == pytest.approx(machine.starter_seconds)


def test_a_decoder_s_work_is_its_matrices_by_the_tokens() -> None:
    dims = PUBLISHED["large-v3"].dims
    weights = dims.n_text_layer * 14 * dims.n_text_state**2 + dims.n_vocab * dims.n_text_state
    assert decoder_macs(dims, 0, 7) == 7 * weights
    assert decoder_macs(dims, 300, 0) == dims.n_text_layer * 2 * 300 * dims.n_text_state**2
    assert decoder_macs(dims, 300, 20) < encoder_macs(dims, 300)


def test_larger_models_take_longer_and_a_fast_machine_hears_with_larger_ones() -> None:
    slow, fast = ({each.name: each for each in outlooks(machine)} for machine in (SLOW, FAST))
    order = ("tiny", "base", "small", "medium", "large-v2")
    for found in (slow, fast):
        seconds = [found[name].round_seconds for name in order]
        assert seconds == sorted(seconds)
    assert slow["tiny"].verdict == "keeps up" and slow["medium"].verdict in ("too slow", "too large")
    assert fast["small"].verdict == "keeps up"
    assert all(fast[name].round_seconds < slow[name].round_seconds for name in order)


def test_waiting_for_a_gpu_grows_with_the_layers_alone() -> None:
    endless = replace(FAST, gflops=1e12)
    tiny, base = (endless.seconds(PUBLISHED[name].dims, 6, 20, 4) for name in ("tiny.en", "base.en"))
    assert base / tiny == pytest.approx(12 / 8)
    slow = replace(endless, is_gpu=False)
    tiny, base = (slow.seconds(PUBLISHED[name].dims, 6, 20, 4) for name in ("tiny.en", "base.en"))
    assert base / tiny == pytest.approx(12 / 8 * 512 / 384)


def test_what_does_not_fit_into_memory_is_not_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.loading.library.memory_megabytes", lambda: 2000)
    assert {each.name: each.verdict for each in outlooks(FAST)}["large-v3"] == "too large"


@pytest.mark.parametrize(("seconds", "verdict"), [(0.2, "keeps up"), (1.0, "late"), (9.0, "too slow")])
def test_a_round_s_length_says_what_a_reader_sees(seconds: float, verdict: str) -> None:
    assert verdict_of(seconds) == verdict


def test_the_command_prints_a_line_for_each_model(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(plan, "measured", lambda: SLOW)
    kept: list[MachinePace] = []
    monkeypatch.setattr(plan, "store_pace", kept.append)
    assert main(["doctor", "--plan"]) == 0
    assert kept[0].gflops == 100.0 and kept[0].rounds["medium"] > kept[0].rounds["tiny"]
    printed = capsys.readouterr().out
    assert "large-v3-turbo" in printed and "100 GFLOPS" in printed
    assert main(["doctor", "--plan", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["machine"]["gflops"] == 100.0
    assert {each["name"] for each in record["models"]} >= {"tiny.en", "large-v3"}
