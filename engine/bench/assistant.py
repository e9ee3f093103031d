"""The assistant's delay measured: each way answers each conversation, while its questions are still being said.

The clock is that of the question: 0 is its beginning, and it goes on by the pace of speech. What the model and the
voice compute is measured and passes on the same clock, so that a candidate which takes long is behind the question,
and a forward that is running when the question ends is waited for. With a clock that waits for true (RealClock) the
same code runs in real time.

Hearing is no part of it, as in the PredGen paper: a question is what is there to be asked at each moment.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar

from engine.answer.predictor import Answer, Answered, Guess
from engine.bench.assistant_texts import Question, Talk
from engine.clock import Clock
from engine.speak.ahead import SpeechAhead

Returned = TypeVar("Returned")


class Answers(Protocol):
    """What the benchmark asks of a conversation: engine.answer.predictor.Predictor does."""

    def guess(self, text: str) -> Generator[None, None, Guess | None]:
        """Guess the answer to a part of a question, pausing after every forward."""
        ...

    def answer(self, text: str) -> Generator[Answered | None, None, Answer]:
        """Answer a question, pausing after every forward with what is new."""
        ...

    def accept(self, text: str, reply: str) -> None:
        """Take a turn into the conversation."""
        ...


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What one turn came to. Times are after all of the question was there.

    Attributes:
        question, reply: the texts.
        tokens: of the reply.
        sentence_seconds: until the first sentence of the reply was whole (TTFS); None where nothing was answered.
        sound_seconds: until its first sound could be played (the paper's audio latency); None where there is none.
        forwards_to_sentence: of the model, from the whole question on, its verification counted (NFETFS).
        made_ahead: the sound began with what was made before the question ended.
        guesses: candidates that were made of parts of the question, one that was cancelled counted too.
        forwards_ahead: of the model, before all of the question was there.
        wasted_tokens: that were written ahead and not used.
        drafted, accepted: tokens of the last candidate that were offered, and kept.
    """

    question: str
    reply: str
    tokens: tuple[int, ...]
    sentence_seconds: float | None
    sound_seconds: float | None
    forwards_to_sentence: int
    made_ahead: bool
    guesses: int = 0
    forwards_ahead: int = 0
    wasted_tokens: int = 0
    drafted: int = 0
    accepted: int = 0

    @property
    def premade(self) -> bool:
        """Whether all of the first sentence stood the first verification, and its sound was there (NFETFS = 1)."""
        return self.made_ahead and self.forwards_to_sentence == 1


@dataclass(frozen=True, slots=True)
class TalkResult:
    """What a conversation came to, turn by turn."""

    talk: Talk
    turns: tuple[TurnResult, ...]


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What was done before all of a question was there."""

    guesses: int = 0
    forwards: int = 0


def converse(
    predictor: Answers,
    voice: SpeechAhead,
    talk: Talk,
    clock: Callable[[], Clock],
    *,
    speculate: bool,
    first_seconds: float = 0.0,
) -> TalkResult:
    """Say a conversation's questions one after the other, each when the reply to the one before has been given.

    voice: what speaks; it should have made nothing that another way may have made before it.
    clock: makes the clock of a question.
    speculate: whether parts of a question are answered.
    first_seconds: and from when on.
    """
    turns = []
    for question in talk.questions:
        now = clock()
        now.audio_arrived(0.0)
        ahead = _listen(predictor, voice, question, now, first_seconds) if speculate else _Ahead()
        now.wait_until(question.seconds)
        turn = _answer(predictor, voice, question, now)
        turns.append(replace(turn, guesses=ahead.guesses, forwards_ahead=ahead.forwards))
        predictor.accept(question.text, turn.reply)
    return TalkResult(talk, tuple(turns))


def _listen(predictor: Answers, voice: SpeechAhead, question: Question, clock: Clock, first_seconds: float) -> _Ahead:
    """Guess the answer to the newest part of a question, again whenever there is a newer one, until it ends."""
    guesses = forwards = 0
    place = -1
    while (due := _next_part(question, max(first_seconds, clock.now()), place)) is not None:
        seconds, place = due
        clock.wait_until(seconds)
        guess, taken = _until(question.seconds, predictor.guess(question.partials[place][1]), clock)
        guesses += taken > 0
        forwards += taken
        if guess and guess.first_sentence and clock.now() < question.seconds:
            _timed(clock, partial(voice.prepare, guess.first_sentence))
    return _Ahead(guesses, forwards)


def _next_part(question: Question, now: float, place: int) -> tuple[float, int] | None:
    """When to ask for which part, once that at `place` was: the newest there is; None where nothing more comes."""
    if now >= question.seconds:
        return None
    newest = sum(seconds <= now for seconds, _ in question.partials) - 1
    if newest > place:
        return now, newest
    return (question.partials[place + 1][0], place + 1) if place + 1 < len(question.partials) else None


def _until(end_seconds: float, steps: Generator[None, None, Guess | None], clock: Clock) -> tuple[Guess | None, int]:
    """Guess until it is done or too late: the guess, if it was done, and how many forwards it took."""
    taken = 0
    with closing(steps):
        while clock.now() < end_seconds:
            try:
                _timed(clock, partial(next, steps))
            except StopIteration as end:
                guess: Guess | None = end.value
                return guess, guess.forwards if guess else 0
            taken += 1
    return None, taken


def _answer(predictor: Answers, voice: SpeechAhead, question: Question, clock: Clock) -> TurnResult:
    """Answer a whole question; its first sentence is spoken as soon as it is whole."""
    steps = predictor.answer(question.text)
    sentence_seconds: float | None = None
    sound: tuple[float | None, bool] = None, False
    while True:
        try:
            new = _timed(clock, partial(next, steps))
        except StopIteration as end:
            answer: Answer = end.value
            break
        if sentence_seconds is None and new is not None and new.sentences:
            sentence_seconds = clock.now() - question.seconds
            sound = _first_sound(voice, new.sentences[0], question, clock)
    if sentence_seconds is None and answer.first_sentence:
        sentence_seconds = clock.now() - question.seconds
        sound = _first_sound(voice, answer.first_sentence, question, clock)
    return TurnResult(
        question=question.text,
        reply=answer.text,
        tokens=tuple(answer.tokens),
        sentence_seconds=sentence_seconds,
        sound_seconds=sound[0],
        forwards_to_sentence=answer.forwards_to_first_sentence or 0,
        made_ahead=sound[1],
        wasted_tokens=answer.wasted_tokens,
        drafted=answer.drafted,
        accepted=answer.accepted,
    )


def _first_sound(voice: SpeechAhead, sentence: str, question: Question, clock: Clock) -> tuple[float | None, bool]:
    """Make the first sound of a sentence: when it is there, and whether it was made before."""
    made_ahead = voice.made(sentence)
    with closing(voice.take(sentence)) as utterance:
        chunk = _timed(clock, partial(next, utterance, None))
    return (None, False) if chunk is None else (clock.now() - question.seconds, made_ahead)


def _timed(clock: Clock, compute: Callable[[], Returned]) -> Returned:
    """Compute something, which passes on the clock whether it ends well or not."""
    started = clock.timer()
    try:
        return compute()
    finally:
        clock.spend_since(started)
