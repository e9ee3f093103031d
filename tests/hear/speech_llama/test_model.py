"""Our Speech-LLaMA computes what other implementations compute, however the audio and the text come to it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest

from engine.hear.speech_llama.load import SpeechLlamaModel, build, load_speech_llama
from engine.hear.speech_llama.model import SpeechLlama, SpeechLlamaDecoder
from engine.hear.whisper.mel import log_mel
from engine.language.language import build_language_model
from tests.random_speech_llama import BEGIN, random_config, random_weights, write_random_speech_llama

TOKENS = [BEGIN, 40, 77, 5, 200, 31, 31, 9]
LLAMA = "model."
without_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
SHAPES: dict[str, Mapping[str, Any]] = {
    "as it is": {},
    "shared keys": {"num_key_value_heads": 1},
    "wide heads": {"head_dim": 24, "num_attention_heads": 2, "num_key_value_heads": 2},
    "long positions": {
        "rope_theta": 500_000.0,
        "max_position_embeddings": 8192,
        "rope_scaling": {
            "rope_type": "llama3",
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 64,
        },
    },
}


def noise(seconds: float, seed: int = 0) -> np.ndarray:
    return (0.1 * np.random.default_rng(seed).normal(size=round(seconds * 16_000))).astype(np.float32)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> SpeechLlamaModel:
    return load_speech_llama(write_random_speech_llama(tmp_path_factory.mktemp("speech-llama")))


@pytest.fixture(scope="module")
def audio(loaded: SpeechLlamaModel) -> mx.array:
    return loaded.model.audio(noise(2.0))


def close(ours: mx.array, theirs: object, tolerance: float = 2e-5) -> None:
    np.testing.assert_allclose(np.array(ours), np.asarray(theirs), atol=tolerance, rtol=1e-4)


def written(model: SpeechLlama, audio: mx.array, tokens: list[int], block: int = 99) -> mx.array:
    """Final states (n, d) of tokens behind the audio, read in blocks."""
    heard, cache = model.read_audio(audio), model.new_cache()
    blocks = [tokens[start : start + block] for start in range(0, len(tokens), block)]
    return mx.concatenate([model.write(mx.array([each]), heard, cache)[0] for each in blocks])


# --- against others ---


@pytest.mark.parametrize("shape", SHAPES)
def test_the_llama_is_that_of_mlx_lm(shape: str, tmp_path: Path) -> None:
    folder = write_random_speech_llama(tmp_path / "whole", text=SHAPES[shape])
    ours = load_speech_llama(folder).model
    theirs = llama_alone(folder, tmp_path / "llama")
    audio = ours.audio(noise(1.5))
    both = mx.concatenate([audio, theirs.model.embed_tokens(mx.array([TOKENS]))], axis=1)
    logits = theirs(None, None, both)[0, audio.shape[1] :]
    close(ours.logits(written(ours, audio, TOKENS)), logits)


def llama_alone(folder: Path, alone: Path) -> nn.Module:
    """Load the LLaMA of a model folder as a language model of its own, by mlx-lm's architecture."""
    import json

    alone.mkdir()
    config = json.loads((folder / "config.json").read_text())
    (alone / "config.json").write_text(json.dumps(config["text_config"]))
    weights = mx.load(str(folder / "model.safetensors"))
    assert isinstance(weights, dict)
    mx.save_safetensors(
        str(alone / "model.safetensors"), {name: array for name, array in weights.items() if name.startswith(LLAMA)}
    )
    return build_language_model(alone)[0]


@without_torch
@pytest.mark.parametrize("shape", SHAPES)
def test_the_llama_is_that_of_transformers(shape: str) -> None:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    config = random_config(SHAPES[shape])
    weights = random_weights(config)
    reference = LlamaForCausalLM(LlamaConfig(**config["text_config"])).eval()
    stored = {name: torch.from_numpy(array) for name, array in weights.items() if name.startswith(LLAMA)}
    missing, surplus = reference.load_state_dict(stored, strict=False)
    assert not surplus and set(missing) <= {"lm_head.weight"}
    ours = of_weights(config, weights)
    audio = ours.audio(noise(1.0))
    with torch.no_grad():
        heard = torch.from_numpy(np.array(audio))
        both = torch.cat([heard, reference.model.embed_tokens(torch.tensor([TOKENS]))], dim=1)
        logits = reference(inputs_embeds=both).logits[0, audio.shape[1] :]
    close(ours.logits(written(ours, audio, TOKENS)), logits)


