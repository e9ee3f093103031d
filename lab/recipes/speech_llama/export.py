"""Writes the folder of a Speech-LLaMA that Earshot loads; its ear and its tokens stay where they are."""

from __future__ import annotations

import json
import os
from pathlib import Path

import mlx.core as mx
import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from engine.hear.whisper.load import HearingModel
from engine.models.catalogue import catalogue
from lab.recipes.speech_llama.lessons import LONGEST_JOINED_SECONDS
from lab.recipes.speech_llama.model import SpeechLlama
from lab.recipes.speech_llama.special import BEGIN, BEGINS, END
from lab.recipes.speech_llama.weights import export_weights

GROUP = 64  # numbers of a matrix that are rounded together


def export(model: SpeechLlama, tokenizer: Tokenizer, hearing: HearingModel, out: Path, bits: int | None = None) -> None:
    """Write config.json, tokenizer.json and model.safetensors; readers see the old files or the new ones.

    `bits` is how many each number of a matrix is rounded to; None is float16.
    """
    out.mkdir(parents=True, exist_ok=True)
    partial = out / "model.safetensors.partial"
    weights = export_weights(model)
    save_file(rounded(weights, bits) if bits else weights, partial, metadata={"format": "mlx"})
    partial.chmod(0o644)  # safetensors writes for its owner alone
    ear = hearing.name if hearing.name in catalogue() else os.path.relpath(hearing.folder, out)
    quantization = {"quantization": {"group_size": GROUP, "bits": bits}} if bits else {}
    described = json.dumps(config(model, hearing, ear) | quantization, indent=2)
    (out / "config.json.partial").write_text(described + "\n", encoding="utf-8")
    tokenizer.save(str(out / "tokenizer.json.partial"), pretty=False)
    for name in ("model.safetensors", "config.json", "tokenizer.json"):
        os.replace(out / f"{name}.partial", out / name)


def config(model: SpeechLlama, hearing: HearingModel, ear: str) -> dict[str, object]:
    """Describe the model as the folder does: the ear by Whisper's names, the LLaMA by Hugging Face's."""
    shape, dims = model.shape, hearing.model.dims
    return {
        "model_type": "speech_llama",
        "ear": {"model": ear, "fingerprint": hearing.fingerprint, "tokens": True},
        "n_mels": dims.n_mels,
        "n_audio_ctx": dims.n_audio_ctx,
        "n_audio_state": dims.n_audio_state,
        "n_audio_head": dims.n_audio_head,
        "n_audio_layer": dims.n_audio_layer,
        "stacked_frames": shape.stacked,
        "languages": ["en"],
        "taught_seconds": LONGEST_JOINED_SECONDS,
        "text_positions": True,
        "begins": BEGINS,
        "sample_rate_hz": 16_000,
        "alignment_heads": [[layer, head] for layer, head, ahead in shape.guided if ahead == 1],
        "heads": {"kind": "latent", "ahead": shape.ahead},
        "text_config": {
            "model_type": "llama",
            "hidden_size": shape.states,
            "num_hidden_layers": shape.layers,
            "intermediate_size": shape.inner,
            "num_attention_heads": shape.heads,
            "num_key_value_heads": shape.heads,
            "head_dim": shape.width,
            "attention_bias": True,
            "mlp_bias": True,
            "rms_norm_eps": 1e-5,
            "rope_theta": shape.rope_theta,
            "vocab_size": shape.vocabulary,
            "tie_word_embeddings": True,
            "bos_token_id": BEGIN,
            "eos_token_id": END,
        },
    }


def rounded(weights: dict[str, np.ndarray], bits: int) -> dict[str, np.ndarray]:
    """Round matrices to this many bits, in MLX's form; what does not divide into groups stays as it is."""
    stored = {}
    for name, array in weights.items():
        path = name.removesuffix(".weight")
        if path == name or array.ndim != 2 or array.shape[1] % GROUP or path.startswith("heads."):
            stored[name] = array
            continue
        parts = mx.quantize(mx.array(array), GROUP, bits)
        names = (name, f"{path}.scales", f"{path}.biases")
        stored |= {part: np.array(numbers) for part, numbers in zip(names, parts, strict=True)}
    return stored
