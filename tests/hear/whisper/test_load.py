"""Model folders of every layout load to the same numbers; damaged ones say what is wrong with them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.utils import tree_flatten

from engine.errors import ModelError
from engine.hear.whisper.cpu.decoder import CpuDecoder
from engine.hear.whisper.embedding import HalfEmbedding, SharedRowEmbedding
from engine.hear.whisper.files.layout import our_name
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.mel import log_mel
from engine.hear.whisper.model import ModelDimensions, Whisper
from engine.machine import backend
from engine.machine.byte_products import has_byte_products
from tests.hear.reference import TORCH_REASON, hugging_face_names, transformers_config, transformers_model
from tests.random_whisper import TINY, random_weights, write_random_model

DIMS = TINY | {"n_audio_ctx": 100, "n_audio_layer": 1, "n_text_layer": 1}
TOKENS = [50258, 50259, 50359, 50363, 400, 370]

TOLERANCE = 1e-4  # of logits


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
    return write_random_model(tmp_path_factory.mktemp("mlx-layout"), DIMS)


@pytest.fixture(scope="module")
def expected(folder: Path) -> np.ndarray:
    """The answer of the same weights put into a model by hand."""
    model = Whisper(ModelDimensions(**DIMS))
    model.load_weights([(name, mx.array(array)) for name, array in random_weights(DIMS).items()])
    loaded = load_hearing_model(folder)
    return answer(HearingModel("by hand", folder, model, loaded.tokenizer, (), ""))


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """A model folder to damage."""
    return Path(shutil.copytree(folder, tmp_path / "model"))


def change_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in config.items() if value is not None}))


def change_weights(folder: Path, change: Callable[[dict[str, mx.array]], object]) -> None:
    weights = mx.load(str(folder / "model.safetensors"))
    assert isinstance(weights, dict)
    mx.eval(weights)
    change(weights)
    mx.save_safetensors(str(folder / "model.safetensors"), weights)


def write_hugging_face_folder(folder: Path, shards: int = 1) -> Path:
    """Write the same weights as Hugging Face's library does."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "whisper", **transformers_config(DIMS)}))
    (folder / "generation_config.json").write_text(json.dumps({"alignment_heads": [[0, 1]]}))
    weights = {name: mx.array(array) for name, array in hugging_face_names(random_weights(DIMS)).items()}
    weights["model.encoder.embed_positions.weight"] = mx.zeros((100, 64))
    weights["proj_out.weight"] = weights["model.decoder.embed_tokens.weight"]
    if shards == 1:
        mx.save_safetensors(str(folder / "model.safetensors"), weights)
        return folder
    places = {}
    for shard in range(shards):
        file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        part = dict(list(weights.items())[shard::shards])
        mx.save_safetensors(str(folder / file), part)
        places |= dict.fromkeys(part, file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))
    return folder


def test_the_mlx_layout_loads_by_both_file_names(copy: Path, expected: np.ndarray) -> None:
    np.testing.assert_allclose(answer(load_hearing_model(copy)), expected, atol=TOLERANCE)
    (copy / "model.safetensors").rename(copy / "weights.safetensors")
    np.testing.assert_allclose(answer(load_hearing_model(copy)), expected, atol=TOLERANCE)


def test_a_folder_may_say_that_its_model_takes_no_prompts(copy: Path) -> None:
    assert load_hearing_model(copy).takes_prompts
    change_config(copy, takes_prompts=False)
    assert not load_hearing_model(copy).takes_prompts


@pytest.mark.parametrize("shards", [1, 3])
def test_the_hugging_face_layout_loads_whole_and_in_shards(tmp_path: Path, expected: np.ndarray, shards: int) -> None:
    hearing = load_hearing_model(write_hugging_face_folder(tmp_path / "hf", shards))
    np.testing.assert_allclose(answer(hearing), expected, atol=TOLERANCE)
    assert hearing.model.alignment_heads == ((0, 1),)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_what_transformers_saves_is_loaded(tmp_path: Path, expected: np.ndarray) -> None:
    pytest.importorskip("torch", reason=TORCH_REASON)
    transformers_model(DIMS, random_weights(DIMS)).save_pretrained(tmp_path, max_shard_size="6MB")
    assert (tmp_path / "model.safetensors.index.json").exists()
    np.testing.assert_allclose(answer(load_hearing_model(tmp_path)), expected, atol=TOLERANCE)


