"""Layouts of Whisper checkpoints in safetensors, converted to the names and shapes of our model.

Known layouts are MLX's (config.json with n_mels …, names as in `engine.hear.whisper.model`) and Hugging Face's
(num_mel_bins …, names such as model.encoder.layers.0.self_attn.q_proj), both with or without MLX's quantization.
`other_layouts` has those of other files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from engine.errors import ModelError
from engine.hear.whisper.model import ModelDimensions
from engine.weights.model_folder import read_json

HUGGING_FACE_FIELDS = {
    "n_mels": "num_mel_bins",
    "n_audio_ctx": "max_source_positions",
    "n_audio_state": "d_model",
    "n_audio_head": "encoder_attention_heads",
    "n_audio_layer": "encoder_layers",
    "n_vocab": "vocab_size",
    "n_text_ctx": "max_target_positions",
    "n_text_state": "d_model",
    "n_text_head": "decoder_attention_heads",
    "n_text_layer": "decoder_layers",
}
VOCABULARIES = (51864, 51865, 51866)  # English-only, 99 languages, 100 languages
_LARGEST = {
    "n_audio_ctx": 1500,  # 30 s, the window of every Whisper
    "n_audio_state": 8192,
    "n_audio_layer": 256,
    "n_text_ctx": 4096,
    "n_text_state": 8192,
    "n_text_layer": 256,
}
"""Largest accepted sizes: well above every Whisper's, but small enough that an uncomputed random model fits in
memory.
"""
# A module's Hugging Face name and ours; block numbers stay.
_RENAMED = (
    (r"^model\.", ""),
    (r"\.layers\.", ".blocks."),
    (r"\.self_attn_layer_norm\.", ".attn_ln."),
    (r"\.encoder_attn_layer_norm\.", ".cross_attn_ln."),
    (r"\.final_layer_norm\.", ".mlp_ln."),
    (r"\.self_attn\.", ".attn."),
    (r"\.encoder_attn\.", ".cross_attn."),
    (r"\.q_proj\.", ".query."),
    (r"\.k_proj\.", ".key."),
    (r"\.v_proj\.", ".value."),
    (r"\.out_proj\.", ".out."),
    (r"\.fc1\.", ".mlp1."),
    (r"\.fc2\.", ".mlp2."),
    (r"\.mlp\.0\.", ".mlp1."),  # OpenAI's own, which whisper.cpp keeps
    (r"\.mlp\.2\.", ".mlp2."),
    (r"^encoder\.layer_norm\.", "encoder.ln_post."),
    (r"^decoder\.layer_norm\.", "decoder.ln."),
    (r"^decoder\.embed_tokens\.", "decoder.token_embedding."),
    (r"^decoder\.embed_positions\.weight$", "decoder.positional_embedding"),
)
# Stored by some exporters, but constant or shared: the encoder's positions, the mask, the tied output layer.
_UNUSED = re.compile(
    r"^(encoder\.(_?positional_embedding|embed_positions\.weight)|decoder\._mask|proj_out\..*|alignment_heads)$"
)


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The contents of a model folder's JSON files.

    Attributes:
        dims: the model's shape.
        quantization: MLX's settings, or None.
        alignment_heads: the folder's alignment heads, or None.
        languages: codes of the model's languages, or None if its vocabulary decides.
        takes_prompts: whether it was trained with previous text as a prompt; true unless the folder denies it.
    """

    dims: ModelDimensions
    quantization: dict[str, Any] | None
    alignment_heads: tuple[tuple[int, int], ...] | None
    languages: tuple[str, ...] | None
    takes_prompts: bool


def read_config(folder: Path) -> ModelConfig:
    """Read config.json, and generation_config.json if there is one."""
    config = read_json(folder / "config.json")
    dims = _dimensions(config, folder)
    heads = config.get("alignment_heads")
    generation = folder / "generation_config.json"
    if heads is None and generation.is_file():
        heads = read_json(generation).get("alignment_heads")
    languages = config.get("languages")
    quantization = config.get("quantization") or config.get("quantization_config")
    return ModelConfig(
        dims,
        quantization if isinstance(quantization, dict) and "bits" in quantization else None,
        pairs_of_heads(heads, dims, folder),
        tuple(languages) if isinstance(languages, list) and languages else None,
        config.get("takes_prompts", True) is not False,
    )


def _dimensions(config: dict[str, Any], folder: Path) -> ModelDimensions:
    if config.get("model_type") == "speech_llama":
        raise ModelError(f"{folder} holds a Speech-LLaMA. A Whisper model is needed here.")
    if "n_mels" not in config:
        if config.get("model_type", "whisper") != "whisper":
            raise ModelError(f"{folder} holds a {config['model_type']} model; Earshot hears with Whisper models.")
        config = {name: config.get(theirs) for name, theirs in HUGGING_FACE_FIELDS.items()}
    return checked_dimensions(config, folder / "config.json")


def checked_dimensions(sizes: Mapping[str, Any], path: Path) -> ModelDimensions:
    """Build a model's shape from sizes by their published names. Raises ModelError if no Whisper has them.

    `path` is the file that states them.
    """
    values = {field.name: sizes.get(field.name) for field in fields(ModelDimensions)}
    for name, value in values.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ModelError(f"{path} describes no Whisper model: {name} is {value!r:.80}, not a positive number.")
    dims = ModelDimensions(**{name: int(value or 0) for name, value in values.items()})
    problem = next(_disagreements(dims), None)
    if problem is not None:
        raise ModelError(f"{path} describes no Whisper model: {problem}.")
    return dims


def _disagreements(dims: ModelDimensions) -> Iterator[str]:
    """Yield sizes that no Whisper model has."""
    if dims.n_mels not in (80, 128):
        yield f"n_mels is {dims.n_mels}; Whisper hears 80 or 128"
    if dims.n_vocab not in VOCABULARIES:
        yield f"n_vocab is {dims.n_vocab}; Whisper has {', '.join(map(str, VOCABULARIES))}"
    if dims.n_audio_state != dims.n_text_state:
        yield f"n_audio_state is {dims.n_audio_state}, but n_text_state {dims.n_text_state}"
    for name, largest in _LARGEST.items():
        if getattr(dims, name) > largest:
            yield f"{name} is {getattr(dims, name)}, more than {largest}"
    for side in ("audio", "text"):
        states, heads = getattr(dims, f"n_{side}_state"), getattr(dims, f"n_{side}_head")
        if states % heads:
            yield f"n_{side}_state is {states}, which {heads} heads cannot share"


def pairs_of_heads(heads: Any, dims: ModelDimensions, folder: Path) -> tuple[tuple[int, int], ...] | None:
    """Check (layer, head) pairs of a folder's JSON; return None if it names none. Raises ModelError for other
    values.
    """
    if heads is None:
        return None
    try:
        pairs = tuple((int(layer), int(head)) for layer, head in heads)
    except (TypeError, ValueError) as error:
        raise ModelError(f"alignment_heads in {folder} must be a list of [layer, head] pairs.") from error
    for layer, head in pairs:
        if not (0 <= layer < dims.n_text_layer and 0 <= head < dims.n_text_head):
            raise ModelError(f"alignment_heads in {folder} names head {head} of layer {layer}, which does not exist.")
    return pairs or None


def our_name(name: str) -> str | None:
    """Return our name of a stored tensor, or None for one that is not needed."""
    for pattern, replacement in _RENAMED:
        name = re.sub(pattern, replacement, name)
    return None if _UNUSED.match(name) else name
