"""A model that was converted says what it said, in as many bits as asked for, and nothing is overwritten for it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from engine.errors import ModelError, OptionError
from engine.hear.whisper.convert import WIDTHS, convert_model
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.mel import log_mel
from tests.random_whisper import TINY, write_random_model

DIMS = TINY | {"n_audio_ctx": 100, "n_audio_layer": 1, "n_text_layer": 1}
TOKENS = [50258, 50259, 50359, 50363, 400, 370]


def answer(hearing: HearingModel) -> np.ndarray:
    """Hear half a second of noise by the weights that a model was loaded with, not their rounded bytes."""
    hearing.model.fast_encoder = hearing.model.fast_decoder = None
    samples = np.random.default_rng(5).normal(0, 0.1, 8000).astype(np.float32)
    features = hearing.model.encode(log_mel(samples, hearing.model.dims.n_mels))
    logits, _ = hearing.model.decode(
        mx.array([TOKENS]), hearing.model.cross_cache(features), hearing.model.new_cache(), rows=(-1,)
    )
    return np.array(logits)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("model")
    return write_random_model(made, DIMS, alignment_heads=[[0, 1]], languages=["en"], takes_prompts=False)


def test_float16_loses_hardly_anything_and_keeps_what_the_folder_says(folder: Path, tmp_path: Path) -> None:
    made = convert_model(folder, tmp_path / "half", 16)
    assert made.size_bytes == (tmp_path / "half" / "model.safetensors").stat().st_size
    assert made.size_bytes < 0.51 * (folder / "model.safetensors").stat().st_size
    before, after = load_hearing_model(folder), load_hearing_model(tmp_path / "half")
    np.testing.assert_allclose(answer(after), answer(before), atol=0.02)
    assert after.model.alignment_heads == ((0, 1),)
    assert after.languages == ("en",)
    assert not after.takes_prompts


def test_fewer_bits_take_less_room_and_stray_further(folder: Path, tmp_path: Path) -> None:
    expected = answer(load_hearing_model(folder))
    sizes, errors = [], []
    for bits in WIDTHS:
        made = convert_model(folder, tmp_path / str(bits), bits)
        sizes.append(made.size_bytes)
        errors.append(float(np.abs(answer(load_hearing_model(made.folder)) - expected).mean()))
    assert sizes == sorted(sizes, reverse=True)
    assert errors == sorted(errors)
    assert len(set(sizes)) == len(set(errors)) == len(WIDTHS)


def test_norms_convolutions_and_positions_stay_in_half_precision(folder: Path, tmp_path: Path) -> None:
    stored = mx.load(str(convert_model(folder, tmp_path / "four", 4).folder / "model.safetensors"))
    assert isinstance(stored, dict)
    packed = {name.removesuffix(".weight") for name, array in stored.items() if array.dtype == mx.uint32}
    assert packed == {name.removesuffix(".scales") for name in stored if name.endswith(".scales")}
    assert "decoder.token_embedding" in packed
    assert len(packed) == 17
    for name in ("encoder.conv1.weight", "decoder.positional_embedding", "decoder.ln.weight", "encoder.conv1.bias"):
        assert stored[name].dtype == mx.float16


def test_what_was_quantised_can_be_converted_again(folder: Path, tmp_path: Path) -> None:
    eight = convert_model(folder, tmp_path / "eight", 8).folder
    again = convert_model(eight, tmp_path / "again", 16).folder
    np.testing.assert_allclose(answer(load_hearing_model(again)), answer(load_hearing_model(eight)), atol=0.02)
    assert "quantization" not in json.loads((again / "config.json").read_text())


def test_published_alignment_heads_are_written_out(tmp_path: Path) -> None:
    dims = TINY | {"n_audio_state": 384, "n_audio_head": 6, "n_audio_layer": 4}
    dims |= {"n_vocab": 51864, "n_text_state": 384, "n_text_head": 6, "n_text_layer": 4}
    made = convert_model(write_random_model(tmp_path / "model", dims), tmp_path / "made", 4).folder
    heads = json.loads((made / "config.json").read_text())["alignment_heads"]
    assert heads == [[1, 0], [2, 0], [2, 5], [3, 0], [3, 1], [3, 2], [3, 3], [3, 4]]


def test_an_empty_folder_is_filled_and_a_full_one_is_left_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    convert_model(folder, tmp_path / "empty", 8)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for out in (tmp_path / "empty", folder):
        with pytest.raises(ModelError, match=r"holds config\.json already\. Give a new folder, or empty this one\."):
            convert_model(folder, out, 4)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    (tmp_path / "note").write_text("mine")
    with pytest.raises(ModelError, match="note cannot be written to: Not a directory"):
        convert_model(folder, tmp_path / "note", 4)


def test_nothing_is_left_of_a_conversion_that_failed(folder: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copytree(folder, tmp_path / "broken"))
    weights = mx.load(str(broken / "model.safetensors"))
    assert isinstance(weights, dict)
    mx.eval(weights)
    weights["encoder.ln_post.weight"] = mx.full((64,), float("nan"))
    mx.save_safetensors(str(broken / "model.safetensors"), weights)
    with pytest.raises(ModelError, match=r"encoder\.ln_post\.weight in .* holds values that are not finite"):
        convert_model(broken, tmp_path / "made", 8)
    with pytest.raises(OptionError, match="16, 8, 6, 5, 4, 3 or 2 bits, not 7"):
        convert_model(folder, tmp_path / "made", 7)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken"]
