"""A transcript for a command: the captions of a file, of a recording, or of a kept session."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from os.path import expanduser
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from app.history.export.read_back import ENDINGS, read_lines
from app.history.kept.schema import FILE_NAME
from app.preferences.program import data_folder
from app.terminal.screen import progress
from engine.errors import FileError, OptionError
from engine.events import Caption, Word
from engine.notes.grammar import language_of
from engine.notes.records import Notes, SaidLine, lines_of
from engine.notes.template import load_template
from engine.notes.writer import finished

if TYPE_CHECKING:
    from app.history.records import Session
    from app.history.store import HistoryStore

LAST = "last"
MOST_NAMED = 5
"""Most titles of sessions that a problem names."""

_RECORDINGS = (".mp3", ".wav", ".mp4", ".flac", ".ogg", ".m4a", ".mkv")
_WRITTEN_ALONE = (".csv", ".docx", ".rttm")
"""Exports that are not read."""

_WORD = re.compile(r"\s*\S+")


@dataclass(frozen=True, slots=True)
class Said:
    """The captions of a transcript.

    Attributes:
        language: its code; "" if nobody knows it.
        notes: those that are kept with it, if any.
    """

    captions: tuple[Caption, ...]
    language: str = ""
    notes: Notes | None = None

    @property
    def starts(self) -> dict[int, float]:
        """The seconds at which captions began, by their numbers."""
        return {caption.id: caption.start for caption in self.captions}

    @property
    def noted(self) -> Notes:
        """The kept notes; else those that are made now, of chosen lines."""
        return self.notes or _chosen(self)


def is_heard(source: str) -> bool:
    """Return whether a source is a recording, which has to be captioned first."""
    path = Path(expanduser(source))
    return path.is_file() and path.suffix.lower() not in ENDINGS


def said_in(source: str, hearing: str, language: str | None = None, *, speakers: bool = False) -> Said:
    """Return what is said in a source; a recording is captioned with the model `hearing`.

    Raises EngineError if the source cannot be read, or nothing is said in it.
    """
    if not source.strip():
        raise OptionError("Name a transcript: a file, 'last', or words of a kept session's title.")
    path = Path(expanduser(source))
    if path.suffix.lower() in _WRITTEN_ALONE and path.is_file():
        raise FileError(f"{source} cannot be read back. Name a {', '.join(ENDINGS)} file of it, or the recording.")
    if is_heard(source):
        said = _heard(path, hearing, language, speakers=speakers)
    elif path.is_file():
        said = Said(tuple(map(_caption, read_lines(path))))
    elif path.suffix.lower() in (*ENDINGS, *_RECORDINGS):
        raise FileError(f"There is no file {source}.")
    else:
        said = _kept(source)
    if not lines_of(said.captions):
        raise FileError(f"Nothing is said in {source}.")
    return said


def session_in(store: HistoryStore, session: Session | None) -> Said:
    """Return a session of a history; nothing without one."""
    if session is None:
        return Said(())
    return Said(store.captions(session.id), session.language, store.notes(session.id))


@lru_cache(1)
def _chosen(said: Said) -> Notes:
    """Choose the notes of what was said, once for all questions about it."""
    from engine.notes.extractive import ExtractiveWriter
    from engine.notes.ground import supported

    lines = lines_of(said.captions)
    template = load_template(language=said.language or language_of(lines))
    return supported(finished(ExtractiveWriter().write(lines, template)), lines)


def _caption(line: SaidLine) -> Caption:
    """Return a line of a file as a caption, whose words all have its time."""
    words = tuple(Word(word, line.start, line.end) for word in _WORD.findall(line.text))
    return Caption(line.number, 1, line.start, line.end, words, (), True, line.end, line.end, speaker=line.speaker)


def _heard(path: Path, hearing: str, language: str | None, *, speakers: bool) -> Said:
    """Caption a recording."""
    from app.terminal.caption_run import load_recognizer
    from engine.options import CaptionOptions
    from engine.process.file_worker import FileWorker
    from engine.process.messages import Event, Progress, Transcribed, TranscribeFile
    from engine.speakers.search import SpeakerSearch

    found: list[Transcribed] = []
    options = CaptionOptions(language=language) if language else CaptionOptions()
    search = SpeakerSearch() if speakers else None
    with progress() as tell:

        def send(event: Event) -> None:
            if isinstance(event, Transcribed):
                found.append(event)
            elif isinstance(event, Progress):
                tell(f"captioning: {event.audio_seconds:.0f} s")

        start = TranscribeFile(1, path, hearing, options, speakers=search)
        worker = FileWorker(start, load_recognizer, _no_translation, send, lambda: None)
        worker.hear()
        while worker.busy:
            worker.work()
        worker.close()
    (transcribed,) = found
    if transcribed.damage:
        sys.stderr.write(f"earshot: {transcribed.damage}\n")
    return Said(transcribed.captions, next((each.language for each in transcribed.captions), ""))


def _no_translation(model: str) -> NoReturn:
    raise AssertionError(f"{model} was not asked for")


def _kept(title: str) -> Said:
    """Return a session of the history: the newest, or the newest with these words in its title."""
    from app.history.store import HistoryStore

    path = data_folder() / "history" / FILE_NAME
    if not path.is_file():
        raise FileError(f"{_no_file(title)}, and no history yet.")
    store = HistoryStore(path)
    try:
        sessions = [each for each in store.sessions() if each.kind == "captions"]
        wanted = title.casefold()
        session = next((each for each in sessions if title == LAST or wanted in each.title.casefold()), None)
        if session is None:
            names = ", ".join(f"“{each.title}”" for each in sessions[:MOST_NAMED]) or "none"
            raise FileError(f"{_no_file(title)}, and no session of that title. The newest sessions are: {names}.")
        return session_in(store, session)
    finally:
        store.close()


def _no_file(named: str) -> str:
    """Return that a name is no file's, as the beginning of a sentence."""
    path = Path(expanduser(named))
    if path.is_dir():
        return f"{named} is a folder, not a file"
    return f"{named} is a pipe or a device, not a file" if path.exists() else f"There is no file {named}"
