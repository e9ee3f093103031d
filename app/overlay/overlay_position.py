"""Positions of the overlay: the usual one, edges it snaps to, the last one on each screen."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QPoint, QRect, QSize, Qt

from app.preferences.preferences import Edge, OverlayPosition

SNAP_PIXELS = 14
EDGE_PIXELS = INSET_PIXELS = 9
NOWHERE = Qt.Edge(0)
EDGE_SHARE = 0.06
"""Distance of the usual place from the screen's edge, as a share of the screen's height."""


def usual(size: QSize, area: QRect, edge: Edge = "bottom") -> QRect:
    """Return the usual rectangle, at the centre of an edge: of the lower one as on television."""
    rect = QRect(QPoint(), size.boundedTo(area.size()))
    rect.moveCenter(area.center())
    distance = round(area.height() * EDGE_SHARE)
    if edge == "top":
        rect.moveTop(area.top() + distance)
    else:
        rect.moveBottom(area.bottom() - distance)
    return within(rect, area)


def within(rect: QRect, area: QRect) -> QRect:
    """Return the rectangle moved, and shrunk if necessary, to lie within the area."""
    kept = QRect(rect.topLeft(), rect.size().boundedTo(area.size()))
    left = min(max(kept.left(), area.left()), area.right() - kept.width() + 1)
    top = min(max(kept.top(), area.top()), area.bottom() - kept.height() + 1)
    kept.moveTo(left, top)
    return kept


def snapped(rect: QRect, area: QRect, distance: int = SNAP_PIXELS) -> QRect:
    """Return the rectangle moved to nearby edges or the middle of the area."""
    lefts = (area.left(), area.center().x() - (rect.width() - 1) // 2, area.right() - rect.width() + 1)
    tops = (area.top(), area.bottom() - rect.height() + 1)
    return QRect(QPoint(_nearest(rect.left(), lefts, distance), _nearest(rect.top(), tops, distance)), rect.size())


def at_right(size: QSize, room: QSize) -> QPoint:
    """Return where controls of a size stand in the overlay: at the right, above or, in a low one, in the middle."""
    left = room - size
    return QPoint(left.width() - INSET_PIXELS, min(INSET_PIXELS, left.height() // 2))


def last_place(places: Collection[OverlayPosition], screens: Collection[str]) -> OverlayPosition | None:
    """Return the newest position on a connected screen."""
    return next((place for place in places if place.screen in screens), None)


def rect_of(place: OverlayPosition, area: QRect) -> QRect:
    """Convert a position on its screen's area to a visible rectangle of the desktop."""
    return within(QRect(area.left() + place.x, area.top() + place.y, place.width, place.height), area)


def noted(places: tuple[OverlayPosition, ...], screen: str, rect: QRect, area: QRect) -> tuple[OverlayPosition, ...]:
    """Return the positions with a new one first, in place of the older one on that screen."""
    newest = OverlayPosition(screen, rect.left() - area.left(), rect.top() - area.top(), rect.width(), rect.height())
    return (newest, *(place for place in places if place.screen != screen))


def edges_at(point: QPoint, size: QSize) -> Qt.Edge:
    """Return the edges of a window that a point in it lies on."""
    edges = NOWHERE
    if point.x() < EDGE_PIXELS:
        edges |= Qt.Edge.LeftEdge
    elif point.x() >= size.width() - EDGE_PIXELS:
        edges |= Qt.Edge.RightEdge
    if point.y() < EDGE_PIXELS:
        edges |= Qt.Edge.TopEdge
    elif point.y() >= size.height() - EDGE_PIXELS:
        edges |= Qt.Edge.BottomEdge
    return edges


def cursor_on(edges: Qt.Edge) -> Qt.CursorShape:
    """Return the cursor for dragging these edges."""
    across = edges & (Qt.Edge.LeftEdge | Qt.Edge.RightEdge)
    upright = edges & (Qt.Edge.TopEdge | Qt.Edge.BottomEdge)
    if across and upright:
        falls = bool(edges & Qt.Edge.LeftEdge) == bool(edges & Qt.Edge.TopEdge)
        return Qt.CursorShape.SizeFDiagCursor if falls else Qt.CursorShape.SizeBDiagCursor
    if across:
        return Qt.CursorShape.SizeHorCursor
    return Qt.CursorShape.SizeVerCursor if upright else Qt.CursorShape.OpenHandCursor


def _nearest(value: int, edges: Collection[int], distance: int) -> int:
    edge = min(edges, key=lambda each: abs(each - value))
    return edge if abs(edge - value) <= distance else value
