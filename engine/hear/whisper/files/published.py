"""The published Whisper models: their shapes and their alignment heads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.hear.whisper.files.layout import VOCABULARIES
from engine.hear.whisper.model import ModelDimensions

Heads = tuple[tuple[int, int], ...]
ENGLISH, MULTILINGUAL, MULTILINGUAL_100 = VOCABULARIES


@dataclass(frozen=True, slots=True)
class Published:
    """A published model: its shape, and (layer, head) pairs of the decoder that align words with audio."""

    dims: ModelDimensions
    alignment_heads: Heads


def _model(
    states: int, heads: int, layers: int, vocabulary: int, aligned: dict[int, tuple[int, ...]], **other: int
) -> Published:
    """Build one row of the table; `aligned` holds heads by layer."""
    dims = ModelDimensions(
        n_mels=other.get("mels", 80),
        n_audio_ctx=1500,
        n_audio_state=states,
        n_audio_head=heads,
        n_audio_layer=layers,
        n_vocab=vocabulary,
        n_text_ctx=448,
        n_text_state=states,
        n_text_head=heads,
        n_text_layer=other.get("text_layers", layers),
    )
    return Published(dims, tuple((layer, head) for layer, chosen in aligned.items() for head in chosen))


PUBLISHED: dict[str, Published] = {
    "tiny.en": _model(384, 6, 4, ENGLISH, {1: (0,), 2: (0, 5), 3: (0, 1, 2, 3, 4)}),
    "tiny": _model(384, 6, 4, MULTILINGUAL, {2: (2,), 3: (0, 2, 3, 4, 5)}),
    "base.en": _model(512, 8, 6, ENGLISH, {3: (3,), 4: (7,), 5: (1, 5, 7)}),
    "base": _model(512, 8, 6, MULTILINGUAL, {3: (1,), 4: (2, 3, 7), 5: (1, 2, 4, 6)}),
    "small.en": _model(
        768,
        12,
        12,
        ENGLISH,
        {6: (6,), 7: (0, 3, 8), 8: (2, 5, 7), 9: (0, 4, 8, 10), 10: (0, 1, 2, 3, 6, 11), 11: (2, 4)},
    ),
    "small": _model(768, 12, 12, MULTILINGUAL, {5: (3, 9), 8: (0, 4, 7, 8), 9: (0, 7, 9), 10: (5,)}),
    "medium.en": _model(
        1024,
        16,
        24,
        ENGLISH,
        {
            11: (4,),
            14: (1, 12, 14),
            15: (4,),
            16: (0, 4, 9),
            17: (12, 14),
            18: (7, 10, 15),
            20: (0, 3, 9, 14),
            21: (12,),
        },
    ),
    "medium": _model(1024, 16, 24, MULTILINGUAL, {13: (15,), 15: (4, 15), 16: (1,), 20: (0,), 23: (4,)}),
    "large-v1": _model(1280, 20, 32, MULTILINGUAL, {9: (19,), 11: (2, 4, 17), 22: (7, 11, 17), 23: (2, 15)}),
    "large-v2": _model(
        1280,
        20,
        32,
        MULTILINGUAL,
        {
            10: (12,),
            13: (17,),
            16: (11, 12, 13),
            17: (15, 16),
            18: (4, 11, 19),
            19: (11,),
            21: (2, 3),
            22: (3, 9, 12),
            23: (5, 7, 13),
            25: (5,),
            26: (1, 12),
            27: (15,),
        },
    ),
    "large-v3": _model(
        1280,
        20,
        32,
        MULTILINGUAL_100,
        {7: (0,), 10: (17,), 12: (18,), 13: (12,), 16: (1,), 17: (14,), 19: (11,), 21: (4,), 24: (1,), 25: (6,)},
        mels=128,
    ),
    "large-v3-turbo": _model(1280, 20, 32, MULTILINGUAL_100, {2: (4, 11), 3: (3, 6, 11, 14)}, mels=128, text_layers=4),
}


def published_as(dims: ModelDimensions, name: str) -> Iterator[str]:
    """Yield the published models of a shape, first the one named in a folder's or repository's name.

    Only large-v1 and large-v2 share a shape; without a hint the second, which replaced the first, comes first.
    """
    same = [size for size, model in PUBLISHED.items() if model.dims == dims]
    yield from sorted(same, key=lambda size: (size not in name, same.index(size) * -1))
