from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.events import Word
from engine.hear.decode.cache import CrossCache, DecoderCache
from engine.hear.decode.tokenizer import Tokenizer, load_tokenizer
from engine.hear.whisper.align import align_words, follow_attention, median_filter, path_starts, tokens_before_rewind
from engine.hear.whisper.load import HearingModel
from tests.hear.reference import mlx_whisper_model
from tests.random_whisper import TINY, random_weights
from tests.work import lines_run

SMALL = {**TINY, "n_audio_ctx": 150}


def plain_path(cost: np.ndarray) -> list[tuple[int, int]]:
    """Dynamic time warping as in the textbook: one place at a time, steps of (1, 1), (1, 0), (0, 1)."""
    rows, frames = cost.shape
    total = np.full((rows + 1, frames + 1), np.inf)
    total[0, 0] = 0
    for row in range(1, rows + 1):
        for frame in range(1, frames + 1):
            ways = total[row - 1, frame - 1], total[row - 1, frame], total[row, frame - 1]
            total[row, frame] = cost[row - 1, frame - 1] + min(ways)
    row, frame = rows, frames
    path = [(row - 1, frame - 1)]
    while (row, frame) != (1, 1):
        steps = ((row - 1, frame - 1), (row - 1, frame), (row, frame - 1))
        row, frame = min(steps, key=lambda step: total[step])
        path.append((row - 1, frame - 1))
    return path[::-1]


def plain_starts(cost: np.ndarray) -> list[int]:
    path = plain_path(cost)
    return [min(frame for at, frame in path if at == row) for row in range(len(cost))]


@given(rows=st.integers(1, 12), frames=st.integers(1, 30), seed=st.integers(0, 10_000))
def test_the_path_is_that_of_textbook_time_warping(rows: int, frames: int, seed: int) -> None:
    cost = np.random.default_rng(seed).normal(size=(rows, frames)).astype(np.float32)
    assert path_starts(cost).tolist() == plain_starts(cost)


@given(steps=st.lists(st.integers(1, 9), min_size=1, max_size=40))
def test_a_planted_path_is_recovered(steps: list[int]) -> None:
    starts = np.cumsum([0, *steps[:-1]])
    cost = np.ones((len(steps), sum(steps)), np.float32)
    for row, (start, length) in enumerate(zip(starts, steps, strict=True)):
        cost[row, start : start + length] = -1
    assert path_starts(cost).tolist() == starts.tolist()


def test_more_tokens_than_frames_still_have_a_path() -> None:
    starts = path_starts(np.random.default_rng(0).normal(size=(20, 3)))
    assert starts[0] == 0
    assert (np.diff(starts) >= 0).all() and starts.max() < 3


def test_the_work_in_python_grows_with_tokens_and_not_with_frames() -> None:
    cost = np.random.default_rng(0).normal(size=(100, 750)).astype(np.float32)
    assert lines_run(lambda: path_starts(cost)) < 20 * len(cost)


@given(
    x=arrays(np.float32, st.tuples(st.integers(1, 3), st.integers(1, 20)), elements=st.floats(-9, 9, width=32)),
    width=st.sampled_from([1, 3, 7]),
)
def test_the_median_filter_takes_medians_with_mirrored_ends(x: np.ndarray, width: int) -> None:
    half = width // 2
    filtered = median_filter(x, width)
    assert filtered.shape == x.shape
    if x.shape[1] <= half:
        assert (filtered == x).all()
        return
    for row, values in enumerate(x):
        mirrored = [*values[half:0:-1], *values, *values[-2 : -half - 2 : -1]]
        assert filtered[row].tolist() == [statistics.median(mirrored[i : i + width]) for i in range(len(values))]


def published_recipe(scores: np.ndarray, first: int) -> list[int]:
    """Follow the published steps one by one in double precision: scores (heads, rows, frames) to token starts."""
    weights = np.exp(scores.astype(np.float64))
    weights = weights / weights.sum(-1, keepdims=True)
    weights = (weights - weights.mean(-2, keepdims=True)) / weights.std(-2, keepdims=True)
    padded = np.pad(weights, ((0, 0), (0, 0), (3, 3)), mode="reflect")
    filtered = np.median(np.lib.stride_tricks.sliding_window_view(padded, 7, axis=-1), axis=-1)
    return plain_starts(-filtered.mean(0)[first:-1])


