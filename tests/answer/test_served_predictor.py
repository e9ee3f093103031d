"""Answers of a server: written ahead during the question, kept if the question has the same words, else ended."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from engine.answer.answers import AnswerProgress
from engine.answer.prompt import EXAMPLES, INSTRUCTION, ChatTurn
from engine.answer.served_predictor import ServedPredictor
from engine.assistant.assistant import AssistantSession
from engine.clock import RealClock
from engine.errors import ModelError
from engine.events import Incident
from engine.language.servers.model import load_served_model
from engine.options import AnswerOptions
from engine.turns import Sentence, Turn
from tests.language.servers.scripted_server import Exchange, ScriptedServer, saying


def echo(exchange: Exchange) -> None:
    """Answer with the question and more."""
    saying(f"You asked {exchange.question.strip('?')}. ", "That is a good question. ", "Goodbye.")(exchange)


def slowly(exchange: Exchange) -> None:
    """Send a sentence and a part of the next, and wait for the client to hang up."""
    exchange.begin()
    exchange.say("One sentence. And")
    exchange.wait_for_hang_up()


def predictor_of(server: ScriptedServer, **options: Any) -> ServedPredictor:
    return ServedPredictor(load_served_model(server.address), AnswerOptions(**options))


def run(steps: Generator[Any, None, Any]) -> tuple[list[AnswerProgress], Any]:
    said = []
    while True:
        try:
            new = next(steps)
        except StopIteration as end:
            return said, end.value
        if new is not None:
            said.append(new)


def test_an_answer_streams_in_sentences() -> None:
    with ScriptedServer(echo) as server:
        said, answer = run(predictor_of(server).answer("What is it?"))
    assert answer.text == "You asked What is it. That is a good question. Goodbye."
    assert [sentence for new in said for sentence in new.sentences] == list(answer.sentences)
    assert len(answer.sentences) == 3 and not answer.premade


def test_what_was_written_ahead_is_the_answer_if_the_question_has_the_same_words() -> None:
    with ScriptedServer(echo) as server:
        predictor = predictor_of(server)
        _, guess = run(predictor.guess("what is it"))
        assert guess.first_sentence == "You asked what is it."
        assert run(predictor.guess("what is it"))[1] is None
        _, answer = run(predictor.answer("What is it?"))
        assert answer.premade and answer.text.startswith("You asked what is it.")
        assert len(server.asked) == 1


def test_another_question_ends_the_request_before_it() -> None:
    with ScriptedServer(slowly) as server:
        predictor = predictor_of(server)
        run(predictor.guess("what is"))
        run(predictor.guess("what is it"))
        assert server.asked[0].hung_up.wait(30) and not server.asked[1].hung_up.is_set()
        predictor.restart()
        assert server.asked[1].hung_up.wait(30)


def test_an_interrupted_answer_ends_its_request() -> None:
    with ScriptedServer(slowly) as server:
        steps = predictor_of(server).answer("What is it?")
        while not (next(steps) or AnswerProgress("")).sentences:
            pass
        steps.close()
        assert server.asked[0].hung_up.wait(30)


def test_the_model_reads_its_own_turns_alone() -> None:
    with ScriptedServer(echo) as server:
        predictor = predictor_of(server)
        predictor.history = (ChatTurn("Who?", "Me."), ChatTurn("What is 1 and 1?", "That is 2.", recited=True))
        run(predictor.answer("Why?"))
        messages = [(each["role"], each["content"]) for each in server.asked[0].body["messages"]]
    assert messages[0] == ("system", INSTRUCTION)
    assert messages[1 + 2 * len(EXAMPLES) :] == [("user", "Who?"), ("assistant", "Me."), ("user", "Why?")]


def test_a_sentence_that_the_limit_cuts_off_is_left_out() -> None:
    def script(exchange: Exchange) -> None:
        exchange.begin()
        exchange.say("All is well. But then", "length")
        exchange.send(b"data: [DONE]\n\n")

    with ScriptedServer(script) as server:
        _, answer = run(predictor_of(server).answer("What is it?"))
    assert (answer.text.strip(), answer.ended) == ("All is well.", "limit")


def test_what_a_model_thinks_is_not_said() -> None:
    with ScriptedServer(saying("<think>Hmm. ", "Who?</think>\n\n", "It is me.")) as server:
        assert run(predictor_of(server).answer("Who is it?"))[1].text == "It is me."


def test_nothing_is_sent_ahead_unless_that_is_wanted() -> None:
    with ScriptedServer(echo) as server:
        assert run(predictor_of(server, speculate=False).guess("what is it"))[1] is None
        assert not server.asked


def test_a_fault_is_told_by_the_answer_and_not_by_each_guess() -> None:
    def broken(exchange: Exchange) -> None:
        exchange.begin("application/json", "500 Oops")

    with ScriptedServer(broken) as server:
        predictor = predictor_of(server)
        assert run(predictor.guess("what is it"))[1] is None
        with pytest.raises(ModelError, match="refuses to answer, with 500"):
            run(predictor.answer("What is it?"))


def test_a_conversation_goes_on_after_a_fault() -> None:
    def script(exchange: Exchange) -> None:
        saying("Here I am.")(exchange) if "there" in exchange.question else exchange.begin("text/html", "500 Oops")

    with ScriptedServer(script) as server:
        model = load_served_model(server.address)
        session = AssistantSession(None, model, None, clock=RealClock(), app=True)
        events = list(session.ask("Who baked the bread of Ostrel?"))
        assert [event.message for event in events if isinstance(event, Incident)] == [
            f"The assistant's answer broke off. {server.address} refuses to answer, with 500."
        ]
        said = [event for event in session.ask("Who baked the bread there?") if isinstance(event, Sentence | Turn)]
        session.close()
    assert isinstance(said[-1], Turn) and said[-1].reply == "Here I am."
