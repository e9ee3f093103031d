"""An exchange as it grows, event by event."""

from __future__ import annotations

from app.assistant.conversation_model import ConversationModel
from app.assistant.exchange import Exchange, Phase, shared_length
from engine.turns import Candidate, Endpoint, Heard, Interrupted, Sentence, Speech, Turn, TurnEvent

ASKED = "Where does the river go?"
FIRST, SECOND = "It goes down to the sea.", "It takes its time."


def grown(*events: TurnEvent) -> Exchange:
    exchange = Exchange(number=1)
    for event in events:
        exchange = exchange.with_event(event)
    return exchange


class TestExchange:
    def test_a_draft_shows_which_words_it_kept(self) -> None:
        exchange = grown(
            Heard(1, 0, "Where does"),
            Candidate(1, 0, "Where does", "It goes down to the pub."),
            Candidate(1, 0, "Where does the", "It goes down to the sea.", ready=True),
        )
        assert (exchange.phase, exchange.draft, exchange.ready) == (Phase.ASKING, FIRST, True)
        assert exchange.draft[: exchange.kept] == "It goes down to the "

    def test_the_answer_shows_what_was_drafted_of_it(self) -> None:
        exchange = grown(
            Heard(1, 0, "Where does the river"),
            Candidate(1, 0, "Where does the river", "It goes down to the sea. It runs"),
            Heard(1, 0, ASKED, final=True),
            Endpoint(1, 0, 1.0, 1.2),
            Sentence(1, 0, 0, FIRST),
            Sentence(1, 0, 1, SECOND),
        )
        assert (exchange.phase, exchange.answer) == (Phase.ANSWERING, f"{FIRST} {SECOND}")
        assert exchange.answer[: exchange.ahead] == f"{FIRST} It "

    def test_a_question_that_goes_on_makes_its_answer_a_draft_again(self) -> None:
        exchange = grown(Heard(1, 0, "Where does the river", final=True), Sentence(1, 0, 0, FIRST), Heard(1, 1, ASKED))
        assert (exchange.phase, exchange.draft, exchange.answer) == (Phase.ASKING, FIRST, "")
        late = exchange.with_event(Sentence(1, 0, 1, SECOND))
        assert late is exchange, "what belongs to an older revision has been given up"

    def test_an_answer_that_is_spoken_over_ends_or_goes_on(self) -> None:
        turn = Turn(1, 0, ASKED, f"{FIRST} {SECOND}")
        paused = grown(
            Heard(1, 0, ASKED, final=True), Sentence(1, 0, 0, FIRST), turn, Interrupted(1, 0, 3.0, "It goes")
        )
        assert (paused.phase, paused.said) == (Phase.PAUSED, "It goes")
        cut = paused.with_event(Turn(1, 0, ASKED, "It goes", "interrupted"))
        assert (cut.phase, cut.answer, cut.was_cut) == (Phase.DONE, "It goes", True)
        whole = paused.with_event(Turn(1, 0, ASKED, turn.reply, "interrupted", said="It goes"))
        assert (whole.answer, whole.heard, whole.was_cut) == (turn.reply, "It goes", True)
        on = paused.with_event(Speech(1, 1, 0, b"", 16_000)).with_event(Turn(1, 1, ASKED, turn.reply))
        assert (on.phase, on.answer, on.was_cut) == (Phase.DONE, turn.reply, False)

    def test_what_is_left_off_keeps_what_was_said(self) -> None:
        silent = grown(Heard(1, 0, ASKED), Candidate(1, 0, ASKED, FIRST)).left()
        assert (silent.phase, silent.draft, silent.turn) == (Phase.UNANSWERED, "", None)
        begun = grown(Heard(1, 0, ASKED, final=True), Sentence(1, 0, 0, FIRST)).left()
        assert begun.turn == Turn(1, 0, ASKED, FIRST, "interrupted")

    def test_whole_words_are_shared(self) -> None:
        assert shared_length("It goes down", "It goes downhill") == len("It goes ")
        assert shared_length("It goes", "It goes down") == len("It goes")
        assert shared_length("It goes down", "It goes") == len("It goes")
        assert shared_length("Yes", "No") == shared_length("", "No") == 0


class TestConversationModel:
    def test_numbers_go_up_through_all_sessions(self) -> None:
        model = ConversationModel()
        assert model.next_number == 1
        model.handle(Heard(1, 0, "One", final=True))
        model.handle(Turn(1, 0, "One", "Answer"))
        model.handle(Heard(2, 0, "Two"))
        model.settle()
        assert [(turn.turn, turn.prompt) for turn in model.earlier] == [(1, "One")]
        assert model.next_number == 3, "though the engine is told nothing of the second"
        model.handle(Heard(3, 0, "Three"))
        assert [(each.number, each.asked) for each in model.exchanges] == [(1, "One"), (2, "Two"), (3, "Three")]

    def test_a_typed_question_takes_the_place_of_one_that_is_spoken(self) -> None:
        model = ConversationModel()
        model.handle(Heard(1, 0, "Where does"))
        model.expect("Who are you?")
        model.handle(Heard(2, 0, "Who are you?", final=True))
        spoken, typed = model.exchanges
        assert (typed.number, typed.typed, typed.phase) == (2, True, Phase.THINKING)
        assert spoken.phase is Phase.UNANSWERED

    def test_the_oldest_exchanges_leave_the_screen(self) -> None:
        model, dropped = ConversationModel(), []
        model.dropped.connect(lambda: dropped.append(True))
        for number in range(1, 103):
            model.handle(Heard(number, 0, f"Question {number}", final=True))
        assert (len(model.exchanges), model.exchanges[0].number, len(dropped)) == (100, 3, 2)
