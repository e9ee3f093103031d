"""Encoded silence: made once for a model while it is loaded, kept, and made again where a file is not to be trusted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from engine.hear.whisper import silence
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.model import Whisper
from engine.hear.whisper.padding import make_padding
from engine.hear.whisper.silence import MOST_FILES, ExtraAttention, Halves, encode_silence, silence_for

MakeModel = Callable[..., HearingModel]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of kept silences, in which even a small model's are kept."""
    monkeypatch.setattr(silence, "kept_silences", lambda: tmp_path / "silence")
    monkeypatch.setattr(silence, "WORTH_KEEPING_BYTES", 0)
    return tmp_path / "silence"


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[Whisper]:
    """The model, once for each time that its silence is encoded."""
    times: list[Whisper] = []

    def counted(model: Whisper) -> Halves:
        times.append(model)
        return encode_silence(model)

    monkeypatch.setattr(silence, "encode_silence", counted)
    return times


def same(some: ExtraAttention, others: ExtraAttention) -> bool:
    return all(bool(mx.array_equal(a, b)) for a, b in zip(arrays(some), arrays(others), strict=True))


def arrays(attention: ExtraAttention) -> list[mx.array]:
    return [
        array for side in (attention.encoder, attention.decoder) for around in side for pair in around for array in pair
    ]


def test_case_silence_is_encoded_while_the_model_is_loaded_and_never_again(
    hearing: HearingModel, kept: Path, encoded: list[Whisper]
) -> None:
    padding = make_padding(hearing, "silence_cache")
    assert len(encoded) == 1, "it was left to the first round"
    samples = np.random.default_rng(0).normal(0, 0.1, 16_000).astype(np.float32)
    first = padding.listen(hearing.model, samples)
    again = make_padding(hearing, "silence_cache").listen(hearing.model, samples)
    assert len(encoded) == 1, "the kept file was not read"
    assert all(bool(mx.array_equal(a, b)) for a, b in zip(first.arrays(), again.arrays(), strict=True))


@pytest.mark.parametrize("spoil", ("cut", "changed", "emptied", "another model's"))
def test_a_file_that_is_not_to_be_trusted_is_made_again(
    hearing: HearingModel, tiny_model: MakeModel, kept: Path, encoded: list[Whisper], spoil: str
) -> None:
    right = silence_for(hearing).after(0)
    (path,) = kept.iterdir()
    data = bytearray(path.read_bytes())
    match spoil:
        case "cut":
            path.write_bytes(data[:-100])
        case "changed":
            data[-1] ^= 1
            path.write_bytes(data)
        case "emptied":
            path.write_bytes(b"")
        case _:
            path.unlink()
            silence_for(tiny_model(0, n_audio_ctx=100))
            (other,) = kept.iterdir()
            other.rename(path)
            encoded.clear()
            encoded.append(hearing.model)
    assert same(silence_for(hearing).after(0), right)
    assert len(encoded) == 2
    assert same(silence_for(hearing).after(0), right)
    assert len(encoded) == 2


def test_a_disk_that_cannot_be_written_costs_the_file_only(
    hearing: HearingModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: Path
) -> None:
    (tmp_path / "file").touch()
    right = silence_for(hearing).after(0)
    monkeypatch.setattr(silence, "kept_silences", lambda: tmp_path / "file" / "silence")
    assert same(silence_for(hearing).after(0), right)


def test_only_the_newest_files_are_kept(hearing: HearingModel, kept: Path) -> None:
    kept.mkdir()
    for age in range(MOST_FILES + 1):
        old = kept / f"{age}.safetensors"
        old.touch()
        os.utime(old, (1000 - age, 1000 - age))
    silence_for(hearing)
    names = {path.name for path in kept.iterdir()}
    assert len(names) == MOST_FILES
    assert {"0.safetensors", "1.safetensors", "2.safetensors"} < names


def test_both_encoders_make_the_same_silence(hearing: HearingModel, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = encode_silence(hearing.model)
    monkeypatch.setattr(hearing.model, "fast_encoder", None)
    for some, others in zip(fast, encode_silence(hearing.model), strict=True):
        assert some.shape == others.shape
        assert np.abs(some - others).mean() < 0.05 * np.abs(others).mean()  # the fast one rounds to bytes
