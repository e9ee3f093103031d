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
        NO_SOUND: only zeros come in: a microphone is muted or access is denied, or the computer plays nothing.
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
    """A session's state with the details that are shown of it.

    Attributes:
        behind_seconds: audio that waits for the engine.
        shed: the work that a slow machine leaves out.
        of_computer: the source is what the computer plays, where silence is normal.
        half_silent: of a microphone and the computer's sound, the microphone delivers only zeros.
    """

    state: State
    behind_seconds: float = 0.0
    shed: LoadShed = LoadShed.NOTHING
    of_computer: bool = False
    half_silent: bool = False
