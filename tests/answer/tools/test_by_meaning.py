"""Requests in words that no phrasing has, and what is found in them."""

import pytest

from engine.answer.intents.classifier import starter_classifier
from engine.answer.tools.by_meaning import arguments_in, call_by_meaning, topic_of
from engine.answer.tools.recognition import recognise


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("remind me what was decided about the hiring freeze", "said_about", {"topic": "the hiring freeze"}),
        ("give me the gist of the meeting", "missed", {}),
        ("show this in Spanish as well", "translate_captions", {"language": "es"}),
        ("what was that last sentence", "last_lines", {"count": "1"}),
    ],
)
def test_a_request_is_known_by_what_it_means(text: str, tool: str, arguments: dict[str, str]) -> None:
    assert recognise(text) is None, "no phrasing has it"
    found = call_by_meaning(text, (), starter_classifier())
    assert found is not None
    assert (found.tool.name, found.language, found.arguments) == (tool, "en", arguments)


@pytest.mark.parametrize(
    "text", ["what is the capital of france", "how do I export coffee", "mark my words", "who are you", "asdf " * 30]
)
def test_what_means_something_else_is_no_request(text: str) -> None:
    assert call_by_meaning(text, (), starter_classifier()) is None


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("what were Anna's words on the deadline", "the deadline"),
        ("did anybody bring up the venue?", "the venue"),
        ("at what time did the new office come up", "the new office"),
        ("has anyone mentioned the colour of the door yet", "the colour of the door"),
        ("what's been said so far about pricing in this meeting?", "pricing"),
        ("what did they say about it", ""),
    ],
)
def test_what_a_question_is_about_is_what_does_not_ask(text: str, topic: str) -> None:
    assert topic_of(text) == topic


def test_what_a_tool_needs_has_to_be_named() -> None:
    assert arguments_in("timer", "ping me in twenty minutes") == {"seconds": "1200"}
    assert arguments_in("timer", "ping me later") is None
    assert arguments_in("translate_captions", "show this in another language") is None
    assert arguments_in("last_lines", "say the last three sentences again") == {"count": "3"}
    assert arguments_in("missed", "what happened in the last hour") == {"seconds": "3600"}


@pytest.mark.parametrize(
    "text",
    [
        "This is the first sentence.",
        "She advised him to take the medicine.",
        "They wanted protection",
        "The patient was quite beyond help, so that the doctors could do no more.",
        "I'll call you back in about thirty minutes.",
        "We talked about yesterday's test.",
    ],
)
def test_what_somebody_tells_asks_for_nothing(text: str) -> None:
    assert call_by_meaning(text, (), starter_classifier()) is None


def test_a_question_or_a_wish_may_begin_as_something_that_is_told() -> None:
    for text in ("That thing about the budget, when did they bring it up?", "I want the gist of the meeting"):
        assert call_by_meaning(text, (), starter_classifier()) is not None
