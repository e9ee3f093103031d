"""A language model whose answers a test writes: with the tokenizer, the template and the cache of a real one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.language.language import build_language_model
from engine.language.language_model import KeyValueCache, LanguageModel

LIKELIEST, SECOND, THIRD = 8.0, 7.0, 4.0
"""Logits of the token that a reply goes on with, of that of another reply, and of that of an unlikely one."""


LAST_WORDS = "please"
"""Last words of a user's turn."""


class TokenCache(KeyValueCache):
    """Keeps tokens in place of their keys and values."""

    def __init__(self) -> None:
        self.tokens: list[int] = []

    @property
    def length(self) -> int:
        return len(self.tokens)

    def trim_to(self, length: int) -> None:
        assert 0 <= length <= len(self.tokens)
        del self.tokens[length:]


class ScriptedModel(LanguageModel):
    """Answers `reply(user)`; behind a draft that is none of its own it goes on in the same place.

    Attributes:
        forwards: how many blocks of tokens were read.
        judge: what it says to a question that is not the user's but a judge's: probabilities of words.
        questions: of judges, as they were asked.
    """

    def __init__(
        self,
        folder: Path,
        reply: Callable[[str], str],
        second: Callable[[str], str] | None = None,
        third: Callable[[str], str] | None = None,
        judge: Callable[[str], dict[str, float]] | None = None,
    ) -> None:
        self._replies = ()
        super().__init__("scripted", folder, *build_language_model(folder))
        self._replies = tuple(
            (wanted, logit) for wanted, logit in ((third, THIRD), (second, SECOND), (reply, LIKELIEST)) if wanted
        )
        self._judge = judge
        self._user, self._header, self._end = (self._tokenizer.token(f"<|{name}|>") for name in NAMES)
        self.questions: list[str] = []
        self.forwards = 0

    def new_cache(self) -> KeyValueCache:
        return TokenCache() if self._replies else super().new_cache()

    def logits(self, tokens: Sequence[int], cache: KeyValueCache, rows: int) -> NDArray[np.float32]:
        if not isinstance(cache, TokenCache):
            return super().logits(tokens, cache, rows)
        self.forwards += 1
        cache.tokens += tokens
        first = len(cache.tokens) - rows + 1
        return np.stack([self._row(cache.tokens[:end]) for end in range(first, len(cache.tokens) + 1)] or [[]])

    def last_logits(self, rows: Sequence[Sequence[int]], cache: KeyValueCache) -> NDArray[np.float32]:
        if not isinstance(cache, TokenCache):
            return super().last_logits(rows, cache)
        self.forwards += 1
        made = np.stack([self._row([*cache.tokens, *row]) for row in rows])
        cache.tokens += rows[0]
        return made

    def _row(self, read: list[int]) -> NDArray[np.float32]:
        row = np.zeros(320, np.float32)
        begin = len(read) - read[::-1].index(self._user) if self._user in read else len(read)
        spoken = read[begin:]
        if self._header not in spoken:
            row[self._end] = 10.0 if self.decode(spoken).endswith(LAST_WORDS) else -10.0
            return row
        end = spoken.index(self._header)
        user, written = self.decode(spoken[:end]), spoken[end + 1 :]
        if self._judge is not None and self.decode(written).endswith("The answer is"):
            self.questions.append(user)
            for word, probability in self._judge(user).items():
                row[self.encode(word)[0]] = np.log(probability) + 20.0
            return row
        for wanted, logit in self._replies:
            script = self.encode(wanted(user))
            row[script[len(written)] if len(written) < len(script) else self._end] = logit
        return row


NAMES = ("user", "assistant", "end")
