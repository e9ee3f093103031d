"""The system knows of an activity exactly as long as it is held."""

from __future__ import annotations

import sys

import pytest

from app.macos.activity import LATENCY_CRITICAL, USER_INITIATED, Activity
from tests.app.macos.fake_objective_c import FakeRuntime

PROCESS, TOKEN, TEXT = 30, 40, 50


@pytest.fixture
def objects() -> FakeRuntime:
    made = FakeRuntime()
    made.classes |= {"NSProcessInfo": 3, "NSString": 4}
    made.answers |= {
        "processInfo": lambda target: PROCESS,
        "stringWithUTF8String:": lambda target, text: TEXT,
        "beginActivityWithOptions:reason:": lambda target, options, reason: TOKEN,
        "retain": lambda target: target,
    }
    return made


def test_an_activity_is_begun_once_kept_and_ended_once(objects: FakeRuntime) -> None:
    activity = Activity("captions", objects)
    activity.hold(False)
    assert objects.sent == []
    activity.hold(True)
    activity.hold(True)
    assert activity.is_held
    assert objects.values("beginActivityWithOptions:reason:") == [(USER_INITIATED | LATENCY_CRITICAL, TEXT)]
    assert (TOKEN, "retain", ()) in objects.sent
    activity.hold(False)
    activity.hold(False)
    assert not activity.is_held
    assert [sent for sent in objects.sent if sent[1] in ("endActivity:", "release")] == [
        (PROCESS, "endActivity:", (TOKEN,)),
        (TOKEN, "release", ()),
    ]


def test_it_keeps_the_system_awake_and_the_timers_exact() -> None:
    assert USER_INITIATED & (1 << 20)  # NSActivityIdleSystemSleepDisabled
    assert not USER_INITIATED & (1 << 40)  # NSActivityIdleDisplaySleepDisabled
    assert LATENCY_CRITICAL == 0xFF00000000


@pytest.mark.skipif(sys.platform == "darwin", reason="there are activities here")
def test_elsewhere_there_is_nothing_to_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    activity = Activity("captions")
    activity.hold(True)
    assert not activity.is_held
    monkeypatch.setattr("app.macos.activity.sys.platform", "darwin")
    activity.hold(True)  # and a Mac without the runtime goes on without
    assert not activity.is_held
