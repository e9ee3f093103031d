"""Language models with random weights and small tokenizers, written as model folders in mlx-lm's layout."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten

from engine.language.language import mlx_lm_module

_SHAPE: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "rms_norm_eps": 1e-6,
    "max_position_embeddings": 2048,
}
ARCHITECTURES: dict[str, dict[str, Any]] = {
    "qwen3": {"model_type": "qwen3", "rope_theta": 10000.0, "tie_word_embeddings": True},
    "llama": {"model_type": "llama", "rope_theta": 10000.0, "tie_word_embeddings": False},
    "mistral": {"model_type": "mistral", "rope_theta": 10000.0, "tie_word_embeddings": False, "sliding_window": None},
    "gemma2": {"model_type": "gemma2", "final_logit_softcapping": 20.0, "attn_logit_softcapping": 50.0},
}
"""Values in config.json for each architecture, beside the shape."""

TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
GEMMA_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "<|{{ message['role'] }}|>\n{{ message['content'] | trim }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
SPECIAL = ("<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
_TEXTS = ("the weather is nice today and we are going out", "das Wetter ist heute schön und wir gehen aus") * 3
_VOCABULARY = 320


@cache
def tokenizer_json() -> str:
    """Train a byte-level BPE tokenizer that can write any text; the special tokens come first."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=_VOCABULARY,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_TEXTS, trainer)
    text: str = tokenizer.to_str()
    return text


def random_weights(config: dict[str, Any], seed: int = 0) -> dict[str, mx.array]:
    """Draw float32 weights under mlx-lm's names, scaled so that no layer is negligible and logits spread."""
    random = np.random.default_rng(seed)
    kind = {"mistral": "llama"}.get(config["model_type"], config["model_type"])
    architecture = mlx_lm_module(f"models.{kind}")
    weights = {}
    for name, array in tree_flatten(architecture.Model(architecture.ModelArgs.from_dict(config)).parameters()):
        drawn = random.standard_normal(array.shape)
        if len(array.shape) == 1:
            drawn = (0.0 if kind == "gemma2" else 1.0) + 0.1 * drawn  # Gemma adds the one itself
            drawn += 5.0 * ("post_" in name and kind == "gemma2")  # its embedding is large: let layers be heard
        else:
            drawn *= 2.0 / np.sqrt(array.shape[-1])
        weights[name] = mx.array(drawn.astype(np.float32))
    return weights


def write_language_model(
    folder: Path, architecture: str = "qwen3", *, seed: int = 0, template: str | None = TEMPLATE, **config: object
) -> Path:
    """Write a model folder, with `config` added to its config.json; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = {**_SHAPE, **ARCHITECTURES[architecture], "vocab_size": _VOCABULARY, "eos_token_id": 0, **config}
    mx.save_safetensors(str(folder / "model.safetensors"), random_weights(whole, seed))
    (folder / "config.json").write_text(json.dumps(whole))
    (folder / "tokenizer.json").write_text(tokenizer_json())
    settings = {"eos_token": "<|end|>", "bos_token": "<|end|>"} | ({"chat_template": template} if template else {})
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder
