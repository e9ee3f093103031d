"""The larger translator that learns from a packed folder: what it learns, and what Earshot loads of it."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from engine.errors import EngineError
from engine.language.language_model import load_language_model
from lab.recipes.packed.folder import export, read_arrays, read_config, write_arrays
from lab.recipes.packed.language import IGNORE, PackedLanguage, PackedLanguageOptions, targets_of, train
from lab.recipes.packed.network import Network
from lab.recipes.packed.pack_language import PackLanguageOptions, pack
from lab.recipes.sentences.pairs import LANGUAGES

ROOT = Path(__file__).parents[4]
WORDS = [a + b + c + d for a in "bdfgklmn" for b in "aeiou" for c in "lmnrst" for d in "aeo"]


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack of few rows, for a small model."""
    data, out = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("pack")
    folder = data / "text" / "parallel"
    folder.mkdir(parents=True)
    for name, _ in LANGUAGES.values():
        with gzip.open(folder / f"tatoeba-eng-{name}.tsv.gz", "wt", encoding="utf-8") as lines:
            lines.writelines(f"We saw {word}.\tWir sahen {word}.\n" for word in WORDS)
    pack(PackLanguageOptions(data, out, rows=40, layers=2, states=128))
    return out


def options(packed: Path, out: Path) -> PackedLanguageOptions:
    return PackedLanguageOptions(packed, out, steps=6, rows=4, warmup_steps=2, bfloat16=False, compiled=False)


def test_only_what_the_assistant_writes_is_learnt() -> None:
    system, user, assistant, end = 1, 2, 3, 0
    row = torch.tensor([[system, 9, end, user, 8, end, assistant, 7, 6, end, user, 5, end, assistant, 4]])
    wanted = [IGNORE] * 6 + [7, 6, end] + [IGNORE] * 4 + [4]
    assert targets_of(row, torch.tensor([system, user, assistant]), assistant).tolist() == [wanted]


def test_the_network_computes_what_transformers_does(packed: Path) -> None:
    from transformers import AutoConfig, Qwen3ForCausalLM

    network = Network(read_config(packed)).eval()
    published = Qwen3ForCausalLM(AutoConfig.from_pretrained(packed / "model")).float().eval()
    published.load_state_dict(network.state_dict(), strict=False)
    tokens = torch.arange(24).reshape(2, 12)
    with torch.no_grad():
        ours, theirs = network.head(network.model(tokens)), published(tokens).logits
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)


def test_a_run_learns_exports_what_earshot_loads_and_says_so(packed: Path, tmp_path: Path) -> None:
    train(options(packed, tmp_path))
    training = PackedLanguage(replace(options(packed, tmp_path), resume=True))
    model = load_language_model(tmp_path / "model")
    assert model.targets == tuple(LANGUAGES)
    tokens = read_arrays(packed)["rows"][0, :20].astype(int).tolist()
    with torch.no_grad():
        network = training.averaged().half().float()
        expected = network.head(network.model(torch.tensor([tokens])))[0].numpy()
    logits = np.array(model.logits(tokens, model.new_cache(), len(tokens)))
    np.testing.assert_allclose(logits, expected, atol=5e-3)
    said = (tmp_path / "log.txt").read_text(encoding="utf-8").splitlines()[-1]
    assert "tokens a second" in said
    assert "--minutes 24 --resume" in said


def test_a_resumed_run_repeats_the_straight_one(packed: Path, tmp_path: Path) -> None:
    straight, broken = (PackedLanguage(options(packed, tmp_path / name)) for name in ("straight", "broken"))
    for _ in range(4):
        straight.train_step()
    for _ in range(2):
        broken.train_step()
    broken.save()
    resumed = PackedLanguage(replace(options(packed, tmp_path / "broken"), resume=True))
    for _ in range(2):
        resumed.train_step()
    for name, tensor in straight.network.state_dict().items():
        assert torch.equal(tensor, resumed.network.state_dict()[name]), name


def test_the_loss_falls(packed: Path, tmp_path: Path) -> None:
    training = PackedLanguage(replace(options(packed, tmp_path), steps=40, peak_rate=1e-2))
    training.report_steps = 1
    losses = [training.train_step() for _ in range(30)]
    assert np.mean(losses[-5:]) < 0.7 * np.mean(losses[:5])


def test_training_needs_torch_and_numpy_alone(packed: Path, tmp_path: Path) -> None:
    blocked = ("mlx", "transformers", "tokenizers", "safetensors", "PySide6", "soundfile", "sentencepiece")
    code = (
        f"import sys\nfor name in {blocked!r}: sys.modules[name] = None\nsys.argv = ['x', '--data', {str(packed)!r}, "
        f"'--out', {str(tmp_path)!r}, '--steps', '1', '--rows', '2']\n"
        "import runpy; runpy.run_module('lab.recipes.packed.language', run_name='__main__', alter_sys=True)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "A second run" in done.stdout


def test_a_pack_that_is_missing_or_too_large_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="is missing: pack it first"):
        read_arrays(tmp_path)
    noise = np.random.default_rng(1).integers(0, 65536, 30_000_000).astype(np.uint16)
    with pytest.raises(EngineError, match="60 MB"):
        write_arrays(tmp_path, {"rows": noise})


def test_weights_are_written_as_the_library_does(tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text(json.dumps({"a": 1}))
    arrays = {"a": np.arange(6, dtype=np.float16).reshape(2, 3), "b": np.ones(1, np.float32)}
    export(tmp_path, arrays, tmp_path / "out")
    loaded = load_file(tmp_path / "out" / "model.safetensors")
    assert all(
        np.array_equal(loaded[name], array) and loaded[name].dtype == array.dtype for name, array in arrays.items()
    )
