"""Trials of the app, one after another on the same history, watched from outside and counted."""

from __future__ import annotations

import itertools
import json
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import psutil

from app.history.kept.schema import FILE_NAME
from app.history.store import HistoryStore
from app.terminal.tables import Cell
from engine.events import GAP
from lab.commands.endurance.faults import NEEDS
from lab.commands.endurance.surroundings import mounting
from lab.commands.endurance.trial import Plan, recordings
from lab.commands.endurance.words import Difference, Slip, compare, compare_to_tape, plain_words
from lab.commands.window.process_load import environment, family

KEPT_WITHIN_SECONDS = 2.0
"""Words that were shown so long before the app was killed must be in the history."""

SLEEP_SECONDS = (1.0, 20.0)
ORPHANS_END_SECONDS = 20.0
PATIENCE_SECONDS = 900.0
Tell = Callable[[str], None]
Moment = dict[str, Any]
"""Counts of a minute of speech; see Trial."""


@dataclass(slots=True)
class Told:
    """Lines that a trial has printed, by what they are about.

    Attributes:
        words: committed text by caption, as it was shown, with the clock's reading.
        begun: the first caption of every recording, at which the tape began again.
        transcript_megabytes: memory that the captions of the last recording take, measured at the end.
        ended: whether it came to its end by itself.
    """

    words: dict[int, list[tuple[float, str]]] = field(default_factory=dict)
    begun: list[int] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    longest_work_seconds: float = 0.0
    transcript_megabytes: float = 0.0
    ended: bool = False

    def note(self, line: str) -> str:
        """Note a line, and return what it is about."""
        try:
            record = json.loads(line)
        except ValueError:
            self.problems.append(line.strip()[:300])
            return ""
        about, what = record["about"], str(record["what"])
        match what:
            case "words":
                self.words.setdefault(about[0], []).append((record["at"], about[1]))
            case "began":
                self.begun.append(about)
            case "moment":
                self.moments.append(about)
            case "fault":
                self.faults.append(about)
            case "stuck" | "failed" | "untold":
                self.problems.append(f"{what}: {about}")
            case "stall":
                self.longest_work_seconds = max(self.longest_work_seconds, about)
            case "transcript":
                self.transcript_megabytes = about
            case "end":
                self.ended = True
        return what

    def shown(self, until: float = float("inf")) -> list[str]:
        """Return the committed texts, in order, as they were shown until a time."""
        newest = ([text for at, text in texts if at <= until][-1:] for texts in self.words.values())
        return [text for texts in newest for text in texts]

    @property
    def gaps(self) -> int:
        """Count the marks that stand for what was not captioned, since the machine was too slow."""
        return self.shown().count(GAP)

    def recordings(self) -> list[list[str]]:
        """Return the words, as they were shown last, of every recording in which nothing was left out."""
        whole = []
        for start, end in itertools.pairwise([*self.begun, float("inf")]):
            texts = [texts[-1][1] for caption, texts in self.words.items() if start <= caption < end]
            whole += [plain_words(texts)] if GAP not in texts else []
        return whole


@dataclass(slots=True)
class Tally:
    """The count of a campaign's trials.

    Attributes:
        words: how many were shown as committed.
        gaps: marks in the place of what was not captioned, since the machine was too slow.
        kept: what the history has less or more of them.
        slips: what was shown less or more than the tape says, in runs that are no mishearing.
    """

    faults: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    words: int = 0
    kept: Difference = field(default_factory=Difference)
    slips: list[Slip] = field(default_factory=list)
    gaps: int = 0
    crashes: int = 0
    orphans: int = 0
    longest_work_seconds: float = 0.0
    transcript_megabytes: float = 0.0

    def word_figures(self) -> dict[str, Cell]:
        """Return the figures about words: all but the first must be 0, gaps where the machine is quick enough."""
        heard = sum((slip.difference for slip in self.slips), Difference())
        return {
            "words": self.words,
            "lost_words": self.kept.lost,
            "doubled_words": self.kept.doubled,
            "unheard_words": heard.lost,
            "heard_twice_words": heard.doubled,
            "gaps": self.gaps,
            "crashes": self.crashes,
        }


