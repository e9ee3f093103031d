"""whisper.cpp's files are listed and read as they were written; whatever else they hold is refused in one line."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType
from gguf.quants import dequantize, quantize
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.hear.whisper.model import ModelDimensions
from engine.weights.ggml import read_list
from engine.weights.storage import is_ggml
from tests.weights.other_formats import GGML_KINDS, ggml_header, ggml_tensor
from tests.weights.test_ctranslate2 import mutations

DIMS = ModelDimensions(80, 10, 64, 2, 1, 51864, 20, 64, 2, 1)
RANDOM = np.random.default_rng(4)
MATRIX = RANDOM.standard_normal((6, 64)).astype(np.float32)
BIAS = RANDOM.standard_normal(6).astype(np.float32)


def file_bytes(kind: str = "f16", version: int = 2) -> bytes:
    header = ggml_header(DIMS, kind, words=3, version=version)
    return header + ggml_tensor("a.weight", MATRIX, kind) + ggml_tensor("a.bias", BIAS, kind)


@pytest.mark.parametrize("kind", GGML_KINDS)
def test_every_kind_is_read_as_its_makers_read_it(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "ggml.bin"
    path.write_bytes(file_bytes(kind))
    file = read_list(path)
    assert file.sizes["n_vocab"] == 51864
    assert (file.sizes["n_mels"], file.words) == (80, 3)
    if kind in ("f32", "f16"):
        expected = MATRIX.astype(np.float32 if kind == "f32" else np.float16)
    else:
        number = GGMLQuantizationType[kind.upper()]
        expected = dequantize(quantize(MATRIX, number), number)
    np.testing.assert_allclose(file.array("a.weight", np.float32), expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(file.array("a.bias", np.float32), BIAS)
    assert file.array("a.weight", np.float16).dtype == np.float16


def test_large_matrices_are_expanded_piece_by_piece_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ggml.bin"
    path.write_bytes(file_bytes("q5_1"))
    whole = read_list(path).array("a.weight", np.float32)
    monkeypatch.setattr("engine.weights.ggml._BLOCKS_AT_A_TIME", 5)
    np.testing.assert_array_equal(read_list(path).array("a.weight", np.float32), whole)


@pytest.mark.parametrize(
    ("kind", "version", "read"),
    [
        ("q5_0", 1, True),
        ("q5_1", 1, True),
        ("q8_0", 1, False),
        ("q4_0", 1, False),
        ("q5_0", 0, False),
        ("f16", 0, True),
    ],
)
def test_layouts_of_early_versions_are_read_where_they_are_todays(
    tmp_path: Path, kind: str, version: int, read: bool
) -> None:
    path = tmp_path / "ggml.bin"
    path.write_bytes(file_bytes(kind, version))
    if read:
        assert read_list(path).array("a.weight", np.float32).shape == (6, 64)
        return
    with pytest.raises(ModelError, match=f"stores a.weight as {kind} in the layout of an early whisper.cpp"):
        read_list(path)


def test_other_files_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "ggml.bin"
    path.write_bytes(file_bytes())
    assert is_ggml(path)
    for head in (b"GGUF\x03\x00\x00\x00", b"PK\x03\x04", b"", b"lmg", b"tjgg" + bytes(60)):
        path.write_bytes(head)
        assert not is_ggml(path)
        with pytest.raises(ModelError, match=r"is no model of whisper\.cpp's: it does not begin with ggml"):
            read_list(path)


WHOLE = file_bytes()
QUANTISED = file_bytes("q5_0")
HEADER = ggml_header(DIMS, "q5_0", words=3)
WORDS = struct.pack("<i", 3) + struct.pack("<I", 1) + b"a"
FILTERS = struct.pack("<2i", 80, 201)


def tensor(rank: int, letters: int, kind: int, shape: tuple[int, ...], rest: bytes = b"a.weight") -> bytes:
    return HEADER + struct.pack(f"<3i{len(shape)}i", rank, letters, kind, *shape) + rest


def with_scale(value: float) -> bytes:
    data = bytearray(QUANTISED)
    place = data.index(b"a.weight") + len(b"a.weight")
    data[place : place + 2] = np.array(value, np.float16).tobytes()
    return bytes(data)


DAMAGES: dict[str, tuple[bytes, str]] = {
    "cut in its sizes": (WHOLE[:30], "cut off"),
    "cut in its filters": (WHOLE[:1000], "its mel filters ends .* bytes after the file does"),
    "cut in its vocabulary": (HEADER[:-2], "cut off"),
    "cut in a tensor": (WHOLE[: -6 * 4 - 60], r"cut off: a\.weight ends"),
    "cut at its end": (WHOLE[:-1], r"cut off: a\.bias ends 1 bytes after"),
    "padded": (WHOLE + bytes(64), "tensor 3 has 0 dimensions"),
    "padded a little": (WHOLE + bytes(5), "cut off"),
    "with huge filters": (WHOLE.replace(FILTERS, struct.pack("<2i", 2**30, 2**30)), "speaks of mel filters of shape"),
    "with filters below zero": (WHOLE.replace(FILTERS, struct.pack("<2i", -80, 201)), "speaks of mel filters of shape"),
    "with many words": (WHOLE.replace(WORDS, struct.pack("<i", 2**31 - 1) + WORDS[4:]), "of 2,147,483,647 words"),
    "with words below zero": (WHOLE.replace(WORDS, struct.pack("<i", -1) + WORDS[4:]), "of -1 words"),
    "with a long word": (WHOLE.replace(WORDS, WORDS[:4] + b"\xff" * 4 + b"a"), "word 0 has 4,294,967,295 bytes"),
    "with a huge tensor": (tensor(2, 8, 0, (2**31 - 1, 2**31 - 1)), r"a\.weight ends [\d,]+ bytes after the file does"),
    "with a shape below zero": (tensor(2, 8, 0, (-1, 4)), r"has the shape \(4, -1\)"),
    "with a shape of nothing": (tensor(2, 8, 0, (0, 4)), r"has the shape \(4, 0\)"),
    "with many dimensions": (tensor(1000, 8, 0, (1, 1)), "has 1000 dimensions"),
    "with dimensions below zero": (tensor(-2, 8, 0, (1, 1)), "has -2 dimensions"),
    "with a long name": (tensor(1, 2**30, 0, (1,)), "a name of 1073741824 letters"),
    "with a name that is no text": (tensor(1, 8, 0, (1,), b"\xff" * 12), "is no text"),
    "with a name that cannot be shown": (tensor(1, 8, 0, (1,), b"a\nweight" + bytes(4)), "is no text"),
    "with a name twice": (WHOLE + ggml_tensor("a.bias", BIAS, "f32"), r"holds a\.bias twice"),
    "with rows that no block fits": (tensor(2, 8, 8, (33, 2), b"a.weight" + bytes(999)), "rows of 33, which q8_0"),
    "with a kind that is not read": (
        tensor(2, 8, 14, (256, 1), b"a.weight" + bytes(999)),
        "as q6_k. Earshot reads f32",
    ),
    "with a kind that is none": (tensor(2, 8, 77, (32, 1), b"a.weight" + bytes(999)), "is of type 77"),
    "with a scale of NaN": (with_scale(np.nan), r"a\.weight holds values that are not finite"),
    "with a scale without end": (with_scale(np.inf), r"a\.weight holds values that are not finite"),
}


def read_everything(path: Path) -> None:
    file = read_list(path)
    for name in file.tensors:
        file.array(name, np.float16)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_answered_with_one_line(tmp_path: Path, damage: str) -> None:
    data, message = DAMAGES[damage]
    path = tmp_path / "ggml.bin"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=message) as caught:
        read_everything(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("kind", ["f16", "q5_0"])
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_file_is_read_or_refused_within_little_memory(tmp_path: Path, kind: str, data: st.DataObject) -> None:
    filters = 4 * DIMS.n_mels * 201  # left out of what is damaged: 64,320 bytes that nobody looks at
    whole = file_bytes(kind)
    start = whole.index(FILTERS) + len(FILTERS)
    short = data.draw(mutations(whole[:start] + whole[start + filters :]))
    path = tmp_path / "ggml.bin"
    path.write_bytes(short[:start] + bytes(filters) + short[start:] if short[:start] == whole[:start] else short)
    tracemalloc.start()
    try:
        read_everything(path)
    except ModelError as error:
        assert "\n" not in str(error)
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 1_000_000
