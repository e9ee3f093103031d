"""`earshot bench multitoken` from the command line to the figures, with small models of random weights."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import soundfile

from app.terminal.cli import main
from engine.audio import SAMPLE_RATE_HZ
from engine.bench.multitoken.clips import recorded
from engine.bench.multitoken.measure import Heard, hear_clip
from engine.bench.multitoken.methods import (
    DRAFTED,
    DRAFTED_AHEAD,
    OWN,
    PREFIX_BEAM,
    PUBLISHED,
    QUICK,
    SINGLE,
    VERIFIED,
    WHISPER_DRAFTED,
    WHISPER_GREEDY,
    WHISPER_VERIFIED,
)
from engine.bench.multitoken.subject import Subjects, load_subjects
from engine.errors import ModelError
from engine.hear.speech_llama.load import load_speech_llama
from engine.hear.whisper import encoder_draft
from engine.hear.whisper.encoder_draft import save_draft
from engine.hear.whisper.heads import Heads, Kind, make_heads, save_heads
from engine.hear.whisper.load import load_hearing_model
from tests.random_draft import random_draft
from tests.random_speech_llama import write_random_speech_llama
from tests.random_whisper import write_random_model


@dataclass(frozen=True)
class Workshop:
    """Two models, heads for both, and recordings."""

    speech_llama: Path
    whisper: Path
    projection: Path
    whisper_heads: Path
    data: Path

    def command(self, *more: str, heads: bool = True) -> list[str]:
        files = ["--heads", str(self.projection), "--heads", str(self.whisper_heads)] if heads else []
        models = ["--model", str(self.speech_llama), "--whisper", str(self.whisper), *files]
        return ["bench", "multitoken", "--processor-time", "--data", str(self.data), *models, *more]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    folder = tmp_path_factory.mktemp("multitoken")
    speech_llama = write_random_speech_llama(folder / "speech-llama")
    whisper = write_random_model(folder / "whisper")
    (folder / "speech").mkdir()
    lines = []
    for index, seconds in enumerate((0.5, 0.4, 0.6)):
        noise = 0.1 * np.random.default_rng(index).standard_normal(round(seconds * SAMPLE_RATE_HZ))
        soundfile.write(folder / "speech" / f"{index}.wav", noise, SAMPLE_RATE_HZ)
        lines.append(json.dumps({"file": f"{index}.wav", "text": "we are going out"}))
    (folder / "speech" / "manifest.jsonl").write_text("\n".join(lines))
    speech = load_speech_llama(speech_llama)
    hearing = load_hearing_model(whisper)
    for ear, dims in ((speech.ear, speech.model.dims), (hearing.fingerprint, hearing.model.dims)):
        save_draft(random_draft(dims.n_audio_state), folder / "drafts" / f"{ear}.safetensors", ear, "random")
    projection = save_heads(heads_of("projection", speech.model), folder / "projection.safetensors", speech)
    residual = save_heads(heads_of("residual", hearing.model), folder / "whisper.safetensors", hearing)
    return Workshop(speech_llama, whisper, projection, residual, folder)


@pytest.fixture(autouse=True, scope="module")
def drafts(workshop: Workshop) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(encoder_draft, "SHIPPED", workshop.data / "drafts")
        yield


@pytest.fixture(scope="module")
def subjects(workshop: Workshop) -> Subjects:
    files = [workshop.projection, workshop.whisper_heads]
    return load_subjects(str(workshop.speech_llama), str(workshop.whisper), files)


def heads_of(kind: Kind, model: object) -> Heads:
    return make_heads(kind, 4, model, draft_tokens=range(4, 200))  # type: ignore[arg-type]


def heard_with(subjects: Subjects, name: str, data: Path) -> list[Heard]:
    """Every recording in one way."""
    (way,) = (way for way in subjects.ways() if way.name == name)
    (subject,) = (subject for subject in subjects if subject.model == way.model)
    return [hear_clip(subject.make(way), clip) for clip in recorded(data, ["en"])]


@pytest.mark.parametrize(
    ("single", "verified"),
    [
        (SINGLE, DRAFTED),
        (SINGLE, DRAFTED_AHEAD),
        (WHISPER_GREEDY, WHISPER_DRAFTED),
        (SINGLE, VERIFIED),
        (SINGLE, "added-projection-top-1"),
        (WHISPER_GREEDY, WHISPER_VERIFIED),
    ],
)
def test_strict_verification_writes_what_the_single_head_writes(
    subjects: Subjects, workshop: Workshop, single: str, verified: str
) -> None:
    plain = heard_with(subjects, single, workshop.data)
    ahead = heard_with(subjects, verified, workshop.data)
    assert [each.tokens for each in ahead] == [each.tokens for each in plain]
    assert any(each.written for each in plain)
    assert all(several.forwards <= one.forwards for several, one in zip(ahead, plain, strict=True))


def test_heads_of_a_file_are_told_from_the_models_own(workshop: Workshop, subjects: Subjects) -> None:
    assert subjects.speech_llama is not None and subjects.whisper is not None
    assert subjects.speech_llama.heads == {OWN: 4, "projection": 4}
    assert subjects.whisper.heads == {OWN: 4}
    names = [way.name for way in subjects.ways()]
    assert {PREFIX_BEAM, "added-projection-0.8", WHISPER_VERIFIED} <= set(names)
    assert "latent-5-top-1" not in names and "added-latent-0.8" not in names
    bare = load_subjects(str(workshop.speech_llama), str(workshop.whisper))
    assert bare.speech_llama is not None and bare.whisper is not None
    assert bare.whisper.heads == {}
    assert any("has no heads" in warning and "earshot train heads" in warning for warning in bare.warnings)
    assert bare.speech_llama.identity != subjects.speech_llama.identity  # other heads are another measurement


def test_heads_of_another_model_are_refused(workshop: Workshop, tmp_path: Path) -> None:
    other = load_hearing_model(write_random_model(tmp_path / "other", seed=1))
    path = save_heads(heads_of("residual", other.model), tmp_path / "other.safetensors", other)
    with pytest.raises(ModelError, match="belong to the model other"):
        load_subjects(str(workshop.speech_llama), str(workshop.whisper), [path])


def test_a_model_of_the_other_kind_is_refused(workshop: Workshop) -> None:
    with pytest.raises(ModelError, match="--model is for a Speech-LLaMA"):
        load_subjects(str(workshop.whisper), None)
    with pytest.raises(ModelError, match="--whisper is for a Whisper model"):
        load_subjects(None, str(workshop.speech_llama))


def test_a_quick_run_prints_its_figures_last(workshop: Workshop, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(workshop.command("--quick", "--json", "--limit", "2")) == 0
    record = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (record["bench"], record["clips"], record["clock"]) == ("multitoken", 2, "processor time")
    assert [row["method"] for row in record["rows"]] == list(QUICK)
    figures = record["figures"]
    assert figures["heads_identical_share"] == figures["identical_share"] == figures["whisper_identical_share"] == 1.0
    for name in ("eta_ratio", "decoder_rtf_ratio", "whisper_eta_ratio", "whisper_rtf_ratio"):
        assert figures[name] > 0, name
    assert figures["whisper_eta_ratio"] >= 1.0 and figures["wer_delta_points"] == 0.0
    assert [row["language"] for row in record["languages"]] == ["en"]
    assert list(record)[-1] == "figures"


def test_tables_name_every_method_and_a_picture_is_drawn(
    workshop: Workshop, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [SINGLE, "added-projection-0.8", "latent-2-top-1", VERIFIED, PUBLISHED, PREFIX_BEAM, WHISPER_GREEDY]
    picture = tmp_path / "found.svg"
    command = workshop.command("--limit", "1", "--methods", ",".join([*names, "live-greedy", "live-top-1-reuse"]))
    assert main([*command, "--plot", str(picture)]) == 0
    shown = capsys.readouterr().out
    for title in ("Single head", "Projection, added (4-head), threshold 0.8", "Latent (4-head), top-1", "Greedy"):
        assert f"\n{title}  " in shown
    for heading in ("Table I:", "Figure 4:", "Figure 5:", "live session", "eta ratio", "in processor time"):
        assert heading in shown
    texts = {"".join(element.itertext()).strip() for element in ElementTree.parse(picture).iter()}
    assert {"Single head", "Whisper: Greedy", "Latent (4-head), top-1"} <= texts


def test_saved_clips_are_not_measured_again(
    workshop: Workshop, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--json", "--save", str(tmp_path / "saved.jsonl"), "--methods", f"{SINGLE},{PUBLISHED}"]
    command = workshop.command(*options, heads=False)
    assert main([*command, "--limit", "1"]) == 0
    first = capsys.readouterr()
    assert main([*command, "--limit", "1"]) == 0
    again = capsys.readouterr()
    assert again.out == first.out  # its times too
    assert "1 speech-llama clips come from" in again.err and "come from" not in first.err
    assert main([*command, "--limit", "2"]) == 0
    assert len((tmp_path / "saved.jsonl").read_text().splitlines()) == 2


def test_without_heads_whisper_is_measured_plainly_and_says_so(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(workshop.command("--quick", "--json", "--limit", "1", heads=False)) == 0
    shown = capsys.readouterr()
    record = json.loads(shown.out)
    assert record["figures"]["heads_identical_share"] == 1.0
    assert "has no heads" in shown.err
    methods = ["--methods", WHISPER_VERIFIED]
    assert main(workshop.command(*methods, heads=False)) == 2
    assert f"not '{WHISPER_VERIFIED}'" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("options", "complaint", "code"),
    [
        (["--methods", "single,fast"], "'fast'", 2),
        (["--limit", "0"], "--limit must be at least 1", 2),
        (["--sentences", "0"], "--sentences must be between 1 and 8", 2),
        (["--sentences", "9"], "--sentences must be between 1 and 8", 2),
        (["--sentences", "2"], "give --set synthetic too", 2),
        (["--sentences", "2", "--data", "x"], "give one of them", 2),
        (["--plot", "x.pdf"], "--plot must end in", 2),
        (["--model", "/nowhere"], "/nowhere", 1),
        (["--whisper", "/nowhere", "--methods", "whisper-greedy"], "/nowhere", 1),
    ],
)
def test_bad_options_are_one_line(
    options: list[str], complaint: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "multitoken", *options]) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert complaint in line


def test_recordings_that_are_missing_are_one_line(
    workshop: Workshop, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*workshop.command("--methods", SINGLE, heads=False), "--data", str(tmp_path / "no.jsonl")]
    assert main(command) == 1
    assert "no.jsonl" in capsys.readouterr().err.splitlines()[-1]
