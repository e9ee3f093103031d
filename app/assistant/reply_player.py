"""The sound of replies: played as it arrives, silent at once when spoken over, and kept to be played again.

No Qt: the thread that reads the microphone may silence it too.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.sound.replies import ReplyOrder
from engine.audio import Samples
from engine.errors import AudioError
from engine.turns import Heard, Interrupted, Speech

if TYPE_CHECKING:
    from app.sound.loudspeaker import Loudspeaker

MakeLoudspeaker = Callable[[], "Loudspeaker"]

MOST_KEPT_SECONDS = 240.0
"""Longest sound of answers that may be played again; 20 MB at 22 kHz."""

NOTHING = Speech(0, 0, 0, b"", 22_050)


class ReplyPlayer:
    """Plays the present reply, and measures how much of it has been played.

    `handle` receives the events of a conversation in order, numbered through all of it. Sound of a silenced reply is
    dropped, until the reply goes on under a higher revision.
    """

    def __init__(self, make_loudspeaker: MakeLoudspeaker) -> None:
        """Create a player; the loudspeaker is created when there is something to play."""
        self._make = make_loudspeaker
        self._loudspeaker: Loudspeaker | None = None
        self._lock = threading.RLock()
        self._order = ReplyOrder()
        self._newest = self._silenced = (
            0,
            0,
        )  # turn and revision of sound, and of sound that is not to be heard
        self._received_seconds = 0.0  # sound of the present reply
        self._held_seconds: float | None = None  # how much had been played when it was silenced
        self._kept: dict[int, list[Speech]] = {}
        self._replaying = False
        self._opening = False
        self._lost = False  # there is no device
        self._failure: AudioError | None = None  # of the thread that opened the device

    @property
    def playing(self) -> bool:
        """Return whether a reply is being played, new or old."""
        return self._loudspeaker is not None and self._loudspeaker.playing

    @property
    def replaying(self) -> bool:
        """Return whether an earlier reply is being played again."""
        return self._replaying and self.playing

    @property
    def silenced(self) -> bool:
        """Return whether the present reply was silenced, and has not gone on since."""
        return self._held_seconds is not None

    @property
    def replies(self) -> int:
        """Return how many replies have begun."""
        return self._loudspeaker.replies if self._loudspeaker is not None else 0

    @property
    def played_seconds(self) -> float:
        """Return how much of the present reply was played; all that has arrived if nothing is playing."""
        with self._lock:
            if self._held_seconds is not None:
                return self._held_seconds
            played = self._loudspeaker.played_seconds if self._loudspeaker is not None else math.inf
            return min(played, self._received_seconds)

    @property
    def newest_kept(self) -> int | None:
        """The newest turn whose answer can be played again."""
        return next(reversed(self._kept), None)

    def can_replay(self, turn: int) -> bool:
        """Return whether the sound of a turn's answer is kept, and can be played."""
        return not self._lost and bool(self._kept.get(turn))

    def change(self, make_loudspeaker: MakeLoudspeaker) -> None:
        """Play on another loudspeaker from now on; drop the present sound."""
        with self._lock:
            self.hush()
            self.rest()
            self._make, self._loudspeaker, self._lost = make_loudspeaker, None, False

    def get_ready(self) -> None:
        """Open the device in the background, so that the first sound need not wait for it."""
        if not self._opening:
            self._opening = True
            threading.Thread(target=self._open, name="loudspeaker", daemon=True).start()

    def rest(self) -> None:
        """Close the device; the next sound opens it again."""
        self._opening = False
        loudspeaker = self._loudspeaker
        if loudspeaker is not None:
            threading.Thread(target=loudspeaker.close, name="loudspeaker", daemon=True).start()
        if self._lost:  # it may be there again
            self._loudspeaker, self._lost = None, False

    def handle(self, event: Heard | Interrupted | Speech) -> None:
        """Play sound, or note whose sound comes next.

        Raises:
            AudioError: once, if there is no loudspeaker or it went away; the conversation goes on in text.
        """
        with self._lock:
            match event:
                case Heard():
                    if self._order.ask(event):
                        self.hush()
                        self._kept.pop(event.turn, None)
                case Interrupted():
                    if self._silenced < (event.turn, event.revision):
                        self.hush()
                case Speech() if (event.turn, event.revision) > self._silenced:
                    self._play(event)
                    self._tell_failure()

    def hush(self) -> float:
        """Silence this revision of the reply; return how much of it has been played."""
        with self._lock:
            if self._held_seconds is None and not self._replaying:
                self._held_seconds = self.played_seconds
                self._silenced = max(self._silenced, self._newest)
            self._replaying = False
            if self._loudspeaker is not None:
                self._loudspeaker.cut(0.0)
            return self._held_seconds if self._held_seconds is not None else self.played_seconds

    def replay(self, turn: int) -> None:
        """Play the answer of a turn again, in place of the present sound. Raises AudioError as `handle` does."""
        with self._lock:
            self.hush()
            self._silenced = max(self._silenced, self._newest)
            loudspeaker = self._out()
            loudspeaker.begin()
            self._replaying = True
            for speech in self._kept.get(turn, ()):
                loudspeaker.add(speech, 0.0)

    def forget(self) -> None:
        """Forget all answers: another conversation begins, whose turns are counted from 1."""
        with self._lock:
            self.hush()
            self._kept.clear()
            self._order = ReplyOrder()
            self._newest = self._silenced = (0, 0)
            self._received_seconds, self._held_seconds = 0.0, None

    def close(self) -> None:
        """Close the device."""
        if self._loudspeaker is not None:
            self._loudspeaker.close()

    def pop_played(self) -> Samples:
        """Return the sound played since the last call, at 16 kHz (n,)."""
        return self._out().pop_played()

    def _out(self) -> Loudspeaker:
        with self._lock:
            if self._loudspeaker is None:
                self._loudspeaker = self._make()
            return self._loudspeaker

    def _open(self) -> None:
        try:
            self._out().add(NOTHING, 0.0)
        except AudioError as error:
            self._failure, self._lost = error, True

    def _tell_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _play(self, speech: Speech) -> None:
        if self._replaying:
            self.hush()
        if self._order.answer():
            self._received_seconds, self._held_seconds = 0.0, None
            self._out().begin()
        elif self._held_seconds is not None:  # it was no interruption: what had not been heard comes again
            self._keep_first(speech.turn, self._held_seconds)
            self._received_seconds, self._held_seconds = self._held_seconds, None
        self._newest = speech.turn, speech.revision
        self._received_seconds += seconds_of(speech)
        self._keep(speech)
        try:
            self._out().add(speech, 0.0)
        except AudioError:
            self._lost = True
            raise

    def _keep(self, speech: Speech) -> None:
        self._kept.setdefault(speech.turn, []).append(speech)
        while len(self._kept) > 1 and sum(map(seconds_of, self._all_kept())) > MOST_KEPT_SECONDS:
            del self._kept[next(iter(self._kept))]

    def _keep_first(self, turn: int, seconds: float) -> None:
        """Keep only the chunks of a resumed reply that were played in full; the engine resends the rest."""
        whole = []
        for speech in self._kept.get(turn, ()):
            seconds -= seconds_of(speech)
            if seconds < -1e-6:
                break
            whole.append(speech)
        self._kept[turn] = whole

    def _all_kept(self) -> list[Speech]:
        return [speech for reply in self._kept.values() for speech in reply]


def seconds_of(speech: Speech) -> float:
    return len(speech.samples) / 4 / speech.rate_hz
