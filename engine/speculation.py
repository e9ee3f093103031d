"""Draft, one forward that verifies it, go on from what holds: the session that translation and the assistant share.

Self-speculative biased decoding (SSBD): when the prompt has grown a little, the last answer is the draft of the next
one. All of it is read as one block behind the prompt; the row before each of its tokens says whether the model would
write that token too. What holds up to the first difference is kept, and decoding goes on there, one token a forward.

A bias prefers the draft: P' = (1 - bias) P + bias * (all on the draft's token). Its token is kept if and only if it
is less probable than the likeliest by no more than bias / (1 - bias). With bias 0 the answer is that of plain greedy
decoding, for every draft; with 0.5 and more the draft stands.

Beyond the paper: keys and values of the part of the prompt that has not changed are kept (`reuse_cache`), and after
the first difference the rest of the draft is offered again, where the new answer finds back to it (`resync`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.language_model import KeyValueCache, LanguageModel

Logits = NDArray[np.float32]
Steps = Generator[tuple[int, ...], None, "Speculation"]

FIRST_RESYNC_TOKENS, RESYNC_TOKENS = 4, 8
"""The most tokens of a draft's rest that are offered again at once: at first, and where all of the last ones held."""

NEAR_TOKENS = 4
"""How far on in the rest one token alone is looked for: words such as “the” come again everywhere."""

MOST_MISSES = 2
"""After so many offers of which nothing held, the rest of the draft is given up."""

PREFILL_TOKENS = 512
"""A prompt is read in blocks of so many tokens, so that work of more urgency need not wait for all of it."""


def never() -> bool:
    """Nothing cancels this answer."""
    return False


@dataclass(frozen=True, slots=True)
class SpeculationOptions:
    """How a session spends its forwards; what it answers does not depend on it.

    Attributes:
        reuse_cache: keep what was computed for the part of the prompt that has not changed; off reads it all again.
        resync: offer the rest of the draft again after the first difference.
    """

    reuse_cache: bool = True
    resync: bool = True


@dataclass(frozen=True, slots=True)
class Speculation:
    """What one update gave.

    Attributes:
        tokens: the answer, without its end.
        drafted: tokens of the draft that were offered.
        accepted: how many of those were kept, from the first on.
        forwards: of the model, a block counted as one.
        verify_forwards: how many of them read the prompt and the draft.
        resync_drafted, resync_accepted: tokens of the draft's rest that were offered again, and kept.
        reused_tokens: of the prompt and the draft, which were not computed again.
        ended: by an end token, or because there were as many tokens as were allowed.
        verify_seconds: computation of the forwards that read the prompt and the draft.
        decode_seconds: of those after them.
        held: places of the draft's tokens that were kept by the bias alone: the model would have written others.
    """

    tokens: tuple[int, ...]
    drafted: int = 0
    accepted: int = 0
    forwards: int = 0
    verify_forwards: int = 0
    resync_drafted: int = 0
    resync_accepted: int = 0
    reused_tokens: int = 0
    ended: Literal["end", "limit"] = "end"
    verify_seconds: float = 0.0
    decode_seconds: float = 0.0
    held: tuple[int, ...] = ()


