"""A hush word is kept whole, found for its model, and refused by any other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from engine.errors import ModelError
from engine.hear.whisper.hush import (
    IN_A_FOLDER,
    LOUDEST,
    ExtraKeysValues,
    HushWord,
    find_hush_word,
    load_hush_word,
    save_hush_word,
)
from engine.hear.whisper.load import HearingModel

HUSH_SAMPLES = 8000
MakeModel = Callable[..., HearingModel]


QUIET, ONES = np.zeros(HUSH_SAMPLES, np.float32), np.ones((1, 1, 1, 1), np.float32)
KEPT = ("encoder_keys", "encoder_values", "decoder_keys", "decoder_values")


def a_word(hearing: HearingModel) -> HushWord:
    samples = np.random.default_rng(0).uniform(-LOUDEST, LOUDEST, HUSH_SAMPLES).astype(np.float32)
    return HushWord(
        hearing.fingerprint, hearing.name, samples, None, {"none": 0.25, "hush": 0.125}, {"none": 0.5, "hush": 0.75}
    )


def kept(places: int = 3) -> ExtraKeysValues:
    generator = np.random.default_rng(1)
    return ExtraKeysValues(
        *(generator.standard_normal((2, 2, places, 4)).astype(np.float16).astype(np.float32) for _ in range(4))
    )


def test_a_saved_hush_word_comes_back_whole(hearing: HearingModel, tmp_path: Path) -> None:
    word = a_word(hearing)
    path = save_hush_word(word, tmp_path / "words" / "one.safetensors")
    back = load_hush_word(path, hearing)
    assert np.array_equal(back.samples, word.samples)
    assert replace(back, samples=word.samples) == word
    assert path.stat().st_size <= 33_000
    assert [file.name for file in path.parent.iterdir()] == ["one.safetensors"]


def test_kept_keys_and_values_come_back_with_the_word(hearing: HearingModel, tmp_path: Path) -> None:
    word = replace(a_word(hearing), kept=kept())
    back = load_hush_word(save_hush_word(word, tmp_path / "one.safetensors"), hearing)
    assert back.kept is not None and word.kept is not None
    for name in KEPT:
        assert np.array_equal(getattr(back.kept, name), getattr(word.kept, name))


@pytest.mark.parametrize(
    ("errors", "best"),
    [
        ({"full": 0.10, "none": 0.40, "hush": 0.104, "silence_cache": 0.101}, "hush"),
        ({"full": 0.10, "none": 0.40, "hush": 0.106, "silence_cache": 0.101}, "silence_cache"),
        ({"full": 0.10, "none": 0.40, "hush": 0.20, "silence_cache": 0.12}, "full"),
        ({"full": 0.10, "none": 0.09, "hush": 0.08, "silence_cache": 0.12}, "none"),
        ({"full": 0.10, "hush cut off": 0.2, "hush": 0.10, "silence_cache": 0.10}, "silence_cache"),
        ({}, "full"),
    ],
)
def test_the_least_work_that_costs_hardly_any_words_is_best(
    hearing: HearingModel, errors: dict[str, float], best: str
) -> None:
    """Speech that is cut off counts too, unless the padding stands for the window of the training."""
    work = {"none": 1.0, "hush": 1.1, "silence_cache": 1.5, "full": 10.0}
    whole = {name: rate for name, rate in errors.items() if name in work}
    cut = whole | ({"hush": errors["hush cut off"]} if "hush cut off" in errors else {})
    assert replace(a_word(hearing), word_errors=whole, cut_errors=cut, gmacs=work).best_padding() == best


def test_a_rewritten_hush_word_is_read_anew(hearing: HearingModel, tmp_path: Path) -> None:
    path = save_hush_word(a_word(hearing), tmp_path / "one.safetensors")
    load_hush_word(path, hearing)
    save_hush_word(replace(a_word(hearing), samples=np.zeros(HUSH_SAMPLES, np.float32)), path)
    assert not load_hush_word(path, hearing).samples.any()


def test_another_models_hush_word_is_refused(tiny_model: MakeModel, tmp_path: Path) -> None:
    mine, other = tiny_model(0), tiny_model(1)
    assert mine.fingerprint != other.fingerprint
    path = save_hush_word(a_word(mine), tmp_path / "one.safetensors")
    with pytest.raises(ModelError, match=f"belongs to the model .*{mine.fingerprint}.*{other.fingerprint}") as refusal:
        load_hush_word(path, other)
    assert "earshot train hush-word --model" in str(refusal.value)


def test_a_hush_word_beside_its_model_comes_before_the_users_own_and_that_before_the_shipped_one(
    hearing: HearingModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, shipped = tmp_path / "own", tmp_path / "shipped"
    monkeypatch.setattr("engine.hear.whisper.hush.own_hush_words", lambda: own)
    monkeypatch.setattr("engine.hear.whisper.hush.SHIPPED", shipped)
    assert find_hush_word(hearing) is None
    name = f"{hearing.fingerprint}.safetensors"
    save_hush_word(replace(a_word(hearing), model="shipped"), shipped / name)
    found = find_hush_word(hearing)
    assert found is not None and found.model == "shipped"
    save_hush_word(replace(a_word(hearing), model="own"), own / name)
    found = find_hush_word(hearing)
    assert found is not None and found.model == "own"
    save_hush_word(replace(a_word(hearing), model="beside"), tmp_path / "model" / IN_A_FOLDER)
    found = find_hush_word(replace(hearing, folder=tmp_path / "model"))
    assert found is not None and found.model == "beside"


def test_a_file_by_the_right_name_with_the_wrong_owner_is_refused(
    tiny_model: MakeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.hear.whisper.hush.own_hush_words", lambda: tmp_path)
    mine, other = tiny_model(0), tiny_model(1)
    save_hush_word(a_word(other), tmp_path / f"{mine.fingerprint}.safetensors")
    with pytest.raises(ModelError, match="belongs to the model"):
        find_hush_word(mine)


@pytest.mark.parametrize(
    ("tensors", "metadata", "complaint"),
    [
        ({"hush_word": np.zeros(80, np.float32)}, {"fingerprint": "x"}, "no hush word of 0.1 to 2 s"),
        ({"word": np.zeros(HUSH_SAMPLES, np.float32)}, {"fingerprint": "x"}, "no hush word of 0.1 to 2 s"),
        ({"hush_word": np.zeros(HUSH_SAMPLES, np.float32)}, {}, "which model"),
        ({"hush_word": np.full(HUSH_SAMPLES, 0.5, np.float32)}, {"fingerprint": "x"}, "stays within"),
        ({"hush_word": np.full(HUSH_SAMPLES, np.nan, np.float32)}, {"fingerprint": "x"}, "stays within"),
        ({"hush_word": QUIET, "encoder_keys": QUIET}, {"fingerprint": "x"}, "are not whole"),
        ({"hush_word": QUIET} | dict.fromkeys(KEPT, ONES * np.nan), {"fingerprint": "x"}, "are not whole"),
    ],
)
def test_a_file_that_is_no_hush_word_is_refused(
    hearing: HearingModel,
    tmp_path: Path,
    tensors: dict[str, np.ndarray],
    metadata: dict[str, str],
    complaint: str,
) -> None:
    save_file(tensors, tmp_path / "bad.safetensors", metadata=metadata)
    with pytest.raises(ModelError, match=complaint):
        load_hush_word(tmp_path / "bad.safetensors", hearing)


def test_a_cut_file_is_refused(hearing: HearingModel, tmp_path: Path) -> None:
    path = save_hush_word(a_word(hearing), tmp_path / "one.safetensors")
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ModelError, match="cut off"):
        load_hush_word(path, hearing)
    with pytest.raises(ModelError, match="cannot be read"):
        load_hush_word(tmp_path / "absent.safetensors", hearing)