def test_token_times_equal_the_published_recipe_on_mlx_whispers_own_scores(
    tiny_model: Callable[..., HearingModel],
) -> None:
    # mlx-whisper's timing module needs numba and scipy, which are not installed: its model gives the scores, and the
    # recipe is written out above. Frames are cropped, as they are where a window is padded.
    hearing = tiny_model(3, n_audio_ctx=150)
    model, tokenizer = hearing.model, hearing.tokenizer
    model.fast_encoder = model.fast_decoder = None  # they round weights
    reference = mlx_whisper_model(SMALL, random_weights(SMALL, 3))
    mel = mx.array(np.random.default_rng(5).normal(size=(300, 80)).astype(np.float32))
    text = tokenizer.encode(" Every word of this is heard, or so they say.")
    sequence = [*tokenizer.sot_sequence("en"), *text, tokenizer.eot]
    frames = 120
    logits, every_score = reference.forward_with_cross_qk(mel[None], mx.array([sequence]))
    scores = np.array(mx.stack([every_score[layer][0, head] for layer, head in model.alignment_heads]))[..., :frames]
    expected = published_recipe(scores, first=3)

    cross = model.cross_cache(model.encode(mel))
    _, ours = model.decode(mx.array([sequence]), cross, model.new_cache(), with_alignment=True)
    assert ours is not None
    looks = follow_attention(np.array(ours[0])[..., :frames], first=3)
    assert looks.starts.tolist() == expected
    assert looks.weights.shape == (len(text) + 1, frames)
    assert looks.weights.sum(-1) == pytest.approx(1, abs=1e-4)

    words = align_words(model, tokenizer, cross, text, language="en", frames=frames, offset_seconds=0.0)
    boundaries = [expected[len(tokenizer.encode("".join(w.text for w in words[:i])))] / 50 for i in range(len(words))]
    for word, boundary, following in zip(words, boundaries, [*boundaries[1:], frames / 50], strict=True):
        assert boundary <= word.start <= word.end <= following
    likelihood = mx.softmax(logits[0], axis=-1, precise=True)
    first_two = [float(likelihood[3 + i, token]) for i, token in enumerate(text[:2])]
    assert words[0].probability == pytest.approx(first_two[0], rel=1e-3, abs=1e-9)
    assert words[1].probability == pytest.approx(first_two[1], rel=1e-3, abs=1e-9)


class PlantedModel:
    """A model whose alignment head looks where it is told: (first, last) frame for each text token and the end."""

    def __init__(self, looks: Sequence[tuple[int, int]], frames: int, start_tokens: int = 4) -> None:
        self.scores = np.full((1, 1, start_tokens - 1 + len(looks) + 1, frames), -6.0, np.float32)
        self.scores += 0.1 * np.random.default_rng(0).normal(size=self.scores.shape).astype(np.float32)
        for row, (first, last) in enumerate(looks, start=start_tokens - 1):
            self.scores[0, 0, row, first : last + 1] += 8.0
        self.cross = CrossCache((mx.zeros((1, 1, frames, 1)),), (mx.zeros((1, 1, frames, 1)),))

    def new_cache(self) -> DecoderCache:
        return DecoderCache(1, (1, 1, 1), 448, mx.float32)

    def decode(self, tokens: mx.array, *_: object, **__: object) -> tuple[mx.array, mx.array]:
        assert tokens.shape[1] == self.scores.shape[2]
        return mx.zeros((1, tokens.shape[1], 8)), mx.array(self.scores)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return load_tokenizer(99, True)


def aligned(
    tokenizer: Tokenizer, text: str, looks: Sequence[tuple[int, int]], frames: int, language: str = "en"
) -> list[tuple[str, float, float]]:
    tokens = tokenizer.encode(text)
    assert len(looks) == len(tokens) + 1, [tokenizer.decode([token]) for token in tokens]
    model = PlantedModel(looks, frames)
    words = align_words(
        model,  # type: ignore[arg-type]
        tokenizer,
        model.cross,
        tokens,
        language=language,
        frames=frames,
        offset_seconds=10.0,
        probabilities=[0.5] * len(tokens),
    )
    return [(word.text, round(word.start, 2), round(word.end, 2)) for word in words]


