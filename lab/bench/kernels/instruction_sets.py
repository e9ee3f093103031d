"""Vector instructions that each program of the bench uses, and how to keep all of them from AVX-512.

Every library chooses its kernels by the processor when it is loaded. Environment variables name others, so that a
processor with AVX-512 can show what laptops without it do.
"""

from __future__ import annotations

import ctypes
import importlib.util
import mmap
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import OptionError
from engine.machine import backend
from engine.machine.blas import ElfImports, loaded_library
from engine.machine.byte_products import has_byte_products, signs_overflow

AVX2_ONLY: Mapping[str, str] = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4,AVX512_ICL,AVX512_SPR",
    "CT2_FORCE_CPU_ISA": "AVX2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
}
"""Environment in which libraries use no instructions beyond AVX2."""

_WIDER_STATES = re.compile(rb"\x48\xf7\xd0\xa8\xe0(\x0f\x84....)", re.DOTALL)
"""ONNX Runtime's question whether the system keeps the registers of AVX-512, and its jump if so."""

_NOTHING = b"\x66\x0f\x1f\x44\x00\x00"
"""An instruction of six bytes that does nothing."""


def restart_with_avx2() -> None:
    """Start this process again in the environment of AVX2_ONLY, unless it is in it already; then hold ONNX Runtime to
    it.
    """
    if any(os.environ.get(name) != value for name, value in AVX2_ONLY.items()):
        sys.stdout.flush()
        os.execve(sys.executable, sys.orig_argv, {**os.environ, **AVX2_ONLY})
    if has_byte_products():
        _hold_onnxruntime()


def _hold_onnxruntime() -> None:
    """Let ONNX Runtime find no AVX-512, for which it has no variable: its question to the processor is overwritten in
    memory, before its import asks.

    Raises OptionError for a library that asks in another way.
    """
    package = importlib.util.find_spec("onnxruntime")
    assert package is not None and package.submodule_search_locations
    (path,) = Path(package.submodule_search_locations[0]).glob("capi/onnxruntime_pybind11_state*.so")
    ctypes.CDLL(str(path))
    library = ElfImports(path)
    found = [match.start(1) for match in _WIDER_STATES.finditer(library.data)]
    if len(found) != 1:
        raise OptionError(f"{path} cannot be held to AVX2: it asks for AVX-512 in {len(found)} places, not in one.")
    place = loaded_library(path.name)[0] + next(
        address + found[0] - offset for address, offset, size in library.segments if 0 <= found[0] - offset < size
    )
    page = place & -mmap.PAGESIZE
    length = ctypes.c_size_t(place + len(_NOTHING) - page)
    if ctypes.CDLL(None).mprotect(ctypes.c_void_p(page), length, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC):
        raise OptionError(f"{path} cannot be held to AVX2: the system lets nobody change it in memory.")
    ctypes.memmove(place, _NOTHING, len(_NOTHING))


def instruction_sets() -> dict[str, str | list[str]]:
    """Return by library which kernels it uses, in the library's own words; what is not installed is left out."""
    found: dict[str, str | list[str]] = {"numpy": _numpy_features()}
    if (name := backend.blas_kernels()) is not None:
        found["openblas"] = name
    if has_byte_products():
        found["onnxruntime"] = "sums pairs of bytes (AVX2)" if signs_overflow() else "sums bytes (VNNI or the like)"
    if importlib.util.find_spec("ctranslate2") is not None:
        found["ctranslate2"] = os.environ.get("CT2_FORCE_CPU_ISA", "the processor's")
    return found


def sentence(found: Mapping[str, str | list[str]]) -> str:
    """Name the kernels of each library on one line."""
    named = (f"{name} {sets if isinstance(sets, str) else ' '.join(sets)}" for name, sets in found.items())
    return f"Kernels: {', '.join(named)}.\n"


def _numpy_features() -> list[str]:
    config: Any = np.show_config(mode="dicts")
    return list(config.get("SIMD Extensions", {}).get("found", []))
