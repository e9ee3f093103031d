"""The tokenizer and the chat template of a model's folder, as Hugging Face and MLX lay them out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import ModelError
from engine.language.chat_tokenizer import MOST_CHARACTERS, ChatTokenizer, well_formed
from engine.weights.model_folder import read_json
from engine.weights.safetensors import ADVICE

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MARKUP = re.compile(r"<.*>|\[.*\]", re.DOTALL)  # form of added tokens with a meaning
_NAMED_TOKENS = ("bos_token", "eos_token", "unk_token", "pad_token")


def tokenizer_of(folder: Path) -> ChatTokenizer:
    """Read tokenizer.json, tokenizer_config.json and the template. Raises ModelError if they are damaged."""
    vocabulary = FolderVocabulary(_read_tokenizer(folder))
    settings = _optional_json(folder / "tokenizer_config.json")
    return ChatTokenizer(folder, vocabulary, _template(folder, settings), _named_tokens(settings))


class FolderVocabulary:
    """A Vocabulary that the library of transformers runs; see there for its attributes."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.size: int = tokenizer.get_vocab_size(with_added_tokens=True)
        self.special: dict[int, str] = {
            token: entry.content
            for token, entry in tokenizer.get_added_tokens_decoder().items()
            if entry.special or _MARKUP.fullmatch(entry.content)
        }

    def encode(self, text: str) -> list[int]:
        tokens: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return tokens

    def decode(self, tokens: Sequence[int]) -> str:
        text: str = self._tokenizer.decode(list(tokens), skip_special_tokens=True)
        return text

    def token(self, text: str) -> int | None:
        found: int | None = self._tokenizer.token_to_id(text) if text == well_formed(text) else None
        return found


def _beginning(error: Exception) -> str:
    line = (str(error).splitlines() or [""])[0]
    return line if len(line) <= MOST_CHARACTERS else f"{line[:MOST_CHARACTERS]}…"


def _read_tokenizer(folder: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    if not path.is_file():
        raise ModelError(
            f"{folder} has no tokenizer.json. Earshot reads tokenizers of that kind only; most models on Hugging Face "
            "have one."
        )
    try:
        tokenizer: Tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises no narrower class
        raise ModelError(f"{path} is damaged ({_beginning(error)}). {ADVICE}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _optional_json(path: Path) -> dict[str, Any]:
    return read_json(path) if path.is_file() else {}


def _named_tokens(settings: dict[str, Any]) -> dict[str, str]:
    """Return the tokens that templates use by name; each is stored as its text or as an object with its content."""
    names = {}
    for name in _NAMED_TOKENS:
        value = settings.get(name)
        text = value.get("content") if isinstance(value, dict) else value
        if isinstance(text, str):
            names[name] = text
    return names


def _template(folder: Path, settings: dict[str, Any]) -> str:
    """Find the chat template, in one of its possible places."""
    path = folder / "chat_template.jinja"
    template: Any
    if path.is_file():
        template = path.read_text(encoding="utf-8", errors="replace")
    else:
        template = _optional_json(folder / "chat_template.json").get("chat_template") or settings.get("chat_template")
    if isinstance(template, list):  # several of them, each with a name
        named = {entry.get("name"): entry.get("template") for entry in template if isinstance(entry, dict)}
        template = named.get("default")
    if not isinstance(template, str) or not template.strip():
        raise ModelError(
            f"{folder} has no chat template, so that its model cannot be told what to do. Use the version of it that "
            "was taught to follow instructions: mostly its name ends in -it or -Instruct."
        )
    return template
