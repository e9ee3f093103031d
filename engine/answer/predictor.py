"""One conversation with the assistant, which prepares its answer during the question (PredGen).

Li and Grover, "PredGen: Accelerated Inference of Large Language Models through Input-Time Speculation for Real-Time
Speech Interaction". For every partial question the last candidate is verified behind the new prompt, and the part that
holds is continued to the end of its first sentence. For the whole question that happens once more, and the reply goes
on to its end. If the first sentence holds, its sound is there already.

The forward that reads the question also tells the probability that the user has finished.

Beyond the paper: while there is time to spare, branches are decoded beside the candidate (engine.answer.branches), and
the question is also answered with its unfinished last word (engine.answer.last_word). Abandoned candidates are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.answer.answers import Answer, AnswerProgress, Guess, empty_answer
from engine.answer.any_predictor import AnyPredictor
from engine.answer.branches import Tokens, accept_first, along_branches, continuation_of, likely_branches, with_other
from engine.answer.candidate import AnswerCandidate, FirstSentence, first_sentence_of, used_tokens
from engine.answer.intents.classifier import starter_classifier
from engine.answer.jacobi import jacobi
from engine.answer.last_word import whole_word
from engine.answer.prompt import DEFAULTS, AnswerPrompt, ChatTurn
from engine.answer.sentences import SentenceSplitter
from engine.answer.verifiers import Verifier, make_verifier
from engine.language.chat_tokenizer import Message
from engine.language.drafts import draft_rest
from engine.language.speculative_decoding import (
    Speculation,
    SpeculationOptions,
    SpeculativeSession,
    Steps,
    common_beginning,
    never_enough,
)
from engine.language.thrift import Thrift
from engine.options import AnswerOptions

if TYPE_CHECKING:
    from engine.clock import Timer
    from engine.language.token_model import AnsweringModel

__all__ = ["Answer", "AnswerProgress", "ChatTurn", "Guess", "Predictor"]

JACOBI_BLOCK = 10
"""Number of tokens that Jacobi decoding corrects at a time."""

SPECULATION_TOKENS = 64
"""Longest candidate, in tokens."""

SPARE_TOKENS = 8
"""Number of tokens that a waiting candidate has behind its first sentence."""

LEAST_QUESTION_ODDS = 2.0  # chosen in LOG 2026-11-30
"""Least difference between the logits of a question mark and any other at which the user's words are a question."""

MakeVerifier = Callable[["AnsweringModel", AnswerOptions], Verifier]


