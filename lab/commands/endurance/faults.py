"""Faults that happen while the app runs: what is done to it, what it must report, and what is undone."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from app.application import Application
from app.captions.state import State
from app.engine_link.engine_client import EngineClient
from app.preferences.preferences_file import FILE_NAME
from lab.commands.endurance.surroundings import read_only, set_clock
from lab.commands.endurance.tape import TORN, Tape

if TYPE_CHECKING:
    from lab.commands.endurance.played_tape import PlayedTape


@dataclass(frozen=True, slots=True)
class Until:
    """Something that must come before a fault goes on.

    Attributes:
        holds: tells whether it has come.
        what: a word for it, where it does not come.
    """

    holds: Callable[[], bool]
    what: str


@dataclass(slots=True)
class Subject:
    """The subject of a trial: the whole app, as it is started.

    Attributes:
        talks: the assistant's engine.
        folder: where it keeps everything.
        tape: what is said.
        room: the microphone that hears it; None where the app is given the tape itself.
        model: the folder of the model that hears, a copy for this trial; None where it is the app's own.
        said: every state and every sentence that the app has shown so far.
        excused: words of sentences that are the consequence of what was done to it.
        clock_seconds: by how much the wall clock is wrong.
    """

    app: Application
    talks: EngineClient
    folder: Path
    tape: Tape
    room: PlayedTape | None = None
    model: Path | None = None
    said: list[str] = field(default_factory=list)
    excused: set[str] = field(default_factory=lambda: {TORN})
    clock_seconds: float = 0.0

    def told(self, *words: str) -> Until:
        """Return what comes when the app reports one of these from now on, or is in a state of that name."""
        since = len(self.said)

        def holds() -> bool:
            now = self.app.session.status.state.name
            return now in words or any(word in line for line in self.said[since:] for word in words)

        return Until(holds, f"it says “{words[0]}”")


Steps = Generator[float | Until]
"""A fault that lasts: seconds to wait for, or what must come; it undoes what it did however it is ended."""

Fault = Callable[[Subject, Random], Steps | None]

FAULT_LASTS_SECONDS = (0.5, 6.0)
QUESTIONS = ("What can you do?", "What time is it?", "Tell me about bread.", "Good morning!")
FULL_DISK_BYTES = 4096
"""No file of this process may become longer: writing fails as on a full disk."""

SAVED, UNSAVED = "all is kept", "not kept"
"""Said where the history or the settings are written again, or cannot be."""

CLOCK_JUMPS_SECONDS = (61.0, 3_600.0, 86_400.0, 400 * 86_400.0)
NO_MORE_BYTES = 1 << 26
"""Limit of memory: less than a process has when it runs, so that it gets no more."""


def _signal(process: int | None, number: int) -> None:
    if process is not None:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def kill_engine(on: Subject, random: Random) -> Steps:
    """End the process that hears, without warning."""
    told = on.told(State.RESTARTING.name, State.ENGINE_STOPPED.name)
    if on.app.client.process_id is not None:
        _signal(on.app.client.process_id, signal.SIGKILL)
        yield told


def stop_engine(on: Subject, random: Random) -> Steps:
    """Stop the process that hears for a while, as on a machine that swaps."""
    process = on.app.client.process_id
    _signal(process, signal.SIGSTOP)
    try:
        yield random.uniform(*FAULT_LASTS_SECONDS)
    finally:
        _signal(process, signal.SIGCONT)


def lose_model(on: Subject, random: Random) -> Steps:
    """Delete the folder of the model that hears, and half of the time end its process as well."""
    if on.model is None:
        return
    on.excused.add(str(on.model))
    aside = on.model.with_name("model.kept")
    shutil.copytree(on.model, aside, dirs_exist_ok=True)
    told = on.told(str(on.model))
    shutil.rmtree(on.model)
    try:
        if random.random() < 0.5 and on.app.client.process_id is not None:
            _signal(on.app.client.process_id, signal.SIGKILL)
            yield told
        yield random.uniform(*FAULT_LASTS_SECONDS)
    finally:
        aside.rename(on.model)


def kill_assistant(on: Subject, random: Random) -> None:
    """End the assistant's process while it answers."""
    on.app.assistant.ask(random.choice(QUESTIONS))
    _signal(on.talks.process_id, signal.SIGKILL)


def ask(on: Subject, random: Random) -> None:
    """Ask the assistant something meanwhile."""
    on.app.assistant.ask(random.choice(QUESTIONS))


def change_hearing(on: Subject, random: Random) -> None:
    """Hear with another number of candidates from now on."""
    size = random.choice((1, 2, 5))
    on.app.settings.alter(
        lambda now: replace(now, captions=replace(now.captions, decode=replace(now.captions.decode, beam_size=size)))
    )


