"""MLX's device, fast BLAS on Linux, threads and memory limits. They are prepared before any model is loaded.

Importing this module imports no MLX; `prepare` does, after setting what MLX reads at import.
"""

from __future__ import annotations

import os
import platform
import sys
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from engine.machine.blas import FastBlas, bundled_openblas, numpy_threads
from engine.machine.threads import ThreadAllocation, usable_cores

if TYPE_CHECKING:
    import mlx.core as mx

T = TypeVar("T")
S = TypeVar("S", bound=str)
MEBIBYTE = 1024 * 1024
CPU_CACHE_LIMIT_BYTES = 8 * MEBIBYTE  # freed buffers vary in length: a larger cache grows for hours and saves no time
GPU_CACHE_LIMIT_BYTES = 1024 * MEBIBYTE
MAX_DEFAULT_BLAS_THREADS = 4
WIRED_SINCE_MACOS = (15, 0)  # earlier versions have no residency sets, which wiring needs


@dataclass(frozen=True, slots=True)
class Backend:
    """The device and the libraries that the engine computes with.

    Attributes:
        device: "cpu" or "gpu".
        blas: "accelerate", "openblas", "system openblas", "preloaded openblas" or "reference" (slow).
        blas_threads: threads of one matrix product; 0 if the system decides.
        dtype: the type models compute in: "float32", or "half precision" where that is fast.
        warnings: one sentence for each thing that is slower than it could be.
    """

    device: str
    blas: str
    blas_threads: int
    dtype: str
    warnings: tuple[str, ...] = ()


_lock = threading.Lock()
_prepared: Backend | None = None
_fast_blas: FastBlas | None = None
_set_numpy_threads: Callable[[int], None] | None = None
_allocation: ThreadAllocation | None = None
_used_threads = 0  # the last number set for OpenBLAS


def prepare(blas_threads: int | None = None) -> Backend:
    """Set MLX up for this machine and return what it runs on.

    Later calls return the first answer; a later `blas_threads` only changes the number of threads. On macOS that number
    is read once, when Accelerate is loaded with MLX, and a later one has no effect (not tested: no Mac was available).
    """
    global _prepared
    with _lock:
        if _prepared is None:
            _prepared = _prepare(blas_threads)
        elif blas_threads is not None and blas_threads != _prepared.blas_threads and _fast_blas is not None:
            _use_threads(blas_threads)
            _prepared = replace(_prepared, blas_threads=blas_threads)
        return _prepared


def allot(allocation: ThreadAllocation | None) -> None:
    """Set the threads of each stage of recognition from now on; None gives all stages the usual number.

    On macOS this comes too late: there `prepare` sets `cpu_threads`.
    """
    global _allocation
    _allocation = allocation
    if allocation is None and _prepared is not None:
        _use_threads(_prepared.blas_threads)


def most_threads() -> int:
    """Return the most threads that a matrix product of recognition may use; 0 if the system decides."""
    if _allocation is not None:
        return max(_allocation.cpu_threads, _allocation.gpu_threads)
    return prepare().blas_threads


def use_threads_after(stage: str | None) -> None:
    """Set the threads of the stage after `stage`: gpu_threads to encode and time words, cpu_threads to decode."""
    if _allocation is not None:
        _use_threads(_allocation.gpu_threads if stage in (None, "decoded") else _allocation.cpu_threads)


def use_threads_at_once() -> None:
    """Set the threads for two rounds that are computed at once.

    OpenBLAS runs one product on its threads at a time, so that an encoder and a decoder side by side are slower with
    two threads each than with one.
    """
    _use_threads(1 if _allocation is None else _allocation.at_once)


def allotted(stages: Generator[S, None, T]) -> Generator[S, None, T]:
    """Run the stages of a round, each with the threads allotted to it."""
    stage: S | None = None
    while True:
        use_threads_after(stage)
        try:
            stage = next(stages)
        except StopIteration as end:
            result: T = end.value
            return result
        yield stage


def default_blas_threads(cores: int) -> int:
    """Return half the cores: a second thread gains little at caption sizes, and loses much when the core is busy."""
    return max(1, min(MAX_DEFAULT_BLAS_THREADS, cores // 2))


def on_gpu() -> bool:
    """Return whether models run on a GPU, as `prepare` decided; MLX's current default may differ."""
    return (_prepared or prepare()).device == "gpu"


def device() -> mx.Device:
    """Return the device that models run on."""
    import mlx.core as mx

    return mx.Device(mx.gpu if prepare().device == "gpu" else mx.cpu)


def compute_dtype(stored: mx.Dtype, *, halves: bool = False) -> mx.Dtype:
    """Return the type that a model stored as `stored` computes in.

    A CPU computes in float32: half precision is many times slower there. A GPU computes in the stored type; a model
    whose numbers are known to fit (`halves`) computes in float16 even if it is stored in float32.
    """
    import mlx.core as mx

    if not on_gpu():
        return mx.float32
    return mx.float16 if halves and stored == mx.float32 else stored


def macos_version() -> tuple[int, int]:
    """Return the version of macOS, major and minor; (0, 0) elsewhere."""
    parts = platform.mac_ver()[0].split(".")
    return (int(parts[0]), int(parts[1]) if len(parts) > 1 else 0) if parts[0] else (0, 0)


def _use_threads(count: int) -> None:
    global _used_threads
    if count == _used_threads:
        return
    if _fast_blas is not None:
        _fast_blas.set_threads(count)
    if _set_numpy_threads is not None:
        _set_numpy_threads(count)
    _used_threads = count


def _prepare(blas_threads: int | None) -> Backend:
    if sys.platform == "linux":
        # Compiled functions would run a C++ compiler while captions wait, and put its output in a shared folder.
        os.environ.setdefault("MLX_DISABLE_COMPILE", "1")
    elif blas_threads is not None:
        os.environ["VECLIB_MAXIMUM_THREADS"] = str(blas_threads)
    import mlx.core as mx

    gpu = bool(mx.default_device() == mx.Device(mx.gpu))  # read once: later the default may be a DeviceTurn's
    mx.set_cache_limit(GPU_CACHE_LIMIT_BYTES if gpu else CPU_CACHE_LIMIT_BYTES)
    if not gpu:
        mx.disable_compile()  # see above; a virtual Mac may have no GPU, and no compiler either
    elif mx.metal.is_available() and macos_version() >= WIRED_SINCE_MACOS:
        # Keep the weights where the GPU reads them directly, even after a pause.
        mx.set_wired_limit(int(mx.device_info()["max_recommended_working_set_size"]))
    device, dtype = ("gpu", "half precision") if gpu else ("cpu", "float32")
    if sys.platform != "linux":
        return Backend(device, "accelerate", blas_threads or 0, dtype)
    threads = blas_threads or default_blas_threads(usable_cores())
    blas, used_threads, warnings = _linux_blas(threads)
    return Backend(device, blas, used_threads, dtype, warnings)


def _linux_blas(threads: int) -> tuple[str, int, tuple[str, ...]]:
    """Point MLX at the fastest BLAS available; return its name, its threads, and warnings."""
    global _fast_blas, _set_numpy_threads, _used_threads
    _set_numpy_threads = numpy_threads()
    if _set_numpy_threads is not None:
        _set_numpy_threads(threads)
    problems = []
    for name, load in (("openblas", _bundled), ("system openblas", _system), ("preloaded openblas", _preloaded)):
        try:
            blas = load()
            blas.set_threads(threads)
        except OSError as error:
            problems.append(str(error))
            continue
        _fast_blas, _used_threads = blas, threads
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
