"""Export of a transcript to files: chosen languages, part and format. No Qt.

The window and the command line both export by this module.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

import regex

from app.history.export.bilingual import as_caption
from app.history.export.formats import (
    caption_record,
    check_place,
    to_rttm,
    to_srt,
    to_vtt,
    write_file,
)
from app.history.export.notes_text import markdown_entries, notes_text, record_of
from app.history.export.notes_text import paragraphs as note_paragraphs
from app.history.export.table import to_csv
from app.history.export.word_file import TextRun, to_docx
from app.history.records import KeptTurn, Transcript
from app.look.text_layout import one_line, reply_lines, reply_parts
from app.transcript.caption_text import name_before
from app.transcript.time_of_day import Clock, clock_hand, time_of_day
from engine.errors import OptionError
from engine.events import Caption

Parts = Literal["spoken", "translation", "both", "separate"]
ENDINGS = (".srt", ".vtt", ".txt", ".md", ".docx", ".csv", ".rttm", ".json")
TIMED = (".srt", ".vtt", ".rttm")
"""Formats that a conversation cannot have: the times of its words are not known."""

JSON_VERSION = 1
MARK = "\N{BLACK STAR}"
"""The sign before marked lines, except in subtitles."""

OUTDATED = " [?]"
"""The sign behind a translation of what a caption said before it was corrected."""

UNKNOWN_LANGUAGE = "original"
PREVIEW_ENTRIES = 6
_MARKED_UP = regex.compile(r"([\\`*_\[\]<>#|~])|^(\s*)([-+>])|^(\s*\d+)([.)])")


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """A person's choice for an export.

    Attributes:
        ending: one of ENDINGS.
        parts: the spoken text, its translation, both together, or each in a file of its own.
        begin_seconds, end_seconds: only captions and turns that begin in this time; None is without a limit.
        times: whether text and Markdown have times; the other formats always do.
        clock: whether times are times of day where they are known, beside the others in tables and JSON. Subtitles
            have none.
        delays: whether JSON has the time at which each word was shown.
        notes: whether text, Markdown, Word documents and JSON begin with the notes.
        speakers: names of the two sides of a conversation.
    """

    ending: str = ".srt"
    parts: Parts = "both"
    begin_seconds: float | None = None
    end_seconds: float | None = None
    times: bool = True
    clock: bool = False
    delays: bool = True
    notes: bool = True
    speakers: tuple[str, str] = ("You", "Earshot")


def check_target(path: Path) -> None:
    """Refuse, before any work, a file that could not be written afterwards.

    Raises:
        OptionError: its ending names no format.
        ExportError: see check_place.
    """
    if path.suffix.lower() not in ENDINGS:
        raise OptionError(f"Cannot export to {path.name!r}: the name must end in {', '.join(ENDINGS)}.")
    check_place(path)


def write_transcript(path: Path, transcript: Transcript, choice: ExportChoice) -> tuple[Path, ...]:
    """Write a transcript and return the files; each appears complete or not at all.

    Raises:
        ExportError: a file cannot be written; an earlier one is still there.
    """
    files = files_of(path, transcript, choice)
    for file, _ in files:
        check_place(file)
    for file, part in files:
        write_file(file, encoded(part, choice))
    return tuple(file for file, _ in files)


def files_of(path: Path, transcript: Transcript, choice: ExportChoice) -> tuple[tuple[Path, Transcript], ...]:
    """Return the files to write with their contents: one file, or talk.en.srt and talk.de.srt for two languages."""
    part = _with_doubt(cut(transcript, choice.begin_seconds, choice.end_seconds))
    if choice.parts == "spoken" or not part.translated:
        return ((path, replace(part, translations=())),)
    if choice.parts == "both":
        return ((path, part),)
    if choice.parts == "translation":
        return ((path, _translated(part, None)),)
    spoken = next((each.language for each in part.captions if each.language), UNKNOWN_LANGUAGE)
    targets = tuple(dict.fromkeys(each.language for each in part.translated.values()))
    if spoken in targets:
        spoken = UNKNOWN_LANGUAGE
    return (
        (path.with_suffix(f".{spoken}{path.suffix}"), replace(part, translations=())),
        *((path.with_suffix(f".{target}{path.suffix}"), _translated(part, target)) for target in targets),
    )


def _with_doubt(transcript: Transcript) -> Transcript:
    """Return a transcript in which outdated translations bear their sign."""
    if not (outdated := transcript.outdated):
        return transcript
    translations = (
        replace(each, text=each.text + OUTDATED) if each.id in outdated else each for each in transcript.translations
    )
    return replace(transcript, translations=tuple(translations))


def cut(transcript: Transcript, begin_seconds: float | None, end_seconds: float | None) -> Transcript:
    """Return the captions and turns that begin in a time; their own times stay as they are."""

    def within(seconds: float) -> bool:
        return (begin_seconds is None or seconds >= begin_seconds) and (end_seconds is None or seconds < end_seconds)

    captions = tuple(each for each in transcript.captions if within(each.start))
    kept = {each.id for each in captions}
    return replace(
        transcript,
        captions=captions,
        translations=tuple(each for each in transcript.translations if each.id in kept),
        turns=tuple(each for each in transcript.turns if within(turn_seconds(transcript, each))),
        marks=tuple(each for each in transcript.marks if within(each)),
    )


def turn_seconds(transcript: Transcript, turn: KeptTurn) -> float:
    """Return how long after its conversation began a turn was answered."""
    return max(0.0, turn.answered - transcript.session.began) if transcript.session else 0.0


def preview(transcript: Transcript, choice: ExportChoice) -> str:
    """Return the beginning of the first file."""
    part = cut(transcript, choice.begin_seconds, choice.end_seconds)
    short = replace(part, captions=part.captions[:PREVIEW_ENTRIES], turns=part.turns[:PREVIEW_ENTRIES])
    (_, first), *_ = files_of(Path("preview" + choice.ending), short, choice)
    return rendered(first, choice)


def encoded(transcript: Transcript, choice: ExportChoice) -> bytes:
    """Encode a transcript as a file in the chosen format."""
    if choice.ending == ".docx":
        return to_docx(_paragraphs(transcript, choice))
    return rendered(transcript, choice).encode("utf-8", "replace")


def rendered(transcript: Transcript, choice: ExportChoice) -> str:
    """Render a transcript as text in the chosen format; of a Word document its text."""
    return _RENDERERS[choice.ending](transcript, choice)


def plain_text(transcript: Transcript, choice: ExportChoice) -> str:
    """Return one caption a line, its translation below behind a ">"; questions and answers after speakers' names."""
    entries = list[str]()
    clock, marked = _clock_of(transcript, choice), transcript.marked
    for caption in transcript.captions:
        translation = transcript.translated.get(caption.id)
        said = one_line(caption.text)
        lines = [
            said and name_before(caption.speaker) + said,
            *([f"> {one_line(translation.text)}"] if translation else []),
        ]
        said = "\n".join(line for line in lines if line)
        before = _timed(caption.start, choice, "[{}] ", clock) + _mark(caption, marked)
        entries += [before + said] if said else []
    for kept in transcript.turns:
        turn = zip(choice.speakers, (kept.turn.prompt, kept.turn.reply), strict=True)
        lines = [f"{speaker}: " + "\n".join(reply_lines(text)) for speaker, text in turn if text]
        entries.append(_timed(turn_seconds(transcript, kept), choice, "[{}] ") + "\n".join(lines))
    between = "\n\n" if transcript.translated or transcript.turns else "\n"
    above = notes_text(transcript.notes, transcript.starts) if choice.notes and transcript.notes is not None else ""
    return above + between.join(entries) + "\n" if entries else ""


