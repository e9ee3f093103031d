"""Threads: only what the machine has, shared out stage by stage, and remembered for this machine and model alone."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest

from engine.errors import OptionError
from engine.machine import backend, thread_profile, threads
from engine.machine.thread_profile import (
    ProfileUnwritable,
    ThreadProfile,
    forget_profiles,
    load_profile,
    machine,
    profile_path,
    store_profile,
)
from engine.machine.threads import ThreadAllocation, allocations, counts_to_try, idle_cores, usable_cores
from engine.options import CaptionOptions
from engine.process import profiling
from engine.process.process import load_recognizer
from engine.process.profiling import (
    Setting,
    SettingCost,
    best_of,
    gather,
    measure,
    measure_in_processes,
    profile_of,
    settings,
    settings_beside_gpu,
    settings_here,
)
from tests.hear.planted import PlantedRecognizer, numbered, plant
from tests.random_whisper import write_random_model

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only OpenBLAS takes another number of threads later")
PLAIN = ThreadProfile("starter", 1, 1, False, 0.5)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_profile, "user_config_path", lambda *_, **__: tmp_path / "settings")


@pytest.fixture
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (threads, thread_profile):
        monkeypatch.setattr(module, "usable_cores", lambda: 8)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Numbers of threads that OpenBLAS was told, in order."""
    counts: list[int] = []
    monkeypatch.setattr(backend, "_use_threads", counts.append)
    yield counts
    backend.allot(None)


# --- allocations ---


@pytest.mark.parametrize("count", [0, -1, 9, 10_000, 1.5])
@pytest.mark.parametrize("name", ["cpu_threads", "gpu_threads"])
def test_threads_that_the_machine_does_not_have_are_refused(eight_cores: None, name: str, count: int) -> None:
    with pytest.raises(OptionError, match=rf"{name} must be between 1 and 8 on this machine, not {count}"):
        ThreadAllocation(**{name: count})
    assert ThreadAllocation(8, 1).cpu_threads == 8


def test_few_cores_are_tried_one_by_one_and_many_by_doubling(eight_cores: None) -> None:
    assert counts_to_try(1) == (1,)
    assert counts_to_try(2) == (1, 2)
    assert counts_to_try(4) == (1, 2, 3, 4)
    assert counts_to_try(8) == (1, 2, 4, 8)
    assert counts_to_try(12) == (1, 2, 4, 8, 12)


def test_every_allocation_is_tried_and_overlapping_ones_have_room_side_by_side(eight_cores: None) -> None:
    pairs = [(one.cpu_threads, one.gpu_threads) for one in allocations(2, pipelined=False)]
    assert pairs == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert allocations(2, pipelined=True) == (ThreadAllocation(1, 1),)
    assert all(one.cpu_threads + one.gpu_threads <= 8 for one in allocations(8, pipelined=True))
    assert not any(setting.pipeline for setting in settings(1))
    assert [setting.name for setting in settings(2)] == ["C1:G1", "C1:G2", "C2:G1", "C2:G2", "C1:G1 pipeline"]


