"""Problems that the engine and the threads tell in English are said in the language of the window."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.look.interface_language import SOURCES, install
from app.look.problems import KNOWN, OF_THE_SYSTEM, in_words

ENGINE = SOURCES.parent / "engine"
TOLD = (SOURCES / "sound", SOURCES / "history", SOURCES / "transcription", SOURCES / "tuning", ENGINE / "audio")
ON_THE_COMMAND_LINE = (
    "standard input",
    "Standard input",
    "The voice gate's weights",
    "as two sides",
    "A live file ends in",  # the window names its own
    "Nothing is said in",  # of transcripts in files, as are these four
    "too large for a transcript",
    "is no text in UTF-8",
    "holds no transcript of Earshot's",
    "cannot be kept until its end",  # said of pipes
)
NO_ERRORS = ("OSError", "ValueError", "DatabaseError", "TypeError", "RuntimeError")


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    assert install(qapp, "de") == "de"
    yield
    install(qapp, "en")


def sentence(node: ast.AST) -> str | None:
    """Return a text of the source, with {} for each value in it; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)
    return None


def nodes(place: Path) -> Iterator[ast.AST]:
    for file in sorted(place.rglob("*.py")):
        yield from ast.walk(ast.parse(file.read_text(encoding="utf-8")))


def test_every_sentence_that_is_known_is_told_somewhere() -> None:
    itself = SOURCES / "look" / "problems.py"
    told = {
        text
        for place in (SOURCES, ENGINE)
        for file in place.rglob("*.py")
        if file != itself
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if (text := sentence(node)) is not None
    }
    assert set(KNOWN) - told == set()
    assert len(set(KNOWN) | set(OF_THE_SYSTEM)) == len(KNOWN) + len(OF_THE_SYSTEM)


def test_every_problem_of_sound_files_and_the_history_is_known() -> None:
    unknown = [
        text
        for place in TOLD
        for node in nodes(place)
        if isinstance(node, ast.Call) and node.args
        if (name := node.func.id if isinstance(node.func, ast.Name) else "").endswith(("Error", "Unavailable"))
        if name not in NO_ERRORS
        if (text := sentence(node.args[0])) is not None and text not in KNOWN
        if not any(each in text for each in ON_THE_COMMAND_LINE)
    ]
    assert unknown == []


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("english", "told"),
    [
        (
            "/tmp/a talk.wav cannot be opened: it is damaged, or not an audio or video file.",
            "/tmp/a talk.wav lässt sich nicht öffnen: Die Datei ist beschädigt oder keine Audio- oder Videodatei.",
        ),
        ("The microphone 'Headset' was disconnected.", "Das Mikrofon „Headset“ wurde getrennt."),
        ("Cannot write /a/b.srt: the disk is full.", "/a/b.srt lässt sich nicht schreiben: Der Datenträger ist voll."),
        (
            "The system names no default microphone. Choose one of: Headset, Camera.",
            "Das System nennt kein Standardmikrofon. Zur Wahl stehen: Headset, Camera.",
        ),
        (
            "line 3: expected 'term = translation', not 'x'.",
            "Zeile 3: „Begriff = Übersetzung“ wird erwartet, nicht „x“.",
        ),
        ("Something that nobody has foreseen.", "Something that nobody has foreseen."),
        ("", ""),
    ],
)
def test_a_problem_is_told_in_german_with_its_names(english: str, told: str) -> None:
    assert in_words(english) == told
    assert in_words(told) == told


def test_in_english_it_is_as_it_was_told() -> None:
    assert in_words("The microphone 'Headset' was disconnected.") == "The microphone 'Headset' was disconnected."


def test_case_speech_in_another_language_is_told_in_the_language_of_the_window(german: None) -> None:
    told = in_words(
        "This sounds like French, but the model hears English only. "
        "A model on this computer knows it: choose it under Models or with --model."
    )
    assert told.startswith("Das klingt nach Französisch, aber das Modell hört nur Englisch. Ein Modell")
