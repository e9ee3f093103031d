"""Live files: the newest lines, whole at any moment, and subtitles of which no cue changes."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from app.history.export.exporting import ExportChoice, write_transcript
from app.history.export.formats import ExportError
from app.history.export.live_files import check_live_file, live_file
from app.history.records import Transcript
from engine.errors import OptionError
from engine.events import SpeakerLabel
from tests.app.made_captions import better, caption, translation


def test_the_text_file_always_has_the_newest_two_lines_with_what_may_still_change(tmp_path: Path) -> None:
    path = tmp_path / "now.txt"
    path.write_text("of another day")
    file = live_file(path, translated=False)
    assert path.read_text() == ""
    file.show(caption(1, "Good morning, everyone.", final=True))
    file.show(caption(2, "Let us begin with the budget for next year, which", pending="is the", start=3))
    assert path.read_text() == "Let us begin with the budget for next\nyear, which is the\n"
    file.show(caption(3, "", pending="Yes", start=9))
    assert path.read_text() == "year, which is the\nYes\n"
    file.show(caption(3, "", start=9, revision=1))  # all its words were taken back
    assert path.read_text() == "Let us begin with the budget for next\nyear, which is the\n"
    file.close()
    assert path.read_text() == ""


def test_the_translation_stands_below_and_a_name_once(tmp_path: Path) -> None:
    path = tmp_path / "now.txt"
    file = live_file(path, translated=True)
    file.show(replace(caption(1, "Good morning.", final=True), speaker="Anna"))
    file.show(replace(caption(2, "Shall we?", start=3, final=True), speaker="Anna"))
    file.show(translation(1, "Guten Morgen."))
    assert path.read_text() == "Anna: Good morning.\nShall we?\nGuten Morgen.\n"


def test_lines_that_were_read_do_not_change(tmp_path: Path) -> None:
    first = caption(1, "Good mourning.", final=True)
    for name in ("now.txt", "now.srt"):
        file = live_file(tmp_path / name, translated=False)
        file.show(first)
        before = (tmp_path / name).read_text()
        assert "Good mourning." in before
        file.show(better(first, "Good morning."))
        assert (tmp_path / name).read_text() == before


def test_subtitles_grow_and_what_stands_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "now.srt"
    file = live_file(path, translated=False)
    seen = ""
    for number in range(1, 6):
        said = caption(number, f"This is sentence number {number}, and it is a good one.", start=5.0 * number)
        file.show(said)
        assert path.read_text() == seen  # it may still change
        file.show(replace(said, final=True, revision=1))
        assert path.read_text().startswith(seen)
        seen = path.read_text()
    file.close()
    assert path.read_text() == seen
    assert [int(each) for each in re.findall(r"^(\d+)$", seen, re.MULTILINE)] == list(range(1, 6))
    times = [each.replace(",", ".").split(" --> ") for each in re.findall(r"^.* --> .*$", seen, re.MULTILINE)]
    ends = ["00:00:00.000"]
    for start, end in times:
        assert ends[-1] <= start < end
        ends.append(end)


def test_the_words_are_those_of_an_export_made_afterwards(tmp_path: Path) -> None:
    numbers = range(1, 4)
    captions = [caption(number, f"Sentence {number} is here.", start=4.0 * number, final=True) for number in numbers]
    translations = [translation(number, f"Satz {number} ist da.", final=True) for number in numbers]
    file = live_file(tmp_path / "now.srt", translated=True)
    for said, translated in zip(captions, translations, strict=True):
        file.show(said)
        file.show(translated)
    file.close()
    later = tmp_path / "later.srt"
    write_transcript(
        later, Transcript(captions=tuple(captions), translations=tuple(translations)), ExportChoice(".srt")
    )
    words = [re.sub(r".* --> .*", "", path.read_text()) for path in (tmp_path / "now.srt", later)]
    assert words[0] == words[1]


def test_a_caption_waits_for_its_translation_until_none_will_come(tmp_path: Path) -> None:
    path = tmp_path / "now.srt"
    file = live_file(path, translated=True)
    file.show(caption(1, "Good morning.", final=True))
    assert path.read_text() == ""
    file.release()
    assert "Good morning." in path.read_text()


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"ends in \.txt or \.srt"):
        check_live_file(tmp_path / "now.doc")
    with pytest.raises(ExportError, match="does not exist"):
        check_live_file(tmp_path / "nowhere" / "now.srt")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("name", ["now.txt", "now.srt"])
def test_a_full_disk_is_reported_in_a_sentence(tmp_path: Path, name: str) -> None:
    os.symlink("/dev/full", tmp_path / name)
    with pytest.raises(ExportError, match="the disk is full"):
        file = live_file(tmp_path / name, translated=False)
        file.show(caption(1, "Good morning.", final=True))


def test_a_live_file_has_a_dash_until_the_speaker_is_sure(tmp_path: Path) -> None:
    newest, growing = (live_file(tmp_path / name, translated=False, labelled=True) for name in ("now.txt", "now.srt"))
    shown = [caption(1, "Good morning.", final=True), SpeakerLabel(1, "Speaker 1"), SpeakerLabel(1, "Speaker 2")]
    texts = []
    for each in shown[:2]:
        newest.show(each)
        growing.show(each)
        texts.append((newest.path.read_text(), "Good morning" in growing.path.read_text()))
    assert texts == [("– Good morning.\n", False), ("Speaker 1: Good morning.\n", True)]
    growing.show(shown[2])  # what stands there stays
    growing.close()
    assert growing.path.read_text().count("Speaker 1: Good morning.") == 1
