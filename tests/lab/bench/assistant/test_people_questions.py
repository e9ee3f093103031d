"""Questions of people: which recordings ask, two halves of speakers, and nothing that was taught."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.bench.assistant.people_questions import MORE, is_question, questions, taught_letters
from lab.bench.assistant.texts import own_questions
from lab.bench.captions import people
from lab.bench.errors import BenchError
from lab.recipes.assistant.dialogues import letters_of, read_dialogues


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("WHERE IS MY BROTHER NOW", True),
        ("WHAT'S WRONG WITH IT", True),
        ("HOW MANY ARE THERE", True),
        ("Will we ever forget it.", True),
        ("You and whose army?", True),
        ("WHEN IT IS THICK TAKE IT OFF", False),
        ("WHICH WAS FORMAL", False),
        ("DON'T CRY NOW", False),
        ("Anderson?! Is he here.", False),
        ("Who, me?", False),  # too short
        ("It is so.", False),
    ],
)
def test_a_question_has_a_mark_or_begins_like_one(text: str, asks: bool) -> None:
    assert is_question(text) == asks


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four readers, who each ask three questions: one that all ask, one of their own, and one that was taught."""
    taught = sorted(read_dialogues().intents[0].questions)[0]
    lines = []
    for speaker in range(4):
        for number, text in enumerate(
            ("IS IT TIME YET", f"WHO IS NUMBER {speaker} HERE", taught, "THIS IS NO QUESTION")
        ):
            record = {"file": f"kathleen/{speaker}{number}.ogg", "text": text, "seconds": 2, "speaker": f"s{speaker}"}
            lines.append(json.dumps(record))
    lines.append(
        json.dumps({"file": "kathleen/long.ogg", "text": "WHO IS IT THIS TIME", "seconds": 9, "speaker": "s0"})
    )
    (tmp_path / MORE).parent.mkdir()
    (tmp_path / MORE).write_text("\n".join(lines))
    monkeypatch.setenv(people.DATA_VARIABLE, str(tmp_path))
    return tmp_path


def test_each_half_of_the_speakers_asks_its_own_questions_and_no_text_twice(data: Path) -> None:
    choose, judge = questions("choose"), questions("judge")
    assert {clip.speaker for clip in choose} == {"s0", "s1"}
    assert {clip.speaker for clip in judge} == {"s2", "s3"}
    assert sorted(clip.text for clip in judge) == ["IS IT TIME YET", "WHO IS NUMBER 2 HERE", "WHO IS NUMBER 3 HERE"]


def test_nothing_is_asked_that_was_taught(data: Path) -> None:
    taught = taught_letters()
    assert len(taught) > 1000
    assert not taught & {letters_of(clip.text) for split in people.SPLITS for clip in questions(split)}


def test_the_questions_of_the_data_folder_are_none_that_was_taught_and_enough_to_judge_by(shared_data: Path) -> None:
    judge, choose = questions("judge"), questions("choose")
    assert len(judge) >= 80  # the game's talk, which is fetched, brings more than 100
    assert not {clip.speaker for clip in judge} & {clip.speaker for clip in choose}
    assert not taught_letters() & {letters_of(clip.text) for clip in (*judge, *choose)}


def test_own_questions_are_kept_from_training() -> None:
    written = read_dialogues()
    learnt = {letters_of(way) for each in (*written.intents, *written.rows) for way in each.questions}
    assert not learnt & {letters_of(turn) for prompts in own_questions() for turn in prompts.turns}


def test_without_recordings_there_is_a_sentence_that_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(people.DATA_VARIABLE, str(tmp_path))
    with pytest.raises(BenchError, match="no questions of people"):
        questions("judge")
