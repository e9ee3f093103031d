"""Loading of Speech-LLaMA models from folders.

config.json describes the audio encoder with Whisper's names (n_mels, n_audio_…), the LLaMA with Hugging Face's
(text_config), and the multi-token heads; the tensors are encoder.*, adapter.*, model.* and heads.*. A folder without
encoder.* refers to the Whisper model whose encoder it uses: `ear` has that model, by catalogue name or by a folder
relative to this one, and its fingerprint. If its `tokens` is true, the model uses that model's tokens too, and does not
store their embedding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx.utils import tree_flatten

from engine.errors import ModelError
from engine.hear.decode.byte_pairs import BytePairs
from engine.hear.decode.decoder import Tokens
from engine.hear.decode.tokenizer import Tokenizer
from engine.hear.speech_llama.heads import LatentHeads
from engine.hear.speech_llama.model import TEXT_CONTEXT, SpeechLlama
from engine.hear.whisper.files.layout import pairs_of_heads
from engine.hear.whisper.fingerprint import fingerprint_of
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.mel import MAX_SECONDS
from engine.hear.whisper.model import ModelDimensions, upper_half_heads
from engine.language.language import REFUSALS
from engine.machine import backend
from engine.models.catalogue import find_model
from engine.options import MOST_TOKENS_AHEAD
from engine.weights.model_folder import read_json, weight_files
from engine.weights.safetensors import ADVICE
from engine.weights.weights import Weights, check_shapes, quantise_or_expand, read_weights, store_transposed

MODEL_TYPE = "speech_llama"
TAUGHT_SECONDS = 10.0
"""Longest training examples, in seconds, if config.json does not say."""
SAMPLE_RATE_HZ = 16_000
MOST_BEGINS = 4
_HEADS = "heads."
_DRAFTED = f"{_HEADS}draft_tokens"
_EAR = ("n_mels", "n_audio_ctx", "n_audio_state", "n_audio_head", "n_audio_layer")
_TEXT = {
    "n_vocab": "vocab_size",
    "n_text_state": "hidden_size",
    "n_text_head": "num_attention_heads",
    "n_text_layer": "num_hidden_layers",
}


@dataclass(frozen=True, slots=True)
class SpeechLlamaModel:
    """A Speech-LLaMA, loaded and evaluated, so that any thread may run it.

    Attributes:
        name: the requested name, or the folder's.
        tokenizer: tokenizer of its output.
        heads: multi-token heads; None without any.
        languages: codes of its languages.
        fingerprint: digest of the configuration and of a sample of the weights.
        taught_seconds: longest of most training examples.
        ear: fingerprint of the Whisper model whose encoder it uses; its own if it has its own encoder.
    """

    name: str
    folder: Path
    model: SpeechLlama
    tokenizer: BytePairs
    heads: LatentHeads | None
    languages: tuple[str, ...]
    fingerprint: str
    taught_seconds: float = TAUGHT_SECONDS
    ear: str = ""


def is_speech_llama(folder: Path) -> bool:
    """Return whether a model folder holds one. Raises ModelError if its config.json cannot be read."""
    path = folder / "config.json"
    return path.is_file() and read_json(path).get("model_type") == MODEL_TYPE


def load_speech_llama(name_or_folder: str | Path) -> SpeechLlamaModel:
    """Load a model by catalogue name, folder or cached repository. Raises ModelError with a sentence if that fails."""
    backend.prepare()
    name, folder = find_model(name_or_folder)
    path = folder / "config.json"
    config = read_json(path)
    if config.get("model_type") != MODEL_TYPE:
        raise ModelError(f"{folder} holds no Speech-LLaMA: its model_type is {config.get('model_type')!r}.")
    model = build(config, path)
    stored = read_weights(weight_files(folder))
    weights = {tensor: array for tensor, array in stored.items() if not tensor.startswith(_HEADS)}
    weights = quantise_or_expand(model, weights, _quantization(config), folder, halves=True)
    ear = None
    if (folder_of_ear := find_ear(config, path)) is not None:
        ear = load_hearing_model(folder_of_ear)
        weights |= _listen_with(ear, model, path, tokens=config["ear"].get("tokens") is True)
    check_shapes(model, weights, folder, "Speech-LLaMA")
    model.load_weights(list(weights.items()))
    heads = _heads(config, stored, model, path)
    model.eval()
    model.freeze()
    if not backend.on_gpu():
        for _, layer in model.named_modules():
            if isinstance(layer, nn.Linear | nn.Embedding):
                store_transposed(layer)
        model.arrange()
    mx.eval(model.parameters(), model.encoder._positions)
    tokenizer = BytePairs(folder / "tokenizer.json", *text_ends(config, path))
    if tokenizer.n_vocab > model.dims.n_vocab:
        raise ModelError(
            f"The tokenizer in {folder} knows {tokenizer.n_vocab} tokens, its model only {model.dims.n_vocab}: they do "
            "not belong together."
        )
    languages, taught = _languages(config, path), _taught_seconds(config, path)
    own = fingerprint_of(folder)
    listening = ear.fingerprint if ear else own
    return SpeechLlamaModel(name, folder, model, tokenizer, heads, languages, own, taught, listening)


def find_ear(config: Mapping[str, Any], path: Path) -> Path | None:
    """Return the folder of the Whisper model whose encoder a config.json refers to; None if the model has its own.

    Raises ModelError if it is missing, or another one than in training.
    """
    described = config.get("ear")
    if described is None:
        return None
    named = described.get("model") if isinstance(described, dict) else None
    if not isinstance(named, str) or not named or not isinstance(described.get("fingerprint"), str):
        raise ModelError(f"ear in {path} must hold the model whose ear it is, and its fingerprint. {ADVICE}")
    beside = path.parent / named
    try:
        folder = beside if (beside / "config.json").is_file() else find_model(named)[1]
    except ModelError as error:
        raise ModelError(f"{path.parent} hears with the ear of {named}, which is not here. {error}") from error
    found = fingerprint_of(folder)
    if found != described["fingerprint"]:
        raise ModelError(
            f"{path.parent} was taught with another ear than that of {named} in {folder}: its fingerprint is "
            f"{described['fingerprint']}, not {found}. Get the model it was taught with, or train it again."
        )
    return folder


def _listen_with(hearing: HearingModel, model: SpeechLlama, path: Path, *, tokens: bool) -> Weights:
    """Return the tensors of a Whisper model's encoder, and with `tokens` its embedding, by the model's names."""
    ours, theirs = ([getattr(dims, name) for name in _EAR] for dims in (model.dims, hearing.model.dims))
    if ours != theirs:
        raise ModelError(
            f"{path} describes an ear of {ours}, in the order of {', '.join(_EAR)}; {hearing.folder} has {theirs}."
        )
    model.encoder = hearing.model.encoder
    parameters = cast(list[tuple[str, mx.array]], tree_flatten(model.encoder.parameters()))
    weights = {f"encoder.{name}": array for name, array in parameters}
    return weights | ({"model.embed_tokens.weight": tokens_of(hearing)} if tokens else {})


def tokens_of(hearing: HearingModel) -> mx.array:
    """Return the embedding (v, d) of a Speech-LLaMA with a Whisper's tokens.

    The first is Whisper's end of text, the second the mean of its start-of-transcript tokens, the rest are its text
    tokens in order. All have mean zero, which Whisper's LayerNorm subtracts anyway.
    """
    embedding, tokenizer = hearing.model.decoder.token_embedding, hearing.tokenizer
    end, text = embedding(mx.array([tokenizer.eot])), embedding(mx.arange(text_tokens(tokenizer)))
    begin = embedding(mx.array(tokenizer.sot_sequence("en"))).mean(axis=0, keepdims=True)
    rows = mx.concatenate([end, begin, text])
    return rows - rows.mean(axis=-1, keepdims=True)


def text_tokens(tokenizer: Tokenizer) -> int:
    """Return the number of a Whisper's text tokens, which start at 0; the last before its end of text may be empty."""
    return tokenizer.eot - (not tokenizer.token_bytes(tokenizer.eot - 1))


