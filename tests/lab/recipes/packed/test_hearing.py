"""The draft of the encoder that learns from a packed folder: what it hears, and what Earshot loads of it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from engine.hear.whisper.encoder_draft import load_draft
from engine.hear.whisper.load import load_hearing_model
from engine.hear.whisper.mel import log_mel
from lab.recipes.packed.hearing import PackedHearing, PackedHearingOptions, train
from lab.recipes.packed.pack_hearing import PackHearingOptions, by_turns, pack, within
from lab.recipes.packed.sounds import RANGE, changed, coded, decoded
from lab.recipes.speech.torch_whisper import TorchWhisper
from lab.recipes.speech.transcripts import QuickTeacher, SourceClip, Transcript, Transcripts, write_transcripts
from tests.toy_models import TOY, TOY_MEETING

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack of what the toy writes of a meeting, whose sentences count as said by three people."""
    folder = tmp_path_factory.mktemp("packed")
    hearing = load_hearing_model(TOY)
    said = json.loads(TOY_MEETING.with_suffix(".json").read_text())["sentences"]
    clips = [SourceClip(TOY_MEETING, f"s{number % 3}", "", one["start"], one["end"]) for number, one in enumerate(said)]
    write_transcripts(QuickTeacher(hearing), clips, folder / "said", 5.0, 1, lambda line: None)
    pack(PackHearingOptions(folder / "said", folder / "pack", str(TOY), pieces=300))
    return folder / "pack"


def options(packed: Path, out: Path) -> PackedHearingOptions:
    return PackedHearingOptions(
        packed, out, steps=3, states=16, layers=1, batch=4, warmup_steps=2, bfloat16=False, peak_rate=1e-2
    )


def test_log_mel_in_few_bytes_is_nearly_what_it_was() -> None:
    mel = np.random.default_rng(1).uniform(-1, 1, (50, 80)).astype(np.float32)
    again = decoded(*coded(mel))
    assert np.abs(again - mel).max() <= RANGE / 31 / 2 + 1e-6
    quiet = np.full((3, 80), -1.5, np.float32)
    np.testing.assert_allclose(decoded(*coded(quiet)), quiet, atol=1e-6)


def test_a_change_keeps_room_for_the_pieces_and_the_range_of_the_sound() -> None:
    mel = torch.linspace(-1, 1, 100)[:, None].repeat(1, 80)
    made = [changed(mel, 96, torch.Generator().manual_seed(seed)) for seed in range(40)]
    assert min(map(len, made)) == 96
    assert max(map(len, made)) > 108
    assert all(float(one.max() - one.min()) <= RANGE + 1e-4 for one in made)
    assert sum(bool((one[:20] > -0.5).any()) for one in made) > 8  # noise where it was quiet
    assert torch.equal(made[3], changed(mel, 96, torch.Generator().manual_seed(3)))


def test_the_packed_encoder_hears_what_the_whisper_does(packed: Path, tmp_path: Path) -> None:
    training = PackedHearing(options(packed, tmp_path))
    whisper = TorchWhisper(load_hearing_model(TOY).model).eval()
    for clip in training.people.mels[:3]:
        expected = whisper.encoder(clip[None])[0]
        short = training.people.mels[0][: len(clip) // 2]
        features, _ = training.people.features([clip, short])
        torch.testing.assert_close(features[0, : len(expected)], expected, atol=0.05, rtol=0.05)


def test_clips_are_packed_as_they_are_heard(packed: Path, tmp_path: Path) -> None:
    training = PackedHearing(options(packed, tmp_path))
    said = Transcripts(packed.parent / "said", load_hearing_model(TOY).fingerprint).read()
    lengths = sorted(len(np.array(log_mel(one.clip.listen()))) for one in said)
    assert set(map(len, training.people.mels)) <= set(lengths)
    assert len(training.people.known) and len(training.people.held_out)


def test_a_run_goes_on_writes_what_earshot_loads_and_says_so(packed: Path, tmp_path: Path) -> None:
    train(options(packed, tmp_path))
    fingerprint = load_hearing_model(TOY).fingerprint
    first = load_draft(tmp_path / "draft.safetensors", fingerprint)
    assert (first.shape.states, len(first.pieces)) == (16, 300)
    train(replace(options(packed, tmp_path), steps=5, resume=True))
    assert load_draft(tmp_path / "draft.safetensors", fingerprint).digest != first.digest
    lines = (tmp_path / "log.txt").read_text(encoding="utf-8").splitlines()
    assert "at step 5" in lines[-2]
    assert "pieces a second" in lines[-1] and "--resume" in lines[-1]


def test_the_loss_falls(packed: Path, tmp_path: Path) -> None:
    training = PackedHearing(replace(options(packed, tmp_path), steps=60, dropout=0.0))
    losses = [training.train_step() for _ in range(40)]
    assert np.mean(losses[-5:]) < 0.8 * np.mean(losses[:5])


def test_training_needs_torch_and_numpy_alone(packed: Path, tmp_path: Path) -> None:
    blocked = ("mlx", "transformers", "tokenizers", "safetensors", "PySide6", "soundfile", "sentencepiece", "tiktoken")
    code = (
        f"import sys\nfor name in {blocked!r}: sys.modules[name] = None\nsys.argv = ['x', '--data', {str(packed)!r}, "
        f"'--out', {str(tmp_path)!r}, '--steps', '1', '--batch', '2', '--states', '16']\n"
        "import runpy; runpy.run_module('lab.recipes.packed.hearing', run_name='__main__', alter_sys=True)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "A second run" in done.stdout


def test_every_speaker_is_packed_before_another_clip_of_one() -> None:
    none = np.zeros(0, np.int32)
    many = [
        Transcript(SourceClip(Path(f"{n}.wav"), "abc"[min(n, 2)], "", 0.0, 4.0), none, none, none, ())  # type: ignore[arg-type]
        for n in range(8)
    ]
    turns = by_turns(many)
    assert {one.clip.speaker for one in turns[:3]} == set("abc")
    assert len(turns) == 8
    assert within(turns, 12.5 / 3600) == turns[:3]
