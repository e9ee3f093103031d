"""Messages of Qt that are no fault of Earshot do not fail the test in which they come."""

from __future__ import annotations

from PySide6.QtCore import qWarning


def test_a_mac_may_look_for_a_font_that_it_has_not(qtbot: object) -> None:
    """Mac review H6: the first test of each process there logs this, by the offscreen platform."""
    qWarning(
        "Populating font family aliases took 107 ms. Replace uses of missing font family "
        '"Sans Serif" with one that exists to avoid this cost.'
    )
