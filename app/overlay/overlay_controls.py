"""The overlay's buttons and its menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPoint, QRectF, Signal
from PySide6.QtGui import QAction, QActionGroup, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QMenu, QWidget

from app.look.theme import Theme
from app.overlay.layer_shell import LayerShell
from app.overlay.layered_menu import LayeredMenu
from app.preferences.preferences import MOST_OVERLAY_LINES, Languages, OverlayOptions, Preferences
from app.preferences.settings import Settings
from app.widgets.action_button import ActionButton
from app.widgets.layouts import in_column, in_row

STEP_FACTOR = 1.15
LEAST_POINTS, MOST_POINTS = 10.0, 96.0
RADIUS_PIXELS = 11


class OverlayControls(QWidget):
    """Buttons for larger, smaller, click-through and close, and a menu with more actions.

    Attributes:
        larger, smaller, click_through, hide_overlay: the actions, for keys and tests.
        menu: the menu of a right click.

    Signals:
        window_wanted, settings_wanted, home_wanted: show the main window, show the overlay's settings, move to the
            usual place.
    """

    window_wanted = Signal()
    settings_wanted = Signal()
    home_wanted = Signal()

    def __init__(
        self,
        settings: Settings,
        theme: Theme,
        parent: QWidget,
        recording: Sequence[QAction] = (),
        layers: LayerShell | None = None,
    ) -> None:
        """Make the controls; the menu offers the `recording` actions of the window first, on a layer if the overlay is
        one.
        """
        super().__init__(parent)
        self._settings = settings
        self._theme = theme
        self.larger = self._make(self.tr("&Larger text"), lambda: self._scale(STEP_FACTOR))
        self.smaller = self._make(self.tr("S&maller text"), lambda: self._scale(1 / STEP_FACTOR))
        self.click_through = self._make(self.tr("&Clicks go through"), self._toggle_click_through)
        self.click_through.setCheckable(True)
        self.hide_overlay = self._make(self.tr("&Hide overlay"), lambda: self._alter(shown=False))
        self.languages = self._make_languages()
        self.menu = QMenu(self)
        self._fill_menu(recording)
        self._layers = LayeredMenu(self.menu, layers) if layers is not None else None
        actions = (self.smaller, self.larger, self.click_through, self.hide_overlay)
        buttons = [ActionButton(action, "flat", self) for action in actions]
        for button in buttons:
            button.set_compact(True)
            if self._layers is not None:
                button.installEventFilter(self._layers)
        rows = (in_row(*buttons[:2], spacing=0), in_row(*buttons[2:], spacing=0))
        in_column(*rows, on=self, margins=3, spacing=0)
        self.hide()
        settings.changed.connect(self._follow)
        theme.changed.connect(self._refresh_icons)
        self._refresh_icons()
        self._follow(settings.preferences, settings.preferences)
        self.adjustSize()

    def open_menu(self, place: QPoint) -> None:
        """Open the menu at a position of the desktop."""
        self.menu.popup(place if self._layers is None else self._layers.place(place, self.window().geometry()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a plate in the theme's colours, so that the buttons are readable on any overlay."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
        painter.setBrush(self.palette().color(QPalette.ColorRole.Button))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS_PIXELS, RADIUS_PIXELS)
        painter.end()

    def _make(self, text: str, do: Callable[[], None]) -> QAction:
        action = QAction(text, self)
        action.setIconVisibleInMenu(False)
        action.triggered.connect(lambda _=False: do())
        return action

    def _make_languages(self) -> dict[Languages, QAction]:
        texts: dict[Languages, str] = {
            "both": self.tr("&Both languages"),
            "spoken": self.tr("What is &spoken"),
            "translation": self.tr("The t&ranslation"),
        }
        group = QActionGroup(self)
        made: dict[Languages, QAction] = {}
        for languages, text in texts.items():
            action = made[languages] = self._make(text, partial(self._alter, languages=languages))
            action.setCheckable(True)
            group.addAction(action)
        return made

    def _fill_menu(self, recording: Sequence[QAction]) -> None:
        self.more_lines = self._make(self.tr("One m&ore line"), lambda: self._add_lines(1))
        self.fewer_lines = self._make(self.tr("One line &fewer"), lambda: self._add_lines(-1))
        home = self._make(self.tr("&Default position"), self.home_wanted.emit)
        window = self._make(self.tr("Show &Earshot"), self.window_wanted.emit)
        settings = self._make(self.tr("Overlay settin&gs…"), self.settings_wanted.emit)
        groups: tuple[Sequence[QAction], ...] = (
            recording,
            (self.larger, self.smaller),
            (self.more_lines, self.fewer_lines),
            tuple(self.languages.values()),
            (home, self.click_through),
            (settings, window, self.hide_overlay),
        )
        for actions in groups:
            self.menu.addActions(actions)
            self.menu.addSeparator()
        self.menu.setToolTipsVisible(True)

    def _follow(self, before: Preferences, after: Preferences) -> None:
        """Update the actions from the preferences."""
        overlay = after.overlay
        self.larger.setEnabled(overlay.points < MOST_POINTS)
        self.smaller.setEnabled(overlay.points > LEAST_POINTS)
        self.more_lines.setEnabled(overlay.lines < MOST_OVERLAY_LINES)
        self.fewer_lines.setEnabled(overlay.lines > 1)
        self.click_through.setChecked(overlay.click_through)
        self.languages[overlay.languages].setChecked(True)
        for action in self.languages.values():
            action.setEnabled(after.translates)

    def _refresh_icons(self) -> None:
        icons = {
            "text-larger": self.larger,
            "text-smaller": self.smaller,
            "click-through": self.click_through,
            "close": self.hide_overlay,
        }
        for name, action in icons.items():
            action.setIcon(self._theme.icon(name))

    def _alter(self, **changes: object) -> None:
        def changed(overlay: OverlayOptions) -> OverlayOptions:
            return replace(overlay, **changes)  # type: ignore[arg-type]

        self._settings.alter(lambda now: replace(now, overlay=changed(now.overlay)))

    def _scale(self, factor: float) -> None:
        points = self._settings.preferences.overlay.points * factor
        self._alter(points=round(min(max(points, LEAST_POINTS), MOST_POINTS), 1))

    def _add_lines(self, lines: int) -> None:
        self._alter(lines=self._settings.preferences.overlay.lines + lines)

    def _toggle_click_through(self) -> None:
        self._alter(click_through=not self._settings.preferences.overlay.click_through)
