"""A recording to transcribe, and its progress. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path

from app.history.export.exporting import ExportChoice, write_transcript
from app.history.export.formats import check_place
from app.history.records import Transcript
from app.history.store import HistoryStore

LEAST_SECONDS = 2.0
"""Shortest hearing from which the time that is left is estimated, in seconds."""


class Stage(Enum):
    """A stage of a job."""

    WAITING = auto()
    LOADING = auto()
    HEARING = auto()
    WRITING = auto()
    DONE = auto()
    FAILED = auto()
    CANCELLED = auto()


@dataclass(frozen=True, slots=True)
class Job:
    """One recording.

    Attributes:
        ending: suffix of the file that is written beside it, such as ".srt"; empty writes none.
        done_seconds, total_seconds: audio that was heard, and all of it; the total is 0 before it is known.
        spent_seconds: time since hearing began.
        written: files that were written.
        session: its id in the history; 0 if it is not there.
        problem: reason of the failure, in one sentence.
        damage: problem of the recording, of which only a part was heard; empty if all of it was.
        name: name to show; empty shows that of the file.
        kept_though_off: the history was on when the transcript was asked for, and is off now, but has it.
        unsaved: the transcript, if neither the history nor a file has it.
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

    @property
    def title(self) -> str:
        """Return its name to show."""
        return self.name or self.path.name

    @property
    def is_over(self) -> bool:
        """Return whether it is done, failed or cancelled."""
        return self.stage in (Stage.DONE, Stage.FAILED, Stage.CANCELLED)

    @property
    def share(self) -> float:
        """Return the share of its audio that was heard, 0 to 1."""
        return min(1.0, self.done_seconds / self.total_seconds) if self.total_seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Return the time that it still takes at the present speed; None while that cannot be estimated."""
        if self.stage is not Stage.HEARING or not self.done_seconds or self.spent_seconds < LEAST_SECONDS:
            return None
        return (self.total_seconds - self.done_seconds) * self.spent_seconds / self.done_seconds


def free_place(path: Path, ending: str) -> Path:
    """Name a file beside a recording: talk.srt for talk.mp3, talk-2.srt if there is one already."""
    place, number = path.with_suffix(ending), 1
    while place.exists():
        number += 1
        place = path.with_name(f"{path.stem}-{number}{ending}")
    return place


def keep(store: HistoryStore, job: Job, transcript: Transcript, model: str, now: float) -> int:
    """Store a transcript as a session and return its id; 0 if nothing was said.

    A sound file of the history, which belongs to another session, then belongs to this one too.
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
    """Raise ExportError if the file beside the recording could not be written; called before any work."""
    if job.ending:
        check_place(free_place(job.path, job.ending))


def export(job: Job, transcript: Transcript, place: Path | None = None) -> Job:
    """Write the file that is wanted, if any, to a place or else beside the recording.

    Raises:
        ExportError: it cannot be written.
    """
    if place is None and not job.ending:
        return job
    place = free_place(job.path, job.ending) if place is None else place
    choice = ExportChoice(place.suffix, times=place.suffix != ".txt")
    return replace(job, written=write_transcript(place, transcript, choice))
