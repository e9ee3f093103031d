"""CTranslate2's files are listed and read as they were written; whatever else they hold is refused in one line."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.weights.ctranslate2 import read_list
from engine.weights.storage import is_ctranslate2
from tests.weights.other_formats import ctranslate2_bytes, quantised_variables

RANDOM = np.random.default_rng(3)
ARRAYS = {
    "encoder/num_heads": np.array(2, np.int16),
    "encoder/linear/weight": RANDOM.standard_normal((6, 8)).astype(np.float32),
    "encoder/linear/bias": RANDOM.standard_normal(6).astype(np.float32),
    "encoder/conv1/weight": RANDOM.standard_normal((4, 5, 3)).astype(np.float32),
    "decoder/embeddings/weight": RANDOM.standard_normal((10, 8)).astype(np.float32),
}
TOLERANCES = {"float32": 0.0, "float16": 2e-3, "bfloat16": 2e-2, "int8": 2e-2, "int8_float16": 2e-2, "int16": 2e-3}


def written(path: Path, kind: str = "float32") -> Path:
    path.write_bytes(ctranslate2_bytes(quantised_variables(ARRAYS, kind)))
    return path


@pytest.mark.parametrize("kind", TOLERANCES)
def test_every_type_of_ctranslate2s_is_read(tmp_path: Path, kind: str) -> None:
    file = read_list(written(tmp_path / "model.bin", kind))
    assert file.specification == "WhisperSpec"
    assert file.scalar("encoder/num_heads") == 2
    for name, array in ARRAYS.items():
        if array.ndim:
            read = file.array(name, np.float32)
            assert read.shape == array.shape
            np.testing.assert_allclose(read, array, atol=TOLERANCES[kind] * np.abs(array).max())


def test_a_quantised_row_is_divided_by_its_own_scale(tmp_path: Path) -> None:
    codes, scale = np.array([[127, -64], [1, 0]], np.int8), np.array([2, 4], np.float32)
    stored = {"w/weight": ("int8", codes), "w/weight_scale": ("float32", scale)}
    (tmp_path / "model.bin").write_bytes(ctranslate2_bytes(stored, {}))
    read = read_list(tmp_path / "model.bin").array("w/weight", np.float16)
    assert read.dtype == np.float16
    assert read.tolist() == [[63.5, -32], [0.25, 0]]


def test_an_alias_has_what_it_stands_for_and_its_scale(tmp_path: Path) -> None:
    file = read_list(written(tmp_path / "model.bin", "int8"))
    np.testing.assert_array_equal(
        file.array("decoder/projection/weight", np.float32), file.array("decoder/embeddings/weight", np.float32)
    )


def test_other_files_of_that_name_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    assert is_ctranslate2(written(path))
    for head in (
        b"PK\x03\x04 a zip of pickles",
        b"\x80\x02}q\x00 a pickle",
        b"",
        b"\x06\x00\x00",
        b"GGUF\x03\x00\x00\x00",
    ):
        path.write_bytes(head)
        assert not is_ctranslate2(path)
        with pytest.raises(ModelError, match=r"is no model of CTranslate2's\. Other files of that name can run"):
            read_list(path)
    assert not is_ctranslate2(tmp_path / "nothing")


WHOLE = ctranslate2_bytes(quantised_variables(ARRAYS, "float16"))
VALID = quantised_variables(ARRAYS, "int8")
WEIGHT = "encoder/linear/weight"


def bytes_with(name: str, kind: str, array: np.ndarray) -> bytes:
    return ctranslate2_bytes({**VALID, name: (kind, array)})


def bytes_without(name: str) -> bytes:
    return ctranslate2_bytes({each: stored for each, stored in VALID.items() if each != name})


def replaced(old: bytes, new: bytes) -> bytes:
    assert WHOLE.count(old) == 1
    return WHOLE.replace(old, new)


SHAPE = struct.pack("<B2I", 2, 6, 8)
DAMAGES: dict[str, tuple[bytes, str]] = {
    "cut in its list": (WHOLE[:40], "cut off"),
    "cut in a tensor": (WHOLE[: len(WHOLE) // 2], r"cut off: \S+ ends [\d,]+ bytes after the file does"),
    "cut at its end": (WHOLE[:-3], "cut off"),
    "padded": (WHOLE + bytes(100), "is damaged: 100 bytes follow its end"),
    "of a later version": (struct.pack("<I", 7) + WHOLE[4:], "has CTranslate2's binary version 7; Earshot reads 6"),
    "with many variables": (
        replaced(struct.pack("<II", 3, 5), struct.pack("<II", 3, 2**32 - 1)),
        "of 4,294,967,295 var",
    ),
    "with a huge shape": (replaced(SHAPE, struct.pack("<B2I", 2, 2**31, 2**31)), "should take .* bytes and takes 96"),
    "with a shape of nothing": (replaced(SHAPE, struct.pack("<B2I", 2, 0, 8)), "should take 0 bytes and takes 96"),
    "with many dimensions": (replaced(SHAPE, struct.pack("<B2I", 250, 6, 8)), "has 250 dimensions"),
    "with an unknown kind": (replaced(SHAPE + b"\x04", SHAPE + b"\x63"), "is of kind 99"),
    "with a name of nothing": (
        replaced(struct.pack("<H", 22) + b"encoder/linear/weight", bytes(2) + b"encoder/linear/weight"),
        "has 0 letters",
    ),
    "with a name that is no text": (replaced(b"encoder/linear/weight", b"\xff" * 21), "is no text"),
    "with a name twice": (WHOLE.replace(b"encoder/linear/bias\0", b"encoder/num_heads\0\0\0"[:20]), "is no text|twice"),
    "with an alias of nothing": (ctranslate2_bytes(VALID, {"a": "b"}), "a stands for b, which is not there"),
    "with an alias that is there": (ctranslate2_bytes(VALID, {WEIGHT: "encoder/num_heads"}), f"holds {WEIGHT} twice"),
    "without a scale": (bytes_without(f"{WEIGHT}_scale"), f"stores {WEIGHT} as int8 without its scale"),
    "with a scale too short": (bytes_with(f"{WEIGHT}_scale", "float32", np.ones(5, np.float32)), "does not go with it"),
    "with a scale of integers": (bytes_with(f"{WEIGHT}_scale", "int8", np.ones(6, np.int8)), "does not go with it"),
    "with a scale of NaN": (
        bytes_with(f"{WEIGHT}_scale", "float32", np.full(6, np.nan, np.float32)),
        "scale holds values that are not finite",
    ),
    "with a scale of zero": (bytes_with(f"{WEIGHT}_scale", "float32", np.zeros(6, np.float32)), "is not above zero"),
    "with a scale of nearly zero": (
        bytes_with(f"{WEIGHT}_scale", "float32", np.full(6, 1e-40, np.float32)),
        f"{WEIGHT} holds values that are not finite",
    ),
    "with weights of NaN": (
        bytes_with(WEIGHT, "float16", np.full((6, 8), np.nan, np.float16)),
        "not finite in float16",
    ),
    "with weights too large": (
        bytes_with(WEIGHT, "float32", np.full((6, 8), 1e6, np.float32)),
        "not finite in float16",
    ),
    "with weights of whole numbers": (
        bytes_with(WEIGHT, "int32", np.ones((6, 8), np.int32)),
        f"stores {WEIGHT} as int32",
    ),
}


def read_everything(path: Path) -> None:
    file = read_list(path)
    for name, tensor in file.variables.items():
        if tensor.shape:
            file.array(name, np.float16)
    file.scalar("encoder/num_heads")


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_answered_with_one_line(tmp_path: Path, damage: str) -> None:
    data, message = DAMAGES[damage]
    path = tmp_path / "model.bin"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=message) as caught:
        read_everything(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def mutations(whole: bytes) -> st.SearchStrategy[bytes]:
    """Draw files that were damaged in a few places: overwritten, cut out of, or inserted into."""
    values = st.one_of(
        st.binary(max_size=6),
        st.sampled_from([b"\xff\xff\xff\xff", bytes(4), b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80"]),
    )
    change = st.tuples(st.integers(0, len(whole)), st.integers(0, 5), values)
    changes = st.lists(change, min_size=1, max_size=4)

    def damaged(places: list[tuple[int, int, bytes]]) -> bytes:
        data = whole
        for place, gone, new in places:
            data = data[:place] + new + data[place + gone :]
        return data

    return changes.map(damaged)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.one_of(mutations(WHOLE), mutations(ctranslate2_bytes(VALID)), st.binary(max_size=200)))
def test_any_file_is_read_or_refused_within_little_memory(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(data)
    tracemalloc.start()
    try:
        read_everything(path)
    except ModelError as error:
        assert "\n" not in str(error)
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 1_000_000