class Trials:
    """Runs plans one after another on one folder, and holds the history against what was shown."""

    def __init__(
        self,
        folder: Path,
        tell: Tell,
        note: Callable[[Moment], None] = lambda moment: None,
        stop: threading.Event | None = None,
    ) -> None:
        """Pass every minute's counts to `note` as they come; once `stop` is set, a trial comes to its end."""
        self.tally = Tally()
        self._folder, self._tell, self._note = folder, tell, note
        self._stop = stop or threading.Event()
        self._sessions_before: set[int] = set()

    def run(self, plan: Plan, *, outside: str = "", random: Random | None = None) -> None:
        """Run one plan; "app killed" and "computer slept" happen to it from outside after the faults within it."""
        told = Told()
        with self._start(plan) as process:
            killed_at, before = self._watch(process, told, plan, outside, random)
        self._count(told, killed_at, process.returncode, before, plan.manifest)

    def _watch(
        self, process: subprocess.Popen[str], told: Told, plan: Plan, outside: str, random: Random | None
    ) -> tuple[float, set[int]]:
        """Read what a trial prints until its end; return when it was killed, and its processes."""
        killed_at = float("inf")
        before = {child.pid for child in family(process.pid)}
        lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_read, args=(process, lines), daemon=True).start()
        while (line := self._next(lines)) is not None:
            what = told.note(line)
            self._tell(f"{len(self.tally.faults) + len(told.faults)} faults, {what}")
            if what == "moment":
                self._note(told.moments[-1])
            if self._stop.is_set():
                process.terminate()
            if outside and what == "words" and len(told.faults) >= plan.faults and random is not None:
                before |= {child.pid for child in family(process.pid)}
                told.faults.append(outside)
                if outside == "app killed":
                    killed_at = time.monotonic()
                    process.kill()
                else:
                    _sleep(process.pid, random.uniform(*SLEEP_SECONDS))
                outside = ""
        return killed_at, before

    def _start(self, plan: Plan) -> subprocess.Popen[str]:
        module = "lab.commands.endurance.trial"
        given = json.dumps(asdict(replace(plan, folder=str(self._folder))))
        within = mounting() if NEEDS.keys() & set(plan.names) else []
        command = [*within, sys.executable, "-m", module, given]
        return subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)

    def _next(self, lines: queue.Queue[str | None]) -> str | None:
        try:
            return lines.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            self.tally.problems.append(f"nothing was said for {PATIENCE_SECONDS:g} s")
            return None

    def _count(self, told: Told, killed_at: float, status: int, before: set[int], manifest: str = "") -> None:
        tally = self.tally
        was_killed = killed_at < float("inf")
        if not told.ended and not was_killed:
            tally.crashes += 1
            tally.problems.append(f"the app ended with status {status}")
        tally.orphans += _orphans(before)
        shown = plain_words(told.shown(killed_at - KEPT_WITHIN_SECONDS))
        kept = plain_words(self._kept())
        found = compare(shown, kept)
        if was_killed:  # what was shown in the last moment may be kept or not
            later = len(plain_words(told.shown())) - len(shown)
            found = Difference(found.lost, max(0, found.doubled - later))
        tally.kept += found
        tally.words += len(shown)
        said = plain_words(clip.text for clip in recordings(manifest))
        tally.slips += [slip for words in told.recordings() for slip in compare_to_tape(said, words)]
        tally.gaps += told.gaps
        tally.faults += told.faults
        tally.problems += told.problems
        tally.moments += told.moments
        tally.longest_work_seconds = max(tally.longest_work_seconds, told.longest_work_seconds)
        tally.transcript_megabytes += told.transcript_megabytes

    def _kept(self) -> list[str]:
        """Return the captions that the newest trial has left in the history, in order."""
        with closing(HistoryStore(self._folder / "history" / FILE_NAME)) as store:
            captions = sorted(
                each.id for each in store.sessions() if each.kind == "captions"
            )  # the clock may have jumped
            new = [session for session in captions if session not in self._sessions_before]
            self._sessions_before |= set(new)
            return [caption.text for session in new for caption in store.captions(session)]


def _read(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert process.stdout
    for line in process.stdout:
        lines.put(line)
    lines.put(None)


def _sleep(root: int, seconds: float) -> None:
    """Stop a process and all its children for a while, as when the lid is closed."""
    processes = family(root)
    for number, pause in ((signal.SIGSTOP, seconds), (signal.SIGCONT, 0.0)):
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        time.sleep(pause)


def _orphans(children: set[int]) -> int:
    """Count a trial's processes that outlive it."""
    alive = [psutil.Process(each) for each in children if psutil.pid_exists(each)]
    _, left = psutil.wait_procs(alive, timeout=ORPHANS_END_SECONDS)
    for process in left:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    return len(left)
