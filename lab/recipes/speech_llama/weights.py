"""The weights of a Speech-LLaMA, by the names that they have in its folder."""

from __future__ import annotations

import numpy as np

from lab.recipes.speech_llama.model import SpeechLlama


def export_weights(model: SpeechLlama) -> dict[str, np.ndarray]:
    """Return all that was learnt, in float16: adapter.*, model.* (the LLaMA), heads.latent.N.weight of each head N."""
    weights = {"heads.draft_tokens": model.drafted.cpu().numpy().astype(np.uint32)}
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        array = parameter.detach().float().cpu().numpy().astype(np.float16)
        if name == "latent":
            for index, matrix in enumerate(array):
                weights[f"heads.latent.{index + 2}.weight"] = np.ascontiguousarray(matrix)
            continue
        weights[name] = np.ascontiguousarray(array)
    return weights
