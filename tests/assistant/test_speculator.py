"""What is done while the user speaks: the newest first, and what else is wanted while there is time to spare."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.answer.predictor import Predictor
from engine.assistant.speculator import Speculator
from engine.clock import SimulatedClock
from engine.options import AnswerOptions
from engine.speak.ahead import SpeechAhead
from engine.turns import Candidate
from tests.answer.scripted_model import ScriptedModel

NAME, MISTAKEN = "My name is Earshot.", "Ny name is Earshot."


def anticipation(model: ScriptedModel, options: AnswerOptions, ahead: SpeechAhead | None = None) -> Speculator:
    return Speculator(Predictor(model, options), ahead, SimulatedClock())


def worked(ahead: Speculator, steps: int = 1000) -> list[Candidate]:
    """Work until nothing is left to do, or for so many steps: the candidates that were new."""
    found = []
    for _ in range(steps):
        if not ahead.busy:
            break
        if (candidate := ahead.step(1, 0)) is not None:
            found.append(candidate)
    return found


@pytest.fixture
def model(scripted_model: Callable[..., ScriptedModel]) -> ScriptedModel:
    return scripted_model(lambda user: MISTAKEN, lambda user: NAME)


def test_the_last_word_waits_for_the_next_one_unless_it_is_wanted(model: ScriptedModel) -> None:
    for last_word, prompts in ((False, ["What is"]), (True, ["What is", "What is you"])):
        ahead = anticipation(model, AnswerOptions(last_word=last_word))
        ahead.offer("What is you")
        assert [candidate.prompt for candidate in worked(ahead)] == prompts
        assert not ahead.busy


def test_something_newer_takes_the_place_of_what_is_done_in_spare_time(model: ScriptedModel) -> None:
    ahead = anticipation(model, AnswerOptions(last_word=True, branches=2))
    ahead.offer("What is")
    (first,) = worked(ahead, len(model.encode(MISTAKEN)) + 2)
    assert first.prompt == "What"
    ahead.step(1, 0)  # the last word's turn
    ahead.offer("What is your na")
    assert [candidate.prompt for candidate in worked(ahead)] == ["What is your", "What is your na"]


def test_branches_are_made_when_a_guess_is_done_and_spoken_ahead(model: ScriptedModel) -> None:
    pytest.importorskip("espeakng_loader", reason="they are spoken by espeak-ng")
    from engine.options import VoiceOptions
    from engine.speak.choice import make_voice

    for branches in (0, 2):
        speech = SpeechAhead(make_voice(VoiceOptions()))
        ahead = anticipation(model, AnswerOptions(branches=branches), speech)
        ahead.offer("What is your")
        assert {candidate.text for candidate in worked(ahead)} == {MISTAKEN}
        assert speech.made(MISTAKEN)
        assert speech.made(NAME) == (branches > 0)
        speech.close()


def test_giving_up_leaves_nothing_to_do(model: ScriptedModel) -> None:
    ahead = anticipation(model, AnswerOptions(branches=2, last_word=True))
    for steps in (1, 25, 27):
        ahead.offer("What is your")
        worked(ahead, steps)
        ahead.stop()
        assert not ahead.busy
