"""Checks of models before they are loaded: configurations and file headers, not the weights."""

from __future__ import annotations

from pathlib import Path

from engine.errors import ModelError, VoiceError
from engine.language.marian.folder import check_translation, is_translation_folder
from engine.models.catalogue import Kind, no_model_in
from engine.weights.model_folder import read_json, weight_files
from engine.weights.safetensors import read_header
from engine.weights.storage import gguf_in, storage_of, voice_kind


def kind_of(folder: Path) -> Kind:
    """Return the kind of the model in a folder or file. Raises ModelError if there is none."""
    from engine.hear.whisper.files.stored import holds_whisper

    if not folder.exists():
        raise ModelError(f"There is no folder {folder}.")
    if voice_kind(folder) is not None:
        return "voice"
    if storage_of(folder) == "gguf":
        return "language"
    if folder.is_file() or storage_of(folder) in ("ctranslate2", "ggml"):
        return "hearing" if holds_whisper(folder) else "language"
    if is_translation_folder(folder):
        return "language"
    if not (folder / "config.json").exists():
        raise no_model_in(folder)
    config = read_json(folder / "config.json")
    return "hearing" if config.get("model_type") == "speech_llama" or holds_whisper(folder) else "language"


def check_model(folder: Path) -> Kind:
    """Return the kind of a model after checking all that can be checked without reading its weights.

    Raises:
        ModelError: the folder holds no model that Earshot runs, or is incomplete; it says what to do.
    """
    kind = kind_of(folder)
    if kind == "voice":
        _check_voice(folder)
        return kind
    for file in _check_hearing(folder) if kind == "hearing" else _check_language(folder):
        read_header(file)
    return kind


def _check_hearing(folder: Path) -> list[Path]:
    """Check the model's configuration, and return the files whose headers are still to be checked."""
    from engine.hear.decode.byte_pairs import BytePairs
    from engine.hear.speech_llama.load import build, find_ear, is_speech_llama, text_ends
    from engine.hear.whisper.files.stored import open_whisper

    if not is_speech_llama(folder):
        open_whisper(folder)
        return weight_files(folder) if storage_of(folder) == "safetensors" else []
    path = folder / "config.json"
    config = read_json(path)
    build(config, path)
    find_ear(config, path)
    BytePairs(folder / "tokenizer.json", *text_ends(config, path))
    return weight_files(folder)


def _check_language(folder: Path) -> list[Path]:
    from engine.language.language import INSTEAD, empty_model, refuse_untrimmable
    from engine.language.llama_cpp.file import check_gguf
    from engine.language.tokenizer_folder import tokenizer_of

    if (file := gguf_in(folder)) is not None:
        check_gguf(file)
        return []
    if is_translation_folder(folder):
        check_translation(folder)
        return []
    config = read_json(folder / "config.json")
    refuse_untrimmable(empty_model(config, folder), config, folder)
    tokenizer_of(folder)
    return weight_files(folder, INSTEAD)


def _check_voice(folder: Path) -> None:
    from engine.speak.choice import check_voice

    try:
        check_voice(folder)
    except VoiceError as error:
        raise ModelError(str(error)) from error
