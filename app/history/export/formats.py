"""Contents of caption files: subtitles and records for JSON; files that appear complete or not at all.

An existing file is replaced, as a person expects who captions the same recording again; the old file stays until the
new one is complete.
"""

from __future__ import annotations

import math
import os
import secrets
import stat
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from app.history.export.bilingual import bilingual_cues
from app.history.export.cues import Cue
from app.look.text_layout import one_line
from app.transcript.caption_text import name_before
from engine.errors import EngineError, reason_of
from engine.events import Caption, Translation, Word

Translations = Mapping[int, Translation]
NO_TRANSLATIONS: Translations = MappingProxyType({})


class ExportError(EngineError):
    """A file cannot be written."""


def to_srt(
    captions: Sequence[Caption], translations: Translations = NO_TRANSLATIONS, audio_seconds: float = math.inf
) -> str:
    """Render SubRip: an index, times with a comma, the lines, a translation's below its caption's in italics.

    The format has no speakers: a caption begins with the name of its speaker. No cue outlasts `audio_seconds`.
    """
    cues = bilingual_cues([begun_by_name(each) for each in captions], translations, audio_seconds)
    return "\n".join(srt_block(index, cue) for index, cue in enumerate(cues, 1))


def srt_block(index: int, cue: Cue) -> str:
    """Render one cue of SubRip; an empty line follows between two."""
    # SubRip has no escapes, and some players take any arrow for a line of times.
    lines = "\n".join(_lines(cue, "<i>{}</i>")).replace("-->", "->")
    return f"{index}\n{_times(cue, ',')}\n{lines}\n"


def to_vtt(
    captions: Sequence[Caption], translations: Translations = NO_TRANSLATIONS, audio_seconds: float = math.inf
) -> str:
    """Render WebVTT: a header, times with a dot, text escaped, a translation's lines below its caption's.

    A voice tag names the speaker, another the language of a translation. No cue outlasts `audio_seconds`.
    """
    blocks = ["WEBVTT\n"]
    for cue in bilingual_cues(captions, translations, audio_seconds):
        voice = f"<v {_escaped(one_line(cue.speaker))}>" if cue.speaker else ""
        escaped = replace(cue, lines=tuple(map(_escaped, cue.lines)))
        lines = "\n".join(_lines(escaped, f"<lang {cue.language}>{{}}</lang>"))
        blocks.append(f"{_times(cue, '.')}\n{voice}{lines}\n")
    return "\n".join(blocks)


def to_rttm(captions: Sequence[Caption]) -> str:
    """Render NIST's Rich Transcription Time Marked: a line for each caption, with its start, length and speaker."""
    lines = []
    for caption in captions:
        name = "_".join(caption.speaker.split()) or "unknown"
        span = f"{caption.start:.3f} {caption.end - caption.start:.3f}"
        lines.append(f"SPEAKER recording 1 {span} <NA> <NA> {name} <NA> <NA>\n")
    return "".join(lines)


def begun_by_name(caption: Caption) -> Caption:
    """Return a caption whose first word is the name of its speaker."""
    name = name_before(caption.speaker)
    if not name or not caption.committed:
        return caption
    first, *rest = caption.committed
    named = Word(name.rstrip(), first.start, first.start)
    return replace(caption, committed=(named, replace(first, text=f" {first.text.lstrip()}"), *rest))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def caption_record(caption: Caption, translation: Translation | None) -> dict[str, object]:
    """Return a caption for JSON, with the times of its words and its translation; seconds to the millisecond."""
    record: dict[str, object] = {
        "id": caption.id,
        "start": round(caption.start, 3),
        "end": round(caption.end, 3),
        "text": caption.text,
        **({"speaker": caption.speaker} if caption.speaker else {}),
        "language": caption.language,
        "words": [word_record(word) for word in caption.committed],
    }
    if translation is not None:
        record["translation"] = {"language": translation.language, "text": translation.text}
    return record


def word_record(word: Word) -> dict[str, object]:
    """Return a word for JSON; seconds to the millisecond."""
    return {
        "text": word.text,
        "start": round(word.start, 3),
        "end": round(word.end, 3),
        "probability": round(word.probability, 4),
    }


def check_place(path: Path) -> None:
    """Raise ExportError if the folder is missing or cannot be written to, or the path is a folder or too long."""
    folder = path.parent
    target = Path(os.path.realpath(path))  # see _write_whole
    try:
        is_folder, is_new = path.is_dir(), not path.exists() or target.is_file()
    except OSError as error:
        raise ExportError(f"Cannot write {path}: {reason_of(error)}.") from error
    if is_folder:
        raise ExportError(f"Cannot write {path}: it is a folder.")
    if not folder.is_dir():
        raise ExportError(f"Cannot write {path}: the folder {folder} does not exist.")
    if is_new and not os.access(target.parent, os.W_OK):
        raise ExportError(f"Cannot write {path}: the folder {target.parent} is not writable.")


def write_file(path: Path, data: bytes, *, lasts: bool = True) -> None:
    """Write a file completely or not at all. Raises ExportError; an earlier file is then still there.

    A file that is soon replaced by the next need not last: the disk is not waited for.
    """
    try:
        _write_whole(path, data, lasts)
    except OSError as error:
        raise ExportError(f"Cannot write {path}: {reason_of(error)}.") from error


def _lines(cue: Cue, below: str) -> tuple[str, ...]:
    """Return the lines of a cue, those of its translation formatted by `below`."""
    first = len(cue.lines) - cue.below
    return *cue.lines[:first], *map(below.format, cue.lines[first:])


def _times(cue: Cue, mark: str) -> str:
    return f"{_timestamp(cue.start_ms, mark)} --> {_timestamp(cue.end_ms, mark)}"


def _timestamp(milliseconds: int, mark: str) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}{mark}{rest:03d}"


def _write_whole(path: Path, data: bytes, lasts: bool) -> None:
    target = Path(os.path.realpath(path))  # through a link: the file behind it is replaced, the link stays
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        with target.open("wb", buffering=0) as device:  # a pipe or device has no place for a second file
            device.write(data)
        return
    partial = target.with_name(f".earshot-{secrets.token_hex(6)}.partial")
    try:
        with partial.open("xb") as file:
            if target.exists():
                os.chmod(partial, stat.S_IMODE(target.stat().st_mode))
            file.write(data)
            file.flush()
            if lasts:
                os.fsync(file.fileno())
        os.replace(partial, target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
