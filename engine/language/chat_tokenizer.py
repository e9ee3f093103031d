"""Messages and text to tokens and back, for a language model's folder.

A message is only ever text: a token with a meaning for the model, such as its end of a turn, comes from the chat
template alone, however a message is spelled.

The tokenizer and the template run on the same libraries as in Hugging Face's transformers, but without transformers,
whose import takes longer than everything else at start.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.errors import ModelError
from engine.weights.model_folder import read_json
from engine.weights.safetensors import ADVICE

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Role = Literal["system", "user", "assistant"]
_MARK = "\ue000{}\ue001"  # stands for a message's text while the template is rendered; private-use characters
_MARKS = re.compile("\ue000(\\d+)\ue001")
_MARKUP = re.compile(r"<.*>|\[.*\]", re.DOTALL)  # form of added tokens with a meaning
Tools = Sequence[Mapping[str, Any]]
Render = Callable[[list[dict[str, str]], bool, "Tools | None"], str]
_PROBE = {"type": "function", "function": {"name": "probe_tool", "description": "", "parameters": {"type": "object"}}}
MOST_CHARACTERS = 200  # longest message of the library, which may be as long as the file
_NAMED_TOKENS = ("bos_token", "eos_token", "unk_token", "pad_token")


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation; the spaces around its text don't count."""

    role: Role
    text: str