def test_every_hugging_face_name_has_one_of_ours() -> None:
    weights = random_weights(TINY)
    assert [our_name(name) for name in hugging_face_names(weights)] == list(weights)
    assert all(our_name(name) == name for name in weights)
    assert our_name("proj_out.weight") is our_name("model.encoder.embed_positions.weight") is None


@pytest.mark.parametrize(("dtype", "tolerance"), [(mx.float16, 0.02), (mx.bfloat16, 0.15), (mx.float32, TOLERANCE)])
def test_half_precision_weights_compute_in_the_type_that_is_fast_here(
    copy: Path, expected: np.ndarray, dtype: mx.Dtype, tolerance: float
) -> None:
    change_weights(copy, lambda weights: weights.update({n: a.astype(dtype) for n, a in weights.items()}))
    hearing = load_hearing_model(copy)
    assert hearing.model.dtype == backend.compute_dtype(dtype)
    np.testing.assert_allclose(answer(hearing), expected, atol=tolerance)


def quantise(folder: Path, bits: int, predicate: Callable[[str, nn.Module], bool] | None = None) -> list[str]:
    """Quantise as mlx-community's conversions do; return the modules."""
    model = Whisper(ModelDimensions(**DIMS))
    model.load_weights(str(folder / "model.safetensors"))
    nn.quantize(model, group_size=64, bits=bits, class_predicate=predicate)
    weights = dict(tree_flatten(model.parameters()))
    mx.save_safetensors(str(folder / "model.safetensors"), weights)
    return [name.removesuffix(".scales") for name in weights if name.endswith(".scales")]


@pytest.mark.parametrize(("bits", "tolerance"), [(8, 0.3), (4, 5.0)])
def test_a_quantised_model_says_nearly_the_same(copy: Path, expected: np.ndarray, bits: int, tolerance: float) -> None:
    assert len(quantise(copy, bits)) == 17
    change_config(copy, quantization={"group_size": 64, "bits": bits})
    difference = np.abs(answer(load_hearing_model(copy)) - expected)
    assert 0 < difference.max() < tolerance


def test_one_quantised_module_named_by_the_configuration_is_enough(copy: Path, expected: np.ndarray) -> None:
    modules = quantise(copy, 8, lambda path, _: path == "decoder.token_embedding")
    assert modules == ["decoder.token_embedding"]
    change_config(copy, quantization={"group_size": 64, "bits": 8, "modules": modules})
    assert np.abs(answer(load_hearing_model(copy)) - expected).max() < 0.1


def test_modules_may_be_quantised_each_in_its_own_way(copy: Path, expected: np.ndarray) -> None:
    path = "encoder.blocks.0.mlp1"
    quantise(copy, 4, lambda name, _: name == path)
    change_config(copy, quantization={"group_size": 32, "bits": 8, path: {"group_size": 64, "bits": 4}})
    assert np.abs(answer(load_hearing_model(copy)) - expected).max() < 5


def test_on_a_gpu_weights_stay_as_they_are_stored(
    copy: Path, expected: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "on_gpu", lambda: True)
    change_weights(copy, lambda weights: weights.update({n: a.astype(mx.float16) for n, a in weights.items()}))
    quantise(copy, 8)
    change_config(copy, quantization={"group_size": 64, "bits": 8})
    hearing = load_hearing_model(copy)
    assert hearing.model.dtype == mx.float16
    assert isinstance(hearing.model.decoder.token_embedding, nn.QuantizedEmbedding)
    assert isinstance(hearing.model.encoder.blocks[0].mlp1, nn.QuantizedLinear)
    assert np.abs(answer(hearing) - expected).max() < 0.3


def test_on_a_gpu_weights_that_are_stored_in_float32_take_half_the_memory(
    copy: Path, expected: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "on_gpu", lambda: True)
    change_weights(copy, lambda weights: weights.update({n: a.astype(mx.float32) for n, a in weights.items()}))
    hearing = load_hearing_model(copy)
    assert {array.dtype for _, array in tree_flatten(hearing.model.parameters())} == {mx.float16}
    assert np.abs(answer(hearing) - expected).max() < 0.3


def test_quantised_weights_without_settings_are_refused(copy: Path) -> None:
    quantise(copy, 8)
    with pytest.raises(ModelError, match=r"quantised weights, but its config\.json does not say how"):
        load_hearing_model(copy)


def test_quantised_weights_with_other_settings_are_refused(copy: Path) -> None:
    quantise(copy, 8)
    change_config(copy, quantization={"group_size": 64, "bits": 4})
    with pytest.raises(ModelError, match=r"quantised weights in .* do not fit|has the shape"):
        load_hearing_model(copy)


