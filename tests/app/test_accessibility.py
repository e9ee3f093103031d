"""The whole app without eyes, without a mouse, and with large letters: every page, dialog and popup."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAction, QFont, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QPushButton, QScrollArea, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captions.state import State, Status
from app.preferences.preferences import Look
from tests.app import audit
from tests.app.scenes import Scene, Stage, application_in, settle

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", "requestActivate")
PAGES = {"Ctrl+1": "captions_page", "Ctrl+2": "assistant_page", "Ctrl+3": "history_page", "Ctrl+4": "models_page"}


@pytest.fixture
def application(qapp: QApplication, tmp_path: Path) -> Iterator[Application]:
    with application_in(qapp, tmp_path, "en") as made:
        yield made


Inspection = Callable[[Scene], list[str]]
Findings = dict[str, list[str]]
"""Faults, by the name of the scene."""


def findings(application: Application, qtbot: QtBot, *looks: Inspection) -> list[Findings]:
    """Return the faults that each look finds, by scene, without the scenes that have none."""
    found: list[Findings] = [{} for _ in looks]
    for scene in Stage(application, qtbot).scenes():
        if scene.name != "overlay-menu":
            for problems, look in zip(found, looks, strict=True):
                problems[scene.name] = look(scene)
    assert all(len(problems) > 25 for problems in found)
    return [{name: wrong for name, wrong in problems.items() if wrong} for problems in found]


def at_rest(look: Callable[[QWidget], list[str]], window: QWidget) -> list[str]:
    """Return what a look still finds wrong once layouts have had time to come to rest, even on a busy machine."""
    for _ in range(40):
        found = look(window)
        if not found:
            break
        QTest.qWait(50)
    return found


def to_front(widget: QWidget, qtbot: QtBot) -> None:
    widget.activateWindow()
    takes_focus = not widget.windowFlags() & Qt.WindowType.WindowDoesNotAcceptFocus
    if takes_focus and widget.windowType() is not Qt.WindowType.Popup:
        qtbot.waitUntil(lambda: QApplication.activeWindow() is widget)


@dataclass(frozen=True)
class Audited:
    """Faults for a screen reader, for the tabulator key, and for who looks for the focus.

    Attributes:
        focused: the kinds of controls that were looked at with the focus and without.
    """

    unnamed: Findings
    unreached: Findings
    unmarked: Findings
    focused: set[tuple[str, object]]


@pytest.fixture(scope="module")
def audited(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Audited:
    """The whole app, in one walk through its scenes."""
    qtbot = QtBot(request)  # the fixture is each test's own
    focused: set[tuple[str, object]] = set()
    with application_in(qapp, tmp_path_factory.mktemp("audited"), "en") as application:
        window = application.window
        parts = (window.rail, window.message, window.captions.stage, application.tuning)
        areas = (*parts, *(getattr(application, page) for page in PAGES.values()))

        def unnamed(scene: Scene) -> list[str]:
            shown = scene.widget
            return audit.nameless(shown) + audit.unlabelled(shown) + audit.without_buddy(shown)

        def unreached(scene: Scene) -> list[str]:
            to_front(scene.widget, qtbot)
            return audit.unreached(scene.widget) + audit.backwards(scene.widget, areas)

        def unmarked(scene: Scene) -> list[str]:
            to_front(scene.widget, qtbot)
            same = []
            for stop in audit.tab_stops(scene.widget):
                kind = (type(stop).__name__, stop.property("role"))
                if kind not in focused and scene.name != "overlay":  # it takes the focus by a key of its own alone
                    focused.add(kind)
                    same += at_rest(unseen_focus, stop)
            return same

        nameless, skipped, same = findings(application, qtbot, unnamed, unreached, unmarked)
    return Audited(nameless, skipped, same, focused)


def test_every_control_has_a_name_and_every_list_and_key_a_label(audited: Audited) -> None:
    assert audited.unnamed == {}


def test_the_tabulator_key_reaches_every_control_in_reading_order(audited: Audited) -> None:
    assert audited.unreached == {}


def test_what_has_the_focus_looks_different(audited: Audited) -> None:
    assert audited.unmarked == {}
    assert len(audited.focused) > 20


def unseen_focus(widget: QWidget) -> list[str]:
    """Name a widget that looks the same with the focus and without."""
    widget.window().activateWindow()
    return [audit.described(widget)] if picture(widget, focused=True) == picture(widget, focused=False) else []


def picture(widget: QWidget, *, focused: bool) -> QImage:
    if focused:
        widget.setFocus(Qt.FocusReason.TabFocusReason)
    elif widget.hasFocus():
        widget.clearFocus()
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(widget)
        above = above.parentWidget()
    settle()
    window = widget.window()
    around = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size()).adjusted(-4, -4, 4, 4)
    return window.grab(around).toImage()


def test_escape_closes_every_dialog(application: Application, qtbot: QtBot) -> None:
    def look(scene: Scene) -> list[str]:
        window = scene.widget
        if not scene.is_dialog or not (isinstance(window, QDialog) or window.windowType() == Qt.WindowType.Popup):
            return []
        if scene.name in ("welcome-1", "welcome-2", "welcome-3") or scene.name.startswith("settings-"):
            return []  # the same window again
        to_front(window, qtbot)
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Escape)
        return [] if not window.isVisible() else [type(window).__name__]

    assert findings(application, qtbot, look) == [{}]
    dialog = application.dialogs.settings
    dialog.open_page("general")
    to_front(dialog, qtbot)
    QTest.keyClick(dialog.search, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not dialog.isVisible())


def test_every_page_is_reached_by_its_key_and_takes_the_focus_there(application: Application, qtbot: QtBot) -> None:
    window = application.window
    to_front(window, qtbot)
    for keys, name in [*list(PAGES.items())[1:], *list(PAGES.items())[:1]]:
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key(ord(keys[-1])), Qt.KeyboardModifier.ControlModifier)
        page: QWidget = getattr(application, name)
        assert page.isVisible(), keys
        focused = QApplication.focusWidget()
        assert focused is page or page.isAncestorOf(focused), keys


def test_everything_that_can_be_done_is_in_a_menu_or_has_a_button(application: Application) -> None:
    window = application.window
    in_menus = {action for menu in window.menuBar().findChildren(QMenu) for action in menu.actions()}
    on_buttons = {
        getattr(button, "action", None) or getattr(button, "_action", None)
        for kind in (QPushButton, QToolButton)
        for button in window.findChildren(kind)
    }
    offered_by_messages = {application.actions.undo_new}
    actions = {
        value
        for holder in (application.actions, application.actions.assistant)
        for value in vars(holder).values()
        if isinstance(value, QAction)
    }
    assert len(actions) > 35
    of_a_mac = {getattr(application.actions, name) for name in ("cut", "paste", "select_all", "close_window")}
    assert [each.text() for each in actions - in_menus - on_buttons - offered_by_messages - of_a_mac] == []


class Told:
    """Sentences that a screen reader is told to say."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts: list[str] = []
        monkeypatch.setattr(QAccessible, "updateAccessibility", self._take)

    def _take(self, event: object) -> None:
        message = getattr(event, "message", None)
        if message is not None:
            self.texts.append(message())


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    return Told(monkeypatch)


