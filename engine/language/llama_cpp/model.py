"""A GGUF model that is ready to run: its chat prompt, its logits, and caches that can be trimmed."""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError
from engine.language.chat_tokenizer import ChatTokenizer, Message, Tools
from engine.language.llama_cpp.binding import LlamaCpp, llama_cpp
from engine.language.llama_cpp.file import check_gguf
from engine.language.llama_cpp.vocabulary import GgufVocabulary
from engine.language.token_model import MOST_CONTEXT_TOKENS, USUAL_SENTENCES
from engine.machine.threads import idle_cores
from engine.weights.safetensors import ADVICE

MOST_BLOCK_TOKENS = 512
"""Most tokens that are handed over at once."""

MOST_PARALLEL_TOKENS = 128
"""Most tokens that are computed in parallel. More take memory for as many rows of logits, and are no faster."""

LEAST_CONTEXT_TOKENS = 1024
"""Tokens for which a context has room at first; where they are not enough, it is replaced by one of twice as many."""

Logits = NDArray[np.float32]


class GgufCache:
    """Keys and values of the tokens that a model has read, in a context of llama.cpp's."""

    def __init__(self, model: GgufModel) -> None:
        """Begin empty; memory is allocated when tokens are read, as much as these need."""
        self.length = 0
        self._model = model
        self._context: Any = None
        self._room = 0
        self._free: Callable[[], Any] = lambda: None

    def read(self, tokens: Sequence[int], rows: int) -> Logits:
        """Read tokens behind those that were read; return the logits (rows, vocabulary) of the last ones."""
        self._make_room(self.length + len(tokens))
        made = []
        for begin in range(0, len(tokens), MOST_BLOCK_TOKENS):
            block = tokens[begin : begin + MOST_BLOCK_TOKENS]
            first = max(0, len(tokens) - rows - begin)  # the first row that is wanted
            made.append(self._read_block(block, max(0, len(block) - first)))
        return np.concatenate(made)

    def _make_room(self, tokens: int) -> None:
        """Adopt a context for at least so many tokens, with those that were read."""
        if tokens <= self._room or self._room == self._model.context_tokens:
            return
        library, before = self._model.library, self._context
        room = min(max(LEAST_CONTEXT_TOKENS, 2 * self._room, tokens), self._model.context_tokens)
        context = self._model.new_context(room)
        free = weakref.finalize(self, library.llama_free, context)
        if self.length:
            library.forget_complaints()
            size = library.llama_state_seq_get_size(before, 0)
            state = ctypes.create_string_buffer(size)
            library.llama_state_seq_get_data(before, state, size, 0)
            if not library.llama_state_seq_set_data(context, state, size, 0):
                raise ModelError(f"The model {self._model.name} cannot read on{library.reason}.")
        self._free()
        self._context, self._room, self._free = context, room, free

    def _read_block(self, tokens: Sequence[int], rows: int) -> Logits:
        library, vocabulary = self._model.library, self._model.vocabulary
        batch = library.llama_batch_init(len(tokens), 0, 1)
        try:
            batch.n_tokens = len(tokens)
            for place, token in enumerate(tokens):
                batch.token[place], batch.pos[place] = token, self.length + place
                batch.n_seq_id[place], batch.seq_id[place][0] = 1, 0
                batch.logits[place] = place >= len(tokens) - rows
            library.forget_complaints()
            if library.llama_decode(self._context, batch) != 0:
                raise ModelError(f"The model {self._model.name} cannot read on{library.reason}.")
        finally:
            library.llama_batch_free(batch)
        self.length += len(tokens)
        if not rows:
            return np.empty((0, vocabulary), np.float32)
        return np.ctypeslib.as_array(library.llama_get_logits(self._context), (rows, vocabulary)).copy()

    def trim_to(self, length: int) -> None:
        """Forget all tokens from position `length` on."""
        if not 0 <= length <= self.length:
            raise ValueError(f"A cache of {self.length} tokens cannot be cut to {length}.")
        if length == self.length:
            return
        library = self._model.library
        if not library.llama_memory_seq_rm(library.llama_get_memory(self._context), 0, length, -1):
            raise ModelError(f"The model {self._model.name} cannot take back what it has read.")
        self.length = length


