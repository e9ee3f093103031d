"""The state of a caption session, as it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from engine.events import LoadShed


class State(Enum):
    """The state of a session.

    Attributes:
        IDLE, FINISHED: no recording yet; the recording has ended.
        OPENING: the microphone has not delivered anything yet.
        LOADING: the engine is not ready yet; a microphone is recorded meanwhile, a file waits.
        NO_MODEL: the model could not be loaded.
        LISTENING, HEARING: all works; without and with speech.
        NO_SOURCE: the device is gone; silence is recorded in its place until it is back.
        NO_SOUND: the microphone delivers only zeros, because it is muted or access is denied.
        PAUSED: the recording rests until `LiveSession.resume`.
        BEHIND: audio is waiting for the engine.
        FINISHING: the source has ended, and the last words are still to come.
        ENGINE_STOPPED: the engine crashed too often; a microphone is recorded meanwhile.
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
    PAUSED = auto()
    BEHIND = auto()
    FINISHING = auto()
    FINISHED = auto()
    ENGINE_STOPPED = auto()
    RESTARTING = auto()


@dataclass(frozen=True, slots=True)
class Status:
    """A state, the audio that waits for the engine in seconds, and the work that a slow machine leaves out."""

    state: State
    behind_seconds: float = 0.0
    shed: LoadShed = LoadShed.NOTHING