def test_states_are_told_once_and_not_for_every_pause(application: Application, told: Told) -> None:
    transport = application.captions_page.transport
    for state in (State.OPENING, State.LISTENING, State.HEARING, State.LISTENING, State.HEARING, State.LISTENING):
        transport.show_status(Status(state))
    assert told.texts == ["Listening"]
    transport.show_status(Status(State.FINISHING))
    transport.show_status(Status(State.FINISHED))
    assert told.texts[1:] == ["Finishing the last words…", "Finished"]


def test_problems_are_told_and_words_are_not(application: Application, qtbot: QtBot, told: Told) -> None:
    stage = Stage(application, qtbot)
    for scene in stage.scenes():
        if scene.name == "captions-spoken":
            break
    assert told.texts == ["Something happened."]


SIZES: dict[str, tuple[tuple[int, int], float, Look]] = {
    "usual": ((720, 560), 1.0, "light"),
    "least": ((440, 400), 1.0, "dark"),
    "high contrast": ((900, 640), 1.0, "contrast"),
    "large letters": ((1080, 720), 1.5, "light"),
}


@pytest.fixture(params=SIZES)
def german(qapp: QApplication, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Application]:
    size, scale, look = SIZES[request.param]
    usual = QFont(qapp.font())
    font = QFont(usual)
    font.setPointSizeF(usual.pointSizeF() * scale)
    qapp.setFont(font)
    with application_in(qapp, tmp_path, "de", look, size) as made:
        yield made
    qapp.setFont(usual)


def test_no_german_text_is_cut_off(german: Application, qtbot: QtBot, request: pytest.FixtureRequest) -> None:
    size = request.node.callspec.params["german"]

    def look(scene: Scene) -> list[str]:
        window = scene.widget
        if size == "least" and scene.name.startswith("tuning"):
            return []  # the panel takes the page's room there
        if size == "least" and isinstance(window, QDialog):
            window.resize(window.minimumSizeHint().expandedTo(window.minimumSize()))
            settle()
        if window.width() >= window.screen().availableGeometry().width() - 1:
            return []  # wider than this small screen, which has to scroll
        return at_rest(audit.cut_off, window)

    assert findings(german, qtbot, look) == [{}]
