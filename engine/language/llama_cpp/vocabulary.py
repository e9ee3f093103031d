"""The tokens of a GGUF model, by llama.cpp's own tokenizer."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from engine.language.llama_cpp.binding import LlamaCpp, Token

BYTES_PER_TOKEN = 16
"""First guess of the longest token's text; llama.cpp says how much it needs if that is too little."""


class GgufVocabulary:
    """A Vocabulary (engine.language.chat_tokenizer) of a loaded model; see there for what is not said here.

    Attributes:
        ends: tokens that the file itself names as ends of an answer.
        names: the tokens that chat templates use by name.
    """

    def __init__(self, library: LlamaCpp, model: Any) -> None:
        """Use a model; it must outlive this."""
        self._library = library
        self._handle = library.llama_model_get_vocab(model)
        self.size: int = library.llama_vocab_n_tokens(self._handle)
        control = [token for token in range(self.size) if library.llama_vocab_is_control(self._handle, token)]
        self.special = {token: self._text(token) for token in control}
        self._ids = {text: token for token, text in self.special.items()}
        self.ends = frozenset(token for token in control if library.llama_vocab_is_eog(self._handle, token))
        named = {
            "bos_token": library.llama_vocab_bos(self._handle),
            "eos_token": library.llama_vocab_eos(self._handle),
        }
        self.names = {name: self._text(token) for name, token in named.items() if token >= 0}

    def encode(self, text: str) -> list[int]:
        written = text.encode()
        room = len(written) + 2
        tokens = (Token * room)()
        count = self._library.llama_tokenize(self._handle, written, len(written), tokens, room, False, True)
        return list(tokens[:count])

    def decode(self, tokens: Sequence[int]) -> str:
        given = (Token * len(tokens))(*tokens)
        room = BYTES_PER_TOKEN * len(tokens) + 1
        while True:
            text = ctypes.create_string_buffer(room)
            count = self._library.llama_detokenize(self._handle, given, len(tokens), text, room, True, False)
            if count >= 0:
                return text.raw[:count].decode("utf-8", "replace")
            room = -count

    def token(self, text: str) -> int | None:
        return self._ids.get(text)

    def _text(self, token: int) -> str:
        text: bytes | None = self._library.llama_vocab_get_text(self._handle, token)
        return (text or b"").decode("utf-8", "replace")
