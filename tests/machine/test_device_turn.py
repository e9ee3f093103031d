"""The usual device, decided on once; threads on two devices leave MLX's default as it was."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import pytest

from engine.machine import backend, device_turn
from engine.machine.backend import Backend
from engine.machine.device_turn import DeviceTurn, writes_for_gpu


@dataclass
class TwoDevices:
    """MLX as it is where there is a GPU: one default device for the whole process."""

    gpu: str = "gpu"
    cpu: str = "cpu"
    default: str = "gpu"
    seen: list[str] = field(default_factory=list)

    def Device(self, kind: str) -> str:
        return kind

    def set_default_device(self, device: str) -> None:
        self.default = device

    def eval(self, *arrays: object) -> None:
        self.seen.append(self.default)


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> TwoDevices:
    """Two devices, of which `prepare` makes the GPU the usual one."""
    both = TwoDevices()
    monkeypatch.setattr(device_turn, "mx", both)
    monkeypatch.setattr(backend, "_prepared", Backend("gpu", "accelerate", 0, "half precision"))
    monkeypatch.setattr(backend, "device", lambda: "gpu")
    return both


def test_a_turn_that_is_made_during_another_devices_leaves_the_usual_one_behind(devices: TwoDevices) -> None:
    """A translation is asked for while the pipeline writes down for the processor."""
    inside, made = threading.Event(), threading.Event()
    cpu: Any = "cpu"

    def decode() -> None:
        with DeviceTurn(cpu):
            inside.set()
            assert made.wait(60)

    thread = threading.Thread(target=decode)
    thread.start()
    assert inside.wait(60)
    assert devices.default == "cpu"
    turn = DeviceTurn()
    made.set()
    with turn:
        assert devices.default == "gpu"
    thread.join()
    assert devices.default == "gpu"


def test_a_model_that_is_loaded_during_another_devices_turn_is_one_for_the_gpu(devices: TwoDevices) -> None:
    inside, looked = threading.Event(), threading.Event()
    cpu: Any = "cpu"

    def decode() -> None:
        with DeviceTurn(cpu):
            inside.set()
            assert looked.wait(60)

    thread = threading.Thread(target=decode)
    thread.start()
    assert inside.wait(60)
    try:
        assert devices.default == "cpu"
        assert backend.on_gpu() and writes_for_gpu()
        assert backend.compute_dtype(mx.bfloat16) == mx.bfloat16
    finally:
        looked.set()
        thread.join()


def test_operations_are_chosen_for_the_device_of_the_threads_own_turn(devices: TwoDevices) -> None:
    cpu: Any = "cpu"
    assert writes_for_gpu()
    with DeviceTurn(cpu):
        assert not writes_for_gpu()
        device_turn.evaluate()
        assert not writes_for_gpu() and devices.default == "cpu"
    with DeviceTurn():
        assert writes_for_gpu()
    assert devices.seen == ["gpu"]  # the turn is given away while it computes


def test_only_prepare_asks_mlx_for_its_default(request: pytest.FixtureRequest) -> None:
    root = request.config.rootpath
    asking = {
        str(file.relative_to(root))
        for room in ("engine", "app")
        for file in (root / room).rglob("*.py")
        if "default_device()" in file.read_text(encoding="utf-8")
    }
    assert asking == {"engine/machine/backend.py"}
    assert (root / "engine/machine/backend.py").read_text(encoding="utf-8").count("default_device()") == 1
