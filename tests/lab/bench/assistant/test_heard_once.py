"""Hearing that ways of answering share: a span is heard once, and takes the same time again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.events import Reference, Word
from lab.bench.assistant.heard_once import HeardOnce
from lab.bench.errors import BenchError
from tests.hear.planted import FakeTimer, PlantedRecognizer, plant

WORDS = [Word(" is", 0.1, 0.3), Word(" it", 0.4, 0.6)]


def heard(recognizer: HeardOnce, seconds: float = 1.0) -> tuple[str, float]:
    """Return the text of the first seconds, and how long hearing them took."""
    samples = plant(WORDS, 2.0)[: round(seconds * SAMPLE_RATE_HZ)]
    started = recognizer.timer()
    found = recognizer.hear(samples, offset_seconds=0.0, prompt="", language="en", reference=Reference())
    return found.text, recognizer.timer() - started


def test_a_span_is_heard_once_and_takes_its_time_again(tmp_path: Path) -> None:
    timer = FakeTimer()
    planted = PlantedRecognizer(WORDS, timer=timer, cost_seconds=0.25)
    once = HeardOnce(planted, timer, tmp_path / "heard.jsonl")
    assert heard(once) == ("is it", 0.25)
    assert heard(once, 0.35) == ("is", 0.25)
    spent = timer.seconds
    assert heard(once) == ("is it", 0.25)
    assert (once.again, timer.seconds) == (1, spent)
    another = HeardOnce(PlantedRecognizer([], timer=timer), timer, tmp_path / "heard.jsonl")
    assert heard(another) == ("is it", 0.25)


def test_a_file_with_anything_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "odd.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(BenchError, match=r"odd\.jsonl"):
        HeardOnce(PlantedRecognizer([], timer=FakeTimer()), np.random.default_rng(0).random, tmp_path / "odd.jsonl")
