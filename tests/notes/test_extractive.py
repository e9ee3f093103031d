"""Notes that are chosen from lines: decisions, tasks and open questions, in four languages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.answer.intents.encoder import starter_encoder
from engine.notes.extractive import ExtractiveWriter, centrality
from engine.notes.ground import supported
from engine.notes.records import Notes, SaidLine, SectionKind
from engine.notes.template import load_template
from engine.notes.topics import WINDOW_LINES, _differences
from engine.notes.writer import finished
from lab.bench.notes.meetings import meetings
from tests.notes.said import said


def noted(*rows: str) -> Notes:
    return finished(ExtractiveWriter().write(said(*rows), load_template()))


def texts(notes: Notes, kind: SectionKind) -> list[str]:
    return [line.text for line in notes.section(kind)]


@pytest.mark.parametrize(
    ("rows", "rests_on"),
    [
        (("Anna: The blue one is cheaper.", "Ben: Okay, then we take the blue one.", "Anna: Agreed."), (2, 3)),
        (("Anna: We have decided to meet on Mondays.", "Ben: I was away that day."), (1,)),
        (("Anna: Rot oder blau?", "Ben: Gut, dann nehmen wir das blaue.", "Anna: Einverstanden."), (2, 3)),
        (("Anna: On a décidé de changer de salle.", "Ben: La salle est petite."), (1,)),
        (("Anna: Hemos decidido cambiar de sala.", "Ben: La sala era pequeña."), (1,)),
    ],
)
def test_a_decision_is_found_with_the_replies_that_agree(rows: tuple[str, ...], rests_on: tuple[int, ...]) -> None:
    assert [line.rests_on for line in noted(*rows).section("decisions")] == [rests_on]


@pytest.mark.parametrize(
    "row",
    [
        "Anna: Do we take the blue one?",
        "Anna: We could take the blue one.",
        "Anna: Let's talk about that another time.",
        "Anna: Wir haben gestern lange gewartet.",
    ],
)
def test_what_is_asked_proposed_or_put_off_is_no_decision(row: str) -> None:
    assert noted("Ben: The paint is dry by now.", row).section("decisions") == ()


@pytest.mark.parametrize(
    ("rows", "who", "when"),
    [
        (("Ben: I'll send the offer by Friday.",), "Ben", "by Friday"),
        (("Anna: Could you call the printer, Ben?", "Ben: Yes, I can do that tomorrow."), "Ben", "tomorrow"),
        (("Anna: Ben, please order the chairs by the end of the month.",), "Ben", "by the end of the month"),
        (("Ben: Ich schicke das Angebot bis Freitag.",), "Ben", "bis Freitag"),
        (("Ben: Je vais appeler le traiteur demain.",), "Ben", "demain"),
        (("Ben: Voy a llamar al hotel mañana.",), "Ben", "mañana"),
    ],
)
def test_a_task_has_who_does_it_and_when(rows: tuple[str, ...], who: str, when: str) -> None:
    (task,) = noted(*rows, "Ben: It rained all night.").section("tasks")
    assert (task.who, task.when) == (who, when)
    assert task.rests_on == tuple(range(1, len(rows) + 1))


@pytest.mark.parametrize(
    "row",
    ["Ben: I won't do it again.", "Ben: I sent the offer yesterday.", "Ben: Will it rain tomorrow?"],
)
def test_what_is_refused_past_or_asked_is_no_task(row: str) -> None:
    assert noted(row).section("tasks") == ()


@pytest.mark.parametrize(
    ("rows", "tasks"),
    [
        (
            (
                "Anna: Ben, can you send the slides by Friday? Tim, please book the room.",
                "Ben: Yes, I'll send them.",
                "Tim: It is a large room.",
            ),
            ["Ben", "Tim"],
        ),
        (("Anna: Can you send me the numbers? I'll write the report.", "Ben: I'll send them."), ["Ben", "Anna"]),
        (("Anna: Ben, can you call the shop?", "Ben: Yes, I'll call. And I'll order the paint."), ["Ben", "Ben"]),
    ],
)
def test_each_of_several_tasks_in_one_line_is_found(rows: tuple[str, ...], tasks: list[str]) -> None:
    assert [task.who for task in noted(*rows).section("tasks")] == tasks


def test_a_question_is_open_if_nobody_knows_the_answer() -> None:
    notes = noted(
        "Anna: Who pays for the coffee?",
        "Ben: I don't know yet.",
        "Anna: And where do we meet?",
        "Ben: In the library, as always.",
    )
    assert [(line.text, line.rests_on) for line in notes.section("questions")] == [("Who pays for the coffee?", (1, 2))]


def test_every_line_of_the_meetings_is_one_that_was_said() -> None:
    for meeting in meetings("choose"):
        notes = finished(ExtractiveWriter().write(meeting.lines, load_template()))
        whole = " ".join(line.text for line in meeting.lines)
        for line in (*notes.section("summary"), *notes.section("questions")):
            assert line.text in whole
        assert supported(notes, meeting.lines) == notes


def test_topics_divide_all_lines_in_order() -> None:
    (_, meeting) = meetings("choose")
    notes = finished(ExtractiveWriter().write(meeting.lines, load_template()))
    topics = notes.section("topics")
    assert len(topics) > 1
    assert [number for topic in topics for number in topic.rests_on] == [line.number for line in meeting.lines]
    assert all(topic.text for topic in topics)


def test_a_grown_transcript_has_the_notes_of_its_lines_and_keeps_its_summary() -> None:
    (meeting, _) = meetings("choose")
    writer, template = ExtractiveWriter(), load_template()
    before = before_anew = Notes()
    lost = lost_anew = 0
    for count in range(5, len(meeting.lines) + 1, 5):
        grown = finished(writer.write(meeting.lines[:count], template))
        anew = finished(ExtractiveWriter().write(meeting.lines[:count], template))
        assert grown.sections[1:] == anew.sections[1:]
        assert len(grown.section("summary")) == len(anew.section("summary"))
        lost += len({*before.section("summary")} - {*grown.section("summary")})
        lost_anew += len({*before_anew.section("summary")} - {*anew.section("summary")})
        before, before_anew = grown, anew
    assert lost < lost_anew


@settings(max_examples=5, deadline=None)
@given(steps=st.lists(st.integers(1, 20), min_size=2, max_size=6), corrected=st.integers(0, 23))
def test_however_a_transcript_grows_its_notes_but_for_the_summary_are_those_of_all_lines(
    steps: list[int], corrected: int
) -> None:
    lines = [line for meeting in meetings("choose") for line in meeting.lines]  # the second one's speakers come late
    lines[corrected] = replace(lines[corrected], text="Okay, then we take the larger one.")
    writer, template, count = ExtractiveWriter(), load_template(), 0
    finished(writer.write([*meetings("choose")[0].lines], template))  # before the correction
    for step in steps:
        count = min(count + step, len(lines))
        grown = finished(writer.write(lines[:count], template))
    anew = finished(ExtractiveWriter().write(lines[:count], template))
    assert grown.sections[1:] == anew.sections[1:]


def test_the_depth_of_every_boundary_is_that_of_its_windows() -> None:
    vectors = np.random.default_rng(1).standard_normal((30, 8)).astype(np.float32)
    found = _differences(vectors)
    assert len(found) == 30 - 2 * WINDOW_LINES + 1
    for place, depth in enumerate(found, WINDOW_LINES):
        before, behind = vectors[place - WINDOW_LINES : place].mean(0), vectors[place : place + WINDOW_LINES].mean(0)
        assert depth == pytest.approx(-before @ behind / np.linalg.norm(before) / np.linalg.norm(behind), abs=1e-6)


def test_nothing_said_makes_empty_notes() -> None:
    notes = finished(ExtractiveWriter().write([], load_template()))
    assert notes.lines == ()
    assert [section.kind for section in notes.sections] == ["summary", "decisions", "tasks", "questions", "topics"]


def test_the_line_that_is_most_like_the_others_is_the_most_central() -> None:
    texts = ["The pump is broken.", "We need a new pump.", "The old pump leaks.", "Nice hat."]
    vectors = starter_encoder().encode_all(texts)
    assert centrality(vectors).argmin() == 3


def test_case_a_topic_without_a_telling_word_is_none() -> None:
    assert noted("Anna: Hi.").section("topics") == ()


def test_the_names_of_speakers_are_no_topics() -> None:
    lines = [SaidLine(number, "Marianne talked about the pump.", speaker="Marianne") for number in range(1, 4)]
    notes = finished(ExtractiveWriter().write(lines, load_template()))
    assert all("Marianne" not in line.text for line in notes.section("topics"))


def test_a_word_that_denies_in_another_language_denies_nothing() -> None:
    notes = noted("Anna: A subscription, or once?", "Ben: All right, we go for four euros, no subscription.")
    assert [line.rests_on for line in notes.section("decisions")] == [(2,)]
