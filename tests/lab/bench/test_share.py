"""The bench of the page: every reader has every change, and nobody reads without one."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from lab.bench.share.measure import measure


def test_every_change_is_counted_once_for_every_reader(qapp: QApplication) -> None:
    figures = measure(3, 1, hour=0.002)
    assert figures.readers == 3
    assert figures.updates == 2
    assert 0 < figures.delay_seconds <= figures.late_delay_seconds
