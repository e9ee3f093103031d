"""The published shapes and alignment heads, as a table."""

from __future__ import annotations

import pytest

from engine.hear.whisper.files.published import PUBLISHED, published_as

# mels, states, heads, audio layers, text layers, vocabulary; number of alignment heads, the first and the last of them
TABLE = {
    "tiny.en": ((80, 384, 6, 4, 4, 51864), 8, (1, 0), (3, 4)),
    "tiny": ((80, 384, 6, 4, 4, 51865), 6, (2, 2), (3, 5)),
    "base.en": ((80, 512, 8, 6, 6, 51864), 5, (3, 3), (5, 7)),
    "base": ((80, 512, 8, 6, 6, 51865), 8, (3, 1), (5, 6)),
    "small.en": ((80, 768, 12, 12, 12, 51864), 19, (6, 6), (11, 4)),
    "small": ((80, 768, 12, 12, 12, 51865), 10, (5, 3), (10, 5)),
    "medium.en": ((80, 1024, 16, 24, 24, 51864), 18, (11, 4), (21, 12)),
    "medium": ((80, 1024, 16, 24, 24, 51865), 6, (13, 15), (23, 4)),
    "large-v1": ((80, 1280, 20, 32, 32, 51865), 9, (9, 19), (23, 15)),
    "large-v2": ((80, 1280, 20, 32, 32, 51865), 23, (10, 12), (27, 15)),
    "large-v3": ((128, 1280, 20, 32, 32, 51866), 10, (7, 0), (25, 6)),
    "large-v3-turbo": ((128, 1280, 20, 32, 4, 51866), 6, (2, 4), (3, 14)),
}
PARAMETERS_IN_MILLIONS = {  # as the model card of Whisper gives them
    "tiny": 39,
    "base": 74,
    "small": 244,
    "medium": 769,
    "large-v2": 1550,
    "large-v3-turbo": 809,
}


def test_every_published_size_is_there_and_no_other() -> None:
    assert list(PUBLISHED) == list(TABLE)


@pytest.mark.parametrize("size", TABLE)
def test_shape_and_alignment_heads_are_the_published_ones(size: str) -> None:
    dims, heads = PUBLISHED[size].dims, PUBLISHED[size].alignment_heads
    (mels, states, head_count, audio_layers, text_layers, vocabulary), count, first, last = TABLE[size]
    assert (dims.n_mels, dims.n_vocab, dims.n_audio_ctx, dims.n_text_ctx) == (mels, vocabulary, 1500, 448)
    assert dims.n_audio_state == dims.n_text_state == states
    assert dims.n_audio_head == dims.n_text_head == head_count
    assert (dims.n_audio_layer, dims.n_text_layer) == (audio_layers, text_layers)
    assert (len(heads), heads[0], heads[-1]) == (count, first, last)
    assert heads == tuple(sorted(set(heads)))
    assert all(layer < text_layers and head < head_count for layer, head in heads)


@pytest.mark.parametrize(("size", "millions"), PARAMETERS_IN_MILLIONS.items())
def test_shapes_give_the_published_number_of_parameters(size: str, millions: int) -> None:
    dims = PUBLISHED[size].dims
    d = dims.n_audio_state
    attention, norm, feed_forward = 4 * d * d + 3 * d, 2 * d, 8 * d * d + 5 * d
    encoder = dims.n_audio_layer * (attention + feed_forward + 2 * norm) + norm
    convolutions = 3 * d * dims.n_mels + d + 3 * d * d + d
    decoder = dims.n_text_layer * (2 * attention + feed_forward + 3 * norm) + norm
    total = encoder + convolutions + decoder + (dims.n_vocab + dims.n_text_ctx + dims.n_audio_ctx) * d
    assert total / 1e6 == pytest.approx(millions, rel=0.04)


def test_of_models_with_one_shape_the_name_decides_and_else_the_newer() -> None:
    shared = PUBLISHED["large-v1"].dims
    assert next(published_as(shared, "whisper-large-v1")) == "large-v1"
    assert next(published_as(shared, "whisper-large-v2-mlx")) == "large-v2"
    assert next(published_as(shared, "my model")) == "large-v2"
    assert list(published_as(PUBLISHED["tiny"].dims, "anything")) == ["tiny"]
