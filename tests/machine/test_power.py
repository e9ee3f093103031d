"""The source of power: by Linux's folder of supplies, and asked rarely."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.machine.power import ASKED_EVERY_SECONDS, PowerSource, discharges, runs_on_battery


def supply(folder: Path, name: str, **values: str) -> None:
    (folder / name).mkdir()
    for file, value in values.items():
        (folder / name / file).write_text(f"{value}\n")


@pytest.mark.parametrize(
    ("supplies", "battery"),
    [
        ({}, False),
        ({"AC": {"type": "Mains", "online": "1"}, "BAT0": {"type": "Battery", "status": "Charging"}}, False),
        ({"AC": {"type": "Mains", "online": "1"}, "BAT0": {"type": "Battery", "status": "Discharging"}}, False),
        ({"AC": {"type": "Mains", "online": "0"}, "BAT0": {"type": "Battery", "status": "Discharging"}}, True),
        ({"BAT0": {"type": "Battery", "status": "Full"}, "BAT1": {"type": "Battery", "status": "Discharging"}}, True),
        ({"mouse": {"type": "Battery", "status": "Discharging", "scope": "Device"}}, False),
        ({"BAT0": {"type": "Battery"}}, False),
    ],
)
def test_a_computer_runs_on_battery_while_one_discharges_and_no_mains_is_there(
    tmp_path: Path, supplies: dict[str, dict[str, str]], battery: bool
) -> None:
    for name, values in supplies.items():
        supply(tmp_path, name, **values)
    assert discharges(tmp_path) == battery
    assert not discharges(tmp_path / "missing")


def test_the_system_answers_and_is_asked_rarely() -> None:
    assert runs_on_battery() in (True, False)
    answers, now = iter((False, True)), [0.0]
    source = PowerSource(lambda: next(answers), lambda: now[0])
    assert not source.on_battery
    now[0] = ASKED_EVERY_SECONDS - 1
    assert not source.on_battery
    now[0] = ASKED_EVERY_SECONDS
    assert source.on_battery
