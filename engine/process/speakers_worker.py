"""Speakers of a kept recording in the engine process."""

from __future__ import annotations

from collections.abc import Callable

from engine.audio.source import audio_seconds, begun, stream_audio
from engine.process.messages import Command, Event, FindSpeakers, Progress, SpeakersFound
from engine.process.worker import Worker
from engine.speakers.search import find_speakers


class SpeakersWorker(Worker):
    """Finds the speakers of one recording, names the words of captions by them, and ends."""

    progress_seconds = 1.0

    def __init__(self, start: FindSpeakers, send: Callable[[Event], None], get_on: Callable[[], None]) -> None:
        """Open the recording; `get_on` is called every few seconds of it. Raises AudioError if it cannot be decoded."""
        super().__init__(send)
        self._start = start
        self._get_on = get_on
        self._total_seconds = audio_seconds(start.path)
        self._chunks = begun(stream_audio(start.path))

    @property
    def busy(self) -> bool:
        return not self.over

    def carry_out(self, command: Command) -> None:
        """Do nothing: no command changes the work under way."""

    def hear(self) -> None:
        """Do nothing: the recording is heard as one piece of work."""

    def work(self) -> None:
        speakers = find_speakers(self._chunks, self._start.search, self._tell_progress)
        names = {
            caption.id: tuple(speakers(caption.committed)) for caption in self._start.captions if caption.committed
        }
        self.over = True
        self._send(SpeakersFound(names))

    def close(self) -> None:
        """Do nothing: there is nothing in flight between two pieces of work."""

    def _tell_progress(self, seconds: float) -> None:
        self._get_on()
        self._report(Progress(seconds, False, total_seconds=self._total_seconds, for_speakers=True))