def test_words_have_the_times_their_tokens_look_at(tokenizer: Tokenizer) -> None:
    looks = [(10, 29), (30, 59), (60, 99), (100, 119)]
    words = aligned(tokenizer, " We hear you", looks, frames=120)
    assert [text for text, _, _ in words] == [" We", " hear", " you"]
    for (_, start, end), (first, last) in zip(words, looks, strict=False):
        assert start == pytest.approx(10 + first / 50, abs=0.081)
        assert end == pytest.approx(10 + (last + 1) / 50, abs=0.081)


def test_silence_around_words_belongs_to_none_of_them(tokenizer: Tokenizer) -> None:
    # Two seconds of silence before the first word, two between the words, two after.
    words = aligned(tokenizer, " We hear", [(100, 119), (220, 249), (330, 349)], frames=350)
    (_, first_start, first_end), (_, second_start, second_end) = words
    assert first_start == pytest.approx(12.0, abs=0.1)
    assert first_end == pytest.approx(12.4, abs=0.1)
    assert second_start == pytest.approx(14.4, abs=0.1)
    assert second_end == pytest.approx(15.0, abs=0.1)


def test_punctuation_belongs_to_its_word_and_leaves_the_pause_alone(tokenizer: Tokenizer) -> None:
    looks = [(0, 19), (20, 39), (40, 99), (100, 119), (120, 139), (145, 149)]
    words = aligned(tokenizer, " Well then, go.", looks, frames=150)
    assert [text for text, _, _ in words] == [" Well", " then,", " go."]
    assert words[1][2] <= 10.9  # not the comma's 12.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" He said: “Go!” and went.", [" He", " said:", " “Go!”", " and", " went."]),
        (" It is 5€ now", [" It", " is", " 5€", " now"]),
        (" ¿Qué? No...", [" ¿Qué?", " No..."]),
        (" It costs $5 - or 5%!", [" It", " costs", " $5", " - or", " 5%!"]),
        (' a "b" c', [" a", ' "b"', " c"]),
        ("世界。你好", ["世界。", "你好"]),
        (" ...", []),
        ("Hello", ["Hello"]),
    ],
)
def test_every_mark_goes_to_the_word_it_belongs_to(tokenizer: Tokenizer, text: str, words: list[str]) -> None:
    count = len(tokenizer.encode(text)) + 1
    looks = [(5 * index, 5 * index + 4) for index in range(count)]
    language = "zh" if "世" in text else "en"
    assert [word for word, _, _ in aligned(tokenizer, text, looks, 5 * count, language)] == words


def test_an_unfinished_character_is_left_out(tokenizer: Tokenizer) -> None:
    tokens = tokenizer.encode(" So 😀")[:-1]
    model = PlantedModel([(5 * index, 5 * index + 4) for index in range(len(tokens) + 1)], 5 * len(tokens) + 5)
    words = align_words(
        model,
        tokenizer,
        model.cross,
        tokens,
        language="en",
        frames=99,
        offset_seconds=0,
        probabilities=[1.0] * 9,  # type: ignore[arg-type]
    )
    assert "".join(word.text for word in words).strip() == "So"


def test_no_tokens_give_no_words(tokenizer: Tokenizer) -> None:
    model = PlantedModel([(0, 1)], 5)
    for tokens in ([], [tokenizer.timestamp_begin, tokenizer.timestamp_begin + 3]):
        assert align_words(model, tokenizer, model.cross, tokens, language="en", frames=5, offset_seconds=0) == ()  # type: ignore[arg-type]


@given(seed=st.integers(0, 200), frames=st.integers(1, 150), count=st.integers(1, 30))
def test_times_never_run_backwards_and_stay_within_the_audio(
    tiny_model: Callable[..., HearingModel], seed: int, frames: int, count: int
) -> None:
    hearing = tiny_model(0, n_audio_ctx=150)
    generator = np.random.default_rng(seed)
    cross = hearing.model.cross_cache(mx.array(generator.normal(size=(1, 150, 64)).astype(np.float32)))
    tokens = generator.integers(0, 50_000, count).tolist()
    words = align_words(
        hearing.model, hearing.tokenizer, cross, tokens, language="en", frames=frames, offset_seconds=100.0
    )
    times = [moment for word in words for moment in (word.start, word.end)]
    assert times == sorted(times)
    assert all(100.0 <= moment <= 100.0 + frames / 50 + 1e-9 for moment in times)
    assert all(0 <= word.probability <= 1 for word in words)


