"""Replacement of words in a line."""

from __future__ import annotations

import pytest

from app.transcript.replacing import Replacement


@pytest.mark.parametrize(
    ("replacement", "text", "expected"),
    [
        (Replacement("rose beef", "roast beef"), "More Rose  beef.", "More roast beef."),
        (Replacement("rose", "tulip"), "Roses and a rose", "Roses and a tulip"),
        (Replacement("rose", "tulip", whole=False), "Roses and a rose", "tulips and a tulip"),
        (Replacement("rose", "tulip", same_case=True), "Rose, a rose", "Rose, a tulip"),
        (Replacement("C++", "Rust"), "C++ and c++!", "Rust and Rust!"),
        (Replacement(r"\1", "one"), r"it is \1", "it is one"),
        (Replacement("one", r"\1"), "one", r"\1"),
        (Replacement("Müller", "Meier"), "Frau MÜLLER", "Frau Meier"),
        (Replacement("well", ""), "Well well, yes", ", yes"),
        (Replacement("", "x"), "nothing", "nothing"),
        (Replacement("  ", "x"), "no  thing", "no  thing"),
    ],
)
def test_words_are_replaced(replacement: Replacement, text: str, expected: str) -> None:
    assert replacement.applied(text) == expected
