"""What a caption session is doing, as people are told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.captions.engine_health import EngineHealth
    from app.captions.heard_recording import HeardRecording
    from app.sound.sided_feed import SidedFeed

from engine.events import Shed


class State(Enum):
    """The state of a session.

    Attributes:
        IDLE, FINISHED: nothing; before and after a recording.
        OPENING: the microphone has not delivered anything yet.
        LOADING: the engine is not ready yet; a microphone is recorded meanwhile, a file waits.
        NO_MODEL: the model could not be loaded.
        LISTENING, HEARING: all is well; without and with speech.
        NO_SOURCE: the device is gone; silence is recorded in its place until it is back.
        NO_SOUND: the microphone delivers nothing but zeros, as one does that is muted or denied.
        BEHIND: audio is waiting for the engine.
        FINISHING: the source is through, the last words are still to come.
        ENGINE_STOPPED: the engine crashed again and again; a microphone is recorded meanwhile.
        RESTARTING: the engine crashed and is coming back; a microphone is recorded meanwhile.
    """

    IDLE = auto()
    OPENING = auto()
    LOADING = auto()
    NO_MODEL = auto()
    LISTENING = auto()
    HEARING = auto()
    NO_SOURCE = auto()
    NO_SOUND = auto()
    BEHIND = auto()
    FINISHING = auto()
    FINISHED = auto()
    ENGINE_STOPPED = auto()
    RESTARTING = auto()


BEHIND_SECONDS = 2.5
DEAD_SILENCE_SECONDS = 3.0


def state_of(feed: SidedFeed, recording: HeardRecording, engine: EngineHealth, before: State) -> State:
    """Say what a recording is doing."""
    if engine.has_died:
        return State.ENGINE_STOPPED
    if not engine.hears:
        return State.RESTARTING if before is State.RESTARTING else State.LOADING
    if feed.is_over:
        return State.FINISHING
    if feed.source.passes_by and not recording.seconds:
        return State.OPENING
    if feed.is_interrupted:
        return State.NO_SOURCE
    if recording.behind_seconds > BEHIND_SECONDS:
        return State.BEHIND
    if feed.source.passes_by and recording.silent_seconds > DEAD_SILENCE_SECONDS:
        return State.NO_SOUND
    return State.HEARING if recording.speaking else State.LISTENING


@dataclass(frozen=True, slots=True)
class Status:
    """A state, how much audio is waiting for the engine, and what is left out since the machine is too slow."""

    state: State
    behind_seconds: float = 0.0
    shed: Shed = Shed.NOTHING
