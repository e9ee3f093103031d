"""The dialogues that the starter assistant learns: how they are written, what is held out, what turns are made."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from lab.bench.assistant.dialogues import questions as bench_questions
from lab.recipes.assistant.conversations import SYSTEM, DialogueLessons, borrowed_questions, unknown_questions
from lab.recipes.assistant.dialogues import (
    BORROWED,
    DialogueError,
    Intent,
    letters_of,
    read_dialogues,
    unusual_questions,
)
from lab.recipes.assistant.wordings import SAME, misheard, reworded

NAME = "# name\n? What is your name?\n? Who are you?\n? Tell me your name.\n! I am Earshot.\n"
CAPITAL = (
    "## capital: country, city\nFrance | Paris\nthe Netherlands | Amsterdam\n"
    "? What is the capital of {country}?\n? Name the capital of {country}.\n! The capital of {country} is {city}.\n"
)


def written(tmp_path: Path, text: str, borrowed: str = "") -> Path:
    (tmp_path / "some.txt").write_text(text, encoding="utf-8")
    if borrowed:
        (tmp_path / BORROWED).write_text(borrowed, encoding="utf-8")
    return tmp_path


class TestReading:
    def test_every_question_is_learnt_or_held_out(self, tmp_path: Path) -> None:
        (intent,) = read_dialogues(written(tmp_path, NAME)).intents
        assert {*intent.questions, *intent.held_out} == {"What is your name?", "Who are you?", "Tell me your name."}
        assert not {*intent.questions} & {*intent.held_out}
        assert intent.reply == "I am Earshot."

    def test_ways_that_were_written_later_are_held_out_by_themselves(self, tmp_path: Path) -> None:
        numbers = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
        ways = [f"Say your name number {number} please." for number in numbers]
        later = "".join(f"+ {way}\n" for way in ways)
        (intent,) = (found := read_dialogues(written(tmp_path, NAME.replace("! ", f"{later}! ")))).intents
        (before,) = read_dialogues(written(tmp_path, NAME)).intents
        assert intent.held_out == before.held_out
        assert {*intent.every_way} == {*before.every_way, *ways}
        assert intent.later and not {*intent.later} & {*intent.questions}
        assert [question for _, _, question in bench_questions(found, part="later")] != []
        assert {question for _, _, question in bench_questions(found, part="later")} == {*intent.later}

    def test_casual_ways_are_a_test_of_their_own(self, tmp_path: Path) -> None:
        ways = [f"whats ur name {word}" for word in ("pls", "quick", "mate", "lol", "then")]
        text = NAME.replace("! ", "".join(f"* {way}\n" for way in ways) + "! ")
        (intent,) = (found := read_dialogues(written(tmp_path, text))).intents
        assert intent.casual and not {*intent.casual} & {*intent.questions, *intent.held_out, *intent.later}
        assert {*intent.casual, *intent.questions} >= {*ways} == unusual_questions(tmp_path)
        assert {question for _, _, question in bench_questions(found, part="casual")} == {*intent.casual}

    def test_rows_fill_the_fields_of_a_family(self, tmp_path: Path) -> None:
        rows = read_dialogues(written(tmp_path, CAPITAL)).rows
        assert [row.name for row in rows] == ["capital_france", "capital_the_netherlands"]
        assert rows[1].reply == "The capital of the Netherlands is Amsterdam."
        asked = {*rows[0].questions, *rows[0].held_out}
        assert asked == {"What is the capital of France?", "Name the capital of France."}

    def test_a_question_that_an_intent_asks_is_not_the_familys(self, tmp_path: Path) -> None:
        paris = "# paris\n? what is the capital of france\n! Paris it is.\n\n"
        first = read_dialogues(written(tmp_path, paris + CAPITAL)).rows[0]
        assert {*first.questions, *first.held_out} == {"Name the capital of France."}

    def test_borrowed_answers_are_written_or_those_of_an_intent(self, tmp_path: Path) -> None:
        folder = written(tmp_path, NAME, "what_is_your_name\tname\nweather\tLook out of the window.\n")
        assert read_dialogues(folder).borrowed == {
            "what_is_your_name": "I am Earshot.",
            "weather": "Look out of the window.",
        }

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("? What?\n! That.\n", r"some.txt, line 1: a heading"),
            ("# a\n? What?\n! That.\nnonsense\n", r"some.txt, line 4: a line must begin"),
            ("# a\n? What?\n", r"some.txt, line 1: 'a' must have questions and exactly one answer"),
            ("# a\n? What?\n! That.\n! This.\n", "exactly one answer"),
            ("# a\n! That.\n", "must have questions"),
            ("# a\n? What?\n! That.\n\n# a\n? Who?\n! He.\n", "a come twice"),
            ("# a\n? What's that?\n! That.\n\n# b\n? whats that\n! This.\n", "asked in two intents: a and b"),
            ("## c: x, y\n1 | 2 | 3\n? Of {x}?\n! {y}.\n", "has not one part for each of x, y"),
            ("## c: x, y\n1 | 2\n? Of {z}?\n! {y}.\n", r"there is no field \{z\}"),
        ],
    )
    def test_what_is_wrong_is_named_with_its_place(self, tmp_path: Path, text: str, complaint: str) -> None:
        with pytest.raises(DialogueError, match=complaint):
            read_dialogues(written(tmp_path, text))

    def test_a_folder_without_dialogues_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(DialogueError, match="holds no dialogues"):
            read_dialogues(tmp_path)


class TestShippedDialogues:
    def test_there_are_hundreds_of_intents_and_thousands_of_questions(self) -> None:
        shipped = read_dialogues()
        questions = [question for intent in shipped.intents for question in (*intent.questions, *intent.held_out)]
        assert len(shipped.intents) >= 400
        assert len({letters_of(question) for question in questions}) >= 3000
        assert sum(len(intent.held_out) for intent in shipped.intents) >= 400

    def test_answers_are_fit_to_be_spoken(self) -> None:
        shipped = read_dialogues()
        for intent in (*shipped.intents, *shipped.rows):
            assert intent.reply[-1] in ".?!", intent
            assert not set(intent.reply) & set('*_#<>[]{}|"/\\'), intent
            assert len(intent.reply.split()) <= 45, intent


class TestLessons:
    @pytest.fixture
    def data(self, tmp_path: Path) -> Path:
        folder = tmp_path / "data" / "text" / "dialogue"
        folder.mkdir(parents=True)
        parts = {
            "train": [["will it rain", "weather"], ["odd one", "elsewhere"]],
            "oos_train": [["how is glue made", "oos"]],
        }
        (folder / "clinc150_data_full.json").write_text(json.dumps(parts), encoding="utf-8")
        snips = [
            {"intent": "GetWeather", "split": "train", "text": "Weather in Rome"},
            {"intent": "GetWeather", "split": "test", "text": "Held out"},
            {"intent": "RateBook", "split": "train", "text": "Five stars"},
        ]
        (folder / "snips_queries.jsonl").write_text("\n".join(map(json.dumps, snips)), encoding="utf-8")
        return tmp_path / "data"

    def test_borrowed_questions_get_the_projects_answers(self, data: Path) -> None:
        found = borrowed_questions(data, {"weather": "Look out.", "oos": "I don't know."})
        assert found == [(["how is glue made"], "I don't know."), (["will it rain", "Weather in Rome"], "Look out.")]

    def test_no_held_out_question_is_ever_asked(self, data: Path, tmp_path: Path) -> None:
        questions = "".join(f"? Question number {word} is this?\n" for word in "abcdefghijklmnopqrstuvwxyz")
        folder = tmp_path / "written"
        folder.mkdir()
        dialogues = read_dialogues(written(folder, f"# many\n{questions}! Yes, it is.\n"))
        (intent,) = dialogues.intents
        assert intent.held_out
        made = islice(DialogueLessons(data, dialogues).conversations(Random(1)), 2000)
        whole = {letters_of(turn.user) for each in made for turn in each.turns if turn.user_learnt}
        assert {letters_of(question) for question in intent.questions} <= whole
        assert not {letters_of(question) for question in intent.held_out} & whole

    def test_only_whole_questions_are_learnt_and_some_are_cut_off(self, data: Path, tmp_path: Path) -> None:
        folder = tmp_path / "written"
        folder.mkdir()
        lessons = DialogueLessons(data, read_dialogues(written(folder, NAME)))
        turns = [turn for each in islice(lessons.conversations(Random(2)), 500) for turn in each.turns]
        cut = [turn for turn in turns if not turn.user_learnt]
        assert 0.2 < len(cut) / len(turns) < 0.5
        assert all(turn.assistant == "I am Earshot." for turn in turns)
        assert any(len(turn.user.split()) == 1 for turn in cut)

    def test_held_out_conversations_come_for_ever_and_alone(self, data: Path, tmp_path: Path) -> None:
        folder = tmp_path / "written"
        folder.mkdir()
        rows = "".join(f"Land {number} | City {number}\n" for number in range(20))
        dialogues = read_dialogues(written(folder, CAPITAL.replace("France | Paris\n", rows)))
        held_out = {question for row in dialogues.rows for question in row.held_out}
        (conversations,) = DialogueLessons(data, dialogues).held_out().values()
        some = list(islice(conversations, 3 * len(held_out)))
        assert {turn.user for each in some for turn in each.turns} == held_out
        assert {len(each.turns) for each in some} == {1}
        assert {each.system for each in some} == {SYSTEM}

    def test_questions_that_are_like_known_ones_are_none_to_refuse(self, tmp_path: Path) -> None:
        import gzip

        folder = tmp_path / "text" / "parallel"
        folder.mkdir(parents=True)
        asked = ["What is your name, please?", "Did the boat sink yesterday?", "We sing."]
        with gzip.open(folder / "tatoeba-eng-deu.tsv.gz", "wt", encoding="utf-8") as lines:
            lines.writelines(f"{sentence}\tEgal.\n" for sentence in asked)
        known = [Intent("name", ("What is your name?",), (), "I am Earshot.")]
        assert unknown_questions(tmp_path, known) == ["Did the boat sink yesterday?"]

    def test_a_question_is_said_in_other_words_of_the_same_kind(self) -> None:
        found = {reworded("What is it? I am sad.", Random(seed)) for seed in range(300)}
        assert {"What is it? I am sad.", "What's it? I'm unhappy.", "What would be it? I am unhappy."} <= found
        assert reworded("Nothing of this kind.", Random(1)) == "Nothing of this kind."
        assert {reworded("how do i go", Random(seed)) for seed in range(300)} >= {"how can I go", "how do i go"}
        assert all(words == words.lower() and len(group) > 1 for group in SAME for words in group)

    def test_no_other_words_make_a_held_out_question(self, data: Path, tmp_path: Path) -> None:
        asked = [f"What is number {word} of it?" for word in "abcdefghijklmnopqrstuvwxyz"]
        asked += [question.replace("What is", "What's") for question in asked]
        folder = tmp_path / "written"
        folder.mkdir()
        dialogues = read_dialogues(written(folder, "# many\n" + "".join(f"? {each}\n" for each in asked) + "! Yes.\n"))
        never = {letters_of(question) for question in dialogues.intents[0].held_out}
        made = islice(DialogueLessons(data, dialogues).conversations(Random(1)), 1500)
        assert never
        assert not never & {letters_of(turn.user) for each in made for turn in each.turns if turn.user_learnt}

    def test_a_misheard_question_keeps_at_least_half_of_its_words(self) -> None:
        words = ["one", "two", "three", "four", "five", "six"]
        heard = [misheard(" ".join(words), ["Seven?"], Random(seed)).split() for seed in range(200)]
        assert all(sum(word in words for word in each) >= 3 for each in heard)
        assert {word for each in heard for word in each} == {*words, "seven"}
        assert any(each == words for each in heard)
        assert any(len(each) < 6 for each in heard)
        assert misheard("two words", ["x"], Random(1)) == "two words"
