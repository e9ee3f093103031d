"""The overlay's place on its screens."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt

from app.overlay.overlay_position import cursor_on, edges_at, last_place, noted, rect_of, snapped, usual, within
from app.preferences.preferences import OverlayPosition

AREA = QRect(0, 0, 1000, 800)
BESIDE = QRect(1000, 0, 600, 400)


def test_the_usual_place_is_below_in_the_middle_of_its_own_screen() -> None:
    rect = usual(QSize(400, 100), BESIDE)
    assert abs(rect.center().x() - BESIDE.center().x()) <= 1
    assert BESIDE.contains(rect)
    assert rect.bottom() > BESIDE.top() + BESIDE.height() * 0.85


def test_what_is_too_large_for_a_screen_is_cut_to_it() -> None:
    assert within(QRect(-50, 700, 2000, 300), AREA) == QRect(0, 500, 1000, 300)


def test_edges_and_the_middle_attract_what_is_near_and_nothing_else() -> None:
    assert snapped(QRect(9, 690, 400, 100), AREA) == QRect(0, 700, 400, 100)
    assert snapped(QRect(590, 5, 400, 100), AREA) == QRect(600, 0, 400, 100)
    assert snapped(QRect(306, 300, 400, 100), AREA).center().x() == AREA.center().x()
    assert snapped(QRect(150, 300, 400, 100), AREA) == QRect(150, 300, 400, 100)


def test_the_newest_place_on_a_connected_screen_is_taken() -> None:
    places = noted((), "first", QRect(10, 20, 400, 100), AREA)
    places = noted(places, "second", QRect(1100, 50, 400, 100), BESIDE)
    assert places[0] == OverlayPosition("second", 100, 50, 400, 100)
    assert last_place(places, {"first", "second"}) == places[0]
    assert last_place(places, {"first"}) == OverlayPosition("first", 10, 20, 400, 100)
    assert last_place(places, {"third"}) is None


def test_each_screen_keeps_one_place() -> None:
    places = noted((), "first", QRect(10, 20, 400, 100), AREA)
    places = noted(places, "second", QRect(1100, 50, 400, 100), BESIDE)
    places = noted(places, "first", QRect(30, 40, 500, 100), AREA)
    assert [place.screen for place in places] == ["first", "second"]
    assert places[0].x == 30


def test_a_place_on_a_screen_that_became_smaller_is_still_in_sight() -> None:
    assert AREA.contains(rect_of(OverlayPosition("first", 900, 790, 400, 100), AREA))


@pytest.mark.parametrize(
    ("x", "y", "cursor"),
    [
        (200, 50, Qt.CursorShape.OpenHandCursor),
        (2, 50, Qt.CursorShape.SizeHorCursor),
        (398, 50, Qt.CursorShape.SizeHorCursor),
        (200, 98, Qt.CursorShape.SizeVerCursor),
        (1, 1, Qt.CursorShape.SizeFDiagCursor),
        (398, 98, Qt.CursorShape.SizeFDiagCursor),
        (398, 1, Qt.CursorShape.SizeBDiagCursor),
        (1, 98, Qt.CursorShape.SizeBDiagCursor),
    ],
)
def test_the_mouse_says_which_way_an_edge_can_be_pulled(x: int, y: int, cursor: Qt.CursorShape) -> None:
    assert cursor_on(edges_at(QPoint(x, y), QSize(400, 100))) == cursor
