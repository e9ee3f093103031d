"""One recording on its way into the transcript: the engine's sessions follow each other in it, and no word is lost."""

from __future__ import annotations

import math
import time

from app.captions.committed_words import CommittedWords
from app.captions.figures import FigureMeter, Sample
from app.captions.uncommitted_audio import UncommittedAudio
from app.engine_link.engine_client import EngineClient
from app.sound.audio_feed import QUIETEST_DBFS
from app.transcript.caption_model import CaptionModel
from app.transcript.timeline import Place
from engine.events import FIRST_CAPTION, Caption, RoundStats, Shed, Word
from engine.process.messages import Progress


class HeardRecording:
    """What has been recorded, and how much of it has been heard.

    Attributes:
        start_seconds: where it begins in the transcript.
        audio: takes what is recorded, on the thread that records.
        meter: the figures of this recording.
        place: where the present session of the engine begins in the transcript.
        heard_seconds: how much of it has been heard.
        speaking: whether the newest of that is speech.
        shed: what is left out, since the machine is too slow.
    """

    def __init__(self, client: EngineClient, captions: CaptionModel) -> None:
        """A recording below what the transcript holds already; nothing is recorded yet."""
        self.start_seconds = float(math.ceil(captions.end_seconds))
        self.audio = UncommittedAudio(client.send_audio)
        self.meter = FigureMeter()
        self.place = Place()
        self.heard_seconds = 0.0
        self.speaking = False
        self.shed = Shed.NOTHING
        self._captions = captions
        self._words = CommittedWords()
        self._session_start = 0.0  # seconds of the recording
        self._clock_zero = math.inf  # time.monotonic() of the first sample
        self._sound_at = 0.0  # seconds of the recording at which there was last any

    @property
    def clock_seconds(self) -> float:
        """What is being said now will stand at this second of the recording."""
        return time.monotonic() - self._clock_zero

    @property
    def behind_seconds(self) -> float:
        """How much audio is waiting for the engine."""
        return self.audio.seconds - self.heard_seconds

    @property
    def silent_seconds(self) -> float:
        """For how long every sample has been zero."""
        return self.audio.seconds - self._sound_at

    def begin_session(self, start_seconds: float) -> tuple[tuple[Word, ...], int]:
        """Another session hears from there on, and goes on with the caption that is not final, if there is one.

        Gives the words that it should know, in its own seconds, and how many of the last stand in that caption.
        """
        begun = self._captions.begun
        self.speaking, self.shed = False, Shed.NOTHING
        self._session_start = self.heard_seconds = start_seconds
        start = self.start_seconds + start_seconds
        if begun is None:
            self.place = Place(self._captions.next_id, start)
        else:
            self.place = Place(begun.id - FIRST_CAPTION, start, begun.revision + 1)
        self.meter.begin_session(begun)
        count = 0 if begun is None else len(begun.committed)
        return self._words.begin_session(start_seconds, count), count

    def show(self, caption: Caption) -> list[Sample]:
        """Put a session's caption into the transcript; what its words say for certain need not be heard again."""
        placed = self.place.of(caption)
        self._captions.show(placed)
        if caption.committed:
            self.audio.committed(self._session_start + caption.committed[-1].end)
        if caption.is_gap:
            return []
        self._words.add(caption, self._session_start)
        return self.meter.add_caption(placed, self.clock_seconds + self.start_seconds)

    def count_round(self, stats: RoundStats) -> list[Sample]:
        """Take what a round cost."""
        return self.meter.add_round(stats, self.heard_seconds)

    def note_progress(self, progress: Progress) -> None:
        """The present session has come so far."""
        self.heard_seconds = self._session_start + progress.audio_seconds
        self.speaking = progress.speaking
        self.shed = progress.shed
        self.audio.heard(self.heard_seconds)

    def note_level(self, dbfs: float) -> None:
        """A chunk has just been recorded that was so loud."""
        # Chunks may come late, never early: the earliest reckoning is the truest.
        self._clock_zero = min(self._clock_zero, time.monotonic() - self.audio.seconds)
        if dbfs > QUIETEST_DBFS:
            self._sound_at = self.audio.seconds
