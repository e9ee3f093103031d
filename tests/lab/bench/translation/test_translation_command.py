"""`earshot bench translation` from the command line to the figures, with a small model of random weights."""

from __future__ import annotations

import importlib.util
import json
import time
from pathlib import Path

import pytest

from app.terminal.cli import main
from engine.events import Word
from engine.language.language_model import LanguageModel, load_language_model
from engine.options import CaptionOptions, TranslationOptions
from lab.bench.translation.hearing import heard
from lab.bench.translation.measure import measure_all
from lab.bench.translation.methods import FULL, HEARD, PLAIN, QUICK, UNCACHED, biased, ways
from lab.bench.translation.subject import translators
from lab.bench.translation.tables import FIGURES, rows
from lab.bench.translation.texts import GrowingText, Text, growing
from tests.app.scripted_hearing import ScriptedRecognizer
from tests.language_models import write_language_model

TEXTS = growing(
    [
        Text("the weather is nice today and we are going out", ("das Wetter ist heute schön",)),
        Text("we are going out again and again", ("wir gehen wieder aus", "wir gehen aus")),
    ]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose answers end soon, as many tokens end them: one that goes on is cut off and its answer dropped."""
    return write_language_model(tmp_path_factory.mktemp("model"), eos_token_id=[0, *range(200, 240)])


@pytest.fixture(scope="module")
def model(folder: Path) -> LanguageModel:
    return load_language_model(folder)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("the weather is nice today\tdas Wetter ist heute schön\nwe are going out\twir gehen aus\n")
    return path


def test_ways_without_a_bias_write_what_plain_retranslation_writes(model: LanguageModel) -> None:
    none = ways(TranslationOptions())
    lossless = [way for way in none if way.name in (PLAIN, UNCACHED, biased(0.0))]
    assert len(lossless) == 3
    translate = translators(model, lossless, time.process_time)
    for text in TEXTS:
        first, *others = (translate(way, text) for way in lossless)
        shown = [update.shown for update in first.updates]
        assert any(shown)
        for other in others:
            assert [update.shown for update in other.updates] == shown


def test_finished_translations_are_the_offline_ones_by_default(model: LanguageModel) -> None:
    chosen = [way for way in ways(TranslationOptions()) if way.name in (PLAIN, FULL)]
    translate = translators(model, chosen, time.process_time)
    results = {way.name: [translate(way, text) for text in TEXTS] for way in chosen}
    found = {row.way.name: row for row in rows(chosen, measure_all(chosen, results, "de"))}
    assert found[FULL].final_equal_share == 1
    assert found[FULL].bleu_delta == 0


def test_with_a_bias_of_a_half_nothing_is_taken_back(model: LanguageModel) -> None:
    half = [way for way in ways(TranslationOptions()) if way.name == biased(0.5)]
    translate = translators(model, half, time.process_time)
    measured = measure_all(half, {biased(0.5): [translate(half[0], text) for text in TEXTS]}, "de")[biased(0.5)]
    assert measured.erasure == 0
    assert measured.acceptance_drafted == 1
    assert 0 < measured.totals.accepted < measured.totals.output


def test_a_quick_run_prints_its_figures_last(folder: Path, pairs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bench", "translation", "--quick", "--json", "--processor-time", "--model", str(folder)]
    assert main([*command, "--pairs", str(pairs), "--limit", "2"]) == 0
    record = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert record["bench"] == "translation" and record["texts"] == 2
    assert (record["set"], record["clock"]) == ("pairs.tsv, 1 word at a time", "processor time")
    assert [row["method"] for row in record["rows"]] == list(QUICK)
    figures = record["figures"]
    for name in (
        "speedup",
        "speedup_over_finals_only",
        "acceptance_drafted",
        "acceptance_output",
        "update_seconds_p95",
    ):
        assert figures[name] > 0, name
    assert 0 <= figures["final_equal_share"] <= 1 and figures["lag_words"] is not None
    assert tuple(figures) == FIGURES
    assert figures["chrf_de"] > 0 and figures["chrf_fr"] > 0
    if importlib.util.find_spec("espeakng_loader"):  # which speaks what is to be heard
        assert figures["speedup_heard"] > 0 and figures["bleu_delta_heard"] is not None
        assert [row["method"] for row in record["heard_rows"]] == list(HEARD)


def test_tables_name_every_method(folder: Path, pairs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bench", "translation", "--model", str(folder), "--pairs", str(pairs), "--limit", "1"]
    assert main(command) == 0
    shown = capsys.readouterr().out
    expected = [way.title for way in ways(TranslationOptions())]
    for title in expected:
        assert shown.count(f"\n{title}  ") + shown.startswith(f"{title}  ") == 2, title
    assert "1 texts (pairs.tsv, 1 word at a time) into de; computation in wall time." in shown


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--methods", "plain,fast"], "'fast'"),
        (["--limit", "0"], "--limit must be at least 1"),
        (["--words", "0"], "--words must be at least 1"),
        (["--to", ""], "--to must be the code"),
        (["--set", "flores"], "--set must be one of"),
        (["--set", "tatoeba"], "needs --data"),
        (["--set", "long", "--pairs", "x.tsv"], "give one of them"),
        (["--people", "--hearing"], "leave out --set, --pairs and --hearing"),
    ],
)
def test_bad_options_are_refused_before_a_model_is_loaded(
    options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "translation", "--model", "/nowhere", *options]) == 2
    assert complaint in capsys.readouterr().err


def test_texts_that_are_missing_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["bench", "translation", "--model", "/nowhere", "--pairs", str(tmp_path / "no.tsv")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "no.tsv" in line


def test_what_is_heard_of_a_text_grows_to_its_final_caption() -> None:
    pytest.importorskip("espeakng_loader", reason="texts are spoken by espeak-ng")
    from lab.bench.translation.hearing import VOICE
    from lab.recipes.speech.espeak import espeak

    source = "The weather is nice today, and we are going out."
    speech = espeak().speak(source, VOICE)
    words = [Word(f" {text}", *times) for text, times in zip(source.split(), speech.words, strict=True)]
    options = CaptionOptions(language="en")
    (text,) = heard([Text(source, ("x",))], ScriptedRecognizer(tuple(words)), options)
    assert isinstance(text, GrowingText) and text.references == ("x",)
    assert text.source == source
    assert len(text.revisions) > 3
    growing_ones = [revision for revision in text.revisions if not revision.final]
    assert len(set(growing_ones)) == len(growing_ones)
    assert list(heard([Text(source, ("x",))], ScriptedRecognizer(()), options)) == []


def test_people_are_heard_and_their_translations_have_no_references(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["bench", "translation", "--model", str(folder), "--people", "--limit", "1", "--methods", "plain,full"]
    assert main([*command, "--json"]) == 0
    record = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (record["set"], record["texts"], record["hearing"]) == ("people, as heard", 1, True)
    for row in record["rows"]:
        assert row["bleu"] is None and row["chrf"] is None and row["bleu_delta_by_chance"] is None
        assert row["updates"] > 1 and row["taken_back"] is not None
    assert record["figures"]["bleu_delta"] is None


def test_saved_texts_are_not_measured_again(
    folder: Path, pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["bench", "translation", "--json", "--model", str(folder), "--save", str(tmp_path / "saved.jsonl")]
    command += ["--pairs", str(pairs), "--methods", "plain,full"]
    assert main([*command, "--limit", "1"]) == 0
    first = capsys.readouterr()
    assert main([*command, "--limit", "1"]) == 0
    again = capsys.readouterr()
    assert again.out == first.out  # its times too
    assert "1 texts come from" in again.err and "come from" not in first.err
    assert main([*command, "--words", "2"]) == 0
    assert "come from" not in capsys.readouterr().err  # a text that grows otherwise is another one
    assert len((tmp_path / "saved.jsonl").read_text().splitlines()) == 3
