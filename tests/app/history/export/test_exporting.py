"""A transcript as files, the way a person chose."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from app.history.export.exporting import (
    ENDINGS,
    OUTDATED,
    ExportChoice,
    files_of,
    plain_text,
    preview,
    rendered,
    write_transcript,
)
from app.history.export.formats import ExportError
from app.history.export.word_file import TextRun, to_docx
from app.history.records import KeptTurn, Session, Transcript
from engine.turns import Turn, TurnStats
from tests.app.made_captions import caption, translation

SESSION = Session(1, "captions", "A *budget* talk", "Microphone", "starter", "en", "de", 1_000_000, None, False, 9, "")


@pytest.fixture
def transcript() -> Transcript:
    return Transcript(
        SESSION,
        (caption(0, "Good morning.", final=True), caption(1, "1. And a [link].", start=4.0, final=True)),
        (translation(0, "Guten Morgen.", final=True), translation(1, "1. Und ein [Link].", final=True)),
        (),
        {0: (1.0, 1.5), 1: (5.0, 5.5, None, 6.5)},
    )


@pytest.fixture
def talk() -> Transcript:
    turn = Turn(1, 0, "What is it?", "A tree.", stats=TurnStats(0.3, 0.4, 0.5))
    later = Turn(2, 0, "And that?", "", "interrupted")
    return Transcript(SESSION, turns=(KeptTurn(turn, 1_000_003.0), KeptTurn(later, 1_000_009.0)))


def written(path: Path, transcript: Transcript, **choices: object) -> dict[str, str]:
    files = write_transcript(path, transcript, ExportChoice(ending=path.suffix, **choices))  # type: ignore[arg-type]
    return {file.name: read(file) for file in files}


def read(file: Path) -> str:
    """Return the text of a file; of a Word document paragraph by paragraph."""
    if file.suffix != ".docx":
        return file.read_text(encoding="utf-8")
    with zipfile.ZipFile(file) as package:
        body = ElementTree.fromstring(package.read("word/document.xml"))
    return "\n".join("".join(each.itertext()) for each in body.iter(f"{{{WORD}}}p"))


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def test_subtitles_hold_both_languages(tmp_path: Path, transcript: Transcript) -> None:
    (text,) = written(tmp_path / "talk.srt", transcript).values()
    assert "Good morning.\n<i>Guten Morgen.</i>\n" in text
    assert "00:00:04,000 --> " in text


@pytest.mark.parametrize(
    ("parts", "there", "missing"),
    [("spoken", "Good morning.", "Guten Morgen."), ("translation", "Guten Morgen.", "Good morning.")],
)
@pytest.mark.parametrize("ending", [each for each in ENDINGS if each != ".rttm"])  # which has no text
def test_one_language_can_be_left_out(
    tmp_path: Path, transcript: Transcript, ending: str, parts: str, there: str, missing: str
) -> None:
    (text,) = written(tmp_path / f"talk{ending}", transcript, parts=parts).values()
    assert there in text
    assert missing not in text


@pytest.mark.parametrize("ending", [each for each in ENDINGS if each != ".rttm"])
@pytest.mark.parametrize("parts", ["both", "translation"])
def test_the_translation_of_what_was_corrected_since_bears_a_sign(
    tmp_path: Path, transcript: Transcript, ending: str, parts: str
) -> None:
    corrected = replace(transcript, heard={0: "God morning."})
    assert OUTDATED not in "".join(written(tmp_path / f"talk{ending}", transcript, parts=parts).values())
    (text,) = written(tmp_path / f"talk{ending}", corrected, parts=parts).values()
    first, _, _ = text.partition("1. Und")
    assert OUTDATED in first.replace("\\", "")
    assert OUTDATED not in text.removeprefix(first).replace("\\", "")


def test_each_language_can_have_a_file_of_its_own(tmp_path: Path, transcript: Transcript) -> None:
    files = written(tmp_path / "talk.vtt", transcript, parts="separate")
    assert list(files) == ["talk.en.vtt", "talk.de.vtt"]
    assert "Guten" not in files["talk.en.vtt"]
    assert "Good" not in files["talk.de.vtt"]
    assert "00:00:04.000 --> " in files["talk.de.vtt"]


def test_only_what_begins_in_a_time_is_written(tmp_path: Path, transcript: Transcript, talk: Transcript) -> None:
    (text,) = written(tmp_path / "talk.srt", transcript, begin_seconds=2.0).values()
    assert "Good morning." not in text
    assert "00:00:04,000 --> " in text
    (text,) = written(tmp_path / "talk.txt", transcript, end_seconds=4.0).values()
    assert text == "[0:00:00] Good morning.\n> Guten Morgen.\n"
    (text,) = written(tmp_path / "talk.txt", talk, begin_seconds=5.0).values()
    assert text == "[0:00:09] You: And that?\n"


def test_markdown_has_a_title_and_no_marks_of_the_speakers_own(tmp_path: Path, transcript: Transcript) -> None:
    (text,) = written(tmp_path / "talk.md", transcript, times=False).values()
    lines = text.split("\n\n")
    assert lines[0] == r"# A \*budget\* talk"
    assert lines[1].endswith("· Microphone · starter*")
    assert lines[2:] == ["Good morning.", "> Guten Morgen.", r"1\. And a \[link\].", "> 1\\. Und ein \\[Link\\].\n"]


def test_markdown_says_when_something_was_said(tmp_path: Path, transcript: Transcript, talk: Transcript) -> None:
    (text,) = written(tmp_path / "talk.md", transcript).values()
    assert "**0:00:04** 1" in text
    (text,) = written(tmp_path / "answers.md", talk).values()
    assert "**0:00:03** **You:** What is it?\n\n**Earshot:** A tree." in text


def test_json_holds_the_delay_of_every_word(tmp_path: Path, transcript: Transcript) -> None:
    (text,) = written(tmp_path / "talk.json", transcript).values()
    record = json.loads(text)
    assert (record["title"], record["language"], record["audio_seconds"]) == ("A *budget* talk", "en", 5.6)
    words = [word for each in record["captions"] for word in each["words"]]
    assert [(word["shown"], word["delay"]) for word in words[:3]] == [(1.0, 0.6), (1.5, 0.7), (5.0, 0.6)]
    assert [word["delay"] for word in words] == [0.6, 0.7, 0.6, 0.7, None, 0.9]
    assert record["captions"][0]["translation"] == {"language": "de", "text": "Guten Morgen."}
    (text,) = written(tmp_path / "talk.json", transcript, delays=False).values()
    assert "delay" not in text


def test_json_holds_a_conversation(tmp_path: Path, talk: Transcript) -> None:
    (text,) = written(tmp_path / "talk.json", talk).values()
    first = json.loads(text)["turns"][0]
    assert (first["asked"], first["answered"], first["seconds"]) == ("What is it?", "A tree.", 3.0)
    assert first["first_sound_seconds"] == 0.5


def test_text_has_times_only_if_wanted(transcript: Transcript) -> None:
    assert plain_text(transcript, ExportChoice(times=False)).startswith("Good morning.\n> Guten Morgen.\n\n1.")
    assert plain_text(transcript, ExportChoice()).startswith("[0:00:00] Good morning.")


def test_a_preview_is_how_the_file_begins(transcript: Transcript) -> None:
    for ending in ENDINGS[:4]:
        choice = ExportChoice(ending=ending)
        assert rendered(transcript, choice).startswith(preview(transcript, choice).rstrip("\n"))


def test_nothing_is_written_where_one_of_the_files_cannot_be(tmp_path: Path, transcript: Transcript) -> None:
    (tmp_path / "talk.de.srt").mkdir()
    choice = ExportChoice(parts="separate")
    assert len(files_of(tmp_path / "talk.srt", transcript, choice)) == 2
    with pytest.raises(ExportError, match="it is a folder"):
        write_transcript(tmp_path / "talk.srt", transcript, choice)
    assert not (tmp_path / "talk.en.srt").exists()


def test_a_word_document_has_a_title_times_and_the_translation(
    tmp_path: Path, transcript: Transcript, talk: Transcript
) -> None:
    (text,) = written(tmp_path / "talk.docx", transcript).values()
    lines = text.split("\n")
    assert lines[0] == "A *budget* talk"
    assert lines[2:4] == ["0:00:00  Good morning.", "Guten Morgen."]
    (text,) = written(tmp_path / "answers.docx", talk).values()
    assert "You: What is it?\nEarshot: A tree." in text
    odd = replace(transcript, captions=(caption(0, "<b> & \x00\x0b</b>", final=True),), translations=())
    (text,) = written(tmp_path / "odd.docx", odd).values()
    assert "<b> & " in text
    first = (tmp_path / "talk.docx").read_bytes()
    written(tmp_path / "talk.docx", transcript)
    assert (tmp_path / "talk.docx").read_bytes() == first


@pytest.mark.parametrize("said", ["=1+2", "+49 30 1234", "-1", "@SUM(A1)", "＝1", '=HYPERLINK("http://x")'])
def test_in_a_table_no_words_are_a_formula(tmp_path: Path, transcript: Transcript, said: str) -> None:
    odd = replace(transcript, captions=(caption(0, said, final=True),), translations=())
    write_transcript(tmp_path / "talk.csv", odd, ExportChoice(".csv"))
    with (tmp_path / "talk.csv").open(encoding="utf-8-sig", newline="") as file:
        titles, row = csv.reader(file)
    assert titles == ["start", "end", "text"]
    assert row[2] == f"'{said}"
    assert [float(each) for each in row[:2]]


def test_a_table_holds_translations_and_conversations(tmp_path: Path, transcript: Transcript, talk: Transcript) -> None:
    (text,) = written(tmp_path / "talk.csv", transcript).values()
    titles, first, *_ = csv.reader(text.lstrip("\ufeff").splitlines())
    assert titles == ["start", "end", "text", "translation"]
    assert first[2:] == ["Good morning.", "Guten Morgen."]
    (text,) = written(tmp_path / "answers.csv", talk).values()
    assert list(csv.reader(text.lstrip("\ufeff").splitlines()))[1] == ["3.000", "What is it?", "A tree."]


@pytest.mark.parametrize("character", ["\ufffe", "\uffff", "\x0b", "\ud800", "\x00"])
def test_case_a_word_document_opens_whatever_was_said(character: str) -> None:
    with zipfile.ZipFile(io.BytesIO(to_docx([[TextRun(f"a{character}b <&>")]]))) as package:
        said = "".join(ElementTree.fromstring(package.read("word/document.xml")).itertext())
    assert "".join(said.split()) == "ab<&>"


@pytest.mark.parametrize(
    ("text", "leftwards"),
    [
        ("مرحبا بكم في 2026.", True),
        ("(14:30) שלום Anna!", True),
        ("Hello مرحبا.", False),
        ("14:30", False),
        ("", False),
    ],
)
def test_case_a_word_document_is_read_in_the_direction_of_its_lines(text: str, *, leftwards: bool) -> None:
    word = f"{{{WORD}}}"
    document = to_docx([[TextRun("0:05  Anna: ", bold=True), TextRun(text, italic=True)]])
    with zipfile.ZipFile(io.BytesIO(document)) as package:
        (paragraph,) = ElementTree.fromstring(package.read("word/document.xml")).iter(f"{word}p")
    assert (paragraph.find(f"{word}pPr/{word}bidi") is not None) == leftwards
    for run in paragraph.iter(f"{word}rPr"):
        assert (run.find(f"{word}rtl") is not None) == leftwards
        assert (run.find(f"{word}szCs") is not None) == leftwards


CODE = "```python\ndef twice(x):\n    return x * 2\n```"


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (".txt", f"Earshot: Like *this*:\n{CODE}\nThat is all."),
        (".md", f"**Earshot:** Like \\*this\\*:\n\n{CODE}\n\nThat is all."),
        (".docx", f"Earshot: Like *this*:\n{CODE}\nThat is all."),
    ],
)
def test_code_in_an_answer_keeps_its_lines(ending: str, expected: str) -> None:
    reply = f"Like *this*:\n\n{CODE}\n\nThat is\nall."
    talk = Transcript(None, turns=(KeptTurn(Turn(1, 0, "How?", reply), 5.0),))
    assert expected in preview(talk, ExportChoice(ending))


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (".txt", "Earshot: Two colours:\n1. Red.\n2. Blue, like the sky.\nThat is all."),
        (".md", "**Earshot:** Two colours:  \n1\\. Red.  \n2\\. Blue, like the sky.  \nThat is all."),
        (".docx", "Earshot: Two colours:\n1. Red.\n2. Blue, like the sky.\nThat is all."),
    ],
)
def test_a_list_in_an_answer_keeps_its_items(ending: str, expected: str) -> None:
    reply = "Two\ncolours:\n\n1. Red.\n2. Blue,\nlike the sky.\n\nThat is all."
    talk = Transcript(None, turns=(KeptTurn(Turn(1, 0, "How?", reply), 5.0),))
    assert expected in preview(talk, ExportChoice(ending))


def test_code_that_begins_an_answer_or_was_cut_off_is_code_in_markdown() -> None:
    talk = Transcript(None, turns=(KeptTurn(Turn(1, 0, "How?", "```\nx = 1"), 5.0),))
    assert "**Earshot:** \n\n```\nx = 1\n```\n" in preview(talk, ExportChoice(".md"))