class SpeculativeSession:
    """Answers one growing prompt again and again. One thread at a time may use it.

    `tokens` is exactly what the cache holds, at every pause, so that an update may be given up at any of them.
    """

    def __init__(self, model: LanguageModel, options: SpeculationOptions = SpeculationOptions()) -> None:
        """Start with an empty cache of the model's own kind."""
        self._model = model
        self._options = options
        self._cache: KeyValueCache = model.new_cache()
        self._tokens: list[int] = []
        self._seconds = 0.0
        self._forwards = 0

    @property
    def tokens(self) -> tuple[int, ...]:
        """What has been read and not been taken back: what the cache holds."""
        return tuple(self._tokens)

    def reset(self) -> None:
        """Forget everything that was read."""
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
        """Do as `steps` without pauses; None if `cancel` said so between two forwards."""
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
        max_tokens: int,
    ) -> Steps:
        """Answer a prompt, pausing between forwards with the tokens of the answer so far.

        prompt: tokens up to and with the header of the answer, at least one.
        draft: what the answer may be; it is taken up to its first token that ends an answer or that is none of the
            model's, and no further than `max_tokens`.
        bias: how much the draft is preferred, 0 to 1: one number, or one for each token of the draft.
        max_tokens: of the answer.

        Closing the generator at a pause cancels: the session stays fit for another update. ValueError for an empty
        prompt, or a number of biases that is not the draft's.
        """
        biases = _biases(bias, len(draft))
        draft = self._usable(draft, max_tokens)
        if not prompt:
            raise ValueError("A prompt must hold at least one token.")
        return self._steps(list(prompt), draft, biases, max_tokens)

    def _usable(self, draft: Sequence[int], max_tokens: int) -> list[int]:
        ends, size = self._model.end_tokens, self._model.vocabulary
        usable = list(draft[: max(0, max_tokens)])
        stop = (place for place, token in enumerate(usable) if token in ends or not 0 <= token < size)
        return usable[: next(stop, len(usable))]

    def _steps(self, prompt: list[int], draft: list[int], biases: Sequence[float], max_tokens: int) -> Steps:
        self._forwards, self._seconds = 0, 0.0
        reused = self._rewind(prompt, draft)
        while len(prompt) - len(self._tokens) > PREFILL_TOKENS:
            self._read(prompt[len(self._tokens) :][:PREFILL_TOKENS], 0)
            yield ()
        logits = self._read((prompt + draft)[len(self._tokens) :], len(draft) + 1)
        accepted = accepted_tokens(logits, draft, biases)
        held = tuple(np.flatnonzero(logits[:accepted].argmax(axis=1) != draft[:accepted]).tolist())
        self._trim(len(prompt) + accepted)
        answer = draft[:accepted]
        ended = self._append(answer, logits[accepted], max_tokens)
        rest = DraftRest(draft[accepted:] if self._options.resync else ())
        verify_forwards, verify_seconds = self._forwards, self._seconds
        while ended is None:
            yield tuple(answer)
            guess = rest.guess(answer, max_tokens - len(answer) - 1)  # the row behind it gives one more
            logits = self._read([answer[-1], *guess], len(guess) + 1)
            kept = accepted_tokens(logits, guess)
            rest.judge(kept)
            answer += guess[:kept]
            self._trim(len(prompt) + len(answer))
            ended = self._append(answer, logits[kept], max_tokens)
        return Speculation(
            tokens=tuple(answer),
            drafted=len(draft),
            accepted=accepted,
            forwards=self._forwards,
            verify_forwards=verify_forwards,
            resync_drafted=rest.offered,
            resync_accepted=rest.kept,
            reused_tokens=reused,
            ended=ended,
            verify_seconds=verify_seconds,
            decode_seconds=self._seconds - verify_seconds,
            held=held,
        )

    def _append(self, answer: list[int], row: Logits, max_tokens: int) -> Literal["end", "limit"] | None:
        """Write the likeliest token, unless the answer ends here."""
        if len(answer) >= max_tokens:
            return "limit"
        token = int(row.argmax())
        if token in self._model.end_tokens:
            return "end"
        answer.append(token)
        return "limit" if len(answer) == max_tokens else None

    def _rewind(self, prompt: Sequence[int], draft: Sequence[int]) -> int:
        """Keep of what was read what comes again, but never all of the prompt: its last row is needed anew."""
        kept = 0
        if self._options.reuse_cache:
            most = min(len(prompt) - 1, len(self._tokens))
            while kept < most and prompt[kept] == self._tokens[kept]:
                kept += 1
        self._trim(kept)
        return kept

    def _read(self, tokens: list[int], rows: int) -> Logits:
        """Read tokens behind those in the cache: the logits (rows, vocabulary) of the last of them."""
        started = time.perf_counter()
        try:
            logits = self._model.logits(tokens, self._cache, rows)
        except BaseException:  # interrupted, some layers may hold the tokens and others not
            self.reset()
            raise
        self._tokens += tokens
        self._forwards += 1
        self._seconds += time.perf_counter() - started
        return logits

    def _trim(self, length: int) -> None:
        self._cache.trim_to(length)
        del self._tokens[length:]


