"""Transcripts for tests of notes, written as plain lines."""

from __future__ import annotations

from engine.notes.records import SaidLine


def said(*rows: str) -> list[SaidLine]:
    """Make lines of "Anna: Hello."; each begins five seconds after the one before it."""
    pairs = enumerate((row.split(": ", 1) for row in rows), 1)
    return [SaidLine(number, text, number * 5.0, number * 5.0 + 4, name) for number, (name, text) in pairs]
