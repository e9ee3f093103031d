"""Heads begin with what head 1 says, are kept whole, found for their model, and refused by any other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.utils import tree_flatten

from engine.errors import ModelError, OptionError
from engine.hear.whisper.heads import KINDS, Heads, Kind, find_heads, load_heads, make_heads, needed_heads, save_heads
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.whisper_decoder import WhisperDecoder

MakeModel = Callable[..., HearingModel]
SHORTLIST = [50257, 11, 290, 262, 407]


@pytest.fixture
def hearing(tiny_model: MakeModel) -> HearingModel:
    return tiny_model(0, n_audio_ctx=50)


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No heads but those of a test."""
    monkeypatch.setattr("engine.hear.whisper.heads.own_heads", lambda: tmp_path / "own")
    monkeypatch.setattr("engine.hear.whisper.heads.SHIPPED", tmp_path / "shipped")


def features(seed: int = 0) -> mx.array:
    return mx.array(np.random.default_rng(seed).normal(size=(1, 50, 64)).astype(np.float32))


def random_heads(hearing: HearingModel, kind: Kind, ahead: int = 4, seed: int = 0, **settings: Any) -> Heads:
    heads = make_heads(kind, ahead, hearing.model, **settings)
    random = np.random.default_rng(seed)
    drawn = [
        (name, mx.array((random.standard_normal(array.shape) / 8).astype(np.float32)))
        for name, array in tree_flatten(heads.parameters())
    ]
    return heads.load_weights(drawn)


def foreseen(hearing: HearingModel, heads: Heads, tokens: list[int], count: int = 3) -> np.ndarray:
    """What heads say (n, count, u) behind each of some tokens."""
    decoder = WhisperDecoder(hearing.model, hearing.model.cross_cache(features()), heads)
    states = decoder.forward(mx.array([tokens]), decoder.new_cache())
    return np.array(decoder.logits_ahead(states.ahead[0], count))


