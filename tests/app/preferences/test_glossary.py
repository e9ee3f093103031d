"""Glossary files."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.preferences.glossary import read_glossary
from engine.errors import FileError


def test_terms_come_in_order_without_comments_and_repetitions(tmp_path: Path) -> None:
    path = tmp_path / "terms.txt"
    lines = ["\ufeff# people", "Earshot = Earshot", "", "  beam search=Strahlensuche  ", "# a = b = c"]
    lines += ["earshot = Earshot", "E=mc² = E=mc²"]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert read_glossary(path) == (("Earshot", "Earshot"), ("beam search", "Strahlensuche"), ("E=mc²", "E=mc²"))


def test_a_file_of_comments_is_an_empty_glossary(tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text("# nothing yet\n")
    assert read_glossary(tmp_path / "terms.txt") == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a = b\n\nno sign\n", "line 3: expected 'term = translation', not 'no sign'"),
        (b"= b\n", "line 1: expected"),
        (b"a =\n", "line 1: expected"),
        (b"cat = Katze\ndog = Hund\nCat = Kater\n", "line 3: 'Cat' is to be 'Kater', but 'Katze' in line 1"),
        (b"a = b\nc = \xff\n", "line 2: this is not UTF-8 text"),
        (b"a = b\0\n", "binary data"),
        (b"a = b\n" * 200_000, "longer than 1 MB"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "terms.txt").write_bytes(content)
    with pytest.raises(FileError, match=r"terms\.txt") as caught:
        read_glossary(tmp_path / "terms.txt")
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["missing.txt", ""])
def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        read_glossary(tmp_path / name)
