"""Verifiers of the last candidate once the question has grown (PredGen, 3.1).

greedy: accepts the tokens of plain decoding, so that nothing ever changes. top-k: accepts tokens among the likeliest.
biased: accepts tokens that are not much less likely than the best (SSBD, as in translation). reflection: accepts greedy
tokens, and whole sentences that the model itself, asked, finds a fitting answer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Protocol

import numpy as np

from engine.answer.sentences import first_sentence_end
from engine.language.language_model import Message
from engine.language.speculative_decoding import PREFILL_TOKENS, Logits, Verdict, accepted_tokens, common_beginning
from engine.options import AnswerOptions

if TYPE_CHECKING:
    from engine.language.token_model import AnsweringModel

TOP_K_FLOOR = 0.05
"""Least likelihood of a token that "top-k" keeps, as a share of the best token's. 0 is the published rule."""

MOST_SENTENCES = 4
"""Most sentences of a candidate that a judge is asked about."""

QUESTION = (
    "A user is still speaking to an assistant, which has begun to guess its answer. Does the answer fit what the user "
    "has said so far? Say yes or no.\nUser: {user}\nAnswer: {answer}"
)
"""Question to the judge, which has no system message and no earlier turns."""

LEAD = "The answer is"
"""Beginning of the judge's reply: its next word is yes or no."""

LEAST_SAID = 0.05
"""Least probability of yes and no together. A model below it was not taught to judge, and nothing is accepted."""

YES = ("yes", "Yes", " yes", " Yes")
NO = ("no", "No", " no", " No")


def question_about(user: str, answer: str) -> str:
    """Return the question to the judge about an answer to the user's words so far."""
    return QUESTION.format(user=user, answer=answer.strip())


class Verifier(Protocol):
    """Counts how many tokens of a draft hold for the user's words so far."""

    def verdict(self, logits: Logits, draft: Sequence[int], user: str) -> Verdict:
        """Count the tokens that hold; pauses before every forward that it needs (see SpeculativeSession.steps)."""


def make_verifier(model: AnsweringModel, options: AnswerOptions, floor: float = TOP_K_FLOOR) -> Verifier:
    """Make the verifier that the options name; `floor` is the one of "top-k"."""
    if options.verifier == "top-k":
        return ByLogits(lambda logits, draft: top_k_tokens(logits, draft, options.top_k, floor))
    if options.verifier == "biased":
        return ByLogits(lambda logits, draft: accepted_tokens(logits, draft, [options.bias] * len(draft)))
    if options.verifier == "reflection":
        return Reflection(model)
    return ByLogits(accepted_tokens)


class ByLogits:
    """Verifies by the logits of the forward that read the draft alone."""

    def __init__(self, count: Callable[[Logits, Sequence[int]], int]) -> None:
        """Verify by a function that counts the tokens (n,) that hold by logits (n + 1, vocabulary)."""
        self._count = count

    def verdict(self, logits: Logits, draft: Sequence[int], user: str) -> Verdict:
        yield from ()
        return self._count(logits, draft)


def top_k_tokens(logits: Logits, draft: Sequence[int], k: int, floor: float = 0.0) -> int:
    """Count the tokens of a draft (n,) that are among the `k` likeliest by logits (n + 1, vocabulary), from the first.

    A token must also be at least `floor` times as likely as the best. Of equals the first in the vocabulary is the
    likelier, as in plain decoding: with k = 1 the tokens that hold are those that greedy decoding would write.
    """
    for place, token in enumerate(draft):
        row = logits[place]
        rank = int((row > row[token]).sum()) + int((row[:token] == row[token]).sum())
        if rank >= k or np.exp(row[token] - row.max()) < floor:
            return place
    return len(draft)


