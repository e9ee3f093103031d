"""The system knows that Earshot is at work while it listens or speaks, and no longer."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.assistant.assistant_state import AssistantState
from app.desktop.wakefulness import Wakefulness
from app.macos.activity import Activity


class Held(Activity):
    """An activity of no system."""

    def __init__(self) -> None:
        super().__init__("")
        self.held = False

    @property
    def is_held(self) -> bool:
        return self.held

    def hold(self, wanted: bool) -> None:
        self.held = wanted


@pytest.fixture
def wakefulness(application: Application) -> Wakefulness:
    return Wakefulness(application.session, application.assistant, application, Held())


def test_captions_keep_it_awake_until_they_are_finished(
    application: Application, wakefulness: Wakefulness, qtbot: QtBot
) -> None:
    assert not wakefulness.activity.is_held
    application.actions.demo.trigger()
    assert wakefulness.activity.is_held
    with qtbot.waitSignal(application.window.left):
        application.actions.quit.trigger()
    wakefulness.stop()
    assert not wakefulness.activity.is_held


@pytest.mark.parametrize(("state", "works"), [(AssistantState.SPEAKING, True), (AssistantState.READY, False)])
def test_an_answer_that_is_spoken_keeps_it_awake(
    application: Application, wakefulness: Wakefulness, state: AssistantState, works: bool
) -> None:
    application.assistant.state = state
    application.assistant.state_changed.emit(state)
    assert wakefulness.activity.is_held is works
