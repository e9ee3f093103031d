"""Captions as files: SRT, VTT, TXT, JSON. A file appears whole or not at all.

An existing file is replaced, as a person expects who captions the same recording again; until the new one is
complete the old one stays.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from app.history.cues import Cue, cues_of
from app.text_layout import printable
from engine.errors import EngineError, OptionError
from engine.events import Caption, Summary, Word

JSON_VERSION = 1


class ExportError(EngineError):
    """A file that cannot be written."""


def to_srt(captions: Sequence[Caption], summary: Summary | None = None) -> str:
    """Render SubRip: an index, times with a comma, the lines."""
    blocks = []
    for index, cue in enumerate(cues_of(captions), 1):
        # SubRip has no escapes, and some players take any arrow for a line of times.
        lines = "\n".join(cue.lines).replace("-->", "->")
        blocks.append(f"{index}\n{_times(cue, ',')}\n{lines}\n")
    return "\n".join(blocks)


def to_vtt(captions: Sequence[Caption], summary: Summary | None = None) -> str:
    """Render WebVTT: a header, times with a dot, text escaped."""
    blocks = ["WEBVTT\n"]
    for cue in cues_of(captions):
        lines = "\n".join(cue.lines).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        blocks.append(f"{_times(cue, '.')}\n{lines}\n")
    return "\n".join(blocks)


def to_txt(captions: Sequence[Caption], summary: Summary | None = None) -> str:
    """Render the transcript, one caption a line."""
    lines = (" ".join(printable(caption.text).split()) for caption in captions)
    return "".join(f"{line}\n" for line in lines if line)


def to_json(captions: Sequence[Caption], summary: Summary | None = None) -> str:
    """Render one object with every caption and the times of its words."""
    entries = [
        {
            "id": caption.id,
            "start": round(caption.start, 3),
            "end": round(caption.end, 3),
            "text": caption.text,
            "language": caption.language,
            "words": [word_record(word) for word in caption.committed],
        }
        for caption in captions
    ]
    record = {
        "version": JSON_VERSION,
        "language": summary.language if summary else None,
        "audio_seconds": round(summary.audio_seconds, 3) if summary else None,
        "captions": entries,
    }
    return json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def word_record(word: Word) -> dict[str, object]:
    """A word as JSON shows it everywhere; seconds to the millisecond."""
    return {
        "text": word.text,
        "start": round(word.start, 3),
        "end": round(word.end, 3),
        "probability": round(word.probability, 4),
    }


FORMATS: dict[str, Callable[[Sequence[Caption], Summary | None], str]] = {
    ".srt": to_srt,
    ".vtt": to_vtt,
    ".txt": to_txt,
    ".json": to_json,
}


def check_target(path: Path) -> None:
    """Refuse, before any work, a file that could not be written afterwards.

    Raises:
        OptionError: its ending names no format.
        ExportError: its folder is missing or cannot be written to, or it is a folder itself.
    """
    _format_of(path)
    folder = path.parent
    if path.is_dir():
        raise ExportError(f"Cannot write {path}: it is a folder.")
    if not folder.is_dir():
        raise ExportError(f"Cannot write {path}: the folder {folder} does not exist.")
    if not path.exists() and not os.access(folder, os.W_OK):
        raise ExportError(f"Cannot write {path}: the folder {folder} is not writable.")


def write_captions(path: Path, captions: Sequence[Caption], summary: Summary | None = None) -> None:
    """Write the final captions in the format that the file's ending names.

    Raises:
        OptionError: the ending names no format.
        ExportError: the file cannot be written; what was there before is still there.
    """
    render = _format_of(path)
    final = [caption for caption in captions if caption.final]
    data = render(final, summary).encode("utf-8", "replace")
    try:
        _write_whole(path, data)
    except OSError as error:
        raise ExportError(f"Cannot write {path}: {_reason(error)}.") from error


def _format_of(path: Path) -> Callable[[Sequence[Caption], Summary | None], str]:
    render = FORMATS.get(path.suffix.lower())
    if render is None:
        raise OptionError(f"Cannot export to {path.name!r}: the name must end in {', '.join(FORMATS)}.")
    return render


def _times(cue: Cue, mark: str) -> str:
    return f"{_timestamp(cue.start_ms, mark)} --> {_timestamp(cue.end_ms, mark)}"


def _timestamp(milliseconds: int, mark: str) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}{mark}{rest:03d}"


def _write_whole(path: Path, data: bytes) -> None:
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
            os.fsync(file.fileno())
        os.replace(partial, target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _reason(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "permission denied"
    return (error.strerror or str(error)).lower()
