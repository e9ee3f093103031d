"""A queue of transcriptions: an engine process recognizes each recording, then it is stored and exported."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.engine_link.engine_client import EngineClient
from app.history.archive import Archive
from app.history.records import Transcript
from app.preferences.settings import Settings
from app.transcription.job import Job, Stage, check_export, export, keep
from app.transcription.queue_file import Pending, load, save
from engine.errors import EngineError
from engine.events import KnownVoice
from engine.process.messages import Progress, Transcribed
from engine.process.process import serve
from engine.speakers.search import SpeakerSearch


class TranscriptionQueue(QObject):
    """Transcribes recordings in the order of arrival.

    They use the model and the settings of captions, and are translated if captions are.

    Attributes:
        jobs: all jobs, finished ones included until `forget_finished`.
        known_voices: returns the voices that are known by name.

    Signals:
        changed: a changed Job.
        listed: jobs were added or removed.
    """

    changed = Signal(object)
    listed = Signal()

    def __init__(self, archive: Archive, settings: Settings, file: Path, parent: QObject | None = None) -> None:
        """Make a queue; `file` remembers what is still to be done when the app ends."""
        super().__init__(parent)
        self._file = file
        self._remembered: tuple[Pending, ...] = ()
        self.jobs: tuple[Job, ...] = ()
        self.known_voices: Callable[[], Sequence[KnownVoice]] = lambda: ()
        self._archive = archive
        self._settings = settings
        self._numbers = 0
        self._model = ""
        self._began = 0.0
        self._client = EngineClient(self, partial(serve, background=True))
        self._client.progressed.connect(self._note_progress)
        self._client.transcribed.connect(self._store_result)
        self._client.failed.connect(self._fail)
        self._client.crashed.connect(lambda: self._fail(self.tr("It stopped before it had finished. Try again.")))
        self.listed.connect(self._remember)
        self.changed.connect(self._remember)

    @property
    def is_busy(self) -> bool:
        """Return whether a job is unfinished."""
        return any(not job.is_over for job in self.jobs)

    @property
    def would_lose(self) -> bool:
        """Return whether a transcript is not saved."""
        return any(job.unsaved is not None for job in self.jobs)

    def resume(self) -> int:
        """Add the recordings that were not finished when the app ended; return their number."""
        pending = load(self._file)
        for each in pending:
            self.add([Path(each.path)], each.ending, each.name, speakers=each.speakers)
        return len(pending)

    def _remember(self) -> None:
        unfinished = (job for job in self.jobs if not job.is_over)
        pending = tuple(Pending(str(job.path.absolute()), job.ending, job.name, job.speakers) for job in unfinished)
        if pending != self._remembered:
            self._remembered = pending
            save(self._file, pending)

    def job(self, number: int) -> Job | None:
        """Return a job by its number; None if it was removed."""
        return next((job for job in self.jobs if job.number == number), None)

    def add(self, paths: Sequence[Path], ending: str, name: str = "", *, speakers: bool = False) -> None:
        """Add recordings to the queue; a file with this suffix is written beside each.

        `name` is shown for them; empty shows the file's. With `speakers` those who speak are told apart.
        """
        for path in paths:
            self._numbers += 1
            self.jobs = (*self.jobs, Job(self._numbers, path, ending, name=name, speakers=speakers))
        self.listed.emit()
        self._go_on()

    def cancel(self, number: int) -> None:
        """Cancel a transcription; nothing of it is stored."""
        job = self.job(number)
        if job is None or job.is_over or job.stage is Stage.WRITING:
            return
        if job is self._running:
            self._end_engine()
        self._put(replace(job, stage=Stage.CANCELLED))
        self._go_on()

    def save(self, number: int, place: Path) -> None:
        """Write an unsaved transcript to a file."""
        job = self.job(number)
        if job is not None and job.unsaved is not None:
            self._export(job, job.unsaved, place)

    def forget_finished(self) -> None:
        """Remove finished jobs, except those with an unsaved transcript."""
        self.jobs = tuple(job for job in self.jobs if not job.is_over or job.unsaved is not None)
        self.listed.emit()

    def shut_down(self) -> None:
        """Stop the engine."""
        self._end_engine()

    def _end_engine(self) -> None:
        """Free the memory and the cores at once: the engine has nothing to finish."""
        self._client.shut_down(patience_seconds=0.0)

    @property
    def _running(self) -> Job | None:
        active = (Stage.LOADING, Stage.SPEAKERS, Stage.HEARING, Stage.WRITING)
        return next((job for job in self.jobs if job.stage in active), None)

    def _go_on(self) -> None:
        if self._running is not None:
            return
        waiting = next((job for job in self.jobs if job.stage is Stage.WAITING), None)
        if waiting is None:
            self._end_engine()
            return
        try:
            check_export(waiting)
        except EngineError as error:
            self._put(replace(waiting, stage=Stage.FAILED, problem=str(error)))
            self._go_on()
            return
        now = self._settings.preferences
        self._model = now.models.hearing
        self._began = 0.0
        self._put(replace(waiting, stage=Stage.LOADING))
        self._client.start()
        search = None
        if waiting.speakers:
            search = SpeakerSearch(name=self.tr("Speaker {}"), known=tuple(self.known_voices()))
        self._client.transcribe_file(waiting.path, self._model, now.captions, now.translation_choice, search)

    def _note_progress(self, progress: Progress) -> None:
        job = self._running
        if job is None:
            return
        done, total = progress.audio_seconds, max(progress.total_seconds, progress.audio_seconds)
        if progress.for_speakers:
            self._put(replace(job, stage=Stage.SPEAKERS, done_seconds=done, total_seconds=total))
            return
        now = time.monotonic()
        self._began = self._began or now
        spent = now - self._began
        self._put(replace(job, stage=Stage.HEARING, done_seconds=done, total_seconds=total, spent_seconds=spent))

    def _store_result(self, result: Transcribed) -> None:
        job = self._running
        if job is None:
            return
        transcript = Transcript(
            captions=result.captions, translations=result.translations, audio_seconds=result.audio_seconds
        )
        job = replace(job, stage=Stage.WRITING, done_seconds=job.total_seconds, damage=result.damage)
        self._put(job)
        keeps = self._settings.preferences.history.keeps
        if keeps or not job.ending:  # without a file, the history was on when the job was added
            self._keep(replace(job, kept_though_off=not keeps), transcript)
        else:
            self._export(job, transcript)

    def _keep(self, job: Job, transcript: Transcript) -> None:
        model, now = self._model, time.time()
        kept: list[int] = []
        self._archive.write(lambda store: kept.append(keep(store, job, transcript, model, now)))
        self._archive.do(
            lambda: kept[-1] if kept else None, lambda session: self._export_stored(job, session, transcript)
        )

    def _export_stored(self, job: Job, session: int | None, transcript: Transcript) -> None:
        """Export a stored transcript; `session` is None if the history cannot be written."""
        if session is not None or job.ending or not transcript.captions:
            self._export(replace(job, session=session or 0), transcript)
        else:
            problem = self.tr("The transcript cannot be kept in the history now.")
            self._put(replace(job, stage=Stage.FAILED, problem=problem, unsaved=transcript))
            self._go_on()

    def _export(self, job: Job, transcript: Transcript, place: Path | None = None) -> None:
        try:
            job = export(job, transcript, place)
        except EngineError as error:
            unsaved = None if job.session else transcript
            self._put(replace(job, stage=Stage.FAILED, problem=str(error), unsaved=unsaved))
        else:
            stage = Stage.FAILED if job.damage else Stage.DONE
            self._put(replace(job, stage=stage, problem=job.damage, unsaved=None))
            if job.session and job.written:
                session, file = job.session, job.written[0]
                self._archive.write(lambda store: store.note_export(session, file))
        self._go_on()

    def _fail(self, problem: str) -> None:
        job = self._running
        if job is not None and job.stage is not Stage.WRITING:  # saving does not depend on the engine
            self._put(replace(job, stage=Stage.FAILED, problem=problem))
            self._go_on()

    def _put(self, job: Job) -> None:
        self.jobs = tuple(job if each.number == job.number else each for each in self.jobs)
        self.changed.emit(job)
