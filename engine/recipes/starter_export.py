"""Exports the starter hearing model in the layout of mlx-community's Whisper models."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engine.recipes.starter_evaluation import HeldOutSpeech, final_states
from engine.recipes.starter_examples import Targets
from engine.recipes.starter_model import HearingModel
from engine.recipes.starter_tokens import FULL_VOCABULARY, Vocabulary

GROUP_SIZE, BITS = 64, 8
UNUSED_MARGIN = 30.0  # logits by which an unused token stays below what the model says
FITS = 40  # in search of what an unused token is
EMBEDDING = "decoder.token_embedding"


def export(model: HearingModel, held_out: HeldOutSpeech, targets: Targets, out: Path) -> None:
    """Write config.json and model.safetensors; readers see the old pair or the new one.

    Raises ValueError where a token that was never trained could win on held-out speech.
    """
    from safetensors.numpy import save_file

    out.mkdir(parents=True, exist_ok=True)
    weights = export_weights(model, held_out, targets)
    partial = out / "model.safetensors.partial"
    save_file(weights, partial, metadata={"format": "mlx"})
    partial_config = out / "config.json.partial"
    partial_config.write_text(json.dumps(config(model), indent=2) + "\n", encoding="utf-8")
    partial.chmod(0o644)  # safetensors writes for its owner alone
    os.replace(partial, out / "model.safetensors")
    os.replace(partial_config, out / "config.json")


def config(model: HearingModel) -> dict[str, object]:
    """The published names of Whisper's dimensions, and what is special to this model."""
    shape = model.shape
    return {
        "model_type": "whisper",
        "n_mels": shape.mels,
        "n_audio_ctx": shape.audio_context,
        "n_audio_state": shape.states,
        "n_audio_head": shape.heads,
        "n_audio_layer": shape.layers,
        "n_vocab": FULL_VOCABULARY,
        "n_text_ctx": shape.text_context,
        "n_text_state": shape.states,
        "n_text_head": shape.heads,
        "n_text_layer": shape.layers,
        "alignment_heads": [list(pair) for pair in shape.guided_heads],
        "languages": ["en"],
        "takes_prompts": False,  # too few examples had one: measured, a prompt costs time and gains nothing
        "sample_rate_hz": 16_000,
        "quantization": {"group_size": GROUP_SIZE, "bits": BITS, "modules": [EMBEDDING]},
    }


def export_weights(model: HearingModel, held_out: HeldOutSpeech, targets: Targets) -> dict[str, np.ndarray]:
    """All weights by mlx-whisper's names: float16, the token embedding in 8 bits."""
    states = final_states(model, held_out, targets)
    rows = full_embedding(model, targets.vocabulary, states)
    packed, scales, biases = quantise(rows)
    check_unused_rows(dequantise(packed, scales, biases), targets.vocabulary, states.numpy())
    weights = {
        f"{EMBEDDING}.weight": packed,
        f"{EMBEDDING}.scales": scales,
        f"{EMBEDDING}.biases": biases,
    }
    for name, parameter in model.named_parameters():
        if name.startswith(("phoneme_head", "decoder.time_map", EMBEDDING)):
            continue
        array = parameter.detach().float().cpu().numpy()
        if ".conv" in name and array.ndim == 3:
            array = array.transpose(0, 2, 1)  # torch (out, in, k) to MLX (out, k, in)
        weights[name] = np.ascontiguousarray(array).astype(np.float16)
    return weights


def full_embedding(model: HearingModel, vocabulary: Vocabulary, states: Tensor) -> np.ndarray:
    """The embedding of all of Whisper's tokens (51865, d)."""
    with torch.inference_mode():
        used = model.decoder.rows().float().cpu()
        best = (states @ used.T).max(dim=1).values
    rows = np.empty((FULL_VOCABULARY, used.shape[1]), np.float32)
    rows[:] = unused_row(states, best - UNUSED_MARGIN).numpy()
    rows[vocabulary.full_ids] = used.numpy()
    return rows


def unused_row(states: Tensor, highest: Tensor) -> Tensor:
    """The vector (d,) whose product with final states (n, d) comes nowhere much above `highest` (n,).

    Least squares finds it: the states share a direction that the last norm's bias gives. Those few that have less of
    it weigh the more the further they are above.
    """
    ridge = 0.01 * torch.eye(states.shape[1])
    weights = torch.ones(len(states))
    for _ in range(FITS):
        weighted = states * (weights / weights.sum())[:, None]
        row: Tensor = torch.linalg.solve(states.T @ weighted + ridge, weighted.T @ highest)
        weights = weights * (1.0 + (states @ row - highest).clamp(min=0.0) / UNUSED_MARGIN)
    return row


def check_unused_rows(rows: np.ndarray, vocabulary: Vocabulary, states: np.ndarray) -> None:
    """Refuse an embedding (51865, d) whose unused rows come near the used ones."""
    used = np.zeros(FULL_VOCABULARY, bool)
    used[vocabulary.full_ids] = True
    logits = states @ rows.T
    margin = float((logits[:, used].max(1) - logits[:, ~used].max(1)).min())
    if margin < UNUSED_MARGIN / 3:
        raise ValueError(f"unused tokens come within {margin:.1f} of the logits that win")


def quantise(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Quantise rows (n, d) as MLX does: affine, 8 bits, groups of 64 along d.

    Gives packed uint32 (n, d / 4), scales and biases float16 (n, d / 64).
    """
    groups = rows.reshape(len(rows), -1, GROUP_SIZE)
    low, high = groups.min(-1), groups.max(-1)
    scales = np.maximum((high - low) / 255.0, 1e-6).astype(np.float16)
    biases = low.astype(np.float16)
    steps = (groups - biases[..., None].astype(np.float32)) / scales[..., None].astype(np.float32)
    codes = np.clip(np.rint(steps), 0, 255).astype(np.uint8).reshape(rows.shape)
    return np.ascontiguousarray(codes).view("<u4"), scales, biases


def dequantise(packed: np.ndarray, scales: np.ndarray, biases: np.ndarray) -> np.ndarray:
    """Undo `quantise` up to rounding: rows (n, d)."""
    codes = packed.view(np.uint8).reshape(len(packed), -1, GROUP_SIZE).astype(np.float32)
    rows = codes * scales[..., None].astype(np.float32) + biases[..., None].astype(np.float32)
    return rows.reshape(len(packed), -1)
