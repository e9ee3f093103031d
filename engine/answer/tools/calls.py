"""Tools as a language model learns of them, and its calls, which are read strictly: a model's text is never trusted.

Models that were taught to call tools learn of them by their chat template, as JSON schemas; others in a few plain
words. Their text is a call only if it is nothing else, names one of these tools, and has the tool's arguments. Text
that only looks like a call is not said either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from engine.answer.tools.arithmetic import parse
from engine.answer.tools.dates import MOST_TIMER_SECONDS, read_duration
from engine.answer.tools.numbers import read_number
from engine.answer.tools.table import TOOLS, Call
from engine.answer.tools.units import converted, find_unit
from engine.translate.languages import NAMES

CALLABLE: Mapping[str, Mapping[str, str]] = {
    "time": {},
    "calculate": {"expression": "such as 12 * 80"},
    "convert": {"number": "how much", "unit": "such as miles", "target": "such as kilometres"},
    "translate_phrase": {"text": "the words", "language": "such as French"},
    "start_captions": {},
    "stop_captions": {},
    "translate_captions": {"language": "such as German"},
    "text_larger": {},
    "text_smaller": {},
    "mark_place": {},
    "export_subtitles": {},
    "timer": {"seconds": "for how long"},
    "said_about": {"topic": "what was spoken of in the meeting"},
    "missed": {},
}
"""The tools that a model may call, with a description of each argument."""

_OPENINGS = ("{", "[{", "<tool_call>", "[TOOL_CALLS]", "<|python_tag|>", "```json")
_SHOWN = re.compile(
    r"```(?:json)?[\s\[{]*\"([^\"]*)\"\s*:(?:\s*\"([^\"]*)\")?"
)  # first key of a block of JSON, and its value
_KEYS = ("name", "arguments", "parameters", "type", "function")
_AROUND = re.compile(
    r"(?:<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|```(?:json)?)?\s*(\{.*\}|\[\s*\{.*\}\s*\])\s*(?:</tool_call>|```)?",
    re.DOTALL,
)
_MOST_CHARACTERS, MOST_ARGUMENT = 2_000, 1_000


def schemas() -> list[dict[str, Any]]:
    """Describe the tools in the format of chat templates."""
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": TOOLS[name].does,
                "parameters": {
                    "type": "object",
                    "properties": {key: {"type": "string", "description": what} for key, what in takes.items()},
                    "required": list(takes),
                },
            },
        }
        for name, takes in CALLABLE.items()
    ]


def in_plain_words() -> str:
    """Describe the tools to a model whose template has no place for them."""
    named = "; ".join(f"{name}({', '.join(takes)})" for name, takes in CALLABLE.items())
    return (
        f"You can also do: {named}. Only if the user asks for one of these, answer with nothing but JSON such as "
        '{"name": "timer", "arguments": {"seconds": "300"}}.'
    )


def may_be_call(text: str) -> bool:
    """Return whether an answer with this beginning may become a call.

    A block of JSON that calls nothing is what the user wanted to see.
    """
    begun = text.lstrip()
    if shown := _SHOWN.match(begun):
        key, value = shown.groups()
        if key not in _KEYS or (key == "name" and value is not None and value not in CALLABLE):
            return False
    return any(begun.startswith(opening) or opening.startswith(begun) for opening in _OPENINGS)


def read_call(text: str) -> Call | None:
    """Read a whole answer as the call of one tool; return None if it is no valid one."""
    found = _AROUND.fullmatch(text.strip()) if len(text) <= _MOST_CHARACTERS else None
    if found is None:
        return None
    try:
        content = json.loads(found[1])
    except (ValueError, RecursionError):
        return None
    if isinstance(content, list):
        content = content[0] if len(content) == 1 else None
    if not isinstance(content, dict):
        return None
    name, given = content.get("name"), content.get("arguments", content.get("parameters", {}))
    if (
        not isinstance(name, str)
        or name not in CALLABLE
        or not isinstance(given, dict)
        or set(given) - set(CALLABLE[name])
    ):
        return None
    arguments = _checked(name, {key: str(value).strip() for key, value in given.items()})
    return None if arguments is None else Call(TOOLS[name], "en", arguments)


def _checked(name: str, given: dict[str, str]) -> dict[str, str] | None:
    """Return the arguments in the form that the tool accepts; None if one is missing or makes no sense."""
    if set(given) != set(CALLABLE[name]) or not all(0 < len(value) <= MOST_ARGUMENT for value in given.values()):
        return None
    check = _CHECKS.get(name)
    return given if check is None else check(given)


def _sum(given: dict[str, str]) -> dict[str, str] | None:
    return given if parse(given["expression"], "en") else None


def _measure(given: dict[str, str]) -> dict[str, str] | None:
    number, unit, target = (
        read_number(given["number"], "en"),
        find_unit(given["unit"], "en"),
        find_unit(given["target"], "en"),
    )
    known = (
        number is not None and unit is not None and target is not None and converted(number, unit, target) is not None
    )
    return given if known else None


def _spoken(given: dict[str, str]) -> dict[str, str] | None:
    language = given["language"].casefold()
    codes = {name.casefold(): code for code, name in NAMES.items()}
    code = codes.get(language, language if language in NAMES else None)
    return None if code is None else given | {"language": code}


def _wait(given: dict[str, str]) -> dict[str, str] | None:
    said = given["seconds"]
    number = read_number(said, "en")
    seconds = float(number) if number is not None else read_duration(said, "en")
    if seconds is None or not 1 <= seconds <= MOST_TIMER_SECONDS:
        return None
    return {"seconds": f"{seconds:g}"}


_CHECKS: Mapping[str, Callable[[dict[str, str]], dict[str, str] | None]] = {
    "calculate": _sum,
    "convert": _measure,
    "translate_phrase": _spoken,
    "translate_captions": _spoken,
    "timer": _wait,
}
