"""What a source of audio reports while it is heard. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from engine.audio.decoding import Remark


@dataclass(frozen=True, slots=True)
class Lost:
    """The device went away while it was recorded; silence is delivered until it is back. `reason` says how it went."""

    reason: str


@dataclass(frozen=True, slots=True)
class Back:
    """It can be heard again, after so many seconds of silence; or another one that the system uses in its place."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Moved:
    """The system uses another device now, of this name, and the recording went along."""

    name: str


@dataclass(frozen=True, slots=True)
class Missed:
    """So many seconds of sound did not come, and are silence."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Slept:
    """The computer slept so long, and nothing was recorded."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Unplayed:
    """A recording is heard, but not on the loudspeaker, for this reason."""

    reason: str


Note = str | Remark | Lost | Back | Moved | Missed | Slept | Unplayed
"""A source's report: what happened to a device, a remark about a file, or, as a plain sentence, damage to it."""
