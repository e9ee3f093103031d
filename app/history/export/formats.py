"""Captions and their translations as files: SRT, VTT, TXT, JSON. A file appears whole or not at all.

An existing file is replaced, as a person expects who captions the same recording again; until the new one is
complete the old one stays.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from app.history.export.bilingual import as_caption, bilingual_cues
from app.history.export.cues import Cue
from app.look.text_layout import printable
from engine.errors import EngineError, OptionError
from engine.events import Caption, Summary, Translation, Word

JSON_VERSION = 1
UNKNOWN_LANGUAGE = "original"

Translations = Mapping[int, Translation]
NO_TRANSLATIONS: Translations = MappingProxyType({})


class ExportError(EngineError):
    """A file that cannot be written."""


def to_srt(
    captions: Sequence[Caption], summary: Summary | None = None, translations: Translations = NO_TRANSLATIONS
) -> str:
    """Render SubRip: an index, times with a comma, the lines, a translation's below its caption's."""
    blocks = []
    for index, cue in enumerate(bilingual_cues(captions, translations), 1):
        # SubRip has no escapes, and some players take any arrow for a line of times.
        lines = "\n".join(cue.lines).replace("-->", "->")
        blocks.append(f"{index}\n{_times(cue, ',')}\n{lines}\n")
    return "\n".join(blocks)


def to_vtt(
    captions: Sequence[Caption], summary: Summary | None = None, translations: Translations = NO_TRANSLATIONS
) -> str:
    """Render WebVTT: a header, times with a dot, text escaped, a translation's lines below its caption's."""
    blocks = ["WEBVTT\n"]
    for cue in bilingual_cues(captions, translations):
        lines = "\n".join(cue.lines).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        blocks.append(f"{_times(cue, '.')}\n{lines}\n")
    return "\n".join(blocks)


def to_txt(
    captions: Sequence[Caption], summary: Summary | None = None, translations: Translations = NO_TRANSLATIONS
) -> str:
    """Render the transcript, one caption a line; with translations, each below its caption, and a line between."""
    entries = []
    for caption in captions:
        texts = [caption.text, *([translations[caption.id].text] if caption.id in translations else [])]
        lines = [line for text in texts if (line := " ".join(printable(text).split()))]
        entries += ["".join(f"{line}\n" for line in lines)] if lines else []
    return ("\n" if translations else "").join(entries)


def to_json(
    captions: Sequence[Caption], summary: Summary | None = None, translations: Translations = NO_TRANSLATIONS
) -> str:
    """Render one object with every caption, the times of its words, and its translation."""
    entries = [caption_record(caption, translations.get(caption.id)) for caption in captions]
    record = {
        "version": JSON_VERSION,
        "language": summary.language if summary else None,
        "audio_seconds": round(summary.audio_seconds, 3) if summary else None,
        "captions": entries,
    }
    return json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def caption_record(caption: Caption, translation: Translation | None) -> dict[str, object]:
    """A caption as JSON shows it, with the times of its words and its translation; seconds to the millisecond."""
    record: dict[str, object] = {
        "id": caption.id,
        "start": round(caption.start, 3),
        "end": round(caption.end, 3),
        "text": caption.text,
        "language": caption.language,
        "words": [word_record(word) for word in caption.committed],
    }
    if translation is not None:
        record["translation"] = {"language": translation.language, "text": translation.text}
    return record


def word_record(word: Word) -> dict[str, object]:
    """A word as JSON shows it everywhere; seconds to the millisecond."""
    return {
        "text": word.text,
        "start": round(word.start, 3),
        "end": round(word.end, 3),
        "probability": round(word.probability, 4),
    }


Render = Callable[[Sequence[Caption], Summary | None, Translations], str]
FORMATS: dict[str, Render] = {
    ".srt": to_srt,
    ".vtt": to_vtt,
    ".txt": to_txt,
    ".json": to_json,
}


def check_target(path: Path) -> None:
    """Refuse, before any work, a file that could not be written afterwards.

    Raises:
        OptionError: its ending names no format.
        ExportError: see check_place.
    """
    _format_of(path)
    check_place(path)


def check_place(path: Path) -> None:
    """Raise ExportError where its folder is missing or cannot be written to, or it is a folder itself."""
    folder = path.parent
    if path.is_dir():
        raise ExportError(f"Cannot write {path}: it is a folder.")
    if not folder.is_dir():
        raise ExportError(f"Cannot write {path}: the folder {folder} does not exist.")
    if not path.exists() and not os.access(folder, os.W_OK):
        raise ExportError(f"Cannot write {path}: the folder {folder} is not writable.")


def write_captions(
    path: Path,
    captions: Sequence[Caption],
    summary: Summary | None = None,
    translations: Iterable[Translation] = (),
) -> None:
    """Write the final captions, with their translations, in the format that the file's ending names.

    Raises:
        OptionError: the ending names no format.
        ExportError: the file cannot be written; what was there before is still there.
    """
    render = _format_of(path)
    final = [caption for caption in captions if caption.final]
    below = {each.id: each for each in translations if each.text}
    write_file(path, render(final, summary, below).encode("utf-8", "replace"))


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all. Raises ExportError; what was there before is then still there."""
    try:
        _write_whole(path, data)
    except OSError as error:
        raise ExportError(f"Cannot write {path}: {_reason(error)}.") from error


def write_separately(
    path: Path, captions: Sequence[Caption], summary: Summary | None, translations: Iterable[Translation]
) -> tuple[Path, ...]:
    """Write captions and translations to files of their own, as talk.en.srt and talk.de.srt; give their paths.

    The words of a translation have no times of their own: they share the caption's by their length.

    Raises as write_captions does.
    """
    by_id = {caption.id: caption for caption in captions if caption.final}
    translated: dict[str, list[Caption]] = {}
    for each in translations:
        if each.text and each.id in by_id:
            translated.setdefault(each.language, []).append(as_caption(by_id[each.id], each))
    spoken = (summary.language if summary else None) or next((each.language for each in by_id.values()), "")
    if not spoken or spoken in translated:
        spoken = UNKNOWN_LANGUAGE
    written = []
    for language, those in ((spoken, captions), *translated.items()):
        own = path.with_suffix(f".{language}{path.suffix}")
        write_captions(own, those, replace(summary, language=language) if summary else None)
        written.append(own)
    return tuple(written)


def _format_of(path: Path) -> Render:
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
