"""Interfaces of models that write tokens: what speculative decoding needs, and what translation needs beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from engine.language.chat_tokenizer import Message
    from engine.language.continuations import Continuations


class TokenCache(Protocol):
    """The computed part of the tokens that a model has read."""

    def trim_to(self, length: int) -> None:
        """Forget all tokens from position `length` on."""


class TokenModel(Protocol):
    """A model that reads tokens and tells how likely each next one is.

    Attributes:
        vocabulary: number of logits of a token.
        end_tokens: any of them ends an answer.
        continuations: usual continuations of its answers; None if it has none.
    """

    @property
    def vocabulary(self) -> int: ...

    @property
    def end_tokens(self) -> frozenset[int]: ...

    @property
    def continuations(self) -> Continuations | None: ...

    def new_cache(self) -> Any:
        """Return an empty cache of its own kind."""

    def logits(self, tokens: Sequence[int], cache: Any, rows: int) -> NDArray[np.float32]:
        """Read tokens after those in the cache; return the logits (rows, vocabulary) of the last `rows` tokens."""


class TranslationModel(TokenModel, Protocol):
    """A model that translates; see LanguageModel for what is not said here.

    Attributes:
        takes_instructions: it is told in plain words what to do, a glossary included. One that was made to translate is
            not, and its source is prepared for it.
        one_sentence: it was taught to translate one sentence at a time.
    """

    @property
    def name(self) -> str: ...

    @property
    def folder(self) -> Path: ...

    @property
    def context_tokens(self) -> int: ...

    @property
    def context_sentences(self) -> int: ...

    @property
    def sources(self) -> tuple[str, ...] | None: ...

    @property
    def targets(self) -> tuple[str, ...] | None: ...

    @property
    def translation_instruction(self) -> str | None: ...

    @property
    def takes_instructions(self) -> bool: ...

    @property
    def one_sentence(self) -> bool: ...

    def chat(self, messages: Sequence[Message]) -> list[int]:
        """Return the tokens of a conversation, up to the place where the answer begins."""

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a source."""

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of a translation's tokens."""

    def next_logits(self, tokens: Sequence[int], rows: Sequence[int], cache: Any) -> NDArray[np.float32]:
        """Read a token for each of n rows, each behind a row of the cache; return the logits (n, vocabulary)."""
