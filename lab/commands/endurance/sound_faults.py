"""Faults of a microphone and of the sound server behind it.

People are silent meanwhile: what a missing microphone does not hear is nobody's fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from app.captions.state import State
from lab.commands.endurance.faults import FAULT_LASTS_SECONDS, Fault, Steps, Subject, Until
from lab.commands.endurance.played_tape import RATES_HZ, PlayedTape

QUIET_SECONDS = 2.0
"""Time after which all that was said has been recorded, and silence once the microphone is back, in seconds."""


def mute_microphone(on: Subject, random: Random) -> Steps:
    """Mute the microphone for a while."""
    with _nobody_speaks(on):
        yield QUIET_SECONDS
        told = on.told(State.NO_SOUND.name)
        _room(on).mute(True)
        try:
            yield told
            yield random.uniform(*FAULT_LASTS_SECONDS)
        finally:
            _room(on).mute(False)
        yield _hears(on)


def unplug_microphone(on: Subject, random: Random) -> Steps:
    """Disconnect the microphone for a while."""
    with _nobody_speaks(on):
        yield QUIET_SECONDS
        told = on.told(State.NO_SOURCE.name)
        _room(on).unplug()
        try:
            yield told
            yield random.uniform(*FAULT_LASTS_SECONDS)
        finally:
            _room(on).plug_in()
        yield _hears(on)
        yield QUIET_SECONDS


def change_rate(on: Subject, random: Random) -> Steps:
    """Change the sample rate of the microphone, for which it goes and is back at once."""
    with _nobody_speaks(on):
        yield QUIET_SECONDS
        told = on.told("is back")
        _room(on).unplug()
        _room(on).plug_in(random.choice(RATES_HZ))
        yield told
        yield _hears(on)
        yield QUIET_SECONDS


def kill_sound_server(on: Subject, random: Random) -> Steps:
    """End the sound server without warning; another takes its place."""
    with _nobody_speaks(on):
        yield QUIET_SECONDS
        told = on.told(State.NO_SOURCE.name)
        _room(on).server.kill()
        try:
            yield told
            yield random.uniform(*FAULT_LASTS_SECONDS)
        finally:
            _room(on).server.start()
            _room(on).plug_in()
        yield _hears(on)
        yield QUIET_SECONDS


@contextmanager
def _nobody_speaks(on: Subject) -> Iterator[None]:
    on.tape.mishap.waits = True
    try:
        yield
    finally:
        on.tape.mishap.waits = False


def _room(on: Subject) -> PlayedTape:
    assert on.room
    return on.room


def _hears(on: Subject) -> Until:
    hearing = (State.LISTENING, State.HEARING)
    return Until(lambda: on.app.session.status.state in hearing, "it hears the microphone again")


SOUND_FAULTS: dict[str, Fault] = {
    "microphone muted": mute_microphone,
    "microphone unplugged": unplug_microphone,
    "sample rate changed": change_rate,
    "sound server killed": kill_sound_server,
}
