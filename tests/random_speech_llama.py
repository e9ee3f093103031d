"""Speech-LLaMAs with random weights, written as the model folders that Earshot loads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from engine.hear.speech_llama.load import dimensions
from engine.hear.speech_llama.model import SpeechLlama

END, BEGIN = 0, 1
BYTES = 258  # the first token that is none
TINY: dict[str, Any] = {
    "model_type": "speech_llama",
    "n_mels": 80,
    "n_audio_ctx": 1500,
    "n_audio_state": 32,
    "n_audio_head": 2,
    "n_audio_layer": 2,
    "stacked_frames": 3,
    "languages": ["en"],
    "sample_rate_hz": 16_000,
    "alignment_heads": [[1, 0], [0, 1]],
    "heads": {"kind": "latent", "ahead": 4},
}
"""The shape of the ear, small enough for a test; what is in TINY_TEXT is the LLaMA's."""
TINY_TEXT: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "intermediate_size": 80,
    "num_attention_heads": 3,
    "num_key_value_heads": 3,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10_000.0,
    "vocab_size": 310,
    "tie_word_embeddings": True,
    "bos_token_id": BEGIN,
    "eos_token_id": END,
}


def random_config(text: Mapping[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """Return TINY as config.json, with changes to the LLaMA (`text`) and to the rest."""
    return {**TINY, **changes, "text_config": {**TINY_TEXT, **(text or {})}}


def random_weights(config: Mapping[str, Any], seed: int = 0) -> dict[str, np.ndarray]:
    """Draw float32 weights, heads included, scaled so that no layer is negligible and logits spread.

    What is more than a byte is likelier, so that a random model mostly writes words.
    """
    random = np.random.default_rng(seed)
    dims = dimensions(config)
    model = SpeechLlama(dims, config["text_config"], stacked=config["stacked_frames"])
    weights = {}
    for name, array in tree_flatten(model.parameters()):
        shape = array.shape
        if len(shape) == 1:
            centre = 0.0 if name.endswith("bias") else 1.0  # a bias, or a norm's gain
            drawn = centre + 0.1 * random.standard_normal(shape)
        else:
            drawn = 1.5 * random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        if name.endswith("embed_tokens.weight"):
            drawn[BYTES:] *= 2.0
        weights[name] = drawn.astype(np.float32)
    states = dims.n_text_state
    for ahead in range(2, config["heads"]["ahead"] + 1):
        drawn = np.eye(states) + 0.3 * random.standard_normal((states, states)) / np.sqrt(states)
        weights[f"heads.latent.{ahead}.weight"] = drawn.astype(np.float32)
    return weights


def byte_tokenizer(vocabulary: int = TINY_TEXT["vocab_size"]) -> Tokenizer:
    """Make a tokenizer: two special tokens, all bytes and, if there is room, " a" to " z", " ab", " bc" and so on."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    letters = "abcdefghijklmnopqrstuvwxyz"
    pairs = [("Ġ", letter) for letter in letters] + [
        (f"Ġ{first}", second) for first, second in zip(letters, letters[1:] + "a", strict=True)
    ]
    pairs = pairs[: vocabulary - len(alphabet) - 2]
    names = ["<|end|>", "<|begin|>", *alphabet, *("".join(pair) for pair in pairs)]
    tokenizer = Tokenizer(models.BPE({name: place for place, name in enumerate(names)}, pairs))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
    tokenizer.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    tokenizer.add_special_tokens(["<|end|>", "<|begin|>"])
    return tokenizer


def write_random_speech_llama(
    folder: Path, seed: int = 0, text: Mapping[str, Any] | None = None, **changes: Any
) -> Path:
    """Write a model folder, with changes to its config.json as random_config takes them; return the folder."""
    config = random_config(text, **changes)
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: mx.array(array) for name, array in random_weights(config, seed).items()}
    mx.save_safetensors(str(folder / "model.safetensors"), weights)
    (folder / "config.json").write_text(json.dumps(config))
    byte_tokenizer(config["text_config"]["vocab_size"]).save(str(folder / "tokenizer.json"))
    return folder
