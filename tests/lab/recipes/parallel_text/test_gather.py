"""Text that is gathered: what is written, what is left out, and how a run goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import EngineError, OptionError
from lab.bench.translation import everyday
from lab.recipes.parallel_text.clean import letters
from lab.recipes.parallel_text.gather import GatherOptions, card, gather, judged
from lab.recipes.parallel_text.packages import Files, PackageError
from lab.recipes.parallel_text.sources import SOURCES, Source
from lab.recipes.sentences.gathered import gathered_pairs, read_gathered, read_index
from lab.recipes.sentences.pairs import Pair
from lab.recipes.sentences.text import is_held_out
from lab.recipes.sentences.translation_lessons import Draw

LINES = [f"The {word} boat is in the harbour." for word in ("red", "green", "blue", "long", "old", "new", "last")]
JUDGED = everyday.read_lines()[0][1]


def files_of(source: Source) -> Files:
    """Return the files of a game; refuse any other source."""
    if source.name != "fillets":
        raise PackageError(f"{source.name} cannot be had.")
    english = "".join(f'dialogId("{n}", "f", "{line}")' for n, line in enumerate([*LINES, JUDGED]))
    german = "".join(f'dialogId("{n}", "f", "x")dialogStr("Das Boot liegt im Hafen.")' for n in range(len(LINES) + 1))
    return {"a/dialogs_en.lua": english.encode(), "a/dialogs_de.lua": german.encode()}


def test_pairs_are_written_with_a_card_and_without_the_lines_that_judge(tmp_path: Path) -> None:
    index = gather(GatherOptions(tmp_path, sources="fillets,gimp-help"), files_of)
    assert [(one.source, one.code, one.pairs) for one in index if one.pairs] == [("fillets", "de", len(LINES))]
    assert [pair.source for pair in read_gathered(tmp_path, index[0])] == LINES
    assert "| fillets | de | 7 |" in (tmp_path / "README.md").read_text(encoding="utf-8")
    pairs, weights = gathered_pairs(tmp_path, "de")
    assert {pair.source for pair in pairs} == {line for line in LINES if not is_held_out(line)}
    assert set(weights) == {1.0}
    assert gathered_pairs(tmp_path, "fr") == ([], [])
    assert gathered_pairs(None, "de") == ([], [])


def test_every_line_that_judges_is_known() -> None:
    assert {letters(line) for _, line in everyday.read_lines()} <= judged()


def test_a_run_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    options = GatherOptions(tmp_path, sources="fillets", resume=True)
    gather(options, files_of)
    again: list[str] = []

    def fetch(source: Source) -> Files:
        again.append(source.name)
        return {}

    gather(options, fetch)
    assert again == []
    gather(GatherOptions(tmp_path, sources="fillets"), fetch)
    assert again == ["fillets"]
    assert not any(one.pairs for one in read_index(tmp_path))


def test_an_english_sentence_of_two_sources_comes_once(tmp_path: Path) -> None:
    def fetch(source: Source) -> Files:
        if source.name == "fillets":
            return files_of(source)
        lines = "".join(
            f'msgid "{line}"\nmsgstr "Ein Boot im Hafen."\n\n' for line in [*LINES, "We are not in the town."]
        )
        return {"locale/de.po": lines.encode()}

    index = gather(GatherOptions(tmp_path, sources="fillets,games"), fetch)
    assert {(one.source, one.pairs) for one in index if one.code == "de"} == {("fillets", len(LINES)), ("games", 1)}


def test_unknown_sources_and_empty_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="not nothing"):
        GatherOptions(tmp_path, sources="fillets,nothing").chosen()
    with pytest.raises(EngineError, match="train parallel-text"):
        gathered_pairs(tmp_path, "de")


def test_every_source_has_a_licence_in_the_card() -> None:
    assert all(source.licence and source.packages and 0 < source.weight <= 1 for source in SOURCES)
    assert "do not pass it on" in card([])


def test_gathered_pairs_are_drawn_by_their_share() -> None:
    draw = Draw.of({"tatoeba": ([Pair("a", "b")], [1.0]), "gathered": ([Pair("c", "d")] * 2, [1.0, 1.0])})
    shares = [after - before for before, after in zip([0.0, *draw.cumulative], draw.cumulative, strict=False)]
    assert shares[1] == pytest.approx(shares[2])
