"""A Whisper says the same however it is stored, keeps its fingerprint, and what is no Whisper is refused in one line.

The toy's own weights are written in every format, so that this holds for a model that was trained, in every clone; the
starter's too, for people, where its weights and the recordings are.
"""

from __future__ import annotations

import json
import re
import shutil
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from gguf import GGMLQuantizationType
from gguf.quants import dequantize, quantize
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.audio.source import read_audio
from engine.errors import ModelError
from engine.hear.whisper.convert import convert_model
from engine.hear.whisper.files.stored import open_whisper
from engine.hear.whisper.fingerprint import fingerprint_of
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.model import ModelDimensions
from engine.hear.whisper.padding import make_padding
from engine.loading.check import check_model
from engine.models.catalogue import catalogue
from lab.recipes.speech.padding_errors import heard_text
from tests.people_clips import people_clips
from tests.random_whisper import random_weights, write_random_model
from tests.toy_models import TOY, TOY_MEETING
from tests.weights.other_formats import (
    GGML_KINDS,
    Arrays,
    ctranslate2_bytes,
    ctranslate2_variables,
    ggml_header,
    ggml_tensor,
    ggml_tensors,
    plain_weights,
    quantised_variables,
    write_ctranslate2,
    write_ggml,
)
from tests.weights.test_ctranslate2 import mutations

Model = tuple[ModelDimensions, dict[str, np.ndarray]]
SMALL = ModelDimensions(80, 10, 32, 1, 1, 51864, 20, 32, 1, 1)
SOME_KINDS = ("float32", "int8", "int8_float16", "int16", "f16", "q8_0", "q5_1")


@pytest.fixture(scope="module")
def toy() -> Model:
    return half_weights(TOY)


def half_weights(folder: Path) -> Model:
    """Read a model's weights, rounded to float16."""
    dims, weights = plain_weights(folder)
    return dims, {name: array.astype(np.float16).astype(np.float32) for name, array in weights.items()}


