"""The byte pairs that Speech-LLaMA writes in: those of Whisper's that English needs most, and two special ones."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from engine.hear.decode.byte_pairs import byte_of
from engine.hear.decode.tokenizer import Tokenizer as WhisperTokenizer

END, BEGIN = 0, 1
BEGINS = 2  # so many times a text begins with BEGIN, as Whisper's do with two tokens
SPECIAL = ("<|end|>", "<|begin|>")
VOCABULARY = 8192
IGNORE = -100
BYTES = 256


def choose_byte_pairs(whisper: WhisperTokenizer, texts: Iterable[str], size: int = VOCABULARY) -> Tokenizer:
    """Choose so many tokens: all bytes, Whisper's most frequent ones in texts and those they are joined of, END, BEGIN.

    Few on purpose: a small model spells rare words, and the tokens after the next are easier where words are several.
    """
    ranks = {whisper.token_bytes(token): token for token in range(whisper.eot)}
    counts = Counter(token for text in texts for token in whisper.encode(" " + text.strip()))
    kept = {ranks[bytes([byte])] for byte in range(BYTES)}
    for token, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        needed = _needed(whisper, ranks, token, kept)
        if len(kept) + len(needed) > size - len(SPECIAL):
            break
        kept |= needed
    letters = {byte: character for character, byte in byte_of().items()}

    def name(spelled: bytes) -> str:
        return "".join(letters[byte] for byte in spelled)

    ordered = sorted(kept)
    vocabulary = {special: number for number, special in enumerate(SPECIAL)}
    vocabulary |= {name(whisper.token_bytes(token)): place + len(SPECIAL) for place, token in enumerate(ordered)}
    joined = [_parts(ranks, whisper.token_bytes(token)) for token in ordered]
    merges = [(name(parts[0]), name(parts[1])) for parts in joined if len(parts) == 2]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(special, special=True) for special in SPECIAL])
    return tokenizer


def whisper_tokens(whisper: WhisperTokenizer, tokenizer: Tokenizer) -> list[int]:
    """Whisper's token of each of a tokenizer's from the third on."""
    ranks = {whisper.token_bytes(token): token for token in range(whisper.eot)}
    names = (tokenizer.id_to_token(token) or "" for token in range(len(SPECIAL), tokenizer.get_vocab_size()))
    return [ranks[bytes(byte_of()[character] for character in name)] for name in names]


def _parts(ranks: dict[bytes, int], spelled: bytes) -> list[bytes]:
    """The two tokens that a token is joined of; itself where it is a byte."""
    parts = [bytes([byte]) for byte in spelled]
    while len(parts) > 2:
        joins = [ranks.get(first + second, len(ranks)) for first, second in itertools.pairwise(parts)]
        at = joins.index(min(joins))
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def _needed(whisper: WhisperTokenizer, ranks: dict[bytes, int], token: int, kept: set[int]) -> set[int]:
    """A token and all that it is joined of, without what is kept already."""
    needed: set[int] = set()
    asked = [token]
    while asked:
        one = asked.pop()
        if one not in kept and one not in needed:
            needed.add(one)
            asked += [ranks[part] for part in _parts(ranks, whisper.token_bytes(one))]
    return needed


class WordSpelling:
    """Turns words and their times into tokens and the windows in which these are said, and tokens into text."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._spelled: dict[str, list[int]] = {}

    @classmethod
    def load(cls, file: Path) -> WordSpelling:
        """Read a tokenizer.json."""
        return cls(Tokenizer.from_file(str(file)))

    def spell(self, words: Iterable[tuple[str, float, float]]) -> tuple[list[int], list[tuple[float, float]]]:
        """Spell words, each with its space, and give each token the window of its word, in seconds."""
        tokens: list[int] = []
        windows: list[tuple[float, float]] = []
        for word, start, end in words:
            spelled = self._spelled.get(word)
            if spelled is None:
                spelled = self._spelled[word] = self.tokenizer.encode(word, add_special_tokens=False).ids
            tokens += spelled
            windows += [(start, end)] * len(spelled)
        return tokens, windows

    def text(self, tokens: list[int]) -> str:
        """Read tokens as text, up to the first that ends it."""
        stop = tokens.index(END) if END in tokens else len(tokens)
        return str(self.tokenizer.decode(tokens[:stop])).strip()


def targets_ahead(targets: np.ndarray, ahead: int) -> np.ndarray:
    """The targets (b, t) of the head that predicts so many tokens ahead: IGNORE behind the end of the text."""
    later = np.full_like(targets, IGNORE)
    count = targets.shape[1] - (ahead - 1)
    if count > 0:
        later[:, :count] = targets[:, ahead - 1 :]
    return later
