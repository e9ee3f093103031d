"""Transcripts are read from files: what Earshot exports comes back, and files of others are read too."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.history.export.exporting import ExportChoice, write_transcript
from app.history.export.read_back import read_lines
from app.history.records import KeptTurn, Session, Transcript
from engine.errors import FileError
from engine.events import Caption, Translation, Word
from engine.notes.records import NoteLine, Notes, NotesSection
from engine.turns import Turn


def caption(number: int, text: str, start: float, speaker: str = "") -> Caption:
    words = tuple(Word(f" {word}", start + place, start + place + 0.5) for place, word in enumerate(text.split()))
    return Caption(number, 1, start, words[-1].end, words, (), True, words[-1].end, words[-1].end, "en", speaker)


@pytest.mark.parametrize("ending", [".txt", ".md", ".srt", ".vtt", ".json"])
def test_an_exported_transcript_is_read_back(ending: str, tmp_path: Path) -> None:
    captions = (caption(1, "Good morning.", 2.0, "Anna"), caption(2, "Hello, Anna.", 65.0, "Ben"))
    path = tmp_path / f"talk{ending}"
    write_transcript(path, Transcript(captions=captions), ExportChoice(ending))
    lines = read_lines(path)
    assert [(each.number, each.text, each.speaker) for each in lines] == [
        (1, "Good morning.", "Anna"),
        (2, "Hello, Anna.", "Ben"),
    ]
    assert [each.start for each in lines] == pytest.approx([2.0, 65.0])


@pytest.mark.parametrize("ending", [".txt", ".md", ".srt", ".vtt", ".json"])
@pytest.mark.parametrize("times", [False, True])
def test_a_translation_is_no_part_of_what_was_said(ending: str, times: bool, tmp_path: Path) -> None:
    long = "It was so late that nobody wanted to stay any longer than the last train would let us."
    captions = (caption(1, "Good morning.", 2.0, "Anna"), caption(2, long, 65.0, "Ben"), caption(3, "Yes.", 99.0))
    translations = (
        Translation(1, 1, "Bom dia.", "", "", "pt", final=True),
        Translation(2, 1, "Era tão tarde que ninguém queria ficar. " * 4, "", "", "pt", final=True),
    )
    path = tmp_path / f"talk{ending}"
    write_transcript(path, Transcript(captions=captions, translations=translations), ExportChoice(ending, times=times))
    lines = read_lines(path)
    assert (
        " ".join(each.text for each in lines if each.text != "Ben").replace("Ben: ", "") == f"Good morning. {long} Yes."
    )
    assert lines[0].speaker == "Anna"


@pytest.mark.parametrize(
    ("ending", "lines"),
    [
        (".txt", ("[23:59:58] Anna: Hi.", "[2026-11-24 00:01:40] Ben: Good night.")),
        (".md", ("**23:59:58** **Anna:** Hi.", "**2026-11-24 00:01:40** **Ben:** Good night.")),
    ],
)
def test_a_time_of_a_later_day_is_no_part_of_what_was_said(ending: str, lines: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / f"talk{ending}"
    path.write_text("\n\n".join(lines), encoding="utf-8")
    first, second = read_lines(path)
    assert (second.speaker, second.text) == ("Ben", "Good night.")
    assert second.start - first.start == 102


def test_notes_above_times_of_a_later_day_are_no_part_of_what_was_said(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("Summary\n- A note.\n\n[2026-11-24 00:01:40] Good night.\n", encoding="utf-8")
    assert [each.text for each in read_lines(path)] == ["Good night."]


def test_a_line_in_italics_among_plain_ones_was_said(tmp_path: Path) -> None:
    path = tmp_path / "film.srt"
    cues = ("One is here.\nOne is there.", "Two are here.\nTwo are there.", "Who is there?\n<i>It is me.</i>")
    times = "00:00:0{0},000 --> 00:00:0{0},900"
    path.write_text("\n\n".join(f"{n}\n{times.format(n)}\n{cue}" for n, cue in enumerate(cues, 1)), encoding="utf-8")
    assert [each.text for each in read_lines(path)][-1] == "Who is there? It is me."


def test_a_line_in_italics_was_said(tmp_path: Path) -> None:
    path = tmp_path / "film.srt"
    cues = ("<i>From far away,</i>\n<i>a voice.</i>", "Who <is> that?\n<i>Me.</i>", "{\\an8}<i>It is late.</i>")
    path.write_text("\n\n".join(f"1\n00:00:0{at},000 --> 00:00:0{at},900\n{cue}" for at, cue in enumerate(cues)))
    assert [each.text for each in read_lines(path)] == ["From far away, a voice.", "Who <is> that? Me.", "It is late."]


@pytest.mark.parametrize("ending", [".md", ".vtt", ".json"])
def test_a_name_may_hold_anything(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"talk{ending}"
    names = ("Dr: Who", "4th of the *five* people here today")
    captions = tuple(caption(number, "Good morning: yes.", number, name) for number, name in enumerate(names, 1))
    write_transcript(path, Transcript(captions=captions), ExportChoice(ending))
    assert [(each.speaker, each.text) for each in read_lines(path)] == [(name, "Good morning: yes.") for name in names]


@pytest.mark.parametrize("ending", [".txt", ".md", ".vtt", ".json"])
def test_case_what_the_format_needs_is_no_part_of_what_was_said(ending: str, tmp_path: Path) -> None:
    captions = (caption(1, "R&D is <good> at *this* file_name.", 2.0, "Anna B"), caption(2, "1. - Yes, & no.", 65.0))
    session = Session(1, "captions", "", "Microphone", "starter", "en", "", 0.0, 9.0, False, 70.0, "R&D")
    notes = Notes("meeting", (NotesSection("summary", "Summary", (NoteLine("A note.", rests_on=(1,)),)),))
    path = tmp_path / f"talk{ending}"
    transcript = Transcript(session, captions, marks=(2.0,), notes=notes)
    write_transcript(path, transcript, ExportChoice(ending))
    assert [(each.text, each.speaker) for each in read_lines(path)] == [
        ("R&D is <good> at *this* file_name.", "Anna B"),
        ("1. - Yes, & no.", ""),
    ]


@pytest.mark.parametrize("ending", [".txt", ".md"])
def test_an_exported_conversation_is_read_back(ending: str, tmp_path: Path) -> None:
    session = Session(1, "conversation", "", "Microphone", "starter", "en", "", 0.0, 9.0, False, 70.0, "R&D")
    path = tmp_path / f"talk{ending}"
    turn = KeptTurn(Turn(1, 1, "What is 2 * 3?", "Six."), 7.0)
    write_transcript(path, Transcript(session, turns=(turn,)), ExportChoice(ending))
    assert [(each.speaker, each.text, each.start) for each in read_lines(path)] == [
        ("You", "What is 2 * 3?", 7.0),
        ("Earshot", "Six.", 7.0),
    ]


@pytest.mark.parametrize("ending", [".txt", ".srt"])
def test_a_long_beginning_with_a_colon_is_a_name_where_it_comes_again(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"talk{ending}"
    name = "4th of the five people here today"
    said = ((name, "Good morning."), ("", "It came to this point: yes."), (name, "No."))
    captions = tuple(caption(number, text, 9.0 * number, speaker) for number, (speaker, text) in enumerate(said, 1))
    write_transcript(path, Transcript(captions=captions), ExportChoice(ending))
    assert [(each.speaker, each.text) for each in read_lines(path)] == list(said)


@pytest.mark.parametrize("ending", [".txt", ".srt", ".vtt", ".md"])
@pytest.mark.parametrize("times", [1, 2])
def test_the_beginning_of_a_sentence_with_a_colon_is_no_name(ending: str, times: int, tmp_path: Path) -> None:
    path = tmp_path / f"talk{ending}"
    said = ["The question is: who comes?"] * times + ["We do not know yet."] * 9
    captions = tuple(caption(number, text, 9.0 * number) for number, text in enumerate(said, 1))
    write_transcript(path, Transcript(captions=captions), ExportChoice(ending))
    assert [(each.speaker, each.text) for each in read_lines(path)] == [("", text) for text in said]


@pytest.mark.parametrize("ending", [".txt", ".srt"])
def test_a_speaker_who_is_called_by_no_name_is_one_where_lines_begin_with_speakers(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"talk{ending}"
    said = (("the host", "Good morning."), ("Dr. Ann Lee", "Hello."), ("the host", "How are you?"), ("ben", "Well."))
    captions = tuple(caption(number, text, 9.0 * number, speaker) for number, (speaker, text) in enumerate(said, 1))
    write_transcript(path, Transcript(captions=captions), ExportChoice(ending))
    assert [(each.speaker, each.text) for each in read_lines(path)] == list(said)


@pytest.mark.parametrize("ending", [".srt", ".vtt"])
def test_a_caption_that_takes_several_cues_is_one_line_of_its_speaker(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"talk{ending}"
    long = "It was so late, said Mr. Lee, that nobody of us wanted to stay any longer than the last train would let us."
    said = (("Anna", long), ("", "They left. Nobody stayed."), ("Ben", "Did you go"), ("Anna", "home?"))
    captions = tuple(caption(number, text, 30.0 * number, speaker) for number, (speaker, text) in enumerate(said, 1))
    write_transcript(path, Transcript(captions=captions), ExportChoice(ending))
    lines = read_lines(path)
    assert [(each.speaker, each.text) for each in lines] == list(said)
    assert [each.start for each in lines] == pytest.approx([30.0, 60.0, 90.0, 120.0])
    assert lines[0].end == pytest.approx(captions[0].end, abs=1.0)


def test_voices_of_webvtt_are_speakers(tmp_path: Path) -> None:
    path = tmp_path / "a.vtt"
    path.write_text("WEBVTT\n\n1\n00:01.000 --> 00:02.500\n<v Anna Bell>Hello <i>there</i>.\n", encoding="utf-8")
    (line,) = read_lines(path)
    assert (line.text, line.speaker, line.start, line.end) == ("Hello there.", "Anna Bell", 1.0, 2.5)


def test_a_plain_text_has_neither_times_nor_speakers(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("It was late when we came to the point that mattered: nobody knew.\n\nYes.\n", encoding="utf-8")
    assert [(each.text, each.speaker, each.start) for each in read_lines(path)] == [
        ("It was late when we came to the point that mattered: nobody knew.", "", 0.0),
        ("Yes.", "", 0.0),
    ]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.json", b"[]", "no transcript of Earshot's"),
        ("a.json", b"{", "no transcript of Earshot's"),
        ("a.json", b"[" * 100_000, "no transcript of Earshot's"),
        ("a.txt", b"\xff\xfe\xff", "no text in UTF-8"),
        ("a.srt", b"", "Nothing is said"),
        ("a.txt", b"# Title\n...\n", "Nothing is said"),
    ],
)
def test_a_file_without_a_transcript_is_refused_in_a_sentence(
    name: str, content: bytes, told: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError, match=told):
        read_lines(path)