@pytest.mark.parametrize("kind", ["latent", "projection", "residual"])
def test_untrained_heads_say_what_head_1_says(hearing: HearingModel, kind: Kind) -> None:
    decoder = WhisperDecoder(hearing.model, hearing.model.cross_cache(features()))
    states = decoder.forward(mx.array([[50258, 290]]), decoder.new_cache())
    first = np.array(hearing.model.embedding.as_linear(states.main[0]))
    for shortlist in (None, SHORTLIST):
        heads = make_heads(kind, 3, hearing.model, draft_tokens=shortlist)
        said = np.array(heads.logits(states.main[0], 2))
        expected = first if shortlist is None else first[:, shortlist]
        np.testing.assert_allclose(said, np.stack([expected, expected], axis=1), atol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_fewer_heads_are_the_first_of_more(hearing: HearingModel, kind: Kind) -> None:
    heads = random_heads(hearing, kind, 5, draft_tokens=SHORTLIST)
    everything = foreseen(hearing, heads, [50258, 290, 262], 4)
    assert everything.shape == (3, 4, len(SHORTLIST)) and everything.dtype == np.float32
    for count in (1, 2, 3):
        np.testing.assert_allclose(foreseen(hearing, heads, [50258, 290, 262], count), everything[:, :count], atol=1e-4)


def test_heads_are_the_products_that_were_published(hearing: HearingModel) -> None:
    states = mx.array(np.random.default_rng(1).normal(size=(2, 64)).astype(np.float32))
    h, e = np.array(states), np.array(hearing.model.embedding(mx.array(SHORTLIST)))
    latent, projection, residual = (random_heads(hearing, kind, draft_tokens=SHORTLIST) for kind in KINDS[:3])
    for head in range(3):
        by_latent = h @ np.array(latent.latent)[head].T @ e.T
        np.testing.assert_allclose(np.array(latent.logits(states, 3))[:, head], by_latent, atol=1e-3)
        by_projection = h @ np.array(projection.projection)[head].T
        np.testing.assert_allclose(np.array(projection.logits(states, 3))[:, head], by_projection, atol=1e-3)
        inner = h @ np.array(residual.residual)[head].T
        by_residual = (h + inner / (1 + np.exp(-inner))) @ e.T
        np.testing.assert_allclose(np.array(residual.logits(states, 3))[:, head], by_residual, atol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_and_batches_foresee_as_single_tokens_and_rows_do(hearing: HearingModel, kind: Kind) -> None:
    heads = random_heads(hearing, kind, draft_tokens=SHORTLIST)
    rows = [[50258, 290, 262, 407], [50258, 11, 11, 290]]
    decoder = WhisperDecoder(hearing.model, hearing.model.cross_cache(features()), heads)
    together = decoder.forward(mx.array(rows), _batch(decoder, 2))
    for row, tokens in enumerate(rows):
        cache = decoder.new_cache()
        for place, token in enumerate(tokens):
            alone = decoder.forward(mx.array([[token]]), cache)
            at_once = decoder.logits_ahead(together.ahead[row, place : place + 1], 3)
            np.testing.assert_allclose(at_once, decoder.logits_ahead(alone.ahead[0], 3), atol=2e-3)


def _batch(decoder: WhisperDecoder, rows: int) -> Any:
    cache = decoder.new_cache()
    cache.expand(rows)
    return cache


# What can't be built.


@pytest.mark.parametrize("ahead", [0, 1, 9])
def test_heads_for_too_few_or_too_many_tokens_are_refused(hearing: HearingModel, ahead: int) -> None:
    with pytest.raises(OptionError, match=f"ahead must be between 2 and 8, not {ahead}"):
        make_heads("latent", ahead, hearing.model)


@pytest.mark.parametrize("shortlist", [[], [5, 5], [-1], [51865]])
def test_a_shortlist_that_makes_no_sense_is_refused(hearing: HearingModel, shortlist: list[int]) -> None:
    with pytest.raises(OptionError, match="draft_tokens"):
        make_heads("latent", 4, hearing.model, draft_tokens=shortlist)


def test_a_block_needs_a_decoder_that_attends_to_audio(hearing: HearingModel) -> None:
    with pytest.raises(OptionError, match="block"):
        make_heads("block", 4, SimpleNamespace(embedding=nn.Embedding(20, 8)))
    with pytest.raises(OptionError, match="kind must be one of"):
        make_heads("medusa", 4, hearing.model)  # type: ignore[arg-type]


# The file.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shortlist", [None, SHORTLIST])
def test_saved_heads_come_back_whole(
    hearing: HearingModel, tmp_path: Path, kind: Kind, shortlist: list[int] | None
) -> None:
    heads = random_heads(hearing, kind, 3, draft_tokens=shortlist, acceptance="threshold")
    path = save_heads(heads, tmp_path / "heads" / "one.safetensors", hearing, tokens_per_forward="2.3")
    back = load_heads(path, hearing)
    assert back.shape == heads.shape
    assert (back.draft_tokens is None) == (shortlist is None)
    tokens = [50258, 290]
    np.testing.assert_allclose(
        foreseen(hearing, back, tokens, 2), foreseen(hearing, heads, tokens, 2), atol=0.05, rtol=0.02
    )
    assert not tree_flatten(back.trainable_parameters())
    assert [file.name for file in path.parent.iterdir()] == ["one.safetensors"]


def test_another_models_heads_are_refused(tiny_model: MakeModel, hearing: HearingModel, tmp_path: Path) -> None:
    other = tiny_model(1, n_audio_ctx=50)
    path = save_heads(random_heads(hearing, "latent", draft_tokens=SHORTLIST), tmp_path / "a.safetensors", hearing)
    with pytest.raises(ModelError, match=rf"belong to the model .*{hearing.fingerprint}.*{other.fingerprint}"):
        load_heads(path, other)


def test_heads_are_looked_for_near_the_model_first(hearing: HearingModel, tmp_path: Path) -> None:
    assert find_heads(hearing) is None
    with pytest.raises(ModelError, match=r"has no heads.*starter-speech-llama"):
        needed_heads(hearing)
    name = f"{hearing.fingerprint}.safetensors"
    own_folder = hearing.folder / "heads.safetensors"
    try:
        for ahead, path in ((2, tmp_path / "shipped" / name), (3, tmp_path / "own" / name), (4, own_folder)):
            save_heads(random_heads(hearing, "latent", ahead, draft_tokens=SHORTLIST), path, hearing)
            assert needed_heads(hearing).ahead == ahead
    finally:
        own_folder.unlink()


def test_a_cut_file_is_refused(hearing: HearingModel, tmp_path: Path) -> None:
    path = save_heads(random_heads(hearing, "latent", draft_tokens=SHORTLIST), tmp_path / "a.safetensors", hearing)
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ModelError, match="cut off"):
        load_heads(path, hearing)
    with pytest.raises(ModelError, match="cannot be read"):
        load_heads(tmp_path / "absent.safetensors", hearing)


Shape = dict[str, Any]
Tensors = dict[str, mx.array]


def without_a_shape(shape: Shape, tensors: Tensors, about: dict[str, str]) -> None:
    shape.clear()


def of_nobody(shape: Shape, tensors: Tensors, about: dict[str, str]) -> None:
    del about["fingerprint"]


def of_another_width(shape: Shape, tensors: Tensors, about: dict[str, str]) -> None:
    shape["states"] = 32


def of_another_kind(shape: Shape, tensors: Tensors, about: dict[str, str]) -> None:
    shape["kind"] = "residual"


def of_an_unknown_kind(shape: Shape, tensors: Tensors, about: dict[str, str]) -> None:
    shape["kind"] = "medusa"


def of_one_head(shape: Shape, tensors: Tensors, about: dict[str, str]) -> None:
    shape["ahead"] = 1


def of_a_short_shape(shape: Shape, tensors: Tensors, about: dict[str, str]) -> None:
    del shape["ahead"]


def of_fewer_heads(shape: Shape, tensors: Tensors, about: dict[str, str]) -> None:
    tensors["latent"] = tensors["latent"][:2]


def of_no_numbers(shape: Shape, tensors: Tensors, about: dict[str, str]) -> None:
    tensors["latent"] = tensors["latent"] * float("nan")


def of_unknown_tokens(shape: Shape, tensors: Tensors, about: dict[str, str]) -> None:
    tensors["draft_tokens"] = mx.array([1, 2, 3, 4, 60_000])


def with_a_lost_shortlist(shape: Shape, tensors: Tensors, about: dict[str, str]) -> None:
    del tensors["draft_tokens"]


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (without_a_shape, "damaged|do not fit"),
        (of_nobody, "which model"),
        (of_another_width, "do not fit"),
        (of_another_kind, "does not hold the residual heads"),
        (of_an_unknown_kind, "kind must be one of"),
        (of_one_head, "ahead must be between 2 and 8"),
        (of_a_short_shape, "do not fit"),
        (of_fewer_heads, "does not hold the latent heads"),
        (of_no_numbers, "not numbers"),
        (of_unknown_tokens, "draft_tokens"),
        (with_a_lost_shortlist, "do not fit"),
    ],
)
def test_damaged_heads_are_one_clear_sentence(
    hearing: HearingModel,
    tmp_path: Path,
    spoil: Callable[[Shape, Tensors, dict[str, str]], None],
    complaint: str,
) -> None:
    path = save_heads(random_heads(hearing, "latent", draft_tokens=SHORTLIST), tmp_path / "a.safetensors", hearing)
    tensors, about = mx.load(str(path), return_metadata=True)
    shape = json.loads(about["shape"])
    spoil(shape, tensors, about)
    bad = tmp_path / "bad.safetensors"
    mx.save_safetensors(str(bad), tensors, about | {"shape": json.dumps(shape)})
    with pytest.raises(ModelError, match=complaint) as refusal:
        load_heads(bad, hearing)
    assert "\n" not in str(refusal.value)