@pytest.fixture(scope="module")
def half(toy: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy as a plain float16 folder."""
    return write_mlx(tmp_path_factory.mktemp("half"), *toy)


def write_mlx(folder: Path, dims: ModelDimensions, weights: Arrays) -> Path:
    folder.mkdir(exist_ok=True)
    tensors = {name: mx.array(array.astype(np.float16)) for name, array in weights.items()}
    mx.save_safetensors(str(folder / "model.safetensors"), tensors)
    sizes = {name: getattr(dims, name) for name in ModelDimensions.__slots__}
    (folder / "config.json").write_text(json.dumps({"model_type": "whisper", **sizes}))
    return folder


def write_any(folder: Path, kind: str, dims: ModelDimensions, weights: Arrays) -> Path:
    """Write a model as CTranslate2 or whisper.cpp store it; return what --model takes."""
    if kind in GGML_KINDS:
        return write_ggml(folder / "ggml-model.bin", weights, dims, kind)
    return write_ctranslate2(folder / "model", weights, dims, kind)


@pytest.fixture(scope="module")
def said(half: Path) -> Callable[[HearingModel], list[str]]:
    """Write three passages of a meeting greedily with a model: said(hearing)."""
    samples = read_audio(TOY_MEETING)
    passages = [samples[start * 16_000 : (start + 5) * 16_000] for start in (0, 5, 11)]

    def say(hearing: HearingModel) -> list[str]:
        padding = make_padding(hearing, "zeros:1")
        return [heard_text(hearing, padding, passage, "en") for passage in passages]

    return say


@pytest.fixture(scope="module")
def expected(half: Path, said: Callable[[HearingModel], list[str]]) -> list[str]:
    texts = said(load_hearing_model(half))
    assert sum(len(text.split()) for text in texts) > 10
    return texts


@pytest.mark.parametrize("kind", ["float32", "float16", "f16"])
def test_unquantised_models_of_every_format_say_word_for_word_the_same(
    toy: Model, tmp_path: Path, kind: str, said: Callable[[HearingModel], list[str]], expected: list[str]
) -> None:
    place = write_any(tmp_path, kind, *toy)
    assert said(load_hearing_model(place)) == expected
    for name, array in plain_weights(place)[1].items():
        np.testing.assert_array_equal(array, toy[1][name], err_msg=name)


@pytest.mark.parametrize("kind", ["q8_0", "q5_0", "q5_1"])
def test_a_quantised_ggml_model_says_what_its_numbers_say_as_its_makers_read_them(
    toy: Model, tmp_path: Path, kind: str, said: Callable[[HearingModel], list[str]]
) -> None:
    dims, weights = toy
    number = GGMLQuantizationType[kind.upper()]
    rounded = {
        name: dequantize(quantize(array, number), number) if array.ndim == 2 and "positional" not in name else array
        for name, array in weights.items()
    }
    ours = load_hearing_model(write_any(tmp_path, kind, dims, weights))
    assert said(ours) == said(load_hearing_model(write_mlx(tmp_path / "rounded", dims, rounded)))


@pytest.mark.parametrize("kind", ["int8", "int16"])
def test_a_quantised_ctranslate2_model_says_what_its_numbers_say(
    toy: Model, tmp_path: Path, kind: str, said: Callable[[HearingModel], list[str]]
) -> None:
    dims, weights = toy
    rounded = dict(weights)
    for name, array in weights.items():
        if array.ndim > 1 and "positional" not in name:
            rows = array.reshape(len(array), -1)
            most = np.abs(rows).max(axis=1, keepdims=True) / 127 if kind == "int8" else np.abs(rows).max() / 1024
            rounded[name] = (np.rint(rows / most) * most).reshape(array.shape)
    if kind == "int16":  # query, key and value are one matrix, of one scale
        rounded = plain_weights(write_any(tmp_path / "twice", "int16", dims, weights))[1]
    ours = load_hearing_model(write_any(tmp_path, kind, dims, weights))
    assert said(ours) == said(load_hearing_model(write_mlx(tmp_path / "rounded", dims, rounded)))


@pytest.mark.parametrize("kind", ["float16", "f16"])
def test_the_starter_hears_people_the_same_in_every_format(tmp_path: Path, kind: str) -> None:
    starter = catalogue()["starter"].local_folder()
    if starter is None:
        pytest.skip("the starter model is not in this checkout")
    dims, weights = half_weights(starter)
    clips = people_clips()[:3]
    texts = []
    for place in (write_mlx(tmp_path / "half", dims, weights), write_any(tmp_path, kind, dims, weights)):
        hearing = load_hearing_model(place)
        padding = make_padding(hearing, "full")
        texts.append([heard_text(hearing, padding, clip.samples, "en") for clip in clips])
    assert texts[0] == texts[1]
    assert all(len(text.split()) > 5 for text in texts[0])


def test_one_fingerprint_names_the_weights_in_every_storage(toy: Model, half: Path, tmp_path: Path) -> None:
    places = [half, TOY, convert_model(half, tmp_path / "four", 4).folder]
    places += [write_any(tmp_path / kind, kind, *toy) for kind in SOME_KINDS]
    assert {fingerprint_of(place) for place in places} == {load_hearing_model(half).fingerprint}


def test_a_fingerprint_follows_every_norm_and_bias_and_the_shape(tmp_path: Path) -> None:
    dims, weights = SMALL, random_weights({name: getattr(SMALL, name) for name in ModelDimensions.__slots__})
    seen = {fingerprint_of(write_mlx(tmp_path / "same", dims, weights))}
    for name in (
        "encoder.conv1.bias",
        "decoder.ln.weight",
        "encoder.blocks.0.mlp1.bias",
        "decoder.positional_embedding",
    ):
        changed = weights | {name: weights[name] + 0.01}
        seen.add(fingerprint_of(write_mlx(tmp_path / name, dims, changed)))
    other = replace(dims, n_audio_head=2)
    seen.add(fingerprint_of(write_mlx(tmp_path / "heads", other, weights)))
    assert len(seen) == 6


def test_alignment_heads_come_from_config_json_else_from_the_published_table(tmp_path: Path) -> None:
    tiny = {"n_audio_state": 384, "n_audio_head": 6, "n_audio_layer": 4}
    sizes = {**{name: getattr(SMALL, name) for name in ModelDimensions.__slots__}, **tiny}
    sizes |= {"n_audio_ctx": 1500, "n_text_ctx": 448, "n_text_state": 384, "n_text_head": 6, "n_text_layer": 4}
    dims, weights = ModelDimensions(**sizes), random_weights(sizes)
    named = write_ctranslate2(tmp_path / "named", weights, dims, alignment_heads=[[0, 1], [3, 5]])
    assert load_hearing_model(named).model.alignment_heads == ((0, 1), (3, 5))
    ggml = load_hearing_model(write_ggml(tmp_path / "ggml-tiny.en.bin", weights, dims, "q8_0"))
    assert ggml.model.alignment_heads == ((1, 0), (2, 0), (2, 5), (3, 0), (3, 1), (3, 2), (3, 3), (3, 4))
    assert (ggml.name, ggml.languages) == ("ggml-tiny.en", ("en",))
    (named / "config.json").write_text('{"alignment_heads": [[9, 9]]}')
    with pytest.raises(ModelError, match=r"alignment_heads in .* names head 9 of layer 9"):
        load_hearing_model(named)


def test_a_folder_may_hold_one_model_of_whisper_cpps(toy: Model, tmp_path: Path) -> None:
    file = write_any(tmp_path, "q5_1", *toy)
    assert load_hearing_model(tmp_path).fingerprint == load_hearing_model(file).fingerprint
    assert check_model(tmp_path) == check_model(file) == "hearing"
    shutil.copy(file, tmp_path / "ggml-other.bin")
    with pytest.raises(
        ModelError, match=r"holds 2 models of whisper\.cpp's: ggml-model\.bin, ggml-other\.bin\. Give one"
    ):
        check_model(tmp_path)


def test_what_ctranslate2_itself_writes_is_read(toy: Model, tmp_path: Path) -> None:
    specs = pytest.importorskip("ctranslate2.specs", reason="ctranslate2 is not installed (uv sync --group peers)")
    dims, weights = toy
    variables = {
        name: array.copy() for name, array in ctranslate2_variables(weights, dims).items()
    }  # it scales in place
    spec = specs.WhisperSpec(dims.n_audio_layer, dims.n_audio_head, dims.n_text_layer, dims.n_text_head)

    def fill(layer: object, name: str, value: object) -> None:
        if value is None:
            source = "decoder/embeddings/weight" if name == "decoder/projection/weight" else name
            setattr(layer, name.rpartition("/")[2], variables[source])
        elif name in variables and name.endswith(("bias", "encodings")):  # which a model may lack
            setattr(layer, name.rpartition("/")[2], variables[name])

    spec._visit(fill)
    specs.LayerSpec.validate(spec)
    spec.optimize(quantization="int8")
    (tmp_path / "model").mkdir()
    spec._serialize(str(tmp_path / "model" / "model.bin"))
    ours = write_ctranslate2(tmp_path / "ours", weights, dims, "int8")
    read, again = plain_weights(tmp_path / "model")[1], plain_weights(ours)[1]
    assert read.keys() == again.keys() == weights.keys()
    for name, array in read.items():
        np.testing.assert_allclose(array, again[name], atol=1e-3, err_msg=name)


# What is no Whisper, or not a whole one.

NAMES = {name: getattr(SMALL, name) for name in ModelDimensions.__slots__}
WEIGHTS = random_weights(NAMES)


def ctranslate2(change: Callable[[dict[str, np.ndarray]], object] = dict, **how: str) -> Callable[[Path], Path]:
    def write(place: Path) -> Path:
        variables = ctranslate2_variables(WEIGHTS, SMALL)
        change(variables)
        (place / "model.bin").write_bytes(ctranslate2_bytes(quantised_variables(variables, "float16"), **how))  # type: ignore[arg-type]
        return place

    return write


def ggml(dims: ModelDimensions = SMALL, words: int = 3, leave_out: str = "") -> Callable[[Path], Path]:
    def write(place: Path) -> Path:
        tensors = [
            ggml_tensor(name, array, "f16") for name, array in ggml_tensors(WEIGHTS).items() if name != leave_out
        ]
        (place / "ggml-x.bin").write_bytes(ggml_header(dims, words=words) + b"".join(tensors))
        return place / "ggml-x.bin"

    return write


def file_of(name: str, data: bytes) -> Callable[[Path], Path]:
    def write(place: Path) -> Path:
        (place / name).write_bytes(data)
        return place / name

    return write


def in_folder(name: str, data: bytes) -> Callable[[Path], Path]:
    def write(place: Path) -> Path:
        (place / "config.json").write_text(json.dumps({"model_type": "whisper", **NAMES}))
        (place / name).write_bytes(data)
        return place

    return write


def lose(name: str) -> Callable[[dict[str, np.ndarray]], object]:
    return lambda variables: variables.pop(name)


def put(name: str, array: np.ndarray) -> Callable[[dict[str, np.ndarray]], object]:
    return lambda variables: variables.update({name: array})


def float32(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


EMBEDDING = "decoder/embeddings/weight"
REFUSED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a translation model": (ctranslate2(specification="TransformerSpec"), "holds a TransformerSpec of CTranslate2's"),
    "a vocabulary of another model": (ctranslate2(put(EMBEDDING, float32(32000, 32))), "n_vocab is 32000; Whisper has"),
    "no embedding": (ctranslate2(lose(EMBEDDING), aliases={}), f"lacks {EMBEDDING}"),  # type: ignore[arg-type]
    "no heads": (ctranslate2(lose("encoder/num_heads")), "holds no whole number called encoder/num_heads"),
    "heads below zero": (ctranslate2(put("encoder/num_heads", np.array(-1, np.int16))), "n_audio_head is -1"),
    "a convolution of two dimensions": (
        ctranslate2(put("encoder/conv1/weight", float32(32, 80))),
        "lacks encoder/conv1",
    ),
    "no layers": (ctranslate2(lose("encoder/layer_0/ffn/linear_0/weight")), "n_audio_layer is 0"),
    "a missing norm": (
        ctranslate2(lose("decoder/layer_norm/beta")),
        r"lacks 1 of \d+ tensors, decoder\.ln\.bias first",
    ),
    "a stack that is no three": (
        ctranslate2(put("encoder/layer_0/self_attention/linear_0/weight", float32(97, 32))),
        r"linear_0/weight in .* has the shape \(97, 32\), not one of 3 parts",
    ),
    "a matrix of another width": (
        ctranslate2(put("encoder/layer_0/ffn/linear_0/weight", float32(128, 31))),
        r"mlp1\.weight in .* has the shape \(128, 31\)",
    ),
    "a ggml vocabulary of another model": (ggml(replace(SMALL, n_vocab=50257)), "n_vocab is 50257; Whisper has"),
    "a ggml vocabulary that is too long": (ggml(words=51865), "lists 51865 words of 51864"),
    "ggml sizes without end": (
        ggml(replace(SMALL, n_text_layer=2**31 - 1)),
        "n_text_layer is 2147483647, more than 256",
    ),
    "ggml sizes below zero": (ggml(replace(SMALL, n_audio_ctx=-1)), "n_audio_ctx is -1, not a positive number"),
    "ggml sizes of another model": (ggml(replace(SMALL, n_text_ctx=21)), r"positional_embedding in .* has the shape"),
    "a missing ggml tensor": (ggml(leave_out="decoder.ln.bias"), r"lacks 1 of \d+ tensors, decoder\.ln\.bias first"),
    "a GGUF file": (file_of("x.gguf", b"GGUF" + bytes(90)), r"is a GGUF file\. Give the folder .* whisper\.cpp's"),
    "a safetensors file": (file_of("model.safetensors", bytes(90)), r"is a file\. Give the folder that holds config"),
    "a pickle that is named as CTranslate2's": (
        in_folder("model.bin", b"\x80\x02}q\x00."),
        r"as model\.bin\. .* run code",
    ),
    "a zip that is named as CTranslate2's": (
        in_folder("model.bin", b"PK\x03\x04" + bytes(40)),
        r"as model\.bin\. .* run code",
    ),
    "a pickle": (in_folder("pytorch_model.bin", b"PK\x03\x04" + bytes(40)), r"as pytorch_model\.bin\. .* run code"),
    "a text that is named as whisper.cpp's": (
        file_of("ggml-base.bin", b"<html>not found</html>"),
        "is a file. Give the",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_whole_whisper_is_refused_with_one_line(tmp_path: Path, what: str) -> None:
    write, message = REFUSED[what]
    place = write(tmp_path)
    with pytest.raises(ModelError, match=message) as caught:
        load_hearing_model(place)
    assert "\n" not in str(caught.value)
    assert re.search(re.escape(str(tmp_path)), str(caught.value))


WHOLE_GGML = (
    ggml_header(SMALL, "q4_0", words=3)
    + b"".join(ggml_tensor(name, array, "q4_0") for name, array in ggml_tensors(WEIGHTS).items() if array.size < 10**6)
    + ggml_tensor("decoder.token_embedding.weight", WEIGHTS["decoder.token_embedding.weight"], "q4_0")
)
WHOLE_CTRANSLATE2 = ctranslate2_bytes(
    dict(
        sorted(
            quantised_variables(ctranslate2_variables(WEIGHTS, SMALL), "int8").items(), key=lambda item: item[1][1].size
        )
    )
)


@pytest.mark.parametrize(
    ("name", "whole"), [("ggml-x.bin", WHOLE_GGML), ("model.bin", WHOLE_CTRANSLATE2)], ids=["ggml", "ctranslate2"]
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_whisper_damaged_anywhere_is_read_or_refused(
    tmp_path: Path, name: str, whole: bytes, data: st.DataObject
) -> None:
    head = len(whole) - 10**6  # what follows is the token embedding
    path = tmp_path / name
    path.write_bytes(data.draw(mutations(whole[:head])) + whole[head:])
    try:
        stored = open_whisper(path if name.startswith("ggml") else tmp_path)
        assert stored.config.dims.n_audio_ctx <= 1500
        stored.weights()
    except ModelError as error:
        assert "\n" not in str(error)


def test_a_layout_is_never_mistaken_for_another(tmp_path: Path) -> None:
    """A folder with safetensors beside other files is read as that."""
    folder = write_random_model(tmp_path, NAMES)
    (folder / "model.bin").write_bytes(WHOLE_CTRANSLATE2[:100])
    (folder / "ggml-x.bin").write_bytes(struct.pack("<I", 0x67676D6C))
    assert load_hearing_model(folder).model.dims == SMALL