def of_weights(config: dict[str, Any], weights: Mapping[str, np.ndarray]) -> SpeechLlama:
    model = build(config)
    model.load_weights([(name, mx.array(array)) for name, array in weights.items() if not name.startswith("heads.")])
    return model


@without_torch
@pytest.mark.parametrize("seconds", [(0.02,), (0.06,), (1.0,), (2.34,), (0.6, 2.0, 1.34)])
def test_the_whole_model_is_the_one_that_was_trained(seconds: tuple[float, ...]) -> None:
    import torch

    from lab.recipes.speech_llama.model import SpeechLlama as Trained
    from lab.recipes.speech_llama.model import SpeechLlamaShape

    shape = SpeechLlamaShape(
        vocabulary=310, drafted=310, states=48, layers=2, heads=3, width=18, inner=80, rope_theta=1e26, ear_states=32,
        ahead=4,
    )  # fmt: skip
    text = {"head_dim": 18, "attention_bias": True, "mlp_bias": True, "rope_theta": 1e26, "rms_norm_eps": 1e-5}
    config = random_config(text, alignment_heads=[[0, 1], [1, 0]], text_positions=True)
    weights = random_weights(config, seed=3)
    weights["positions"] = np.random.default_rng(4).standard_normal((448, 48)).astype(np.float32)
    ours, theirs = of_weights(config, weights), Trained(shape).eval()
    theirs.load_state_dict(torch_names(weights))
    texts = [TOKENS[: 4 + 2 * row] + [0] * (4 - 2 * row) for row in range(len(seconds))]
    heard = [np.array(ours.encoder(log_mel(noise(each, seed), 80)[None])[0]) for seed, each in enumerate(seconds)]
    counts = torch.tensor([-(-len(one) // 3) for one in heard])
    with torch.no_grad():
        longest = max(map(len, heard))
        batch = torch.stack([torch.from_numpy(np.pad(one, ((0, longest - len(one)), (0, 0)))) for one in heard])
        embedded = theirs.embed(batch)
        looks = {(0, 1): torch.empty(0), (1, 0): torch.empty(0)}
        states = theirs.write(theirs.read_audio(embedded), counts, torch.tensor(texts), looks=looks)
    seen = torch.stack(list(looks.values()), 1)
    audios = [ours.embed(mx.array(one)[None]) for one in heard]
    assert [audio.shape[1] for audio in audios] == counts.tolist()
    for row, audio in enumerate(audios):
        close(audio[0], embedded[row, : audio.shape[1]], 1e-4)
        close(written(ours, audio, texts[row]), states[row], 5e-4)
        close(ours.logits(written(ours, audio, texts[row])), theirs.logits(states[row]).detach(), 5e-3)
        scores = ours.looks(mx.array([texts[row]]), ours.read_audio(audio))
        on_audio = seen[row, :, :, : audio.shape[1]]
        close(mx.softmax(scores, axis=-1), on_audio / on_audio.sum(-1, keepdim=True), 1e-4)


def torch_names(weights: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Our weights under the names and in the layout of the model that is trained."""
    import torch

    named = {}
    for name, array in weights.items():
        if not name.startswith(("heads.", "encoder.")):
            named[name] = torch.from_numpy(array)
    latent = [weights[name] for name in sorted(weights) if name.startswith("heads.latent.")]
    return named | {"latent": torch.from_numpy(np.stack(latent)), "drafted": torch.arange(310)}


# --- against itself ---


@pytest.mark.parametrize("block", [1, 2, 3, 7])
def test_blocks_and_single_tokens_come_to_the_same(loaded: SpeechLlamaModel, audio: mx.array, block: int) -> None:
    at_once = written(loaded.model, audio, TOKENS)
    close(written(loaded.model, audio, TOKENS, block), at_once)


def test_long_audio_and_text_come_to_the_same_as_in_small_steps(loaded: SpeechLlamaModel) -> None:
    audio = loaded.model.audio(noise(20.0))
    tokens = np.random.default_rng(0).integers(2, 310, 150).tolist()
    close(written(loaded.model, audio, tokens), written(loaded.model, audio, tokens, block=11), 5e-5)


def test_rows_of_a_beam_share_the_audio_and_keep_their_own_text(loaded: SpeechLlamaModel, audio: mx.array) -> None:
    model = loaded.model
    heard, cache = model.read_audio(audio), model.new_cache()
    model.write(mx.array([TOKENS[:3]]), heard, cache)
    cache.reorder([0, 0, 0])
    model.write(mx.array([[5, 6], [7, 8], [9, 10]]), heard, cache)
    cache.reorder([2, 0])
    states = model.write(mx.array([[20, 21], [22, 23]]), heard, cache)
    for row, text in enumerate(([9, 10, 20, 21], [5, 6, 22, 23])):
        close(states[row], written(model, audio, [*TOKENS[:3], *text])[-2:])


def test_tokens_that_were_cut_off_leave_no_trace(loaded: SpeechLlamaModel, audio: mx.array) -> None:
    model = loaded.model
    heard, cache = model.read_audio(audio), model.new_cache()
    model.write(mx.array([[*TOKENS[:4], 99, 98, 97]]), heard, cache)
    cache.truncate(4)
    close(model.write(mx.array([TOKENS[4:]]), heard, cache)[0], written(model, audio, TOKENS)[4:])


def test_the_audio_is_read_once_for_all_decodings(
    loaded: SpeechLlamaModel, audio: mx.array, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[mx.array] = []
    whole = SpeechLlama.read_audio

    def counted(model: SpeechLlama, heard: mx.array) -> Any:
        read.append(heard)
        return whole(model, heard)

    monkeypatch.setattr(SpeechLlama, "read_audio", counted)
    decoder = SpeechLlamaDecoder(loaded.model, audio)
    assert not read
    first, second = (decoder.forward(mx.array([TOKENS]), decoder.new_cache()) for _ in range(2))
    close(first, second, 0.0)
    assert len(read) == 1


def test_heads_look_ahead_from_the_state_of_the_next_token(loaded: SpeechLlamaModel, audio: mx.array) -> None:
    assert loaded.heads is not None
    decoder = SpeechLlamaDecoder(loaded.model, audio, loaded.heads)
    states = decoder.forward(mx.array([TOKENS]), decoder.new_cache())
    weights = random_weights(random_config())
    expected = [np.array(states[0, -1]) @ weights[f"heads.latent.{n}.weight"].T for n in (2, 3)]
    logits = loaded.heads.logits(states[0, -1:], 2)
    assert logits.shape == (1, 2, 310)
    close(logits[0], np.stack(expected) @ weights["model.embed_tokens.weight"].T, 1e-4)


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 6, 7, 12, 13])
def test_a_stacked_frame_that_is_not_full_is_filled_with_zeros(loaded: SpeechLlamaModel, frames: int) -> None:
    """One to six frames of log-mel are at most three of the encoder, which are one embedding."""
    model = loaded.model
    mel = mx.random.normal((frames, 80), key=mx.random.key(frames))
    encoded = np.array(model.encoder(mel[None])[0])
    count = -(-len(encoded) // 3)
    stacked = np.zeros((count * 3, encoded.shape[1]), np.float32)
    stacked[: len(encoded)] = encoded
    audio = model.audio(mel)
    assert audio.shape == (1, count, 48)
    close(audio[0], stacked.reshape(count, -1) @ np.array(model.adapter.weight).T + np.array(model.adapter.bias))
    assert written(model, audio, TOKENS).shape == (len(TOKENS), 48)


@pytest.mark.parametrize("count", [0, 159, 30 * 16_000 + 160])
def test_audio_without_a_frame_or_beyond_half_a_minute_is_refused(loaded: SpeechLlamaModel, count: int) -> None:
    with pytest.raises(ValueError, match="takes 1 to 3000 frames"):
        loaded.model.audio(np.zeros(count, np.float32))


def test_arranged_matrices_are_the_layers_own_until_these_change(loaded: SpeechLlamaModel, tmp_path: Path) -> None:
    model = load_speech_llama(loaded.folder).model
    audio = model.audio(noise(1.0))
    arranged = written(model, audio, TOKENS)
    model._arranged = [None] * len(model._arranged)
    close(arranged, written(model, audio, TOKENS))
    model.arrange()
    changed: Callable[[mx.array], mx.array] = lambda weight: weight * 1.5  # noqa: E731
    layer = model.model.layers[1]
    for part in (layer.self_attn.v_proj, layer.mlp.up_proj, layer.input_layernorm):
        before = written(model, audio, TOKENS)
        part.weight = changed(part.weight)
        after = written(model, audio, TOKENS)
        assert mx.abs(after - before).max().item() > 0.01
        model.arrange()
        close(written(model, audio, TOKENS), after)
