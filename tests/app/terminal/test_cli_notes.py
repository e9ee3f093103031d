"""`earshot notes`: of a transcript, of a recording, of a kept session, and of what is none of these."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from app.history.kept.schema import FILE_NAME
from app.history.store import HistoryStore
from app.terminal import said
from app.terminal.cli import main
from tests.app.history.export.test_read_back import caption

TALK = """\
[0:02] Anna: The blue paint is cheaper, and it dries faster.
[0:08] Ben: Okay, then we take the blue one.
[0:12] Anna: Agreed. I'll order it by Friday.
[0:20] Ben: Who paints the ceiling?
[0:24] Anna: I don't know yet.
"""


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.txt"
    path.write_text(TALK, encoding="utf-8")
    return path


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the history in a folder of the test."""
    monkeypatch.setattr(said, "data_folder", lambda: tmp_path)
    return tmp_path / "history" / FILE_NAME


def test_notes_are_printed_as_markdown(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notes", str(talk)]) == 0
    out, err = capsys.readouterr()
    assert "## Decisions\n\n- Okay, then we take the blue one. (0:08, 0:12)" in out
    assert "- **Anna, by Friday:** Agreed. I'll order it by Friday. (0:12)" in out
    assert "- Who paints the ceiling? (0:20, 0:24)" in out
    assert "No language model wrote this" in err


def test_a_text_without_times_is_told_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "talk.txt"
    path.write_text(re.sub(r"\[.*?\] ", "", TALK), encoding="utf-8")
    assert main(["notes", str(path)]) == 0
    assert "- Okay, then we take the blue one.\n" in capsys.readouterr().out


def test_json_has_the_lines_that_each_note_rests_on(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notes", str(talk), "--json", "--template", "one-to-one"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [section["title"] for section in record["sections"]] == [
        "In short",
        "Agreed",
        "Next steps",
        "To be talked about",
    ]
    (task,) = record["sections"][2]["lines"]
    assert task == {
        "text": "Agreed. I'll order it by Friday.",
        "who": "Anna",
        "when": "by Friday",
        "lines": [3],
        "seconds": [12.0],
    }


def test_a_german_transcript_has_german_headings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("Jonas: Gut, dann nehmen wir die Halle.\nLeyla: Ich rufe morgen an.\n", encoding="utf-8")
    assert main(["notes", str(path)]) == 0
    assert "## Beschlüsse" in capsys.readouterr().out


@pytest.mark.parametrize("named", ["last", "monday"])
def test_a_kept_session_is_found_by_its_title(named: str, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = HistoryStore(data)
    session = store.begin("captions", "Monday meeting", "microphone", "starter", "en")
    store.put_caption(session, caption(1, "Okay, then we take the blue one.", 3.0, "Ben"))
    store.end(session)
    store.close()
    assert main(["notes", named]) == 0
    assert "- Okay, then we take the blue one. (0:03)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["missing.srt"], "There is no file missing.srt."),
        (["Monday"], "There is no file Monday, and no history yet."),
        (["~nobody-of-that-name"], "There is no file ~nobody-of-that-name, and no history yet."),
        ([os.devnull], f"{os.devnull} is a pipe or a device, not a file, and no history yet."),
        (["TALK", "--template", "x"], "There is no template 'x'"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(
    arguments: list[str], told: str, talk: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["notes", *(str(talk) if each == "TALK" else each for each in arguments)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("earshot: ") and told in err and err.count("\n") == 1


def test_an_export_that_is_not_read_is_no_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "talk.docx").write_bytes(b"PK")
    assert main(["notes", str(tmp_path / "talk.docx")]) == 1
    assert "talk.docx cannot be read back. Name a .txt, .md, .srt, .vtt, .json file" in capsys.readouterr().err


def test_a_source_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notes", " "]) == 2
    told = "earshot: Name a transcript: a file, 'last', or words of a kept session's title.\n"
    assert capsys.readouterr().err == told


def test_a_session_that_is_not_there_names_those_that_are(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = HistoryStore(data)
    store.begin("captions", "Monday meeting", "microphone", "starter", "en")
    store.close()
    assert main(["notes", "Tuesday"]) == 1
    assert "“Monday meeting”" in capsys.readouterr().err


@pytest.mark.parametrize("option", [("--model", "nosuch"), ("--speakers",)])
def test_what_is_about_hearing_is_refused_for_a_transcript(
    option: tuple[str, ...], talk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["notes", str(talk), *option]) == 2
    assert capsys.readouterr().err.startswith(f"earshot: {option[0]} is about hearing: ")
