"""Names of recorded sources, which are kept in the language that the window had then, in its present one."""

from __future__ import annotations

from functools import cache
from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.look.interface_language import in_each_language

_USUAL: tuple[tuple[str, Any], ...] = (
    ("InputBox", QT_TRANSLATE_NOOP("InputBox", "Default microphone")),
    ("InputBox", QT_TRANSLATE_NOOP("InputBox", "What this computer plays: {}")),
    ("SourcePicker", QT_TRANSLATE_NOOP("SourcePicker", "Microphone and computer")),
)
"""Earshot's own names for sources, with their contexts; a gap is for the name of a device."""


def source_in_window_language(name: str) -> str:
    """Return the name of a source in the window's language; names of devices and files stay as they are."""
    for context, text, before, after in _written():
        if name.startswith(before) and name.endswith(after) and (name == before or "{}" in text):
            device = name[len(before) : len(name) - len(after)]
            return QCoreApplication.translate(context, text).replace("{}", device)
    return name


@cache
def _written() -> tuple[tuple[str, str, str, str], ...]:
    """Return context and text of each usual name, and what stands before and behind the gap in each language."""
    return tuple(
        (context, text, before, after)
        for context, text in _USUAL
        for before, _, after in (each.partition("{}") for each in in_each_language(context, text))
    )
