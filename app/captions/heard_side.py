"""One side of a recording: its audio, and how much of that has been heard and committed."""

from __future__ import annotations

from collections.abc import Callable

from app.captions.committed_words import CommittedWords
from app.captions.uncommitted_audio import UncommittedAudio
from app.sound.audio_feed import QUIETEST_DBFS
from engine.audio import Samples
from engine.events import Caption, Shed
from engine.process.messages import Progress, Side


class HeardSide:
    """A stream of audio on its way to the engine.

    Attributes:
        name: how the engine calls it; empty where there is one side.
        audio: takes what is recorded, on the thread that records.
        heard_seconds: how much of it has been heard.
        speaking: whether the newest of that is speech.
        shed: what is left out, since the machine is too slow.
    """

    def __init__(self, name: str, send: Callable[[Samples], None]) -> None:
        """Nothing is recorded yet; `send` takes what is."""
        self.name = name
        self.audio = UncommittedAudio(send)
        self.heard_seconds = 0.0
        self.speaking = False
        self.shed = Shed.NOTHING
        self._words = CommittedWords()
        self._session_start = 0.0  # seconds of the recording
        self._sound_at = 0.0  # seconds of the recording at which there was last any

    @property
    def behind_seconds(self) -> float:
        """Return how much audio is waiting for the engine."""
        return self.audio.seconds - self.heard_seconds

    @property
    def silent_seconds(self) -> float:
        """For how long every sample has been zero."""
        return self.audio.seconds - self._sound_at

    def begin_session(self, start_seconds: float, begun: Caption | None, number: int) -> Side:
        """Another session hears from there on: what it should know.

        It goes on with the caption that was `begun`, if one was, and calls it by that `number`.
        """
        self.speaking, self.shed = False, Shed.NOTHING
        self._session_start = self.heard_seconds = start_seconds
        count = 0 if begun is None else len(begun.committed)
        return Side(self.name, self._words.begin_session(start_seconds, count, number), count)

    def take(self, caption: Caption) -> None:
        """Note what a session's caption says for certain: that need not be heard again."""
        if not caption.is_gap:
            self._words.add(caption, self._session_start)
        if caption.committed:
            self.audio.committed(self._session_start + caption.committed[-1].end)

    def note_progress(self, progress: Progress) -> None:
        """The present session has come so far."""
        self.heard_seconds = self._session_start + progress.audio_seconds
        self.speaking = progress.speaking
        self.shed = progress.shed
        self.audio.heard(self.heard_seconds)

    def note_level(self, dbfs: float) -> None:
        """A chunk has just been recorded that was so loud."""
        if dbfs > QUIETEST_DBFS:
            self._sound_at = self.audio.seconds
