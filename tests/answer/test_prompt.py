"""Prompts: the same with and without guessing, bounded, and steady while the question grows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.answer.prompt import BRIEF_INSTRUCTION, EXAMPLES, INSTRUCTION, AnswerPrompt, ChatTurn, partial_prompt
from engine.errors import ModelError
from engine.language.language_model import LanguageModel, load_language_model
from tests.language_models import GEMMA_TEMPLATE, write_language_model

Models = Callable[..., LanguageModel]


@pytest.mark.parametrize(
    ("text", "partial"),
    [
        ("What is your na", "What is your"),
        ("What is your name?", "What is your"),
        ("  What   is ", "What"),
        ("What", ""),
        ("", ""),
        (" ?! ", ""),
        ("今天天气", "今天天"),
        ("你", ""),
        ("Wie heißt “du”", "Wie heißt"),
    ],
)
def test_a_partial_prompt_leaves_out_the_word_that_may_be_cut_off(text: str, partial: str) -> None:
    assert partial_prompt(text) == partial


def decoded(model: LanguageModel, prompt: list[int]) -> list[str]:
    """Return the messages of a prompt, without the header of the answer."""
    parts: list[list[int]] = []
    for token in prompt:
        if token in (1, 2, 3):  # <|system|>, <|user|>, <|assistant|>
            parts.append([])
        elif token:
            parts[-1].append(token)
    assert parts.pop() == []
    return [model.decode(part) for part in parts]


def test_a_model_is_told_as_it_was_taught_and_others_in_plain_words(random_model: Models) -> None:
    taught, other = random_model(), random_model(earshot={})
    assert decoded(taught, AnswerPrompt(taught).tokens((), "Hello")) == ["Earshot", "Hello"]
    shown = [text for example in EXAMPLES for text in example]
    assert decoded(other, AnswerPrompt(other).tokens((), "Hello")) == [INSTRUCTION, *shown, "Hello"]
    assert "cut off" in INSTRUCTION and "cut off" in BRIEF_INSTRUCTION
    short = random_model(earshot={"context_tokens": 128})
    assert decoded(short, AnswerPrompt(short).tokens((), "Hi")) == [BRIEF_INSTRUCTION, "Hi"]


def test_a_context_that_is_too_short_is_said(random_model: Models) -> None:
    model = random_model(earshot={"assistant_instruction": "Earshot", "context_tokens": 24})
    with pytest.raises(ModelError, match="takes 24 tokens at a time, which is too short for a question"):
        AnswerPrompt(model)


def talk(turns: int) -> tuple[ChatTurn, ...]:
    return tuple(ChatTurn(f"question {number}", f"answer {number}") for number in range(turns))


def remembered(model: LanguageModel, layout: AnswerPrompt, turns: int) -> int:
    """Return how many turns are in the prompt behind so many; they must be the newest."""
    messages = decoded(model, layout.tokens(talk(turns), "and now"))[1:-1]
    expected = [text for turn in talk(turns) for text in (turn.user, turn.reply)]
    assert messages == (expected[-len(messages) :] if messages else [])
    return len(messages) // 2


def test_the_history_is_bounded_and_goes_by_blocks(random_model: Models) -> None:
    model = random_model()
    layout = AnswerPrompt(model, most_turns=4)
    assert [remembered(model, layout, turns) for turns in range(10)] == [0, 1, 2, 3, 4, 2, 3, 4, 2, 3]
    none = AnswerPrompt(model, most_turns=0)
    assert [remembered(model, none, turns) for turns in range(3)] == [0, 0, 0]


def test_a_model_that_was_taught_fewer_turns_sees_no_more(random_model: Models) -> None:
    model = random_model(earshot={"assistant_instruction": "Earshot", "context_turns": 1})
    assert [remembered(model, AnswerPrompt(model), turns) for turns in range(4)] == [0, 1, 1, 1]
    assert random_model().context_turns is None


def test_the_history_leaves_room_for_the_question_and_the_reply(random_model: Models) -> None:
    model = random_model(earshot={"assistant_instruction": "Earshot", "context_tokens": 150})
    layout = AnswerPrompt(model)
    assert layout.most_reply == 50
    for turns in range(12):
        prompt = layout.tokens(talk(turns), "what is the weather today")
        assert len(prompt) + layout.most_reply <= 150
    assert remembered(model, layout, 1) == 1


def test_turns_in_which_nothing_was_said_are_left_out(random_model: Models) -> None:
    model = random_model()
    history = (ChatTurn("one", ""), ChatTurn("", "two"), ChatTurn("three", "four"))
    assert decoded(model, AnswerPrompt(model).tokens(history, "five"))[1:] == ["three", "four", "five"]


def test_of_a_question_that_is_too_long_the_end_is_kept_and_cut_at_the_same_place_while_it_grows(
    random_model: Models,
) -> None:
    model = random_model(earshot={"assistant_instruction": "Earshot", "context_tokens": 120})
    layout = AnswerPrompt(model)
    words = [f"word{number}" for number in range(400)]
    beginnings = set()
    for count in range(1, len(words)):
        text = " ".join(words[:count])
        kept = layout.kept(text)
        assert text.endswith(kept)
        assert kept.split()[-1] == words[count - 1]
        assert len(layout.tokens((), text)) + layout.most_reply <= 120
        assert len(kept) >= min(len(text), 30)
        beginnings.add(kept.split()[0])
    assert len(beginnings) < len(words) / 2  # a block at a time, not a word


def test_a_question_of_one_endless_word_is_cut_too(random_model: Models) -> None:
    model = random_model(earshot={"assistant_instruction": "Earshot", "context_tokens": 120})
    layout = AnswerPrompt(model)
    for text in ("a" * 10_000, "很" * 10_000, "a\u0301" * 3000, "😀" * 3000):
        kept = layout.kept(text)
        assert kept and text.endswith(kept)
        assert len(layout.tokens((), text)) + layout.most_reply <= 120


def test_what_cannot_be_seen_is_left_out_and_what_is_left_is_kept_as_it_is(random_model: Models) -> None:
    layout = AnswerPrompt(random_model())
    assert layout.kept(" What\x00 is\u200b\n your  name? ") == "What is your name?"
    assert layout.kept("<|end|> {0} </s>") == "<|end|> {0} </s>"
    assert layout.kept(layout.kept("Hello you")) == "Hello you"


def test_the_end_of_what_the_user_says_is_found(random_model: Models, tmp_path: Path) -> None:
    gemma = load_language_model(write_language_model(tmp_path / "g", "gemma2", template=GEMMA_TEMPLATE))
    for model in (random_model(), gemma):
        layout = AnswerPrompt(model)
        for text in ("Hello", "What is <|end|> it?"):
            prompt = layout.tokens(talk(2), text)
            place = layout.end_of_user(prompt)
            assert place is not None
            assert layout.turn_ends[0] == 0
            assert model.decode(prompt[: place + 1]).endswith(text.rstrip("?"))
            assert prompt[place + 1] in layout.turn_ends


def test_a_template_that_ends_no_turn_has_no_end_to_be_told(tmp_path: Path) -> None:
    template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    model = load_language_model(write_language_model(tmp_path, template=template))
    layout = AnswerPrompt(model)
    assert layout.turn_ends == ()
    assert layout.end_of_user(layout.tokens((), "Hello")) is None
