"""A classifier of intents: which of the taught questions, facts or tools a question means.

Two opinions are added: a small network over the question's vector, and the nearest taught question of every intent.
Each alone is right as often; where both agree, the result is certain. The network is a mean of two, of which one also
sees lower layers of the encoder. Among the likeliest labels another network decides, which also knows what the words
suggest (`reranking`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from engine.answer.intents.encoder import FOLDER, SCALES, Vectors, encoder_of, read_arrays
from engine.answer.intents.reranking import LEAST, Opinions, Reranker, choose, kinds_of
from engine.answer.intents.words import UNITS, WordScores
from engine.errors import ModelError
from engine.weights.model_folder import read_json
from engine.weights.safetensors import ADVICE

HEAD = "head"
"""Folder of the trained head, beside the published encoder."""

SHARPNESS, LIKENESS = 20.0, 10.0
"""Factors of vectors in the network, and of likenesses beside it; their numbers lie between -1 and 1."""

NETWORKS = ("meaning", "both")
"""Names of the networks by their input: the first of a question's two vectors, and both."""

ROWS = 512
"""Number of taught vectors that are converted to numbers at once; all of them would not stay in the caches."""

MOST_WORDS = 60
"""Most words of a question that is classified; longer texts are unknown."""

REMEMBERED = 64
"""Number of results that are cached: a question is classified while it is spoken, and when it has ended."""

Kind = Literal["intent", "family", "tool", "unknown"]


@dataclass(frozen=True, slots=True)
class Classification:
    """The label of a question.

    Attributes:
        name: of the intent, of the family of facts, or of the tool; "" if it is unknown.
        reply: the intent's answer; "" of all other kinds.
        limit: the least probability that is enough by itself.
        asked: a question that stands for the intent; "" if there is none.
    """

    kind: Kind
    name: str
    reply: str
    probability: float
    limit: float
    asked: str = ""

    @property
    def sure(self) -> bool:
        """Return whether it is known, and likely enough to be answered."""
        return self.kind != "unknown" and self.probability >= self.limit


UNKNOWN = Classification("unknown", "", "", 1.0, 1.0)


class IntentClassifier:
    """Classifies questions. Any thread may use it, one at a time."""

    def __init__(self, folder: Path = FOLDER) -> None:
        """Read a folder with an encoder and its head. Raises ModelError if they are damaged."""
        self._encoder = encoder_of(folder)
        learnt = read_json(folder / HEAD / "intents.json")
        try:
            self._labels = [_label(named) for named in learnt["labels"]]
            limit, of_tools = float(learnt["limit"]), learnt["tool_limits"]
            self._limits = [float(of_tools[name]) if kind == "tool" else limit for kind, name in self._labels]
            self._replies: dict[str, str] = dict(learnt["replies"])
            self._asked: dict[str, str] = dict(learnt["asked"])
            arrays = read_arrays(folder / HEAD)
            self._scores, self._reranker = Scores(arrays), Reranker(arrays)
            self._kinds = kinds_of([kind for kind, _ in self._labels])
            self._tools = np.array([kind == "tool" for kind, _ in self._labels])
            self._find = lru_cache(REMEMBERED)(self._found)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{folder / HEAD} is damaged ({error}). {ADVICE}") from error

    def classify(self, text: str) -> Classification:
        """Classify a question."""
        return self._find(text)

    def _found(self, text: str) -> Classification:
        if not 0 < len(text.split()) <= MOST_WORDS:
            return UNKNOWN
        opinions = self._scores.opinions(self._encoder.encode(text)[None], [text])
        numbers, features = opinions.candidates(self._kinds, self._scores.sizes)
        found, sure = choose(numbers, features, self._reranker.probabilities(features), self._tools)
        best = int(found[0])
        kind, name = self._labels[best]
        reply, asked = (texts.get(name, "") for texts in (self._replies, self._asked))
        return Classification(kind, name, reply, float(sure[0]), self._limits[best], asked)


def _label(named: str) -> tuple[Kind, str]:
    """Read a label such as "intent talk_hello". Raises ValueError if it is none."""
    kind, _, name = named.partition(" ")
    for known in get_args(Kind):
        if kind == known:
            return known, name
    raise ValueError(f"no label: {named!r}")


class Scores:
    """Opinions on all labels, by vectors (n, 2 d) and words.

    Attributes:
        sizes: number of taught questions of each label.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Use the arrays of the head. Raises KeyError if one is missing."""
        parts = ("first.weight", "first.bias", "second.weight", "second.bias")
        self._networks = [[arrays[f"{name}.{part}"].astype(np.float32) for part in parts] for name in NETWORKS]
        self._taught, self._scales = arrays["taught"], arrays["taught" + SCALES].astype(np.float32)
        self._begins = arrays["begins"].astype(np.int64)  # place of each label's first taught question
        self.sizes = np.diff(self._begins, append=len(self._taught))
        self._words = [WordScores(arrays, units, self.sizes) for units in UNITS]

    def opinions(self, vectors: Vectors, texts: Sequence[str]) -> Opinions:
        """Return the opinions on each label (n, labels)."""
        meanings = vectors[:, : self._taught.shape[1]]
        parts = (self._taught[begin : begin + ROWS] for begin in range(0, len(self._taught), ROWS))
        alike = np.concatenate([meanings @ part.astype(np.float32).T for part in parts], axis=1) * self._scales
        nearest = np.maximum.reduceat(alike, self._begins, axis=1)
        likely = np.mean([_likely(vectors, nearest, network) for network in self._networks], axis=0, dtype=np.float32)
        likely = np.log(np.maximum(likely, np.float32(LEAST)))
        return Opinions(likely, nearest, tuple(each.scores(texts) for each in self._words))


def _likely(vectors: Vectors, nearest: Vectors, network: Sequence[Vectors]) -> Vectors:
    """Return the probability of each label (n, labels) by one network; its width decides which vectors it sees."""
    first, first_bias, second, second_bias = network
    inner = np.maximum(vectors[:, : first.shape[1]] * np.float32(SHARPNESS) @ first.T + first_bias, 0)
    scores = inner @ second.T + second_bias + np.float32(LIKENESS) * nearest
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Vectors = likely / likely.sum(axis=1, keepdims=True)
    return found


@cache
def taught_replies() -> Mapping[str, str]:
    """Return the answers to the taught questions, by their intents; empty if the classifier is not here."""
    try:
        return dict(read_json(FOLDER / HEAD / "intents.json")["replies"])
    except (KeyError, ModelError, TypeError, ValueError):
        return {}


@cache
def starter_classifier() -> IntentClassifier:
    """Load the classifier that ships with Earshot, once."""
    return IntentClassifier()
