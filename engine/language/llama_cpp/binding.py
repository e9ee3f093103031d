"""llama.cpp's C API, by ctypes, from the library inside the package xllamacpp.

xllamacpp has wheels for every Python and for glibc from 2.17 on, and follows llama.cpp by the week. Its own interface
serves whole requests and shows no logits; but its library exports the C API, which has all that speculation needs:
logits of a block, and tokens that are forgotten again. Of the structures that llama.cpp passes by value only the
beginning is named here; `_checked` refuses a library whose beginning is another.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int, c_int8, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from functools import cache
from typing import Any

from engine.errors import ModelError

INSTALL = "'uv sync --extra llama' or 'pip install xllamacpp' adds it"
"""The way to get llama.cpp, for a message."""

DEFAULT_CONTEXT, DEFAULT_UBATCH, DEFAULT_SEQUENCES = 512, 512, 1
"""Defaults of llama.cpp's contexts, by which their structure is recognised."""

WARNING = 3
"""Least level of llama.cpp's log that is an error or a warning."""

Token, Tokens = c_int32, POINTER(c_int32)


class ContextOptions(ctypes.Structure):
    """Beginning of llama_context_params; the rest keeps its defaults."""

    _fields_ = (
        ("n_ctx", c_uint32),
        ("n_batch", c_uint32),
        ("n_ubatch", c_uint32),
        ("n_seq_max", c_uint32),
        ("others", c_int64 * 60),  # room for more than there is
    )


class ModelOptions(ctypes.Structure):
    """llama_model_params, which keeps its defaults."""

    _fields_ = (("others", c_int64 * 40),)


class Batch(ctypes.Structure):
    """llama_batch: tokens, their places, and which of them have logits."""

    _fields_ = (
        ("n_tokens", c_int32),
        ("token", Tokens),
        ("embd", c_void_p),
        ("pos", Tokens),
        ("n_seq_id", Tokens),
        ("seq_id", POINTER(Tokens)),
        ("logits", POINTER(c_int8)),
    )


class HeaderOptions(ctypes.Structure):
    """gguf_init_params."""

    _fields_ = (("no_alloc", c_bool), ("ctx", c_void_p))


_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "llama_backend_init": (None,),
    "llama_model_default_params": (ModelOptions,),
    "llama_context_default_params": (ContextOptions,),
    "llama_model_load_from_file": (c_void_p, c_char_p, ModelOptions),
    "llama_model_free": (None, c_void_p),
    "llama_model_get_vocab": (c_void_p, c_void_p),
    "llama_model_n_ctx_train": (c_int32, c_void_p),
    "llama_model_chat_template": (c_char_p, c_void_p, c_char_p),
    "llama_model_has_encoder": (c_bool, c_void_p),
    "llama_model_is_recurrent": (c_bool, c_void_p),
    "llama_model_is_hybrid": (c_bool, c_void_p),
    "llama_init_from_model": (c_void_p, c_void_p, ContextOptions),
    "llama_free": (None, c_void_p),
    "llama_set_n_threads": (None, c_void_p, c_int32, c_int32),
    "llama_get_memory": (c_void_p, c_void_p),
    "llama_memory_seq_rm": (c_bool, c_void_p, c_int32, c_int32, c_int32),
    "llama_state_seq_get_size": (c_size_t, c_void_p, c_int32),
    "llama_state_seq_get_data": (c_size_t, c_void_p, c_char_p, c_size_t, c_int32),
    "llama_state_seq_set_data": (c_size_t, c_void_p, c_char_p, c_size_t, c_int32),
    "llama_batch_init": (Batch, c_int32, c_int32, c_int32),
    "llama_batch_free": (None, Batch),
    "llama_decode": (c_int32, c_void_p, Batch),
    "llama_get_logits": (POINTER(c_float), c_void_p),
    "llama_vocab_n_tokens": (c_int32, c_void_p),
    "llama_vocab_is_control": (c_bool, c_void_p, Token),
    "llama_vocab_is_eog": (c_bool, c_void_p, Token),
    "llama_vocab_get_text": (c_char_p, c_void_p, Token),
    "llama_vocab_bos": (Token, c_void_p),
    "llama_vocab_eos": (Token, c_void_p),
    "llama_tokenize": (c_int32, c_void_p, c_char_p, c_int32, Tokens, c_int32, c_bool, c_bool),
    "llama_detokenize": (c_int32, c_void_p, Tokens, c_int32, c_char_p, c_int32, c_bool, c_bool),
    "llama_log_set": (None, c_void_p, c_void_p),
    "gguf_init_from_file": (c_void_p, c_char_p, HeaderOptions),
    "gguf_free": (None, c_void_p),
    "gguf_find_key": (c_int64, c_void_p, c_char_p),
    "gguf_get_kv_type": (c_int, c_void_p, c_int64),
    "gguf_get_val_str": (c_char_p, c_void_p, c_int64),
    "gguf_get_n_tensors": (c_int64, c_void_p),
    "gguf_get_data_offset": (c_size_t, c_void_p),
    "gguf_get_tensor_offset": (c_size_t, c_void_p, c_int64),
    "gguf_get_tensor_size": (c_size_t, c_void_p, c_int64),
}

_Log = ctypes.CFUNCTYPE(None, c_int, c_char_p, c_void_p)


class LlamaCpp:
    """The loaded library; its functions are attributes with their names in C, without the check of arguments.

    Attributes:
        complaints: what llama.cpp has logged as an error since the last `forget_complaints`.
    """

    def __init__(self) -> None:
        """Load the library. Raises ModelError if it is missing or another than is known here."""
        try:
            library = ctypes.CDLL(importlib.import_module("xllamacpp.xllamacpp").__file__ or "")
            for name, (result, *arguments) in _SIGNATURES.items():
                function = getattr(library, name)
                function.restype, function.argtypes = result, arguments
                setattr(self, name, function)
        except ImportError as error:
            raise ModelError(f"GGUF models need llama.cpp: {INSTALL}. Other models run without it.") from error
        except (OSError, AttributeError) as error:
            raise ModelError(f"The installed xllamacpp is not the one that Earshot knows: {INSTALL}.") from error
        self.complaints: list[str] = []
        self._log = _Log(self._note)  # kept: llama.cpp calls it as long as it lives
        self.llama_log_set(self._log, None)
        self._check()
        self.llama_backend_init()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)  # only for a name that is not in the table: mypy takes all others for functions

    def forget_complaints(self) -> None:
        """Forget what was logged so far."""
        self.complaints.clear()

    @property
    def reason(self) -> str:
        """Return the first thing that was logged as an error, for a message; "" if there was none."""
        return f" ({self.complaints[0]})" if self.complaints else ""

    def _note(self, level: int, text: bytes, _: Any) -> None:
        if level > WARNING and level < 5:  # 5 goes on with an earlier line
            self.complaints.append(text.decode("utf-8", "replace").strip().rstrip("."))

    def _check(self) -> None:
        """Refuse a library whose structures begin with something else. Raises ModelError."""
        found = self.llama_context_default_params()
        beginning = (found.n_ctx, found.n_ubatch, found.n_seq_max)
        if beginning != (DEFAULT_CONTEXT, DEFAULT_UBATCH, DEFAULT_SEQUENCES):
            raise ModelError(f"The installed xllamacpp is not the one that Earshot knows: {INSTALL}.")


@cache
def llama_cpp() -> LlamaCpp:
    """Return the library, loaded once. Raises ModelError if it is not installed."""
    return LlamaCpp()


def is_installed() -> bool:
    """Return whether llama.cpp is installed; nothing is loaded."""
    return importlib.util.find_spec("xllamacpp") is not None
