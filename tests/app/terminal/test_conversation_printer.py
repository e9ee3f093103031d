"""A conversation on a screen, in a pipe, and as JSON lines."""

from __future__ import annotations

import io
import json

import pytest

from app.terminal.conversation_printer import (
    ConversationSummary,
    LineConversation,
    Manner,
    ScreenConversation,
    choose_printer,
    conversation_record,
    event_record,
    summarise,
    summary_line,
)
from engine.events import Incident
from engine.turns import (
    AnswerStats,
    Candidate,
    Endpoint,
    Heard,
    Interrupted,
    Sentence,
    Speech,
    Turn,
    TurnEvent,
    TurnStats,
)
from tests.app.terminal.test_caption_printer import Screen, screen  # noqa: F401

TURN_FIELDS = ["type", "turn", "revision", "prompt", "reply", "ended", "endpoint_seconds", "first_sentence_seconds"]
TURN_FIELDS += ["first_sound_seconds", "forwards_to_first_sentence", "premade", "speculative_forwards"]
TURN_FIELDS += ["wasted_tokens", "drafted", "accepted", "output", "forwards", "verify_seconds", "decode_seconds"]

QUESTION, ANSWER = "What time is it?", "I have no clock. Look there."
ASKED: list[TurnEvent] = [Heard(1, 0, "What time"), Candidate(1, 0, "What", "I am Earshot."), Heard(1, 0, QUESTION)]
ENDED: list[TurnEvent] = [Heard(1, 0, QUESTION, final=True), Endpoint(1, 0, 1.2, 1.5, 0.7)]
ANSWERED: list[TurnEvent] = [
    Sentence(1, 0, 0, "I have no clock."),
    Speech(1, 0, 0, bytes(4 * 2205), 22_050),
    Sentence(1, 0, 1, "Look there."),
    Turn(1, 0, QUESTION, ANSWER, "end", TurnStats(0.3, 0.32, 0.35, 1, True, 9, 4, AnswerStats(8, 7, 12, 5))),
]


EVERYTHING = Manner()


def on_screen(out: io.StringIO, manner: Manner = EVERYTHING, *, colour: bool = True) -> ScreenConversation:
    return ScreenConversation(out, io.StringIO(), manner, colour=colour)


def show(printer: ScreenConversation | LineConversation, *events: TurnEvent) -> None:
    for event in events:
        printer.show(event, 0.0)


