"""Energy is read from the processor's counters where there are any."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench.energy import WATTS_A_CORE, EnergyCounter, estimated_joules


@pytest.fixture
def powercap(tmp_path: Path) -> Path:
    """Two processors, one with a part of its own that is counted in it."""
    for name in ("intel-rapl", "intel-rapl:0", "intel-rapl:0:0", "intel-rapl:1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "energy_uj").write_text("1000000\n")
        (tmp_path / name / "max_energy_range_uj").write_text("5000000\n")
    return tmp_path


def test_the_processors_are_added_and_their_parts_are_not(powercap: Path) -> None:
    counter = EnergyCounter(powercap)
    for name in ("intel-rapl:0", "intel-rapl:0:0", "intel-rapl:1"):
        (powercap / name / "energy_uj").write_text("3500000\n")
    assert counter.joules() == 5.0


def test_a_counter_that_began_again_is_added_up(powercap: Path) -> None:
    counter = EnergyCounter(powercap)
    (powercap / "intel-rapl:0" / "energy_uj").write_text("500000\n")
    assert counter.joules() == 4.5


def test_without_a_counter_nothing_is_known(tmp_path: Path) -> None:
    assert EnergyCounter(tmp_path).joules() is None
    (tmp_path / "intel-rapl:0").mkdir()
    assert EnergyCounter(tmp_path).joules() is None
    assert estimated_joules(2.0) == 2 * WATTS_A_CORE
