"""The device and libraries that MLX runs on: fast BLAS on Linux, threads, memory limits.

`prepare` is called before any model is loaded. Importing this module imports no MLX; `prepare` does, after setting
what MLX reads at import.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from engine.machine.blas import FastBlas, bundled_openblas, numpy_threads
from engine.machine.threads import ThreadAllocation, load_average, usable_cores

if TYPE_CHECKING:
    import mlx.core as mx

T = TypeVar("T")
S = TypeVar("S", bound=str)
MEBIBYTE = 1024 * 1024
CPU_CACHE_LIMIT_BYTES = 8 * MEBIBYTE  # freed arrays have ever new lengths: with 64 the cache grew for hours, no faster
GPU_CACHE_LIMIT_BYTES = 256 * MEBIBYTE
"""Most memory, in bytes, that is kept for reuse. Each engine process has its own, and on a Mac it is wired, too."""
MAX_DEFAULT_BLAS_THREADS = 4
WIRED_SINCE_MACOS = (15, 0)
"""First macOS with residency sets, which MLX wires memory by."""
WIRED_SHARE = 1.3
"""Most memory that is wired, as a multiple of what the loaded models take: room for a round's arrays."""
ACCELERATE_THREADS = "VECLIB_MAXIMUM_THREADS"
"""Environment variable with the number of threads of Accelerate's products, on a Mac."""


@dataclass(frozen=True, slots=True)
class Backend:
    """The device and the libraries that the engine computes with.

    Attributes:
        device: "cpu" or "gpu".
        blas: "accelerate", "openblas", "system openblas", "preloaded openblas" or "reference" (slow).
        blas_threads: threads of one matrix product; 0 where the system decides.
        dtype: "float32", or "half precision" where that is fast.
        warnings: one sentence for everything that is slower than it could be.
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

    Later calls return the first answer; a later `blas_threads` only changes the number of threads. On macOS a later
    one changes nothing: Accelerate reads the number once, at the latest when it is first used. (Not run: no Mac was at
    hand.)
    """
    global _prepared
    with _lock:
        if _prepared is None:
            _prepared = _prepare(blas_threads)
        elif blas_threads is not None and blas_threads != _prepared.blas_threads and _fast_blas is not None:
            _use_threads(blas_threads)
            _prepared = replace(_prepared, blas_threads=blas_threads)
        return _prepared


def blas_kernels() -> str | None:
    """Return the processor that the kernels of MLX's OpenBLAS were written for; None if it has another BLAS."""
    prepare()
    return None if _fast_blas is None else _fast_blas.kernels()


def allot(allocation: ThreadAllocation | None) -> None:
    """Allot threads to the stages of hearing; None restores the usual number for all.

    On macOS this comes too late: there `prepare` sets `cpu_threads`.
    """
    global _allocation
    _allocation = allocation
    if allocation is None and _prepared is not None:
        _use_threads(_prepared.blas_threads)


def most_threads() -> int:
    """Return how many threads a matrix product of hearing may use; 0 where the system decides."""
    if _allocation is not None:
        return max(_allocation.cpu_threads, _allocation.gpu_threads)
    return prepare().blas_threads


def use_threads_after(stage: str | None) -> None:
    """Set the threads for what follows a stage: the front encodes and times words, the rest decodes."""
    if _allocation is not None:
        _use_threads(_allocation.gpu_threads if stage in (None, "decoded") else _allocation.cpu_threads)


def use_threads_at_once() -> None:
    """Set the threads for two rounds that are computed at once.

    OpenBLAS lets one product at a time use its threads, so that more threads each would make both wait.
    """
    _use_threads(1 if _allocation is None else _allocation.at_once)


def allotted(stages: Generator[S, None, T]) -> Generator[S, None, T]:
    """Run the stages of a round, each with the threads that are allotted to it."""
    stage: S | None = None
    while True:
        use_threads_after(stage)
        try:
            stage = next(stages)
        except StopIteration as end:
            result: T = end.value
            return result
        yield stage


def default_blas_threads(cores: int, load: float = 0.0) -> int:
    """Return half the cores, up to four, but no more than are idle under this load average.

    A second thread gains little at the sizes of captions, and loses much where its core has other work: the threads
    of a product wait for each other in a busy loop.
    """
    return max(1, min(MAX_DEFAULT_BLAS_THREADS, cores // 2, int(cores - load)))


def on_gpu() -> bool:
    """Return whether models run on a GPU, as `prepare` decided; MLX's default device may be another for a while."""
    return (_prepared or prepare()).device == "gpu"


def device() -> mx.Device:
    """Return the device that models run on."""
    import mlx.core as mx

    return mx.Device(mx.gpu if prepare().device == "gpu" else mx.cpu)


def compute_dtype(stored: mx.Dtype, *, halves: bool = False) -> mx.Dtype:
    """Return the type that a model stored as `stored` computes in.

    A CPU computes in float32, since half precision is many times slower there. A GPU computes in the stored type;
    `halves` says that float16 has room for the model's numbers, so that it replaces float32.
    """
    import mlx.core as mx

    if not on_gpu():
        return mx.float32
    return mx.float16 if halves and stored == mx.float32 else stored


def release_unused() -> None:
    """Return memory that MLX and the C library keep for reuse to the system; called after loading and after a
    session.
    """
    if _prepared is not None:
        import mlx.core as mx

        mx.clear_cache()
    if sys.platform == "linux":
        with suppress(AttributeError):  # another C library than GNU's
            ctypes.CDLL(None).malloc_trim(0)


def wire_models() -> None:
    """Keep loaded models in memory where a Mac's GPU reads them at once, even after a pause; called after loading.

    Only they are wired, with room for a round: wired memory is lost to all other programs.
    """
    release_unused()
    import mlx.core as mx

    if on_gpu() and mx.metal.is_available() and macos_version() >= WIRED_SINCE_MACOS:
        most = int(mx.device_info()["max_recommended_working_set_size"])
        mx.set_wired_limit(min(most, int(WIRED_SHARE * mx.get_active_memory())))


@contextmanager
def threads_of_children(count: int) -> Iterator[None]:
    """Let processes that are started meanwhile multiply with `count` threads on a Mac.

    Accelerate may read the number as soon as it is loaded, which numpy does before any code of the child runs.
    """
    before = os.environ.get(ACCELERATE_THREADS)
    os.environ[ACCELERATE_THREADS] = str(count)
    try:
        yield
    finally:
        if before is None:
            del os.environ[ACCELERATE_THREADS]
        else:
            os.environ[ACCELERATE_THREADS] = before


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
        os.environ[ACCELERATE_THREADS] = str(blas_threads)
    import mlx.core as mx

    gpu = bool(mx.default_device() == mx.Device(mx.gpu))  # read once: later the default may be a DeviceTurn's
    mx.set_cache_limit(GPU_CACHE_LIMIT_BYTES if gpu else CPU_CACHE_LIMIT_BYTES)
    if not gpu:
        mx.disable_compile()  # see above; a virtual Mac may have no GPU, and no compiler either
    device, dtype = ("gpu", "half precision") if gpu else ("cpu", "float32")
    if sys.platform == "linux":
        blas, used_threads, warnings = _linux_blas(blas_threads or default_blas_threads(usable_cores(), load_average()))
        return Backend(device, blas, used_threads, dtype, warnings)
    else:
        return Backend(device, "accelerate", blas_threads or 0, dtype)


def _linux_blas(threads: int) -> tuple[str, int, tuple[str, ...]]:
    """Point MLX at the fastest BLAS that there is; return its name, its threads, and warnings."""
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
