"""One conversation with the assistant, which answers in its head while it is still being asked (PredGen).

Li and Grover, "PredGen: Accelerated Inference of Large Language Models through Input-Time Speculation for Real-Time
Speech Interaction". The way of a turn: on every partial question the last candidate is verified behind the new prompt
and what holds is gone on with, up to the end of its first sentence; on the whole question that happens once more, and
the reply goes on to its end. If the first sentence holds, its sound is made already.

The forward that reads the question also says how likely it is that the user has finished.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.answer.jacobi import jacobi
from engine.answer.prompt import DEFAULTS, AnswerPrompt, Exchange
from engine.answer.sentences import SentenceSplitter
from engine.answer.verifiers import make_verifier
from engine.options import AnswerOptions
from engine.speculation import (
    Ended,
    Speculation,
    SpeculationOptions,
    SpeculativeSession,
    common_beginning,
    never_enough,
)
from engine.turns import AnswerStats

if TYPE_CHECKING:
    from engine.language_model import LanguageModel

__all__ = ["Answer", "Answered", "Exchange", "Guess", "Predictor"]

SPARE_TOKENS = 8
"""A candidate goes on for so many tokens behind its first sentence, and waits there."""


@dataclass(frozen=True, slots=True)
class Guess:
    """What the assistant would answer if the user stopped here.

    Attributes:
        prompt: what the user has said so far, as it was given.
        text: the answer so far.
        tokens: the same as the model wrote it.
        first_sentence: as it goes to the voice; None while it is not whole.
        survived: in how many guesses before this one it was the same.
        ended: by itself, at the most tokens, or because its first sentence is whole.
        end_of_turn: probability that the user has finished; None where the model does not tell.
        drafted, accepted: tokens of the candidate before that were offered, and kept.
        forwards: of the model, the verifier's counted.
        forwards_to_first_sentence: how many of them it took until the first sentence was whole; all if it is not.
        verify_seconds, decode_seconds: measured computation: over prompt and candidate, and after it.
    """

    prompt: str
    text: str
    tokens: tuple[int, ...] = field(repr=False)
    first_sentence: str | None
    survived: int
    ended: Ended
    end_of_turn: float | None
    drafted: int
    accepted: int
    forwards: int
    forwards_to_first_sentence: int
    verify_seconds: float
    decode_seconds: float

    @property
    def stats(self) -> AnswerStats:
        """What it cost, as it travels."""
        return AnswerStats(
            drafted=self.drafted,
            accepted=self.accepted,
            output=len(self.tokens),
            forwards=self.forwards,
            verify_seconds=self.verify_seconds,
            decode_seconds=self.decode_seconds,
        )


@dataclass(frozen=True, slots=True)
class Answer(Guess):
    """The whole reply.

    Attributes:
        sentences: as they go to the voice.
        premade: its first sentence is that of the last candidate.
        speculative_forwards: of the model, for the candidates before it.
        wasted_tokens: tokens of the candidates that were generated ahead and are not in it.
    """

    sentences: tuple[str, ...]
    premade: bool
    speculative_forwards: int
    wasted_tokens: int


@dataclass(frozen=True, slots=True)
class Answered:
    """What is new of a reply.

    Attributes:
        text: the reply so far.
        sentences: those that have become whole, as they go to the voice.
    """

    text: str
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Candidate:
    """The newest answer of a turn, offered as draft to the next, and what it and those before it cost.

    Attributes:
        prompt: the tokens it was made for.
        tokens: of the answer.
        whole: it was not given up before it was long enough.
        first_sentence, survived: those of the last guess.
        forwards, generated: what was spent on the turn so far; tokens that were taken over are not counted again.
    """

    prompt: tuple[int, ...] = ()
    tokens: tuple[int, ...] = ()
    whole: bool = False
    first_sentence: str | None = None
    survived: int = 0
    forwards: int = 0
    generated: int = 0


class Predictor:
    """Guesses and answers, one at a time; all methods are for one thread.

    With the verifier "greedy" or without speculation a reply is what plain greedy decoding writes for the same prompt.

    Attributes:
        options: as given.
        history: the turns before the present one, oldest first.
        end_of_turn: probability that the user has finished, seen in the newest forward over what was said; None where
            the model does not tell.
    """

    def __init__(self, model: LanguageModel, options: AnswerOptions = DEFAULTS) -> None:
        """Raises ModelError where the model's context is too short for a conversation."""
        self.options = options
        self._model = model
        self._prompt = AnswerPrompt(model, options)
        self._verifier = make_verifier(model, options)
        guesser = jacobi(options.jacobi_block, model.end_tokens) if options.generation == "jacobi" else None
        spending = SpeculationOptions(options.reuse_cache, options.resync)
        self._session = SpeculativeSession(model, spending, guesser)
        self.restart()

    @property
    def candidate(self) -> str:
        """The text of the newest answer of this turn, guessed or given; "" if there is none."""
        return self._model.decode(self._candidate.tokens)

    def restart(self) -> None:
        """Forget the conversation."""
        self.history: tuple[Exchange, ...] = ()
        self.end_of_turn: float | None = None
        self._candidate = _Candidate()
        self._accepted: _Candidate | None = None  # that of the last turn

    def accept(self, text: str, reply: str) -> None:
        """Close the turn: `reply` is what was said of the answer. The next turn begins without a candidate."""
        self.history += (Exchange(text, reply),)
        self._accepted, self._candidate = self._candidate, _Candidate()
        self.end_of_turn = None

    def reopen(self) -> None:
        """Take the last turn back, since the user goes on with it: its answer becomes the candidate again.

        Nothing happens where no turn has been closed since the last time.
        """
        if self._accepted is None:
            return
        self.history = self.history[:-1]
        self._candidate, self._accepted = self._accepted, None

    def guess(self, text: str) -> Generator[None, None, Guess | None]:
        """Make the candidate one for what the user has said so far; pauses after every forward.

        It stops soon after its first sentence is whole. None, and no forward, where there is nothing to be done: no
        speculation, no words, or none since the last guess. Closing the generator keeps what was made by then.
        """
        user, prompt = self._asked(text)
        before = self._candidate
        if not self.options.speculate or not user or (before.whole and before.prompt == prompt):
            return None
        most = min(self.options.speculation_tokens, self._most_reply(prompt))
        forwards = first = survived = 0
        sentence: str | None = None
        with closing(self._steps(user, prompt, most, _FirstSentenceAndMore(self._model))) as steps:
            for written, result in steps:
                forwards += 1
                ended = result is not None and result.ended == "end"
                sentence = _first_sentence(self._model.decode(written), ended=ended)
                first = first or (forwards if sentence else 0)
                if result is not None:
                    survived = before.survived + 1 if sentence and sentence == before.first_sentence else 0
                    made = replace(self._candidate, whole=True, first_sentence=sentence, survived=survived)
                    self._candidate, last = made, result
                yield
        return Guess(
            first_sentence=sentence,
            survived=survived,
            forwards_to_first_sentence=first or forwards,
            **self._figures(text, last),
        )

    def answer(self, text: str) -> Generator[Answered | None, None, Answer]:
        """Answer what the user has said; pauses after every forward with what is new of the reply, if anything is.

        The first sentence comes as soon as it is whole: after one forward, where the last candidate holds. Closing the
        generator keeps what was made by then as candidate. Without words there is no answer, and no forward.
        """
        user, prompt = self._asked(text)
        if not user:
            return _nothing(text)
        before, splitter = self._candidate, SentenceSplitter()
        shown, sentences, forwards, first = "", [], 0, 0
        with closing(self._steps(user, prompt, self._most_reply(prompt), None)) as steps:
            for written, result in steps:
                forwards += 1
                whole = self._model.decode(written)
                new = splitter.add(whole)
                if result is not None:
                    new += splitter.finish()
                    self._candidate, last = replace(self._candidate, whole=True), result
                sentences += new
                first = first or (forwards if new else 0)
                yield Answered(whole, tuple(new)) if new or whole != shown else None
                shown = whole
        sentence = sentences[0] if sentences else None
        return Answer(
            first_sentence=sentence,
            survived=before.survived,
            forwards_to_first_sentence=first or forwards,
            sentences=tuple(sentences),
            premade=sentence is not None and sentence == before.first_sentence,
            speculative_forwards=before.forwards,
            wasted_tokens=before.generated - common_beginning(before.tokens, last.tokens),
            **self._figures(text, last),
        )

    def _asked(self, text: str) -> tuple[str, tuple[int, ...]]:
        """What there is room for of what the user has said, "" if it is nothing, and the prompt for it."""
        user = self._prompt.kept(text)
        return user, tuple(self._prompt.tokens(self.history, user))

    def _most_reply(self, prompt: Sequence[int]) -> int:
        return min(self.options.reply_tokens, self._model.context_tokens - len(prompt))

    def _steps(
        self, user: str, prompt: tuple[int, ...], most: int, enough: Callable[[Sequence[int]], bool] | None
    ) -> Generator[tuple[tuple[int, ...], Speculation | None], None, None]:
        """Answer a prompt with the candidate as draft; pauses after every forward with what is written so far.

        At the last pause it gives what it cost too. What is written is the candidate at every pause.
        """
        before = self._candidate
        draft = before.tokens if self.options.speculate else ()
        steps = self._session.steps(
            prompt,
            draft,
            verify=lambda logits, tokens: self._verifier.verdict(logits, tokens, user),
            max_tokens=most,
            enough=enough or never_enough,
            watch=self._prompt.end_of_user(prompt),
        )
        self.end_of_turn = None
        result: Speculation | None = None
        forwards = 0
        with closing(steps):
            while result is None:
                try:
                    written = next(steps)
                except StopIteration as end:
                    result = end.value
                    written = result.tokens
                forwards += 1
                if self.end_of_turn is None:
                    self.end_of_turn = self._seen_end_of_turn()
                self._candidate = replace(before, forwards=before.forwards + forwards)
                if written or result is not None:
                    generated = before.generated + len(written) - common_beginning(draft, written)
                    self._candidate = replace(
                        self._candidate, prompt=prompt, tokens=written, whole=False, generated=generated
                    )
                yield written, result

    def _seen_end_of_turn(self) -> float | None:
        """Probability that the user's words end where they do, by the forward that has read them."""
        row, ends = self._session.watched, self._prompt.turn_ends
        if row is None or not ends:
            return None
        likelihoods = np.exp(row - row.max())
        return float(likelihoods[list(ends)].sum(dtype=np.float64) / likelihoods.sum(dtype=np.float64))

    def _figures(self, text: str, result: Speculation) -> dict[str, Any]:
        return {
            "prompt": text,
            "text": self._model.decode(result.tokens),
            "tokens": result.tokens,
            "ended": result.ended,
            "end_of_turn": self.end_of_turn,
            "drafted": result.drafted,
            "accepted": result.accepted,
            "forwards": result.forwards,
            "verify_seconds": result.verify_seconds,
            "decode_seconds": result.decode_seconds,
        }


