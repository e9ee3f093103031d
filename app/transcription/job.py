"""A recording that is to be written down, and how far that is. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path

from app.history.export.exporting import ExportChoice, write_transcript
from app.history.export.formats import check_place
from app.history.records import Transcript
from app.history.store import HistoryStore

LEAST_SECONDS = 2.0
"""Before so much time has gone nobody can say how much is left."""


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
        path: the recording.
        ending: of the file that is written beside it, such as ".srt"; empty writes none.
        done_seconds, total_seconds: of its sound; the total is 0 before it is known.
        spent_seconds: since its hearing began.
        written: the files that were written.
        session: its id in the history; 0 where it is not there.
        problem: why it failed, in one sentence.
        damage: what is wrong with the recording though it was heard; empty where nothing is.
        name: what to call it; empty is as its file.
        kept_though_off: it is in the history, which was on when that was asked for and is off now.
        unsaved: what was heard, where neither the history nor a file has it.
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
        """Return what to call it."""
        return self.name or self.path.name

    @property
    def is_over(self) -> bool:
        """Tell whether nothing more comes of it."""
        return self.stage in (Stage.DONE, Stage.FAILED, Stage.CANCELLED)

    @property
    def share(self) -> float:
        """Return how much of it is heard, 0 to 1."""
        return min(1.0, self.done_seconds / self.total_seconds) if self.total_seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Return how long it takes on at the present speed; None where nobody can say yet."""
        if self.stage is not Stage.HEARING or not self.done_seconds or self.spent_seconds < LEAST_SECONDS:
            return None
        return (self.total_seconds - self.done_seconds) * self.spent_seconds / self.done_seconds


def free_place(path: Path, ending: str) -> Path:
    """Name a file beside a recording: talk.srt for talk.mp3, talk-2.srt where there is one already."""
    place, number = path.with_suffix(ending), 1
    while place.exists():
        number += 1
        place = path.with_name(f"{path.stem}-{number}{ending}")
    return place


def keep(store: HistoryStore, job: Job, transcript: Transcript, model: str, now: float) -> int:
    """Make a session of what was heard and give its id; 0 where nothing was said.

    Sound that the history keeps for another session is from then on this one's too.
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
    """Raise ExportError where the file that is wanted beside the recording could not be written, before any work."""
    if job.ending:
        check_place(free_place(job.path, job.ending))


def export(job: Job, transcript: Transcript, place: Path | None = None) -> Job:
    """Write the file that is wanted, if any, at a place or else beside the recording.

    Raises:
        ExportError: it cannot be written.
    """
    if place is None and not job.ending:
        return job
    place = free_place(job.path, job.ending) if place is None else place
    choice = ExportChoice(place.suffix, times=place.suffix != ".txt")
    return replace(job, written=write_transcript(place, transcript, choice))
