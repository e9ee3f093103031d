"""Spoken pairs and the project's own lines: which are learnt, and which never are."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from random import Random

import pytest

from engine.errors import EngineError
from lab.bench.translation import everyday
from lab.recipes.sentences.pairs import LANGUAGES
from lab.recipes.sentences.spoken import (
    FOLDER,
    held_out_dialogue,
    is_dialogue_held_out,
    own_pairs,
    read_spoken,
    spoken_pairs,
)
from lab.recipes.sentences.text import is_held_out
from lab.recipes.sentences.variety import filled, is_pattern


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with lines of two sources."""
    root = tmp_path_factory.mktemp("data")
    folder = root / "text" / "spoken"
    folder.mkdir(parents=True)
    words = [a + b + c for a in "bdfgklmn" for b in "aeiou" for c in "lmnrst"]
    for name in ("bcontrast", "woz2"):
        with gzip.open(folder / f"{name}-de.tsv.gz", "wt", encoding="utf-8") as lines:
            lines.writelines(f"Give me the {word}.\tGib mir das {word}.\n" for word in words)
    return root


def test_lines_of_dialogues_are_held_out_and_never_learnt(spoken: Path) -> None:
    held_out = {source for source, _ in held_out_dialogue(spoken, "de")}
    pairs, weights = spoken_pairs(spoken, "de")
    assert held_out == {p.source for p in read_spoken(spoken, "bcontrast", "de") if is_dialogue_held_out(p.source)}
    assert len(held_out) > 3
    assert not any(is_held_out(pair.source) for pair in pairs)
    dialogue = [pair.source for pair, weight in zip(pairs, weights, strict=True) if weight == 1.0]
    assert dialogue
    assert not held_out & set(dialogue)


def test_a_language_or_a_folder_without_spoken_pairs_has_none(spoken: Path, tmp_path: Path) -> None:
    assert spoken_pairs(spoken, "fr") == ([], [])
    assert spoken_pairs(tmp_path, "de") == ([], [])


def test_a_line_without_four_columns_is_named(tmp_path: Path) -> None:
    (tmp_path / "lines.tsv").write_text("One.\tEins.\tUn.\tUno.\nTwo.\tZwei.\n", encoding="utf-8")
    with pytest.raises(EngineError, match=r"lines\.tsv, line 2: four columns"):
        own_pairs("de", tmp_path)


def test_the_projects_own_lines_have_the_same_places_in_every_language_and_come_once() -> None:
    seen: set[str] = set()
    for path in sorted(FOLDER.glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            columns = line.split("\t")
            assert len(columns) == 4, line
            assert len({tuple(sorted(re.findall(r"\{\w+\}", column.lower()))) for column in columns}) == 1, line
            assert columns[0] not in seen, line
            seen.add(columns[0])
    assert len(seen) > 7000


def words_in_a_row(text: str, count: int = 5) -> set[tuple[str, ...]]:
    words = re.findall(r"[\w']+", text.lower())
    return {tuple(words[first : first + count]) for first in range(len(words) - count + 1)}


def test_patterns_say_no_five_words_that_a_line_does_that_the_translator_is_judged_by() -> None:
    judged = set().union(*(words_in_a_row(source) for _, source in everyday.read_lines()))
    patterns = [pair for pair in own_pairs("de") if is_pattern(pair)]
    said = {filled(pair, "de", Random(seed)).source for pair in patterns for seed in range(30)}
    assert len(said) > 15 * len(patterns)
    assert not {line for line in said if words_in_a_row(line) & judged}


def test_no_line_that_the_translator_is_judged_by_is_among_the_projects_own() -> None:
    judged = {source for _, source in everyday.read_lines()}
    for code in LANGUAGES:
        assert not judged & {pair.source for pair in own_pairs(code)}
