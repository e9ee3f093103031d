"""MLX is set up once, with the fastest BLAS that can be had, and says so where it is a slow one."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from engine.machine import backend
from engine.machine.backend import Backend, default_blas_threads
from engine.machine.blas import BlasUnavailable, ElfImports, FastBlas, bundled_openblas, loaded_library

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="Macs multiply with Accelerate and Metal")


@pytest.fixture
def unprepared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget that the backend was prepared, until the test ends."""
    monkeypatch.setattr(backend, "_prepared", None)
    monkeypatch.setattr(backend, "_fast_blas", None)


def refuse() -> FastBlas:
    raise BlasUnavailable("it is not there")


def test_preparing_twice_gives_the_same_answer() -> None:
    assert backend.prepare() is backend.prepare()


def test_a_cpu_computes_in_float32_and_a_gpu_in_half_precision_or_as_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "on_gpu", lambda: False)
    assert backend.compute_dtype(mx.bfloat16) == backend.compute_dtype(mx.float32, halves=True) == mx.float32
    monkeypatch.setattr(backend, "on_gpu", lambda: True)
    assert backend.compute_dtype(mx.bfloat16, halves=True) == mx.bfloat16
    assert backend.compute_dtype(mx.float32) == mx.float32
    assert backend.compute_dtype(mx.float32, halves=True) == mx.float16


@pytest.mark.parametrize(("version", "wires"), [("14.7.1", False), ("15.0", True), ("26.1", True), ("10.16", False)])
def test_what_was_loaded_is_wired_from_macos_15_on_and_no_more(
    unprepared: None, monkeypatch: pytest.MonkeyPatch, version: str, wires: bool
) -> None:
    """Mac review M8: with all that the GPU may have, an idle Mac of 8 GB lost up to 3 of them."""
    wired: list[int] = []
    cached: list[int] = []
    freed: list[bool] = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr("platform.mac_ver", lambda: (version, ("", "", ""), "arm64"))
    monkeypatch.setattr(mx, "default_device", lambda: mx.Device(mx.gpu))
    monkeypatch.setattr(mx.metal, "is_available", lambda: True)
    monkeypatch.setattr(mx, "device_info", lambda: {"max_recommended_working_set_size": 2000})
    monkeypatch.setattr(mx, "set_wired_limit", wired.append)
    monkeypatch.setattr(mx, "set_cache_limit", cached.append)
    monkeypatch.setattr(mx, "clear_cache", lambda: freed.append(True))
    monkeypatch.setattr(mx, "get_active_memory", lambda: 1000)
    assert backend.prepare() == Backend("gpu", "accelerate", 0, "half precision")
    assert (wired, cached, freed) == ([], [256 * 1024 * 1024], [])
    backend.wire_models()
    assert freed == [True]
    assert wired == ([1300] if wires else [])
    monkeypatch.setattr(mx, "get_active_memory", lambda: 1900)
    backend.wire_models()
    assert wired == ([1300, 2000] if wires else [])


def test_nothing_is_released_where_nothing_was_prepared(unprepared: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mx, "clear_cache", lambda: pytest.fail("MLX was loaded for it"))
    backend.release_unused()


def test_without_a_gpu_nothing_is_compiled(unprepared: None, monkeypatch: pytest.MonkeyPatch) -> None:
    forbidden: list[bool] = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(mx, "disable_compile", lambda: forbidden.append(True))
    assert backend.prepare().device == "cpu"
    assert forbidden == [True]


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (4, 2), (8, 4), (64, 4)])
def test_half_the_cores_multiply_up_to_four(cores: int, threads: int) -> None:
    assert default_blas_threads(cores) == threads


@pytest.mark.parametrize(
    ("cores", "load", "threads"), [(8, 0.4, 4), (8, 5.2, 2), (4, 2.5, 1), (4, 30.0, 1), (1, 0.0, 1)]
)
def test_a_product_has_no_more_threads_than_cores_are_idle(cores: int, load: float, threads: int) -> None:
    assert default_blas_threads(cores, load) == threads


