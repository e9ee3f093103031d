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
from typing import TypeVar

from engine.answer.predictor import Answer, Guess, Predictor
from engine.clock import Clock
from engine.speak.ahead import SpeechAhead
from lab.bench.assistant.texts import BenchQuestion, Talk
from lab.bench.tables import mean

Returned = TypeVar("Returned")


@dataclass(frozen=True, slots=True)
class TurnResult:
    """The outcome of one turn. Times are after all of the question was there.

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
        first_sentence: of the reply.
        logprob: mean log-probability of its tokens behind the whole question, as the model has it; None without any.
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
    first_sentence: str | None = None
    logprob: float | None = None

    @property
    def premade(self) -> bool:
        """Return whether all of the first sentence stood its first verification, with its sound ready (NFETFS = 1)."""
        return self.made_ahead and self.forwards_to_sentence <= 1


@dataclass(frozen=True, slots=True)
class TalkResult:
    """The outcome of a conversation, turn by turn."""

    talk: Talk
    turns: tuple[TurnResult, ...]


def converse(
    predictor: Predictor,
    voice: SpeechAhead,
    talk: Talk,
    clock: Callable[[], Clock],
    *,
    speculate: bool,
    branches: bool = False,
    last_word: bool = False,
) -> TalkResult:
    """Ask a conversation's questions one after the other, each when the reply to the one before has been given.

    Args:
        voice: what speaks; it should have made nothing that another method may have made before it.
        clock: makes the clock of a question.
        speculate: whether parts of a question are answered.
        branches, last_word: what else is done when the newest part has been answered and no newer one is there: other
            answers to it are made; it is answered with its last word too, as far as that has been said.
    """
    turns = []
    for question in talk.questions:
        now = clock()
        now.audio_arrived(0.0)
        listener = _Listener(predictor, voice, question, now, branches=branches, last_word=last_word)
        if speculate:
            listener.listen()
        now.wait_until(question.seconds)
        turn = _answer(predictor, voice, question, now)
        turn = replace(turn, logprob=mean(predictor.first_sentence_logprobs()))
        turns.append(replace(turn, guesses=listener.guesses, forwards_ahead=listener.forwards))
        predictor.accept(question.text, turn.reply)
    return TalkResult(talk, tuple(turns))


class _Listener:
    """Answers a question ahead, until it ends.

    Attributes:
        guesses: candidates that were begun.
        forwards: of the model.
    """

    def __init__(
        self,
        predictor: Predictor,
        voice: SpeechAhead,
        question: BenchQuestion,
        clock: Clock,
        *,
        branches: bool,
        last_word: bool,
    ) -> None:
        self.guesses = self.forwards = 0
        self._predictor = predictor
        self._voice = voice
        self._question = question
        self._clock = clock
        self._branches = branches
        self._unfinished = question.unfinished if last_word else ()

    def listen(self) -> None:
        """Guess the answer to the newest part of the question, again whenever there is a newer one."""
        place = -1
        self._use_spare_time(place, 0.0)
        while (due := _next_part(self._question, self._clock.now(), place)) is not None:
            seconds, place = due
            self._clock.wait_until(seconds)
            self._guess(self._predictor.guess(self._question.partials[place][1]), self._question.seconds)
            self._use_spare_time(place, self._question.partials[place][0])

    def _guess(self, guessing: Generator[None, None, Guess | None], end_seconds: float) -> None:
        """Guess until it is done or too late, and speak the first sentence ahead."""
        taken = 0
        with closing(guessing) as steps:
            while self._clock.now() < end_seconds:
                try:
                    _timed(self._clock, partial(next, steps))
                except StopIteration as end:
                    guess: Guess | None = end.value
                    self._speak(guess.first_sentence if guess else None)
                    break
                taken += 1
        self.guesses += taken > 0
        self.forwards += taken

    def _use_spare_time(self, place: int, since_seconds: float) -> None:
        """Do what may be of use beside the guess for a part, or before the first, until there is a newer part."""
        later = self._question.partials[place + 1 :]
        end_seconds = later[0][0] if later else self._question.seconds
        unfinished = [each for each in self._unfinished if each[0] >= since_seconds]
        asked = -1
        branches = self._predictor.branch() if self._branches and place >= 0 else _nothing_else()
        while (now := self._clock.now()) < end_seconds:
            newest = sum(seconds <= now for seconds, _ in unfinished) - 1
            if newest > asked:
                asked = newest
                branches.close()
                self._guess(self._predictor.guess_unfinished(unfinished[newest][1]), end_seconds)
                branches = self._predictor.branch() if self._branches else _nothing_else()
                continue
            try:
                self._speak(_timed(self._clock, partial(next, branches)))
                self.forwards += 1
            except StopIteration:
                self._clock.wait_until(min([end_seconds, *(seconds for seconds, _ in unfinished if seconds > now)]))
        branches.close()

    def _speak(self, sentence: str | None) -> None:
        """Speak a sentence ahead, chunk by chunk, until its beginning is there or the question ends."""
        while sentence and self._clock.now() < self._question.seconds:
            if not _timed(self._clock, partial(self._voice.prepare_more, sentence)):
                return


def _nothing_else() -> Generator[str | None, None, None]:
    yield from ()


def _next_part(question: BenchQuestion, now: float, place: int) -> tuple[float, int] | None:
    """Return when to ask for which part after that at `place`: the newest there is; None where nothing more comes."""
    if now >= question.seconds:
        return None
    newest = sum(seconds <= now for seconds, _ in question.partials) - 1
    if newest > place:
        return now, newest
    return (question.partials[place + 1][0], place + 1) if place + 1 < len(question.partials) else None


def _answer(predictor: Predictor, voice: SpeechAhead, question: BenchQuestion, clock: Clock) -> TurnResult:
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
        first_sentence=answer.first_sentence,
    )


def _first_sound(voice: SpeechAhead, sentence: str, question: BenchQuestion, clock: Clock) -> tuple[float | None, bool]:
    """Make the first sound of a sentence: when it is there, and whether it was made before."""
    made_ahead = voice.started(sentence)
    with closing(voice.speak(sentence)) as utterance:
        chunk = _timed(clock, partial(next, utterance, None))
        while chunk is not None and not len(chunk):  # it is being computed on another thread
            chunk = _timed(clock, partial(next, utterance, None))
    return (None, False) if chunk is None else (clock.now() - question.seconds, made_ahead)


def _timed(clock: Clock, compute: Callable[[], Returned]) -> Returned:
    """Compute something, which passes on the clock whether it ends well or not."""
    started = clock.timer()
    try:
        return compute()
    finally:
        clock.spend_since(started)
