"""One conversation with the assistant, which answers in its head while it is still being asked (PredGen).

Li and Grover, "PredGen: Accelerated Inference of Large Language Models through Input-Time Speculation for Real-Time
Speech Interaction". The way of a turn: on every partial question the last candidate is verified behind the new prompt
and what holds is gone on with, up to the end of its first sentence; on the whole question that happens once more, and
the reply goes on to its end. If the first sentence holds, its sound is made already.

The forward that reads the question also says how likely it is that the user has finished.

Beyond the paper: while there is time to spare, branches are made beside the candidate (engine.answer.branches), and
what has been said is answered with its last word too (engine.answer.last_word). Candidates that were given up are kept.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.answer.answers import Answer, Answered, Guess, nothing
from engine.answer.branches import Tokens, along_branches, going_on, holding, likely_branches, with_other
from engine.answer.jacobi import jacobi
from engine.answer.last_word import whole_word
from engine.answer.prompt import DEFAULTS, AnswerPrompt, Exchange
from engine.answer.sentences import SentenceSplitter
from engine.answer.verifiers import make_verifier
from engine.language.drafts import draft_rest
from engine.language.speculative_decoding import (
    Speculation,
    SpeculationOptions,
    SpeculativeSession,
    Steps,
    common_beginning,
    never_enough,
)
from engine.options import AnswerOptions

if TYPE_CHECKING:
    from engine.language.language_model import LanguageModel

__all__ = ["Answer", "Answered", "Exchange", "Guess", "Predictor"]

SPARE_TOKENS = 8
"""A candidate goes on for so many tokens behind its first sentence, and waits there."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """The newest answer of a turn, offered as draft to the next, and what it and those before it cost.

    Attributes:
        prompt: the tokens it was made for.
        tokens: of the answer.
        sentence_tokens: how many of them its first sentence takes; None while it is not whole.
        whole: it was not given up before it was long enough.
        first_sentence, survived: those of the last guess.
        forwards, generated: what was spent on the turn so far; tokens that were taken over are not counted again.
        others: answers that may take its place, as far as they are made; those that are likelier to come first.
        untried: beginnings of others that are yet to be made, the likeliest first; None: nobody has looked for them.
    """

    prompt: Tokens = ()
    tokens: Tokens = ()
    sentence_tokens: int | None = None
    whole: bool = False
    first_sentence: str | None = None
    survived: int = 0
    forwards: int = 0
    generated: int = 0
    others: tuple[Tokens, ...] = ()
    untried: tuple[Tokens, ...] | None = None


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
        guesser = draft_rest(options.resync)
        if options.generation == "jacobi":
            guesser = jacobi(options.jacobi_block, model.end_tokens)
        self._keeps_others = options.branches > 0 or options.last_word
        if self._keeps_others:
            guesser = along_branches(lambda: self._candidate.others, guesser)
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
        enough = _FirstSentence(self._model, SPARE_TOKENS)
        with closing(self._steps(user, prompt, most, enough=enough)) as steps:
            for written, result in steps:
                forwards += 1
                self._candidate = replace(self._candidate, sentence_tokens=enough.tokens)
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

    def guess_unfinished(self, text: str) -> Generator[None, None, Guess | None]:
        """Do as `guess` for a text whose last word may be cut off: it is taken for what the model expects it to become.

        Without a word before it there is nothing to expect it by, and it is taken as it is.
        """
        before, _, said = self._prompt.kept(text).rpartition(" ")
        word: str | None = None
        forwards = 0
        if self.options.speculate and before and said.isalnum():
            prompt = self._prompt.tokens(self.history, before)
            place = self._prompt.end_of_user(prompt)
            steps = whole_word(self._model, self._session, prompt[: (place or 0) + 1], f" {said}")
            while place is not None:
                try:
                    next(steps)
                except StopIteration as end:
                    word = end.value
                    break
                forwards += 1
                self._candidate = replace(self._candidate, forwards=self._candidate.forwards + 1)
                yield
        guess = yield from self.guess(text if word is None else f"{before}{word}")
        return guess and replace(guess, prompt=text, forwards=guess.forwards + forwards)

    def branch(self) -> Generator[str | None, None, None]:
        """Make other answers to what the newest guess was about, the likeliest first; pauses after every forward.

        At the pause where the first sentence of one is whole it gives that. No forward where there is nothing to be
        done: none are wanted, all are made, or the guess is not. Closing the generator keeps what was made by then.
        """
        candidate = self._candidate
        if not (self.options.speculate and self.options.branches and candidate.whole and candidate.tokens):
            return
        if candidate.untried is None:
            answer = candidate.tokens[: candidate.sentence_tokens]
            rows = self._session.rows((*candidate.prompt, *answer), len(answer) + 1)
            untried = likely_branches(rows, answer, self.options.branches, self._model.end_tokens)
            self._candidate = replace(candidate, forwards=candidate.forwards + 1, untried=untried)
            yield None
        while self._candidate.untried:
            begun, *later = self._candidate.untried
            self._candidate = replace(self._candidate, untried=tuple(later))
            if not going_on(self._candidate.others, begun):
                yield from self._make_branch(begun)

    def _make_branch(self, begun: Tokens) -> Generator[str | None, None, None]:
        """Write an answer on that has begun otherwise than the candidate, to the end of its first sentence."""
        before = self._candidate
        draft = (*begun, *before.tokens[len(begun) :])
        most = min(self.options.speculation_tokens, self._most_reply(before.prompt))
        steps = self._session.steps(
            before.prompt, draft, verify=holding(len(begun)), max_tokens=most, enough=_FirstSentence(self._model)
        )
        with closing(_to_end(steps)) as written_so_far:
            for forwards, (written, result) in enumerate(written_so_far, 1):
                self._candidate = replace(
                    before,
                    forwards=before.forwards + forwards,
                    generated=before.generated + 1 + len(written) - common_beginning(draft, written),
                    others=with_other(before.others, written),
                )
                ended = result is not None and result.ended == "end"
                yield None if result is None else _first_sentence(self._model.decode(written), ended=ended)

    def answer(self, text: str) -> Generator[Answered | None, None, Answer]:
        """Answer what the user has said; pauses after every forward with what is new of the reply, if anything is.

        The first sentence comes as soon as it is whole: after one forward, where the last candidate holds. Closing the
        generator keeps what was made by then as candidate. Without words there is no answer, and no forward.
        """
        user, prompt = self._asked(text)
        if not user:
            return nothing(text)
        before, splitter = self._candidate, SentenceSplitter()
        shown, sentences, forwards, first = "", [], 0, 0
        most, block = self._most_reply(prompt), self._first_block(before)
        with closing(self._steps(user, prompt, most, first=block)) as steps:
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
            wasted_tokens=before.generated - _used(before, last.tokens),
            **self._figures(text, last),
        )

    def recite(self, text: str, sentences: Sequence[str]) -> Generator[Answered | None, None, Answer]:
        """Answer with sentences that stand already, as `answer` does but without a forward."""
        before, whole = self._candidate, " ".join(sentences)
        self.end_of_turn = None
        yield Answered(whole, tuple(sentences))
        return replace(
            nothing(text),
            text=whole,
            first_sentence=sentences[0],
            sentences=tuple(sentences),
            speculative_forwards=before.forwards,
            wasted_tokens=before.generated,
        )

    def _asked(self, text: str) -> tuple[str, tuple[int, ...]]:
        """What there is room for of what the user has said, "" if it is nothing, and the prompt for it."""
        user = self._prompt.kept(text)
        return user, tuple(self._prompt.tokens(self.history, user))

    def _most_reply(self, prompt: Sequence[int]) -> int:
        return min(self.options.reply_tokens, self._model.context_tokens - len(prompt))

    def _first_block(self, candidate: _Candidate) -> int | None:
        """How much of a candidate is read with the whole question: what is spoken first is there the sooner.

        A judge is asked about all of it at once.
        """
        return None if self.options.verifier == "reflection" else candidate.sentence_tokens

    def _steps(
        self,
        user: str,
        prompt: Tokens,
        most: int,
        *,
        enough: Callable[[Sequence[int]], bool] = never_enough,
        first: int | None = None,
    ) -> Generator[tuple[Tokens, Speculation | None], None, None]:
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
            enough=enough,
            watch=self._prompt.end_of_user(prompt),
            first=first,
        )
        self.end_of_turn = None
        with closing(_to_end(steps)) as written_so_far:
            for forwards, (written, result) in enumerate(written_so_far, 1):
                if self.end_of_turn is None:
                    self.end_of_turn = self._seen_end_of_turn()
                self._candidate = replace(before, forwards=before.forwards + forwards)
                if written or result is not None:
                    held = common_beginning(draft, written)
                    known = _used(before, written) if self.options.speculate else 0
                    self._candidate = replace(
                        self._candidate,
                        prompt=prompt,
                        tokens=written,
                        sentence_tokens=None,
                        whole=False,
                        generated=before.generated + len(written) - known,
                        others=self._kept(before) if held < len(draft) else before.others,
                        untried=None,
                    )
                yield written, result

    def _kept(self, candidate: _Candidate) -> tuple[Tokens, ...]:
        """The others with a candidate that has failed."""
        return with_other(candidate.others, candidate.tokens) if self._keeps_others else ()

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


class _FirstSentence:
    """Says when an answer is long enough to wait: its first sentence is whole, and some tokens follow.

    Attributes:
        tokens: how many the first sentence takes; None while it is not whole.
    """

    def __init__(self, model: LanguageModel, spare: int = 0) -> None:
        self.tokens: int | None = None
        self._model = model
        self._spare = spare

    def __call__(self, tokens: Sequence[int]) -> bool:
        if self.tokens is None and self._is_in(tokens):
            counts = range(len(tokens))  # a draft may have brought many of them at once
            self.tokens = bisect_left(counts, True, key=lambda count: self._is_in(tokens[:count]))
        return self.tokens is not None and len(tokens) >= self.tokens + self._spare

    def _is_in(self, tokens: Sequence[int]) -> bool:
        return _first_sentence(self._model.decode(tokens)) is not None


def _to_end(steps: Steps) -> Generator[tuple[Tokens, Speculation | None], None, None]:
    """What is written after every forward, and with the last one what it cost."""
    with closing(steps):
        while True:
            try:
                written = next(steps)
            except StopIteration as end:
                yield end.value.tokens, end.value
                return
            yield written, None


def _used(candidate: _Candidate, written: Sequence[int]) -> int:
    """How many tokens of an answer had been written before, in the one of the turn's answers that has most of them."""
    return max(common_beginning(made, written) for made in (candidate.tokens, *candidate.others))


def _first_sentence(text: str, *, ended: bool = False) -> str | None:
    splitter = SentenceSplitter()
    found = splitter.add(text) + (splitter.finish() if ended else [])
    return found[0] if found else None
