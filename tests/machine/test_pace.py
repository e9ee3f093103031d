"""Estimates of a machine's pace, kept for it and for no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.machine import pace
from engine.machine.pace import MachinePace, is_busy, load_pace, pace_path, store_pace

KEPT = MachinePace(94.5, False, {"tiny": 0.17, "small": 0.9})


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(pace, "pace_path", lambda: tmp_path / "pace.json")


def test_an_estimate_is_kept_for_this_machine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_pace() is None
    store_pace(KEPT)
    assert load_pace() == KEPT
    monkeypatch.setattr(pace, "machine", lambda: "another, 8 cores")
    assert load_pace() is None
    store_pace(MachinePace(1.0, True, {}))
    monkeypatch.undo()


def test_a_machine_that_was_busy_is_not_taken_for_a_slower_one() -> None:
    store_pace(KEPT)
    store_pace(MachinePace(20.0, False, {"tiny": 0.8, "small": 5.0}))
    assert load_pace() == KEPT
    quicker = MachinePace(120.0, False, {"tiny": 0.1, "small": 0.8})
    store_pace(quicker)
    assert load_pace() == quicker
    on_a_gpu = MachinePace(90.0, True, {"tiny": 0.1, "small": 0.2})
    store_pace(on_a_gpu)
    assert load_pace() == on_a_gpu


@pytest.mark.parametrize("damaged", ["", "[]", "{", '{"x": 1}', "null"])
def test_a_damaged_file_is_as_none(damaged: str) -> None:
    path = store_pace(KEPT)
    path.write_text(damaged)
    assert load_pace() is None
    store_pace(KEPT)
    assert load_pace() == KEPT


def test_values_of_another_kind_are_as_none() -> None:
    path = store_pace(KEPT)
    path.write_text(path.read_text().replace("0.17", '"soon"'))
    assert load_pace() is None


def test_it_is_kept_beside_the_profiles() -> None:
    assert pace_path().name == "pace.json"


def test_case_an_estimate_of_a_busy_machine_gives_way_to_one_of_an_idle_machine() -> None:
    store_pace(replace(KEPT, busy=True))
    slower = MachinePace(KEPT.gflops - 1, False, {"tiny": 0.2})
    store_pace(slower)
    assert load_pace() == slower
    store_pace(replace(KEPT, gflops=KEPT.gflops - 2, busy=True))
    assert load_pace() == slower


@pytest.mark.parametrize(("load", "busy"), [(0.2, False), (900.0, True)])
def test_case_a_machine_is_busy_when_more_programs_compute_than_it_has_cores(
    load: float, busy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    assert is_busy() == busy
