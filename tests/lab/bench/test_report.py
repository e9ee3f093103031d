"""The pages show what the records in lab/results say, and every table says where it comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.terminal.cli import main
from lab.bench import markdown, provenance, report
from lab.bench.errors import BenchError


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copies of the records and the pages, which the command may write to."""
    for name, place in (
        ("RESULTS", tmp_path / "results"),
        ("PAGE", tmp_path / "page"),
        ("PAPERS_PAGE", tmp_path / "papers"),
        ("README", tmp_path / "readme"),
    ):
        original: Path = getattr(report, name)
        files = list(original.glob("*.json")) if original.is_dir() else [original]
        for file in files:
            copy = place / file.name if original.is_dir() else place
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
        monkeypatch.setattr(report, name, place)
    return tmp_path


def test_the_pages_have_the_tables_of_the_records_that_are_kept() -> None:
    for path, text in report.pages(report.kept_records()).items():
        assert path.read_text(encoding="utf-8") == text, "run: uv run earshot bench report"


def test_the_pages_stay_short() -> None:
    for path, most in ((report.PAGE, 180), (report.PAPERS_PAGE, 180), (report.README, 150)):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= most


@pytest.mark.parametrize("name", report.kept_records())
def test_every_table_says_command_commit_machine_and_date(name: str) -> None:
    record = report.kept_records()[name]
    first = next(iter(report.SECTIONS[name](record)))
    assert set(record["run"]) == {"command", "commit", "machine", "date"}
    assert all(said in first for said in record["run"].values())
    bench = report.PAPERS[name][0] if name in report.PAPERS else name.removesuffix("-avx2")
    assert record["run"]["command"].startswith(f"earshot bench {bench}")
    assert report.section_of(record) == name


