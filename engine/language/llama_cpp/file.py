"""A GGUF file: whether it is whole and holds a model that can chat, before its weights are read."""

from __future__ import annotations

import os
from pathlib import Path

from engine.errors import ModelError
from engine.language.llama_cpp.binding import HeaderOptions, LlamaCpp, llama_cpp
from engine.weights.safetensors import ADVICE

_STRING = 8
"""Type of a string among GGUF's values."""


def check_gguf(path: Path) -> None:
    """Check a file's header, and that all of its weights are there.

    Raises:
        ModelError: it is damaged or cut off, holds no language model, or llama.cpp is not installed.
    """
    library = llama_cpp()
    library.forget_complaints()
    header = library.gguf_init_from_file(os.fsencode(path), HeaderOptions(True, None))
    if not header:
        raise ModelError(f"{path} is damaged{library.reason}. {ADVICE}")
    try:
        _check_header(library, header, path)
    finally:
        library.gguf_free(header)


def _check_header(library: LlamaCpp, header: int, path: Path) -> None:
    begin = library.gguf_get_data_offset(header)
    count = library.gguf_get_n_tensors(header)
    ends = (
        begin + library.gguf_get_tensor_offset(header, place) + library.gguf_get_tensor_size(header, place)
        for place in range(count)
    )
    if (missing := max(ends, default=0) - path.stat().st_size) > 0:
        raise ModelError(f"{path} is not whole: {missing} bytes are missing at its end. {ADVICE}")
    if not count or _text(library, header, b"general.architecture") is None:
        raise ModelError(f"{path} holds no model: it has {count} tensors and names no architecture.")
    if _text(library, header, b"tokenizer.ggml.model") is None:
        raise ModelError(f"{path} has no tokenizer, so that it is no language model.")
    if _text(library, header, b"tokenizer.chat_template") is None:
        raise ModelError(
            f"{path} has no chat template, so that its model cannot be told what to do. Use the version of it that "
            "was taught to follow instructions: mostly its name ends in -it or -Instruct."
        )


def _text(library: LlamaCpp, header: int, key: bytes) -> str | None:
    place = library.gguf_find_key(header, key)
    if place < 0 or library.gguf_get_kv_type(header, place) != _STRING:
        return None
    value: bytes = library.gguf_get_val_str(header, place)
    return value.decode("utf-8", "replace")
