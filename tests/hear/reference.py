"""The two independent implementations that ours is compared with, given the same random weights."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_unflatten

TORCH_REASON = "torch is not installed; `uv sync --group parity` brings it, to compare with transformers"


@cache
def mlx_whisper(module: str) -> ModuleType:
    """Import one of mlx-whisper's modules without its package's own imports, which need numba and scipy."""
    if "mlx_whisper" not in sys.modules:
        spec = importlib.util.find_spec("mlx_whisper")
        assert spec is not None
        package = ModuleType("mlx_whisper")
        package.__path__ = list(spec.submodule_search_locations or [])
        package.__spec__ = spec
        sys.modules["mlx_whisper"] = package
    return importlib.import_module(f"mlx_whisper.{module}")


def mlx_whisper_model(dims: Mapping[str, int], weights: Mapping[str, np.ndarray]) -> Any:
    """Build mlx-whisper's model with float32 weights by its own names."""
    whisper = mlx_whisper("whisper")
    model = whisper.Whisper(whisper.ModelDimensions(**dims), mx.float32)
    model.update(tree_unflatten([(name, mx.array(array)) for name, array in weights.items()]))
    mx.eval(model.parameters(), model.encoder._positional_embedding, model.decoder._mask)
    return model


def hugging_face_names(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Translate weights with MLX's names and axes to those of a Hugging Face checkpoint."""
    attention = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "out": "out_proj"}
    modules = {
        "attn_ln": "self_attn_layer_norm",
        "cross_attn_ln": "encoder_attn_layer_norm",
        "mlp_ln": "final_layer_norm",
        "mlp1": "fc1",
        "mlp2": "fc2",
        "ln_post": "layer_norm",
        "ln": "layer_norm",
        "blocks": "layers",
        "attn": "self_attn",
        "cross_attn": "encoder_attn",
        "token_embedding": "embed_tokens",
        "positional_embedding": "embed_positions.weight",
    } | attention
    translated = {}
    for name, array in weights.items():
        parts = [modules.get(part, part) for part in name.split(".")]
        translated[".".join(["model", *parts])] = (
            array.transpose(0, 2, 1) if ".conv" in name and array.ndim == 3 else array
        )
    return translated


def transformers_config(dims: Mapping[str, int]) -> dict[str, object]:
    """Return the same shape in Hugging Face's words."""
    return {
        "num_mel_bins": dims["n_mels"],
        "max_source_positions": dims["n_audio_ctx"],
        "d_model": dims["n_audio_state"],
        "encoder_attention_heads": dims["n_audio_head"],
        "encoder_layers": dims["n_audio_layer"],
        "encoder_ffn_dim": 4 * dims["n_audio_state"],
        "vocab_size": dims["n_vocab"],
        "max_target_positions": dims["n_text_ctx"],
        "decoder_attention_heads": dims["n_text_head"],
        "decoder_layers": dims["n_text_layer"],
        "decoder_ffn_dim": 4 * dims["n_text_state"],
    }


def transformers_model(dims: Mapping[str, int], weights: Mapping[str, np.ndarray]) -> Any:
    """Build transformers' model with the same weights; skip where torch is missing."""
    torch = pytest.importorskip("torch", reason=TORCH_REASON)
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    config = WhisperConfig(**transformers_config(dims), attn_implementation="eager")
    model = WhisperForConditionalGeneration(config).eval()
    state = {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in hugging_face_names(weights).items()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert set(missing) <= {"model.encoder.embed_positions.weight", "proj_out.weight"}
    assert not unexpected
    return model
