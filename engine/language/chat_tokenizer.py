"""Messages and text to tokens and back, by a vocabulary and a chat template.

A message is only ever text: a token with a meaning for the model, such as its end of a turn, comes from the chat
template alone, however a message is spelled.

The template runs on the same library as in Hugging Face's transformers, but without transformers, whose import takes
longer than everything else at start.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from engine.errors import ModelError
from engine.weights.safetensors import ADVICE

Role = Literal["system", "user", "assistant"]
_MARK = "\ue000{}\ue001"  # stands for a message's text while the template is rendered; private-use characters
_MARKS = re.compile("\ue000(\\d+)\ue001")
Tools = Sequence[Mapping[str, Any]]
Render = Callable[[list[dict[str, str]], bool, "Tools | None"], str]
_PROBE = {"type": "function", "function": {"name": "probe_tool", "description": "", "parameters": {"type": "object"}}}
MOST_CHARACTERS = 200  # longest message of the library, which may be as long as the file


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation; the spaces around its text don't count."""

    role: Role
    text: str


class Vocabulary(Protocol):
    """Text to tokens and back, without a chat template.

    Attributes:
        size: number of its tokens; ids are below.
        special: tokens with a meaning for the model, with their texts.
    """

    @property
    def size(self) -> int: ...

    @property
    def special(self) -> Mapping[int, str]: ...

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text; one that spells a special token is read as that token."""

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens, without special tokens."""

    def token(self, text: str) -> int | None:
        """Return the id of a token by its own text; None if there is none."""


class ChatTokenizer:
    """A vocabulary with a chat template, and the tokens that end an answer.

    Attributes:
        size: number of its tokens; ids are below.
        end_tokens: any of them ends an answer.
    """

    def __init__(self, place: Path, vocabulary: Vocabulary, template: str, names: Mapping[str, str]) -> None:
        """Use the template of a model in `place`; `names` are its tokens that templates use by name.

        Raises ModelError if the template is no valid one.
        """
        self._place = place
        self._vocabulary = vocabulary
        self._names = names
        self._render = _compiled(template, names, place)
        self.size = vocabulary.size
        self._special = vocabulary.special
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
        return self._vocabulary.decode(tokens).rstrip("�")

    def token(self, text: str) -> int | None:
        """Return the id of a token by its own text; None if there is none."""
        return self._vocabulary.token(text)

    def _encode(self, text: str) -> list[int]:
        return self._vocabulary.encode(well_formed(text))

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
                    raise ModelError(f"The chat template in {self._place} refuses messages: {refusal}.") from refusal
                joined = self._layout(roles[1:], tools=tools)
                shifted = [part + 1 if isinstance(part, int) else part for part in joined]
                first = shifted.index(1)
                self._layouts[key] = (*shifted[:first], 0, "\n\n", *shifted[first:])
                return self._layouts[key]
            pieces = _MARKS.split(rendered)
            layout = tuple(int(piece) if odd % 2 else piece for odd, piece in enumerate(pieces) if piece)
            if sorted(part for part in layout if isinstance(part, int)) != list(range(len(roles))):
                raise ModelError(f"The chat template in {self._place} leaves messages out; it is of no use here.")
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
            raise ModelError(f"The chat template in {self._place} refuses messages: {refusal}.") from refusal
        ends.update(self._specials(self._encode(after))[:1])
        return frozenset(token for token in ends if token is not None)


class _TemplateRefusal(Exception):
    """A template refuses to render these messages."""


def well_formed(text: str) -> str:
    """Return a text that has bytes: a lone surrogate has none."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _compiled(template: str, names: Mapping[str, str], place: Path) -> Render:
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
        raise ModelError(f"The chat template in {place} is no valid template ({error}). {ADVICE}") from error

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
