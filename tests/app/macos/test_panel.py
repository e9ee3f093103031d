"""The overlay's window is a panel above all others, whatever Qt made of it before."""

from __future__ import annotations

import pytest

from app.macos.panel import NONACTIVATING, ON_EVERY_SPACE, STATUS_WINDOW_LEVEL, float_above_all
from tests.app.macos.fake_objective_c import FakeRuntime

VIEW, WINDOW, PANEL = 10, 20, 5
QT_S_MASK = 1 << 15  # full-size content view


@pytest.fixture
def objects() -> FakeRuntime:
    made = FakeRuntime()
    made.classes["NSPanel"] = PANEL
    made.answers |= {
        "window": lambda target: WINDOW if target == VIEW else 0,
        "isKindOfClass:": lambda target, kind: 0xFFFF_FF01 if kind == PANEL else 0,
        "styleMask": lambda target: QT_S_MASK,
        "respondsToSelector:": lambda target, message: made.selector_of(message) == "_setPreventsActivation:",
    }
    return made


def test_a_panel_takes_no_focus_and_stands_above_everything_on_every_space(objects: FakeRuntime) -> None:
    float_above_all(VIEW, objects)
    assert objects.values("setStyleMask:") == [(QT_S_MASK | NONACTIVATING,)]
    assert objects.values("_setPreventsActivation:") == [(1,)]
    assert objects.values("setLevel:") == [(STATUS_WINDOW_LEVEL,)]
    assert objects.values("setCollectionBehavior:") == [(ON_EVERY_SPACE,)]
    assert objects.values("setHidesOnDeactivate:") == [(0,)]
    assert objects.values("setCanHide:") == [(0,)], "Mac review L3: ⌘H hides the window, and captions stay"
    assert not ON_EVERY_SPACE & (1 << 1), "a window cannot also move to the active Space"


def test_a_system_that_dropped_the_private_message_is_not_sent_it(objects: FakeRuntime) -> None:
    objects.answers["respondsToSelector:"] = lambda *_: 0
    float_above_all(VIEW, objects)
    assert "_setPreventsActivation:" not in objects.messages()


def test_what_is_no_panel_keeps_its_mask(objects: FakeRuntime) -> None:
    objects.answers["isKindOfClass:"] = lambda *_: 0xFFFF_FF00  # only the lowest byte of a BOOL counts
    float_above_all(VIEW, objects)
    assert "setStyleMask:" not in objects.messages()
    assert objects.values("setLevel:") == [(STATUS_WINDOW_LEVEL,)]