def _srt(transcript: Transcript, choice: ExportChoice) -> str:
    return to_srt(transcript.captions, transcript.translated, transcript.audio_seconds or math.inf)


def _vtt(transcript: Transcript, choice: ExportChoice) -> str:
    return to_vtt(transcript.captions, transcript.translated, transcript.audio_seconds or math.inf)


def _markdown(transcript: Transcript, choice: ExportChoice) -> str:
    entries = []
    session = transcript.session
    if session is not None:
        began = datetime.fromtimestamp(session.began).strftime("%Y-%m-%d %H:%M")
        title = escaped(session.title) or began
        about = " · ".join(escaped(each) for each in (began, session.source, session.model) if each)
        entries += [f"# {title}", f"*{about}*"]
    if choice.notes and transcript.notes is not None:
        entries += markdown_entries(transcript.notes, transcript.starts, escaped)
    clock, marked = _clock_of(transcript, choice), transcript.marked
    for caption in transcript.captions:
        translation = transcript.translated.get(caption.id)
        name = f"**{escaped(caption.speaker)}:** " if caption.speaker else ""
        before = _timed(caption.start, choice, "**{}** ", clock) + _mark(caption, marked)
        entries.append(before + name + escaped(caption.text))
        entries += [f"> {escaped(translation.text)}"] if translation else []
    for kept in transcript.turns:
        turn = zip(choice.speakers, (kept.turn.prompt, kept.turn.reply), strict=True)
        lines = [f"**{escaped(speaker)}:** {_with_code(text)}" for speaker, text in turn if text]
        entries += [_timed(turn_seconds(transcript, kept), choice, "**{}** ") + "\n\n".join(lines)]
    return "\n\n".join(entries) + "\n" if entries else ""