class DraftRest:
    """What is left of a draft after the first difference, and where the answer may find back to it.

    A place is looked for where the draft goes on from the last two tokens of the answer, then, near by, from the last
    one. If there is none, each token since the difference may have taken the place of one of the draft's.

    Attributes:
        offered: tokens that were offered again.
        kept: how many of those the model would have written.
    """

    def __init__(self, rest: Sequence[int]) -> None:
        """Begin with the draft from its first token that was not kept."""
        self._rest = list(rest)
        self._next = 0  # nothing before it will come again
        self._replaced = 1  # tokens of the answer since it left the draft there
        self._guessed = range(0)  # places of the last guess
        self._found = False  # whether all of it held
        self._misses = 0
        self.offered = 0
        self.kept = 0

    def guess(self, answer: Sequence[int], room: int) -> list[int]:
        """Give what the answer may go on with, no more than `room` tokens; nothing where there is no telling."""
        self._guessed = range(0)
        if self._misses < MOST_MISSES and self._next < len(self._rest):
            place = self._place_after(answer)
            most = min(room, RESYNC_TOKENS if self._found else FIRST_RESYNC_TOKENS)
            self._guessed = range(place, min(place + most, len(self._rest)))
        self.offered += len(self._guessed)
        return [self._rest[place] for place in self._guessed]

    def judge(self, kept: int) -> None:
        """Note how many of the guessed tokens held; the answer has gone on with one more."""
        self.kept += kept
        self._found = 0 < kept == len(self._guessed)
        if kept:
            self._next = self._guessed[0] + kept
            self._replaced = 1
        else:
            self._misses += len(self._guessed) > 0
            self._replaced += 1

    def _place_after(self, answer: Sequence[int]) -> int:
        """Find the place in the rest behind what the answer ends with."""
        last, before = answer[-1], answer[-2] if len(answer) > 1 else None
        alike = [place for place in range(self._next, len(self._rest)) if self._rest[place] == last]
        for place in alike:
            if place > self._next and self._rest[place - 1] == before:
                return place + 1
        if alike and alike[0] < self._next + NEAR_TOKENS:
            return alike[0] + 1
        return self._next + self._replaced


def accepted_tokens(logits: Logits, draft: Sequence[int], biases: Sequence[float] = ()) -> int:
    """Count how many tokens of a draft (n,) hold, from the first on, by the logits (n + 1 or more, vocabulary).

    Row i says what comes in place i. Without a bias only the likeliest token holds, of equal ones the first: what
    plain greedy decoding writes. With one, equals of the likeliest hold too.
    """
    if not draft:
        return 0
    for place, (token, best) in enumerate(zip(draft, logits[: len(draft)].argmax(axis=1).tolist(), strict=True)):
        bias = biases[place] if biases else 0.0
        if token != best and not (bias > 0 and _holds(logits[place], token, best, bias_margin(bias))):
            return place
    return len(draft)


def bias_margin(bias: float) -> float:
    """How much less probable than the likeliest a draft's token may be: bias / (1 - bias), 1 from 0.5 on."""
    return 1.0 if bias >= 0.5 else bias / (1 - bias)


def _holds(row: Logits, token: int, best: int, margin: float) -> bool:
    if margin >= 1:
        return True
    lag = 1 - math.exp(float(row[token]) - float(row[best]))  # times the probability of the best
    return lag <= margin or lag <= margin * float(np.exp(row - row[best]).sum(dtype=np.float64))


def _biases(bias: float | Sequence[float], length: int) -> Sequence[float]:
    if isinstance(bias, int | float):
        return [bias] * length
    if len(bias) != length:
        raise ValueError(f"There are {len(bias)} biases for a draft of {length} tokens.")
    return bias
