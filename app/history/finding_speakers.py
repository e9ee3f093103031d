"""Speakers of a kept transcript, found in its sound: a bar with the progress, and names that can be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from app.engine_link.engine_client import EngineClient
from app.history.changes import Changes
from app.history.records import Transcript
from app.history.work_bar import WorkBar
from app.look.problems import in_words
from engine.events import Caption
from engine.process.messages import Progress, SpeakersFound
from engine.speakers.search import SpeakerSearch


class SpeakersOfTranscript(WorkBar):
    """Finds the speakers of a transcript, by an engine of its own that ends with it.

    Lines that have a speaker already, such as the sides of a call, keep theirs. A line is split where a turn of another
    speaker begins, unless a person has corrected it or it is translated.
    """

    def __init__(self, changes: Changes, client: EngineClient | None = None) -> None:
        super().__init__()
        self.progress.setAccessibleName(self.tr("Sound that was searched for speakers"))
        self.label.setText(self.tr("Telling the speakers apart…"))
        self._changes = changes
        self._client = client or EngineClient(self)
        self._session: int | None = None
        self._whole: set[int] = set()  # captions that are not split: their text, or their translation, is one
        self.cancel.clicked.connect(self.stop)
        self._client.progressed.connect(self._show_progress)
        self._client.speakers_found.connect(self._keep)
        self._client.failed.connect(self._fail)
        self._client.crashed.connect(lambda: self._fail(self.tr("It stopped before it had finished. Try again.")))

    @property
    def is_busy(self) -> bool:
        return self._session is not None

    def begin(self, transcript: Transcript, sound: Path) -> None:
        """Find the speakers in the sound of a transcript, and name its lines."""
        unnamed = lines_without_speaker(transcript)
        if self.is_busy or transcript.session is None or not unnamed:
            return
        self._session = transcript.session.id
        self._whole = {*transcript.heard, *transcript.translated}
        if transcript.session.is_running:
            self._whole.update(each.id for each in unnamed)  # its next lines have the next numbers
        self.progress.setRange(0, 0)
        self.show()
        self._client.start()
        self._client.find_speakers(sound, unnamed, SpeakerSearch(name=self.tr("Speaker {}")))
        self.busy_changed.emit(True)

    def stop(self) -> None:
        """Cancel the search, if there is one, and close the engine."""
        if self.is_busy:
            self._session = None
            self._client.shut_down()
            self.hide()
            self.busy_changed.emit(False)

    def _show_progress(self, progress: Progress) -> None:
        self.progress.setRange(0, max(1, round(progress.total_seconds)))
        self.progress.setValue(round(progress.audio_seconds))

    def _keep(self, found: SpeakersFound) -> None:
        session = self._session
        if session is None:
            return
        self.stop()
        names = {caption: said for caption, said in found.names.items() if any(said)}
        if not names:
            self.finished.emit(self.tr("Only one person speaks in this session."))
            return
        whole = {each: (_most_of(said),) * len(said) if each in self._whole else said for each, said in names.items()}
        told = self.tr("{} speakers were found.").format(len({name for said in whole.values() for name in said}))
        self._changes.name_words(session, whole, told)

    def _fail(self, reason: str) -> None:
        if self.is_busy:
            self.stop()
            self.failed.emit(self.tr("The speakers were not found: {}").format(in_words(reason)))


def _most_of(names: Sequence[str]) -> str:
    return Counter(names).most_common(1)[0][0]


def lines_without_speaker(transcript: Transcript) -> list[Caption]:
    """Return the captions with words that nobody is named for."""
    return [caption for caption in transcript.captions if caption.committed and not caption.speaker]
