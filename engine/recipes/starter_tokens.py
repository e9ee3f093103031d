"""Whisper's multilingual tokens, and the reduced vocabulary that training uses."""

from __future__ import annotations

import base64
import importlib.util
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import tiktoken

END, START, ENGLISH, TRANSCRIBE = 50257, 50258, 50259, 50359
PREVIOUS, NO_SPEECH, NO_TIMESTAMPS, TIME_ZERO = 50361, 50362, 50363, 50364
FULL_VOCABULARY = 51_865
SPECIALS = (END, START, ENGLISH, TRANSCRIBE, PREVIOUS, NO_SPEECH, NO_TIMESTAMPS)

_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def published_vocabulary() -> Path:
    """Where the mlx-whisper package keeps Whisper's multilingual vocabulary."""
    found = importlib.util.find_spec("mlx_whisper")
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError("mlx-whisper is not installed: say where multilingual.tiktoken is")
    return Path(found.submodule_search_locations[0]) / "assets" / "multilingual.tiktoken"


def load_encoding(vocabulary_file: Path) -> tiktoken.Encoding:
    """Load Whisper's multilingual byte-pair encoding, without its special tokens."""
    ranks = {
        base64.b64decode(token): int(rank)
        for token, rank in (line.split() for line in vocabulary_file.read_bytes().splitlines())
    }
    return tiktoken.Encoding("multilingual", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})


@dataclass(frozen=True)
class Vocabulary:
    """The tokens in use: text tokens that occur, the specials, then all time tokens."""

    kept: tuple[int, ...]  # full ids of the rows before the time tokens, ascending

    @cached_property
    def _rows(self) -> np.ndarray:
        rows = np.full(FULL_VOCABULARY, -1, dtype=np.int64)
        rows[list(self.kept)] = np.arange(len(self.kept))
        times = FULL_VOCABULARY - TIME_ZERO
        rows[TIME_ZERO:] = len(self.kept) + np.arange(times)
        return rows

    def __len__(self) -> int:
        return len(self.kept) + FULL_VOCABULARY - TIME_ZERO

    @cached_property
    def full_ids(self) -> np.ndarray:
        """The full id of every row (len,)."""
        return np.concatenate([np.array(self.kept), np.arange(TIME_ZERO, FULL_VOCABULARY)])

    def row(self, token: int) -> int:
        """The row of a full token id, -1 where it is not kept."""
        return int(self._rows[token])

    def spell(self, encoding: tiktoken.Encoding, text: str) -> list[int]:
        """Tokenise a text; tokens that are not kept are spelled with shorter ones."""
        tokens: list[int] = []
        for token in encoding.encode_ordinary(text):
            known = self._rows[token] >= 0
            tokens += [token] if known else self._pieces(encoding, token)
        return tokens

    def _pieces(self, encoding: tiktoken.Encoding, token: int) -> list[int]:
        """Split a token into the longest kept ones; ValueError where there is none."""
        rest, pieces = encoding.decode_single_token_bytes(token), []
        while rest:
            for size in range(len(rest), 0, -1):
                try:
                    piece = encoding.encode_single_token(rest[:size])
                except KeyError:
                    continue
                if self._rows[piece] >= 0:
                    pieces.append(piece)
                    rest = rest[size:]
                    break
            else:
                raise ValueError(f"no kept token begins {rest!r}")
        return pieces


def collect_vocabulary(encoding: tiktoken.Encoding, sentences: list[str], least: int) -> Vocabulary:
    """Keep the tokens that occur at least so often in the sentences, and the specials."""
    counts: Counter[int] = Counter()
    for tokens in encoding.encode_ordinary_batch([" " + s for s in sentences], num_threads=2):
        counts.update(tokens)
    kept = {token for token, count in counts.items() if count >= least}
    return Vocabulary(tuple(sorted(kept | set(SPECIALS))))
