"""A translation model of Marian's kind, with the interface of a language model.

A prompt is the source, its end, and a mark behind which the translation is written. A cache holds the tokens of both:
while the source stays the same, it is encoded once; a source that has grown is encoded again, and its translation is
verified behind it like any draft.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.language.chat_tokenizer import Message
from engine.language.marian.folder import is_aligned, languages_of
from engine.language.marian.kernels import Kernels, kernels
from engine.language.marian.network import DecoderState, Network
from engine.language.marian.spelling import Spelling
from engine.language.marian.stored import open_stored
from engine.machine import backend
from engine.machine.device_turn import DeviceTurn

CONTEXT_TOKENS = 512
"""Most tokens of a source and its translation together: these models were taught sentences."""


class SourceCache:
    """The tokens that were read of a source and its translation, and what was computed of them."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.source: tuple[int, ...] = ()  # what `state` belongs to
        self.state: DecoderState | None = None

    @property
    def batch(self) -> int:
        """Return the number of rows that continue it."""
        kept = self.state.kept if self.state is not None else []
        return int(kept[0][0].shape[0]) if kept else 0

    def trim_to(self, length: int) -> None:
        """Forget all tokens from position `length` on; what the source encoded to stays until another one is read."""
        if not 0 <= length <= len(self.tokens):
            raise ValueError(f"A cache of {len(self.tokens)} tokens cannot be cut to {length}.")
        del self.tokens[length:]
        if self.state is not None:
            self.state.trim_to(max(0, length - len(self.source)))


class MarianModel:
    """A loaded translation model; see LanguageModel for what is not said here. Any one thread at a time may run it.

    Attributes:
        mark: token, of no vocabulary, behind which a translation is written.
    """

    continuations = None
    context_tokens = CONTEXT_TOKENS
    context_sentences = 0
    translation_instruction = None
    takes_instructions = False
    one_sentence = True
    supports_candidates = True

    def __init__(self, name: str, folder: Path, computing: Kernels | None = None) -> None:
        """Load a folder. Raises ModelError if it is damaged or incomplete."""
        self.name, self.folder = name, folder
        stored = open_stored(folder)
        self._shape = stored.shape
        self._spelling = Spelling(folder, stored.shape)
        self._takes_turns = backend.on_gpu()
        self._network = Network(stored, computing or kernels())
        self.vocabulary = stored.shape.target_tokens
        self.end_tokens = frozenset((stored.shape.end,))
        self.mark = max(stored.shape.source_tokens, stored.shape.target_tokens)
        self._is_aligned = is_aligned(folder)
        pair = languages_of(folder)
        self.sources: tuple[str, ...] | None = pair[:1] if pair else None
        self.targets: tuple[str, ...] | None = pair[1:] if pair else None

    def chat(self, messages: Sequence[Message]) -> list[int]:
        """Return the prompt for the last message: such a model reads neither instructions nor earlier sentences."""
        return [*self.encode(messages[-1].text), self._shape.end, self.mark]

    def encode(self, text: str) -> list[int]:
        return self._spelling.encode(text)

    def decode(self, tokens: Sequence[int]) -> str:
        return self._spelling.decode(tokens)

    def new_cache(self) -> SourceCache:
        return SourceCache()

    def logits(self, tokens: Sequence[int], cache: SourceCache, rows: int) -> NDArray[np.float32]:
        """Read tokens after those in the cache; return the logits (rows, vocabulary) of the last `rows` tokens.

        Only tokens from the mark on have logits. Raises ValueError if others are asked for.
        """
        whole = [*cache.tokens, *tokens]
        if self.mark not in whole:
            if rows:
                raise ValueError("A source has no logits before it has ended.")
            cache.tokens = whole
            return np.zeros((0, self.vocabulary), np.float32)
        start = whole.index(self.mark)
        if rows > len(whole) - start:
            raise ValueError(f"{rows} logits of {len(whole) - start} tokens were asked for.")
        with self._turn():
            source = tuple(whole[:start])
            if cache.state is None or cache.source != source:
                cache.source, cache.state = source, self._network.encoded(source)
            outputs = self._network.read(self._inputs([whole[start + cache.state.read :]]), cache.state)[0]
            cache.tokens = whole
            return self._network.logits(outputs[outputs.shape[0] - rows :])

    def next_logits(self, tokens: Sequence[int], rows: Sequence[int], cache: SourceCache) -> NDArray[np.float32]:
        """Read a token for each of n rows, each behind a row of the cache; return the logits (n, vocabulary)."""
        assert cache.state is not None, "a source is read first"
        with self._turn():
            if list(rows) != list(range(cache.batch)):
                cache.state = self._network.chosen(rows, cache.state)
            outputs = self._network.read(self._inputs([[token] for token in tokens]), cache.state)
            return self._network.logits(outputs[:, 0])

    def words_ahead(self, cache: SourceCache) -> list[int] | None:
        """Return how many words of the source stand behind the one looked at, for each place written so far; None of
        a model that was not taught where to look.
        """
        if not self._is_aligned:
            return None
        if cache.state is None or not cache.state.kept:
            return []
        starts = self._spelling.word_starts(cache.source[:-1])
        with self._turn():
            looks = self._network.attention(cache.state)[0, :, : len(cache.source) - 1]
        words = np.add.reduceat(looks, starts, axis=1).argmax(axis=1)
        return [len(starts) - 1 - int(word) for word in words]

    def _inputs(self, rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        tokens = np.array(rows, np.int64)
        tokens[tokens == self.mark] = self._shape.start
        return tokens

    def _turn(self) -> AbstractContextManager[None]:
        """Run operations on the model's own device if hearing uses a GPU and a CPU at once."""
        return DeviceTurn() if self._takes_turns else nullcontext()
