"""A language model that is ready to run: its chat prompt, its logits, and a cache that can be trimmed.

Any model of mlx-lm's fits if each of its layers keeps keys and values of everything it has read: then a draft can be
read as one block and its wrong tokens forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError
from engine.language.chat_tokenizer import MOST_CHARACTERS, Message, Tools
from engine.language.continuations import load_continuations
from engine.language.language import build_language_model, new_caches
from engine.language.marian.folder import is_translation_folder
from engine.language.token_model import MOST_CONTEXT_TOKENS, USUAL_SENTENCES
from engine.language.tokenizer_folder import tokenizer_of
from engine.machine import backend
from engine.machine.device_turn import DeviceTurn, evaluate
from engine.models.catalogue import find_model
from engine.weights.model_folder import read_json
from engine.weights.storage import gguf_in

__all__ = ["KeyValueCache", "LanguageModel", "Message", "load_language_model"]

_PROBE_TOLERANCE = 1e-3
Head = Callable[[mx.array], mx.array]


class KeyValueCache:
    """Keys and values of the tokens that a model has read, for every layer."""

    def __init__(self, layers: list[Any]) -> None:
        """Use mlx-lm's cache of every layer, all of them alike and empty."""
        self.layers = layers

    @property
    def length(self) -> int:
        """Return the number of tokens in it."""
        return int(self.layers[0].offset)

    @property
    def batch(self) -> int:
        """Return the number of rows in it; 0 if it is empty."""
        keys = self.layers[0].keys
        return 0 if keys is None else int(keys.shape[0])

    def trim_to(self, length: int) -> None:
        """Forget all tokens from position `length` on."""
        surplus = self.length - length
        if surplus < 0 or length < 0:
            raise ValueError(f"A cache of {self.length} tokens cannot be cut to {length}.")
        for layer in self.layers:
            layer.trim(surplus)
        assert all(layer.offset == length for layer in self.layers), "a layer kept what it was to forget"

    def branched(self, count: int) -> KeyValueCache:
        """Return a cache for a batch of `count` rows that all continue this one, which stays as it is."""
        layers: list[Any] = []
        for layer in self.layers:
            branch = type(layer)()
            if layer.offset:  # an empty one takes the shape of the first batch
                held = (layer.keys[..., : layer.offset, :], layer.values[..., : layer.offset, :])
                branch.keys, branch.values = (mx.broadcast_to(array, (count, *array.shape[1:])) for array in held)
                branch.offset = layer.offset
            layers.append(branch)
        return KeyValueCache(layers)

    def chosen(self, rows: Sequence[int]) -> KeyValueCache:
        """Return a cache for a batch whose rows continue these rows of this one, in this order."""
        layers: list[Any] = []
        for held in self.layers:
            layer = type(held)()
            layer.keys, layer.values = (array[mx.array(list(rows))] for array in (held.keys, held.values))
            layer.offset = held.offset
            layers.append(layer)
        return KeyValueCache(layers)

    def row(self, number: int, length: int) -> KeyValueCache:
        """Return a cache with the first `length` tokens of one row of this batch."""
        layers: list[Any] = []
        for branch in self.layers:
            layer = type(branch)()
            layer.keys, layer.values = (array[number : number + 1] for array in (branch.keys, branch.values))
            layer.offset = length
            layers.append(layer)
        return KeyValueCache(layers)

    def arrays(self) -> list[mx.array]:
        """Return all its arrays, to be evaluated."""
        return [array for layer in self.layers if layer.keys is not None for array in (layer.keys, layer.values)]