class TestOnAScreen:
    def test_what_is_still_said_and_would_be_answered_is_dim(self, screen: Screen) -> None:  # noqa: F811
        printer = on_screen(screen)
        show(printer, *ASKED[:2])
        assert screen.text() == "You: {What time}\nEarshot: {I am Earshot.}"
        show(printer, *ASKED[2:], *ENDED)
        assert screen.text() == "You: What time is it?\nEarshot: {I am Earshot.}"
        show(printer, *ANSWERED[:1])
        assert screen.text() == "You: What time is it?\nEarshot: I have no clock."
        show(printer, *ANSWERED[1:])
        assert screen.text() == f"You: {QUESTION}\nEarshot: {ANSWER}"

    @pytest.mark.parametrize("colour", [True, False])
    def test_an_answer_that_has_not_begun_is_thought_about(self, screen: Screen, colour: bool) -> None:  # noqa: F811
        printer = on_screen(screen, Manner(questions=False), colour=colour)
        show(printer, *ENDED)
        assert screen.text() == ("Earshot: {Thinking…}" if colour else "Earshot: Thinking…")
        show(printer, *ANSWERED)
        assert screen.text() == f"Earshot: {ANSWER}"

    def test_no_thinking_stays_where_no_answer_came(self, screen: Screen) -> None:  # noqa: F811
        printer = on_screen(screen)
        show(printer, *ENDED)
        assert "Thinking" in screen.text()
        printer.close()
        assert screen.text() == f"You: {QUESTION}"

    def test_without_colour_dots_mark_what_may_change(self, screen: Screen) -> None:  # noqa: F811
        printer = on_screen(screen, colour=False)
        show(printer, *ASKED[:2])
        assert screen.text() == "You: What time …\nEarshot: I am Earshot. …"
        show(printer, *ASKED[2:], *ENDED, *ANSWERED)
        assert screen.text() == f"You: {QUESTION}\nEarshot: {ANSWER}"

    def test_the_answer_of_a_turn_that_goes_on_is_a_draft_again(self, screen: Screen) -> None:  # noqa: F811
        printer = on_screen(screen)
        show(printer, *ASKED, *ENDED, *ANSWERED)
        show(printer, Heard(1, 1, "What time is it? In Rome"))
        drafted = "You: {What time is it? In Rome}\nEarshot: {I have no clock. Look there.}"
        assert screen.text() == drafted
        show(printer, ANSWERED[0])
        assert screen.text() == drafted, "what comes of the answer that was given up is stale"
        show(printer, Turn(1, 1, "What time is it? In Rome?", "Look there."))
        assert screen.text() == "You: What time is it? In Rome?\nEarshot: Look there."

    def test_turns_that_are_over_stay_above_the_next(self, screen: Screen) -> None:  # noqa: F811
        printer = on_screen(screen)
        show(printer, *ASKED, *ENDED, *ANSWERED, Heard(2, 0, "And"))
        assert screen.text() == f"You: {QUESTION}\nEarshot: {ANSWER}\nYou: {{And}}"
        printer.conclude(summarise([]))
        assert screen.text().startswith(f"You: {QUESTION}\nEarshot: {ANSWER}\nYou: {{And}}")

    def test_an_incident_stands_above_what_goes_on(self, screen: Screen) -> None:  # noqa: F811
        printer = ScreenConversation(screen, screen, Manner(), colour=False)
        show(printer, *ASKED[:1], Incident("The voice failed."), *ASKED[1:])
        assert screen.text() == "earshot: The voice failed.\nYou: What time is it? …\nEarshot: I am Earshot. …"

    def test_a_long_answer_wraps_and_is_redrawn(self, screen: Screen) -> None:  # noqa: F811
        printer = on_screen(screen)
        show(printer, *ASKED, *ENDED)
        sentences = [f"This is sentence number {number} of them." for number in range(4)]
        for index, text in enumerate(sentences):
            show(printer, Sentence(1, 0, index, text))
        printer.close()
        assert " ".join(screen.text().split()) == f"You: {QUESTION} Earshot: {' '.join(sentences)}"

    def test_what_a_model_writes_steers_no_terminal(self, screen: Screen) -> None:  # noqa: F811
        printer = on_screen(screen)
        show(printer, Heard(1, 0, "a\x1b[2Jb\n"), Candidate(1, 0, "a", "c\x1b[Ad"))
        assert screen.text() == "You: {a[2Jb}\nEarshot: {c[Ad}"

    def test_an_answer_alone_has_no_names(self, screen: Screen) -> None:  # noqa: F811
        printer = on_screen(screen, Manner(questions=False, names=False))
        show(printer, *ASKED, *ENDED)
        assert screen.text() == "{I am Earshot.}"
        show(printer, *ANSWERED)
        printer.close()
        assert screen.text() == ANSWER


class TestInLines:
    @pytest.fixture
    def streams(self) -> tuple[io.StringIO, io.StringIO]:
        return io.StringIO(), io.StringIO()

    def test_a_turn_is_written_once_when_it_cannot_change(self, streams: tuple[io.StringIO, io.StringIO]) -> None:
        out, notes = streams
        printer = LineConversation(out, notes, Manner())
        show(printer, *ASKED, *ENDED, *ANSWERED)
        assert out.getvalue() == ""
        show(printer, Heard(1, 1, "What"), Turn(1, 1, "What is it?", "A clock."))
        printer.settle()
        assert out.getvalue() == "You: What is it?\nEarshot: A clock.\n"
        show(printer, Turn(2, 0, "Stop", "I was", "interrupted"), Heard(3, 0, "Who"), Turn(3, 0, "Who?", "", "nothing"))
        assert out.getvalue().endswith("A clock.\nYou: Stop\nEarshot: I was —\n")
        printer.conclude(summarise([]))
        assert out.getvalue().endswith("—\nYou: Who?\nEarshot: (no answer)\n")
        assert notes.getvalue() == "No question was asked.\n"

    @pytest.mark.parametrize(
        ("manner", "text"),
        [
            (Manner(questions=False), f"Earshot: {ANSWER}\n"),
            (Manner(questions=False, names=False), f"{ANSWER}\n"),
            (Manner(), f"You: {QUESTION}\nEarshot: {ANSWER}\n"),
        ],
    )
    def test_what_is_shown_may_be_chosen(
        self, manner: Manner, text: str, streams: tuple[io.StringIO, io.StringIO]
    ) -> None:
        printer = LineConversation(*streams, manner)
        show(printer, *ASKED, *ENDED, *ANSWERED)
        printer.close()
        assert streams[0].getvalue() == text

    def test_code_keeps_its_lines(self, streams: tuple[io.StringIO, io.StringIO]) -> None:
        reply = "Here\nit is:\n\n```python\nfor name in names:\n\tprint(name)\x1b\n```\nTry\nit."
        printer = LineConversation(*streams, EVERYTHING)
        show(printer, Turn(1, 0, QUESTION, reply, "interrupted", TurnStats()))
        printer.close()
        assert streams[0].getvalue().splitlines() == [
            f"You: {QUESTION}",
            "Earshot: Here it is:",
            *("```python", "for name in names:", "        print(name)", "```", "Try it. —"),
        ]

    def test_a_turn_without_words_is_not_shown(self, streams: tuple[io.StringIO, io.StringIO]) -> None:
        printer = LineConversation(*streams, Manner())
        show(printer, Turn(1, 0, "", "", "nothing"))
        printer.close()
        assert streams[0].getvalue() == ""

    def test_incidents_go_to_the_notes(self, streams: tuple[io.StringIO, io.StringIO]) -> None:
        show(LineConversation(*streams, Manner()), Incident("The voice failed."))
        assert streams[1].getvalue() == "earshot: The voice failed.\n"