class ChatTokenizer:
    """The tokenizer of a model's folder, its chat template and the tokens that end an answer.

    Attributes:
        size: number of its tokens; ids are below.
        end_tokens: any of them ends an answer.
    """

    def __init__(self, folder: Path) -> None:
        """Read tokenizer.json, tokenizer_config.json and the template. Raises ModelError if they are damaged."""
        self._folder = folder
        self._tokenizer = _read_tokenizer(folder)
        settings = _optional_json(folder / "tokenizer_config.json")
        self._names = _named_tokens(settings)
        self._render = _compiled(_template(folder, settings), self._names, folder)
        self.size = self._tokenizer.get_vocab_size(with_added_tokens=True)
        added = self._tokenizer.get_added_tokens_decoder()
        self._special = {
            token: entry.content for token, entry in added.items() if entry.special or _MARKUP.fullmatch(entry.content)
        }
        spelled = sorted(filter(None, self._special.values()), key=len, reverse=True)
        self._spelled = re.compile("|".join(map(re.escape, spelled))) if spelled else re.compile(r"(?!)")
        self._layouts: dict[tuple[bool, tuple[Role, ...]], tuple[str | int, ...]] = {}
        self._tools: Tools | None = None
        self.end_tokens = self._end_tokens()

    def supports_tools(self) -> bool:
        """Return whether the template has a place for tools."""
        try:
            return "probe_tool" in self._rendered(("system", "user"), tools=[_PROBE])
        except _TemplateRefusal:
            return False

    def chat(self, messages: Sequence[Message], tools: Tools | None = None) -> list[int]:
        """Return the tokens of a conversation, including the header of the assistant's next turn.

        `tools`: JSON schemas of the tools that the model may call, the same at every call; see `supports_tools`.
        """
        texts = [message.text.strip() for message in messages]
        self._tools = tools or self._tools
        layout = self._layout(tuple(message.role for message in messages), tools=tools is not None)
        whole = self._encode("".join(part if isinstance(part, str) else texts[part] for part in layout))
        parts = [self._encode(part) if isinstance(part, str) else self.encode(texts[part]) for part in layout]
        apart = [token for part in parts for token in part]
        # Encoded at once is what models were taught; but a text that spells a token of the template's is kept apart.
        return whole if self._specials(whole) == self._specials(apart) else apart

    def after_user(self) -> list[int]:
        """Return the tokens that the template puts between the user's last words and the answer."""
        last = self._layout(("user",))[-1]
        return self._encode(last) if isinstance(last, str) else []

    def encode(self, text: str) -> list[int]:
        """Return the tokens of plain text; special tokens in it are read as text."""
        found = next(self._spelled.finditer(text), None)
        if found is not None:
            cut = found.start() + 1
            return self.encode(text[:cut]) + self.encode(text[cut:])
        tokens = self._encode(text)
        if len(text) > 1 and self._specials(tokens):  # spelled in a way that only the tokenizer's own rules find
            return [token for character in text for token in self.encode(character)]
        return [token for token in tokens if token not in self._special]

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens, without special tokens and without an incomplete character at the end."""
        text: str = self._tokenizer.decode(list(tokens), skip_special_tokens=True)
        return text.rstrip("�")

    def token(self, text: str) -> int | None:
        """Return the id of a token by its own text; None if there is none."""
        found: int | None = self._tokenizer.token_to_id(text) if text == _well_formed(text) else None
        return found

    def _encode(self, text: str) -> list[int]:
        tokens: list[int] = self._tokenizer.encode(_well_formed(text), add_special_tokens=False).ids
        return tokens

    def _specials(self, tokens: Sequence[int]) -> list[int]:
        return [token for token in tokens if token in self._special]

    def _layout(self, roles: tuple[Role, ...], *, tools: bool = False) -> tuple[str | int, ...]:
        """Return the template's parts for messages of these roles: text of its own, or the number of a message."""
        key = (tools, roles)
        if key not in self._layouts:
            try:
                rendered = self._rendered(roles, tools=self._tools if tools else None)
            except _TemplateRefusal as refusal:
                # Some (Gemma, Mistral) have no system role: its text then begins the first turn.
                if roles[:2] != ("system", "user"):
                    raise ModelError(f"The chat template in {self._folder} refuses messages: {refusal}.") from refusal
                joined = self._layout(roles[1:], tools=tools)
                shifted = [part + 1 if isinstance(part, int) else part for part in joined]
                first = shifted.index(1)
                self._layouts[key] = (*shifted[:first], 0, "\n\n", *shifted[first:])
                return self._layouts[key]
            pieces = _MARKS.split(rendered)
            layout = tuple(int(piece) if odd % 2 else piece for odd, piece in enumerate(pieces) if piece)
            if sorted(part for part in layout if isinstance(part, int)) != list(range(len(roles))):
                raise ModelError(f"The chat template in {self._folder} leaves messages out; it is of no use here.")
            self._layouts[key] = layout
        return self._layouts[key]

    def _rendered(self, roles: Sequence[Role], *, answer: bool = True, tools: Tools | None = None) -> str:
        messages = [{"role": role, "content": _MARK.format(place)} for place, role in enumerate(roles)]
        return self._render(messages, answer, tools)

    def _end_tokens(self) -> frozenset[int]:
        """Find the end of a text, and the token that the template puts behind an answer, such as <end_of_turn>."""
        ends = {self.token(self._names["eos_token"])} if "eos_token" in self._names else set()
        try:
            after = _MARKS.split(self._rendered(("user", "assistant"), answer=False))[-1]
        except _TemplateRefusal as refusal:
            raise ModelError(f"The chat template in {self._folder} refuses messages: {refusal}.") from refusal
        ends.update(self._specials(self._encode(after))[:1])
        return frozenset(token for token in ends if token is not None)


class _TemplateRefusal(Exception):
    """A template refuses to render these messages."""


def _well_formed(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate has no bytes


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


def _compiled(template: str, names: dict[str, str], folder: Path) -> Render:
    """Return a function that renders messages in a sandbox, as in transformers: a template is foreign code."""
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(reason: str) -> str:
        raise TemplateError(reason)

    def to_json(value: Any, indent: int | None = None, **_: Any) -> str:
        return json.dumps(value, ensure_ascii=False, indent=indent)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = to_json
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
    try:
        compiled = environment.from_string(template)
    except (TemplateError, RecursionError) as error:
        raise ModelError(f"The chat template in {folder} is no valid template ({error}). {ADVICE}") from error

    def render(messages: list[dict[str, str]], answer: bool, tools: Tools | None) -> str:
        try:
            return compiled.render(
                messages=messages,
                add_generation_prompt=answer,
                enable_thinking=False,
                thinking=False,
                tools=tools,
                documents=None,
                **names,
            )
        except Exception as error:  # a template is a program: it may raise anything
            raise _TemplateRefusal(str(error) or type(error).__name__) from error

    return render