class LanguageModel:
    """A loaded model; everything is evaluated, so that any thread may run it, one at a time.

    Attributes:
        name: as asked for, or the folder's name.
        vocabulary: number of logits of a token.
        end_tokens: any of them ends an answer.
        context_tokens: longest prompt including its answer.
        sources, targets: codes of the languages that it can translate from and into; None if its folder does not say.
        context_sentences: number of earlier finished sentences that help it to translate.
        translation_instruction: the instruction that it was taught to translate by, with `{target}` for the language;
            None for a model that is asked in plain words.
        assistant_instruction: the instruction that it was taught to answer by; None for one that is told in plain
            words.
        takes_instructions: it is told in plain words what to do.
        one_sentence: it must be given one sentence at a time, which none of these must.
        supports_candidates: it reads several beginnings of an answer side by side.
        calls_tools: it is told of the tools that it may call.
        supports_tools: its chat template has a place for tools that it may call.
        recognises: it was taught a set of answers, and comes with a classifier of intents.
        continuations: usual continuations of its answers; None if its folder has none.
        context_turns: number of earlier turns that it was taught to see; None if its folder does not say.
    """

    one_sentence = False
    supports_candidates = True
    calls_tools = True

    def __init__(self, name: str, folder: Path, model: nn.Module, config: dict[str, Any]) -> None:
        """Use a built model and its config.json. Raises ModelError if the rest of the folder is damaged."""
        self.name = name
        self.folder = folder
        self._model = model
        self._takes_turns = backend.on_gpu()
        self._tokenizer = tokenizer_of(folder)
        self.supports_tools = self._tokenizer.supports_tools()
        self._head = head_of(model)
        try:
            self.vocabulary = int(self.logits([0], self.new_cache(), 1).shape[-1])
        except (
            TypeError,
            ValueError,
        ) as error:  # a value of another kind may be noticed only where it is computed with
            about = " ".join(str(error).split(". ")[0].split())[:MOST_CHARACTERS]
            raise ModelError(f"{folder / 'config.json'} describes no model that can be computed: {about}.") from error
        if self._tokenizer.size > self.vocabulary:
            raise ModelError(
                f"The tokenizer in {folder} knows {self._tokenizer.size} tokens, its model only {self.vocabulary}: "
                "they do not belong together."
            )
        self.end_tokens = self._tokenizer.end_tokens | _configured_ends(config, folder)
        if not self.end_tokens:
            raise ModelError(f"Nothing in {folder} says which token ends an answer (eos_token_id in config.json).")
        self.continuations = load_continuations(folder, self.vocabulary, self.end_tokens)
        own = config.get("earshot")
        own = own if isinstance(own, dict) else {}
        self.context_tokens = _context_tokens(own.get("context_tokens"), config)
        sentences = own.get("context_sentences")
        self.context_sentences = sentences if isinstance(sentences, int) and sentences >= 0 else USUAL_SENTENCES
        self.sources = _codes(own.get("translates_from"))
        self.targets = _codes(own.get("translates_to"))
        instruction = own.get("translation_instruction")
        self.translation_instruction: str | None = instruction if isinstance(instruction, str) else None
        self.takes_instructions = self.translation_instruction is None
        told = own.get("assistant_instruction")
        self.assistant_instruction: str | None = told if isinstance(told, str) else None
        self.recognises = own.get("recognises") is True
        turns = own.get("context_turns")
        self.context_turns: int | None = turns if isinstance(turns, int) and turns >= 0 else None

    def chat(self, messages: Sequence[Message], tools: Tools | None = None) -> list[int]:
        """Return the tokens of a conversation, including the assistant's header; models that think are told not to.

        Messages are only ever text, even if they spell special tokens. `tools`: JSON schemas of the tools that the
        model may call, for one that `supports_tools`; the same at every call.
        """
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

    def new_cache(self) -> KeyValueCache:
        """Return an empty cache."""
        return KeyValueCache(new_caches(self._model))

    def logits(self, tokens: Sequence[int], cache: KeyValueCache, rows: int) -> NDArray[np.float32]:
        """Read tokens after those in the cache, and add them to it.

        Returns the logits (rows, vocabulary) of the last `rows` tokens; none are computed for the tokens before.
        """
        with self._turn():
            block = mx.array([list(tokens)])
            if self._head is None:
                made = self._model(block, cache.layers)[0, len(tokens) - rows :]
            else:
                states = self._model.model(block, cache.layers)
                made = self._head(states[:, len(tokens) - rows :])[0]
            logits: mx.array = made.astype(mx.float32)
            evaluate(logits, *(cache.arrays() if rows == 0 else ()))
        return np.array(logits, copy=False)

    def last_logits(self, rows: Sequence[Sequence[int]], cache: KeyValueCache) -> NDArray[np.float32]:
        """Read several rows of tokens, each by itself behind those in the cache, in one forward.

        Returns the logits (n, vocabulary) of the last token of each of n rows, none of which may be empty. The cache
        then holds the first row too. Shorter rows are padded behind their ends, where none of their tokens attends.
        """
        if len(rows) == 1:
            return self.logits(rows[0], cache, 1)
        longest, first = max(map(len, rows)), cache.length + len(rows[0])
        with self._turn():
            block = mx.array([[*row, *[0] * (longest - len(row))] for row in rows])
            ends = mx.array([[[len(row) - 1]] for row in rows])
            branches = cache.branched(len(rows))
            read = self._model if self._head is None else self._model.model
            last = mx.take_along_axis(read(block, branches.layers), ends, axis=1)
            logits = (last if self._head is None else self._head(last))[:, 0].astype(mx.float32)
            kept = branches.row(0, first)
            evaluate(logits, *kept.arrays())
        cache.layers = kept.layers  # last, so that an interruption leaves the cache as it was
        return np.array(logits, copy=False)

    def next_logits(self, tokens: Sequence[int], rows: Sequence[int], cache: KeyValueCache) -> NDArray[np.float32]:
        """Read a token for each of n rows, each behind a row of the cache; return the logits (n, vocabulary).

        The cache then holds these n rows in place of its own.
        """
        with self._turn():
            kept = cache if list(rows) == list(range(cache.batch)) else cache.chosen(rows)
            logits = self._model(mx.array(list(tokens))[:, None], kept.layers)[:, 0].astype(mx.float32)
            evaluate(logits, *kept.arrays())
        cache.layers = kept.layers
        return np.array(logits, copy=False)

    def _turn(self) -> AbstractContextManager[None]:
        """Run operations on the model's own device if hearing uses a GPU and a CPU at once."""
        return DeviceTurn() if self._takes_turns else nullcontext()


