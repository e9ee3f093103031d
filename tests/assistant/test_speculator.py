"""Work that is done while the user speaks: the newest first, and the rest while there is time to spare."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.answer.predictor import Predictor
from engine.assistant.speculator import Speculator
from engine.clock import SimulatedClock
from engine.machine.power import PowerSource
from engine.options import AnswerOptions
from engine.speak.ahead import SpeechAhead
from engine.turns import Candidate
from tests.answer.scripted_model import ScriptedModel
from tests.speak.scripted_voice import ScriptedVoice

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
    for last_word, prompts in ((False, ["What is"]), (True, ["What is you"])):
        ahead = anticipation(model, AnswerOptions(last_word=last_word))
        ahead.offer("What is you")
        assert [candidate.prompt for candidate in worked(ahead)] == prompts
        assert not ahead.busy


def test_something_newer_takes_the_place_of_what_is_done_in_spare_time(model: ScriptedModel) -> None:
    ahead = anticipation(model, AnswerOptions(last_word=True, branches=2))
    ahead.offer("What is")
    (first,) = worked(ahead, len(model.encode(MISTAKEN)) + 2)
    assert first.prompt == "What is"
    ahead.step(1, 0)  # the turn of the last word as the model completes it
    ahead.offer("What is your na")
    assert [candidate.prompt for candidate in worked(ahead)] == ["What is your na"]


def test_branches_are_made_when_a_guess_is_done_and_spoken_ahead(model: ScriptedModel) -> None:
    pytest.importorskip("espeakng_loader", reason="they are spoken by espeak-ng")
    from engine.options import VoiceOptions
    from engine.speak.choice import make_voice

    for branches in (0, 2):
        speech = SpeechAhead(make_voice(VoiceOptions("espeak")))
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


def test_where_hearing_ends_the_sentence_it_is_answered_before_its_last_word_has_ended(model: ScriptedModel) -> None:
    for last_word, prompts in ((False, ["What is your"]), (True, ["What is your name?"])):
        ahead = anticipation(model, AnswerOptions(last_word=last_word))
        ahead.offer("What is your name?")
        assert [candidate.prompt for candidate in worked(ahead)] == prompts


def test_on_battery_only_a_sentence_that_has_ended_is_answered_ahead(model: ScriptedModel) -> None:
    for options, saves in ((AnswerOptions(branches=2), True), (AnswerOptions(less_on_battery=False), False)):
        ahead = Speculator(Predictor(model, options), None, SimulatedClock(), PowerSource(lambda: True))
        ahead.offer("What is your")
        before = model.forwards
        assert bool(worked(ahead)) != saves
        assert (model.forwards == before) == saves
        ahead.offer("What is your name?")
        assert [candidate.prompt for candidate in worked(ahead)] == ["What is your name?"]
        assert not ahead.busy


def test_an_answer_that_needs_no_guess_costs_no_forward_and_its_sound_is_made(model: ScriptedModel) -> None:
    speech = SpeechAhead(ScriptedVoice())
    ahead = anticipation(model, AnswerOptions(), speech)
    ahead.offer("What is")
    before = model.forwards
    assert ahead.expect("What is it", "I do not know.") is False
    assert ahead.expect("What is it now", "I do not know.", "I do not know. Sorry.") is True
    assert not worked(ahead) and not ahead.busy
    assert model.forwards == before
    assert speech.made("I do not know.")
    assert ahead.expect("What is it now then", "I do not know.") is True, "what was shown goes"
    ahead.offer("What is it now then?")
    assert worked(ahead)
