"""What MLX runs on here: device, fast BLAS on Linux, threads, memory limits. Called once, before any model is loaded.

Importing this module imports no MLX; `prepare` does, after setting what MLX reads at import.
"""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.blas import FastBlas, bundled_openblas

if TYPE_CHECKING:
    import mlx.core as mx

MEBIBYTE = 1024 * 1024
CPU_CACHE_LIMIT_BYTES = 256 * MEBIBYTE
GPU_CACHE_LIMIT_BYTES = 1024 * MEBIBYTE
MAX_DEFAULT_BLAS_THREADS = 4


@dataclass(frozen=True, slots=True)
class Backend:
    """What the engine computes with.

    Attributes:
        device: "cpu" or "gpu".
        blas: "accelerate", "openblas", "system openblas", "preloaded openblas" or "reference" (slow).
        blas_threads: threads of one matrix product; 0 where the system decides.
        dtype: what models compute in: "float32", or "as stored" where half precision is fast.
        warnings: what is slower than it could be here, one sentence each.
    """

    device: str
    blas: str
    blas_threads: int
    dtype: str
    warnings: tuple[str, ...] = ()


_lock = threading.Lock()
_prepared: Backend | None = None
_fast_blas: FastBlas | None = None


def prepare(blas_threads: int | None = None) -> Backend:
    """Set MLX up for this machine and say what it will run on.

    Later calls return the first answer; a later `blas_threads` only changes the number of threads.
    """
    global _prepared
    with _lock:
        if _prepared is None:
            _prepared = _prepare(blas_threads)
        elif blas_threads is not None and blas_threads != _prepared.blas_threads and _fast_blas is not None:
            _fast_blas.set_threads(blas_threads)
            _prepared = replace(_prepared, blas_threads=blas_threads)
        return _prepared


def default_blas_threads(cores: int) -> int:
    """Half the cores: a second thread gains little at caption sizes, and loses much when the core has other work."""
    return max(1, min(MAX_DEFAULT_BLAS_THREADS, cores // 2))


def on_gpu() -> bool:
    """Tell whether MLX's default device is a GPU."""
    import mlx.core as mx

    return bool(mx.default_device() == mx.Device(mx.gpu))


def compute_dtype(stored: mx.Dtype) -> mx.Dtype:
    """Give the type a model stored as `stored` computes in: half precision is many times slower on a CPU."""
    import mlx.core as mx

    return stored if on_gpu() else mx.float32


def _prepare(blas_threads: int | None) -> Backend:
    if sys.platform == "linux":
        # Compiled functions would run a C++ compiler while captions wait, and put its output in a shared folder.
        os.environ.setdefault("MLX_DISABLE_COMPILE", "1")
    import mlx.core as mx

    gpu = on_gpu()
    mx.set_cache_limit(GPU_CACHE_LIMIT_BYTES if gpu else CPU_CACHE_LIMIT_BYTES)
    if gpu and mx.metal.is_available():  # keep the weights where the GPU reads them at once, even after a pause
        mx.set_wired_limit(int(mx.device_info()["max_recommended_working_set_size"]))
    device, dtype = ("gpu", "as stored") if gpu else ("cpu", "float32")
    if sys.platform != "linux":
        return Backend(device, "accelerate", 0, dtype)
    threads = blas_threads or default_blas_threads(len(os.sched_getaffinity(0)))
    blas, used_threads, warnings = _linux_blas(threads)
    return Backend(device, blas, used_threads, dtype, warnings)


def _linux_blas(threads: int) -> tuple[str, int, tuple[str, ...]]:
    """Give MLX the fastest BLAS that can be had: its name, its threads, warnings."""
    global _fast_blas
    problems = []
    for name, load in (("openblas", _bundled), ("system openblas", _system), ("preloaded openblas", _preloaded)):
        try:
            blas = load()
            blas.set_threads(threads)
        except OSError as error:
            problems.append(str(error))
            continue
        _fast_blas = blas
        return name, threads, ()
    advice = "Hearing will be about 20 times slower than it could be: install the package scipy-openblas32."
    return "reference", 1, (f"MLX uses its slow built-in BLAS ({'; '.join(problems)}). {advice}",)


def _bundled() -> FastBlas:
    blas = FastBlas(*bundled_openblas())
    blas.take_over()
    return blas


def _system() -> FastBlas:
    blas = FastBlas("libopenblas.so.0")
    blas.take_over()
    return blas


def _preloaded() -> FastBlas:
    return FastBlas("libopenblas.so.0", visible=True)
