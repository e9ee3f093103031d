"""Templates of notes: those that come along, and files of a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import FileError
from engine.notes.template import FOLDER, TEMPLATES, load_template, parse_template


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_template_comes_in_both_languages_of_the_window(name: str, language: str) -> None:
    assert (FOLDER / language / f"{name}.md").is_file()
    english = load_template(name)
    assert [each.kind for each in load_template(name, language).sections] == [each.kind for each in english.sections]


def test_a_language_without_templates_has_the_english_ones() -> None:
    assert load_template("meeting", "fr") == load_template("meeting")


def test_a_file_is_a_template(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text("# Mine\n\n## Homework: tasks\nWhat is to be done.\nBy when.\n", encoding="utf-8")
    template = load_template(str(path))
    assert (template.title, template.sections[0].title, template.sections[0].kind) == ("Mine", "Homework", "tasks")
    assert template.sections[0].wish == "What is to be done. By when."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# Mine\n", "has no section"),
        ("# Mine\n## Homework\n", "Line 2"),
        ("## Homework: cooking\n", "summary, decisions, tasks, questions, topics"),
    ],
)
def test_a_bad_template_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(FileError, match=told):
        parse_template(text, "mine.md")


@pytest.mark.parametrize("name", ["x", "~nobody-of-that-name"])
def test_a_template_that_is_not_there_is_told(name: str) -> None:
    with pytest.raises(FileError, match=f"There is no template '{name}'"):
        load_template(name)


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(FileError, match="cannot be read as text"):
        load_template(str(path))
