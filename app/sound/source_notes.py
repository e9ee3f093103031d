"""Notes of a source of audio while it is recorded. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from engine.audio.remark import Remark


@dataclass(frozen=True, slots=True)
class Lost:
    """The device was disconnected while recording; silence replaces it until it is back. `reason` says what
    happened.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Back:
    """It is recorded again, after `seconds` of silence; or another device that the system uses in its place."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Moved:
    """The system uses another device now, `name`, and the recording has switched to it; without a microphone that is
    what `name` plays.
    """

    name: str
    plays: bool = False


@dataclass(frozen=True, slots=True)
class Missed:
    """Sound of `seconds` did not arrive and is silence."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Slept:
    """The computer slept for `seconds`, in which nothing was recorded."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Unplayed:
    """A recording is captioned, but not played on the loudspeaker; `reason` says why."""

    reason: str


Note = str | Remark | Lost | Back | Moved | Missed | Slept | Unplayed
"""A note of a source: an event of a device, a remark about a file, or, as a plain sentence, damage to it."""
