"""Sentence vectors whose direction is the meaning: MiniLM, a BERT of six small layers, on the processor.

A second vector follows from lower layers, which still know more of the words themselves.

Weights are bytes with one scale for each row, converted to numbers where they are used: that costs a few milliseconds
and saves three quarters of the memory. Shapes: b sentences of n tokens each, d states, h heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError
from engine.hear.whisper.cpu.layers import gelu
from engine.models.catalogue import ASSETS
from engine.weights.model_folder import read_json, weight_files
from engine.weights.safetensors import ADVICE

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Vectors = NDArray[np.float32]

FOLDER = ASSETS / "starter" / "intents"

MOST_TOKENS = 64
"""Most tokens of a sentence; later ones are ignored."""

FIRST_WORD = 1996
"""Place of the most frequent word in the vocabulary; before it are marks and letters."""

SCALES = ".scales"
"""Suffix of the name of a matrix's scales."""

_EPSILON = 1e-12


class Matrices:
    """The arrays of a model by name, with matrices of bytes converted to numbers."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self._arrays = arrays

    def __getitem__(self, name: str) -> Vectors:
        """Return a whole array in float32."""
        return self.rows(name, slice(None))

    def rows(self, name: str, rows: Any) -> Vectors:
        """Return some of its rows in float32."""
        found: Vectors = self._arrays[name][rows].astype(np.float32)
        scales = self._arrays.get(name + SCALES)
        if scales is not None:
            found = found * scales[rows].astype(np.float32)[..., None]
        return found


class SentenceEncoder:
    """Encodes sentences as vectors. Any thread may use it, one at a time."""

    def __init__(self, folder: Path) -> None:
        """Read config.json, tokenizer.json and the weights. Raises ModelError if they are damaged."""
        from tokenizers import Tokenizer

        config = read_json(folder / "config.json")
        try:
            self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._heads, self._layers = int(config["num_attention_heads"]), int(config["num_hidden_layers"])
        except Exception as error:  # the library raises no narrower class
            raise ModelError(f"{folder} holds no model of sentences ({error}). {ADVICE}") from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MOST_TOKENS)
        self._weights = Matrices(read_arrays(folder))

    def encode(self, text: str) -> Vectors:
        """Return the two vectors (2 d,) of one sentence, each of length 1: of the meaning, and of lower layers."""
        made: Vectors = self.encode_all([text])[0]
        return made

    def encode_all(self, texts: Sequence[str], together: int = 64) -> Vectors:
        """Return the vectors (n, 2 d) of many sentences, of which so many are read together, the shortest first."""
        ids = [self._tokenizer.encode(text).ids for text in texts]
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        made: dict[int, Vectors] = {}
        for begin in range(0, len(order), together):
            part = order[begin : begin + together]
            made.update(zip(part, self._read([ids[place] for place in part]), strict=True))
        return np.stack([made[place] for place in range(len(texts))])

    def is_in_pieces(self, word: str) -> bool:
        """Return whether the vocabulary, which is English, has no token for a word as a whole."""
        return len(self._tokenizer.encode(word, add_special_tokens=False).ids) != 1

    def rarity(self, word: str) -> float:
        """Return how rare a word is, from 0: the vocabulary is in the order of frequency; rare words are in pieces."""
        pieces = self._tokenizer.encode(word, add_special_tokens=False).ids
        rank = pieces[0] if len(pieces) == 1 else self._tokenizer.get_vocab_size()
        return max(0.0, float(np.log(max(1, rank) / FIRST_WORD)))

    def _read(self, sentences: Sequence[Sequence[int]]) -> Vectors:
        """Read the tokens of b sentences; return the means of the last states and of those two thirds of the way up
        (b, 2 d).
        """
        longest = max(map(len, sentences))
        ids = np.array([[*each, *[0] * (longest - len(each))] for each in sentences])
        said = np.arange(longest) < np.array([[len(each)] for each in sentences])  # (b, n), False behind an end
        shares = (said / said.sum(axis=1, keepdims=True)).astype(np.float32)[:, None]
        name = "embeddings."
        states = self._weights.rows(f"{name}word_embeddings.weight", ids)
        states += self._weights.rows(f"{name}position_embeddings.weight", slice(ids.shape[1]))
        states += self._weights.rows(f"{name}token_type_embeddings.weight", 0)
        states = self._normed(states, f"{name}LayerNorm")
        means = list[Vectors]()
        for number in range(self._layers):
            states = self._layer(states, said, f"encoder.layer.{number}.")
            if number + 1 in (self._layers * 2 // 3, self._layers):
                means.append((shares @ states)[:, 0])
        return np.concatenate([each / np.linalg.norm(each, axis=1, keepdims=True) for each in reversed(means)], axis=1)

    def _layer(self, states: Vectors, said: NDArray[np.bool_], name: str) -> Vectors:
        heard = self._attended(states, said, f"{name}attention.self.")
        attended = self._linear(heard, f"{name}attention.output.dense")
        states = self._normed(states + attended, f"{name}attention.output.LayerNorm")
        inner = gelu(self._linear(states, f"{name}intermediate.dense"))
        return self._normed(states + self._linear(inner, f"{name}output.dense"), f"{name}output.LayerNorm")

    def _attended(self, states: Vectors, said: NDArray[np.bool_], name: str) -> Vectors:
        b, n, d = states.shape
        query, key, value = (
            self._linear(states, f"{name}{part}").reshape(b, n, self._heads, -1).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(d / self._heads))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True)) * said[:, None, None]
        weights /= weights.sum(axis=-1, keepdims=True)
        made: Vectors = (weights @ value).transpose(0, 2, 1, 3).reshape(b, n, d)
        return made

    def _linear(self, states: Vectors, name: str) -> Vectors:
        flat = states.reshape(-1, states.shape[-1])  # one product in place of one for each sentence
        made = flat @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return made.reshape(*states.shape[:-1], -1)

    def _normed(self, states: Vectors, name: str) -> Vectors:
        centred = states - states.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
        made: Vectors = centred / scale * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return made


@cache
def encoder_of(folder: Path) -> SentenceEncoder:
    """Load the encoder of a folder, once. Raises ModelError if it is damaged."""
    return SentenceEncoder(folder)


def starter_encoder() -> SentenceEncoder:
    """Return the encoder that ships with Earshot."""
    return encoder_of(FOLDER)


def read_arrays(folder: Path) -> dict[str, NDArray[Any]]:
    """Read all arrays of a folder's weights. Raises ModelError if they cannot be read."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return {name: array for path in weight_files(folder) for name, array in load_file(path).items()}
    except (OSError, SafetensorError, TypeError) as error:
        raise ModelError(f"The weights in {folder} cannot be read ({error}). {ADVICE}") from error


def in_bytes(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Store every matrix in bytes, with a scale for each row beside it, and all else in half precision."""
    stored: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        if array.ndim != 2:
            stored[name] = array.astype(np.float16)
            continue
        scales = np.maximum(np.abs(array).max(axis=1), 1e-12) / 127
        stored[name] = np.rint(array / scales[:, None]).astype(np.int8)
        stored[name + SCALES] = scales.astype(np.float32)
    return stored
