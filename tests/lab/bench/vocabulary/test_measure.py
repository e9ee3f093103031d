"""Errors in listed words, and in all others."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from lab.bench.captions.clips import Clip
from lab.bench.errors import BenchError
from lab.bench.vocabulary.measure import METHODS, Counts, columns, counted
from lab.bench.vocabulary.words import MOST_COMMON, common_words, rare_words, with_distractors

LISTED = frozenset(["ruggedo", "kaliko", "shaggy"])


@pytest.mark.parametrize(
    ("heard", "counts"),
    [
        ("I begged Ruggedo long ago", Counts(1, 1, 1, 0, 4, 0)),
        ("I begged rug a dough long ago", Counts(1, 0, 0, 0, 4, 2)),  # of the three new words, one replaces Ruggedo
        ("I begged Kaliko long ago", Counts(1, 0, 1, 1, 4, 0)),
        ("I begged Ruggedo Shaggy ago", Counts(1, 1, 2, 1, 4, 1)),
        ("", Counts(1, 0, 0, 0, 4, 4)),
    ],
)
def test_listed_words_and_errors_of_others_are_counted_apart(heard: str, counts: Counts) -> None:
    assert counted("I BEGGED RUGGEDO LONG AGO", heard, LISTED) == counts


def test_a_row_says_what_a_list_is_worth_beside_the_row_without() -> None:
    plain, listed = Counts(100, 80, 80, 0, 1000, 50, 10.0), Counts(100, 95, 96, 1, 1000, 51, 10.4)
    row = {column.name: column.value((METHODS[2], listed)) for column in columns(plain) if column.name}
    assert row["recall"] == 0.95 and row["precision"] == 95 / 96
    assert row["other_wer_delta_points"] == pytest.approx(0.1)
    assert row["cpu_ratio"] == pytest.approx(1.04)
    assert row["recall_interval"] == "88.8 to 97.8%"


def test_rare_words_are_long_and_not_among_the_commonest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "text" / "parallel"
    folder.mkdir(parents=True)
    with gzip.open(folder / "tatoeba-eng-deu.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("The weather is fine.\tDas Wetter ist schön.\n")
    monkeypatch.setenv("EARSHOT_TEST_DATA", str(tmp_path))
    common = common_words()
    assert common == {"the", "weather", "is", "fine"} and len(common) <= MOST_COMMON
    clips = [Clip("one", "THE KING RUGGEDO IS FINE WEATHER RUGGEDO"), Clip("two", "SHAGGY 12345")]
    assert rare_words(clips, common) == ["ruggedo", "shaggy"]


def test_without_texts_a_sentence_says_so() -> None:
    with pytest.raises(BenchError, match="no English sentences"):
        common_words()


def test_a_list_has_all_that_is_said_and_as_many_others_as_are_asked_for() -> None:
    listed = with_distractors(["ruggedo", "shaggy"], ["shaggy", "kaliko", "quilter", "mombi"], 2)
    assert len(listed) == 4 == len(set(listed)) and {"ruggedo", "shaggy"} < set(listed)
    assert listed == with_distractors(["ruggedo", "shaggy"], ["shaggy", "kaliko", "quilter", "mombi"], 2)