class Predictor(AnyPredictor):
    """Guesses and answers with a model whose logits it reads; see AnyPredictor.

    With the verifier "greedy" or without speculation a reply is the text of plain greedy decoding for the same prompt.
    """

    def __init__(
        self,
        model: AnsweringModel,
        options: AnswerOptions = DEFAULTS,
        *,
        with_tools: bool = False,
        resync: bool = True,
        verifier: MakeVerifier = make_verifier,
        thrift: Thrift | None = None,
    ) -> None:
        """Answer with a model.

        Args:
            with_tools: the model may call tools if it can and does.
            resync: offer the rest of the candidate again after the first difference (engine.language.drafts);
                otherwise it is lost, as published. Jacobi decoding corrects the rest instead.
            verifier: makes the verifier of the options.
            thrift: the guessed tokens that are worth reading; all of them without it.

        Raises ModelError if the model's context is too short for a conversation.
        """
        super().__init__(options)
        self._model = model
        with_tools = with_tools and model.calls_tools and model.assistant_instruction is None
        self._prompt = AnswerPrompt(model, options, with_tools=with_tools)
        self._verifier = verifier(model, options)
        guesser = draft_rest(resync)
        if options.generation == "jacobi":
            guesser = jacobi(JACOBI_BLOCK, model.end_tokens)
        self._keeps_others = options.branches > 0 or options.last_word
        if self._keeps_others:
            guesser = along_branches(lambda: self._candidate.others, guesser)
        spending = SpeculationOptions(resync=resync)
        self._session = SpeculativeSession(model, spending, guesser, thrift)
        self._beside = SpeculativeSession(model, spending)  # reads an answer without changing the other's cache
        self._asides: dict[str, SpeculativeSession] = {}  # by their instructions, whose computation they keep
        self.classifier = starter_classifier() if model.recognises else None
        self.restart()

    @property
    def candidate(self) -> str:
        return self._model.decode(self._candidate.tokens)

    @property
    def forwards(self) -> int:
        return self._candidate.forwards

    @property
    def can_read(self) -> bool:
        return self._model.assistant_instruction is None

    @property
    def writes_aside(self) -> bool:
        return self.can_read

    @property
    def calls_tools(self) -> bool:
        return self._prompt.with_tools

    def restart(self) -> None:
        self.history, self.end_of_turn, self.asks = (), None, None
        self._candidate = AnswerCandidate()
        self._recited = False  # the reply of this turn
        self._accepted: AnswerCandidate | None = None  # candidate of the last turn

    def accept(self, text: str, reply: str) -> None:
        super().accept(text, reply)
        self._accepted, self._candidate = self._candidate, AnswerCandidate()

    def reopen(self) -> None:
        if self._accepted is None:
            return
        self.history = self.history[:-1]
        self._candidate, self._accepted = self._accepted, None

    def guess(self, text: str) -> Generator[None, None, Guess | None]:
        """Guess the answer to the question so far, and make it the candidate; pauses after every forward.

        It stops soon after its first sentence is complete. Returns None without a forward if there is nothing to do: no
        speculation, no words, or none since the last guess. Closing the generator keeps the text so far.
        """
        user, prompt = self._asked(text)
        before = self._candidate
        if not self.options.speculate or not user or (before.whole and before.prompt == prompt):
            return None
        most = min(SPECULATION_TOKENS, self._most_reply(prompt))
        forwards = first = survived = 0
        sentence: str | None = None
        enough = FirstSentence(self._model, SPARE_TOKENS)
        with closing(self._steps(user, prompt, most, enough=enough)) as steps:
            for written, result in steps:
                forwards += 1
                self._candidate = replace(self._candidate, sentence_tokens=enough.tokens)
                ended = result is not None and result.ended == "end"
                sentence = first_sentence_of(self._model.decode(written), ended=ended)
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
        """Guess as `guess` does, for a text whose last word may be cut off: the model completes the word first.

        A single word is taken as it is: there is nothing to expect it by.
        """
        before, _, said = self._prompt.kept(text).rpartition(" ")
        word: str | None = None
        forwards = 0
        if self.options.speculate and before and said.isalnum():
            prompt = self._prompt.tokens(self.own_turns, before)
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
        """Decode alternatives to the newest guess, the likeliest first; pauses after every forward.

        Yields the first sentence of an alternative once it is complete. No forward if there is nothing to do: none are
        wanted, all are decoded, or the guess is not complete. Closing the generator keeps the text so far.
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
            if not continuation_of(self._candidate.others, begun):
                yield from self._make_branch(begun)

    def _make_branch(self, begun: Tokens) -> Generator[str | None, None, None]:
        """Continue an answer that begins otherwise than the candidate, to the end of its first sentence."""
        before = self._candidate
        draft = (*begun, *before.tokens[len(begun) :])
        most = min(SPECULATION_TOKENS, self._most_reply(before.prompt))
        steps = self._session.steps(
            before.prompt, draft, verify=accept_first(len(begun)), max_tokens=most, enough=FirstSentence(self._model)
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
                yield None if result is None else first_sentence_of(self._model.decode(written), ended=ended)

    def answer(self, text: str) -> Generator[AnswerProgress | None, None, Answer]:
        """Answer the question; pauses after every forward with the new part of the reply, if there is any.

        The first sentence comes as soon as it is complete: after one forward if the last candidate holds, after none if
        that was made for these very words. A sentence that is cut off by the most tokens is removed at the end. Closing
        the generator keeps the text so far as candidate. Without words there is no answer, and no forward.
        """
        user, prompt = self._asked(text)
        if not user:
            return empty_answer(text)
        before, splitter = self._candidate, SentenceSplitter()
        shown, sentences, forwards, first = "", [], 0, None
        most, block = self._most_reply(prompt), self._first_block(before)
        if self._answers(prompt):
            self.end_of_turn, self.asks = before.end_of_turn, before.asks
            shown = self._model.decode(before.tokens)
            sentences += splitter.add(shown)
            first = 0 if sentences else None
            yield AnswerProgress(shown, tuple(sentences))
        with closing(self._steps(user, prompt, most, first=block)) as steps:
            for written, result in steps:
                forwards += 1
                whole = self._model.decode(written)
                new = splitter.add(whole)
                if result is not None:
                    cut = result.ended == "limit"
                    new += splitter.finish(cut=cut)
                    whole = splitter.given if cut else whole
                    self._candidate, last = replace(self._candidate, whole=True), result
                sentences += new
                first = forwards if first is None and new else first
                yield AnswerProgress(whole, tuple(new)) if new or whole != shown else None
                shown = whole
        sentence = sentences[0] if sentences else None
        return Answer(
            first_sentence=sentence,
            survived=before.survived,
            forwards_to_first_sentence=forwards if first is None else first,
            sentences=tuple(sentences),
            premade=sentence is not None and sentence == before.first_sentence,
            speculative_forwards=before.forwards,
            wasted_tokens=before.generated - used_tokens(before, last.tokens),
            **self._figures(text, last),
        )

    def first_sentence_likelihood(self) -> float:
        """Return the logarithm of the probability of the newest answer's first sentence."""
        return sum(self.first_sentence_logprobs())

    def first_sentence_logprobs(self) -> tuple[float, ...]:
        """Return the logarithms of the probabilities of its tokens, each behind those before it."""
        return self._candidate.chances[: self._first_tokens]

    def first_sentence_words(self) -> list[tuple[str, float]]:
        found: list[tuple[str, float]] = []
        tokens, before = self._candidate.tokens[: self._first_tokens], ""
        for count, chance in enumerate(self.first_sentence_logprobs(), 1):
            text = self._model.decode(tokens[:count])
            new, before = text[len(before) :], text
            said = any(map(str.isalnum, new))
            if not found or new[:1].isspace():
                found.append((new.strip(), chance if said else 0.0))
            else:
                word, chances = found[-1]
                found[-1] = word + new, chances + (chance if said else 0.0)
        return found

    @property
    def _first_tokens(self) -> int | None:
        """The number of tokens of the newest answer's first sentence; None while that is not complete."""
        whole = FirstSentence(self._model)
        whole(self._candidate.tokens)
        return whole.tokens

    def log_odds_of_yes(self, instruction: str, examples: Sequence[tuple[str, str]], text: str) -> float | None:
        session, prompt = self._beside_by(instruction, examples, text)
        (row,) = session.rows(prompt)
        yes, no = (float(row[self._model.encode(word)[0]]) for word in ("Yes", "No"))
        return yes - no

    def aside(
        self, instruction: str, examples: Sequence[tuple[str, str]], text: str, most_tokens: int, draft: str = ""
    ) -> Generator[None, None, str | None]:
        session, prompt = self._beside_by(instruction, examples, text)
        if len(prompt) + most_tokens > self._model.context_tokens:
            return None
        with closing(_to_end(session.steps(prompt, self._model.encode(draft), max_tokens=most_tokens))) as steps:
            for written, result in steps:
                if result is not None and result.ended == "end":
                    return self._model.decode(written)
                yield
        return None

    def _beside_by(
        self, instruction: str, examples: Sequence[tuple[str, str]], text: str
    ) -> tuple[SpeculativeSession, list[int]]:
        """Return the session that has read an instruction and examples, and their prompt with a text."""
        messages = [Message("system", instruction)]
        for said, answered in examples:
            messages += [Message("user", said), Message("assistant", answered)]
        if instruction not in self._asides:
            self._asides[instruction] = SpeculativeSession(self._model, SpeculationOptions())
        return self._asides[instruction], self._model.chat([*messages, Message("user", text)])

    def read_question(self, text: str) -> None:
        user, prompt = self._asked(text)
        place = self._prompt.end_of_user(prompt) if user else None
        if place is not None:
            (row,) = self._session.rows(prompt[: place + 1])
            self.end_of_turn, self.asks = self._ends(row), self._is_question(row)

    def likelihood_of_end(self, text: str) -> float | None:
        """Return the probability that the user has finished, by an extra forward; None if the model does not tell."""
        user, prompt = self._asked(text)
        place = self._prompt.end_of_user(prompt) if user else None
        return None if place is None else self._ends(self._beside.rows(prompt[: place + 1])[0])

    @property
    def _generated(self) -> int:
        return self._candidate.generated

    def _asked(self, text: str) -> tuple[str, tuple[int, ...]]:
        """Return the part of the question that fits into the prompt, "" if it is empty, and the prompt."""
        user = self._prompt.kept(text)
        return user, tuple(self._prompt.tokens(self.own_turns, user))

    def _most_reply(self, prompt: Sequence[int]) -> int:
        return min(self.options.reply_tokens, self._model.context_tokens - len(prompt))

    def _first_block(self, candidate: AnswerCandidate) -> int | None:
        """Return how much of a candidate is read with the whole question: the first sentence comes earlier that way.

        A judge is asked about all sentences at once.
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
        """Answer a prompt with the candidate as draft; pauses after every forward with the tokens so far.

        The last pause also yields the cost. The tokens are the candidate at every pause.
        """
        before = self._candidate
        draft = before.tokens if self.options.speculate else ()
        verified = len(draft) if self._answers(prompt) else 0
        exact = self.options.verifier == "greedy"
        steps = self._session.steps(
            prompt,
            draft,
            verify=None if exact else lambda logits, tokens: self._verifier.verdict(logits, tokens, user),
            max_tokens=most,
            enough=enough,
            watch=self._prompt.end_of_user(prompt),
            first=first,
            rated=True,
            known=verified,
        )
        self.end_of_turn, self.asks = (before.end_of_turn, before.asks) if verified else (None, None)
        with closing(_to_end(steps)) as written_so_far:
            for forwards, (written, result) in enumerate(written_so_far, 1):
                if self.end_of_turn is None:
                    self.end_of_turn, self.asks = self._seen_end_of_turn()
                self._candidate = replace(before, forwards=before.forwards + forwards)
                if written or result is not None:
                    held = common_beginning(draft, written)
                    known = used_tokens(before, written) if self.options.speculate else 0
                    rated = *before.chances[:verified], *(chance.written for chance in self._session.chances)
                    self._candidate = replace(
                        self._candidate,
                        prompt=prompt,
                        tokens=written,
                        chances=rated[: len(written)],
                        end_of_turn=self.end_of_turn,
                        asks=self.asks,
                        sentence_tokens=None,
                        whole=False,
                        generated=before.generated + len(written) - known,
                        others=self._kept(before) if held < len(draft) else before.others,
                        untried=None,
                    )
                yield written, result

    def _answers(self, prompt: Tokens) -> bool:
        """Return whether the candidate is the beginning of the answer to this very prompt."""
        return self.options.speculate and bool(self._candidate.tokens) and self._candidate.prompt == prompt

    def _kept(self, candidate: AnswerCandidate) -> tuple[Tokens, ...]:
        """Return the other answers including a failed candidate."""
        return with_other(candidate.others, candidate.tokens) if self._keeps_others else ()

    def _seen_end_of_turn(self) -> tuple[float | None, bool | None]:
        """Return the probability that the question ends here, and whether it is one, by the forward that read it."""
        row = self._session.watched
        return (None, None) if row is None else (self._ends(row), self._is_question(row))

    def _is_question(self, row: NDArray[Any]) -> bool | None:
        """Return whether a question mark is far likelier than any other mark, in a row of logits (vocabulary,)."""
        asking = self._prompt.question_marks
        others = set(self._prompt.turn_ends[1:]) - asking
        if not asking or not others:
            return None
        return bool(row[list(asking)].max() - row[list(others)].max() >= LEAST_QUESTION_ODDS)

    def _ends(self, row: NDArray[Any]) -> float | None:
        """Return the probability of the tokens that end a turn in a row of logits (vocabulary,)."""
        if not self._prompt.turn_ends:
            return None
        likelihoods, ends = np.exp(row - row.max()), list(self._prompt.turn_ends)
        return float(likelihoods[ends].sum(dtype=np.float64) / likelihoods.sum(dtype=np.float64))

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


def make_predictor(
    model: AnsweringModel, options: AnswerOptions, timer: Timer, *, with_tools: bool = False
) -> Predictor:
    """Return a predictor for a conversation. Of a published model, for which a block may take long, it spares forwards.

    They are timed by the stopwatch `timer`. Jacobi decoding reads blocks of one length.
    """
    thrift = Thrift(timer) if model.assistant_instruction is None and options.generation != "jacobi" else None
    return Predictor(model, options, with_tools=with_tools, thrift=thrift)


def _to_end(steps: Steps) -> Generator[tuple[Tokens, Speculation | None], None, None]:
    """Yield the tokens after every forward; the last time with the cost."""
    with closing(steps):
        while True:
            try:
                written = next(steps)
            except StopIteration as end:
                yield end.value.tokens, end.value
                return
            yield written, None