def attention_at(peaks: Sequence[int], frames: int = 500) -> np.ndarray:
    attention = np.full((len(peaks), frames), 0.001, np.float32)
    attention[np.arange(len(peaks)), peaks] = 1
    return attention


def test_tokens_after_attention_went_back_to_stay_are_not_heard() -> None:
    forward = [*range(20, 420, 20)]
    assert tokens_before_rewind(attention_at(forward)) == 20
    assert tokens_before_rewind(attention_at([*forward, 20, 40, 60, 80, 100])) == 20


def test_a_glance_forward_or_back_is_no_rewind() -> None:
    forward = [*range(20, 420, 20)]
    glance = [20, 40, 480, *forward[3:8]]
    assert tokens_before_rewind(attention_at(glance)) == len(glance)
    assert tokens_before_rewind(attention_at([*forward, 20, 30])) == 22  # two tokens prove nothing
    assert tokens_before_rewind(attention_at([*forward, 20, 40, 60, 410])) == 24


def words_of(tokenizer: Tokenizer, tokens: Sequence[int], looks: Sequence[tuple[int, int]], frames: int) -> list[Word]:
    model = PlantedModel(looks, frames)
    return list(
        align_words(
            model,  # type: ignore[arg-type]
            tokenizer,
            model.cross,
            tokens,
            language="en",
            frames=frames,
            offset_seconds=10.0,
            probabilities=[0.5] * len(tokens),
        )
    )


@pytest.mark.parametrize(
    "text", [" He said: “Go!” and went.", " So 😀 it is, naïvely.", "Hello", ' - a "b" (c) $5!', " unbelievably 3.14%"]
)
def test_the_tokens_of_all_words_in_a_row_are_those_decoded(tokenizer: Tokenizer, text: str) -> None:
    tokens = tokenizer.encode(text)
    looks = [(5 * index, 5 * index + 4) for index in range(len(tokens) + 1)]
    words = words_of(tokenizer, tokens, looks, 5 * len(looks))
    assert [token for word in words for token in word.tokens] == tokens
    assert [tokenizer.decode(word.tokens) for word in words] == [word.text for word in words]


def test_the_tokens_of_a_character_without_its_last_bytes_are_left_out(tokenizer: Tokenizer) -> None:
    whole = tokenizer.encode(" So")
    tokens = tokenizer.encode(" So 😀")[:-1]
    assert tokens[: len(whole)] == whole and len(tokens) > len(whole)
    looks = [(5 * index, 5 * index + 4) for index in range(len(tokens) + 1)]
    words = words_of(tokenizer, tokens, looks, 5 * len(looks))
    assert "".join(word.text for word in words) == " So"
    assert "\ufffd" not in tokenizer.decode([token for word in words for token in word.tokens])


def test_a_word_is_attended_at_the_latest_moment_that_its_letters_are_looked_for_at(tokenizer: Tokenizer) -> None:
    tokens = tokenizer.encode(" naïvely, so")
    assert [tokenizer.decode([token]) for token in tokens] == [" na", "ï", "ve", "ly", ",", " so"]
    looks = [(0, 19), (30, 49), (20, 24), (25, 29), (60, 99), (110, 129), (130, 139)]
    naively, so = words_of(tokenizer, tokens, looks, 140)
    assert naively.attended is not None and so.attended is not None
    assert 10.6 <= naively.attended < 11.0  # the second token; neither the last one nor the comma
    assert 12.2 <= so.attended < 12.6


def test_the_moment_is_the_peak_of_the_standardised_and_filtered_attention() -> None:
    scores = np.random.default_rng(1).normal(size=(3, 9, 60)).astype(np.float32)
    weights = np.exp(scores.astype(np.float64))
    weights /= weights.sum(-1, keepdims=True)
    standard = (weights - weights.mean(-2, keepdims=True)) / weights.std(-2, keepdims=True)
    padded = np.pad(standard, ((0, 0), (0, 0), (3, 3)), mode="reflect")
    filtered = np.median(np.lib.stride_tricks.sliding_window_view(padded, 7, axis=-1), axis=-1).mean(0)
    assert follow_attention(scores, first=2).peaks.tolist() == filtered[2:-1].argmax(-1).tolist()
