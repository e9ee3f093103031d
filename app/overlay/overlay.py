"""The overlay: captions that float above every other window, moved and sized by mouse or by keys."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QContextMenuEvent,
    QCursor,
    QEnterEvent,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QScreen,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from app.look.theme import Theme
from app.overlay import overlay_position
from app.overlay.layer_shell import LayerShell, LayerSurface, layer_shell
from app.overlay.overlay_controls import OverlayControls
from app.overlay.overlay_desktop import Limit, is_unmanaged, limits_of, show_everywhere
from app.overlay.overlay_face import LEAST_CHARACTERS, MOST_CHARACTERS, USUAL_CHARACTERS, OverlayFace
from app.overlay.overlay_feed import OverlayFeed
from app.preferences import preferences
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.transcript.caption_model import CaptionModel

STEP_PIXELS, FINE_STEP_PIXELS = 20, 1
NOTE_MILLISECONDS = 400
MOUSE_MILLISECONDS = 200
"""Interval at which the mouse position is polled on desktops that do not report it."""

_WINDOW = (
    Qt.WindowType.Tool
    | Qt.WindowType.FramelessWindowHint
    | Qt.WindowType.WindowStaysOnTopHint
    | Qt.WindowType.NoDropShadowWindowHint
    | Qt.WindowType.WindowDoesNotAcceptFocus  # a click on it does not take the focus from the window below
)
_ARROWS = {
    Qt.Key.Key_Left: QPoint(-1, 0),
    Qt.Key.Key_Right: QPoint(1, 0),
    Qt.Key.Key_Up: QPoint(0, -1),
    Qt.Key.Key_Down: QPoint(0, 1),
}


class Overlay(QWidget):
    """A window of its own that shows the newest captions according to the preferences.

    Its height follows from the number of lines: dragging its upper or lower edge changes that number. Its width follows
    from the number of characters: larger text makes it wider.

    Attributes:
        face: the painted content.
        controls: the buttons, visible while the mouse or the keyboard is on the overlay.

    Signals:
        window_wanted, settings_wanted: show the main window, or the overlay's settings.
    """

    window_wanted = Signal()
    settings_wanted = Signal()

    def __init__(
        self, model: CaptionModel, settings: Settings, theme: Theme, recording: Sequence[QAction] = ()
    ) -> None:
        """Show a transcript; the menu offers the `recording` actions first."""
        self._layers = layer_shell()
        self._layer: LayerSurface | None = None  # while it is shown
        unmanaged = self._layers is not None or is_unmanaged(QGuiApplication.platformName(), os.environ)
        super().__init__(None, _WINDOW | Qt.WindowType.BypassWindowManagerHint if unmanaged else _WINDOW)
        self._settings = settings
        self.face = OverlayFace(self._look, self)
        self.controls = OverlayControls(settings, theme, self, recording, self._layers)
        self.face.leave_right(self.controls.width() + 2 * overlay_position.INSET_PIXELS)
        self._feed = OverlayFeed(model, self.face)
        self._pulled = overlay_position.NOWHERE
        self._characters: float = USUAL_CHARACTERS  # per line; fewer while the screen has no room for them
        self._pressed: QPoint | None = None
        self._rect_when_pressed = QRect()
        self._returns_to: QWidget | None = None
        self._is_over = False
        self._takes_keys = False
        self._note_place = QTimer(self, singleShot=True, interval=NOTE_MILLISECONDS)
        self._note_place.timeout.connect(self._keep_place)
        self._mouse_looks = QTimer(self, interval=MOUSE_MILLISECONDS)
        self._mouse_looks.timeout.connect(self._look_for_mouse)
        self.setObjectName("overlay")
        self.setWindowTitle(self.tr("Earshot captions"))
        self.setAccessibleName(self.tr("Captions overlay"))
        self.setAccessibleDescription(
            self.tr(
                "Arrow keys move it, Shift with arrow keys resizes it, plus and minus change the text size, Escape "
                "leaves."
            )
        )
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_AlwaysShowToolTips)  # it is rarely the active window
        self.setAttribute(Qt.WidgetAttribute.WA_MacAlwaysShowToolWindow)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.face.set_hint(self.tr("Captions appear here. Drag to move, drag an edge to resize."))
        self.controls.window_wanted.connect(self.window_wanted)
        self.controls.settings_wanted.connect(self.settings_wanted)
        self.controls.home_wanted.connect(self.go_home)
        self._apply_look()
        settings.changed.connect(self._follow)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.screenAdded.connect(self._mind_screens)
        app.screenRemoved.connect(self._mind_screens)

    @property
    def limits(self) -> str:
        """Limits of the overlay on this desktop, in a sentence; empty if there are none."""
        if Limit.PLACE in self._limits:
            return self.tr(
                "Under Wayland the desktop decides where this window stands and what covers it: its place is not "
                "remembered, and it stays on top only if you tell the desktop so, in most by Alt+Space. The overlay's "
                "settings have a way round that."
            )
        return ""

    @property
    def _limits(self) -> Limit:
        return Limit.NONE if self._layers is not None else limits_of(QGuiApplication.platformName())

    def follow(self) -> None:
        """Show or hide the overlay according to the preferences."""
        if self._look.shown != self.isVisible():
            self.setVisible(self._look.shown)

    def take_focus(self) -> None:
        """Accept keys for moving and sizing until Escape is pressed."""
        active = QApplication.activeWindow()
        self._returns_to = active if active is not self else None
        self._takes_keys = True
        self._set_flag(Qt.WindowType.WindowDoesNotAcceptFocus, False)
        if self._layer is not None:
            self._layer.take_keys(True)
        self.raise_()
        self.activateWindow()
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._show_frame()

    def go_home(self) -> None:
        """Move to the usual place on this screen, in the usual width."""
        self._characters = USUAL_CHARACTERS
        self._place(overlay_position.usual(self.face.fitting(self._characters), self._area(), self._look.edge))
        self._keep_place()

    def close_for_good(self) -> None:
        """Close without changing the preference."""
        self._settings.changed.disconnect(self._follow)
        self._note_place.stop()
        self._feed.run(False)
        self.hide()
        self.deleteLater()

    @property
    def _look(self) -> preferences.OverlayOptions:
        return self._settings.preferences.overlay

    def _alter(self, **changes: object) -> None:
        self._settings.alter(lambda now: replace(now, overlay=replace(now.overlay, **changes)))  # type: ignore[arg-type]

    # Preferences

    def _follow(self, before: Preferences, after: Preferences) -> None:
        old, new = before.overlay, after.overlay
        self._apply_look()
        fits = (old.points, old.font, old.lines, old.languages) != (new.points, new.font, new.lines, new.languages)
        if self.isVisible() and (fits or before.translates != after.translates):
            self._fit()
        if old.edge != new.edge and self.isVisible():
            self.go_home()
        self.follow()

    def _apply_look(self) -> None:
        now = self._settings.preferences
        self.face.apply(now.overlay, translates=now.translates)
        self.face.set_rests(not now.overlay.click_through)
        self._feed.set_stable_only(now.appearance.stable_only)
        lets_through = bool(self.windowFlags() & Qt.WindowType.WindowTransparentForInput)
        if now.overlay.click_through != lets_through:
            self._let_clicks_through(now.overlay.click_through)

    def _set_flag(self, flag: Qt.WindowType, on: bool) -> None:
        """Change a flag of the window without hiding it, as QWidget would."""
        flags = self.windowFlags() | flag if on else self.windowFlags() & ~flag
        self.overrideWindowFlags(flags)
        if (window := self.windowHandle()) is not None:
            window.setFlags(flags)
            self._show_everywhere()  # on macOS Qt resets level and behaviour with the flags

    def _let_clicks_through(self, through: bool) -> None:
        self._set_flag(Qt.WindowType.WindowTransparentForInput, through)
        self._follow_mouse()
        if through:
            self._note_mouse(False)
            self.face.say(self.tr("Clicks now go to the window behind. Turn that off in the Captions menu."))

    def _fit(self) -> None:
        """Resize to the present characters and lines, keeping the centre and the nearer edge."""
        area = self._area()
        rect = QRect(QPoint(), self.face.fitting(self._characters).boundedTo(area.size()))
        rect.moveCenter(self.geometry().center())
        if self.geometry().center().y() > area.center().y():
            rect.moveBottom(self.geometry().bottom())
        else:
            rect.moveTop(self.geometry().top())
        self._place(overlay_position.within(rect, area))
        self._note_place.start()

    # Position

    def _stands_on(self) -> QScreen:
        return QGuiApplication.screenAt(self.geometry().center()) or self.screen()

    def _area(self) -> QRect:
        return self._stands_on().availableGeometry()

    def _place(self, rect: QRect) -> None:
        self.setGeometry(rect)
        if self._layer is not None:
            self._layer.place(self._on_screen())

    def _on_screen(self) -> QRect:
        """Return the position on its screen; of several screens the compositor chooses one."""
        return self.geometry().translated(-self.screen().geometry().topLeft())

    def _restore_place(self) -> None:
        """Move to the last position on a connected screen, or to the usual place."""
        screens = {screen.name(): screen for screen in QGuiApplication.screens()}
        place = overlay_position.last_place(self._look.places, screens)
        screen = screens[place.screen] if place else QGuiApplication.primaryScreen()
        self.setScreen(screen)
        area = screen.availableGeometry()
        if place is None:
            self._place(overlay_position.usual(self.face.fitting(self._characters), area, self._look.edge))
            return
        self._characters = min(max(self.face.characters(place.width), LEAST_CHARACTERS), MOST_CHARACTERS)
        height = self.face.fitting(USUAL_CHARACTERS).height()  # for the present number of lines
        bottom = place.y + place.height if place.y + place.height / 2 > area.height() / 2 else place.y + height
        self._place(overlay_position.rect_of(replace(place, y=bottom - height, height=height), area))

    def _keep_place(self) -> None:
        self._note_place.stop()
        if Limit.PLACE not in self._limits:
            screen = self._stands_on()
            rect, area = self.geometry(), screen.availableGeometry()
            self._alter(places=overlay_position.noted(self._look.places, screen.name(), rect, area))

    def _mind_screens(self, screen: QScreen) -> None:
        """Restore the position after a screen was added or removed, once Qt has moved its windows."""
        if self._layer is not None and not self._layer.is_open:  # it went with its screen
            self.hide()
            self.follow()
        QTimer.singleShot(0, self, self._restore_place)

    # Mouse

    def enterEvent(self, event: QEnterEvent) -> None:
        self._note_mouse(True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._note_mouse(False)
        super().leaveEvent(event)

    def _follow_mouse(self) -> None:
        """Poll the mouse while it can be on the overlay, on desktops that do not report it."""
        wanted = self.isVisible() and not self.windowFlags() & Qt.WindowType.WindowTransparentForInput
        if wanted and Limit.MOUSE in self._limits:
            self._mouse_looks.start()
        else:
            self._mouse_looks.stop()

    def _look_for_mouse(self) -> None:
        self._note_mouse(self._pressed is not None or self.geometry().contains(QCursor.pos()))

    def _note_mouse(self, is_over: bool) -> None:
        if is_over != self._is_over:
            self._is_over = is_over
            self._show_frame()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._pulled = overlay_position.edges_at(event.position().toPoint(), self.size())
        window = self.windowHandle()
        if Limit.PLACE in self._limits:
            window.startSystemResize(self._pulled) if self._pulled else window.startSystemMove()
            return
        self._pressed = event.globalPosition().toPoint()
        self._rect_when_pressed = self.geometry()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self.setCursor(
                overlay_position.cursor_on(overlay_position.edges_at(event.position().toPoint(), self.size()))
            )
        elif self._layer is None:  # the mouse is told relative to a layer, which lags behind: it moves at the end
            self._drag(event, self._pressed)

    def _drag(self, event: QMouseEvent, pressed: QPoint) -> None:
        """Move, or size, by the way of the mouse since it was pressed."""
        way = event.globalPosition().toPoint() - pressed
        if self._pulled:
            self._pull(way)
            return
        screen = QGuiApplication.screenAt(event.globalPosition().toPoint()) or self.screen()
        moved = self._rect_when_pressed.translated(way)
        self._place(overlay_position.snapped(moved, screen.availableGeometry()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None and event.button() == Qt.MouseButton.LeftButton:
            if self._layer is not None:
                self._drag(event, self._pressed)
            self._pressed = None
            self._place(overlay_position.within(self.geometry(), self._area()))
            if self.geometry() != self._rect_when_pressed:
                self._keep_place()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.window_wanted.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        self.controls.open_menu(self.mapToGlobal(self.rect().center()) if by_key else event.globalPos())

    def _pull(self, way: QPoint) -> None:
        """Follow a dragged edge: sideways by pixels, up and down by whole lines."""
        start = self._rect_when_pressed
        rect = QRect(start)
        least, most = (self.face.fitting(count).width() for count in (LEAST_CHARACTERS, MOST_CHARACTERS))
        if self._pulled & Qt.Edge.LeftEdge:
            rect.setLeft(start.right() + 1 - min(max(start.width() - way.x(), least), most))
        elif self._pulled & Qt.Edge.RightEdge:
            rect.setWidth(min(max(start.width() + way.x(), least), most))
        if self._pulled & (Qt.Edge.TopEdge | Qt.Edge.BottomEdge):
            down = way.y() if self._pulled & Qt.Edge.BottomEdge else -way.y()
            self._set_lines(self.face.lines_within(start.height() + down))
            height = self.face.fitting(USUAL_CHARACTERS).height()
            if self._pulled & Qt.Edge.TopEdge:
                rect.setTop(start.bottom() + 1 - height)
            else:
                rect.setHeight(height)
        self._characters = self.face.characters(rect.width())
        self._place(rect)

    def _set_lines(self, lines: int) -> None:
        if lines != self._look.lines:
            self._alter(lines=lines)

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        way = _ARROWS.get(key)
        if key == Qt.Key.Key_Escape:
            self._give_focus_back()
        elif way is not None and modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._size_by(way)
        elif way is not None:
            step = FINE_STEP_PIXELS if modifiers & Qt.KeyboardModifier.ControlModifier else STEP_PIXELS
            self._place(overlay_position.within(self.geometry().translated(way * step), self._area()))
            self._note_place.start()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.controls.larger.trigger()
        elif key == Qt.Key.Key_Minus:
            self.controls.smaller.trigger()
        elif key == Qt.Key.Key_Home:
            self.go_home()
        else:
            super().keyPressEvent(event)

    def _size_by(self, way: QPoint) -> None:
        """Change the width by some characters, or the height by a line."""
        if way.y():
            self._set_lines(min(max(self._look.lines + way.y(), 1), preferences.MOST_OVERLAY_LINES))
            return
        characters = self.face.characters(self.width()) + 2 * way.x()
        self._characters = min(max(characters, LEAST_CHARACTERS), MOST_CHARACTERS)
        self._fit()

    def _give_focus_back(self) -> None:
        returns_to, self._returns_to = self._returns_to, None
        self._leave_keys()
        if returns_to is not None and returns_to.isVisible():
            returns_to.activateWindow()

    def _leave_keys(self) -> None:
        if focus := self.focusWidget():
            focus.clearFocus()
        self._takes_keys = False
        if self._layer is not None:
            self._layer.take_keys(False)
        self._set_flag(Qt.WindowType.WindowDoesNotAcceptFocus, True)
        self._show_frame()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        went = event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow()
        if went and self._takes_keys and QApplication.activePopupWidget() is None:
            self._leave_keys()

    def _show_frame(self) -> None:
        framed = self._is_over or self._takes_keys
        self.face.set_framed(framed, focused=self._takes_keys)
        self.controls.setVisible(framed)

    # The window

    def showEvent(self, event: QShowEvent) -> None:
        self._restore_place()
        if self._layers is not None:
            self._rise(self._layers)
        self._show_everywhere()
        QTimer.singleShot(0, self, self._show_everywhere)  # and again once it is on the screen
        self._feed.run(True)
        self._follow_mouse()
        super().showEvent(event)

    def _rise(self, layers: LayerShell) -> None:
        """Become a layer above all windows; if that fails, a window that the desktop manages."""
        self.winId()  # which makes the window
        try:
            self._layer = layers.surface(self.windowHandle())
            self._layer.open(self._on_screen())
        except OSError:
            self._layers = None
            self.destroy()
            self.overrideWindowFlags(self.windowFlags() & ~Qt.WindowType.BypassWindowManagerHint)
            self.create()

    def _show_everywhere(self) -> None:
        show_everywhere(QGuiApplication.platformName(), int(self.winId()))

    def hideEvent(self, event: QHideEvent) -> None:
        self._feed.run(False)
        self._follow_mouse()
        self._note_mouse(False)
        if self._layer is not None:
            self._layer.close()
            self._layer = None
        super().hideEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Turn the overlay off in the preferences, because the desktop closed it."""
        event.accept()
        self._alter(shown=False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.face.setGeometry(self.rect())
        self.controls.move(overlay_position.at_right(self.controls.size(), self.size()))