@pytest.mark.skipif(backend.on_gpu(), reason="a GPU multiplies every row as it is")
def test_unused_tokens_share_a_row_and_the_answer_stays(copy: Path) -> None:
    def forget(weights: dict[str, mx.array]) -> None:
        embedding = np.array(weights["decoder.token_embedding.weight"])
        embedding[5000:45000] = embedding[5000]
        weights["decoder.token_embedding.weight"] = mx.array(embedding)

    change_weights(copy, forget)
    hearing = load_hearing_model(copy)
    embedding = hearing.model.decoder.token_embedding
    assert isinstance(embedding, SharedRowEmbedding)
    assert embedding.weight.shape == (11866, 64)
    logits = answer(hearing)
    assert logits.shape == (1, 1, 51865)
    assert np.ptp(logits[..., 5000:45000]) == 0


def test_alignment_heads_come_from_the_configuration_else_the_published_table(tmp_path: Path) -> None:
    chosen = write_random_model(tmp_path / "chosen", DIMS, alignment_heads=[[0, 1]])
    assert load_hearing_model(chosen).model.alignment_heads == ((0, 1),)
    unknown = write_random_model(tmp_path / "unknown", DIMS)
    assert load_hearing_model(unknown).model.alignment_heads == ((0, 0), (0, 1))


def test_languages_come_from_the_configuration_else_the_vocabulary(tmp_path: Path) -> None:
    one = write_random_model(tmp_path / "one", DIMS, languages=["en"])
    assert load_hearing_model(one).languages == ("en",)
    many = load_hearing_model(write_random_model(tmp_path / "many", DIMS | {"n_vocab": 51866}))
    assert len(many.languages) == 100
    english = load_hearing_model(write_random_model(tmp_path / "english", DIMS | {"n_vocab": 51864}))
    assert english.languages == ("en",)
    assert not english.tokenizer.multilingual


def test_a_fingerprint_follows_the_weights_and_not_the_place(folder: Path, copy: Path) -> None:
    assert load_hearing_model(copy).fingerprint == load_hearing_model(folder).fingerprint
    change_weights(copy, lambda weights: weights.update({"encoder.conv1.bias": mx.zeros((64,))}))
    assert load_hearing_model(copy).fingerprint != load_hearing_model(folder).fingerprint


def test_a_loaded_model_has_nothing_left_to_train_or_to_evaluate(folder: Path) -> None:
    model = load_hearing_model(folder).model
    assert not tree_flatten(model.trainable_parameters())
    assert not model.training


# What can be wrong with a folder: how to damage it, and what the message says.


def cut_off(folder: Path) -> None:
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[: len(data) // 2])


def keep_header_of_nothing(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"")


def scramble_header(folder: Path) -> None:
    data = bytearray((folder / "model.safetensors").read_bytes())
    data[8:12] = b"\xff\x00{{"
    (folder / "model.safetensors").write_bytes(bytes(data))


def give_header_without_sense(folder: Path) -> None:
    header = b'{"encoder.conv1.weight": [1, 2]}'
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)


def rename_to(name: str) -> Callable[[Path], None]:
    return lambda folder: shutil.move(folder / "model.safetensors", folder / name) and None


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def write_config(text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "config.json").write_text(text) and None


def configure(**changes: object) -> Callable[[Path], None]:
    return lambda folder: change_config(folder, **changes)


def edit_weights(change: Callable[[dict[str, mx.array]], object]) -> Callable[[Path], None]:
    return lambda folder: change_weights(folder, change)


