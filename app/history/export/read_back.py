"""Transcripts from files: subtitles, text, and Earshot's own JSON. No Qt."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from app.history.export.exporting import MARK
from engine.errors import FileError
from engine.notes.records import SaidLine
from engine.sentence_ends import ends_sentence

ENDINGS = (".txt", ".md", ".srt", ".vtt", ".json")
"""Files that hold a transcript; all others are recordings."""

MOST_MEGABYTES = 50
"""Largest transcript."""

DAY_SECONDS = 24 * 3600

_PAUSE_SECONDS, _LONGEST_SENTENCE = 1.0, 300
"""Shortest pause, in seconds, and fewest characters, behind which a cue goes on with no sentence."""

_DATE = r"\d{4}-\d\d-\d\d"
_CLOCK = r"(?:(\d+):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?"
_CUE = re.compile(rf"^\s*{_CLOCK}\s+-->\s+{_CLOCK}")
_TIMED = re.compile(rf"^\s*(?:\*\*)?[\[(]?(?P<day>{_DATE} )?{_CLOCK}[\])]?(?:\*\*)?\s*(?:[-–]\s*)?(?P<rest>\S.*)$")
_VOICE = re.compile(r"<v(?:\.\S+)?\s+([^>]+)>")
_TAG = re.compile(r"<[^>]*>")
_STYLE = re.compile(r"</?(?:[biu]|font\b[^>]*)>|\{\\an?\d+\}", re.IGNORECASE)
"""Marks of SubRip: it has no escapes, and all else between angle brackets was said."""

_BELOW = re.compile(r"^<(?:i|lang\b[^>]*)>.*</(?:i|lang)>$")
"""A line of a translation, as Earshot writes it in subtitles of two languages."""

_ABOUT = re.compile(rf"^\*{_DATE} \d\d:\d\d.*\*$", re.MULTILINE)
"""The line below the title of a session in Markdown."""

_NOTES = re.compile(rf"\A(?:\S.*\n(?:- .*\n)+\n)+(?=\[(?:{_DATE} )?\d+:\d\d:\d\d\] )")
"""The notes above a text that has times."""

_BEHIND_BACKSLASH = re.compile(r"\\([\\`*_\[\]<>#|~.)+-])")
_SPEAKER = re.compile(r"^(?:\*\*)?(?P<name>[^\W\d][^:*\n]{0,39}?):(?:\*\*)?\s+(?P<text>\S.*)$")
_UNSURE_SPEAKER = re.compile(r"^(?P<name>\w[^:*\n]{0,79}?):\s+(?P<text>\S.*)$")
"""A speaker only where other lines begin with the same name, and many with one: a long name, or such as "the host"."""

_BOLD_SPEAKER = re.compile(r"^\*\*(?P<name>(?:[^*\\]|\\.)+):\*\*\s+(?P<text>\S.*)$")
"""A speaker as Earshot writes one in Markdown, whatever the name."""

_MOST_NAME_WORDS = 4
"""Most words of a speaker's name that only one line begins with: a longer one is part of what was said."""

_LEAST_NAMED = 1 / 4
"""Smallest share of lines with a name in a text that tells who speaks: a caption may go on for several lines."""


def read_lines(path: Path) -> list[SaidLine]:
    """Read the lines of a transcript, numbered from 1.

    Raises:
        FileError: the file cannot be read, or nothing is said in it.
    """
    try:
        if path.stat().st_size > MOST_MEGABYTES * 2**20:
            raise FileError(f"{path} is too large for a transcript: it has more than {MOST_MEGABYTES} MB.")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeError as error:
        raise FileError(f"{path} is no text in UTF-8. Save it as UTF-8, or name the recording.") from error
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from error
    match path.suffix.lower():
        case ".json":
            read = _of_json(text, path)
        case ".srt":
            read = _in_sentences(_with_unsure_names(_of_cues(text, _STYLE, str)))
        case ".vtt":
            read = _in_sentences(_of_cues(text, _TAG, html.unescape))
        case ".md":
            read = _of_markdown(text)
        case _:
            read = _with_unsure_names(_of_text(_NOTES.sub("", text)))
    said = [each for each in read if any(map(str.isalnum, each[0]))]
    if not said:
        raise FileError(f"Nothing is said in {path}.")
    return [SaidLine(number, *each) for number, each in enumerate(said, 1)]


_Read = tuple[str, float, float, str]
"""Text, start, end, and speaker."""


