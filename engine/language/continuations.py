"""Usual continuations of a model's answers: n-grams counted once, offered during decoding, verified by its forwards.

A forward over three tokens takes hardly longer than one over one. So the usual continuation of the last one to three
tokens is read along with them, and is kept if the model would have written it too: answers take fewer forwards, and
their text stays the same. This is drafting by n-grams (Ou et al., "Lossless Acceleration of Large Language Model via
Adaptive N-gram Parallel Decoding", arXiv:2404.08698), with counts of the training text instead of the prompt's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError
from engine.weights.safetensors import ADVICE, read_header

FILE = "continuations.safetensors"
"""File of a model's folder: keys (n,) uint32 in rising order, tokens (n,) uint16, chances (n,) uint8 of 255."""

ORDER = 3
"""Most earlier tokens that are looked at."""

MOST_TOKENS = 3
"""Most tokens that are offered at once: more seldom hold."""

LEAST_CHANCE = 0.2
"""Least probability of all offered tokens together; a less likely offer costs more time than it saves."""

_FACTOR, _MASK = 0x9E3779B1, 0xFFFFFFFF


def key_of(context: Iterable[int]) -> int:
    """Return a number for tokens; others may have the same one, which costs a wrong guess."""
    key = 0
    for token in context:
        key = (key * _FACTOR + token + 1) & _MASK
    return key


class Continuations:
    """The likeliest token behind one to three others, with its probability, for those that are likely enough."""

    def __init__(
        self,
        keys: NDArray[np.uint32],
        tokens: NDArray[np.uint16],
        chances: NDArray[np.uint8],
        ends: Collection[int] = (),
    ) -> None:
        """Use the columns of a table; `ends` are tokens that are never offered, since nothing follows them."""
        self._keys, self._tokens, self._chances = keys, tokens, chances
        self._ends = frozenset(ends)

    def after(self, tokens: Sequence[int], most: int) -> list[int]:
        """Return up to `most` tokens that probably come behind others; none if the table does not tell."""
        found: list[int] = []
        context, chance = list(tokens[-ORDER:]), 1.0
        while len(found) < min(most, MOST_TOKENS):
            place = self._place(context[-ORDER:])
            if place is None:
                break
            token = int(self._tokens[place])
            chance *= int(self._chances[place]) / 255
            if chance < LEAST_CHANCE or token in self._ends:
                break
            found.append(token)
            context.append(token)
        return found

    def _place(self, context: Sequence[int]) -> int | None:
        """Find the longest end of a context in the table."""
        for begin in range(len(context)):
            key = key_of(context[begin:])
            place = int(self._keys.searchsorted(np.uint32(key)))
            if place < len(self._keys) and self._keys[place] == key:
                return place
        return None


def load_continuations(folder: Path, vocabulary: int, ends: Collection[int]) -> Continuations | None:
    """Load the table of a model's folder; return None if there is none. Raises ModelError if it is damaged."""
    path = folder / FILE
    if not path.is_file():
        return None
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    read_header(path)
    try:
        columns = load_file(path)
        keys, tokens, chances = (columns[name] for name in ("keys", "tokens", "chances"))
    except (SafetensorError, OSError, KeyError) as error:
        raise ModelError(f"{path} is damaged ({error}). {ADVICE}") from error
    kinds = [(column.dtype, column.shape) for column in (keys, tokens, chances)]
    if kinds != [(np.dtype(kind), (len(keys),)) for kind in (np.uint32, np.uint16, np.uint8)]:
        raise ModelError(f"{path} is damaged: it holds other columns than expected. {ADVICE}")
    if len(keys) and (int(tokens.max()) >= vocabulary or not (keys[1:] > keys[:-1]).all()):
        raise ModelError(f"{path} belongs to another model. {ADVICE}")
    return Continuations(keys, tokens, chances, ends)