def test_a_record_is_kept_and_both_pages_follow_it(copies: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads((report.RESULTS / "captions.json").read_text(encoding="utf-8"))
    for row in record["rows"]:
        if row["method"] == "earshot":
            row["word_latency_seconds"] = 43.21
    given = copies / "new.json"
    given.write_text(json.dumps(record), encoding="utf-8")
    assert main(["bench", "report", str(given)]) == 0
    assert "page." in capsys.readouterr().out
    assert all("43.21 s" in path.read_text(encoding="utf-8") for path in (report.PAGE, report.README))
    assert report.kept_records()["captions"] == record
    before = [path.read_text(encoding="utf-8") for path in (report.PAGE, report.README)]
    assert main(["bench", "report"]) == 0
    assert [path.read_text(encoding="utf-8") for path in (report.PAGE, report.README)] == before


@pytest.mark.parametrize("text", ["", "[]", '{"bench": "captions"}', '{"bench": "soak", "run": {}}'])
def test_what_is_no_record_is_refused_and_nothing_is_written(
    text: str, copies: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = report.PAGE.read_text(encoding="utf-8")
    (copies / "odd.json").write_text(text, encoding="utf-8")
    assert main(["bench", "report", str(copies / "odd.json")]) == 1
    assert "odd.json" in capsys.readouterr().err
    assert report.PAGE.read_text(encoding="utf-8") == page


def test_a_file_that_is_not_there_is_named(copies: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "report", str(copies / "none.json")]) == 1
    assert "none.json: No such file" in capsys.readouterr().err


def test_a_table_whose_record_is_gone_stays_as_it_is(copies: Path) -> None:
    before = report.PAPERS_PAGE.read_text(encoding="utf-8")
    (report.RESULTS / "multitoken.json").unlink()
    assert main(["bench", "report"]) == 0
    assert report.PAPERS_PAGE.read_text(encoding="utf-8") == before


def test_a_run_of_the_papers_methods_is_shown_in_the_papers_table() -> None:
    rows = [{"method": name, "speedup": 1.5, "bleu": 40.0} for name in ("plain", "ssbd@0.2", "mask-3")]
    origin = {"command": "", "commit": "", "machine": "", "date": ""}
    record = {"bench": "translation", "run": origin, "texts": 20, "target": "fr", "set": "acl6060", "rows": rows}
    assert report.section_of(record) == "ssbd"
    assert report.section_of({**record, "rows": rows[:2]}) == "translation"
    shown = list(report.ssbd(record))[1].splitlines()
    assert shown[0] == "|  | plain | β 0.2 | mask 3 |"
    assert shown[2:4] == ["| paper: times as fast | 1.00 | 1.42 | 1.35 |", "| times as fast | 1.50 | 1.50 | 1.50 |"]


def test_the_predgen_papers_table_has_intervals_and_the_papers_figures() -> None:
    names = ("baseline", "greedy", "top-10")
    rows = [
        {"method": name, "turns": 8, "speedup": 2.0, "speedup_low": 1.5, "speedup_high": 2.5, "agreement_share": 0.5,
         "agreement_low": 0.25, "agreement_high": 0.75, "logprob": -0.5}
        for name in names
    ]  # fmt: skip
    origin = {"command": "", "commit": "", "machine": "", "date": ""}
    record = {"bench": "assistant", "run": origin, "conversations": 4, "set": "mt-bench", "rows": rows}
    assert report.section_of(record) == "predgen"
    assert report.section_of({**record, "rows": rows[:2]}) == "assistant"
    told, shown = report.predgen(record)
    assert "4 conversations, 8 turns (mt-bench)" in told
    assert shown.splitlines()[0] == "|  | plain | greedy | top-10 |"
    assert "| paper: times as soon | 1.0 | 1.6 |  |" in shown
    assert "| times as soon (95%) | 2.0 (1.5 to 2.5) |" in shown
    assert "| same first sentence (95%) | 50% (25% to 75%) |" in shown
    sums = {**record, "set": "gsm8k, 600 characters a minute"}
    assert report.section_of(sums) == "gsm8k"
    assert "| paper: times as soon | 1.0 | 1.1 |  |" in [*report.predgen(sums)][1]


@pytest.mark.parametrize(("words", "shown"), [(210, ""), (1584, " 6.5% (4.6% to 8.5%) |")])
def test_words_wrong_are_shown_of_many_words_only(words: int, shown: str) -> None:
    row = {"method": "earshot", "title": "Earshot's", "wer": 0.065, "wer_low": 0.046, "wer_high": 0.085}
    origin = {"command": "", "commit": "", "machine": "", "date": ""}
    run, table = report.captions({"run": origin, "audio": "", "figures": {"words": words}, "rows": [row]})
    assert table.splitlines()[2] == f"| Earshot's |{shown}"
    assert ("too few" in run) == (not shown)


def test_whisperflow_is_held_against_the_same_step_or_both_at_their_best() -> None:
    delays = {"whisper-streaming": 1.0, "pruning-as-published": 0.5, "whisper-streaming-best-effort": 0.9,
              "earshot-best-effort": 0.3}  # fmt: skip
    rows = [{"method": name, "title": name, "word_latency_seconds": delay} for name, delay in delays.items()]
    origin = {"command": "", "commit": "", "machine": "", "date": ""}
    record = {"bench": "captions", "run": origin, "audio": "", "figures": {"words": 1}, "rows": rows}
    assert report.section_of(record) == "whisperflow"
    shown = list(report.whisperflow(record))[1].splitlines()
    assert [line.split(" | ")[2] for line in shown[2:]] == ["1.00", "2.00", "1.00", "3.00"]
    assert "r 0.54 to 0.69" in shown[3]


def test_a_column_without_figures_is_left_out_and_a_missing_figure_is_an_empty_cell() -> None:
    fields = (report.METHOD, markdown.Field("a", "a", markdown.percent), markdown.Field("b", "b", markdown.seconds))
    rows = [{"title": "one", "a": 0.5, "b": None}, {"title": "two", "a": None}]
    assert markdown.table(fields, rows).splitlines() == [
        "| method | a |",
        "| --- | --- |",
        "| one | 50.0% |",
        "| two |  |",
    ]


def test_a_page_without_a_place_for_a_table_is_named() -> None:
    assert report.between("a\n<!-- x -->\nold\n<!-- /x -->\nb", "x", "new") == "a\n<!-- x -->\nnew\n<!-- /x -->\nb"
    with pytest.raises(BenchError, match="<!-- x -->"):
        report.between("a\n", "x", "new")


def test_a_run_is_named_by_its_command_without_its_format() -> None:
    found = provenance.provenance(["bench", "captions", "--json", "--model", "my model"])
    assert found["command"] == "earshot bench captions --model 'my model'"
    assert found["machine"].endswith("cores") and len(found["date"]) == len("2026-11-23")


def test_outside_of_a_clone_the_commit_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "ROOT", tmp_path / "nowhere")
    assert provenance.commit() == "unknown"


def test_the_papers_figures_stand_beside_the_rows_that_repeat_them() -> None:
    rows = [{"method": name, "title": name, "eta": 1.0} for name in ("single", "latent-4-0.8-beam")]
    origin = {"command": "", "commit": "", "machine": "", "date": ""}
    shown = list(report.multitoken({"run": origin, "audio": "", "rows": rows}))[1].splitlines()
    assert "paper: calls a word" in shown[0]
    assert shown[2] == "| single | 1.00 |  |  |  |"
    assert shown[3] == "| latent-4-0.8-beam | 1.00 | 0.38 | 3.29 | 0.59 |"


def test_answers_that_were_ready_early_are_shown_with_their_interval() -> None:
    row = {"ready_before_end_share": 0.4, "ready_before_end_low": 0.3, "ready_before_end_high": 0.5}
    assert report.with_ready_share(row)["ready_before_end"] == "40% (30% to 50%)"
    assert report.with_ready_share({"title": "plain"}) == {"title": "plain"}
