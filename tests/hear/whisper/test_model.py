"""The encoder takes any length, the decoder takes blocks, and its cache can be cut, reordered and repeated."""

from __future__ import annotations

import itertools
import threading

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.hear.decode.cache import GROWTH, CrossCache
from engine.hear.whisper.files.published import PUBLISHED
from engine.hear.whisper.model import ModelDimensions, Whisper, upper_half_heads
from tests.random_whisper import TINY, random_weights

VOCABULARY = 97
DIMS = TINY | {"n_vocab": VOCABULARY, "n_audio_ctx": 100, "n_text_ctx": 200}
TOKEN = st.integers(0, VOCABULARY - 1)


def make_model(**changes: int) -> Whisper:
    dims = DIMS | changes
    model = Whisper(ModelDimensions(**dims))
    model.load_weights([(name, mx.array(array)) for name, array in random_weights(dims).items()])
    mx.eval(model.parameters(), model.encoder._positions)
    return model


@pytest.fixture(scope="module")
def model() -> Whisper:
    return make_model()


@pytest.fixture(scope="module")
def mel() -> mx.array:
    return mx.array(np.random.default_rng(3).normal(0, 0.6, (90, 80)).astype(np.float32))


@pytest.fixture(scope="module")
def cross(model: Whisper, mel: mx.array) -> CrossCache:
    cross = model.cross_cache(model.encode(mel))
    mx.eval(cross.arrays())
    return cross


def logits_of(model: Whisper, cross: CrossCache, rows: list[list[int]]) -> np.ndarray:
    """Return the logits after each token of equally long rows, with nothing cached."""
    logits, _ = model.decode(mx.array(rows), cross, model.new_cache(len(rows)))
    return np.array(logits)


