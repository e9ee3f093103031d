"""Log-out is told from a person who quits by the Apple event that asks."""

from __future__ import annotations

import pytest

from app.macos.quit_reason import is_session_ending
from tests.app.macos.fake_objective_c import FakeRuntime

MANAGER, EVENT, REASON = 30, 31, 32
WHY = int.from_bytes(b"why?", "big")


@pytest.fixture
def objects() -> FakeRuntime:
    made = FakeRuntime()
    made.classes["NSAppleEventManager"] = 29
    made.answers |= {
        "sharedAppleEventManager": lambda target: MANAGER if target == 29 else 0,
        "currentAppleEvent": lambda target: EVENT if target == MANAGER else 0,
    }
    return made


@pytest.mark.parametrize("place", ["attributeDescriptorForKeyword:", "paramDescriptorForKeyword:"])
def test_h7_log_out_says_why_it_has_the_app_quit(objects: FakeRuntime, place: str) -> None:
    """Mac review H7."""
    objects.answers[place] = lambda target, keyword: REASON if (target, keyword) == (EVENT, WHY) else 0
    assert is_session_ending(objects)


def test_h7_the_dock_and_the_menu_do_not(objects: FakeRuntime) -> None:
    """Mac review H7: the Dock sends an event without a reason, and the menu none."""
    assert not is_session_ending(objects)
    objects.answers["currentAppleEvent"] = lambda target: 0
    assert not is_session_ending(objects)


def test_elsewhere_nobody_is_asked() -> None:
    assert not is_session_ending()
    assert not is_session_ending(FakeRuntime()), "nor where AppKit is not loaded"
