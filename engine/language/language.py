"""Construction of an mlx-lm model from a folder."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.errors import ModelError
from engine.machine import backend
from engine.weights.model_folder import read_json, weight_files
from engine.weights.weights import Weights, check_shapes, quantise_or_expand, read_weights, store_transposed

SAME_AS = {"mistral": "llama", "iquestcoder": "llama", "xverse": "llama"}
"""Architectures that mlx-lm runs as another one, as in its utils.MODEL_REMAPPING."""

MOST_LAYERS = 1000
MOST_LETTERS = 60  # longest name in a message: names may be as long as the file
_HEARING = {"whisper": "Whisper", "speech_llama": "Speech-LLaMA"}
ADVISED = "Use a model that keeps everything it has read, such as Qwen3, Gemma 2, Llama or Mistral."
REFUSALS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)  # errors of mlx-lm's architectures for an unexpected configuration


def build_language_model(folder: Path) -> tuple[nn.Module, dict[str, Any]]:
    """Build the model of a folder, evaluated; return it with its config.json. Raises ModelError if it is damaged."""
    config = read_json(folder / "config.json")
    model = empty_model(config, folder)
    refuse_untrimmable(model, config, folder)
    weights = _sanitized(model, read_weights(weight_files(folder, INSTEAD)), folder)
    weights = quantise_or_expand(model, weights, _quantization(config, folder), folder)
    check_shapes(model, weights, folder, str(config["model_type"]))
    model.load_weights(list(weights.items()))
    del weights  # what is arranged anew would be kept twice
    if not backend.on_gpu():
        for name, layer in model.named_modules():
            if isinstance(layer, nn.Linear) and name != "lm_head":  # no gain for a head with this many rows
                store_transposed(layer)
                mx.eval(layer.weight)  # one by one, since all that waits is kept
    model.eval()
    model.freeze()
    # Tables of positions are kept out of the parameters; what is not evaluated here, another thread could not use.
    tables = [value for module in model.modules() for value in module.values() if isinstance(value, mx.array)]
    mx.eval(model.parameters(), tables)
    return model, config


INSTEAD = "the mlx-community repositories on Hugging Face have most models in that format"


def new_caches(model: nn.Module) -> list[Any]:
    """Return an empty cache for every layer, as mlx-lm would."""
    if hasattr(model, "make_cache"):
        return list(model.make_cache())
    key_value_cache = mlx_lm_module("models.cache").KVCache
    return [key_value_cache() for _ in model.layers]


def refuse_untrimmable(model: nn.Module, config: dict[str, Any], folder: Path) -> None:
    """Raise ModelError unless every layer's cache can be trimmed to any length.

    A draft is read as one block, and its wrong tokens must be forgotten again. Caches that keep a running state (Mamba,
    Qwen3.5, LFM2) or the last tokens only (Gemma 3) can't.
    """
    kinds = {type(cache).__name__ for cache in new_caches(model)}
    others = sorted(kinds - {"KVCache"})
    if others or not kinds:
        raise ModelError(
            f"{folder} holds a {config['model_type']} model, which cannot take back what it has read "
            f"({', '.join(others) or 'it has no cache'}); Earshot needs that to correct a translation. {ADVISED}"
        )


def empty_model(config: dict[str, Any], folder: Path) -> nn.Module:
    """Make the architecture that config.json describes, with no weights computed yet."""
    kind = config.get("model_type")
    path = folder / "config.json"
    if not isinstance(kind, str):
        raise ModelError(f"{path} names no model_type, so that nobody can tell what model it is.")
    if kind in _HEARING:
        raise ModelError(f"{folder} holds a {_HEARING[kind]} model, which hears. A language model is needed here.")
    if config.get("model_file") is not None:
        program = str(config["model_file"])[:MOST_LETTERS]
        raise ModelError(
            f"{path} asks to run a program of its own ({program!r}). Earshot runs none that come with models; use a "
            "model that mlx-lm knows."
        )
    layers = config.get("num_hidden_layers")
    if isinstance(layers, int) and not 0 < layers <= MOST_LAYERS:
        raise ModelError(f"{path} describes no model: num_hidden_layers is {layers}.")
    architecture = _architecture(kind, folder)
    try:
        model: nn.Module = architecture.Model(architecture.ModelArgs.from_dict(config))
    except REFUSALS as error:
        raise ModelError(f"{path} describes no {kind} model: {_one_line(error)}.") from error
    return model


def _architecture(kind: str, folder: Path) -> ModuleType:
    name = SAME_AS.get(kind, kind)
    if name.isidentifier():
        try:
            module = mlx_lm_module(f"models.{name}")
        except ImportError:
            module = None
        if module is not None and hasattr(module, "Model") and hasattr(module, "ModelArgs"):
            return module
    named = kind if len(kind) <= MOST_LETTERS else f"{kind[:MOST_LETTERS]}…"
    raise ModelError(f"{folder} holds a {named!r} model, which mlx-lm does not know. {ADVISED}")


def mlx_lm_module(name: str) -> ModuleType:
    """Import one module of mlx-lm's without the imports of its package.

    The package imports transformers, which takes seconds, makes a stream and lowers the number of files that the
    process may have open; its architectures need none of that.
    """
    whole = f"mlx_lm.{name}"
    if "mlx_lm" in sys.modules:
        return importlib.import_module(whole)
    found = importlib.util.find_spec("mlx_lm")
    if found is None or found.submodule_search_locations is None:
        raise ImportError("The package mlx-lm is not installed.")
    package = ModuleType("mlx_lm")
    package.__path__ = list(found.submodule_search_locations)
    sys.modules["mlx_lm"] = package
    try:
        return importlib.import_module(whole)
    finally:
        del sys.modules["mlx_lm"]  # importing the package imports all of it


def _sanitized(model: nn.Module, weights: Weights, folder: Path) -> Weights:
    """Let the architecture rename and drop tensors, as mlx-lm does."""
    if not hasattr(model, "sanitize"):
        return weights
    try:
        sanitized: Weights = model.sanitize(weights)
    except REFUSALS as error:
        raise ModelError(f"The weights in {folder} are not those of its model: {_one_line(error)}.") from error
    return sanitized


def _quantization(config: dict[str, Any], folder: Path) -> dict[str, Any] | None:
    """Return MLX's settings, or None if the weights are plain."""
    for name in ("quantization", "quantization_config"):
        settings = config.get(name)
        if not isinstance(settings, dict):
            continue
        if "quant_method" in settings:
            raise ModelError(
                f"The weights in {folder} are packed by {settings['quant_method']}. Use plain ones, or those that "
                "MLX has packed, as in the mlx-community repositories on Hugging Face."
            )
        if "bits" in settings and "group_size" in settings:
            return settings
    return None


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__} {error}".split())
