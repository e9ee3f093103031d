"""What MLX runs on here: device, fast BLAS on Linux, threads, memory limits. Prepared before any model is loaded.

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
CPU_CACHE_LIMIT_BYTES = 8 * MEBIBYTE  # what was freed is of ever new lengths: with 64 it grew for hours, no quicker
GPU_CACHE_LIMIT_BYTES = 1024 * MEBIBYTE
MAX_DEFAULT_BLAS_THREADS = 4
WIRED_SINCE_MACOS = (15, 0)  # earlier ones have no residency sets, which wiring is done by


@dataclass(frozen=True, slots=True)
class Backend:
    """The device and the libraries that the engine computes with.

    Attributes:
        device: "cpu" or "gpu".
        blas: "accelerate", "openblas", "system openblas", "preloaded openblas" or "reference" (slow).
        blas_threads: threads of one matrix product; 0 where the system decides.
        dtype: what models compute in: "float32", or "half precision" where that is fast.
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
_set_numpy_threads: Callable[[int], None] | None = None
_allocation: ThreadAllocation | None = None
_used_threads = 0  # what OpenBLAS was told last


def prepare(blas_threads: int | None = None) -> Backend:
    """Set MLX up for this machine and say what it will run on.

    Later calls return the first answer; a later `blas_threads` only changes the number of threads. On macOS that
    number is read once, when Accelerate is loaded with MLX, and a later one changes nothing (not run: no Mac was at
    hand).
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
    """Have each stage of hearing use the threads allotted to it from now on; None leaves all at the usual number.

    On macOS this comes too late: there `prepare` takes `cpu_threads`.
    """
    global _allocation
    _allocation = allocation
    if allocation is None and _prepared is not None:
        _use_threads(_prepared.blas_threads)


def most_threads() -> int:
    """Threads that a matrix product of hearing may use; 0 where the system decides."""
    if _allocation is not None:
        return max(_allocation.cpu_threads, _allocation.gpu_threads)
    return prepare().blas_threads


def use_threads_after(stage: str | None) -> None:
    """Multiply with the threads of what follows a stage: the front encodes and times words, the rest decodes."""
    if _allocation is not None:
        _use_threads(_allocation.gpu_threads if stage in (None, "decoded") else _allocation.cpu_threads)


def use_threads_at_once() -> None:
    """Multiply with as many threads as suit two rounds that are computed at once.

    OpenBLAS lets one product use its threads at a time: with two threads each, an encoder and a decoder side by side
    took 1.5 times as long as with one thread each.
    """
    _use_threads(1 if _allocation is None else _allocation.at_once)


def allotted(stages: Generator[S, None, T]) -> Generator[S, None, T]:
    """Give each stage of a round the threads that are allotted to it."""
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
    """Half the cores: a second thread gains little at caption sizes, and loses much when the core has other work."""
    return max(1, min(MAX_DEFAULT_BLAS_THREADS, cores // 2))


def on_gpu() -> bool:
    """Tell whether models run on a GPU: what `prepare` decided, whatever MLX's default is just now."""
    return (_prepared or prepare()).device == "gpu"


def device() -> mx.Device:
    """Give the device that models run on."""
    import mlx.core as mx

    return mx.Device(mx.gpu if prepare().device == "gpu" else mx.cpu)


def compute_dtype(stored: mx.Dtype, *, halves: bool = False) -> mx.Dtype:
    """Give the type a model stored as `stored` computes in.

    Half precision is many times slower on a CPU, and there is none. On a GPU a model computes as it is stored, and
    one whose numbers are known to have room in it (`halves`) in float16 even where it is stored in float32.
    """
    import mlx.core as mx

    if not on_gpu():
        return mx.float32
    return mx.float16 if halves and stored == mx.float32 else stored


def macos_version() -> tuple[int, int]:
    """Give the version of macOS, major and minor; (0, 0) elsewhere."""
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

    gpu = bool(mx.default_device() == mx.Device(mx.gpu))  # asked once: later it may be a DeviceTurn's
    mx.set_cache_limit(GPU_CACHE_LIMIT_BYTES if gpu else CPU_CACHE_LIMIT_BYTES)
    if not gpu:
        mx.disable_compile()  # see above; a virtual Mac may have no GPU, and no compiler either
    elif mx.metal.is_available() and macos_version() >= WIRED_SINCE_MACOS:
        # Keep the weights where the GPU reads them at once, even after a pause.
        mx.set_wired_limit(int(mx.device_info()["max_recommended_working_set_size"]))
    device, dtype = ("gpu", "half precision") if gpu else ("cpu", "float32")
    if sys.platform != "linux":
        return Backend(device, "accelerate", blas_threads or 0, dtype)
    threads = blas_threads or default_blas_threads(usable_cores())
    blas, used_threads, warnings = _linux_blas(threads)
    return Backend(device, blas, used_threads, dtype, warnings)


def _linux_blas(threads: int) -> tuple[str, int, tuple[str, ...]]:
    """Give MLX the fastest BLAS that can be had: its name, its threads, warnings."""
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