@linux_only
def test_the_fast_blas_is_in_use_without_a_warning() -> None:
    prepared = backend.prepare()
    assert (prepared.device, prepared.blas, prepared.warnings) == ("cpu", "openblas", ())
    assert prepared.blas_threads >= 1


@linux_only
def test_the_matrix_product_of_mlx_leads_into_the_fast_library() -> None:
    base, path = loaded_library("libmlx.so")
    slot = next(slot for slot in ElfImports(path).slots() if slot.symbol == "cblas_sgemm")
    library, prefix = bundled_openblas()
    function = getattr(ctypes.CDLL(library), prefix + "cblas_sgemm")
    held = ctypes.c_void_p.from_address(base + slot.offset).value
    assert held == ctypes.cast(function, ctypes.c_void_p).value


@linux_only
def test_products_and_decompositions_stay_right_with_the_fast_blas() -> None:
    random = np.random.default_rng(0)
    left, right = random.normal(size=(70, 130)).astype(np.float32), random.normal(size=(130, 50)).astype(np.float32)
    np.testing.assert_allclose(np.array(mx.array(left) @ mx.array(right)), left @ right, atol=1e-4)
    square = left[:, :70] @ left[:, :70].T
    values = mx.linalg.eigvalsh(mx.array(square), stream=mx.cpu)
    np.testing.assert_allclose(np.array(values), np.linalg.eigvalsh(square), rtol=1e-3, atol=1e-2)


@linux_only
def test_the_number_of_threads_can_be_changed_later(unprepared: None) -> None:
    first = backend.prepare(blas_threads=1)
    second = backend.prepare(blas_threads=2)
    assert (first.blas_threads, second.blas_threads) == (1, 2)
    assert backend.prepare() is second
    backend.prepare(blas_threads=default_blas_threads(len(os.sched_getaffinity(0))))


@linux_only
def test_without_the_bundled_blas_the_systems_is_tried(unprepared: None, monkeypatch: pytest.MonkeyPatch) -> None:
    class System:
        def set_threads(self, threads: int) -> None:
            assert threads == 2

    monkeypatch.setattr(backend, "_bundled", refuse)
    monkeypatch.setattr(backend, "_system", System)
    assert backend.prepare(2) == Backend("cpu", "system openblas", 2, "float32")


@linux_only
def test_without_any_fast_blas_the_warning_says_what_to_install(
    unprepared: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for source in ("_bundled", "_system", "_preloaded"):
        monkeypatch.setattr(backend, source, refuse)
    prepared = backend.prepare()
    assert prepared.blas == "reference"
    assert "it is not there" in prepared.warnings[0]
    assert "install the package scipy-openblas32" in prepared.warnings[0]


def test_elsewhere_the_system_multiplies(unprepared: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert backend.prepare().blas == "accelerate"


@linux_only
def test_what_is_no_library_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "libmlx.so"
    path.write_bytes(b"not a library")
    with pytest.raises(BlasUnavailable, match="not a 64-bit little-endian ELF"):
        ElfImports(path)
    monkeypatch.setattr("engine.machine.blas.loaded_library", lambda name: (0, path))
    path.write_bytes(b"\x7fELF\x02\x01" + bytes(40))
    with pytest.raises(BlasUnavailable, match="a form that is not understood"):
        FastBlas(*bundled_openblas()).take_over()
    with pytest.raises(BlasUnavailable, match=r"libnothing\.so is not loaded"):
        loaded_library("libnothing.so")
    with pytest.raises(OSError, match=r"libnothing\.so"):
        FastBlas("libnothing.so")


def test_importing_the_engine_starts_nothing_and_preparing_it_forbids_compilers() -> None:
    program = (
        "import os, sys\n"
        "from engine.machine import backend\n"
        "assert 'mlx.core' not in sys.modules\n"
        "backend.prepare()\n"
        "print(os.environ.get('MLX_DISABLE_COMPILE'))\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "MLX_DISABLE_COMPILE"}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ("1" if sys.platform == "linux" else "None")