def _paragraphs(transcript: Transcript, choice: ExportChoice) -> list[list[TextRun]]:
    """Yield the paragraphs of a Word document: as in Markdown, times and speakers bold, translations in italics."""
    paragraphs: list[list[TextRun]] = []
    session = transcript.session
    if session is not None:
        began = datetime.fromtimestamp(session.began).strftime("%Y-%m-%d %H:%M")
        paragraphs.append([TextRun(one_line(session.title) or began, bold=True, half_points=32)])
        paragraphs.append(
            [TextRun(" · ".join(one_line(each) for each in (began, session.source) if each), italic=True)]
        )
    if choice.notes and transcript.notes is not None:
        paragraphs += note_paragraphs(transcript.notes, transcript.starts)
    clock, marked = _clock_of(transcript, choice), transcript.marked
    for caption in transcript.captions:
        translation = transcript.translated.get(caption.id)
        before = _timed(caption.start, choice, "{}  ", clock) + _mark(caption, marked) + name_before(caption.speaker)
        paragraphs.append([TextRun(before, bold=True), TextRun(one_line(caption.text))])
        paragraphs += [[TextRun(one_line(translation.text), italic=True)]] if translation else []
    for kept in transcript.turns:
        for speaker, text in zip(choice.speakers, (kept.turn.prompt, kept.turn.reply), strict=True):
            first, *more = reply_lines(text) or [""]
            paragraphs += [[TextRun(f"{speaker}: ", bold=True), TextRun(first)]] if text else []
            paragraphs += [[TextRun(line)] for line in more]
    return paragraphs


def _docx_text(transcript: Transcript, choice: ExportChoice) -> str:
    return "".join("".join(run.text for run in each) + "\n" for each in _paragraphs(transcript, choice))


def _csv(transcript: Transcript, choice: ExportChoice) -> str:
    if transcript.turns and not transcript.captions:
        rows = [(turn_seconds(transcript, each), each.turn.prompt, each.turn.reply) for each in transcript.turns]
        return to_csv(("seconds", *choice.speakers), rows)
    translated, captions = transcript.translated, transcript.captions
    columns: dict[str, list[str | float | None]] = {
        "start": [each.start for each in captions],
        "end": [each.end for each in captions],
    }
    if clock := _clock_of(transcript, choice):
        columns["time"] = [_iso(clock, each.start) for each in captions]
    if marked := transcript.marked:
        columns["mark"] = [_mark(each, marked).strip() for each in captions]
    if any(each.speaker for each in captions):
        columns["speaker"] = [each.speaker for each in captions]
    columns["text"] = [each.text for each in captions]
    if translated:
        columns["translation"] = [translated[each.id].text if each.id in translated else None for each in captions]
    return to_csv(tuple(columns), list(zip(*columns.values(), strict=True)))