def lose_a_shard(folder: Path) -> None:
    shutil.rmtree(folder)
    write_hugging_face_folder(folder, shards=3)
    (folder / "model-00002-of-00003.safetensors").unlink()


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "no configuration": (remove("config.json"), r"config\.json cannot be read: No such file"),
    "configuration is not JSON": (write_config("{"), r"config\.json is not valid JSON .* Copy or download"),
    "configuration is not text": (
        lambda folder: (folder / "config.json").write_bytes(b"\xff\xfe\x00") and None,
        r"config\.json is not valid JSON",
    ),
    "configuration is a list": (write_config("[]"), "holds no JSON object"),
    "configuration of another kind": (
        write_config('{"model_type": "llama", "hidden_size": 64}'),
        r"holds a llama model; Earshot hears with Whisper models\.",
    ),
    "configuration lacks a size": (configure(n_text_layer=None), "describes no Whisper model: n_text_layer is None"),
    "configuration with a silly size": (configure(n_mels=-80), "n_mels is -80, not a positive number"),
    "heads that do not divide": (configure(n_audio_head=7), "n_audio_state is 64, which 7 heads cannot share"),
    "mels without filters": (configure(n_mels=40), "n_mels is 40; Whisper hears 80 or 128"),
    "a vocabulary of another model": (configure(n_vocab=32000), "n_vocab is 32000"),
    "alignment head that is not there": (configure(alignment_heads=[[0, 9]]), "names head 9 of layer 0"),
    "alignment heads of a wrong form": (configure(alignment_heads=[3]), r"must be a list of \[layer, head\] pairs"),
    "languages of a wrong form": (configure(languages=["en", "xx"]), "languages .* 'xx'"),
    "no weights": (remove("model.safetensors"), r"has no model\.safetensors"),
    "weights as a pickle": (rename_to("pytorch_model.bin"), r"weights as pytorch_model\.bin\. .* safetensors instead"),
    "weights as OpenAI's checkpoint": (rename_to("tiny.pt"), r"weights as tiny\.pt"),
    "weights as an npz": (rename_to("weights.npz"), r"weights as weights\.npz"),
    "weights cut off": (cut_off, r"model\.safetensors is cut off: \S+ ends [\d,]+ bytes after the file does"),
    "weights empty": (keep_header_of_nothing, "is cut off or is not a safetensors file"),
    "weights that are text": (
        lambda folder: (folder / "model.safetensors").write_text("hello, I am no model at all") and None,
        "is cut off or is not a safetensors file",
    ),
    "weights with a scrambled list": (scramble_header, "its list of tensors is not readable"),
    "weights with a list of nonsense": (give_header_without_sense, "its list of tensors makes no sense"),
    "a tensor of a wrong shape": (
        edit_weights(lambda weights: weights.update({"decoder.ln.weight": mx.zeros((63,))})),
        r"decoder\.ln\.weight in .* has the shape \(63,\); its config\.json asks for \(64,\)",
    ),
    "a tensor missing": (
        edit_weights(lambda weights: weights.pop("decoder.ln.weight")),
        r"lacks 1 of \d+ tensors, decoder\.ln\.weight first",
    ),
    "a tensor too many": (
        edit_weights(lambda weights: weights.update({"decoder.blocks.7.mlp1.bias": mx.zeros((1,))})),
        r"holds decoder\.blocks\.7\.mlp1\.bias, which is no part",
    ),
    "a tensor of integers": (
        edit_weights(lambda weights: weights.update({"decoder.ln.weight": mx.zeros((64,), mx.int8)})),
        r"stores decoder\.ln\.weight as I8",
    ),
    "a value that no model was taught": (
        edit_weights(lambda weights: weights.update({"decoder.ln.weight": mx.full((64,), 1e35)})),
        r"decoder\.ln\.weight in .* is damaged: it holds 1e\+35",
    ),
    "a value that is no number": (
        edit_weights(lambda weights: weights.update({"decoder.ln.weight": mx.full((64,), float("nan"))})),
        r"decoder\.ln\.weight in .* is damaged: it holds nan",
    ),
    "a shard missing": (lose_a_shard, r"lacks model-00002-of-00003\.safetensors, which its index lists"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_answered_with_one_sentence_that_helps(copy: Path, damage: str) -> None:
    break_it, message = DAMAGES[damage]
    break_it(copy)
    with pytest.raises(ModelError, match=message) as caught:
        load_hearing_model(copy)
    assert "\n" not in str(caught.value)
    assert str(copy) in str(caught.value)


@pytest.mark.skipif(not has_byte_products(), reason="bytes are multiplied on Linux only")
def test_the_starters_vocabulary_is_in_memory_once_in_half_precision() -> None:
    if backend.on_gpu():
        pytest.skip("a GPU keeps it in 8 bits")
    model = load_hearing_model("starter").model
    assert isinstance(model.embedding, HalfEmbedding)
    assert isinstance(model.fast_decoder, CpuDecoder)
    assert np.shares_memory(model.fast_decoder.vocabulary._rows, np.array(model.embedding.weight, copy=False))
    floats = [array for _, array in tree_flatten(model.parameters()) if array.dtype == mx.float32]
    assert max(array.size for array in floats) < model.embedding.weight.size / 10
