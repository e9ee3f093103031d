"""Fresh questions: there are 130, they are asked in conversations, and only judged answers count."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.terminal.growing_text import TextError
from engine.assistant.assistant import AssistantSession
from engine.clock import RealClock
from lab.bench.assistant import fresh_questions as fresh
from lab.bench.assistant.fresh_questions import FreshAnswer, FreshQuestion
from tests.scripted_model import ScriptedModel


def test_each_set_has_130_questions_in_thirteen_conversations_and_none_to_choose_by() -> None:
    sets = [fresh.fresh_questions(name) for name in ("first", "second", "third", "fourth")]
    choosing = {each.question for each in fresh.fresh_questions("choosing")}
    for questions in sets:
        assert len(questions) == len({each.question for each in questions}) == 130
        assert len({each.conversation for each in questions}) == 13
        assert choosing.isdisjoint({each.question for each in questions})


def test_a_conversation_is_remembered_and_then_forgotten() -> None:
    model = ScriptedModel(lambda text: f"You said {text}", assistant_instruction=None)
    session = AssistantSession(None, model, None, clock=RealClock(), app=True)  # type: ignore[arg-type]
    questions = [FreshQuestion("1", "a", "Who was that man?"), FreshQuestion("1", "b", "Set a timer for six minutes.")]
    first, timer = fresh.ask_all(session, questions)
    assert first.answer == "You said Who was that man?" and not first.tools
    assert timer.tools.startswith("timer ") and len(session.history) == 2
    list(fresh.ask_all(session, [FreshQuestion("2", "a", "Who was that man?")]))
    assert len(session.history) == 1


def test_a_verdict_belongs_to_the_answer_that_was_judged(tmp_path: Path) -> None:
    judged = FreshAnswer("1", "facts", "Who?", 'A "man".', "", "right", "why not")
    fresh.write_answers(tmp_path / "a.tsv", [judged])
    assert fresh.read_answers(tmp_path / "a.tsv") == [judged]
    same, other = FreshAnswer("1", "facts", "Who?", 'A "man".'), FreshAnswer("1", "facts", "Who?", "A woman.")
    answers = fresh.judged([same, other], [judged])
    assert answers == [judged, other]
    figures = fresh.figures(answers)
    assert (figures["questions"], figures["not_judged"], figures["right"]) == (2, 1, 1.0)
    assert 'right: A "man".' in fresh.in_full(answers) and "?: A woman." in fresh.in_full(answers)


def test_an_unknown_verdict_is_told(tmp_path: Path) -> None:
    fresh.write_answers(tmp_path / "a.tsv", [FreshAnswer("1", "facts", "Who?", "A man.", "", "nice")])
    with pytest.raises(TextError, match="judges “Who\\?” as 'nice'; use right, honest, wrong, unsafe"):
        fresh.read_answers(tmp_path / "a.tsv")


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(TextError, match=r"nofile cannot be read: no such file or directory\.$"):
        fresh.read_answers(tmp_path / "nofile")


@pytest.mark.parametrize("file", sorted(fresh.FOLDER.glob("judged.*.tsv")), ids=lambda file: file.name)
def test_every_judged_file_judges_all_questions(file: Path) -> None:
    answers = fresh.read_answers(file)
    asked = fresh.fresh_questions(file.name.split(".")[1])
    assert [each.question for each in answers] == [each.question for each in asked]
    assert all(each.verdict for each in answers)
