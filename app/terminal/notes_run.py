"""One run of `earshot notes`: lines of a transcript, a recording or a session, their notes, and these as text."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from app.history.export.exporting import escaped
from app.history.export.notes_text import markdown_entries, record_of
from app.history.export.read_back import ENDINGS, read_lines
from app.history.kept.schema import FILE_NAME
from app.preferences.program import data_folder
from app.terminal.screen import progress
from engine.errors import OptionError
from engine.notes.grammar import language_of
from engine.notes.ground import supported
from engine.notes.records import Notes, SaidLine, lines_of
from engine.notes.template import WRITTEN_IN, load_template
from engine.notes.writer import NotesWriter, finished
from engine.translate.languages import spoken_code

LAST = "last"
MOST_NAMED = 5
"""Most titles of sessions that a problem names."""


@dataclass(frozen=True, slots=True)
class NotesChoice:
    """Options of one run.

    Attributes:
        template: its name, or a file.
        writer: name or folder of a general language model; None chooses lines.
        language: code of the language spoken; None if it is to be detected.
        hearing: name or folder of the model that hears a recording.
        speakers: tell the speakers of a recording apart.
        as_json: print JSON in place of Markdown.
    """

    template: str
    writer: str | None = None
    language: str | None = None
    hearing: str = "starter"
    speakers: bool = False
    as_json: bool = False


def print_notes(source: str, choice: NotesChoice) -> None:
    """Print the notes of a source. Raises EngineError if it cannot be read, or nothing is said in it."""
    language = None if choice.language is None else spoken_code(choice.language)
    load_template(choice.template, language or WRITTEN_IN)  # a bad one is refused before a recording is heard
    lines, spoken = said_in(source, choice, language)
    if not lines:
        raise OptionError(f"Nothing is said in {source}.")
    template = load_template(choice.template, language or spoken or language_of(lines))
    with progress() as tell:
        tell("making notes")
        notes = supported(finished(_writer(choice.writer).write(lines, template)), lines)
    timed = any(line.start for line in lines)  # a text without times has none to tell
    starts = {line.number: line.start for line in lines} if timed else {}
    if choice.as_json:
        print(json.dumps(record_of(notes, starts), ensure_ascii=False, indent=1))
        return
    print("\n\n".join([f"# {escaped(template.title)}", *(markdown_entries(notes, starts, escaped) or ["–"])]))
    sys.stderr.write(f"earshot: {_about(notes)}\n")


def said_in(source: str, choice: NotesChoice, language: str | None) -> tuple[Sequence[SaidLine], str]:
    """Return the lines of a source, and the code of its language; "" if nobody knows it."""
    path = Path(source).expanduser()
    if path.is_file():
        if path.suffix.lower() in ENDINGS:
            return read_lines(path), ""
        return _heard(path, choice, language)
    if path.suffix.lower() in (*ENDINGS, ".mp3", ".wav", ".mp4", ".flac", ".ogg", ".m4a", ".mkv"):
        raise OptionError(f"There is no file {source}.")
    return _kept(source)


def _heard(path: Path, choice: NotesChoice, language: str | None) -> tuple[list[SaidLine], str]:
    """Caption a recording."""
    from app.terminal.caption_run import load_recognizer
    from engine.options import CaptionOptions
    from engine.process.file_worker import FileWorker
    from engine.process.messages import Event, Progress, Transcribed, TranscribeFile
    from engine.speakers.search import SpeakerSearch

    found: list[Transcribed] = []
    options = CaptionOptions(language=language) if language else CaptionOptions()
    search = SpeakerSearch() if choice.speakers else None
    with progress() as tell:

        def send(event: Event) -> None:
            if isinstance(event, Transcribed):
                found.append(event)
            elif isinstance(event, Progress):
                tell(f"captioning: {event.audio_seconds:.0f} s")

        start = TranscribeFile(1, path, choice.hearing, options, speakers=search)
        worker = FileWorker(start, load_recognizer, _no_translation, send, lambda: None)
        worker.hear()
        while worker.busy:
            worker.work()
        worker.close()
    (transcribed,) = found
    if transcribed.damage:
        sys.stderr.write(f"earshot: {transcribed.damage}\n")
    return lines_of(transcribed.captions), next((each.language for each in transcribed.captions), "")


def _no_translation(model: str) -> NoReturn:
    raise AssertionError(f"{model} was not asked for")


def _kept(title: str) -> tuple[list[SaidLine], str]:
    """Return the lines of a session of the history: the newest, or the newest with these words in its title."""
    from app.history.store import HistoryStore

    path = data_folder() / "history" / FILE_NAME
    if not path.is_file():
        raise OptionError(f"There is no file {title}, and no history yet.")
    store = HistoryStore(path)
    try:
        sessions = [each for each in store.sessions() if each.kind == "captions"]
        wanted = title.casefold()
        session = next((each for each in sessions if title == LAST or wanted in each.title.casefold()), None)
        if session is None:
            names = ", ".join(f"“{each.title}”" for each in sessions[:MOST_NAMED]) or "none"
            raise OptionError(f"There is no file and no session {title!r}. The newest sessions are: {names}.")
        return lines_of(store.captions(session.id)), session.language
    finally:
        store.close()


def _writer(model: str | None) -> NotesWriter:
    from engine.notes.extractive import ExtractiveWriter

    if model is None:
        return ExtractiveWriter()
    from engine.notes.generative import GenerativeWriter
    from engine.process.loading import load_assistant

    ready, loaded = load_assistant(model)
    for warning in ready.warnings:
        sys.stderr.write(f"earshot: {warning}\n")
    return GenerativeWriter(loaded)


def _about(notes: Notes) -> str:
    """Return a sentence that says how the notes were made."""
    if not notes.writer:
        return "No language model wrote this: all lines were chosen from what was said."
    told = f"Written by {notes.writer}."
    if notes.dropped:
        told += f" Left out, since nothing that was said supports them: {notes.dropped} of its lines."
    return told
