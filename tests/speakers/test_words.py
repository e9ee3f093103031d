from __future__ import annotations

from engine.events import Word
from engine.speakers.turns import SpeakerTurn
from engine.speakers.words import TurnWords


def words(*spans: tuple[float, float]) -> list[Word]:
    return [Word(f" w{number}", *span) for number, span in enumerate(spans)]


def named(turns: list[SpeakerTurn], spoken: list[Word]) -> str:
    return "".join(TurnWords(turns, lambda speaker: "ABC"[speaker])(spoken))


def test_a_word_belongs_to_who_talks_most_during_it() -> None:
    turns = [SpeakerTurn(0.0, 2.0, 0), SpeakerTurn(1.6, 4.0, 1)]
    assert named(turns, words((0.2, 0.6), (0.7, 1.1), (1.2, 1.9), (1.9, 2.6), (2.7, 3.5))) == "AAABB"


def test_a_word_in_nobodys_turn_belongs_to_the_nearest() -> None:
    turns = [SpeakerTurn(1.0, 2.0, 0), SpeakerTurn(5.0, 6.0, 1)]
    assert named(turns, words((0.1, 0.4), (2.2, 2.5), (4.5, 4.9), (9.0, 9.4))) == "AABB"


def test_a_long_turn_is_found_behind_many_short_ones() -> None:
    turns = [SpeakerTurn(0.0, 60.0, 0), *[SpeakerTurn(0.2 + at, 0.3 + at, 1) for at in range(1, 50)]]
    assert named(turns, words((50.5, 51.0))) == "A"


def test_a_very_short_change_is_an_error_of_the_turns() -> None:
    turns = [SpeakerTurn(0.0, 1.0, 0), SpeakerTurn(1.0, 1.2, 1), SpeakerTurn(1.2, 3.0, 0)]
    assert named(turns, words((0.5, 0.95), (1.0, 1.2), (1.25, 1.8))) == "AAA"


def test_a_short_answer_between_pauses_stays() -> None:
    turns = [SpeakerTurn(0.0, 1.0, 0), SpeakerTurn(1.3, 1.5, 1), SpeakerTurn(1.8, 3.0, 0)]
    assert named(turns, words((0.5, 0.95), (1.3, 1.5), (1.8, 2.4))) == "ABA"


def test_a_change_moves_to_the_pause_beside_it() -> None:
    turns = [SpeakerTurn(0.0, 1.0, 0), SpeakerTurn(1.0, 3.0, 1)]
    spoken = words((0.1, 0.5), (0.5, 0.9), (1.02, 1.3), (1.7, 2.1), (2.1, 2.6))  # the pause is one word later
    assert named(turns, spoken) == "AAABB"
    assert named(turns, words((0.1, 0.5), (0.5, 0.9), (1.0, 1.4), (1.4, 2.1), (2.1, 2.6))) == "AABBB"


def test_without_turns_nobody_has_a_name() -> None:
    assert TurnWords([], str)(words((0.0, 1.0), (1.0, 2.0))) == ["", ""]
    assert TurnWords([SpeakerTurn(0.0, 1.0, 0)], str)([]) == []
