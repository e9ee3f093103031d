"""`earshot bench multitoken` from the command line to the figures, with small models of random weights."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.terminal.cli import main
from engine.audio import SAMPLE_RATE_HZ
from engine.hear.speech_llama.load import load_speech_llama
from engine.hear.whisper import encoder_draft
from engine.hear.whisper.encoder_draft import save_draft
from engine.hear.whisper.load import load_hearing_model
from lab.bench.multitoken.methods import METHODS
from tests.random_draft import random_draft
from tests.random_speech_llama import write_random_speech_llama
from tests.random_whisper import write_random_model


@dataclass(frozen=True)
class Workshop:
    """Two models, drafts of their encoders, and recordings."""

    speech_llama: Path
    whisper: Path
    folder: Path

    def command(self, *more: str) -> list[str]:
        models = ["--model", str(self.speech_llama), "--whisper", str(self.whisper)]
        return ["bench", "multitoken", "--processor-time", "--manifest", str(self.folder / "m.jsonl"), *models, *more]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    folder = tmp_path_factory.mktemp("multitoken")
    speech_llama, whisper = write_random_speech_llama(folder / "speech-llama"), write_random_model(folder / "whisper")
    lines = []
    for index, seconds in enumerate((0.5, 0.4, 0.6)):
        noise = 0.1 * np.random.default_rng(index).standard_normal(round(seconds * SAMPLE_RATE_HZ))
        soundfile.write(folder / f"{index}.wav", noise, SAMPLE_RATE_HZ)
        lines.append(json.dumps({"file": f"{index}.wav", "text": "we are going out"}))
    (folder / "m.jsonl").write_text("\n".join(lines))
    speech, hearing = load_speech_llama(speech_llama), load_hearing_model(whisper)
    for ear, dims in ((speech.ear, speech.model.dims), (hearing.fingerprint, hearing.model.dims)):
        save_draft(random_draft(dims.n_audio_state), folder / "drafts" / f"{ear}.safetensors", ear, "random")
    return Workshop(speech_llama, whisper, folder)


@pytest.fixture(autouse=True)
def drafts(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(encoder_draft, "SHIPPED", workshop.folder / "drafts")
    yield


def test_a_quick_run_has_every_figure_and_strict_ways_write_what_the_single_head_writes(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(workshop.command("--quick", "--json")) == 0
    record = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (record["bench"], record["clips"], record["clock"]) == ("multitoken", 3, "processor time")
    rows = {row["method"]: row for row in record["rows"]}
    assert list(rows) == [way.name for way in METHODS]
    for name in ("draft", "draft-heads", "latent-4-top-1", "whisper-draft"):
        assert rows[name]["identical_share"] == 1.0 and rows[name]["eta_ratio"] >= 1.0, name
    figures = record["figures"]
    assert figures["wer_delta_points"] == 0.0 and all(value is not None for value in figures.values())
    assert list(record)[-1] == "figures"


def test_the_table_names_every_method(workshop: Workshop, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(workshop.command("--limit", "1", "--methods", "single,latent-4-0.8,whisper-greedy")) == 0
    shown = capsys.readouterr().out
    for title in ("Speech-LLaMA, single head", "4 heads, threshold 0.8, as published", "Whisper, greedy"):
        assert f"\n{title}  " in shown
    assert "published eta ratio" in shown and "in processor time" in shown


def test_ways_without_their_draft_are_left_out(
    workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(encoder_draft, "SHIPPED", tmp_path)
    monkeypatch.setattr(encoder_draft, "own_drafts", lambda: tmp_path)
    assert main(workshop.command("--json", "--limit", "1", "--methods", "single,draft")) == 0
    assert [row["method"] for row in json.loads(capsys.readouterr().out)["rows"]] == ["single"]


def test_saved_clips_are_not_measured_again(
    workshop: Workshop, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = workshop.command("--json", "--save", str(tmp_path / "saved.jsonl"), "--methods", "single,latent-4-0.8")
    assert main([*command, "--limit", "1"]) == 0
    first = capsys.readouterr()
    assert main([*command, "--limit", "1"]) == 0
    again = capsys.readouterr()
    assert again.out == first.out  # its times too
    assert "1 speech-llama clips come from" in again.err and "come from" not in first.err
    assert main([*command, "--limit", "2"]) == 0
    assert len((tmp_path / "saved.jsonl").read_text().splitlines()) == 2


def test_a_model_of_the_other_kind_is_refused(workshop: Workshop, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(workshop.command("--model", str(workshop.whisper), "--methods", "single")) == 1
    assert "--model is for a Speech-LLaMA" in capsys.readouterr().err
    assert main(workshop.command("--whisper", str(workshop.speech_llama), "--methods", "whisper-greedy")) == 1
    assert "--whisper is for a Whisper model" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "complaint", "code"),
    [
        (["--methods", "single,fast"], "'fast'", 2),
        (["--limit", "0"], "--limit must be at least 1", 2),
        (["--model", "/nowhere"], "/nowhere", 1),
        (["--whisper", "/nowhere", "--methods", "whisper-greedy"], "/nowhere", 1),
        (["--manifest", "/no.jsonl"], "no.jsonl", 1),
    ],
)
def test_bad_options_are_one_line(
    workshop: Workshop, options: list[str], complaint: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(workshop.command(*options)) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert complaint in line


def test_a_sweep_has_a_row_for_each_number_of_heads_and_rule(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = "single,latent-2-top-1,latent-3-top-1,latent-3-top-5,latent-3-0.95"
    assert main(workshop.command("--sweep", "--limit", "2", "--methods", chosen, "--json")) == 0
    rows = {row["method"]: row for row in json.loads(capsys.readouterr().out.splitlines()[-1])["rows"]}
    assert list(rows) == chosen.split(",")
    assert rows["latent-3-top-1"]["identical_share"] == rows["latent-2-top-1"]["identical_share"] == 1.0
    assert main(workshop.command("--sweep", "--methods", "whisper-greedy")) == 2
    assert "latent-6-0.95" in capsys.readouterr().err