class GgufModel:
    """A loaded file; any thread may run it, one at a time. See LanguageModel, AnsweringModel and TranslationModel for
    its attributes.
    """

    continuations = None
    supports_tools = False
    calls_tools = False  # small models call those that they are told of in place of answers, and a processor reads long
    assistant_instruction = None
    recognises = False
    context_turns = None
    context_sentences = USUAL_SENTENCES
    sources = targets = translation_instruction = None
    takes_instructions = True
    one_sentence = supports_candidates = False

    def __init__(self, name: str, path: Path) -> None:
        """Load a file. Raises ModelError if it is damaged or cannot be used here."""
        check_gguf(path)
        self.name, self.folder = name, path.parent
        self.library: LlamaCpp = llama_cpp()
        library = self.library
        library.forget_complaints()
        self._model = library.llama_model_load_from_file(os.fsencode(path), library.llama_model_default_params())
        if not self._model:
            raise ModelError(f"llama.cpp cannot load {path}{library.reason}. {ADVICE}")
        weakref.finalize(self, library.llama_model_free, self._model)
        self._refuse_untrimmable(path)
        vocabulary = GgufVocabulary(library, self._model)
        template: bytes | None = library.llama_model_chat_template(self._model, None)
        text = (template or b"").decode("utf-8", "replace")
        self._tokenizer = ChatTokenizer(path, vocabulary, text, vocabulary.names)
        self.vocabulary = vocabulary.size
        self.end_tokens = self._tokenizer.end_tokens | vocabulary.ends
        if not self.end_tokens:
            raise ModelError(f"Nothing in {path} says which token ends an answer.")
        self.context_tokens = min(library.llama_model_n_ctx_train(self._model), MOST_CONTEXT_TOKENS)

    def _refuse_untrimmable(self, path: Path) -> None:
        library, model = self.library, self._model
        if library.llama_model_is_recurrent(model) or library.llama_model_is_hybrid(model):
            what = "cannot take back what it has read"
        elif library.llama_model_has_encoder(model):
            what = "reads a whole text before it writes one"
        else:
            return
        raise ModelError(f"{path} holds a model that {what}. Use another, such as Qwen3, Gemma 2, Llama or Mistral.")

    def new_context(self, tokens: int) -> Any:
        """Return a context of llama.cpp's for so many tokens, to be freed by llama_free.

        Raises ModelError if there is no memory.
        """
        library = self.library
        options = library.llama_context_default_params()
        options.n_ctx, options.n_batch = tokens, MOST_BLOCK_TOKENS
        options.n_ubatch = MOST_PARALLEL_TOKENS
        library.forget_complaints()
        context = library.llama_init_from_model(self._model, options)
        if not context:
            raise ModelError(f"There is not enough memory for the model {self.name}{library.reason}.")
        threads = idle_cores()
        library.llama_set_n_threads(context, threads, threads)
        return context

    def chat(self, messages: Sequence[Message], tools: Tools | None = None) -> list[int]:
        """Return the tokens of a conversation, including the assistant's header."""
        return self._tokenizer.chat(messages, tools)

    def after_user(self) -> tuple[int, ...]:
        """Return the tokens that `chat` puts between the user's last words and the answer; none if it puts none."""
        return tuple(self._tokenizer.after_user())

    def encode(self, text: str) -> list[int]:
        """Return the tokens of plain text; special tokens in it are read as text."""
        return self._tokenizer.encode(text)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens, without an incomplete character at the end."""
        return self._tokenizer.decode(tokens)

    def new_cache(self) -> GgufCache:
        """Return an empty cache."""
        return GgufCache(self)

    def logits(self, tokens: Sequence[int], cache: GgufCache, rows: int) -> Logits:
        """Read tokens after those in the cache; return the logits (rows, vocabulary) of the last `rows` tokens."""
        return cache.read(tokens, rows)

    def last_logits(self, rows: Sequence[Sequence[int]], cache: GgufCache) -> Logits:
        """Read n rows of tokens, each behind those in the cache; return the logits (n, vocabulary) of their ends.

        The cache then holds the first row too.
        """
        begin, made = cache.length, []
        for row in reversed(rows):
            cache.trim_to(begin)
            made.append(cache.read(row, 1)[0])
        return np.stack(made[::-1])

    def next_logits(self, tokens: Sequence[int], rows: Sequence[int], cache: GgufCache) -> Logits:
        """Raise ModelError: a cache has one row, so that candidates cannot be read side by side."""
        raise ModelError(f"The model {self.name} translates with one candidate.")
