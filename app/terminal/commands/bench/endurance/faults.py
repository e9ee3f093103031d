"""What may go wrong while the app runs, each as something done to it and, where it passes, undone."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from app.application import Application
from app.engine_link.engine_client import EngineClient
from app.preferences.preferences_file import FILE_NAME
from app.terminal.commands.bench.endurance.tape import Tape


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a trial: the whole app, as it is started.

    Attributes:
        talks: the assistant's engine.
        folder: where it keeps everything.
        tape: what it hears.
    """

    app: Application
    talks: EngineClient
    folder: Path
    tape: Tape


Undo = Callable[[], None]
Fault = Callable[[Subject, Random], Undo | None]

QUESTIONS = ("What can you do?", "What time is it?", "Tell me about bread.", "Good morning!")
FULL_DISK_BYTES = 4096
"""No file of this process may become longer: writing fails as on a full disk."""

NO_MORE_BYTES = 1 << 26
"""Less than a process has when it runs: it is given no more."""


def _signal(process: int | None, number: int) -> None:
    if process is not None:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def kill_engine(on: Subject, random: Random) -> None:
    """End the process that hears, without warning."""
    _signal(on.app.client.process_id, signal.SIGKILL)


def stop_engine(on: Subject, random: Random) -> Undo:
    """Have the process that hears stand still, as on a machine that swaps."""
    process = on.app.client.process_id
    _signal(process, signal.SIGSTOP)
    return lambda: _signal(process, signal.SIGCONT)


def starve_engine(on: Subject, random: Random) -> Undo | None:
    """Give the process that hears no more memory than it has."""
    process = on.app.client.process_id
    if process is None:
        return None
    with suppress(ProcessLookupError):
        _, hard = resource.prlimit(process, resource.RLIMIT_AS)
        resource.prlimit(process, resource.RLIMIT_AS, (NO_MORE_BYTES, hard))

    def feed() -> None:
        with suppress(ProcessLookupError):
            resource.prlimit(process, resource.RLIMIT_AS, (hard, hard))

    return feed


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


def fill_disk(on: Subject, random: Random) -> Undo:
    """Leave no room on the disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_DISK_BYTES, hard))
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def hold_history(on: Subject, random: Random) -> Undo:
    """Keep the history from being written: a slow disk, or another program that reads it."""
    connection = sqlite3.connect(on.app.archive.path, timeout=0.0, isolation_level=None, check_same_thread=False)
    with suppress(sqlite3.OperationalError):
        connection.execute("BEGIN IMMEDIATE")
    return connection.close


def lose_settings(on: Subject, random: Random) -> None:
    """Delete the file of the settings."""
    (on.folder / FILE_NAME).unlink(missing_ok=True)


def end_recording(on: Subject, random: Random) -> None:
    """Stop captioning; the trial begins again."""
    on.app.session.stop()


def tear_tape(on: Subject, random: Random) -> None:
    """Have the device fail; the trial begins again."""
    on.tape.mishap.is_torn = True


def hold_tape(on: Subject, random: Random) -> Undo:
    """Have the device give no sound for a while."""
    on.tape.mishap.waits = True
    return lambda: setattr(on.tape.mishap, "waits", False)


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
}
if hasattr(resource, "prlimit"):  # Linux alone
    FAULTS["engine starved"] = starve_engine
