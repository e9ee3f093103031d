"""Tokenizer of Speech-LLaMA models: byte-pair encoding in the file format of Hugging Face's tokenizers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np

from engine.errors import ModelError
from engine.hear.decode.rules import Rule, Suppress
from engine.hear.decode.tokenizer import TextTokens
from engine.weights.safetensors import ADVICE


class BytePairs(TextTokens):
    """A byte-level vocabulary, which can encode any text.

    Attributes:
        begin: the token that every text begins with.
        eot: end-of-text token; as the first token it means that nothing was said.
    """

    def __init__(self, path: Path, begin: int, end: int, begins: int = 1) -> None:
        """Read tokenizer.json; the start sequence holds `begins` copies of `begin`.

        Raises:
            ModelError: the file is damaged, or holds no byte-pair vocabulary.
        """
        from tokenizers import Tokenizer

        if not path.is_file():
            raise ModelError(f"{path.parent} has no tokenizer.json. {ADVICE}")
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises no narrower one
            raise ModelError(f"{path} is damaged ({str(error).splitlines()[0]}). {ADVICE}") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._tokenizer.encode_special_tokens = True  # names of special tokens in a text are ordinary text
        self._special = frozenset(self._tokenizer.get_added_tokens_decoder()) | {begin, end}
        self.begin, self._begins = begin, begins
        self.eot = self.no_speech = end
        self.n_vocab = int(self._tokenizer.get_vocab_size())
        names = [self._tokenizer.id_to_token(token) or "" for token in range(self.n_vocab)]
        if max(self._special) >= self.n_vocab or "" in names:
            raise ModelError(f"{path} and the numbers of the tokens in config.json do not belong together.")
        try:
            self._bytes = tuple(
                name.encode() if token in self._special else spelled(name) for token, name in enumerate(names)
            )
        except KeyError as error:
            raise ModelError(f"{path} holds no byte pairs: {error.args[0]!r} stands for no byte.") from error

    def encode(self, text: str) -> list[int]:
        """Encode any text."""
        well_formed = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate cannot be encoded
        return list(self._tokenizer.encode(well_formed, add_special_tokens=False).ids)

    def decode(self, tokens: Iterable[int]) -> str:
        text = b"".join(self._bytes[token] for token in tokens if token not in self._special)
        return text.decode("utf-8", "replace")

    def is_special(self, token: int) -> bool:
        return token in self._special

    def token_bytes(self, token: int) -> bytes:
        return self._bytes[token]

    @property
    def special_tokens(self) -> tuple[int, ...]:
        """Special tokens, end of text included, in ascending order."""
        return tuple(sorted(self._special))

    def sot_sequence(self) -> tuple[int, ...]:
        """Return the start-of-text tokens."""
        return (self.begin,) * self._begins


def spelled(name: str) -> bytes:
    """Return the bytes of a token, whose name in the vocabulary spells each byte as one character.

    Raises:
        KeyError: a character stands for no byte.
    """
    return bytes(byte_of()[character] for character in name)


@cache
def byte_of() -> dict[str, int]:
    """Return GPT-2's byte alphabet: printable bytes stand for themselves, the others are numbered from U+0100 on."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in seen]
    return {chr(byte): byte for byte in seen} | {chr(256 + place): byte for place, byte in enumerate(others)}


def text_rules(tokenizer: BytePairs) -> tuple[Rule, ...]:
    """Return the rules of a transcription: text and end of text only, no other special token."""
    return (Suppress(np.array([token for token in tokenizer.special_tokens if token != tokenizer.eot], np.int64)),)
