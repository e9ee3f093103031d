"""The page about Metal is what its command counts now."""

from __future__ import annotations

import importlib.util
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
    assert counting.PAGE.read_text(encoding="utf-8") == counting.page(), "run: uv run python docs/count_work.py --write"


def test_a_larger_model_is_expected_to_take_longer_and_a_newer_chip_less(counting: ModuleType) -> None:
    from engine.hear.whisper.files.published import PUBLISHED

    for name, larger in (("tiny", "base"), ("base", "small"), ("small", "medium")):
        for less, more in zip(*(counting.work_of(PUBLISHED[each].dims) for each in (name, larger)), strict=True):
            assert less.flop < more.flop and less.bytes < more.bytes and less.launches < more.launches
            assert less.seconds(counting.CHIPS[-1]) < less.seconds(counting.CHIPS[0])