def test_beside_a_gpu_a_handful_of_settings_is_measured(eight_cores: None, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [setting.name for setting in settings_beside_gpu(8)]
    assert names == ["C1:G1", "C1:G1 pipeline", "C2:G1 pipeline", "C4:G1 pipeline"]
    assert [setting.name for setting in settings_beside_gpu(1)] == ["C1:G1"]
    monkeypatch.setattr(backend, "on_gpu", lambda: True)
    assert 1 < len(settings_here(quantised=False)) < 6
    assert [setting.name for setting in settings_here(quantised=True)] == ["C1:G1"], "Mac review M12"


def test_each_stage_has_its_threads_and_two_rounds_at_once_the_fewer(eight_cores: None, told: list[int]) -> None:
    backend.use_threads_after("encoded")
    assert told == []  # without an allocation everything stays as it is
    backend.allot(ThreadAllocation(cpu_threads=2, gpu_threads=4))

    def stages() -> Iterator[str]:
        yield from ("encoded", "decoding", "decoded")

    assert list(backend.allotted(stages())) == ["encoded", "decoding", "decoded"]
    assert told == [4, 2, 2, 4]
    backend.use_threads_at_once()
    assert told[-1] == 2
    backend.allot(None)
    assert told[-1] == backend.prepare().blas_threads


@linux_only
def test_openblas_is_told_and_computes_the_same_with_any_number(monkeypatch: pytest.MonkeyPatch) -> None:
    import mlx.core as mx

    if usable_cores() < 2:
        pytest.skip("there is one core")
    left, right = np.random.default_rng(0).normal(size=(2, 256, 256)).astype(np.float32)
    try:
        for count in (2, 1):
            backend.allot(ThreadAllocation(1, count))
            backend.use_threads_after(None)
            assert backend._used_threads == count
            np.testing.assert_allclose(np.array(mx.array(left) @ mx.array(right)), left @ right, atol=1e-3)
    finally:
        backend.allot(None)


def test_on_macos_the_number_is_set_before_accelerate_is_loaded() -> None:
    program = (
        "import os, sys\n"
        "from engine.machine import backend\n"
        "sys.platform = 'darwin'\n"
        "prepared = backend.prepare(3)\n"
        "print(os.environ['VECLIB_MAXIMUM_THREADS'], prepared.blas, prepared.blas_threads)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["3", "accelerate", "3"]


def test_an_engine_of_macos_sets_its_profiles_threads_before_numpy_is_there() -> None:
    """Mac review M12."""
    store_profile("f", ThreadProfile("starter", 1, 1, True, 0.5))
    program = (
        "import os, sys\n"
        "from engine.machine import backend, thread_profile\n"
        "from engine.process.process import load_recognizer\n"
        "from pathlib import Path\n"
        "sys.platform = 'darwin'\n"
        f"thread_profile.profile_path = lambda: Path({str(profile_path())!r})\n"
        f"thread_profile.machine = lambda: {machine()!r}\n"
        "def prepare(threads):\n"
        "    print(threads, 'numpy' in sys.modules)\n"
        "    sys.exit()\n"
        "backend.prepare = prepare\n"
        "load_recognizer('starter')\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["1", "False"]


# --- what is remembered ---


def test_a_profile_comes_back_for_its_model_on_its_machine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_profile(fingerprint="f") == (None, "")
    path = store_profile("f", PLAIN)
    assert path == profile_path()
    assert load_profile(fingerprint="f") == (PLAIN, "")
    assert load_profile(model="starter") == (PLAIN, "")
    assert load_profile(fingerprint="g") == (None, "")
    store_profile("g", ThreadProfile("tiny", 1, 1, True, 0.2))
    assert load_profile(fingerprint="f") == (PLAIN, "")
    assert [file.name for file in path.parent.iterdir()] == ["threads.json"]
    monkeypatch.setattr(thread_profile, "_processor", lambda: "another processor")
    assert load_profile(fingerprint="f") == (None, "")


class C:
    """The C library of a Mac, which tells the name of its chip."""

    def __init__(self, brand: bytes, result: int = 0) -> None:
        def sysctlbyname(name: bytes, room: ctypes.Array[ctypes.c_char], size: object, new: None, length: int) -> int:
            assert name == b"machdep.cpu.brand_string"
            room.value = brand
            return result

        self.sysctlbyname = sysctlbyname


def test_a_profile_of_one_apple_chip_does_not_hold_on_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mac review L4: `platform.processor` says "arm" of them all."""
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr("platform.processor", lambda: "arm")
    monkeypatch.setattr(ctypes, "CDLL", lambda name: C(b"Apple M1"))
    store_profile("f", PLAIN)
    assert machine().startswith("Apple M1, ")
    assert load_profile(fingerprint="f") == (PLAIN, "")
    monkeypatch.setattr(ctypes, "CDLL", lambda name: C(b"Apple M4"))
    assert load_profile(fingerprint="f") == (None, "")
    monkeypatch.setattr(ctypes, "CDLL", lambda name: C(b"", result=-1))
    assert machine().startswith("arm, ")


def test_a_profile_can_be_forgotten() -> None:
    store_profile("f", PLAIN)
    store_profile("g", PLAIN)
    assert forget_profiles(fingerprint="f")
    assert not forget_profiles(fingerprint="f")
    assert load_profile(fingerprint="f") == (None, "")
    assert load_profile(fingerprint="g") == (PLAIN, "")


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"{",
        b"[]",
        b'{"MACHINE": []}',
        b'{"MACHINE": {"f": 3}}',
        b'{"MACHINE": {"f": {}}}',
        b'{"MACHINE": {"f": {"model": "m", "cpu_threads": "1", "gpu_threads": 1, "pipeline": 0}}}',
        b"\xff\xfe\x00",
    ],
)
def test_a_damaged_file_is_ignored_with_a_sentence_and_replaced(damaged: bytes) -> None:
    profile_path().parent.mkdir(parents=True)
    profile_path().write_bytes(damaged.replace(b"MACHINE", machine().encode()))
    profile, problem = load_profile(fingerprint="f")
    assert profile is None
    assert str(profile_path()) in problem and "Run 'earshot profile'" in problem
    store_profile("f", PLAIN)
    assert load_profile(fingerprint="f") == (PLAIN, "")


def test_a_profile_with_more_threads_than_there_are_is_ignored_with_the_range() -> None:
    store_profile("f", ThreadProfile("m", 10_000, 1, False, 0.1))
    profile, problem = load_profile(fingerprint="f")
    assert profile is None
    assert f"cpu_threads must be between 1 and {usable_cores()}" in problem


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ProfileUnwritable, match=r"threads\.json"):
        store_profile("f", PLAIN)


def test_a_file_where_the_folder_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "settings").write_text("")
    with pytest.raises(ProfileUnwritable, match=r"threads\.json"):
        store_profile("f", PLAIN)


def test_a_stored_profile_is_used_when_its_model_is_loaded(tmp_path: Path, told: list[int]) -> None:
    folder = write_random_model(tmp_path / "tiny")
    _, make = load_recognizer(str(folder))
    plain = make(CaptionOptions())
    assert not plain.prefers_pipeline  # type: ignore[attr-defined]
    assert backend._allocation is None
    store_profile(plain.fingerprint, ThreadProfile("tiny", 1, usable_cores(), True, 0.1))  # type: ignore[attr-defined]
    told.clear()
    ready, make = load_recognizer(str(folder))
    assert make(CaptionOptions()).prefers_pipeline  # type: ignore[attr-defined]
    assert backend._allocation == ThreadAllocation(1, usable_cores())
    assert told[:2] == [usable_cores(), 1]
    assert ready.warnings == ()
    profile_path().write_text("{")
    ready, _ = load_recognizer(str(folder))
    assert "cannot be read" in ready.warnings[0]
    assert backend._allocation is None


# --- the measurement ---


def made(name: str, latency: float | None, round_seconds: float = 0.1) -> SettingCost:
    return SettingCost(Setting(ThreadAllocation(), name == "pipeline"), latency, round_seconds, 5)


def test_the_best_is_the_lowest_delay_and_the_plainer_where_they_are_equal() -> None:
    assert best_of([made("a", 0.50), made("pipeline", 0.40)]).setting.pipeline
    assert not best_of([made("a", 0.50), made("pipeline", 0.49)]).setting.pipeline
    assert best_of([made("a", None, 0.3), made("pipeline", None, 0.2)]).setting.pipeline


def test_settings_take_turns_and_their_turns_are_brought_together() -> None:
    words = numbered([(0.2 + i * 0.4, 0.5 + i * 0.4) for i in range(4)])
    recognizer = PlantedRecognizer(words)
    chosen = [Setting(ThreadAllocation(), False), Setting(ThreadAllocation(), True)][: 1 + (usable_cores() > 1)]
    order: list[Setting] = []
    runs = measure(recognizer, plant(words, 2.5), chosen, 2, CaptionOptions(voice_gate=False))
    measured = gather(runs, order.append)
    assert order == chosen * 2
    assert [one.setting for one in measured] == chosen
    for one in measured:
        assert one.word_latency_seconds is not None and one.word_latency_seconds > 0
        assert one.rounds >= 2 * 10
    assert backend._allocation is None
    assert profile_of("m", measured[0]).allocation == ThreadAllocation()


def test_a_processs_threads_are_set_before_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mac review M12: Accelerate is loaded with numpy, before the child runs anything of ours."""
    monkeypatch.setenv(backend.ACCELERATE_THREADS, "7")
    code = "import os; print(os.environ.get('VECLIB_MAXIMUM_THREADS'))"

    class Started:
        """A pool whose process is started when something is asked of it."""

        def __init__(self, *given: object) -> None:
            pass

        def __enter__(self) -> Started:
            return self

        def __exit__(self, *given: object) -> None:
            pass

        def submit(self, *given: object) -> Future[object]:
            done: Future[object] = Future()
            done.set_result([subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout])
            return done

    monkeypatch.setattr(profiling, "ProcessPoolExecutor", Started)
    settings = [Setting(ThreadAllocation(count, 1), True) for count in (1, 2)]
    runs = measure_in_processes("starter", np.zeros(1, np.float32), settings, 1, CaptionOptions())
    assert list(runs) == ["1\n", "2\n"]
    assert os.environ[backend.ACCELERATE_THREADS] == "7"


def test_where_threads_are_fixed_each_setting_has_a_process_of_its_own(tmp_path: Path) -> None:
    folder = write_random_model(tmp_path / "tiny")
    noise = (0.1 * np.random.default_rng(0).normal(size=8_000)).astype(np.float32)
    options = CaptionOptions(language="en", voice_gate=False)
    setting = Setting(ThreadAllocation(), False)
    (measured,) = gather(measure_in_processes(str(folder), noise, [setting], 1, options))
    assert measured.setting == setting
    assert measured.rounds >= 2


def test_the_file_is_plain_json() -> None:
    store_profile("f", PLAIN)
    assert json.loads(profile_path().read_text()) == {
        machine(): {
            "f": {
                "model": "starter",
                "cpu_threads": 1,
                "gpu_threads": 1,
                "pipeline": False,
                "word_latency_seconds": 0.5,
            }
        }
    }


@pytest.mark.parametrize(("load", "idle"), [(0.0, 4), (0.4, 4), (2.6, 1), (9.0, 1)])
def test_cores_with_other_work_are_not_idle(load: float, idle: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.machine.threads.usable_cores", lambda: 4)
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    assert idle_cores() == idle


def test_on_a_system_without_load_averages_every_core_is_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.machine.threads.usable_cores", lambda: 4)
    monkeypatch.delattr("os.getloadavg")
    assert idle_cores() == 4