class _FirstSentenceAndMore:
    """Says when an answer is long enough to wait: its first sentence is whole, and some tokens follow."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._whole: int | None = None  # after so many tokens

    def __call__(self, tokens: Sequence[int]) -> bool:
        if self._whole is None and self._holds_sentence(tokens):
            counts = range(len(tokens))  # a draft may have brought many of them at once
            self._whole = bisect_left(counts, True, key=lambda count: self._holds_sentence(tokens[:count]))
        return self._whole is not None and len(tokens) >= self._whole + SPARE_TOKENS

    def _holds_sentence(self, tokens: Sequence[int]) -> bool:
        return _first_sentence(self._model.decode(tokens)) is not None


def _first_sentence(text: str, *, ended: bool = False) -> str | None:
    splitter = SentenceSplitter()
    found = splitter.add(text) + (splitter.finish() if ended else [])
    return found[0] if found else None


def _nothing(text: str) -> Answer:
    """The answer to nothing."""
    return Answer(
        prompt=text,
        text="",
        tokens=(),
        first_sentence=None,
        survived=0,
        ended="end",
        end_of_turn=None,
        drafted=0,
        accepted=0,
        forwards=0,
        forwards_to_first_sentence=0,
        verify_seconds=0.0,
        decode_seconds=0.0,
        sentences=(),
        premade=False,
        speculative_forwards=0,
        wasted_tokens=0,
    )
