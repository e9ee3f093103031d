"""The transcription of a recording, and its progress. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path

from app.history.export.exporting import ExportChoice, write_transcript
from app.history.export.formats import check_place
from app.history.records import Transcript
from app.history.store import HistoryStore

LEAST_SECONDS = 2.0
"""Least time of recognition for an estimate of the remaining time."""


class Stage(Enum):
    """The stage of a job."""

    WAITING = auto()
    LOADING = auto()
    SPEAKERS = auto()
    HEARING = auto()
    WRITING = auto()
    DONE = auto()
    FAILED = auto()
    CANCELLED = auto()


@dataclass(frozen=True, slots=True)
class Job:
    """The transcription of one recording.

    Attributes:
        path: the recording.
        ending: suffix of the file that is written beside it, such as ".srt"; empty writes none.
        done_seconds, total_seconds: transcribed and total audio; the total is 0 before it is known.
        spent_seconds: time since recognition started.
        written: the written files.
        session: id in the history; 0 if it is not there.
        problem: why it failed, in one sentence.
        damage: what is wrong with the recording although it was transcribed; empty if nothing is.
        name: name to show; empty is that of the file.
        kept_though_off: whether it is in the history, which was turned off after the job was added.
        unsaved: the transcript, if neither the history nor a file has it.
        speakers: whether the speakers are told apart.
    """

    number: int
    path: Path
    ending: str = ""
    stage: Stage = Stage.WAITING
    done_seconds: float = 0.0
    total_seconds: float = 0.0
    spent_seconds: float = 0.0
    written: tuple[Path, ...] = ()
    session: int = 0
    problem: str = ""
    damage: str = ""
    name: str = ""
    kept_though_off: bool = False
    unsaved: Transcript | None = None
    speakers: bool = False

    @property
    def title(self) -> str:
        """Name to show."""
        return self.name or self.path.name

    @property
    def is_over(self) -> bool:
        """Return whether the job has ended."""
        return self.stage in (Stage.DONE, Stage.FAILED, Stage.CANCELLED)

    @property
    def share(self) -> float:
        """Share of the audio that has been transcribed, 0 to 1."""
        return min(1.0, self.done_seconds / self.total_seconds) if self.total_seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Estimated time left; None if it is unknown."""
        if self.stage is not Stage.HEARING or not self.done_seconds or self.spent_seconds < LEAST_SECONDS:
            return None
        return (self.total_seconds - self.done_seconds) * self.spent_seconds / self.done_seconds


def free_place(path: Path, ending: str) -> Path:
    """Return an unused path beside a recording: talk.srt for talk.mp3, talk-2.srt if that exists."""
    place, number = path.with_suffix(ending), 1
    while place.exists():
        number += 1
        place = path.with_name(f"{path.stem}-{number}{ending}")
    return place


def keep(store: HistoryStore, job: Job, transcript: Transcript, model: str, now: float) -> int:
    """Store a transcript as a session and return its id; 0 if nothing was said.

    Audio that the history keeps for another session then belongs to this one as well.
    """
    if not transcript.captions:
        return 0
    language = transcript.captions[0].language or ""
    if job.path.parent == store.audio_folder:
        recording, audio = "", job.path.name if job.path.is_file() else ""
        source = next((each.source for each in store.sessions() if each.audio == job.path.name), "")
    else:
        source, recording, audio = job.path.name, str(job.path.absolute()), ""
    session = store.begin("captions", job.title, source, model, language, now, recording, audio)
    for caption in transcript.captions:
        store.put_caption(session, caption)
    for translation in transcript.translations:
        store.put_translation(session, translation)
    store.end(session, now + (transcript.audio_seconds or transcript.end_seconds))
    return session


def check_export(job: Job) -> None:
    """Raise ExportError before any work, if the file beside the recording could not be written."""
    if job.ending:
        check_place(free_place(job.path, job.ending))


def export(job: Job, transcript: Transcript, place: Path | None = None) -> Job:
    """Write the requested file, if any, at a path or else beside the recording.

    Raises:
        ExportError: it cannot be written.
    """
    if (place is None and not job.ending) or not transcript.captions:
        return job
    place = free_place(job.path, job.ending) if place is None else place
    choice = ExportChoice(place.suffix, times=place.suffix != ".txt")
    return replace(job, written=write_transcript(place, transcript, choice))
