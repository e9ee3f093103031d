"""The last transcript on disk."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from app.history.export import ExportError
from app.history.last_captions import LastCaptions
from engine.errors import EngineError
from tests.app.captions import caption, translation


@pytest.fixture
def last(tmp_path: Path) -> LastCaptions:
    return LastCaptions(tmp_path / "new" / "folder")


def test_captions_come_back_with_their_words_and_times(last: LastCaptions) -> None:
    kept = (caption(0, "Good morning.", final=True), caption(3, "Grüße, 世界!", start=4.0, final=True))
    last.keep(kept)
    given = last.give_back()
    assert [(each.id, each.text, each.final, each.language) for each in given] == [
        (0, "Good morning.", True, "en"),
        (3, "Grüße, 世界!", True, "en"),
    ]
    assert given[1].committed == kept[1].committed


def test_translations_come_back_with_their_captions(last: LastCaptions) -> None:
    kept = (caption(0, "Good morning.", final=True), caption(3, "Bye.", start=4.0, final=True))
    last.keep(kept, [translation(3, "世界, tschüs!", final=True, language="zh")])
    assert [each.id for each in last.give_back()] == [0, 3]
    (given,) = last.give_back_translations()
    assert (given.id, given.text, given.hidden, given.source) == (3, "世界, tschüs!", "", "Bye.")
    assert (given.language, given.final) == ("zh", True)


def test_what_was_kept_before_there_were_translations_is_read(last: LastCaptions) -> None:
    last.keep((caption(0, "One.", final=True),))
    assert last.give_back_translations() == ()


def test_nobody_else_may_read_them(last: LastCaptions) -> None:
    last.keep((caption(0, "Secret.", final=True),))
    last.keep((caption(0, "Another secret.", final=True),))
    assert stat.S_IMODE(last.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(last.path.parent.stat().st_mode) == 0o700


def test_an_empty_transcript_replaces_nothing(last: LastCaptions) -> None:
    assert last.give_back() == ()
    assert last.give_back_translations() == ()
    last.keep((caption(0, "One.", final=True),))
    last.keep(())
    assert [each.text for each in last.give_back()] == ["One."]


@pytest.mark.parametrize("content", ['{"captions": [{"id": 1}]}', "[1]", "{", '{"captions": [3]}'])
def test_a_damaged_file_is_a_sentence(last: LastCaptions, content: str) -> None:
    last.path.parent.mkdir(parents=True)
    last.path.write_text(content)
    with pytest.raises(EngineError, match="damaged"):
        last.give_back()


def test_a_damaged_translation_is_a_sentence(last: LastCaptions) -> None:
    last.path.parent.mkdir(parents=True)
    last.path.write_text('{"captions": [{"id": 1, "words": [], "text": "", "translation": "Guten"}]}')
    with pytest.raises(EngineError, match="damaged"):
        last.give_back_translations()


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="Cannot keep the captions"):
        LastCaptions(tmp_path / "file" / "folder").keep((caption(0, "One.", final=True),))
