"""What `earshot profile` found best, kept for each machine and model in one file.

The file is {"<processor>, <n> cores": {"<fingerprint>": {"model": …, "cpu_threads": …, …}}}. Somebody may have
edited or copied it: what does not fit this machine is left alone, with a sentence about it.
"""

from __future__ import annotations

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
    """The best setting for hearing with one model on one machine.

    Attributes:
        model: the name it was measured under.
        pipeline: whether rounds overlapped.
        word_latency_seconds: mean per-word latency that was measured so.
    """

    model: str
    cpu_threads: int
    gpu_threads: int
    pipeline: bool
    word_latency_seconds: float

    @property
    def allocation(self) -> ThreadAllocation:
        """OptionError for more threads than the machine has."""
        return ThreadAllocation(self.cpu_threads, self.gpu_threads)


def profile_path() -> Path:
    """Where profiles are kept."""
    return user_config_path("earshot", appauthor=False) / "threads.json"


def machine() -> str:
    """The processor and how many of its cores may be used: what a profile holds for."""
    return f"{_processor()}, {usable_cores()} cores"


def load_profile(*, fingerprint: str = "", model: str = "") -> tuple[ThreadProfile | None, str]:
    """The profile of a model, by its fingerprint or by its name, on this machine; or None, and why if that is odd."""
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
        profile.allocation  # noqa: B018 - checked here, so that nobody else has to
    except OptionError as error:
        return None, f"The thread profile in {profile_path()} is ignored: {error} {AGAIN}"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None, f"The thread profiles in {profile_path()} cannot be read and are ignored. {AGAIN}"
    return profile, ""


def store_profile(fingerprint: str, profile: ThreadProfile) -> Path:
    """Keep a profile for this machine, in place of an earlier one of the same model; say where."""
    profiles = _readable()
    mine = profiles.setdefault(machine(), {})
    mine[fingerprint] = asdict(profile)
    return write_machines(profile_path(), profiles)


def forget_profiles(*, fingerprint: str) -> bool:
    """Drop a model's profile for this machine; tell whether there was one."""
    profiles = _readable()
    known = profiles.get(machine(), {}).pop(fingerprint, None) is not None
    if known:
        write_machines(profile_path(), profiles)
    return known


def read_machines(path: Path) -> dict[str, Any]:
    """Read what a file keeps of each machine; nothing where there is none. ValueError where it is damaged."""
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
    """Read what is kept, or nothing where that is damaged: it is about to be replaced."""
    try:
        return read_machines(profile_path())
    except (OSError, ValueError):
        return {}


def write_machines(path: Path, profiles: dict[str, Any]) -> Path:
    """Replace a file in one step, so that nobody ever reads half of it. ProfileUnwritable where that fails."""
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
    """The processor's name as the system tells it."""
    if sys.platform == "linux":
        with suppress(OSError):
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    return platform.processor() or platform.machine() or "unknown processor"
