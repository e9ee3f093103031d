"""The questions of the assistant benchmark, and how they come in."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from engine.errors import OptionError
from lab.bench.assistant.hearing import as_heard
from lab.bench.assistant.texts import QUESTION_SETS, BenchQuestion, Prompts, read_set, shorter_than, streamed, streams
from lab.bench.errors import BenchError
from lab.recipes.assistant.dialogues import read_dialogues


def test_a_question_comes_at_600_characters_a_minute_without_a_word_that_may_be_cut_off() -> None:
    question = streamed("What is it?")
    assert [part for _, part in question.partials] == ["What", "What is"]
    assert [question.seconds, *(seconds for seconds, _ in question.partials)] == pytest.approx([1.1, 0.6, 0.9])
    assert streamed("Hi.").partials == ()


def test_the_last_word_of_a_part_is_known_as_long_as_letters_are_still_to_come() -> None:
    question = streamed("Is it?")
    assert question.unfinished == ((0.1, "I"), (0.2, "Is"), (0.4, "Is i"))  # at 0.5 only the mark was to come
    assert streamed("Is it").unfinished == question.unfinished
    assert streamed("?").unfinished == ()


def test_parts_of_a_question_grow_and_are_there_before_its_end() -> None:
    question = streamed("Tell me, please, what the capital of France is.")
    assert [len(part.split()) for _, part in question.partials] == list(range(1, 9))
    assert all(
        later[0] > earlier[0] and later[1].startswith(earlier[1]) for earlier, later in pairwise(question.partials)
    )
    assert question.partials[-1][0] < question.seconds
    assert question.text.startswith(question.partials[-1][1])


def test_what_is_heard_is_asked_without_its_last_word_until_the_sound_has_ended() -> None:
    moments = [
        (0.5, ""),
        (1.0, "Wha"),
        (1.2, "What is"),
        (1.4, "What is"),
        (1.6, "What this eat"),
        (2.0, "What is it?"),
    ]
    question = as_heard(moments, spoken_seconds=2.3)
    parts = (1.2, "What"), (1.6, "What this"), (2.0, "What is")
    assert question == BenchQuestion(
        "What is it?", 2.3, parts, ((1.0, "Wha"), (1.2, "What is"), (1.6, "What this eat"))
    )
    late = as_heard([*moments, (2.5, "What is it now?")], spoken_seconds=2.3)
    assert (late.seconds, late.text, late.partials) == (2.5, "What is it now?", question.partials)
    assert as_heard([(1.0, "")], 2.0) == BenchQuestion("", 2.0)


def test_all_turns_of_a_conversation_come_in() -> None:
    (talk,) = streams([Prompts("a", ("Who are you?", "Why?"), "Me.")])
    assert [question.text for question in talk.questions] == ["Who are you?", "Why?"]
    assert [question.seconds for question in talk.questions] == pytest.approx([1.2, 0.4])
    assert talk.reply == "Me."


def test_own_questions_are_held_out_and_come_from_both_kinds_by_turns() -> None:
    written = read_dialogues()
    intents = {question: each.reply for each in written.intents for question in each.held_out}
    families = {question: each.reply for each in written.rows for question in each.held_out}
    own = read_set("own")
    assert {each.turns[0]: each.reply for each in own} == intents | families
    assert [each.turns[0] in intents for each in own[:6]] == [True, False] * 3


def test_sets_of_others_are_read_from_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "text" / "prompts"
    folder.mkdir(parents=True)
    (folder / "mt_bench.jsonl").write_text(
        json.dumps({"turns": ["Say\u2028it. ", "Again."]}, ensure_ascii=False) + "\n\n", encoding="utf-8"
    )
    assert read_set("mt-bench", tmp_path) == [Prompts("mt-bench 1", ("Say\u2028it.", "Again."))]


def test_long_conversations_are_left_out_whole() -> None:
    both = [Prompts("a", ("123", "12345")), Prompts("b", ("1234",))]
    assert shorter_than(both, 4) == [both[1]]
    assert shorter_than(both, 5) == both


@pytest.mark.parametrize("content", ['{"turns": 3}', "{}", "[]", "no JSON", '{"turns": [1]}', ""])
def test_a_file_of_something_else_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "text" / "prompts" / "vicuna_bench.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(content)
    with pytest.raises(BenchError, match="vicuna"):
        read_set("vicuna", tmp_path)


def test_a_set_that_is_not_there_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="No such file"):
        read_set("vicuna", tmp_path)
    with pytest.raises(OptionError, match="--set vicuna needs --data"):
        read_set("vicuna")
    with pytest.raises(OptionError, match=", ".join(QUESTION_SETS)):
        read_set("lmsys")


def test_a_sum_of_gsm8k_is_a_conversation_of_one_question(tmp_path: Path) -> None:
    path = tmp_path / "text" / "prompts" / "gsm8k_test.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text('{"question": "How many are two and two? ", "answer": "#### 4"}\n', encoding="utf-8")
    (found,) = read_set("gsm8k", tmp_path)
    assert (found.turns, found.reply) == (("How many are two and two?",), None)
