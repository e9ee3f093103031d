"""One run of `earshot notes`: lines of a transcript, a recording or a session, their notes, and these as text."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

from app.history.export.exporting import escaped
from app.history.export.notes_text import markdown_entries, record_of
from app.terminal.said import said_in
from app.terminal.screen import progress
from engine.notes.grammar import language_of
from engine.notes.ground import supported
from engine.notes.records import Notes, lines_of
from engine.notes.template import WRITTEN_IN, load_template
from engine.notes.writer import NotesWriter, finished
from engine.translate.languages import spoken_code


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
    said = said_in(source, choice.hearing, language, speakers=choice.speakers)
    lines = lines_of(said.captions)
    template = load_template(choice.template, language or said.language or language_of(lines))
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
