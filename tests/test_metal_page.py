"""The page about Metal is what its command counts now."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def counting() -> ModuleType:
    spec = importlib.util.spec_from_file_location("count_work", ROOT / "docs" / "count_work.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look for it there
    spec.loader.exec_module(module)
    return module


def test_the_committed_page_is_what_is_counted_now(counting: ModuleType) -> None:
    counted, end, by_hand = counting.PAGE.read_text(encoding="utf-8").partition(counting.END)
    assert counted + end == counting.page(), "run: uv run python docs/count_work.py --write"
    assert by_hand


def test_the_page_tells_waits_python_and_the_memory_of_two_engines(counting: ModuleType) -> None:
    """Mac review L13."""
    page = counting.PAGE.read_text(encoding="utf-8")
    assert "6 times, and once more where" in page
    assert "µs of Python for every operation" in page
    assert "both processes together" in page


def test_weights_are_counted_as_the_published_models_have_them(counting: ModuleType) -> None:
    from engine.hear.whisper.files.published import PUBLISHED

    published = {"tiny": 37.8e6, "small": 242e6, "large-v3": 1543e6}  # parameters, by OpenAI's model cards
    for name, parameters in published.items():
        assert counting.weights(PUBLISHED[name].dims) == pytest.approx(parameters, rel=0.02)


def test_the_page_names_every_check_that_a_gpu_is_tried_with(counting: ModuleType) -> None:
    from tests.gpu.checks import CHECKS

    by_hand = counting.PAGE.read_text(encoding="utf-8").partition(counting.END)[2]
    assert re.findall(r"^\| `(\w+)` \|", by_hand, re.MULTILINE) == list(CHECKS)


def test_the_checks_for_a_gpu_can_be_rehearsed() -> None:
    names = ["backend", "death", "compiled", "attention"]  # those that take little time on a processor
    command = [sys.executable, "-m", "tests.gpu", "--device", "cpu", "--only", *names]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert [line.split()[:2] for line in run.stdout.splitlines()[:-1]] == [[name, "ok"] for name in names]


def test_a_larger_model_is_expected_to_take_longer_and_a_newer_chip_less(counting: ModuleType) -> None:
    from engine.hear.whisper.files.published import PUBLISHED

    for name, larger in (("tiny", "base"), ("base", "small"), ("small", "medium")):
        for less, more in zip(*(counting.work_of(PUBLISHED[each].dims) for each in (name, larger)), strict=True):
            assert less.flop < more.flop and less.bytes < more.bytes and less.graph.kernels < more.graph.kernels
            assert less.seconds(counting.CHIPS[-1]) < less.seconds(counting.CHIPS[0])
