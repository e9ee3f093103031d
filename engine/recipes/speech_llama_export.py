"""Reads the ear that Speech-LLaMA begins with, and writes the model folder that Earshot loads."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

from engine.errors import EngineError
from engine.recipes.speech_llama_model import SpeechLlama
from engine.recipes.speech_llama_tokens import BEGIN, END
from engine.recipes.starter_model import Encoder


def load_ear(encoder: Encoder, folder: Path) -> None:
    """Begin with the encoder of a Whisper model in mlx-whisper's layout. EngineError where it is of another shape."""
    stored = load_file(folder / "model.safetensors")
    weights = {}
    for name, parameter in encoder.state_dict().items():
        array = stored.get(f"encoder.{name}")
        if array is not None and array.ndim == 3:
            array = array.transpose(0, 2, 1)  # MLX (out, k, in) to torch (out, in, k)
        if array is None or array.shape != tuple(parameter.shape):
            raise EngineError(f"{folder} holds no encoder of the starter's shape: encoder.{name} does not fit.")
        weights[name] = torch.from_numpy(np.ascontiguousarray(array).astype(np.float32))
    encoder.load_state_dict(weights)


def export(model: SpeechLlama, tokenizer: Tokenizer, out: Path) -> None:
    """Write config.json, tokenizer.json and model.safetensors; readers see the old files or the new ones."""
    out.mkdir(parents=True, exist_ok=True)
    partial = out / "model.safetensors.partial"
    save_file(export_weights(model), partial, metadata={"format": "mlx"})
    partial.chmod(0o644)  # safetensors writes for its owner alone
    (out / "config.json.partial").write_text(json.dumps(config(model), indent=2) + "\n", encoding="utf-8")
    tokenizer.save(str(out / "tokenizer.json.partial"))
    for name in ("model.safetensors", "config.json", "tokenizer.json"):
        os.replace(out / f"{name}.partial", out / name)


def config(model: SpeechLlama) -> dict[str, object]:
    """What the folder says of the model: the ear by Whisper's names, the LLaMA by Hugging Face's."""
    shape = model.shape
    return {
        "model_type": "speech_llama",
        "n_mels": shape.ear.mels,
        "n_audio_ctx": shape.ear.audio_context,
        "n_audio_state": shape.ear.states,
        "n_audio_head": shape.ear.heads,
        "n_audio_layer": shape.ear.layers,
        "stacked_frames": shape.stacked,
        "languages": ["en"],
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
            "rms_norm_eps": 1e-6,
            "rope_theta": 10_000.0,
            "vocab_size": shape.vocabulary,
            "tie_word_embeddings": True,
            "bos_token_id": BEGIN,
            "eos_token_id": END,
        },
    }


def export_weights(model: SpeechLlama) -> dict[str, np.ndarray]:
    """All weights in float16: encoder.*, adapter.*, model.* (the LLaMA), heads.latent.N.weight of each head N."""
    weights = {}
    for name, parameter in model.named_parameters():
        array = parameter.detach().float().cpu().numpy().astype(np.float16)
        if name == "latent":
            for index, matrix in enumerate(array):
                weights[f"heads.latent.{index + 2}.weight"] = np.ascontiguousarray(matrix)
            continue
        if ".conv" in name and array.ndim == 3:
            array = array.transpose(0, 2, 1)  # torch (out, in, k) to MLX (out, k, in)
        weights[name] = np.ascontiguousarray(array)
    return weights
