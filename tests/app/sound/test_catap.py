"""catap keeps to what is made of it here: its own code, with stubs for Objective-C, Core Audio and its library of C."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app.sound.process_tap import TapUnavailable, tap_chunks
from engine.audio import SAMPLE_RATE_HZ
from tests.app.sound.fake_core_audio import SYSTEM, FakeCoreAudio, Functions
from tests.test_resolving import OFFLINE, ROOT, UV

TAP, AGGREGATE, OURSELVES = 70, 71, 72
FLOAT_PACKED = 1 | 8
BUFFER_FRAMES = 4800


class Native(Functions):
    """catap's library, which reads a tap where Python would be too late.

    Attributes:
        chunks: what the tap has delivered.
        dropped: how many buffers there was no room for.
    """

    def __init__(self) -> None:
        super().__init__()
        self.chunks: list[bytes] = []
        self.dropped = 0
        self.catap_recorder_io_proc = ctypes.CFUNCTYPE(ctypes.c_int32)(lambda: 0)

    def answer_catap_abi_version(self) -> int:
        return 2

    def answer_catap_status_name(self, status: int) -> bytes:
        return b"OK"

    def answer_catap_recorder_create(self, config: Any, handle: Any) -> int:
        handle._obj.value = 1
        return 0

    def answer_catap_recorder_read(self, handle: Any, destination: Any, capacity: int, info: Any) -> int:
        if not self.chunks:
            return 2
        data = self.chunks.pop(0)
        ctypes.memmove(destination, data, len(data))
        info._obj.byte_count, info._obj.frame_count = len(data), len(data) // 4
        return 0

    def answer_catap_recorder_stats(self, handle: Any, stats: Any) -> int:
        stats._obj.ring.dropped_chunks = self.dropped
        return 0


class Description:
    """A CATapDescription, which takes whatever it is told."""

    @classmethod
    def alloc(cls) -> Description:
        return cls()

    def initMonoGlobalTapButExcludeProcesses_(self, processes: list[int]) -> Description:
        self.excluded = processes
        return self

    def __c_void_p__(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(1)

    def __getattr__(self, name: str) -> Any:
        assert name.startswith("set"), name
        return lambda value: None


class Dictionary(dict[str, Any]):
    """An NSDictionary."""

    def __c_void_p__(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(1)


class Mac(FakeCoreAudio):
    """A Mac with a tap.

    Attributes:
        native: what reads it.
        dictionaries: those that were handed to Core Audio.
    """

    def __init__(self) -> None:
        super().__init__()
        self.native = Native()
        self.dictionaries: list[Dictionary] = []
        self.properties[TAP, "tuid", "glob"] = self.text("the tap")
        self.properties[SYSTEM, "id2p", "glob"] = struct.pack("<I", 0)
        self.play_at(48_000)

    def play_at(self, rate_hz: int) -> None:
        """Set the tap's format to another sampling rate."""
        lpcm = int.from_bytes(b"lpcm", "big")
        self.properties[TAP, "tfmt", "glob"] = struct.pack("<d8I", rate_hz, lpcm, FLOAT_PACKED, 4, 1, 4, 1, 32, 0)

    def play(self, *levels: float) -> None:
        self.native.chunks += [np.full(BUFFER_FRAMES, level, "<f4").tobytes() for level in levels]

    def answer_AudioHardwareCreateProcessTap(self, description: Any, out: Any) -> int:
        out._obj.value = TAP
        return 0

    def answer_AudioHardwareCreateAggregateDevice(self, description: Any, out: Any) -> int:
        out._obj.value = AGGREGATE
        return 0

    @property
    def left_behind(self) -> list[str]:
        """Calls that made or started something that was never removed or stopped."""
        pairs = {
            "AudioHardwareCreateProcessTap": "AudioHardwareDestroyProcessTap",
            "AudioHardwareCreateAggregateDevice": "AudioHardwareDestroyAggregateDevice",
            "AudioDeviceCreateIOProcID": "AudioDeviceDestroyIOProcID",
            "AudioDeviceStart": "AudioDeviceStop",
        }
        return [made for made, ended in pairs.items() if self.called.count(made) > self.called.count(ended)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fetch the catap that a Mac would get."""
    if UV is None:
        pytest.skip("needs uv")
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    (catap,) = [each.partition(";")[0] for each in needed if each.startswith("catap")]
    folder = tmp_path_factory.mktemp("catap")
    run = subprocess.run(
        [
            *(UV, "pip", "install", "--quiet", "--no-deps", "--no-build", "--target", str(folder)),
            *("--python", sys.executable, "--python-platform", "aarch64-apple-darwin", catap),
        ],
        env={**os.environ, "MACOSX_DEPLOYMENT_TARGET": "14.0"},
        capture_output=True,
        text=True,
    )
    if run.returncode and any(sign in run.stderr for sign in OFFLINE):
        pytest.skip("no index of packages can be reached")
    assert run.returncode == 0, run.stderr
    return folder


@pytest.fixture
def mac(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> Mac:
    made = Mac()

    def dictionary(values: dict[str, Any]) -> Dictionary:
        made.dictionaries.append(Dictionary(values))
        return made.dictionaries[-1]

    objective_c: dict[str, dict[str, Any]] = {
        "objc": {
            "lookUpClass": lambda name: Description,
            "nosuchclass_error": KeyError,
            "objc_object": lambda c_void_p: made.texts[c_void_p],
        },
        "Foundation": {
            "NSArray": SimpleNamespace(arrayWithArray_=list),
            "NSDictionary": SimpleNamespace(dictionaryWithDictionary_=dictionary),
            "NSNumber": SimpleNamespace(numberWithBool_=bool, numberWithUnsignedInt_=int),
            **dict.fromkeys(("NSUUID", "NSString", "NSURL")),
        },
        "AppKit": {
            "NSRunningApplication": SimpleNamespace(runningApplicationWithProcessIdentifier_=lambda pid: None),
            "NSWorkspace": SimpleNamespace(sharedWorkspace=lambda: SimpleNamespace(runningApplications=list)),
        },
    }
    for name, contents in objective_c.items():
        module = ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(platform, "mac_ver", lambda: ("14.4", ("", "", ""), "arm64"))
    monkeypatch.setattr(ctypes.cdll, "LoadLibrary", lambda path: made)
    monkeypatch.setattr(ctypes, "CDLL", lambda path: made.native)
    monkeypatch.syspath_prepend(wheel)
    return made


@pytest.fixture
def catap(mac: Mac) -> Iterator[Any]:
    import catap

    yield catap
    for name in [each for each in sys.modules if each.split(".")[0] == "catap"]:
        del sys.modules[name]


def heard(catap: Any, mac: Mac, seconds: float = 0.15) -> Iterator[np.ndarray]:
    """Listen, and go on from there once so much was heard; then until the tap ends."""
    chunks = tap_chunks(threading.Event(), catap=catap, clock=lambda: 0.0)
    parts = [np.zeros(0, np.float32)]
    while sum(map(len, parts)) < seconds * SAMPLE_RATE_HZ:
        parts.append(next(chunks))
    yield np.concatenate(parts)
    yield from chunks


def test_what_a_tap_delivers_is_heard_and_the_tap_is_given_back(catap: Any, mac: Mac) -> None:
    mac.play(0.5, 0.5)
    sound = heard(catap, mac)
    assert np.abs(next(sound)).max() == pytest.approx(0.5, abs=0.05)
    sound.close()  # type: ignore[attr-defined]
    assert mac.left_behind == [] and mac.listeners == []
    aggregate = next(each for each in mac.dictionaries if "taps" in each)
    assert aggregate["name"].startswith("catap "), "Earshot's own lists of devices leave it out by this"


def test_h1_another_output_ends_the_tap_with_an_error_of_ours(catap: Any, mac: Mac) -> None:
    """Mac review H1: headphones are plugged in, and play at another rate."""
    mac.play(0.5, 0.5)
    sound = heard(catap, mac)
    next(sound)
    mac.play_at(44_100)
    mac.change(TAP, "tfmt")
    with pytest.raises(TapUnavailable, match="no longer"):
        list(sound)
    assert mac.left_behind == [] and mac.listeners == []


def test_h1_buffers_that_were_dropped_end_the_tap_with_an_error_of_ours(catap: Any, mac: Mac) -> None:
    """Mac review H1."""
    mac.play(0.5, 0.5)
    sound = heard(catap, mac)
    next(sound)
    mac.native.dropped = 3
    with pytest.raises(TapUnavailable, match="no longer"):
        list(sound)
    assert mac.left_behind == []


def test_h1_a_tap_that_is_lost_ends_with_an_error_of_ours(catap: Any, mac: Mac) -> None:
    """Mac review H1: whoever looks after sound on the Mac has started again, and knows nothing of the tap."""
    mac.play(0.5, 0.5)
    sound = heard(catap, mac)
    next(sound)
    mac.gone.add(TAP)
    mac.change(SYSTEM, "tps#")
    with pytest.raises(TapUnavailable, match="no longer"):
        list(sound)
    assert mac.left_behind == []


def test_h1_a_format_that_changed_unnoticed_does_not_spoil_the_end(catap: Any, mac: Mac) -> None:
    """Mac review H1: catap looks once more at the end, and raises."""
    mac.play(0.5, 0.5)
    sound = heard(catap, mac)
    next(sound)
    mac.play_at(44_100)
    sound.close()  # type: ignore[attr-defined]
    assert mac.left_behind == []


@pytest.mark.parametrize("function", ["AudioHardwareDestroyProcessTap", "AudioHardwareDestroyAggregateDevice"])
def test_h1_what_could_not_be_taken_away_is_taken_away_at_a_second_try(catap: Any, mac: Mac, function: str) -> None:
    """Mac review H1."""
    mac.play(0.5, 0.5)
    sound = heard(catap, mac)
    next(sound)
    mac.statuses[function] = [1, 1]  # catap itself tries some twice
    sound.close()  # type: ignore[attr-defined]
    assert mac.called.count(function) >= 2
    assert mac.called[-1] == "AudioHardwareDestroyProcessTap", "the tap goes last"


def test_l6_earshot_does_not_hear_itself(catap: Any, mac: Mac) -> None:
    """Mac review L6: Core Audio's number of this process is left out of the tap."""
    mac.properties[SYSTEM, "id2p", "glob"] = struct.pack("<I", OURSELVES)
    mac.properties[OURSELVES, "ppid", "glob"] = struct.pack("<I", os.getpid())
    excluded: list[list[int]] = []
    create = catap.session._DEFAULT_SESSION_BACKEND.create_process_tap
    catap.session._DEFAULT_SESSION_BACKEND.create_process_tap = lambda description, out: (
        excluded.append(description.objc_object.excluded) or create(description, out=out)
    )
    mac.play(0.5, 0.5)
    next(heard(catap, mac))
    assert excluded == [[OURSELVES]]
