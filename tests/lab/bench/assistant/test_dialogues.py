"""`earshot bench dialogues`: judged against answers that are known, and run on a small model of random weights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.terminal.cli import main
from engine.language.language_model import load_language_model
from lab.bench.assistant.dialogues import (
    Asked,
    Given,
    answering,
    ask_all,
    figures,
    first_sentence,
    group_table,
    groups,
    is_right,
    questions,
    refused_share,
    scripted,
    shares,
    spelled,
    worst,
    wrong,
)
from lab.recipes.assistant.dialogues import Dialogues, Intent, read_dialogues
from tests.language_models import write_language_model

NAME = Intent(
    "talk_name", ("What is your name?",), ("Who are you?", "Your name, please?"), "I am Earshot. And you?", "talk"
)
LIGHT = Intent("world_light", (), ("What is light made of?",), "Light is made of small waves.", "world")
FRANCE = Intent("capital_france", (), ("France's capital?",), "The capital of France is Paris.", "capital")
DIALOGUES = Dialogues((NAME, LIGHT), (FRANCE,))


def asked(intent: Intent, question: str, answered: str, *, in_family: bool = False) -> Asked:
    return Asked(intent, in_family, question, answered)


FOUND = [
    asked(NAME, "Who are you?", "I am Earshot."),
    asked(NAME, "Your name, please?", "Light is made of small waves."),
    asked(LIGHT, "What is light made of?", ""),
    asked(FRANCE, "France's capital?", "The capital of France is Paris.", in_family=True),
]


@pytest.mark.parametrize(
    ("reply", "expected", "right"),
    [
        ("I am Earshot. Who asks?", "I am Earshot, and so on. And you?", False),
        ("I am Earshot, and so on. Who asks?", "I am Earshot, and so on. And you?", True),
        ("i am earshot and so on", "I am Earshot, and so on.", True),
        ("I am Earshot, and so.", "I am Earshot, and so on.", False),
        ("", "I am Earshot, and so on.", False),
        ("...", "...", False),
    ],
)
def test_an_answer_is_right_by_the_letters_of_its_first_sentence(reply: str, expected: str, right: bool) -> None:
    assert is_right(reply, expected) is right


def test_the_first_sentence_of_an_answer_without_an_end_is_all_of_it() -> None:
    assert first_sentence(" The capital is Paris. It lies on the Seine.") == "The capital is Paris."
    assert first_sentence("The capital is") == "The capital is"


def test_typed_questions_have_small_letters_and_no_marks() -> None:
    assert spelled("Well, what's an X-ray? Tell me!", "typed") == "well what's an x-ray tell me"
    assert spelled("Who are you?", "written") == "Who are you?"


def test_every_question_that_is_held_out_is_asked_alone() -> None:
    listed = questions(DIALOGUES)
    assert sorted(question for _, _, question in listed) == sorted([*NAME.held_out, *LIGHT.held_out, *FRANCE.held_out])
    assert questions(DIALOGUES, 2) == listed[:2]
    heard: list[str] = []

    def answer(question: str) -> Given:
        heard.append(question)
        return Given("I am Earshot. And you?")

    found = list(ask_all(answer, listed, "typed"))
    assert heard == [spelled(question, "typed") for _, _, question in listed]
    assert {each.answered for each in found} == {"I am Earshot."}
    assert sum(each.right for each in found) == len(NAME.held_out)


def test_all_questions_of_the_shipped_dialogues_are_there() -> None:
    written = read_dialogues()
    listed = questions(written)
    assert len(listed) == sum(len(each.held_out) for each in (*written.intents, *written.rows))
    assert all(intent.group for intent, _, _ in listed)
    assert {intent.group for intent, in_family, _ in listed if not in_family} >= {"earshot", "talk"}
    assert {intent.group for intent, in_family, _ in listed if in_family} >= {"capital", "past_tense"}


def test_shares_are_of_all_and_of_both_kinds() -> None:
    found = [asked(NAME, "?", NAME.reply), asked(LIGHT, "?", ""), asked(LIGHT, "?", "no")]
    found.append(asked(FRANCE, "?", FRANCE.reply, in_family=True))
    assert figures(found) == {
        "right_share": 0.5,
        "wrong_share": 0.5,
        "intents_right_share": 0.3333,
        "families_right_share": 1.0,
    }
    assert figures(found[:3])["families_right_share"] is None


def test_to_be_unsure_is_neither_right_nor_wrong() -> None:
    found = [asked(NAME, "?", NAME.reply), asked(NAME, "?", "no"), Asked(NAME, False, "?", "Hm.", unsure=True)]
    assert shares(found) == {"right_share": 0.3333, "wrong_share": 0.3333}
    assert shares([]) == {"right_share": None, "wrong_share": None}
    given = {"a": Given("Hm.", unsure=True), "b": Given("", by="calculate"), "c": Given("Yes.")}
    assert refused_share(given.__getitem__, given) == pytest.approx(1 / 3)


def test_what_a_tool_answers_is_right_where_it_is_learnt_for_the_same_thing() -> None:
    time = Intent("talk_time", ("What time is it?",), (), "Just ask me.", "talk")
    assert Asked(time, False, "the time", "", by="time").right
    assert Asked(NAME, False, "the time", "", by="time").wrong
    assert [scripted(text) for text in ("What time is it?", "I want to kill myself", "Who are you?")] == [
        "time",
        "suicide",
        "",
    ]


def test_groups_come_worst_first_and_families_after_intents() -> None:
    found = [asked(NAME, "?", NAME.reply), asked(NAME, "?", "no"), asked(LIGHT, "?", "")]
    found.append(asked(FRANCE, "?", "", in_family=True))
    assert [(each["group"], each["questions"], each["right"], each["right_share"]) for each in groups(found)] == [
        ("world", 1, 0, 0.0),
        ("talk", 2, 1, 0.5),
        ("capital", 1, 0, 0.0),
    ]
    lines = group_table(found).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["world", "talk", "capital", "all"]
    assert lines[-1].split()[1:] == ["4", "1", "25.0%"]


def test_what_was_answered_instead_is_shown_for_the_worst_intents() -> None:
    found = [*FOUND, asked(NAME, "And who are you?", "No.")]
    assert worst(found, count=1).splitlines() == [
        "talk_name: 2 of 3 wrong",
        "  Your name, please?  ->  Light is made of small waves.",
        "  And who are you?  ->  No.",
    ]
    assert "world_light: 1 of 1 wrong\n  What is light made of?  ->  (nothing)\n" in worst(found)
    assert wrong(found[2:4]) == [{"intent": "world_light", "asked": "What is light made of?", "answered": ""}]
    assert worst(FOUND[3:]) == ""


def test_a_small_model_is_asked_and_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_language_model(tmp_path / "model", eos_token_id=[0, *range(200, 240)])
    command = ["bench", "dialogues", "--model", str(folder), "--limit", "3", "--spelling", "typed"]
    assert main([*command, "--json"]) == 0
    record = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (record["bench"], record["questions"], record["later"], record["casual"]) == ("dialogues", 3, 3, 3)
    assert record["figures"]["right_share_later"] == record["figures"]["right_share_casual"] == 0.0
    assert record["figures"]["safety_share"] == record["figures"]["command_share"] == 1.0
    assert record["figures"]["right_share"] == 0.0 and len(record["wrong"]) == 3
    assert all(each["asked"].islower() for each in record["wrong"])
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "\nall " in shown and "1 of 1 wrong" in shown and "right share" in shown


def test_only_the_first_sentence_of_an_answer_is_waited_for(tmp_path: Path) -> None:
    model = load_language_model(write_language_model(tmp_path / "model", eos_token_id=[0, *range(200, 240)]))
    answer = answering(model)
    first = [answer("Who are you?"), answer("What is light?")]
    assert [answer("Who are you?"), answer("What is light?")] == first  # each by itself


@pytest.mark.parametrize(("options", "complaint"), [(["--limit", "0"], "--limit"), (["--spelling", "x"], "--spelling")])
def test_bad_options_are_refused(options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "dialogues", "--model", "/nowhere", *options]) == 2
    assert complaint in capsys.readouterr().err
