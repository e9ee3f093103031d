"""Vector instructions that each program of the bench uses, and how to keep all of them from AVX-512.

Every library chooses its kernels by the processor when it is loaded. Environment variables name others, so that a
processor with AVX-512 can show what laptops without it do.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.machine import backend
from engine.machine.byte_products import has_byte_products

AVX2_ONLY: Mapping[str, str] = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4,AVX512_ICL,AVX512_SPR",
    "CT2_FORCE_CPU_ISA": "AVX2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
}
"""Environment in which libraries use no instructions beyond AVX2."""

AVX2_FAMILIES = frozenset(("serial", "haswell"))
"""Families of numkong's kernels without AVX-512 and without AVX-VNNI."""


def restart_with_avx2() -> None:
    """Start this process again in the environment of AVX2_ONLY, unless it is in it already; then hold numkong to it."""
    if any(os.environ.get(name) != value for name, value in AVX2_ONLY.items()):
        sys.stdout.flush()
        os.execve(sys.executable, sys.orig_argv, {**os.environ, **AVX2_ONLY})
    if has_byte_products():
        import numkong

        for family, usable in numkong.get_capabilities().items():
            if usable and family not in AVX2_FAMILIES:
                numkong.disable_capability(family)


def instruction_sets() -> dict[str, str | list[str]]:
    """Return by library which kernels it uses, in the library's own words; what is not installed is left out."""
    found: dict[str, str | list[str]] = {"numpy": _numpy_features()}
    if (name := backend.blas_kernels()) is not None:
        found["openblas"] = name
    if has_byte_products():
        import numkong

        found["numkong"] = [family for family, usable in numkong.get_capabilities().items() if usable]
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
