"""The campaign of damaged files, in small: the whole of it is `python -m tests.bad_input --inputs 5000`."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import EngineError
from tests.bad_input import readers
from tests.bad_input.campaign import Reading, inputs, run, write
from tests.bad_input.originals import Original, originals


@pytest.fixture(scope="module")
def whole() -> list[Original]:
    return originals()


def test_whole_files_of_every_kind_are_read(whole: list[Original], tmp_path: Path) -> None:
    assert {original.reader for original in whole} == set(readers.READERS)
    for number, original in enumerate(whole):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, data in original.files.items():
            (folder / name).write_bytes(data)
        answer = readers.read(original.reader, folder / original.place if original.place else folder)
        assert answer["outcome"] == "read", (original.name, answer)


def test_spoilt_files_are_read_or_refused_with_one_line(whole: list[Original], tmp_path: Path) -> None:
    tally = run(whole, 120, 7, tmp_path)
    assert not tally.faults
    assert tally.outcomes["refused"] > 40
    assert tally.figures["inputs"] == 120


def test_a_number_and_a_seed_make_the_same_file_again(whole: list[Original]) -> None:
    first, again, other = ([files for _, _, files in inputs(whole, 40, seed)] for seed in (3, 3, 4))
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (EngineError("It is damaged."), "refused"),
        (EngineError("It is\ndamaged."), "unclear"),
        (EngineError(""), "unclear"),
        (KeyError("config"), "traceback"),
        (MemoryError(), "memory"),
    ],
)
def test_what_a_reader_raises_is_told_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception, outcome: str
) -> None:
    def fail(path: Path) -> None:
        raise error

    monkeypatch.setitem(readers.READERS, "sound", fail)
    assert readers.read("sound", tmp_path)["outcome"] == outcome


def test_a_process_that_dies_is_a_crash_and_the_next_file_is_read(whole: list[Original], tmp_path: Path) -> None:
    reading = Reading(tmp_path, [])
    try:
        glossary = next(original for original in whole if original.reader == "glossary")
        path = write(glossary, glossary.files, tmp_path / "glossary")
        assert reading.ask("glossary", path)["outcome"] == "read"
        assert reading._process
        reading._process.kill()
        reading._process.wait()
        assert reading.ask("glossary", path)["outcome"] == "crash"
        assert reading.ask("glossary", path)["outcome"] == "read"
    finally:
        reading.stop()