def _json(transcript: Transcript, choice: ExportChoice) -> str:
    session = transcript.session
    language = next((each.language for each in transcript.captions), session.language if session else "")
    heard = transcript.end_seconds if transcript.audio_seconds is None else transcript.audio_seconds
    record: dict[str, object] = {
        "version": JSON_VERSION,
        "language": language or None,
        "audio_seconds": round(heard, 3),
    }
    if session is not None:
        record |= {
            "title": session.title,
            "source": session.source,
            "model": session.model,
            "began": datetime.fromtimestamp(session.began).astimezone().isoformat(timespec="seconds"),
        }
    if choice.notes and transcript.notes is not None:
        record["notes"] = record_of(transcript.notes, transcript.starts)
    if transcript.marks:
        record["marks"] = [round(each, 3) for each in transcript.marks]
    record["captions"] = [_timed_record(transcript, each, choice) for each in transcript.captions]
    if transcript.turns:
        record["turns"] = [_turn_record(transcript, each) for each in transcript.turns]
    return json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _timed_record(transcript: Transcript, caption: Caption, choice: ExportChoice) -> dict[str, object]:
    record = caption_record(caption, transcript.translated.get(caption.id))
    words = record["words"]
    if clock := _clock_of(transcript, choice):
        record["time"] = _iso(clock, caption.start)
    if choice.delays and caption.id in transcript.shown and isinstance(words, list):
        for word, delay in zip(words, transcript.delays_of(caption), strict=True):
            word["shown"] = None if delay is None else round(word["end"] + delay, 3)
            word["delay"] = None if delay is None else round(delay, 3)
    return record


def _turn_record(transcript: Transcript, kept: KeptTurn) -> dict[str, object]:
    stats = kept.turn.stats
    return {
        "turn": kept.turn.turn,
        "seconds": round(turn_seconds(transcript, kept), 3),
        "asked": kept.turn.prompt,
        "answered": kept.turn.reply,
        "ended": kept.turn.ended,
        "first_sentence_seconds": stats.first_sentence_seconds,
        "first_sound_seconds": stats.first_sound_seconds,
    }


def _translated(transcript: Transcript, language: str | None) -> Transcript:
    """Return the translation as if it had been said; `language` None accepts any."""
    translated = transcript.translated
    captions = [
        as_caption(each, translated[each.id])
        for each in transcript.captions
        if each.id in translated and language in (None, translated[each.id].language)
    ]
    return replace(transcript, captions=tuple(captions), translations=(), shown={})


def _timed(seconds: float, choice: ExportChoice, form: str, clock: Clock = ()) -> str:
    return form.format(clock_hand(clock, seconds) or _clock(seconds)) if choice.times else ""


def _clock_of(transcript: Transcript, choice: ExportChoice) -> Clock:
    return transcript.clock if choice.clock else ()


def _iso(clock: Clock, seconds: float) -> str:
    """Return when a second was, such as 2026-11-28T14:05:09+01:00."""
    then = time_of_day(clock, seconds)
    return "" if then is None else datetime.fromtimestamp(then).astimezone().isoformat(timespec="seconds")


def _mark(caption: Caption, marked: Collection[int]) -> str:
    """Return what stands before a caption that a person has marked."""
    return f"{MARK} " if caption.id in marked else ""


def _clock(seconds: float) -> str:
    """Write seconds as 0:00:07."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def escaped(text: str) -> str:
    """Escape text so that Markdown finds no marks in it."""
    return str(_MARKED_UP.sub(lambda match: _behind_backslash(match.groups()), one_line(text)))


def _with_code(text: str) -> str:
    """Escape a reply, except that its code stays code."""
    parts = []
    for is_code, lines in reply_parts(text):
        closing = ["```"] if is_code and lines[-1].strip() != "```" else []
        parts.append("\n".join([*lines, *closing]) if is_code else "  \n".join(map(escaped, lines)))
    return "\n\n".join(["", *parts] if parts and parts[0].startswith("```") else parts)


def _behind_backslash(groups: Sequence[str | None]) -> str:
    mark, space, bullet, number, point = groups
    if mark:
        return f"\\{mark}"
    return f"{space}\\{bullet}" if bullet else f"{number}\\{point}"


_RENDERERS: dict[str, Callable[[Transcript, ExportChoice], str]] = {
    ".srt": _srt,
    ".vtt": _vtt,
    ".txt": plain_text,
    ".md": _markdown,
    ".docx": _docx_text,
    ".csv": _csv,
    ".rttm": lambda transcript, choice: to_rttm(transcript.captions),
    ".json": _json,
}
