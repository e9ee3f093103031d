"""Requests that mean something only behind what was said before: "and in German?", "repeat that"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.answer.tools.recognition import FOLLOW_UP, recognise
from engine.answer.tools.table import TOOLS, Call


class Said(Protocol):
    """One turn of the conversation."""

    @property
    def user(self) -> str: ...

    @property
    def reply(self) -> str: ...


def call_in(text: str, history: Sequence[Said]) -> Call | None:
    """Find the tool that a text asks for behind these turns, oldest first; None where it asks for none."""
    asked = recognise(text)
    if asked is None or asked.name != FOLLOW_UP:
        return asked.call if asked is not None else None
    language = asked.arguments["language"]
    for turn in reversed(history):
        before = recognise(turn.user)
        if before is not None and before.name == FOLLOW_UP:
            continue
        if before is not None and before.name == "translate_captions":
            return Call(TOOLS["translate_captions"], asked.language, {"language": language}, asked.ending)
        said = before.arguments["text"] if before is not None and before.name == "translate_phrase" else turn.reply
        return Call(TOOLS["translate_phrase"], asked.language, {"text": said, "language": language}, asked.ending)
    return None
