"""Results of `earshot profile`, stored in one file for each machine and model.

The file is {"<processor>, <n> cores": {"<fingerprint>": {"model": …, "cpu_threads": …, …}}}. It may have been edited or
copied: entries that do not fit this machine are ignored, with a sentence about it.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from engine.errors import EngineError, OptionError
from engine.machine.threads import ThreadAllocation, usable_cores

AGAIN = "Run 'earshot profile' to measure it again."


class ProfileUnwritable(EngineError):
    """The file of profiles could not be written."""


@dataclass(frozen=True, slots=True)
class ThreadProfile:
    """The best thread setting for recognition with one model on one machine.

    Attributes:
        model: name of the model that was measured.
        pipeline: whether rounds overlapped.
        word_latency_seconds: mean per-word latency measured with this setting.
    """

    model: str
    cpu_threads: int
    gpu_threads: int
    pipeline: bool
    word_latency_seconds: float

    @property
    def allocation(self) -> ThreadAllocation:
        """Thread allocation. Raises OptionError if there are more threads than the machine has."""
        return ThreadAllocation(self.cpu_threads, self.gpu_threads)


def profile_path() -> Path:
    """Return the path of the file of profiles."""
    return user_config_path("earshot", appauthor=False) / "threads.json"


def machine() -> str:
    """Return the processor's name and its usable cores, the key of a profile."""
    cores = usable_cores()
    return f"{_processor()}, {cores} core{'s' if cores > 1 else ''}"


def load_profile(*, fingerprint: str = "", model: str = "") -> tuple[ThreadProfile | None, str]:
    """Return a model's profile on this machine, by fingerprint or name; or None, and a sentence if it is unusable."""
    try:
        profiles = read_machines(profile_path()).get(machine(), {})
        entry = profiles.get(fingerprint) or next((e for e in profiles.values() if e["model"] == model), None)
        if entry is None:
            return None, ""
        profile = ThreadProfile(
            str(entry["model"]),
            entry["cpu_threads"],
            entry["gpu_threads"],
            bool(entry["pipeline"]),
            float(entry["word_latency_seconds"]),
        )
        profile.allocation  # noqa: B018 - checked here, so that callers need not
    except OptionError as error:
        return None, f"The thread profile in {profile_path()} is ignored: {error} {AGAIN}"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None, f"The thread profiles in {profile_path()} cannot be read and are ignored. {AGAIN}"
    return profile, ""


def store_profile(fingerprint: str, profile: ThreadProfile) -> Path:
    """Store a profile for this machine in place of an earlier one of the same model; return the path."""
    profiles = _readable()
    mine = profiles.setdefault(machine(), {})
    mine[fingerprint] = asdict(profile)
    return write_machines(profile_path(), profiles)


def forget_profiles(*, fingerprint: str) -> bool:
    """Delete a model's profile for this machine; return whether there was one."""
    profiles = _readable()
    known = profiles.get(machine(), {}).pop(fingerprint, None) is not None
    if known:
        write_machines(profile_path(), profiles)
    return known


def read_machines(path: Path) -> dict[str, Any]:
    """Read a file's entries by machine, empty if there is no file. Raises ValueError if it is damaged."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    try:
        profiles = json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(profiles, dict) or not all(isinstance(entries, dict) for entries in profiles.values()):
        raise ValueError("not an object of objects")
    return profiles


def _readable() -> dict[str, Any]:
    """Read the profiles, empty if the file is damaged: it is about to be replaced."""
    try:
        return read_machines(profile_path())
    except (OSError, ValueError):
        return {}


def write_machines(path: Path, profiles: dict[str, Any]) -> Path:
    """Replace a file atomically, so that nobody reads half of it. Raises ProfileUnwritable on failure."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(profiles, file, indent=1)
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise ProfileUnwritable(f"{path} cannot be written: {error.strerror or error}.") from error
    return path


def _processor() -> str:
    """Return the processor's name as the system reports it."""
    if sys.platform == "linux":
        with suppress(OSError):
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    elif sys.platform == "darwin" and (brand := _brand_of_mac()):
        return brand
    return platform.processor() or platform.machine() or "unknown processor"


def _brand_of_mac() -> str:
    """Return the name of a Mac's chip, such as "Apple M1"; "" where it cannot be read.

    `platform.processor` says "arm" of all of them, so that a profile would hold on a newer Mac that it was moved to.
    """
    brand, size = ctypes.create_string_buffer(256), ctypes.c_size_t(256)
    with suppress(OSError, AttributeError):
        read = ctypes.CDLL(None).sysctlbyname
        read.argtypes = (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
        if read(b"machdep.cpu.brand_string", brand, ctypes.byref(size), None, 0) == 0:
            return brand.value.decode(errors="replace")
    return ""
