"""Our model and two independent implementations, on the same random weights of published shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.hear.whisper.files.published import PUBLISHED
from engine.hear.whisper.model import ModelDimensions, Whisper
from tests.hear.reference import TORCH_REASON, mlx_whisper_model, transformers_model
from tests.random_whisper import TINY, random_weights

TOLERANCE = 2e-4  # encoder outputs and logits are of the order of 1 to 10
SHAPES: dict[str, Mapping[str, int]] = {
    "tiny": asdict(PUBLISHED["tiny"].dims),
    "128 mels, 100 languages, fewer decoder layers": TINY
    | {"n_mels": 128, "n_vocab": 51866, "n_audio_layer": 3, "n_audio_state": 80, "n_text_state": 80}
    | {"n_audio_head": 5, "n_text_head": 5},
    "English only": TINY | {"n_vocab": 51864},
}
TOKENS = [50258, 50259, 50359, 50363, 400, 370, 452, 7177, 6280, 11]
FULL_LENGTH = 3000


@pytest.fixture(scope="module", params=SHAPES, ids=lambda name: name.replace(" ", "-"))
def shape(request: pytest.FixtureRequest) -> Mapping[str, int]:
    return SHAPES[request.param]


@pytest.fixture(scope="module")
def weights(shape: Mapping[str, int]) -> dict[str, np.ndarray]:
    """Weights of all three models."""
    return random_weights(shape)


@pytest.fixture(scope="module")
def by_mlx_whisper(shape: Mapping[str, int], weights: Mapping[str, np.ndarray]) -> Any:
    return mlx_whisper_model(shape, weights)


@pytest.fixture(scope="module")
def ours(shape: Mapping[str, int], weights: Mapping[str, np.ndarray]) -> Whisper:
    model = Whisper(ModelDimensions(**shape))
    model.load_weights([(name, mx.array(array)) for name, array in weights.items()])
    model.set_alignment_heads([(1, 1), (0, 0)])
    return model


@pytest.fixture(scope="module")
def mel(shape: Mapping[str, int]) -> mx.array:
    """Half a minute of what a log-mel spectrogram looks like (3000, mels)."""
    random = np.random.default_rng(1)
    return mx.array(random.normal(0.3, 0.5, (FULL_LENGTH, shape["n_mels"])).clip(-1, 1.5).astype(np.float32))


def close(left: mx.array, right: object) -> None:
    np.testing.assert_allclose(np.array(left), np.array(right), atol=TOLERANCE, rtol=1e-4)


@pytest.fixture(scope="module")
def decoded(ours: Whisper, mel: mx.array) -> dict[str, mx.array]:
    """Features, then logits and alignment scores of one block of tokens."""
    features = ours.encode(mel)
    cross = ours.cross_cache(features)
    logits, scores = ours.decode(mx.array([TOKENS]), cross, ours.new_cache(), with_alignment=True)
    assert scores is not None
    return {"features": features, "logits": logits, "scores": scores}


def test_features_logits_and_scores_equal_those_of_mlx_whisper(
    by_mlx_whisper: Any, mel: mx.array, decoded: dict[str, mx.array]
) -> None:
    features = by_mlx_whisper.encoder(mel[None])
    logits, _, scores = by_mlx_whisper.decoder(mx.array([TOKENS]), features)
    close(decoded["features"], features)
    close(decoded["logits"], logits)
    close(decoded["scores"], mx.stack([scores[1][:, 1], scores[0][:, 0]], axis=1))


def test_features_of_short_audio_equal_those_of_mlx_whisper_without_padding(
    by_mlx_whisper: Any, ours: Whisper, mel: mx.array, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = by_mlx_whisper.encoder
    positions = encoder._positional_embedding
    for frames in (1, 2, 77, 400):
        monkeypatch.setitem(encoder, "_positional_embedding", positions[: (frames + 1) // 2])
        close(ours.encode(mel[:frames]), encoder(mel[None, :frames]))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_features_logits_and_attention_equal_those_of_transformers(
    shape: Mapping[str, int], weights: Mapping[str, np.ndarray], mel: mx.array, decoded: dict[str, mx.array]
) -> None:
    torch = pytest.importorskip("torch", reason=TORCH_REASON)
    reference = transformers_model(shape, weights)
    with torch.inference_mode():
        out = reference(
            input_features=torch.from_numpy(np.array(mel).T[None].copy()),
            decoder_input_ids=torch.tensor([TOKENS]),
            output_attentions=True,
        )
    close(decoded["features"], out.encoder_last_hidden_state.numpy())
    close(decoded["logits"], out.logits.numpy())
    attention = np.stack([out.cross_attentions[1][:, 1].numpy(), out.cross_attentions[0][:, 0].numpy()], axis=1)
    close(mx.softmax(decoded["scores"], axis=-1), attention)


def test_logits_step_by_step_equal_those_of_a_block(ours: Whisper, decoded: dict[str, mx.array]) -> None:
    cross, cache = ours.cross_cache(decoded["features"]), ours.new_cache()
    for position, token in enumerate(TOKENS):
        logits, scores = ours.decode(mx.array([[token]]), cross, cache, with_alignment=True)
        assert scores is not None
        close(logits[:, 0], decoded["logits"][:, position])
        close(scores[:, :, 0], decoded["scores"][:, :, position])
    assert cache.offset == len(TOKENS)
