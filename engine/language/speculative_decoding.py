"""Speculative decoding for translation and the assistant: draft, one forward that verifies it, continuation.

Self-speculative biased decoding (SSBD): when the prompt has grown a little, the last answer is the draft of the next
one. All of it is read as one block behind the prompt; the row before each of its tokens tells whether the model would
write that token too. The draft is kept up to the first difference, and decoding goes on there, one token a forward.

A bias prefers the draft: P' = (1 - bias) P + bias * (all on the draft's token). Its token is kept if and only if it
is less probable than the likeliest by no more than bias / (1 - bias). With bias 0 the answer is that of plain greedy
decoding, for every draft; with 0.5 and more the draft stands.

Another rule may verify the draft (`verify`), and another guesser than the draft's rest may offer tokens during decoding
(`guesser`): with the likeliest tokens of the last forward it is Jacobi decoding.

Beyond the paper: keys and values of the unchanged part of the prompt are kept (`reuse_cache`), and after the first
difference the rest of the draft is offered again if the new answer returns to it (`resync`), else the usual
continuations of such answers (`look_ahead`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.language.drafts import Guesser, Guesses, draft_rest
from engine.language.thrift import After, Thrift
from engine.language.token_model import AligningModel, TokenCache, TokenModel

Logits = NDArray[np.float32]
Steps = Generator[tuple[int, ...], None, "Speculation"]
Verdict = Generator[None, None, int]
Verify = Callable[[Logits, Sequence[int]], Verdict]
"""Counts how many tokens of a draft (n,) hold, from the first on, by logits (n + 1, vocabulary), where row i predicts
place i. Pauses before every forward of its own.
"""

Ended = Literal["end", "limit", "enough"]

PREFILL_TOKENS = 512
"""Number of tokens of a prompt that are read as a block: more urgent work need not wait for the whole prompt."""

LEAST_BLOCK_TOKENS = 8
"""Fewest tokens of a block that is to take no longer than a given time."""


def never() -> bool:
    """Return False: this answer is not cancelled."""
    return False


def never_enough(tokens: Sequence[int]) -> bool:
    """Return False: no answer is long enough before it ends."""
    return False


@dataclass(frozen=True, slots=True)
class SpeculationOptions:
    """Rules by which a session spends its forwards; its answers do not depend on them.

    Attributes:
        reuse_cache: keep the computation of the unchanged part of the prompt; off reads it all again.
        resync: offer the rest of the draft again after the first difference.
        look_ahead: offer the usual continuations of the model's answers, if its folder has them.
        block_seconds: about how long a block of the prompt or of the draft takes, behind each of which there is a
            pause. None reads PREFILL_TOKENS of the prompt at once, and all of the draft.
    """

    reuse_cache: bool = True
    resync: bool = True
    look_ahead: bool = False
    block_seconds: float | None = None


class Chance(NamedTuple):
    """The model's opinion of one place of an answer, as natural logarithms of probabilities.

    Attributes:
        written: of what stands there: a token, or the end.
        ended: of the end.
        ahead: number of the source's words behind the one that is translated there; None where the model does not tell.
    """

    written: float
    ended: float
    ahead: int | None = None


Doubtful = Callable[[Sequence[int], Sequence[Chance]], bool]
"""Judge of an answer so far, with the chances of its tokens: whether it need not go on."""


@dataclass(frozen=True, slots=True)
class Speculation:
    """The outcome of one update.

    Attributes:
        tokens: the answer, without its end.
        drafted: tokens of the draft that were offered.
        accepted: how many of those were kept, from the first on.
        forwards: of the model, a block counted as one.
        verify_forwards: how many of them read the prompt and the draft, or were the verifier's own.
        resync_drafted, resync_accepted: tokens that were offered again behind the first difference, and kept.
        reused_tokens: of the prompt and the draft, which were not computed again.
        ended: by an end token, by the limit of tokens, or because it was enough.
        verify_seconds: computation of the forwards that read the prompt and the draft, and of the verifier.
        decode_seconds: of those after them.
        held: places of the draft's tokens that were kept by the bias alone: the model would have written others.
        chances: of every token, and of the end if it ended by an end token; empty unless they were asked for.
    """

    tokens: tuple[int, ...]
    drafted: int = 0
    accepted: int = 0
    forwards: int = 0
    verify_forwards: int = 0
    resync_drafted: int = 0
    resync_accepted: int = 0
    reused_tokens: int = 0
    ended: Ended = "end"
    verify_seconds: float = 0.0
    decode_seconds: float = 0.0
    held: tuple[int, ...] = ()
    chances: tuple[Chance, ...] = ()


@dataclass(frozen=True, slots=True)
class _Request:
    """Arguments of `SpeculativeSession.steps`, checked."""

    prompt: list[int]
    draft: list[int]
    verify: Verify
    max_tokens: int
    enough: Callable[[Sequence[int]], bool]
    watch: int | None
    first: int
    rated: bool
    doubtful: Doubtful | None
    known: int
    thrift: Thrift | None

    def is_doubtful(self, answer: Sequence[int], chances: Sequence[Chance]) -> bool:
        """Return whether an answer need not go on."""
        return self.doubtful is not None and self.doubtful(answer, chances)


@dataclass(frozen=True, slots=True)
class _Verified:
    """A draft that was read behind its prompt.

    Attributes:
        accepted: tokens that hold, from the first on.
        likeliest: the likeliest token of each place, as far as the draft was read, and of the place behind it.
        reused_tokens: of the prompt and the draft, which were not computed again.
    """

    accepted: int
    likeliest: list[int]
    reused_tokens: int


class SpeculativeSession:
    """Answers one growing prompt again and again. One thread at a time may use it.

    At every pause `tokens` is exactly the content of the cache, so that an update may be cancelled at any of them.

    Attributes:
        watched: logits (vocabulary,) behind the watched token of the prompt in the last update; None if there was none,
            or the update has not come so far.
        chances: of the tokens that the last update has so far, without those that were known, if it is rated.
    """

    def __init__(
        self,
        model: TokenModel,
        options: SpeculationOptions = SpeculationOptions(),
        guesser: Guesses | None = None,
        thrift: Thrift | None = None,
    ) -> None:
        """Start with an empty cache of the model's own kind.

        `guesser` replaces `resync`. By `thrift` no more guessed tokens are read than are worth it; a draft whose tokens
        must be the likeliest is a guess, too.
        """
        self.watched: Logits | None = None
        self.chances: list[Chance] = []
        self._model = model
        self._options = options
        self._guesser = guesser or draft_rest(options.resync, model.continuations if options.look_ahead else None)
        self._thrift = thrift
        self._cache: TokenCache = model.new_cache()
        self._tokens: list[int] = []
        self._seconds = 0.0
        self._forwards = 0
        self._block = PREFILL_TOKENS if options.block_seconds is None else LEAST_BLOCK_TOKENS

    @property
    def tokens(self) -> tuple[int, ...]:
        """Return all tokens in the cache."""
        return tuple(self._tokens)

    def reset(self) -> None:
        """Forget all tokens."""
        self._cache = self._model.new_cache()
        self._tokens = []

    def update(
        self,
        prompt: Sequence[int],
        draft: Sequence[int] = (),
        *,
        bias: float | Sequence[float] = 0.0,
        max_tokens: int,
        cancel: Callable[[], bool] = never,
    ) -> Speculation | None:
        """Run `steps` without pauses; return None if `cancel` returned True between two forwards."""
        steps = self.steps(prompt, draft, bias=bias, max_tokens=max_tokens)
        try:
            while not cancel():
                next(steps)
        except StopIteration as end:
            result: Speculation = end.value
            return result
        steps.close()
        return None

    def steps(
        self,
        prompt: Sequence[int],
        draft: Sequence[int] = (),
        *,
        bias: float | Sequence[float] = 0.0,
        verify: Verify | None = None,
        max_tokens: int,
        enough: Callable[[Sequence[int]], bool] = never_enough,
        watch: int | None = None,
        first: int | None = None,
        rated: bool = False,
        doubtful: Doubtful | None = None,
        known: int = 0,
    ) -> Steps:
        """Answer a prompt, pausing between forwards with the tokens of the answer so far.

        prompt: tokens up to and with the header of the answer, at least one.
        draft: a guess of the answer; it is used up to its first token that ends an answer or is unknown to the model,
            and no further than `max_tokens`.
        bias: how much the draft is preferred, 0 to 1: one number, or one for each token of the draft.
        verify: counts the tokens of the draft that hold; None compares with the likeliest tokens and applies the bias.
        max_tokens: of the answer.
        enough: called with the answer so far after every forward; the answer stops when it returns True.
        watch: the place of a token in the prompt; the logits behind it are computed again, by the same forward that
            reads the draft, and are found in `watched`.
        first: number of the draft's tokens that are read with the prompt. If all of them hold, there is a pause, and
            the others are read and verified as a block of their own. None reads all at once. It is for a draft whose
            beginning is useful by itself, and is there sooner if less is read with it.
        rated: compute the chances of the answer's tokens.
        doubtful: called with the answer so far and the chances of its tokens, if it is rated, after every forward; the
            answer stops when it returns True.
        known: number of the draft's tokens that were verified behind this very prompt before. They are not verified
            again, have no chances, and are only read where the cache has lost them. With any of them nothing is
            watched.

        Closing the generator at a pause cancels: the session stays fit for another update. Raises ValueError for an
        empty prompt, a place to watch outside of it, or a number of biases that differs from the draft's tokens.
        """
        biases = _biases(bias, len(draft))
        draft = self._usable(draft, max_tokens)
        if not prompt:
            raise ValueError("A prompt must hold at least one token.")
        if watch is not None and not 0 <= watch < len(prompt):
            raise ValueError(f"There is no token {watch} in a prompt of {len(prompt)}.")
        known = max(0, min(known, len(draft)))
        at_once = len(draft) if self._options.block_seconds is None else known + self._block
        first = min(len(draft), at_once if first is None else max(known, first))
        thrift = self._thrift if verify is None and not any(biases) else None
        verify = verify or _by_bias(biases[known:])
        watch = None if known else watch
        return self._steps(
            _Request(list(prompt), draft, verify, max_tokens, enough, watch, first, rated, doubtful, known, thrift)
        )

    def rows(self, tokens: Sequence[int], count: int = 1) -> Logits:
        """Read tokens in place of earlier ones; return the logits (count, vocabulary) behind the last ones.

        count: at least one, and at most the number of tokens.
        """
        self._rewind(tokens, len(tokens) - count)
        return self._read(list(tokens[len(self._tokens) :]), count)

    def _usable(self, draft: Sequence[int], max_tokens: int) -> list[int]:
        ends, size = self._model.end_tokens, self._model.vocabulary
        usable = list(draft[: max(0, max_tokens)])
        stop = (place for place, token in enumerate(usable) if token in ends or not 0 <= token < size)
        return usable[: next(stop, len(usable))]

    def _steps(self, asked: _Request) -> Steps:
        self._forwards, self._seconds, self.watched, self.chances = 0, 0.0, None, []
        draft = asked.draft
        found = yield from self._verified(asked)
        guesser = self._guesser(asked.prompt, draft[found.accepted :], found.likeliest[found.accepted + 1 :])
        forwards, seconds = self._forwards, self._seconds
        answer, ended = yield from self._written(asked, found, guesser)
        return Speculation(
            tokens=tuple(answer),
            drafted=len(draft),
            accepted=common_beginning(draft, answer) if asked.thrift else found.accepted,
            forwards=self._forwards,
            verify_forwards=forwards,
            resync_drafted=guesser.offered,
            resync_accepted=guesser.kept,
            reused_tokens=found.reused_tokens,
            ended=ended,
            verify_seconds=seconds,
            decode_seconds=self._seconds - seconds,
            held=tuple(place for place in range(found.accepted) if found.likeliest[place] != draft[place]),
            chances=tuple(self.chances[: len(answer) + (ended == "end")]),
        )

    def _verified(self, asked: _Request) -> Generator[tuple[int, ...], None, _Verified]:
        """Read the prompt and the draft, and drop from the cache what does not hold."""
        prompt, draft, known, first = asked.prompt, asked.draft, asked.known, asked.first
        text = prompt + draft[:known]
        begin = len(text) - 1 if asked.watch is None else asked.watch  # the first row that is needed
        reused = self._rewind(text, begin)
        while begin - len(self._tokens) >= self._block:
            self._read(text[len(self._tokens) :][: self._block], 0)
            yield ()
        if asked.thrift:
            first = known + asked.thrift.worth(first - known, "prompt", len(text) - len(self._tokens))
            draft = draft[:first]
        logits = self._read((prompt + draft[:first])[len(self._tokens) :], len(prompt) + first - begin)
        if asked.watch is not None:
            self.watched = logits[0].copy()
        logits, base = logits[len(text) - 1 - begin :], known  # row 0 is that of the place `base`
        accepted = known + (yield from self._judged(asked.verify(logits, draft[known:first]), draft[:known]))
        likeliest = draft[:known] + logits.argmax(axis=1).tolist()
        while accepted == first < len(draft):
            self.chances = self._chances(logits, draft[known:first], known) if asked.rated else []
            yield tuple(draft[:first])
            block = draft[first:] if self._options.block_seconds is None else draft[first : first + self._block]
            rest = np.concatenate([logits[first - base :], self._read(block, len(block))])
            accepted += yield from self._judged(asked.verify(rest, block), draft[:first])
            likeliest[first:] = rest.argmax(axis=1).tolist()
            logits, base = (np.concatenate([logits[: first - base], rest]), base) if asked.rated else (rest, first)
            first += len(block)
        self._trim(len(prompt) + accepted)
        written = [*draft[known:accepted], likeliest[accepted]]
        self.chances = self._chances(logits, written, known) if asked.rated else []
        return _Verified(accepted, likeliest, reused)

    def _written(
        self, asked: _Request, found: _Verified, guesser: Guesser
    ) -> Generator[tuple[int, ...], None, tuple[list[int], Ended]]:
        """Write the answer behind the part of the draft that holds; return it, and why it ends."""
        thrift = asked.thrift
        after: After = "prompt"
        answer = asked.draft[: found.accepted]
        ended = self._append(answer, found.likeliest[found.accepted], asked.max_tokens)
        if thrift:
            right = common_beginning(asked.draft, found.likeliest) - asked.known
            after = thrift.learn(after, right, min(len(asked.draft), len(found.likeliest)) - asked.known)
        while ended is None and not asked.enough(answer) and not asked.is_doubtful(answer, self.chances):
            yield tuple(answer)
            guess = guesser.guess(answer, asked.max_tokens - len(answer) - 1)  # the row behind it gives one more
            read = guess[: thrift.worth(len(guess), after)] if thrift else guess
            logits = self._read([answer[-1], *read], len(read) + 1)
            likeliest = logits.argmax(axis=1).tolist()
            right = common_beginning(guess, likeliest)
            guesser.judge(right, likeliest)
            after = thrift.learn(after, right, min(len(guess), len(likeliest))) if thrift else after
            kept = min(right, len(read))
            if asked.rated:
                self.chances += self._chances(logits, likeliest[: kept + 1], len(answer))
            answer += read[:kept]
            self._trim(len(asked.prompt) + len(answer))
            ended = self._append(answer, likeliest[kept], asked.max_tokens)
        return answer, ended or "enough"

    def _judged(self, verdict: Verdict, written: Sequence[int] = ()) -> Generator[tuple[int, ...], None, int]:
        """Run a verifier, with a pause before every forward of its own."""
        while True:
            started = time.perf_counter()
            try:
                next(verdict)
            except StopIteration as end:
                accepted: int = end.value
                return accepted
            finally:
                self._seconds += time.perf_counter() - started
            yield tuple(written)
            self._forwards += 1

    def _append(self, answer: list[int], token: int, max_tokens: int) -> Literal["end", "limit"] | None:
        """Append the likeliest token, unless the answer ends here."""
        if len(answer) >= max_tokens:
            return "limit"
        if token in self._model.end_tokens:
            return "end"
        answer.append(token)
        return "limit" if len(answer) == max_tokens else None

    def _chances(self, logits: Logits, tokens: Sequence[int], start: int) -> list[Chance]:
        """Return the chances of tokens (n,) by the logits (n or more, vocabulary) of their places from `start` on."""
        rows = logits[: len(tokens)]
        peaks = rows.max(axis=1)
        sums = peaks + np.log(np.exp(rows - peaks[:, None]).sum(axis=1, dtype=np.float64))
        written = rows[np.arange(len(tokens)), list(tokens)] - sums
        ended = rows[:, list(self._model.end_tokens)].max(axis=1, initial=-np.inf) - sums
        told = self._model.words_ahead(self._cache) if isinstance(self._model, AligningModel) else None
        ahead = repeat(None) if told is None else told[start:]
        # Of a draft more may have been read than is rated here.
        return [Chance(float(one), float(end), words) for one, end, words in zip(written, ended, ahead, strict=False)]

    def _rewind(self, prompt: Sequence[int], first: int) -> int:
        """Keep the common beginning of the cache, up to the token `first` at most: its row is computed again."""
        kept = 0
        if self._options.reuse_cache:
            most = min(first, len(self._tokens))
            while kept < most and prompt[kept] == self._tokens[kept]:
                kept += 1
        self._trim(kept)
        return kept

    def _read(self, tokens: list[int], rows: int) -> Logits:
        """Read tokens behind those in the cache; return the logits (rows, vocabulary) of the last of them."""
        timed = self._thrift.timer() if self._thrift else 0.0
        started = time.perf_counter()
        try:
            logits = self._model.logits(tokens, self._cache, rows)
        except BaseException:  # interrupted, some layers may hold the tokens and others not
            self.reset()
            raise
        seconds = time.perf_counter() - started
        if self._thrift:
            self._thrift.note(len(tokens), self._thrift.timer() - timed)
        self._tokens += tokens
        self._forwards += 1
        self._seconds += seconds
        if self._options.block_seconds is not None and len(tokens) >= LEAST_BLOCK_TOKENS:
            fit = self._options.block_seconds * len(tokens) / max(seconds, 1e-6)
            self._block = max(LEAST_BLOCK_TOKENS, min(PREFILL_TOKENS, int(fit)))
        return logits

    def _trim(self, length: int) -> None:
        self._cache.trim_to(length)
        del self._tokens[length:]


def accepted_tokens(logits: Logits, draft: Sequence[int], biases: Sequence[float] = ()) -> int:
    """Count how many tokens of a draft (n,) hold, from the first on, by the logits (n + 1 or more, vocabulary).

    Row i predicts place i. Without a bias only the likeliest token holds, of equal ones the first: the text of plain
    greedy decoding. With one, equals of the likeliest hold too.
    """
    if not draft:
        return 0
    for place, (token, best) in enumerate(zip(draft, logits[: len(draft)].argmax(axis=1).tolist(), strict=True)):
        bias = biases[place] if biases else 0.0
        if token != best and not (bias > 0 and _holds(logits[place], token, best, bias_margin(bias))):
            return place
    return len(draft)


def bias_margin(bias: float) -> float:
    """Return by how much a draft's token may be less probable than the likeliest: bias / (1 - bias), 1 from 0.5 on."""
    return 1.0 if bias >= 0.5 else bias / (1 - bias)


def _holds(row: Logits, token: int, best: int, margin: float) -> bool:
    if margin >= 1:
        return True
    lag = 1 - math.exp(float(row[token]) - float(row[best]))  # times the probability of the best
    return lag <= margin or lag <= margin * float(np.exp(row - row[best]).sum(dtype=np.float64))


def _by_bias(biases: Sequence[float]) -> Verify:
    def verify(logits: Logits, draft: Sequence[int]) -> Verdict:
        yield from ()
        return accepted_tokens(logits, draft, biases)

    return verify


def common_beginning(tokens: Sequence[int], others: Sequence[int]) -> int:
    """Return the number of tokens that both have in common at their beginning."""
    pairs = zip(tokens, others, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(tokens), len(others)))


def _biases(bias: float | Sequence[float], length: int) -> Sequence[float]:
    if isinstance(bias, int | float):
        return [bias] * length
    if len(bias) != length:
        raise ValueError(f"There are {len(bias)} biases for a draft of {length} tokens.")
    return bias