class Reflection:
    """Asks the model whether the first sentences of a draft fit the user's words, all questions at once.

    A sentence that the logits have accepted already is not asked about, and sentences behind a "no" do not count.
    """

    def __init__(self, model: AnsweringModel) -> None:
        """Judge with the model that answers."""
        self._model = model
        self._reader = _PromptReader(model)
        self._lead = model.encode(LEAD)
        yes, no = _first_tokens(model, YES), _first_tokens(model, NO)
        self._yes, self._no = sorted(yes - no), sorted(no - yes)

    def verdict(self, logits: Logits, draft: Sequence[int], user: str) -> Verdict:
        accepted = accepted_tokens(logits, draft)
        counts = [count for count in sentence_tokens(self._model, draft)[:MOST_SENTENCES] if count > accepted]
        questions: list[list[int]] = []
        for count in counts:
            question = self._question(user, self._model.decode(draft[:count]))
            if question is None:
                break
            questions.append(question)
        rows = yield from self._reader.rows(questions)
        fit = takewhile(lambda pair: self._says_yes(pair[1]), zip(counts, rows, strict=False))
        return max((count for count, _ in fit), default=accepted)

    def _question(self, user: str, answer: str) -> list[int] | None:
        """Return the judge's prompt; None if the context is too short for it or the tokens can't tell yes from no."""
        message = Message("user", question_about(user, answer))
        question = [*self._model.chat([message]), *self._lead]
        return question if self._yes and self._no and len(question) < self._model.context_tokens else None

    def _says_yes(self, row: Logits) -> bool:
        """Return whether all forms of yes together are at least as likely as those of no, by logits (vocabulary,).

        Beyond the paper: no judgement counts if neither is likely.
        """
        likelihoods = np.exp(row.astype(np.float64) - row.max())
        yes, no = float(likelihoods[self._yes].sum()), float(likelihoods[self._no].sum())
        return yes >= no and yes + no >= LEAST_SAID * float(likelihoods.sum())


class _PromptReader:
    """Reads prompts with a common beginning, all of them in one forward.

    The part that they share with the first of those that were read last is not computed again. New tokens of their
    common beginning are computed for each of them: mostly some twenty tokens, for which a forward of its own would cost
    as much. A long beginning, for which more urgent work would have to wait, is read by itself, in blocks.
    """

    def __init__(self, model: AnsweringModel) -> None:
        self._model = model
        self._forget()

    def rows(self, prompts: Sequence[Sequence[int]]) -> Generator[None, None, Sequence[Logits]]:
        """Return the logits (vocabulary,) behind the last token of each; pauses before every forward."""
        if not prompts:
            return ()
        shared = prompts[0][: min(common_beginning(prompts[0][:-1], prompt[:-1]) for prompt in prompts)]
        self._trim(common_beginning(self._tokens, shared))
        while len(shared) - len(self._tokens) >= PREFILL_TOKENS:
            yield
            self._read([shared[len(self._tokens) :][:PREFILL_TOKENS]])
        yield
        return self._read([prompt[len(self._tokens) :] for prompt in prompts])

    def _read(self, rows: Sequence[Sequence[int]]) -> Sequence[Logits]:
        """Read rows behind the tokens read so far; the first row is then part of those."""
        try:
            logits = self._model.last_logits(rows, self._cache)
        except BaseException:  # interrupted, some layers may hold the tokens and others not
            self._forget()
            raise
        self._tokens += rows[0]
        return [*logits]

    def _trim(self, length: int) -> None:
        self._cache.trim_to(length)
        del self._tokens[length:]

    def _forget(self) -> None:
        self._cache = self._model.new_cache()
        self._tokens: list[int] = []


def sentence_tokens(model: AnsweringModel, tokens: Sequence[int], *, ended: bool = False) -> list[int]:
    """Return the number of tokens up to the end of each whole sentence of an answer."""
    text, begin, counts = model.decode(tokens), 0, []
    while (end := first_sentence_end(text[begin:], ended=ended)) is not None:
        begin += end
        counts.append(tokens_covering(model, tokens, begin))
    return counts


def tokens_covering(model: AnsweringModel, tokens: Sequence[int], characters: int) -> int:
    """Return the number of tokens that spell this many characters of an answer."""
    counts = range(len(tokens))
    return bisect_left(counts, characters, key=lambda count: len(model.decode(tokens[:count])))


def _first_tokens(model: AnsweringModel, forms: Sequence[str]) -> set[int]:
    return {model.encode(form)[0] for form in forms}
