"""Whether a folder holds a model that Earshot can run: by its configuration and its files' headers, not its weights."""

from __future__ import annotations

from pathlib import Path

from engine.errors import ModelError
from engine.models.catalogue import Kind
from engine.models.layout import WHISPERS_ELSEWHERE, read_config, read_json, weight_files
from engine.models.safetensors import read_header

_WHISPER_FIELDS = ("n_mels", "num_mel_bins")
_KOKORO_FIELDS = ("istftnet", "plbert")


def kind_of(folder: Path) -> Kind:
    """What a folder's model does, by its config.json. ModelError where there is none."""
    if folder.is_file():
        raise ModelError(f"{folder} is a file. Give the folder that holds config.json and model.safetensors.")
    if not folder.is_dir():
        raise ModelError(f"There is no folder {folder}.")
    config = read_json(folder / "config.json")
    if all(field in config for field in _KOKORO_FIELDS):
        return "voice"
    kind = config.get("model_type")
    if kind in ("whisper", "speech_llama") or (kind is None and any(field in config for field in _WHISPER_FIELDS)):
        return "hearing"
    return "language"


def check_model(folder: Path) -> Kind:
    """What a folder's model does, where all that can be seen without reading its weights is right.

    Raises:
        ModelError: the folder holds no model that Earshot runs, or not all of it; says what to do.
    """
    kind = kind_of(folder)
    if kind == "voice":
        _check_voice(folder)
        return kind
    if kind == "hearing":
        _check_hearing(folder)
        files = weight_files(folder, WHISPERS_ELSEWHERE)
    else:
        files = _check_language(folder)
    for file in files:
        read_header(file)
    return kind


def _check_hearing(folder: Path) -> None:
    from engine.hear.byte_pairs import BytePairs
    from engine.models.speech_llama import build, is_speech_llama, text_ends

    if not is_speech_llama(folder):
        read_config(folder)
        return
    path = folder / "config.json"
    config = read_json(path)
    build(config, path)
    BytePairs(folder / "tokenizer.json", *text_ends(config, path))


def _check_language(folder: Path) -> list[Path]:
    from engine.chat_tokenizer import ChatTokenizer
    from engine.models.language import INSTEAD, empty_model, refuse_untrimmable

    config = read_json(folder / "config.json")
    refuse_untrimmable(empty_model(config, folder), config, folder)
    ChatTokenizer(folder)
    return weight_files(folder, INSTEAD)


def _check_voice(folder: Path) -> None:
    voices = sorted((folder / "voices").glob("*.safetensors"))
    weights = sorted(folder.glob("*.safetensors"))
    if not voices or not weights:
        raise ModelError(f"{folder} holds no whole Kokoro: it lacks its {'voices' if weights else 'weights'}.")
    for file in (*weights, *voices):
        read_header(file)
