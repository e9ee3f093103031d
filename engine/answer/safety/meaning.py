"""Danger in words that no rule knows, by the meaning of a whole question.

A small network sees the vector of the sentence (`engine.answer.intents.encoder`), which knows what English means, and
which words and letters stand in it, which tell more in the other languages. It learnt from dangers and from harmless
sentences that look like them. It has limits. Above the highest one the text is answered as a danger. Below that it may
speak of one: calm lines say whom to call, and nothing else is answered. Far below it is still not surely harmless: what
is not understood is then not taken for a question that is likely meant.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.answer.intents.classifier import SHARPNESS
from engine.answer.intents.encoder import Matrices, read_arrays, starter_encoder
from engine.answer.safety.recognition import RecognisedDanger, language_of
from engine.answer.safety.rules import DANGERS, Danger, rules_of
from engine.answer.safety.wording import plain_sentences
from engine.errors import ModelError
from engine.models.catalogue import ASSETS
from engine.weights.model_folder import read_json
from engine.weights.safetensors import ADVICE

if TYPE_CHECKING:
    from engine.answer.intents.encoder import Vectors

FOLDER = ASSETS / "starter" / "danger"
NONE = "none"
"""Label of what is harmless."""

FEWEST_WORDS, MOST_WORDS = 3, 60
"""Fewest and most words of a text that is judged by its meaning."""

UNITS, LETTERS = 2048, 4
"""Number of inputs for words, and letters of their parts; units with the same checksum share an input."""

UNITS_LENGTH = 0.3
"""Length of the part of the inputs that is words and letters, beside 1 for a vector of the sentence."""

DOUBTFUL = 0.5
"""Least share of the likeliest danger among all; below it the advice is that for any emergency."""

SURELY_HARMLESS = 0.15  # chosen in LOG 2026-11-30
"""Least probability of danger at which a question is not surely harmless, so that no guess at its meaning is good."""

REMEMBERED = 64
"""Number of texts that are cached: a question is judged while it is spoken, and when it has ended."""

MOST_COMMON, LEAST_PIECES, LEAST_FOREIGN_WORDS = 0.2, 0.33, 4
"""Bounds of a foreign text: largest share of the commonest English words, least share of words that the vocabulary has
only in pieces, and fewest words.
"""


class DangerByMeaning:
    """Recognises danger. Any thread may use it, one at a time."""

    def __init__(
        self, labels: Sequence[str], limit: float, possible_limit: float, arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        """Use a network with these labels, and least probabilities of a danger that is certain and that is possible.

        Raises KeyError or ValueError if a part is missing.
        """
        weights = Matrices(dict(arrays))
        self._layers = [(weights[f"{layer}.weight"], weights[f"{layer}.bias"]) for layer in ("first", "second")]
        self._harmless = labels.index(NONE)
        self._dangers: list[Danger | None] = [next((each for each in DANGERS if each == name), None) for name in labels]
        self._limit, self._possible_limit = limit, possible_limit
        self._likely = lru_cache(REMEMBERED)(self._probabilities_of)

    def recognise(self, text: str) -> RecognisedDanger | None:
        """Find the danger that a whole text speaks of, certainly or possibly; return None if it speaks of none."""
        if not FEWEST_WORDS <= len(words_of(text)) <= MOST_WORDS:
            return None
        likely = self._likely(text).copy()
        danger = 1 - likely[self._harmless]
        if danger < self._possible_limit:
            return None
        likely[self._harmless] = 0
        best = int(likely.argmax())
        named = self._dangers[best] if likely[best] >= DOUBTFUL * danger else None
        return RecognisedDanger(named or "emergency", language_of(text), certain=bool(danger >= self._limit))

    def is_harmless(self, text: str) -> bool:
        """Return whether a text surely speaks of no danger; where `recognise` finds none, that is still open."""
        return bool(1 - self._likely(text)[self._harmless] < SURELY_HARMLESS)

    def _probabilities_of(self, text: str) -> Vectors:
        """Return the probability of each label (labels,)."""
        row: Vectors = self.probabilities(features_of([text], starter_encoder().encode(text)[None]))[0]
        return row

    def probabilities(self, features: Vectors) -> Vectors:
        """Return the probability of each label (n, labels)."""
        (first, first_bias), (second, second_bias) = self._layers
        inner = np.maximum(features * np.float32(SHARPNESS) @ first.T + first_bias, 0)
        scores = inner @ second.T + second_bias
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        found: Vectors = likely / likely.sum(axis=1, keepdims=True)
        return found


def words_of(text: str) -> list[str]:
    """Return the words of all sentences of a text, in a form to compare."""
    return [word for sentence in plain_sentences(text) for word in sentence]


def features_of(texts: Sequence[str], vectors: Vectors) -> Vectors:
    """Return what the network sees of texts (n, 2 d + UNITS): their vectors, and which words and letters they have."""
    found = np.zeros((len(texts), UNITS), np.float32)
    for row, text in zip(found, texts, strict=True):
        words = words_of(text)
        joined = f"^{' '.join(words)}$"
        letters = (joined[place : place + LETTERS] for place in range(max(1, len(joined) - LETTERS + 1)))
        pairs = (f"{word} {following}" for word, following in pairwise(words))
        row[[zlib.crc32(unit.encode()) % UNITS for unit in (*words, *pairs, *letters)]] = 1
        row *= np.float32(UNITS_LENGTH / (np.linalg.norm(row) + 1e-9))
    return np.concatenate([vectors, found], axis=1)


def is_foreign(text: str) -> bool:
    """Return whether a text is in no language that the vector of a sentence knows, that is, hardly in English."""
    words = set(words_of(text))
    if len(words) < LEAST_FOREIGN_WORDS or rules_of("en").common_in(words) > MOST_COMMON * len(words):
        return False
    return sum(starter_encoder().is_in_pieces(word) for word in words) >= LEAST_PIECES * len(words)


@cache
def starter_danger(folder: Path = FOLDER) -> DangerByMeaning:
    """Load the network that ships with Earshot, once. Raises ModelError if it is damaged."""
    learnt = read_json(folder / "danger.json")
    try:
        limits = float(learnt["limit"]), float(learnt["possible_limit"])
        return DangerByMeaning(list(learnt["labels"]), *limits, read_arrays(folder))
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{folder} is damaged ({error}). {ADVICE}") from error