def close(left: object, right: object) -> None:
    np.testing.assert_allclose(np.array(left), np.array(right), atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("frames", [1, 2, 3, 50, 99, 200])
def test_features_have_half_as_many_frames_rounded_up(model: Whisper, frames: int) -> None:
    features = model.encode(mx.zeros((frames, 80)))
    assert features.shape == (1, (frames + 1) // 2, 64)
    assert model.cross_cache(features).frames == (frames + 1) // 2


def test_a_batch_axis_of_one_changes_nothing(model: Whisper, mel: mx.array) -> None:
    assert mx.array_equal(model.encode(mel), model.encode(mel[None]))


@pytest.mark.parametrize("frames", [0, 201])
def test_audio_of_no_frames_or_beyond_the_positions_is_refused(model: Whisper, frames: int) -> None:
    with pytest.raises(ValueError, match=f"1 to 200 frames, not {frames}"):
        model.encode(mx.zeros((frames, 80)))


@settings(max_examples=25)
@given(tokens=st.lists(TOKEN, min_size=1, max_size=90), cuts=st.sets(st.integers(1, 89), max_size=5))
def test_any_split_into_blocks_gives_the_logits_of_one_block(
    model: Whisper, cross: CrossCache, tokens: list[int], cuts: set[int]
) -> None:
    edges = [0, *sorted(cut for cut in cuts if cut < len(tokens)), len(tokens)]
    cache = model.new_cache()
    parts = []
    for start, end in itertools.pairwise(edges):
        parts.append(np.array(model.decode(mx.array([tokens[start:end]]), cross, cache)[0]))
    assert cache.offset == len(tokens)
    close(np.concatenate(parts, axis=1), logits_of(model, cross, [tokens]))


@settings(max_examples=30)
@given(data=st.data())
def test_a_cache_that_was_cut_and_reordered_goes_on_as_if_it_had_always_been_so(
    model: Whisper, cross: CrossCache, data: st.DataObject
) -> None:
    rows: list[list[int]] = [[]]
    cache = model.new_cache()
    for _ in range(data.draw(st.integers(1, 6))):
        match data.draw(st.sampled_from(["decode", "truncate", "reorder"])):
            case "truncate":
                length = data.draw(st.integers(0, cache.offset))
                cache.truncate(length)
                rows = [row[:length] for row in rows]
            case "reorder":
                order = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=4))
                cache.reorder(order)
                rows = [list(rows[index]) for index in order]
        count = data.draw(st.integers(1, GROWTH // 3))
        block = [[data.draw(TOKEN) for _ in range(count)] for _ in rows]
        logits, _ = model.decode(mx.array(block), cross, cache)
        rows = [row + more for row, more in zip(rows, block, strict=True)]
        close(logits, logits_of(model, cross, rows)[:, -count:])


def test_a_beam_over_one_rounds_features_hears_what_single_rows_hear(model: Whisper, cross: CrossCache) -> None:
    prompt, beam = [5, 9, 2, 44], [[7, 8], [1, 1], [30, 2]]
    cache = model.new_cache()
    model.decode(mx.array([prompt]), cross, cache)
    cache.expand(len(beam))
    logits, scores = model.decode(mx.array(beam), cross, cache, with_alignment=True)
    assert scores is not None
    for row, tokens in enumerate(beam):
        alone, alone_scores = model.decode(mx.array([prompt + tokens]), cross, model.new_cache(), with_alignment=True)
        assert alone_scores is not None
        close(logits[row], alone[0, -2:])
        close(scores[row], alone_scores[0, :, -2:])


def test_asking_for_rows_gives_the_same_logits_of_those_rows_alone(model: Whisper, cross: CrossCache) -> None:
    tokens = mx.array([[3, 1, 4, 1, 5]])
    every, _ = model.decode(tokens, cross, model.new_cache())
    some, _ = model.decode(tokens, cross, model.new_cache(), rows=(0, -1))
    close(some, mx.stack([every[:, 0], every[:, -1]], axis=1))


def test_asking_for_alignment_does_not_change_the_logits(model: Whisper, cross: CrossCache) -> None:
    tokens = mx.array([[3, 1, 4, 1, 5]])
    plain, none = model.decode(tokens, cross, model.new_cache())
    aligned, scores = model.decode(tokens, cross, model.new_cache(), with_alignment=True)
    assert none is None
    assert scores is not None
    assert scores.shape == (1, len(model.alignment_heads), 5, cross.frames)
    close(plain, aligned)


def test_long_audio_in_blocks_of_rows_is_encoded_as_by_plain_attention(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make_model(n_audio_ctx=1500)
    mel = mx.array(np.random.default_rng(4).normal(0, 0.6, (2900, 80)).astype(np.float32))
    fast = model.encode(mel)
    monkeypatch.setattr("engine.hear.whisper.kernels.writes_for_gpu", lambda: True)
    close(fast, model.encode(mel))


def test_tokens_beyond_the_context_are_refused_and_leave_the_cache_as_it_was(model: Whisper, cross: CrossCache) -> None:
    cache = model.new_cache()
    model.decode(mx.array([[1] * 199]), cross, cache)
    with pytest.raises(ValueError, match="holds 200 tokens; 201 were given"):
        model.decode(mx.array([[1, 2]]), cross, cache)
    assert cache.offset == 199
    model.decode(mx.array([[1]]), cross, cache)


def test_misuse_of_a_cache_is_named(model: Whisper, cross: CrossCache) -> None:
    cache = model.new_cache(2)
    with pytest.raises(ValueError, match="has 2 rows; tokens for 1"):
        model.decode(mx.array([[1]]), cross, cache)
    with pytest.raises(ValueError, match="cannot be cut to 1"):
        cache.truncate(1)
    with pytest.raises(ValueError, match=r"rows \[2\] were asked"):
        cache.reorder([2])
    with pytest.raises(ValueError, match="one row"):
        cache.expand(5)


def test_a_loaded_model_runs_in_another_thread(model: Whisper, mel: mx.array) -> None:
    heard: list[np.ndarray] = []

    def hear() -> None:
        cross = model.cross_cache(model.encode(mel))
        heard.append(np.array(model.decode(mx.array([[1, 2]]), cross, model.new_cache())[0]))
        mx.clear_streams()

    expected = logits_of(model, model.cross_cache(model.encode(mel)), [[1, 2]])
    thread = threading.Thread(target=hear)
    thread.start()
    thread.join()
    close(heard[0], expected)


def test_half_precision_weights_give_nearly_the_same_features(model: Whisper, mel: mx.array) -> None:
    half = make_model()
    half.set_dtype(mx.bfloat16)
    assert half.dtype == mx.bfloat16
    features = half.encode(mel)
    assert features.dtype == mx.bfloat16
    logits, _ = half.decode(mx.array([[1, 2]]), half.cross_cache(features), half.new_cache())
    assert logits.dtype == mx.float32
    exact = model.encode(mel)
    assert mx.abs(features.astype(mx.float32) - exact).max().item() < 0.1 * mx.abs(exact).max().item()


def test_gradients_reach_the_spectrogram(model: Whisper) -> None:
    mel = mx.random.normal((200, 80), key=mx.random.key(1)) * 0.6

    def energy(mel: mx.array) -> mx.array:
        return mx.square(model.encode(mel)[:, :3]).sum()

    step = 1e-2 * mx.random.normal(mel.shape, key=mx.random.key(0))
    slope = (energy(mel + step) - energy(mel - step)).item() / 2
    assert mx.sum(mx.grad(energy)(mel) * step).item() == pytest.approx(slope, rel=0.02)


def test_languages_follow_from_the_vocabulary() -> None:
    facts = {
        size: (model.is_multilingual, model.num_languages)
        for size in ("tiny.en", "large-v2", "large-v3-turbo")
        for model in [make_model(n_vocab=PUBLISHED[size].dims.n_vocab)]
    }
    assert facts == {"tiny.en": (False, 99), "large-v2": (True, 99), "large-v3-turbo": (True, 100)}


def test_without_a_published_choice_the_upper_half_of_the_heads_aligns(model: Whisper) -> None:
    assert model.alignment_heads == upper_half_heads(model.dims) == ((1, 0), (1, 1))
    with pytest.raises(ValueError, match="no head 2 in layer 0"):
        model.set_alignment_heads([(0, 2)])
