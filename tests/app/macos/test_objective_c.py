"""Messages reach Objective-C objects as the system expects them: right words, right order, and called back."""

from __future__ import annotations

import ctypes

import pytest

from app.macos.objective_c import Block, Runtime
from tests.app.macos.fake_objective_c import FakeRuntime


def test_a_message_arrives_with_its_target_and_all_64_bits_of_its_values() -> None:
    objects = FakeRuntime()
    objects.answers["add:to:"] = lambda target, left, right: target + left + right
    assert objects.send(7, "add:to:", 0xFF_0000_0000, 3) == 0xFF_0000_000A
    assert objects.sent == [(7, "add:to:", (0xFF_0000_0000, 3))]


def test_nothing_returned_is_zero_and_nil_may_be_spoken_to() -> None:
    objects = FakeRuntime()
    assert objects.send(0, "window") == 0
    assert objects.sent == [(0, "window", ())]


def test_texts_become_strings_of_the_system() -> None:
    objects = FakeRuntime()
    objects.classes["NSString"] = 5
    read: list[bytes] = []
    objects.answers["stringWithUTF8String:"] = lambda target, text: read.append(ctypes.string_at(text)) or 77
    objects.send(1, "say:", "für später")
    assert read == ["für später".encode()]
    assert objects.sent[-1] == (1, "say:", (77,))


def test_a_class_that_no_framework_brought_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no class AVCaptureDevice"):
        FakeRuntime().class_named("AVCaptureDevice")


def test_without_the_runtime_there_is_an_os_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.util.find_library", lambda name: "/nowhere/libobjc.dylib")
    with pytest.raises(OSError):
        Runtime()


def test_a_block_is_laid_out_as_the_system_reads_it_and_calls_back() -> None:
    told: list[bool] = []
    block = Block(told.append, isa=0x1234)
    isa, flags, reserved = (
        ctypes.c_void_p.from_address(block.address).value,
        ctypes.c_int.from_address(block.address + 8).value,
        ctypes.c_int.from_address(block.address + 12).value,
    )
    invoke = ctypes.c_void_p.from_address(block.address + 16).value
    descriptor = ctypes.c_void_p.from_address(block.address + 24).value
    assert (isa, flags, reserved) == (0x1234, 1 << 28, 0)
    assert invoke is not None and descriptor is not None
    assert ctypes.c_ulong.from_address(descriptor + 8).value == 32
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_bool)(invoke)(block.address, True)
    assert told == [True]
