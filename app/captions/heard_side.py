"""One side of a recording: its audio, and how much of that has been heard and committed."""

from __future__ import annotations

from collections.abc import Callable

from app.captions.committed_words import CommittedWords
from app.captions.uncommitted_audio import UncommittedAudio
from app.sound.audio_feed import QUIETEST_DBFS
from engine.audio import Samples
from engine.events import Caption, Shed, Side
from engine.process.messages import Progress


class HeardSide:
    """A stream of audio on its way to the engine.

    Attributes:
        name: how the engine calls it; empty where there is one side.
        audio: takes what is recorded, on the thread that records.
        heard_seconds: how much of it has been heard.
        speaking: whether the newest of that is speech.
        shed: what is left out, since the machine is too slow.
    """

    def __init__(self, name: str, send: Callable[[Samples], None], start_seconds: float) -> None:
        """Begin at a second of the transcript; `send` receives what is recorded."""
        self.name = name
        self.audio = UncommittedAudio(send)
        self.heard_seconds = 0.0
        self.speaking = False
        self.shed = Shed.NOTHING
        self._words = CommittedWords()
        self._start_seconds = start_seconds
        self._sound_at = 0.0  # seconds of the recording at which there was last any

    @property
    def behind_seconds(self) -> float:
        """Return how much audio is waiting for the engine."""
        return self.audio.seconds - self.heard_seconds

    @property
    def silent_seconds(self) -> float:
        """For how long every sample has been zero."""
        return self.audio.seconds - self._sound_at

    def begin_session(self, heard_seconds: float, begun: Caption | None) -> Side:
        """Return what another session needs to know that hears from there on and goes on with a caption."""
        self.speaking, self.shed = False, Shed.NOTHING
        self.heard_seconds = heard_seconds
        return Side(self.name, self._start_seconds + heard_seconds, self._words.words, begun)

    def take(self, caption: Caption) -> None:
        """Note what a session's caption says for certain: that need not be heard again."""
        if not caption.is_gap:
            self._words.add(caption)
        if caption.committed:
            self.audio.committed(caption.committed[-1].end - self._start_seconds)

    def note_progress(self, progress: Progress) -> None:
        """The present session has come so far."""
        self.heard_seconds = progress.audio_seconds - self._start_seconds
        self.speaking = progress.speaking
        self.shed = progress.shed
        self.audio.heard(self.heard_seconds)

    def note_level(self, dbfs: float) -> None:
        """A chunk has just been recorded that was so loud."""
        if dbfs > QUIETEST_DBFS:
            self._sound_at = self.audio.seconds
