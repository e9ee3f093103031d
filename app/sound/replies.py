"""Replies that are played one after the other: the boundary between them, and speech over them. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from engine.audio import Samples
from engine.turns import Heard

if TYPE_CHECKING:
    from engine.audio.barge_in import BargeIn, SpokenOver
    from engine.options import TurnOptions


class ReplyOrder:
    """Assigns sound to replies: questions and sound arrive by turn and revision."""

    def __init__(self) -> None:
        self._asked = self._answered = (0, 0)  # turn and revision of the newest question, and of the reply being played

    def ask(self, heard: Heard) -> bool:
        """Note a question as it grows; return whether it continues the one that is being answered."""
        self._asked = heard.turn, heard.revision
        goes_on = self._answered[0] == heard.turn and self._answered[1] < heard.revision
        if goes_on:
            self._answered = (0, 0)
        return goes_on

    def answer(self) -> bool:
        """Note sound; return whether it is the first of a reply."""
        first, self._answered = self._asked != self._answered, self._asked
        return first


class Playing(Protocol):
    """A player of replies, one after the other; see Loudspeaker."""

    @property
    def replies(self) -> int: ...
    @property
    def playing(self) -> bool: ...
    def pop_played(self) -> Samples: ...


class BargeInWatch:
    """Detects speech over the playback. One thread uses it: the one that reads the microphone."""

    def __init__(self, output: Playing, barge_in: BargeIn | None) -> None:
        """Start watching; without `barge_in` nothing is detected."""
        self._output = output
        self._barge_in = barge_in
        self._replies = output.replies

    def hear(self, chunk: Samples) -> SpokenOver | None:
        """Process recorded audio (n,) at 16 kHz; return a value if the user speaks over the playback."""
        if self._barge_in is None:
            return None
        if self._replies != self._output.replies:
            self._replies = self._output.replies
            self._barge_in.restart()
        over = self._barge_in.add(chunk, self._output.pop_played())
        return over if self._output.playing else None


def barge_in_of(turns: TurnOptions) -> BargeIn | None:
    """Return a detector of interruptions, if the options let speech interrupt the assistant."""
    from engine.audio.barge_in import BargeIn

    return BargeIn() if turns.barge_in and not turns.push_to_talk else None