def change_translation(on: Subject, random: Random) -> None:
    """Translate, or into another language, or no longer."""
    target = random.choice(("", "de", "fr", "es"))
    on.app.settings.alter(
        lambda now: replace(now, translates=bool(target), translation=replace(now.translation, target=target or "de")),
    )


def change_look(on: Subject, random: Random) -> None:
    """Show the overlay or not, and another page."""
    shown = random.random() < 0.5
    on.app.settings.alter(lambda now: replace(now, overlay=replace(now.overlay, shown=shown)))
    actions = on.app.actions
    random.choice((actions.captions_page, actions.assistant_page, actions.history_page, actions.models_page)).trigger()


def fill_disk(on: Subject, random: Random) -> Steps:
    """Leave no room on the disk."""
    yield from _unwritable(on, random, FULL_DISK_BYTES)


def forbid_writing(on: Subject, random: Random) -> Steps:
    """Turn the disk read-only, as a system does that finds it damaged, and change a setting meanwhile."""
    yield from _unwritable(on, random, 0, read_only_folder=on.folder)


def _unwritable(on: Subject, random: Random, most_bytes: int, read_only_folder: Path | None = None) -> Steps:
    """Limit the length of files, until the app has reported that something is not kept, and for a while."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    told, kept = on.told(UNSAVED), on.told(SAVED)
    with ExitStack() as undo:
        if read_only_folder is not None:
            undo.enter_context(read_only(read_only_folder))
            change_look(on, random)
        undo.callback(resource.setrlimit, resource.RLIMIT_FSIZE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, hard))
        yield told
        yield random.uniform(*FAULT_LASTS_SECONDS)
    if told.holds():
        yield kept


def hold_history(on: Subject, random: Random) -> Steps:
    """Keep the history from being written: a slow disk, or another program that reads it."""
    with closing(sqlite3.connect(on.app.archive.path, timeout=0.0, isolation_level=None)) as connection:
        with suppress(sqlite3.OperationalError):
            connection.execute("BEGIN IMMEDIATE")
        yield random.uniform(*FAULT_LASTS_SECONDS)


def set_clock_forward(on: Subject, random: Random) -> None:
    """Move the wall clock forward by minutes, hours, days or a year."""
    _move_clock(on, random.choice(CLOCK_JUMPS_SECONDS))


def set_clock_back(on: Subject, random: Random) -> None:
    """Move the wall clock back."""
    _move_clock(on, -random.choice(CLOCK_JUMPS_SECONDS))


def _move_clock(on: Subject, seconds: float) -> None:
    on.clock_seconds += seconds
    set_clock(on.clock_seconds)


def lose_settings(on: Subject, random: Random) -> None:
    """Delete the file of the settings."""
    (on.folder / FILE_NAME).unlink(missing_ok=True)


def end_recording(on: Subject, random: Random) -> None:
    """Stop captioning; the trial begins again."""
    on.app.session.stop()


def tear_tape(on: Subject, random: Random) -> None:
    """Make the device fail; the trial begins again."""
    on.tape.mishap.is_torn = True


def hold_tape(on: Subject, random: Random) -> Steps:
    """Silence the tape for a while."""
    on.tape.mishap.waits = True
    try:
        yield random.uniform(*FAULT_LASTS_SECONDS)
    finally:
        on.tape.mishap.waits = False


FAULTS: dict[str, Fault] = {
    "engine killed": kill_engine,
    "engine stopped": stop_engine,
    "assistant killed": kill_assistant,
    "assistant asked": ask,
    "hearing changed": change_hearing,
    "translation changed": change_translation,
    "look changed": change_look,
    "disk full": fill_disk,
    "history held": hold_history,
    "settings lost": lose_settings,
    "recording ended": end_recording,
    "sound broken off": tear_tape,
    "sound delayed": hold_tape,
    "model deleted": lose_model,
    "disk read-only": forbid_writing,
    "clock forward": set_clock_forward,
    "clock back": set_clock_back,
}
if sys.platform == "linux":

    def starve_engine(on: Subject, random: Random) -> Steps:
        """Allow the process that hears no more memory than it has."""
        process = on.app.client.process_id
        if process is None:
            return
        with suppress(ProcessLookupError):
            _, hard = resource.prlimit(process, resource.RLIMIT_AS)
            resource.prlimit(process, resource.RLIMIT_AS, (NO_MORE_BYTES, hard))
            try:
                yield random.uniform(*FAULT_LASTS_SECONDS)
            finally:
                resource.prlimit(process, resource.RLIMIT_AS, (hard, hard))

    FAULTS["engine starved"] = starve_engine

OF_A_TAPE = ("sound broken off",)
"""Faults that can only happen where the app gets the tape itself."""

NEEDS = {"disk read-only": "mount"}
"""Requirements of faults, as `what_is_missing` calls them."""
