"""The overlay as a layer under sway, by hand: dragged, asked for its menu, clicked through, hidden and shown."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import pytest
from PySide6.QtCore import QPoint, QRect

from app.overlay.layer_shell import layer_shell
from app.preferences.preferences import OverlayOptions, Preferences
from app.preferences.preferences_file import PreferencesFile
from tests.app.overlay.pointer import LEFT, RIGHT
from tests.app.overlay.sway import Sway, sway
from tests.app.overlay.test_overlay_under_wayland import covered
from tests.conftest import ROOT

OPTIONS = OverlayOptions(shown=True, stays=True, opacity=1.0)
TRIES = 100


@dataclass
class Hand:
    """A mouse, and the picture that it changes."""

    desktop: Sway
    mouse: subprocess.Popen[str]

    def do(self, *steps: str) -> None:
        assert self.mouse.stdin is not None and self.mouse.stdout is not None
        for step in steps:
            self.mouse.stdin.write(f"{step}\n")
            self.mouse.stdin.flush()
            assert self.mouse.stdout.readline() == "done\n"

    def covered(self) -> QRect:
        return covered(self.desktop.picture())

    def enter(self, rect: QRect) -> None:
        """Move over the overlay until it shows its buttons: it does not know at once that there is a mouse."""
        place = rect.topRight() + QPoint(-20, 24)
        before = self.desktop.picture().pixelColor(place)
        for count in range(TRIES):
            self.do(f"move {rect.center().x() + count % 2} {rect.center().y()}")
            if self.desktop.picture().pixelColor(place) != before:
                return
        raise AssertionError("the mouse is not noticed")

    def wait(self, holds: Callable[[QRect], bool]) -> QRect:
        """Look until what is not red is as expected; return it."""
        for _ in range(TRIES):
            if holds(seen := self.covered()):
                return seen
        raise AssertionError(f"it stays at {seen.getRect()}")


def started(stack: ExitStack, desktop: Sway, *words: str) -> subprocess.Popen[str]:
    surroundings = {**desktop.environment, "PYTHONPATH": str(ROOT)}
    surroundings.pop("QT_QPA_PLATFORM", None)
    command = [sys.executable, "-m", *words]
    pipe = subprocess.PIPE
    program = subprocess.Popen(command, cwd=ROOT, env=surroundings, stdin=pipe, stdout=pipe, text=True)
    stack.callback(program.communicate)
    stack.callback(program.kill)
    return program


def first_line(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline()


@pytest.fixture
def show(tmp_path: Path) -> Iterator[Callable[[OverlayOptions], Hand]]:
    with ExitStack() as stack:

        def start(options: OverlayOptions) -> Hand:
            PreferencesFile(tmp_path / "data").save(replace(Preferences(), overlay=options))
            desktop = stack.enter_context(sway())
            program = started(stack, desktop, "tests.app.overlay.wayland_program", str(tmp_path / "data"))
            assert first_line(program.stdout).startswith("wayland ")
            mouse = started(stack, desktop, "tests.app.overlay.pointer")
            assert first_line(mouse.stdout) == "ready\n"
            return Hand(desktop, mouse)

        yield start


def test_it_can_be_dragged_and_a_right_click_opens_its_menu_beside_it(
    show: Callable[[OverlayOptions], Hand],
) -> None:
    hand = show(OPTIONS)
    before = hand.covered()
    start = before.center()
    end = start - QPoint(200, 300)
    hand.enter(before)
    hand.do(f"move {start.x()} {start.y()}", f"press {LEFT}", f"move {end.x()} {end.y() + 5}")
    hand.do(f"move {end.x()} {end.y()}", f"release {LEFT}")
    moved = hand.wait(lambda seen: seen.top() < 400 and seen.height() < before.height() + 20)
    assert abs(moved.center().x() - end.x()) < 12 and abs(moved.center().y() - end.y()) < 12
    hand.do(f"move {end.x()} {end.y() + 2}", f"press {RIGHT}", f"release {RIGHT}")
    with_menu = hand.wait(lambda seen: seen.width() * seen.height() > 2 * moved.width() * moved.height())
    assert with_menu.contains(moved)


def test_clicks_go_through_it(show: Callable[[OverlayOptions], Hand]) -> None:
    hand = show(replace(OPTIONS, click_through=True))
    before = hand.covered()
    start = before.center()
    hand.do(f"move {start.x()} {start.y()}", f"press {LEFT}", f"move {start.x()} 100", f"release {LEFT}")
    hand.do(f"move {start.x()} {start.y()}")  # the mouse is in the picture, too
    assert abs(hand.covered().center().y() - start.y()) < 8, "it was dragged, though clicks go through it"


def test_elsewhere_there_is_none(qapp: object) -> None:
    assert layer_shell() is None
