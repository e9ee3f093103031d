"""The last transcript on disk."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from app.history.export import ExportError
from app.history.last_captions import LastCaptions
from engine.errors import EngineError
from tests.app.captions import caption


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


def test_nobody_else_may_read_them(last: LastCaptions) -> None:
    last.keep((caption(0, "Secret.", final=True),))
    last.keep((caption(0, "Another secret.", final=True),))
    assert stat.S_IMODE(last.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(last.path.parent.stat().st_mode) == 0o700


def test_an_empty_transcript_replaces_nothing(last: LastCaptions) -> None:
    assert last.give_back() == ()
    last.keep((caption(0, "One.", final=True),))
    last.keep(())
    assert [each.text for each in last.give_back()] == ["One."]


@pytest.mark.parametrize("content", ['{"captions": [{"id": 1}]}', "[1]", "{", '{"captions": [3]}'])
def test_a_damaged_file_is_a_sentence(last: LastCaptions, content: str) -> None:
    last.path.parent.mkdir(parents=True)
    last.path.write_text(content)
    with pytest.raises(EngineError, match="damaged"):
        last.give_back()


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="Cannot keep the captions"):
        LastCaptions(tmp_path / "file" / "folder").keep((caption(0, "One.", final=True),))
