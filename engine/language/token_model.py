"""Interfaces of models that write tokens: what speculative decoding needs, and what each use needs beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from engine.language.chat_tokenizer import Message, Tools
    from engine.language.continuations import Continuations

USUAL_SENTENCES = 2
"""Earlier finished sentences that a model sees when it translates, if its folder does not say."""

MOST_CONTEXT_TOKENS = 4096  # beyond it even models that take more slow down, and Gemma 2 would need a sliding window


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


@runtime_checkable
class AligningModel(Protocol):
    """A model that may tell which word of the source it translates."""

    def words_ahead(self, cache: Any) -> Sequence[int] | None:
        """Return how many words of the source stand behind the one looked at, for each place written so far.

        None if the model cannot tell.
        """


class TranslationModel(TokenModel, Protocol):
    """A model that translates; see LanguageModel for what is not said here.

    Attributes:
        takes_instructions: it is told in plain words what to do, a glossary included. One that was made to translate is
            not, and its source is prepared for it.
        one_sentence: it was taught to translate one sentence at a time.
        supports_candidates: it reads several beginnings of a translation side by side, for a beam search.
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

    @property
    def supports_candidates(self) -> bool: ...

    def chat(self, messages: Sequence[Message]) -> list[int]:
        """Return the tokens of a conversation, up to the place where the answer begins."""

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a source."""

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of a translation's tokens."""

    def next_logits(self, tokens: Sequence[int], rows: Sequence[int], cache: Any) -> NDArray[np.float32]:
        """Read a token for each of n rows, each behind a row of the cache; return the logits (n, vocabulary).

        Only for a model that supports candidates.
        """


class AnsweringModel(TokenModel, Protocol):
    """A model that answers; see LanguageModel for what is not said here.

    Attributes:
        name: as asked for, or the name of its folder or file.
        context_tokens: longest prompt including its answer.
        context_turns: number of earlier turns that it was taught to see; None if nothing says.
        assistant_instruction: the instruction that it was taught to answer by; None if it is told in plain words.
        recognises: it was taught a set of answers, and comes with a classifier of intents.
        calls_tools: it is told of the tools that it may call.
        supports_tools: its chat template has a place for tools that it may call.
    """

    @property
    def name(self) -> str: ...

    @property
    def context_tokens(self) -> int: ...

    @property
    def context_turns(self) -> int | None: ...

    @property
    def assistant_instruction(self) -> str | None: ...

    @property
    def recognises(self) -> bool: ...

    @property
    def calls_tools(self) -> bool: ...

    @property
    def supports_tools(self) -> bool: ...

    def chat(self, messages: Sequence[Message], tools: Tools | None = None) -> list[int]:
        """Return the tokens of a conversation, up to the place where the answer begins."""

    def after_user(self) -> tuple[int, ...]:
        """Return the tokens that `chat` puts between the user's last words and the answer; none if it puts none."""

    def encode(self, text: str) -> list[int]:
        """Return the tokens of plain text; special tokens in it are read as text."""

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens, without an incomplete character at the end."""

    def last_logits(self, rows: Sequence[Sequence[int]], cache: Any) -> NDArray[np.float32]:
        """Read n rows of tokens, each by itself behind those in the cache, which then holds the first row too.

        Returns the logits (n, vocabulary) of the last token of each row.
        """
