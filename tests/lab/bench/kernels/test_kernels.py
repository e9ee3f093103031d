"""The bench of kernels: every stage is timed, in turn with the peers, and the figures are ratios of the same run."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.terminal.cli import main
from engine.machine.byte_products import has_byte_products
from lab.bench.captions.peer import has_peer
from lab.bench.kernels import instruction_sets
from lab.bench.kernels.instruction_sets import AVX2_ONLY
from lab.bench.kernels.measure import Limits, StageTimes, figures, measure, report
from lab.bench.kernels.stages import EARSHOT, PEER_BYTES, PEER_FLOAT, Stage
from tests.random_whisper import TINY, write_random_model

NAMES = [
    *(f"encoder, {seconds} s" for seconds in (1, 5, 10, 30)),
    "cross-attention keys, 5 s",
    *(
        f"{stage}, {rows}"
        for stage in ("decoder step", "vocabulary product")
        for rows in ("1 candidate", "5 candidates")
    ),
]


def taking(seconds: float) -> dict[str, float]:
    return {EARSHOT: seconds, PEER_FLOAT: 2 * seconds, PEER_BYTES: 4 * seconds}


def test_figures_hold_earshot_against_float32_for_the_encoder_and_int8_for_steps() -> None:
    found = [StageTimes(Stage(name, {}, 1e9), taking(0.5)) for name in NAMES]
    assert figures(found, 0.75) == {
        "encoder_ratio_5s": 0.5,
        "encoder_ratio_30s": 0.5,
        "step_ratio_1": 0.25,
        "step_ratio_5": 0.25,
        "two_threads_ratio": 0.75,
    }
    assert "500.00" in report(found, Limits(100.0, 10.0))


def test_programs_take_turns_and_a_shorter_text_is_taken_off() -> None:
    order: list[str] = []

    def run(name: str, count: int) -> int:
        order.append(name)
        return count

    stage = Stage(
        "decoder step",
        {EARSHOT: lambda: run("ours", 4), PEER_BYTES: lambda: run("theirs", 12)},
        1.0,
        shorter={PEER_BYTES: lambda: run("their shorter", 4)},
    )
    (found,) = measure([stage], 2, lambda _: None)
    assert order == ["ours", "theirs", "their shorter"] * 3
    assert set(found.seconds) == {EARSHOT, PEER_BYTES}


def test_the_command_times_every_stage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = write_random_model(tmp_path / "tiny", TINY | {"n_audio_ctx": 1500})
    assert main(["bench", "kernels", "--quick", "--json", "--model", str(model)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [stage["stage"] for stage in record["stages"]] == NAMES
    assert all(stage["seconds"][EARSHOT] > 0 and stage["gflops"] > 0 for stage in record["stages"])
    assert (record["figures"]["encoder_ratio_5s"] is not None) == has_peer()
    assert (record["figures"]["step_ratio_1"] is not None) == has_peer()
    assert record["instruction_sets"]["numpy"] and record["instruction_sets"]["openblas"]
    assert record["limits"]["gflops"] > 0 and record["limits"]["gigabytes"] > 0


@pytest.mark.skipif(not has_byte_products() or platform.machine() != "x86_64", reason="no x86 processor with Linux")
def test_avx2_alone_leaves_no_library_a_wider_kernel() -> None:
    """The process starts again with the libraries' own variables, and says what they chose."""
    script = (
        "import json\n"
        "from lab.bench.kernels.instruction_sets import instruction_sets, restart_with_avx2\n"
        "restart_with_avx2()\n"
        "print(json.dumps(instruction_sets()))"
    )
    environment = {name: value for name, value in os.environ.items() if name not in AVX2_ONLY}
    ran = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    found = json.loads(ran.stdout)
    assert found["openblas"] in ("Haswell", "Zen")
    assert "X86_V4" not in found["numpy"] and not any("512" in name for name in found["numpy"])
    if "avx_vnni" not in Path("/proc/cpuinfo").read_text():  # which is no part of AVX-512, and not held back
        assert "AVX2" in found["onnxruntime"]


@pytest.mark.skipif(not has_byte_products(), reason="ONNX Runtime is held on Linux alone")
def test_an_onnxruntime_that_asks_otherwise_is_refused_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in AVX2_ONLY.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(instruction_sets, "_WIDER_STATES", re.compile(b"(asked in another way)"))
    assert main(["bench", "kernels", "--avx2"]) == 2
    assert "cannot be held to AVX2" in capsys.readouterr().err
