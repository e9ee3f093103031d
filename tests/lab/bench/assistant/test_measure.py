"""The assistant benchmark: what it counts, against turns whose times are known."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace

import numpy as np
import pytest

from engine.answer.predictor import Answer, AnswerProgress, Guess
from engine.audio import Samples
from engine.clock import Clock, SimulatedClock
from engine.options import AnswerOptions
from engine.speak.ahead import SpeechAhead
from lab.bench.assistant.measure import TalkResult, TurnResult, converse
from lab.bench.assistant.methods import (
    BASELINE,
    BRANCHES,
    EARSHOT,
    EARSHOT_TOP,
    GREEDY,
    LAST_WORD,
    QUICK,
    REFLECTION,
    TOP,
    TOP_LAST_WORD,
    USUAL_BRANCHES,
    AnswerMethod,
    ways,
)
from lab.bench.assistant.tables import ALL as COLUMNS
from lab.bench.assistant.tables import DELAYS, WORK, figures, rows, together
from lab.bench.assistant.texts import BenchQuestion, Talk
from lab.bench.tables import records_of, table_of
from lab.bench.translation.metrics import Interval
from tests.hear.planted import FakeTimer

ALL = ways(AnswerOptions())
FORWARD, CHUNK = 1.0, 0.25
QUESTION = BenchQuestion("one two three four", 10.0, ((2.0, "one"), (4.0, "one two"), (6.0, "one two three")))
TALK = Talk("a", (QUESTION,), "It is four. That is all.")
NOTHING = {
    "survived": 0, "ended": "end", "end_of_turn": None, "drafted": 0, "accepted": 0, "verify_seconds": 0.0,
    "decode_seconds": 0.0,
}  # fmt: skip


class Scripted:
    """Guesses take so many forwards of a second each, and so does the first sentence of the answer.

    Attributes:
        asked: the parts that were guessed on, in order; those that were given up before they were done in `given_up`.
        branches: first sentences of the branches beside every guess, each of which takes two forwards.
    """

    def __init__(
        self,
        timer: FakeTimer,
        guess_forwards: int = 1,
        answer_forwards: int = 3,
        say: str = "It is four.",
        branches: tuple[str, ...] = (),
    ) -> None:
        self.branches = branches
        self.asked: list[str] = []
        self.given_up: list[str] = []
        self.accepted: list[tuple[str, str]] = []
        self._timer = timer
        self._guess_forwards = guess_forwards
        self._answer_forwards = answer_forwards
        self._say = say

    def guess(self, text: str) -> Generator[None, None, Guess | None]:
        self.asked.append(text)
        done = False
        try:
            for _ in range(self._guess_forwards):
                self._timer.seconds += FORWARD
                yield
            done = True
        finally:
            if not done:
                self.given_up.append(text)
        forwards = self._guess_forwards
        return Guess(
            prompt=text, text=self._say, tokens=(1, 2), first_sentence=self._say or None, forwards=forwards,
            forwards_to_first_sentence=forwards, **NOTHING,
        )  # fmt: skip

    def answer(self, text: str) -> Generator[AnswerProgress | None, None, Answer]:
        for left in reversed(range(self._answer_forwards)):
            self._timer.seconds += FORWARD
            yield AnswerProgress(self._say, (self._say,) if self._say and not left else ()) if self._say else None
        self._timer.seconds += 5 * FORWARD  # the rest of the reply, which nobody waits for
        yield AnswerProgress(f"{self._say} More.", ("More.",)) if self._say else None
        return Answer(
            prompt=text, text=self._say and f"{self._say} More.", tokens=(1, 2, 3),
            first_sentence=self._say or None, forwards=self._answer_forwards + 1,
            forwards_to_first_sentence=self._answer_forwards, sentences=(), premade=False, speculative_forwards=0,
            wasted_tokens=7, **{**NOTHING, "drafted": 4, "accepted": 3},
        )  # fmt: skip

    def first_sentence_logprobs(self) -> list[float]:
        return [-0.5, -1.5]

    def guess_unfinished(self, text: str) -> Generator[None, None, Guess | None]:
        return self.guess(text)

    def branch(self) -> Generator[str | None, None, None]:
        for sentence in self.branches:
            for said in (None, sentence):
                self._timer.seconds += FORWARD
                yield said

    def accept(self, text: str, reply: str) -> None:
        self.accepted.append((text, reply))


class Beeps:
    """A voice that takes a quarter of a second for every chunk of a sentence; every sentence has three."""

    name = "beeps"
    rate_hz = 16_000
    language = "en"
    words_per_minute = 175
    store_name = None

    def __init__(self, timer: FakeTimer, chunks: int = 3) -> None:
        self._timer = timer
        self._chunks = chunks

    def speak(self, sentence: str) -> Iterator[Samples]:
        return Beep(self._timer, self._chunks)


class Beep:
    def __init__(self, timer: FakeTimer, chunks: int) -> None:
        self._timer = timer
        self._left = chunks

    def __iter__(self) -> Beep:
        return self

    def __next__(self) -> Samples:
        if not self._left:
            raise StopIteration
        self._left -= 1
        self._timer.seconds += CHUNK
        return np.full(16_000, 0.5, np.float32)

    def close(self) -> None:
        self._left = 0


def held(
    scripted: Scripted,
    timer: FakeTimer,
    talk: Talk = TALK,
    *,
    speculate: bool = True,
    chunks: int = 3,
    voice: SpeechAhead | None = None,
    **spare: bool,
) -> TalkResult:
    def clock() -> Clock:
        return SimulatedClock(timer)

    voice = voice or SpeechAhead(Beeps(timer, chunks))
    return converse(scripted, voice, talk, clock, speculate=speculate, **spare)


def turn(**changes: object) -> TurnResult:
    usual = TurnResult("q", "It is four. That is all.", (1, 2, 3), 1.0, 2.0, 4, False, 2, 10, 6, 8, 6)
    return replace(usual, **changes)  # type: ignore[arg-type]


def way(name: str) -> AnswerMethod:
    return next(each for each in ALL if each.name == name)


def test_the_plain_cascade_begins_when_the_question_has_ended() -> None:
    timer = FakeTimer()
    scripted = Scripted(timer, answer_forwards=3)
    (found,) = held(scripted, timer, speculate=False).turns
    assert scripted.asked == []
    assert found.sentence_seconds == pytest.approx(3 * FORWARD)
    assert found.sound_seconds == pytest.approx(3 * FORWARD + CHUNK)
    assert (found.guesses, found.forwards_ahead, found.made_ahead) == (0, 0, False)
    assert found.forwards_to_sentence == 3
    assert found.reply == "It is four. More."
    assert scripted.accepted == [("one two three four", "It is four. More.")]


def test_every_part_of_a_question_is_asked_once_it_is_there() -> None:
    timer = FakeTimer()
    scripted = Scripted(timer, guess_forwards=1, answer_forwards=1)
    (found,) = held(scripted, timer).turns
    assert scripted.asked == ["one", "one two", "one two three"] and scripted.given_up == []
    assert (found.guesses, found.forwards_ahead) == (3, 3)
    assert found.sentence_seconds == pytest.approx(FORWARD)
    assert found.sound_seconds == pytest.approx(FORWARD)  # its sound was there
    assert found.premade and found.made_ahead


def test_of_parts_that_came_meanwhile_only_the_newest_is_asked() -> None:
    timer = FakeTimer()
    scripted = Scripted(timer, guess_forwards=5)  # from 2 to 7, when all parts are there
    held(scripted, timer)
    assert scripted.asked == ["one", "one two three"]


def test_a_guess_is_given_up_at_the_end_and_its_last_forward_is_waited_for() -> None:
    timer = FakeTimer()
    question = replace(QUESTION, seconds=6.5, partials=((2.0, "one"), (4.0, "one two")))
    scripted = Scripted(timer, guess_forwards=9, answer_forwards=2)
    (found,) = held(scripted, timer, Talk("a", (question,))).turns
    assert scripted.asked == scripted.given_up == ["one"]
    assert (found.guesses, found.forwards_ahead) == (1, 5)  # from 2 to 7, half a second after the end
    assert found.sentence_seconds == pytest.approx(0.5 + 2 * FORWARD)
    assert found.sound_seconds == pytest.approx(0.5 + 2 * FORWARD + CHUNK)
    assert not found.made_ahead


def test_sound_that_is_being_made_at_the_end_is_waited_for() -> None:
    timer = FakeTimer()
    question = replace(QUESTION, seconds=3.1, partials=((2.0, "one"),))
    (found,) = held(Scripted(timer, guess_forwards=1, answer_forwards=1), timer, Talk("a", (question,))).turns
    assert found.sentence_seconds == pytest.approx(0.15 + FORWARD)  # the voice began at 3.0 and had to make a chunk
    assert found.sound_seconds == pytest.approx(0.15 + FORWARD)
    assert found.premade


def test_sound_made_ahead_of_another_sentence_is_of_no_use() -> None:
    timer = FakeTimer()
    scripted = Scripted(timer, answer_forwards=1)
    voice = SpeechAhead(Beeps(timer))
    guessing = scripted.guess

    def guess(text: str) -> Generator[None, None, Guess | None]:
        found = yield from guessing(text)
        return replace(found, first_sentence="It is five.") if found else None

    scripted.guess = guess  # type: ignore[method-assign]
    (found,) = converse(scripted, voice, TALK, lambda: SimulatedClock(timer), speculate=True).turns
    assert voice.made("It is five.")
    assert not found.made_ahead and not found.premade
    assert found.sound_seconds == pytest.approx(FORWARD + CHUNK)


def test_branches_are_made_and_spoken_between_the_guess_and_the_next_part() -> None:
    timer = FakeTimer()
    voice = SpeechAhead(Beeps(timer))
    question = replace(QUESTION, partials=((2.0, "one"), (6.5, "one two")))
    scripted = Scripted(timer, answer_forwards=1, branches=("It is five.", "It is six."))
    (found,) = held(scripted, timer, Talk("a", (question,)), voice=voice, branches=True).turns
    assert scripted.asked == ["one", "one two"] and scripted.given_up == []
    # a guess from 2.0, its sound, one branch and its sound, then half of the other, which the next part ends at 6.5;
    # the guess for that from 6.5, and as much again of branches before the question ends at 10.0
    assert voice.made("It is five.") and not voice.made("It is six.")
    assert (found.guesses, found.forwards_ahead) == (2, 2 + 3 + 3)
    assert found.sentence_seconds == pytest.approx(0.5 + FORWARD)  # the last of them was running
    none = held(Scripted(timer, branches=("It is five.",)), timer, Talk("a", (question,))).turns[0]
    assert none.forwards_ahead == 2


def test_the_last_word_is_asked_too_when_the_newest_part_was_and_nothing_newer_is_there() -> None:
    timer = FakeTimer()
    unfinished = (1.0, "o"), (2.5, "one t"), (2.7, "one tw"), (5.5, "one two th"), (8.0, "one two three f")
    talk = Talk("a", (replace(QUESTION, unfinished=unfinished),))
    scripted = Scripted(timer, answer_forwards=1)
    (found,) = held(scripted, timer, talk, last_word=True).turns
    asked = ["o", "one", "one tw", "one two", "one two th", "one two three", "one two three f"]
    assert scripted.asked == asked
    assert (found.guesses, found.forwards_ahead) == (7, 7)
    plain = Scripted(timer, answer_forwards=1)
    held(plain, timer, talk)
    assert plain.asked == ["one", "one two", "one two three"]


def test_a_question_of_one_word_is_asked_while_it_is_said() -> None:
    timer = FakeTimer()
    scripted = Scripted(timer)
    talk = Talk("a", (replace(QUESTION, partials=(), unfinished=((1.0, "S"), (2.5, "St"))),))
    held(scripted, timer, talk, last_word=True)
    assert scripted.asked == ["S", "St"]


def test_a_newer_part_is_asked_in_place_of_an_unfinished_one() -> None:
    timer = FakeTimer()
    scripted = Scripted(timer, guess_forwards=3)
    talk = Talk("a", (replace(QUESTION, partials=((2.0, "one"), (6.0, "one two")), unfinished=((2.5, "one t"),)),))
    held(scripted, timer, talk, last_word=True)
    assert scripted.asked == ["one", "one t", "one two"]
    assert scripted.given_up == ["one t"]


def test_an_answer_of_nothing_has_no_times() -> None:
    timer = FakeTimer()
    (found,) = held(Scripted(timer, say=""), timer).turns
    assert (found.reply, found.sentence_seconds, found.sound_seconds) == ("", None, None)
    (mute,) = held(Scripted(timer), timer, chunks=0).turns
    assert mute.sentence_seconds == pytest.approx(3 * FORWARD) and mute.sound_seconds is None and not mute.made_ahead


def test_turns_of_a_conversation_have_clocks_of_their_own() -> None:
    timer = FakeTimer()
    scripted = Scripted(timer, answer_forwards=2)
    talk = Talk("a", (QUESTION, replace(QUESTION, text="five")))
    found = held(scripted, timer, talk, speculate=False).turns
    assert [each.sentence_seconds for each in found] == pytest.approx([2 * FORWARD] * 2)
    assert [asked for asked, _ in scripted.accepted] == ["one two three four", "five"]


def test_the_ways_differ_from_the_cascade_in_what_their_names_say() -> None:
    assert not way(BASELINE).options.speculate and way(GREEDY).options.speculate
    assert way(TOP).options.top_k == 3
    assert all(each.as_published for each in ALL if each.published)
    assert {each.name for each in ALL if not each.as_published} == {EARSHOT, EARSHOT_TOP}
    assert not any(each.options.branches or each.options.last_word for each in ALL if each.published)
    assert way(BRANCHES).options == replace(way(GREEDY).options, branches=USUAL_BRANCHES)
    for name, plain in ((LAST_WORD, GREEDY), (TOP_LAST_WORD, TOP)):
        assert way(name).options == replace(way(plain).options, last_word=True)
    assert way(EARSHOT).options == AnswerOptions()
    assert way(EARSHOT_TOP).options == AnswerOptions(verifier="top-k")
    assert len({each.name for each in ALL}) == len({each.title for each in ALL}) == len(ALL)
    assert {*QUICK} <= {each.name for each in ALL}


def test_measures_are_means_over_turns() -> None:
    made = turn(sentence_seconds=0.5, sound_seconds=0.5, forwards_to_sentence=1, made_ahead=True, wasted_tokens=0)
    confirmed_late = turn(made_ahead=True)
    silent = turn(reply="", tokens=(), sentence_seconds=None, sound_seconds=None, drafted=0, accepted=0)
    talks = [TalkResult(TALK, (made, confirmed_late)), TalkResult(replace(TALK, reply=None), (turn(), silent))]
    found = together(talks)
    assert (found.turns, found.silent) == (4, 1)
    assert found.sentence and found.sentence.mean == pytest.approx((0.5 + 1 + 1) / 3)
    assert found.sound and found.sound.mean == pytest.approx((0.5 + 2 + 2) / 3)
    assert found.sound.p50 == 2.0
    assert found.forwards_to_sentence == pytest.approx(3)  # 1, 4, 4
    assert (found.premade, found.made_ahead) == (0.25, 0.5)
    assert found.wasted_tokens == pytest.approx(18 / 4)
    assert found.accepted == pytest.approx(18 / 24)
    assert found.identical is None
    assert found.right == 1.0  # of the one conversation whose right answer is known


def test_identical_replies_are_those_with_the_same_tokens() -> None:
    plain = [TalkResult(TALK, (turn(), turn(tokens=(4,))))]
    other = [TalkResult(TALK, (turn(), turn(tokens=(5,))))]
    assert together(other, plain).identical == 0.5


def test_speedup_is_the_ratio_of_mean_delays() -> None:
    plain = [TalkResult(TALK, (turn(sound_seconds=1.0), turn(sound_seconds=3.0)))]
    fast = [TalkResult(TALK, (turn(sound_seconds=0.0), turn(sound_seconds=1.0, reply="It is five. That is all.")))]
    found = rows(ALL, {BASELINE: plain, GREEDY: fast, TOP: fast, EARSHOT: fast})
    assert [row.way.name for row in found] == [BASELINE, GREEDY, TOP, EARSHOT]
    assert [row.speedup for row in found] == pytest.approx([1.0, 4.0, 4.0, 4.0])
    assert found[1].measured.sooner_within == Interval(3.0, 4.0)  # a draw of the first turn alone has no ratio
    assert found[0].measured.sooner_within == Interval(1.0, 1.0)
    assert [row.measured.right for row in found] == [1.0, 0.0, 0.0, 0.0]
    named = figures(found)
    assert named["speedup_greedy"] == named["speedup_topk"] == named["speedup_earshot"] == 4.0
    assert named["speedup_reflection"] is None and named["speedup_earshot_topk"] is None
    assert named["greedy_identical_share"] == 1.0
    assert named["first_sound_seconds_p50"] == 0.5
    assert (named["premade_share"], named["wasted_tokens_per_turn"]) == (0.0, 6.0)
    assert (named["right_share"], named["right_share_baseline"]) == (0.0, 1.0)


def test_figures_without_the_cascade_have_no_speedup() -> None:
    found = rows(ALL, {GREEDY: [TalkResult(TALK, (turn(),))], REFLECTION: []})
    assert [row.way.name for row in found] == [GREEDY]
    assert (found[0].speedup, found[0].measured.identical) == (None, None)
    assert set(figures(found).values()) == {None}


def test_tables_and_records_have_a_line_for_every_way() -> None:
    results = [TalkResult(TALK, (turn(),))]
    found = rows(ALL, {BASELINE: results, GREEDY: results})
    for shown in (table_of(DELAYS, found), table_of(WORK, found)):
        assert [line[:13].strip() for line in shown.splitlines()[2:]] == ["Plain cascade", "PredGen, gree"]
    first, second = records_of(COLUMNS, found)
    assert (first["method"], first["published"], second["method"]) == (BASELINE, True, GREEDY)
    assert second["latency_seconds"] == 2.0 and second["nfetfs"] == 4.0 and second["ttfs_speedup"] == 1.0


def test_quality_is_held_against_the_plain_cascade_and_later_turns_are_counted_apart() -> None:
    usual = TurnResult("q", "It is four.", (1, 2), 1.0, 2.0, 1, True, first_sentence="It is four.", logprob=-1.0)
    other = replace(usual, first_sentence="It is five.", logprob=-3.0, made_ahead=False)
    talk = Talk("a", (QUESTION, QUESTION))
    found = together([TalkResult(talk, (usual, other))], [TalkResult(talk, (usual, usual))])
    assert (found.agreement, found.logprob) == (0.5, -2.0)
    assert found.agreement_within == Interval(0.0, 1.0)
    assert (found.premade, found.premade_later) == (0.5, 0.0)
    assert together([TalkResult(Talk("a", (QUESTION,)), (usual,))]).premade_later is None
