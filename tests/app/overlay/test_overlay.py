"""The floating captions: what they show and for how long, and how they are moved, sized and let through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSignalBlocker, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QCursor, QEnterEvent, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.look.theme import Theme
from app.overlay import overlay as overlay_module
from app.overlay import overlay_desktop, overlay_face
from app.overlay.overlay import Overlay
from app.overlay.overlay_desktop import Limit, limits_of
from app.preferences.paths import with_value
from app.preferences.preferences import OverlayPosition, Preferences
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.transcript.caption_model import CaptionModel
from app.widgets.action_button import ActionButton
from tests.app.made_captions import better, caption, split, translation
from tests.work import lines_run

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")  # said offscreen of windows above others

LONG = "They appear on the screen while we are speaking and stay there until they have been read"


def alter(settings: Settings, **changes: object) -> None:
    """Change what the preferences say of the overlay."""
    settings.alter(lambda now: replace(now, overlay=replace(now.overlay, **changes)))  # type: ignore[arg-type]


@pytest.fixture
def settings(qapp: QApplication, tmp_path: Path) -> Iterator[Settings]:
    made = Settings(PreferencesFile(tmp_path))
    yield made
    made.settle()


@pytest.fixture
def model(qapp: QApplication) -> CaptionModel:
    return CaptionModel()


@pytest.fixture
def overlay(model: CaptionModel, settings: Settings, qapp: QApplication, qtbot: QtBot) -> Iterator[Overlay]:
    """The overlay in sight, with the mouse and the keyboard elsewhere."""
    made = Overlay(model, settings, Theme(qapp))
    alter(settings, shown=True)
    qtbot.waitExposed(made)
    yield made
    made.close_for_good()


def spoken(overlay: Overlay) -> str:
    return " ".join(overlay.face.shown[0])


def translated(overlay: Overlay) -> str:
    return " ".join(overlay.face.shown[1])


def picture(overlay: Overlay) -> QImage:
    return overlay.grab().toImage()


def point_at(overlay: Overlay) -> None:
    """Move the mouse onto the overlay."""
    here = QPointF(5, 5)
    QApplication.sendEvent(overlay, QEnterEvent(here, here, here))


def point_away(overlay: Overlay) -> None:
    QApplication.sendEvent(overlay, QEvent(QEvent.Type.Leave))


def drag(overlay: Overlay, start: QPoint, way: QPoint) -> None:
    """Press, pull and let go; positions are the overlay's own when the mouse was pressed."""
    begin = overlay.mapToGlobal(start)
    QTest.mousePress(overlay, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    for share in (0.5, 1.0):
        QTest.mouseMove(overlay, overlay.mapFromGlobal(begin + way * share))
    end = overlay.mapFromGlobal(begin + way)
    QTest.mouseRelease(overlay, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end)


def test_it_is_shown_when_the_preferences_say_so_and_closing_it_tells_them(
    overlay: Overlay, settings: Settings
) -> None:
    assert overlay.isVisible()
    overlay.controls.hide_overlay.trigger()
    assert not overlay.isVisible()
    assert not settings.preferences.overlay.shown
    alter(settings, shown=True)
    assert overlay.isVisible()
    overlay.close()
    assert not settings.preferences.overlay.shown


@pytest.fixture
def mac(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[QPoint]]:
    """A Mac where another program is in front: Qt tells nothing of the mouse, which is at the newest of these."""
    places = [QPoint(-50, -50)]
    monkeypatch.setattr(QGuiApplication, "platformName", lambda: "cocoa")
    monkeypatch.setattr(overlay_desktop, "float_above_all", lambda window: None)
    monkeypatch.setattr(overlay_module, "MOUSE_MILLISECONDS", 1)
    monkeypatch.setattr(QCursor, "pos", lambda: places[-1])
    yield places


def test_h2_on_a_mac_the_buttons_come_while_another_program_is_in_front(
    mac: list[QPoint], overlay: Overlay, qtbot: QtBot
) -> None:
    """Mac review H2: Qt hears of no mouse there as long as Earshot is not the active program."""
    assert not overlay.controls.isVisible()
    mac.append(overlay.geometry().center())
    qtbot.waitUntil(overlay.controls.isVisible)
    mac.append(overlay.geometry().topLeft() - QPoint(20, 20))
    qtbot.waitUntil(lambda: not overlay.controls.isVisible())


def test_h2_on_a_mac_the_buttons_stay_while_the_overlay_is_dragged(
    mac: list[QPoint], overlay: Overlay, qtbot: QtBot
) -> None:
    """Mac review H2: a quick hand is ahead of what it pulls."""
    mac.append(overlay.geometry().center())
    qtbot.waitUntil(overlay.controls.isVisible)
    QTest.mousePress(overlay, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(30, 30))
    mac.append(QPoint(-50, -50))
    overlay._look_for_mouse()
    assert overlay.controls.isVisible()
    QTest.mouseRelease(overlay, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(30, 30))
    qtbot.waitUntil(lambda: not overlay.controls.isVisible())


def test_h2_nothing_looks_for_the_mouse_where_it_cannot_be_on_the_overlay_or_is_told(
    mac: list[QPoint], overlay: Overlay, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mac review H2: a timer that nobody needs costs battery."""
    assert overlay._mouse_looks.isActive()
    alter(settings, click_through=True)
    assert not overlay._mouse_looks.isActive()
    alter(settings, click_through=False)
    assert overlay._mouse_looks.isActive()
    alter(settings, shown=False)
    assert not overlay._mouse_looks.isActive()
    monkeypatch.setattr(QGuiApplication, "platformName", lambda: "xcb")
    monkeypatch.setattr(overlay_desktop, "_show_on_every_desktop", lambda window: None)
    alter(settings, shown=True)
    assert not overlay._mouse_looks.isActive()


def test_lines_that_were_read_do_not_change(overlay: Overlay, model: CaptionModel) -> None:
    first = caption(0, "The king is flooded.", final=True)
    for each in (first, better(first, "The king has fled.")):
        model.show(each)
        overlay._feed._catch_up()
        assert spoken(overlay) == "The king is flooded."
    for revision, text in enumerate(("überflutet", "geflohen")):
        model.translate(translation(0, text, revision=revision, final=True))
        overlay._feed._catch_up()
        assert overlay._feed._newest(-1)[1][0].text == "überflutet"
    assert model.translations[0].text == "geflohen"


def test_a_line_that_was_read_is_not_split(overlay: Overlay, model: CaptionModel) -> None:
    whole = caption(0, "Any questions? Yes, two.", final=True)
    for each in (whole, caption(1, "Go on.", start=5.0), *split(whole, 2, 7)):
        model.show(each)
        overlay._feed._catch_up()
    assert [each.text for each in overlay._feed._newest(-1)[0]] == ["Any questions? Yes, two.", "Go on."]


def test_an_open_line_ends_where_another_voice_begins(overlay: Overlay, model: CaptionModel) -> None:
    whole = caption(0, "Any questions? Yes, two.")
    first, rest = (replace(each, first_text="") for each in split(whole, 2, 1))
    for each in (whole, replace(first, final=True), rest):
        model.show(each)
    model.label(0, "Anna", instead_of=("",))
    overlay._feed._catch_up()
    spoken_now = overlay._feed._newest(-1)[0]
    assert [(each.text, each.moved) for each in spoken_now] == [("Anna: Any questions?", (0, 0)), ("Yes, two.", (0, 9))]
    model.show(replace(better(replace(rest, final=True), "Yes, too."), moved=rest.moved))
    overlay._feed._catch_up()
    assert [each.text for each in overlay._feed._newest(-1)[0]] == ["Anna: Any questions?", "Yes, two."]


def test_new_words_are_shown_at_once(overlay: Overlay, model: CaptionModel) -> None:
    model.show(caption(0, "Good morning,", pending="every one"))
    assert spoken(overlay) == "Good morning, every one"


def test_words_in_quick_succession_are_all_shown_by_a_timer_of_fifty_milliseconds_at_most(
    overlay: Overlay, model: CaptionModel, qtbot: QtBot
) -> None:
    timer = overlay._feed._rest
    for revision in range(1, 12):
        model.show(caption(0, "two " * revision, revision=revision))
    assert spoken(overlay) == "two"
    assert timer.isActive() and timer.interval() <= 50
    with qtbot.waitSignal(timer.timeout):
        pass
    assert spoken(overlay).count("two") == 11


def test_a_burst_of_changes_is_painted_no_more_often_than_a_screen_is_worth(
    overlay: Overlay, model: CaptionModel, qtbot: QtBot
) -> None:
    seen: list[str] = []
    for revision in range(200):
        model.show(caption(0, f"one {revision}", revision=revision))
        if not seen or seen[-1] != spoken(overlay):
            seen.append(spoken(overlay))
    qtbot.waitUntil(lambda: spoken(overlay) == "one 199")
    assert len(seen) < 20


def test_what_was_said_before_it_was_shown_is_not_repeated(
    overlay: Overlay, model: CaptionModel, settings: Settings
) -> None:
    alter(settings, shown=False)
    model.show(caption(0, "Unseen.", final=True))
    alter(settings, shown=True)
    assert spoken(overlay) == ""
    model.show(caption(1, "Seen."))
    assert spoken(overlay) == "Seen."


def test_another_transcript_is_not_taken_for_speech(overlay: Overlay, model: CaptionModel, qtbot: QtBot) -> None:
    model.show(caption(50, "Now.", final=True))
    model.reset_to([caption(number, LONG, final=True) for number in range(5)])
    assert spoken(overlay) == ""
    model.clear()
    model.show(caption(0, "Anew."))
    qtbot.waitUntil(lambda: spoken(overlay) == "Anew.")


def test_both_languages_are_shown_when_captions_are_translated(
    overlay: Overlay, model: CaptionModel, settings: Settings, qtbot: QtBot
) -> None:
    settings.alter(lambda now: Preferences(translates=True, overlay=now.overlay))
    model.show(caption(0, "Good morning."))
    model.translate(translation(0, "Guten Morgen."))
    qtbot.waitUntil(lambda: translated(overlay) == "Guten Morgen.")
    assert spoken(overlay) == "Good morning."
    alter(settings, languages="translation")
    assert (spoken(overlay), translated(overlay)) == ("", "Guten Morgen.")
    alter(settings, languages="spoken")
    assert (spoken(overlay), translated(overlay)) == ("Good morning.", "")


def test_without_translation_the_spoken_words_are_shown_whatever_was_chosen(
    overlay: Overlay, model: CaptionModel, settings: Settings
) -> None:
    alter(settings, languages="translation")
    model.show(caption(0, "Good morning."))
    assert spoken(overlay) == "Good morning."


def test_words_that_may_still_change_can_be_left_out(
    overlay: Overlay, model: CaptionModel, settings: Settings, qtbot: QtBot
) -> None:
    model.show(caption(0, "Good", pending="mourning"))
    assert spoken(overlay) == "Good mourning"
    settings.alter(lambda now: replace(now, appearance=replace(now.appearance, stable_only=True)))
    qtbot.waitUntil(lambda: spoken(overlay) == "Good")


def test_text_fades_after_it_has_been_read_and_the_next_begins_at_the_top(
    overlay: Overlay, model: CaptionModel, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overlay_face, "SHORTEST_HOLD_SECONDS", 0.05)
    monkeypatch.setattr(overlay_face, "LONGEST_HOLD_SECONDS", 0.05)
    point_away(overlay)
    with qtbot.waitSignal(overlay.face.faded):
        model.show(caption(0, LONG, pending="and"))
    assert overlay.face.presence == 0
    assert spoken(overlay) == ""
    model.show(caption(0, LONG, pending="more", revision=1))
    qtbot.waitUntil(lambda: spoken(overlay) == "more")


def test_nothing_fades_while_the_mouse_is_on_it(
    overlay: Overlay, model: CaptionModel, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overlay_face, "SHORTEST_HOLD_SECONDS", 0.01)
    monkeypatch.setattr(overlay_face, "LONGEST_HOLD_SECONDS", 0.01)
    point_at(overlay)
    model.show(caption(0, "Stay."))
    with qtbot.waitSignal(overlay.face.faded, timeout=800, raising=False) as faded:
        pass
    assert not faded.signal_triggered
    with qtbot.waitSignal(overlay.face.faded):
        point_away(overlay)


def test_the_box_never_changes_its_size_while_text_rolls_through(overlay: Overlay, model: CaptionModel) -> None:
    before = overlay.geometry()
    for revision in range(40):
        model.show(caption(0, "word " * (revision + 1), revision=revision))
        overlay.face.repaint()
    assert overlay.geometry() == before


def test_committed_words_are_painted_brighter_than_pending_ones(overlay: Overlay, model: CaptionModel) -> None:
    def brightest(left: int) -> int:
        return max(QColor(image.pixel(x, y)).lightness() for x in range(left, left + 60) for y in range(8, 50))

    model.show(caption(0, "Mmmmm", pending="mmmmmmmmmmmmm"))
    image = picture(overlay)
    assert brightest(15) > 240
    assert 120 < brightest(220) < 235


def test_dragging_moves_it_and_the_edge_of_the_screen_attracts_it(overlay: Overlay, settings: Settings) -> None:
    area = overlay.screen().availableGeometry()
    overlay.setGeometry(QRect(60, 120, 500, 80))
    drag(overlay, QPoint(250, 40), QPoint(-52, 90))
    assert overlay.pos() == QPoint(area.left(), 210)
    place = settings.preferences.overlay.places[0]
    assert (place.x, place.y) == (0, 210)


def test_pulling_its_sides_makes_it_wider_and_pulling_its_foot_gives_it_lines(
    overlay: Overlay, settings: Settings
) -> None:
    overlay.go_home()
    overlay.move(40, 40)
    width, height = overlay.width(), overlay.height()
    drag(overlay, QPoint(width - 3, 40), QPoint(-90, 0))
    assert overlay.width() == width - 90
    drag(overlay, QPoint(200, height - 3), QPoint(0, round(height * 0.6)))
    assert settings.preferences.overlay.lines == 3
    assert overlay.height() > height


def test_it_is_moved_and_sized_by_keys_alone(overlay: Overlay, settings: Settings, qtbot: QtBot) -> None:
    overlay.setGeometry(QRect(60, 120, 500, 80))
    qtbot.keyClick(overlay, Qt.Key.Key_Right)
    qtbot.keyClick(overlay, Qt.Key.Key_Down)
    assert overlay.pos() == QPoint(80, 140)
    qtbot.keyClick(overlay, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert overlay.pos() == QPoint(79, 140)
    qtbot.keyClick(overlay, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert overlay.width() < 500
    qtbot.keyClick(overlay, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert settings.preferences.overlay.lines == 3
    points = settings.preferences.overlay.points
    qtbot.keyClick(overlay, Qt.Key.Key_Plus)
    assert settings.preferences.overlay.points > points
    qtbot.waitUntil(lambda: bool(settings.preferences.overlay.places))


def test_keys_never_move_it_off_the_screen(overlay: Overlay, qtbot: QtBot) -> None:
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Down):
        for _ in range(60):
            qtbot.keyClick(overlay, key)
    assert overlay.screen().availableGeometry().contains(overlay.geometry())


def test_it_stands_where_it_stood_last(overlay: Overlay, settings: Settings) -> None:
    screen = overlay.screen().name()
    alter(
        settings,
        shown=False,
        places=(OverlayPosition("gone", 1, 1, 400, 90), OverlayPosition(screen, 70, 30, 420, overlay.height())),
    )
    alter(settings, shown=True)
    assert (overlay.x(), overlay.y(), overlay.width()) == (70, 30, 420)


def test_it_comes_back_into_sight_when_its_screen_is_gone(overlay: Overlay, settings: Settings, qtbot: QtBot) -> None:
    screen = overlay.screen()
    alter(
        settings,
        places=(
            OverlayPosition("unplugged", 5, 5, 400, 90),
            OverlayPosition(screen.name(), 70, 30, 420, overlay.height()),
        ),
    )
    overlay.setGeometry(QRect(5000, 5000, 400, 90))
    QGuiApplication.instance().screenRemoved.emit(screen)  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: (overlay.x(), overlay.y()) == (70, 30))
    assert settings.preferences.overlay.places[0].screen == "unplugged", "it goes back when that screen does"


def test_larger_text_makes_it_wider_about_its_middle(overlay: Overlay, settings: Settings) -> None:
    alter(settings, points=14.0)
    middle, characters = overlay.geometry().center(), overlay.face.characters(overlay.width())
    bottom = overlay.geometry().bottom()
    overlay.controls.larger.trigger()
    assert abs(overlay.geometry().center().x() - middle.x()) <= 1
    assert overlay.geometry().bottom() == bottom
    assert overlay.face.characters(overlay.width()) == pytest.approx(characters, abs=0.5)


def test_the_controls_are_there_for_the_mouse_and_gone_without_it(overlay: Overlay) -> None:
    point_away(overlay)
    assert not overlay.controls.isVisible()
    point_at(overlay)
    assert overlay.controls.isVisible()
    point_away(overlay)
    assert not overlay.controls.isVisible()


@pytest.mark.parametrize("lines", [1, 2, 4])
@pytest.mark.parametrize("points", [10.0, 26.0, 60.0])
def test_l21_no_text_is_under_the_buttons_nor_moves_when_they_come(
    overlay: Overlay, settings: Settings, model: CaptionModel, lines: int, points: float
) -> None:
    """Use review, window 21: they covered the end of the first line."""

    def ink() -> NDArray[np.bool_]:
        image = overlay.face.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
        return rows[2:-2, 2 : image.width() - 2] > 150  # without the frame

    point_away(overlay)
    alter(settings, lines=lines, points=points)
    model.show(caption(0, LONG * 4))
    QTest.qWait(2 * overlay_face.ROLL_MILLISECONDS)
    shown, inked = spoken(overlay), ink()
    point_at(overlay)
    buttons = overlay.controls.geometry()
    assert overlay.controls.isVisible() and overlay.rect().contains(buttons)
    assert spoken(overlay) == shown
    assert inked.any() and np.array_equal(ink(), inked)
    assert not inked[:, buttons.left() - 2 : buttons.right() - 2].any()


def test_clicks_go_through_it_if_asked_for_and_it_stays_in_sight(overlay: Overlay, settings: Settings) -> None:
    point_at(overlay)
    overlay.controls.click_through.trigger()
    window = overlay.windowHandle()
    assert settings.preferences.overlay.click_through
    assert window.flags() & Qt.WindowType.WindowTransparentForInput
    assert window.flags() & Qt.WindowType.WindowStaysOnTopHint
    assert overlay.isVisible()
    assert not overlay.controls.isVisible()
    alter(settings, click_through=False)
    assert not window.flags() & Qt.WindowType.WindowTransparentForInput
    assert overlay.isVisible()


def test_click_through_is_kept_from_one_run_to_the_next(
    model: CaptionModel, settings: Settings, qapp: QApplication, qtbot: QtBot
) -> None:
    alter(settings, click_through=True, shown=True)
    made = Overlay(model, settings, Theme(qapp))
    made.follow()
    qtbot.waitExposed(made)
    assert made.windowHandle().flags() & Qt.WindowType.WindowTransparentForInput
    made.close_for_good()


def test_an_empty_box_leaves_a_shade_to_find_it_by_unless_clicks_go_through(
    overlay: Overlay, settings: Settings
) -> None:
    point_away(overlay)
    middle = overlay.rect().center()
    assert 0 < picture(overlay).pixelColor(middle).alpha() < 60
    alter(settings, click_through=True)
    overlay.face.say("")
    assert picture(overlay).pixelColor(middle).alpha() == 0


def test_m14_some_sentences_are_said_in_place_of_text(overlay: Overlay, model: CaptionModel) -> None:
    """Mac review M14: what dictation says is seen while captions go on."""
    model.show(caption(0, "Good morning"))
    before = picture(overlay)
    overlay.face.say("This waits.")
    assert picture(overlay) == before
    overlay.face.say_first("Dictation is on.")
    assert picture(overlay) != before
    overlay.face._be_silent()
    assert picture(overlay) == before


def test_escape_gives_the_keyboard_back(overlay: Overlay, qtbot: QtBot) -> None:
    overlay.take_focus()
    qtbot.waitUntil(overlay.hasFocus)
    assert overlay.controls.isVisible()
    qtbot.keyClick(overlay, Qt.Key.Key_Escape)
    assert not overlay.hasFocus()
    assert not overlay.controls.isVisible()


def test_the_controls_are_reached_with_the_tabulator_key(overlay: Overlay, qtbot: QtBot) -> None:
    overlay.take_focus()
    qtbot.waitUntil(overlay.hasFocus)
    names = []
    for _ in range(4):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        names.append(QApplication.focusWidget().accessibleName())
    assert names == ["Smaller text", "Larger text", "Clicks go through", "Hide overlay"]
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not overlay.controls.isVisible()


def test_text_that_was_too_large_for_the_screen_gets_its_line_length_back(overlay: Overlay, settings: Settings) -> None:
    alter(settings, points=14.0)
    width = overlay.width()
    alter(settings, points=60.0)
    assert overlay.width() == overlay.screen().availableGeometry().width()
    alter(settings, points=14.0)
    assert overlay.width() == width


def test_the_menu_says_what_is_chosen_and_changes_it(overlay: Overlay, settings: Settings) -> None:
    settings.alter(lambda now: Preferences(translates=True, overlay=now.overlay))
    controls = overlay.controls
    assert controls.languages["both"].isChecked()
    controls.languages["translation"].trigger()
    assert settings.preferences.overlay.languages == "translation"
    controls.more_lines.trigger()
    assert settings.preferences.overlay.lines == 3
    alter(settings, lines=1)
    assert not controls.fewer_lines.isEnabled()


def test_the_menu_opens_by_the_mouse_and_by_the_keyboard(overlay: Overlay, qtbot: QtBot) -> None:
    for reason in (QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard):
        QApplication.sendEvent(overlay, QContextMenuEvent(reason, QPoint(9, 9), overlay.mapToGlobal(QPoint(9, 9))))
        qtbot.waitUntil(overlay.controls.menu.isVisible)
        overlay.controls.menu.close()


def test_every_control_has_a_name_and_can_be_tabbed_to(overlay: Overlay) -> None:
    assert overlay.accessibleName()
    for button in overlay.controls.findChildren(ActionButton):
        assert button.accessibleName()
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_bad_places_in_the_preferences_do_no_harm(overlay: Overlay, settings: Settings) -> None:
    alter(settings, shown=False, places=(OverlayPosition(overlay.screen().name(), -9000, 90000, 1, 1),))
    alter(settings, shown=True)
    assert overlay.screen().availableGeometry().contains(overlay.geometry())


def test_an_hour_of_captions_is_as_little_work_as_a_few_minutes(overlay: Overlay, model: CaptionModel) -> None:
    def speak(number: int) -> None:
        for revision in range(20):
            model.show(caption(number, "word " * (revision + 1), start=number * 2.5, revision=revision))
            overlay._feed._catch_up()
            overlay.face.repaint()

    lines = []
    for count in (60, 1500):
        with QSignalBlocker(model):
            for number in range(model.rowCount(), count):
                model.show(caption(number, LONG, start=number * 2.5, final=True))
        overlay.face.clear()
        lines.append(lines_run(lambda number=count: speak(number)))
    assert lines[1] < 1.5 * lines[0]


def test_wayland_is_told_to_keep_place_and_height_to_itself() -> None:
    assert limits_of("wayland") == limits_of("wayland-egl") == Limit.PLACE | Limit.ON_TOP
    assert limits_of("cocoa") == Limit.MOUSE
    assert not limits_of("xcb") | limits_of("windows")


def test_no_two_entries_of_the_menu_share_a_mnemonic(overlay: Overlay) -> None:
    texts = [action.text() for action in overlay.controls.menu.actions() if not action.isSeparator()]
    keys = [text[text.index("&") + 1].lower() for text in texts]
    assert sorted(set(keys)) == sorted(keys)


def test_a_mac_is_told_again_what_qt_forgets_with_every_change_of_flags(
    overlay: Overlay, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, settings: Settings
) -> None:
    told: list[int] = []
    monkeypatch.setattr(QGuiApplication, "platformName", staticmethod(lambda: "cocoa"))
    monkeypatch.setattr(overlay_desktop, "float_above_all", told.append)
    overlay.take_focus()
    assert told == [overlay.winId()]
    alter(settings, click_through=True)
    assert len(told) == 2
    alter(settings, shown=False)
    alter(settings, shown=True)
    qtbot.waitUntil(lambda: len(told) == 4)  # before it is on the screen, and after


def test_its_buttons_say_what_they_do_though_it_is_never_the_active_window(overlay: Overlay) -> None:
    assert overlay.testAttribute(Qt.WidgetAttribute.WA_AlwaysShowToolTips)
    buttons = overlay.controls.findChildren(ActionButton)
    assert [each.toolTip() for each in buttons if not each.toolTip()] == [] and len(buttons) == 4


def test_the_last_words_stay_until_new_ones_come_if_that_is_wanted(
    overlay: Overlay, model: CaptionModel, settings: Settings, qtbot: QtBot
) -> None:
    settings.alter(lambda now: with_value(now, "overlay.shown", True))
    settings.alter(lambda now: with_value(now, "overlay.stays", True))
    model.show(caption(0, "Good morning.", final=True))
    qtbot.waitUntil(lambda: overlay.face.shown[0] == ["Good morning."])
    assert not overlay.face._hold.isActive(), "nothing is waited for"
    settings.alter(lambda now: with_value(now, "overlay.stays", False))
    assert overlay.face._hold.isActive()
    settings.alter(lambda now: with_value(now, "overlay.stays", True))
    assert not overlay.face._hold.isActive() and overlay.face.presence == 1.0


def test_it_moves_to_the_chosen_edge_of_the_screen(overlay: Overlay, settings: Settings) -> None:
    settings.alter(lambda now: with_value(now, "overlay.shown", True))
    area = overlay.screen().availableGeometry()
    assert overlay.geometry().center().y() > area.center().y()
    settings.alter(lambda now: with_value(now, "overlay.edge", "top"))
    assert overlay.geometry().center().y() < area.center().y()
    settings.alter(lambda now: with_value(now, "overlay.edge", "bottom"))
    assert overlay.geometry().center().y() > area.center().y()