def load_language_model(name_or_folder: str | Path = "starter-language") -> LanguageModel:
    """Load a model by catalogue name, folder or cached repository. Raises ModelError if it cannot be loaded."""
    backend.prepare()
    name, folder = find_model(name_or_folder, "language")
    if gguf_in(folder) is not None:
        raise ModelError(f"The model {name} is a GGUF file, which llama.cpp runs. A folder of mlx-lm's is needed here.")
    if is_translation_folder(folder):
        raise ModelError(f"The model {name} translates, and does not answer. A language model is needed here.")
    model, config = build_language_model(folder)
    return LanguageModel(name, folder, model, config)


def head_of(model: nn.Module) -> Head | None:
    """Find the layer that makes logits of the last states (1, n, d), so that it need not run for all of them.

    It is tried once against the whole model; None if the model makes its logits in some other way.
    """
    inner = getattr(model, "model", None)
    project = getattr(model, "lm_head", None) or getattr(getattr(inner, "embed_tokens", None), "as_linear", None)
    if inner is None or project is None:
        return None
    cap = getattr(model, "final_logit_softcapping", None)

    def head(states: mx.array) -> mx.array:
        logits: mx.array = project(states)
        return mx.tanh(logits / cap) * cap if cap else logits

    probe = mx.array([[0, 1, 2]])
    try:
        expected, found = model(probe), head(inner(probe))
    except (AttributeError, TypeError, ValueError):
        return None
    if expected.shape != found.shape:
        return None
    same = mx.allclose(expected.astype(mx.float32), found.astype(mx.float32), _PROBE_TOLERANCE, _PROBE_TOLERANCE)
    return head if bool(same.item()) else None


def _codes(named: Any) -> tuple[str, ...] | None:
    return tuple(map(str, named)) if isinstance(named, list) else None


def _configured_ends(config: dict[str, Any], folder: Path) -> frozenset[int]:
    """Return the end tokens that config.json and generation_config.json name by number."""
    path = folder / "generation_config.json"
    ends: set[int] = set()
    for source in (config, read_json(path) if path.is_file() else {}):
        named = source.get("eos_token_id")
        ends.update(token for token in (named if isinstance(named, list) else [named]) if isinstance(token, int))
    return frozenset(ends)


def _context_tokens(own: Any, config: dict[str, Any]) -> int:
    if isinstance(own, int) and own > 0:
        return own
    most = config.get("max_position_embeddings")
    return min(most, MOST_CONTEXT_TOKENS) if isinstance(most, int) and most > 0 else MOST_CONTEXT_TOKENS