def build(config: Mapping[str, Any], path: Path = Path("config.json")) -> SpeechLlama:
    """Build the model that a config.json describes, without weights. Raises ModelError if it describes none."""
    dims = dimensions(config, path)
    text = config["text_config"]
    if text.get("model_type", "llama") != "llama":
        raise ModelError(f"{path} asks for a {text['model_type']} model in text_config, where a llama is needed.")
    for field, wanted in (("tie_word_embeddings", True), ("rope_traditional", False), ("sliding_window", None)):
        if text.get(field, wanted) != wanted:
            raise ModelError(f"{path} asks for {field} = {text[field]!r} in text_config; Earshot has {wanted!r} only.")
    if config.get("sample_rate_hz", SAMPLE_RATE_HZ) != SAMPLE_RATE_HZ:
        raise ModelError(f"{path} asks for {config['sample_rate_hz']!r} samples a second; Earshot hears 16000.")
    stacked = _positive(config.get("stacked_frames"), "stacked_frames", path)
    try:
        return SpeechLlama(
            dims,
            text,
            stacked=stacked,
            alignment_heads=_alignment_heads(config, dims, path),
            positions=config.get("text_positions") is True,
        )
    except REFUSALS as error:
        raise ModelError(f"{path} describes no Speech-LLaMA: {type(error).__name__} {error}.") from error


