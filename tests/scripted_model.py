"""A language model whose answers are written down, a character a token, so that a test knows what must come."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.hear.planted import FakeTimer

END, SYSTEM, USER, ASSISTANT = range(4)
FIRST_CHARACTER = 4
VOCABULARY = 0x3100
ROLES = {"system": SYSTEM, "user": USER, "assistant": ASSISTANT}


class ScriptedCache:
    """The tokens that were read."""

    def __init__(self) -> None:
        self.tokens: list[int] = []

    def trim_to(self, length: int) -> None:
        del self.tokens[length:]


@dataclass
class ScriptedModel:
    """Stands in for a LanguageModel.

    Attributes:
        reply: what to answer to the user's words.
        complete: how probable it is that they, without a final mark, are a whole turn.
        timer, cost_seconds: each forward takes this long on that stopwatch.
        forwards: how many there were.
        fails_at: the forward that raises an error, if any.
    """

    reply: Callable[[str], str]
    complete: Callable[[str], float] = lambda text: 0.2
    timer: FakeTimer = field(default_factory=FakeTimer)
    cost_seconds: float = 0.0
    fails_at: int | None = None
    forwards: int = 0
    name: str = "scripted"
    context_tokens: int = 100_000
    context_turns: int | None = None
    assistant_instruction: str | None = "Answer."
    recognises: bool = False
    supports_tools: bool = False
    calls_tools: bool = True
    vocabulary: int = VOCABULARY
    end_tokens: frozenset[int] = frozenset((END,))

    def chat(self, messages: Iterable[Any], tools: Any = None) -> list[int]:
        turns = [[ROLES[message.role], *self.encode(message.text), END] for message in messages]
        return [*(token for turn in turns for token in turn), ASSISTANT]

    def after_user(self) -> tuple[int, ...]:
        return (END, ASSISTANT)

    def encode(self, text: str) -> list[int]:
        return [token for token in (ord(character) + FIRST_CHARACTER for character in text) if token < VOCABULARY]

    def decode(self, tokens: Sequence[int]) -> str:
        return "".join(chr(token - FIRST_CHARACTER) for token in tokens if token >= FIRST_CHARACTER)

    def new_cache(self) -> ScriptedCache:
        return ScriptedCache()

    def logits(self, tokens: Sequence[int], cache: ScriptedCache, rows: int) -> np.ndarray:
        self.forwards += 1
        self.timer.seconds += self.cost_seconds
        if self.fails_at is not None and self.forwards >= self.fails_at:
            raise RuntimeError("the script ends here")
        cache.tokens += tokens
        count = len(cache.tokens)
        if not rows:  # of a long prompt all but the end is read alone
            return np.zeros((0, VOCABULARY), np.float32)
        return np.stack([self._row(cache.tokens[: count - behind]) for behind in reversed(range(rows))])

    def _row(self, read: list[int]) -> np.ndarray:
        row = np.zeros(VOCABULARY, np.float32)
        user = len(read) - 1 - read[::-1].index(USER) if USER in read else len(read)
        if ASSISTANT not in read[user:]:
            likely = min(max(self.complete(self.decode(read[user:])), 1e-6), 1 - 1e-6)
            row[END] = math.log(likely / (1 - likely) * (VOCABULARY - 1))
            return row
        begin = user + read[user:].index(ASSISTANT)
        written = self.decode(read[begin + 1 :])
        whole = self.reply(self.decode(read[user:begin]))
        fits = whole.startswith(written) and len(written) < len(whole)
        row[ord(whole[len(written)]) + FIRST_CHARACTER if fits else END] = 30.0
        return row
