"""The Speech-LLaMA that learns on from a packed folder: what it begins with, and what Earshot loads of it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import mlx.core as mx
import torch

from engine.hear.speech_llama.load import load_speech_llama, tokens_of
from engine.hear.whisper.load import load_hearing_model
from engine.models.catalogue import ASSETS
from lab.recipes.packed.folder import read_safetensors
from lab.recipes.packed.pack_hearing import PackHearingOptions, pack
from lab.recipes.packed.speech_llama import PackedSpeechLlama, PackedSpeechLlamaOptions, train
from lab.recipes.speech.transcripts import QuickTeacher, read_manifest, write_transcripts
from lab.recipes.speech_llama.special import BEGINS, IGNORE
from tests.people_clips import PEOPLE

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack of a few people and what the starter writes of them."""
    folder = tmp_path_factory.mktemp("packed")
    hearing = load_hearing_model("starter")
    clips = sorted(read_manifest(PEOPLE / "manifest.jsonl", ["en"]), key=lambda clip: clip.seconds)
    clips = [replace(clip, speaker=f"s{number % 3}", text="") for number, clip in enumerate(clips[8:13])]
    write_transcripts(QuickTeacher(hearing), clips, folder / "said", 5.0, 1, lambda line: None)
    pack(PackHearingOptions(folder / "said", folder / "pack", pieces=300))
    return folder / "pack"


def options(packed: Path, out: Path) -> PackedSpeechLlamaOptions:
    return PackedSpeechLlamaOptions(packed, out, steps=2, batch=2, warmup_steps=1, bfloat16=False)


def test_matrices_of_bytes_are_read_as_mlx_reads_them() -> None:
    path = ASSETS / "starter" / "speech-llama" / "model.safetensors"
    ours, theirs = read_safetensors(path), mx.load(str(path))
    for name in ("adapter", "model.layers.3.mlp.down_proj", "model.layers.7.self_attn.k_proj"):
        weight, *rest = (theirs[f"{name}.{part}"] for part in ("weight", "scales", "biases"))
        expected = np.array(mx.dequantize(weight, *(part.astype(mx.float32) for part in rest), 64, 8))
        np.testing.assert_allclose(ours[f"{name}.weight"], expected, atol=1e-5)
    assert np.array_equal(ours["heads.draft_tokens"], np.array(theirs["heads.draft_tokens"]))


def test_it_begins_as_the_starter_and_knows_what_held_out_people_say(packed: Path, tmp_path: Path) -> None:
    training = PackedSpeechLlama(options(packed, tmp_path))
    embedding = np.array(tokens_of(load_hearing_model("starter")).astype(mx.float32))
    np.testing.assert_allclose(training.model.model.embed_tokens.weight.numpy(), embedding, atol=2e-3)
    training.evaluate()
    assert training.curve[0]["next"] > 0.7
    assert training.curve[0]["at_once"] > 1.3


def test_a_cut_clip_ends_with_a_whole_word_and_the_times_follow_its_speed(packed: Path, tmp_path: Path) -> None:
    training = PackedSpeechLlama(options(packed, tmp_path))
    whole = training.batch([0], None)
    lengths = set()
    for seed in range(30):
        made = training.batch([0], torch.Generator().manual_seed(seed))
        count = int((made.targets != IGNORE).sum())
        lengths.add(count)
        assert torch.equal(made.tokens[0, : count + BEGINS - 1], whole.tokens[0, : count + BEGINS - 1])
        said = made.windows[0][~made.windows[0, :, 0].isnan()]
        assert float(said.max()) <= int(made.frames[0]) / 50 + 0.3
    assert len(lengths) > 2
    assert max(lengths) == int((whole.targets != IGNORE).sum())


def test_a_run_goes_on_and_exports_what_earshot_loads(packed: Path, tmp_path: Path) -> None:
    train(options(packed, tmp_path))
    loaded = load_speech_llama(tmp_path / "model")
    assert loaded.heads is not None
    assert PackedSpeechLlama(replace(options(packed, tmp_path), resume=True)).step == 2
    lines = (tmp_path / "log.txt").read_text(encoding="utf-8").splitlines()
    assert "in 2 steps" in lines[-1] and "tokens a second" in lines[-1] and "--resume" in lines[-1]


def test_training_needs_torch_and_numpy_alone(packed: Path, tmp_path: Path) -> None:
    blocked = ("mlx", "transformers", "tokenizers", "safetensors", "PySide6", "soundfile", "sentencepiece", "tiktoken")
    code = (
        f"import sys\nfor name in {blocked!r}: sys.modules[name] = None\nsys.argv = ['x', '--data', {str(packed)!r}, "
        f"'--out', {str(tmp_path)!r}, '--steps', '1', '--batch', '2']\n"
        "import runpy; runpy.run_module('lab.recipes.packed.speech_llama', run_name='__main__', alter_sys=True)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "A second run" in done.stdout