def _of_json(text: str, path: Path) -> Iterator[_Read]:
    """Yield the captions of Earshot's JSON; those that it numbers, in their order."""
    try:
        record: Any = json.loads(text)
        captions = record["captions"]
        read = [
            (str(each["text"]), float(each["start"]), float(each["end"]), str(each.get("speaker", "")))
            for each in captions
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FileError(
            f"{path} holds no transcript of Earshot's: it needs 'captions', each with text, start and end."
        ) from error
    yield from read


def _of_cues(text: str, marks: re.Pattern[str], unescaped: Callable[[str], str]) -> Iterator[_Read]:
    """Yield the cues of SRT or WebVTT, without their marks and translations.

    In the subtitles of a film a line in italics was said, too: most cues of several lines have none, or nothing else.
    """
    cues = list(_cues(text))
    several = [rows for _, _, rows in cues if len(rows) > 1]
    bilingual = sum(bool(_BELOW.match(rows[-1]) and not _BELOW.match(rows[0])) for rows in several) > len(several) / 2
    for times, name, rows in cues:
        said = " ".join(row for row in rows if not (bilingual and _BELOW.match(row)))
        words = unescaped(" ".join(marks.sub("", said).split()))
        speaker, words = (unescaped(name), words) if name else _spoken(words)
        yield words, _seconds(times[:4]), _seconds(times[4:]), speaker


def _cues(text: str) -> Iterator[tuple[tuple[str | None, ...], str, list[str]]]:
    """Yield the times, the voice and the lines of cues."""
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        rows = block.splitlines()
        found = next(((place, timed) for place, row in enumerate(rows) if (timed := _CUE.match(row))), None)
        if found is None:
            continue
        place, timed = found
        voice = _VOICE.search(block)
        yield timed.groups(), voice[1].strip() if voice else "", [_VOICE.sub("", row) for row in rows[place + 1 :]]


def _in_sentences(cues: Iterator[_Read]) -> Iterator[_Read]:
    """Yield cues, those together that a sentence of one speaker goes on in."""
    held: _Read | None = None
    for cue in cues:
        if held is not None and _goes_on(held, cue):
            held = f"{held[0]} {cue[0]}", held[1], cue[2], held[3]
            continue
        if held is not None:
            yield held
        held = cue
    if held is not None:
        yield held


def _goes_on(held: _Read, cue: _Read) -> bool:
    """Return whether a cue goes on with the sentence before it: without a pause, and with no other speaker."""
    words, start, _, speaker = cue
    if speaker not in ("", held[3]) or words.startswith(("-", "–", "♪")) or len(held[0]) > _LONGEST_SENTENCE:
        return False
    last, first = held[0].split()[-1:], words.split()[:1]
    return bool(last and first) and 0 <= start - held[2] < _PAUSE_SECONDS and not ends_sentence(last[0], f" {first[0]}")


def _of_markdown(text: str) -> Iterator[_Read]:
    """Yield the lines of Markdown; those of Earshot's own without what is told about the session, and its notes."""
    if _ABOUT.search(text):
        text = re.sub(r"^- .*$", "", _ABOUT.sub("", text), flags=re.MULTILINE)
    for words, start, end, name in _of_text(text):
        yield _BEHIND_BACKSLASH.sub(r"\1", words), start, end, _BEHIND_BACKSLASH.sub(r"\1", name)


def _of_text(text: str) -> Iterator[_Read]:
    """Yield the lines of a text, with the times and the speakers that they begin with.

    A time on a later day than the first has its date before it.
    """
    now, days = 0.0, list[str | None]()
    for row in text.splitlines():
        if row.startswith(("#", ">")):  # a title, or a translation in Markdown
            continue
        timed = _TIMED.match(row)
        if timed:
            if timed["day"] not in days:
                days.append(timed["day"])
            now = days.index(timed["day"]) * DAY_SECONDS + _seconds(timed.groups()[1:5])
        name, words = _spoken((timed["rest"] if timed else row).removeprefix(f"{MARK} "))
        yield words.strip(), now, now, name


def _with_unsure_names(read: Iterator[_Read]) -> Iterator[_Read]:
    """Yield lines with names of speakers that do not look like names, where the text tells who speaks."""
    lines = list(read)
    found = [None if name else _UNSURE_SPEAKER.match(words) for words, _, _, name in lines]
    often = Counter(each["name"] for each in found if each)
    found = [each if each and often[each["name"]] > 1 else None for each in found]
    named = sum(bool(name or unsure) for (_, _, _, name), unsure in zip(lines, found, strict=True))
    for (words, start, end, name), unsure in zip(lines, found, strict=True):
        if unsure and named >= _LEAST_NAMED * len(lines):
            yield unsure["text"], start, end, unsure["name"].strip()
        else:
            yield words, start, end, name


def _spoken(said: str) -> tuple[str, str]:
    """Split a line into its speaker's name, "" if there is none, and what was said."""
    if found := _BOLD_SPEAKER.match(said.strip()):
        return found["name"].strip(), found["text"]
    found = _SPEAKER.match(said.strip())
    if found is None or not _looks_like_a_name(found["name"].split()):
        return "", said.strip()
    return found["name"].strip(), found["text"]


def _looks_like_a_name(words: Sequence[str]) -> bool:
    """Return whether words before a colon are a name, not the beginning of a sentence such as "The question is"."""
    return len(words) == 1 or (len(words) <= _MOST_NAME_WORDS and not words[-1].islower())


def _seconds(clock: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, part = clock
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0) + float(f"0.{part or 0}")