def dimensions(config: Mapping[str, Any], path: Path = Path("config.json")) -> ModelDimensions:
    """Return the model's shape in Whisper's terms. Raises ModelError if config.json does not describe it."""
    text = config.get("text_config")
    if not isinstance(text, dict):
        raise ModelError(f"{path} describes no Speech-LLaMA: it has no text_config. {ADVICE}")
    values = {name: _positive(config.get(name), name, path) for name in _EAR}
    values |= {ours: _positive(text.get(theirs), theirs, path) for ours, theirs in _TEXT.items()}
    dims = ModelDimensions(**values, n_text_ctx=TEXT_CONTEXT)
    if dims.n_mels not in (80, 128):
        raise ModelError(f"{path} describes no Speech-LLaMA: n_mels is {dims.n_mels}; an ear hears 80 or 128.")
    if dims.n_audio_state % (2 * dims.n_audio_head):
        raise ModelError(
            f"{path} describes no Speech-LLaMA: n_audio_state is {dims.n_audio_state}, which {dims.n_audio_head} heads "
            "cannot share."
        )
    width, left = text.get("head_dim"), 0
    if width is None:
        width, left = divmod(dims.n_text_state, dims.n_text_head)
    shared = text.get("num_key_value_heads") or dims.n_text_head
    if left or width % 2 or dims.n_text_head % shared:
        raise ModelError(
            f"{path} describes no Speech-LLaMA: {dims.n_text_state} states, {dims.n_text_head} heads and {shared} that "
            "have keys and values do not go together."
        )
    return dims


def _positive(value: Any, name: str, path: Path) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ModelError(f"{path} describes no Speech-LLaMA: {name} is {value!r}, not a positive number.")
    return value


def _alignment_heads(config: Mapping[str, Any], dims: ModelDimensions, path: Path) -> tuple[tuple[int, int], ...]:
    """Return the heads that the folder names, else every head of the upper half of the layers."""
    named = config.get("alignment_heads")
    if named is None:
        return upper_half_heads(dims)
    heads = pairs_of_heads(named, dims, path.parent)
    return heads or upper_half_heads(dims)


def _languages(config: Mapping[str, Any], path: Path) -> tuple[str, ...]:
    languages = config.get("languages")
    if not isinstance(languages, list) or not languages or not all(isinstance(code, str) for code in languages):
        raise ModelError(f"languages in {path} must be a list of codes such as 'en', not {languages!r}.")
    return tuple(languages)


def _taught_seconds(config: Mapping[str, Any], path: Path) -> float:
    seconds = config.get("taught_seconds", TAUGHT_SECONDS)
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 1 <= seconds <= MAX_SECONDS:
        raise ModelError(f"taught_seconds in {path} must be between 1 and {MAX_SECONDS}, not {seconds!r}.")
    return float(seconds)


def text_ends(config: Mapping[str, Any], path: Path) -> tuple[int, int, int]:
    """Return the tokens at the start and end of a text, and how often the first is repeated."""
    text = config["text_config"]
    for name in ("bos_token_id", "eos_token_id"):
        token = text.get(name)
        if not isinstance(token, int) or not 0 <= token < text["vocab_size"]:
            raise ModelError(f"{name} in text_config of {path} must be one of its tokens, not {token!r}.")
    begins = config.get("begins", 1)
    if not isinstance(begins, int) or not 1 <= begins <= MOST_BEGINS:
        raise ModelError(f"begins in {path} must be between 1 and {MOST_BEGINS}, not {begins!r}.")
    return text["bos_token_id"], text["eos_token_id"], begins


def _heads(config: Mapping[str, Any], stored: Weights, model: SpeechLlama, path: Path) -> LatentHeads | None:
    """Return the heads that were trained with the model: heads.latent.N.weight of each but the first, the model
    itself.

    heads.draft_tokens, if present, are the only tokens that they may propose.
    """
    described = config.get("heads")
    if described is None:
        return None
    kind, ahead = (described.get("kind"), described.get("ahead")) if isinstance(described, dict) else (None, None)
    if kind != "latent" or not isinstance(ahead, int) or not 2 <= ahead <= MOST_TOKENS_AHEAD:
        raise ModelError(f"heads in {path} must be latent, and look 2 to {MOST_TOKENS_AHEAD} tokens ahead.")
    shape = (model.dims.n_text_state,) * 2
    matrices = []
    for number in range(2, ahead + 1):
        name = f"{_HEADS}latent.{number}.weight"
        if name not in stored:
            raise ModelError(f"{path.parent} lacks {name}, which its config.json asks for. {ADVICE}")
        if stored[name].shape != shape:
            raise ModelError(
                f"{name} in {path.parent} has the shape {stored[name].shape}; its config.json asks for {shape}."
            )
        matrices.append(stored[name])
    latent = mx.stack(matrices).astype(model.dtype)
    return LatentHeads(model.embedding, latent, _drafted(stored, model.dims.n_vocab, path))


def _drafted(stored: Weights, vocabulary: int, path: Path) -> Tokens | None:
    """Return the tokens (u,) that the heads choose among; None for the whole vocabulary."""
    if _DRAFTED not in stored:
        return None
    ids = np.array(stored[_DRAFTED]).astype(np.int64)
    if not ids.size or ids.ndim != 1 or ids.min() < 0 or ids.max() >= vocabulary or len(np.unique(ids)) < len(ids):
        raise ModelError(f"{_DRAFTED} in {path.parent} must be different tokens of its {vocabulary}. {ADVICE}")
    return ids


def _quantization(config: Mapping[str, Any]) -> dict[str, Any] | None:
    settings = config.get("quantization")
    return settings if isinstance(settings, dict) and "bits" in settings else None
