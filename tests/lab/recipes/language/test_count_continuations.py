"""The table of what a translator's answers go on with."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from app.terminal.cli import main
from engine.language.continuations import FILE, Continuations, load_continuations
from engine.models.catalogue import ASSETS
from lab.recipes.sentences.pairs import LANGUAGES

pytest.importorskip("torch")

from lab.recipes.language.continuations import LEAST_SEEN, MOST_VOCABULARY, count

STARTER = ASSETS / "starter" / "language"


@pytest.fixture
def pairs_folder(tmp_path: Path) -> Path:
    """A data folder with a few pairs of every language."""
    folder = tmp_path / "data" / "text" / "parallel"
    folder.mkdir(parents=True)
    for name, _ in LANGUAGES.values():
        with gzip.open(folder / f"tatoeba-eng-{name}.tsv.gz", "wt", encoding="utf-8") as lines:
            lines.writelines(f"We saw {number} cats.\tWir sahen {number} Katzen.\n" for number in range(2, 40))
    return tmp_path / "data"


def test_what_mostly_follows_is_counted_within_each_answer() -> None:
    answers = [[3, 10, 11, 12, 0]] * 2 * LEAST_SEEN + [[3, 20, 11, 13, 0]] * LEAST_SEEN + [[3, 30, 31, 0]] * 2
    known = Continuations(*count(answers), ends=[0])
    assert known.after([3], 3) == [10, 11, 12]
    assert known.after([3, 20], 3) == [11, 13]
    assert known.after([11], 1) == [12]
    assert known.after([20, 11], 1) == [13]
    assert known.after([30], 1) == []  # too seldom
    assert known.after([12], 1) == []  # the end, and never the next answer's beginning


def test_what_goes_on_in_too_many_ways_is_left_out() -> None:
    keys, _, _ = count([[3, 10, 100 + n, 0] for n in range(10) for _ in range(LEAST_SEEN)])
    known = Continuations(*count([[3, 10, 100 + n, 0] for n in range(10) for _ in range(LEAST_SEEN)]), ends=[0])
    assert len(keys) > 10
    assert known.after([10], 1) == []


def test_the_command_counts_for_a_model(pairs_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model"
    model.mkdir()
    shutil.copy(STARTER / "tokenizer.json", model)
    assert main(["train", "continuations", "--data", str(pairs_folder), "--model", str(model)]) == 0
    assert "contexts" in capsys.readouterr().out
    assert load_continuations(model, MOST_VOCABULARY, {0}) is not None
    assert (
        main(["train", "continuations", "--data", str(pairs_folder), "--model", str(model), "--out", str(tmp_path)])
        == 0
    )
    assert (tmp_path / FILE).read_bytes() == (model / FILE).read_bytes()


def test_a_folder_without_a_model_is_named(
    pairs_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "continuations", "--data", str(pairs_folder), "--model", str(tmp_path)]) == 1
    assert "tokenizer.json is missing" in capsys.readouterr().err