class TestAsJson:
    def test_every_event_is_a_line_with_its_time(self) -> None:
        out = io.StringIO()
        printer = choose_printer(out, io.StringIO(), Manner(), as_json=True)
        for event in [*ASKED, *ENDED, *ANSWERED, Interrupted(1, 0, 2.0, "I have"), Incident("Odd.")]:
            printer.show(event, 1.23456)
        printer.settle()
        printer.close()
        records = [json.loads(line) for line in out.getvalue().splitlines()]
        assert [record["type"] for record in records] == [
            "heard", "candidate", "heard", "heard", "endpoint", "sentence", "speech", "sentence", "turn",
            "interrupted", "incident",
        ]  # fmt: skip
        assert all(record["emitted_seconds"] == 1.235 for record in records)

    def test_a_turn_tells_its_times_and_costs(self) -> None:
        record = event_record(ANSWERED[-1])
        assert list(record) == TURN_FIELDS
        assert (record["first_sound_seconds"], record["accepted"], record["wasted_tokens"]) == (0.35, 7, 4)

    def test_sound_is_told_by_its_length(self) -> None:
        assert event_record(ANSWERED[1]) == {
            "type": "speech", "turn": 1, "revision": 0, "sentence": 0, "seconds": 0.1, "rate_hz": 22_050,
        }  # fmt: skip


class TestSummary:
    TURNS = (
        Turn(1, 0, "What", "Nothing.", stats=TurnStats(0.5, 9.0, 9.0, 9)),
        Turn(1, 1, "What is it?", "A clock.", stats=TurnStats(0.5, 0.6, 0.7, 3, False, 9, 2, AnswerStats(8, 4))),
        Turn(2, 0, "Hm.", "", "nothing"),
        Turn(3, 0, "Go on.", "I was", "interrupted", TurnStats(0.3, 0.4, 0.5, 1, True, 4, 1, AnswerStats(6, 6))),
    )

    def test_a_turn_that_was_taken_up_again_counts_once(self) -> None:
        summary = summarise(self.TURNS)
        assert (summary.turns, summary.answered, summary.interrupted, summary.premade) == (3, 2, 1, 1)
        assert (summary.drafted, summary.accepted, summary.wasted_tokens) == (14, 10, 3)
        assert summary.forwards_to_first_sentence == 2.0
        assert summary.first_sound_seconds is not None
        assert summary.first_sound_seconds.p50 == pytest.approx(0.6)
        assert summary_line(summary) == (
            "2 answers to 3 questions, 1 made ahead; first sound 0.60 s after the question (median)."
        )

    def test_what_never_was_is_null(self) -> None:
        record = conversation_record(summarise([]))
        assert record["first_sound_seconds"] is None
        assert record["type"] == "summary"
        assert summary_line(ConversationSummary()) == "No question was asked."
        assert summary_line(summarise(self.TURNS[2:3])) == "0 answers to 1 question."

    def test_times_are_told_by_mean_and_percentiles(self) -> None:
        record = conversation_record(summarise(self.TURNS))
        assert record["endpoint_seconds"] == {"mean": 0.4, "p50": 0.4, "p95": 0.49}
