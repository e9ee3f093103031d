"""One place for what was chosen: it tells, it saves, it takes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.preferences.paths import with_value
from app.preferences.preferences import OverlayOptions, Preferences
from app.preferences.settings import Settings
from engine.errors import EngineError


def lines(settings: Settings, count: int) -> None:
    settings.alter(lambda now: with_value(now, "overlay.lines", count))


def test_a_change_is_told_once_and_saved_soon(settings: Settings, qtbot: QtBot) -> None:
    with qtbot.waitSignal(settings.changed) as told:
        lines(settings, 4)
    assert told.args == [Preferences(), Preferences(overlay=OverlayOptions(lines=4))]
    qtbot.waitUntil(settings.file.path.exists)
    assert settings.file.load().overlay.lines == 4
    with qtbot.assertNotEmitted(settings.changed):
        lines(settings, 4)


def test_a_slider_that_is_drawn_is_told_once_it_rests(settings: Settings, qtbot: QtBot) -> None:
    shown: list[int] = []
    obeyed: list[tuple[int, int]] = []
    settings.changed.connect(lambda before, after: shown.append(after.overlay.lines))
    settings.rested.connect(lambda before, after: obeyed.append((before.overlay.lines, after.overlay.lines)))
    for count in (3, 4, 5):
        settings.alter(lambda now, count=count: with_value(now, "overlay.lines", count), at_once=False)
    assert shown == [3, 4, 5] and obeyed == []
    qtbot.waitUntil(lambda: bool(obeyed))
    assert obeyed == [(2, 5)]
    lines(settings, 1)
    assert obeyed == [(2, 5), (5, 1)]


def test_what_could_not_be_used_is_said_when_the_rest_is_taken(settings: Settings, qtbot: QtBot) -> None:
    settings.file.path.write_text('{"overlay": {"lines": 4, "opacity": 9}}')
    with qtbot.waitSignal(settings.failed) as said:
        settings.load()
    assert "overlay.opacity was ignored" in said.args[0]
    assert settings.preferences.overlay == OverlayOptions(lines=4)


def test_a_reset_can_be_taken_back(settings: Settings, qtbot: QtBot) -> None:
    lines(settings, 5)
    chosen = settings.preferences
    with qtbot.waitSignal(settings.replaced):
        settings.reset()
    assert settings.preferences == Preferences()
    assert settings.can_undo
    settings.undo()
    assert settings.preferences == chosen
    assert not settings.can_undo


def test_an_import_can_be_taken_back(settings: Settings, tmp_path: Path) -> None:
    lines(settings, 5)
    settings.export_to(tmp_path / "mine.json")
    lines(settings, 1)
    assert settings.import_from(tmp_path / "mine.json") == ()
    assert settings.preferences.overlay.lines == 5
    settings.undo()
    assert settings.preferences.overlay.lines == 1


def test_an_import_that_fails_changes_nothing(settings: Settings, tmp_path: Path) -> None:
    lines(settings, 5)
    with pytest.raises(EngineError):
        settings.import_from(tmp_path / "none.json")
    assert settings.preferences.overlay.lines == 5
    assert not settings.can_undo


def test_a_reset_keeps_what_no_undo_brings_back(settings: Settings) -> None:
    settings.alter(lambda now: with_value(with_value(now, "history.keeps", False), "behaviour.welcomed", True))
    settings.reset()
    assert not settings.preferences.history.keeps
    assert settings.preferences.behaviour.welcomed
