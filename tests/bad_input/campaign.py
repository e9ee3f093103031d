"""The campaign: originals are spoilt, a process of its own reads them, and what it says is counted."""

from __future__ import annotations

import contextlib
import json
import select
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.bad_input.mutations import spoilt
from tests.bad_input.originals import Original

FILES_PER_PROCESS = 250
LONGEST_SECONDS = 5.0
"""Longest processor time for one file."""

PATIENCE_SECONDS = 120.0
"""Longest wait for an answer. A process that waits for ever uses no processor time; a busy machine answers in time."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A file that was not answered as it should be; `seed` and `number` make it again."""

    number: int
    original: str
    outcome: str
    line: str


@dataclass(slots=True)
class Tally:
    """Outcomes of the files so far."""

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)

    @property
    def figures(self) -> dict[str, int]:
        """The counts that must be zero, and how many files there were."""
        counts = {name: self.outcomes[name] for name in ("read", "refused", "unclear", "memory", "crash", "noise")}
        return {
            "inputs": sum(self.outcomes.values()) - self.outcomes["noise"],
            "tracebacks": self.outcomes["traceback"],
            "hangs": self.outcomes["hang"],
            **counts,
        }


class Reading:
    """A process that reads files, restarted when it dies or hangs."""

    def __init__(self, folder: Path, warm: Sequence[Original]) -> None:
        self._folder = folder
        self._warm = [(each.reader, str(write(each, each.files, folder / f"whole{n}"))) for n, each in enumerate(warm)]
        self._process: subprocess.Popen[str] | None = None
        self._noise = folder / "stderr.txt"
        self._answered = 0

    def ask(self, reader: str, path: Path) -> dict[str, Any]:
        """Read a file; the outcome is "crash" where the process died, "hang" where no answer came."""
        process = self._running()
        assert process.stdin
        before = self._noise.stat().st_size
        try:
            process.stdin.write(json.dumps([reader, str(path)]) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            line: str | None = ""
        else:
            line = self._answer(process)
        self._answered += 1
        if not line:
            self.stop()
            return {"outcome": "hang" if line is None else "crash", "line": self._said(before)}
        answer: dict[str, Any] = json.loads(line)
        if answer["seconds"] > LONGEST_SECONDS:
            answer["outcome"], answer["line"] = "hang", f"{answer['seconds']:.1f} s"
        return answer | {"noise": self._said(before)}

    def stop(self) -> None:
        """End the process."""
        if self._process:
            self._process.kill()
            self._process.wait()
            for pipe in filter(None, (self._process.stdin, self._process.stdout)):
                with contextlib.suppress(BrokenPipeError):  # a dead process has left some input unread
                    pipe.close()
        self._process, self._answered = None, 0

    def _running(self) -> subprocess.Popen[str]:
        if self._answered >= FILES_PER_PROCESS:
            self.stop()
        if self._process is None:
            command = [sys.executable, "-B", "-m", "tests.bad_input.readers"]
            pipe = subprocess.PIPE
            with self._noise.open("w", encoding="utf-8") as noise:
                self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=noise, text=True)
            assert self._process.stdin
            assert self._process.stdout
            self._process.stdin.write(json.dumps(self._warm) + "\n")
            self._process.stdin.flush()
            if self._process.stdout.readline().strip() != "ready":
                raise RuntimeError(f"The reading process does not start: {self._said(0)}")
        return self._process

    def _answer(self, process: subprocess.Popen[str]) -> str | None:
        """Return the next line; empty if the process has died, None if none comes."""
        assert process.stdout
        ready, _, _ = select.select([process.stdout], [], [], PATIENCE_SECONDS)
        return process.stdout.readline() if ready else None

    def _said(self, since: int) -> str:
        with self._noise.open("rb") as file:
            file.seek(since)
            return file.read()[:2000].decode("utf-8", "replace")


def write(original: Original, files: dict[str, bytes] | Any, folder: Path) -> Path:
    """Write the files of an original into a new folder, and give what its reader is given."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder / original.place if original.place else folder


def inputs(originals: Sequence[Original], count: int, seed: int) -> Iterator[tuple[int, Original, dict[str, bytes]]]:
    """Yield spoilt files, kind by kind in turn; number and seed alone decide what one is."""
    everything = [data for original in originals for data in original.files.values() if len(data) < 100_000]
    for number in range(count):
        random = Random(f"{seed} {number}")
        original = originals[number % len(originals)]
        name = random.choice(list(original.files))
        yield number, original, {**original.files, name: spoilt(original.files[name], everything, random)}


def run(
    originals: Sequence[Original], count: int, seed: int, folder: Path, tell: Callable[[str], None] = lambda line: None
) -> Tally:
    """Read spoilt files in another process and count what becomes of them."""
    tally = Tally()
    reading = Reading(folder, originals)
    try:
        for number, original, files in inputs(originals, count, seed):
            tell(f"file {number + 1} of {count}: {original.name}")
            answer = reading.ask(original.reader, write(original, files, folder / "spoilt"))
            tally.outcomes[answer["outcome"]] += 1
            if answer["outcome"] not in ("read", "refused"):
                tally.faults.append(Fault(number, original.name, answer["outcome"], answer["line"]))
            if answer.get("noise"):
                tally.outcomes["noise"] += 1
                tally.faults.append(Fault(number, original.name, "noise", answer["noise"]))
    finally:
        reading.stop()
    return tally
