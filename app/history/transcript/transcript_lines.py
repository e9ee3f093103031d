"""A transcript as lines to be read: speaker, text, time and delay. No Qt."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from enum import Enum, auto

from app.history.records import Transcript
from app.look.text_layout import printable, reply_lines, unbroken
from app.transcript.caption_text import name_before, repeats
from engine.events import Caption

LINE_END = "\N{LINE SEPARATOR}"
"""End of a line of code in an answer, which is one Line with all its code."""


class LineOrigin(Enum):
    """The origin of a line's words."""

    SPOKEN = auto()
    TRANSLATED = auto()
    ASKED = auto()
    ANSWERED = auto()


@dataclass(frozen=True, slots=True)
class LineWord:
    """One word of a line.

    Attributes:
        end: its end in the line's text.
        seconds: when it was said, since the recording began.
        delay_seconds: from its end until it was shown; None if that is not known.
    """

    end: int
    seconds: float
    delay_seconds: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """One paragraph.

    Attributes:
        seconds: when it was said, since the recording began; None if that is not known.
        delay_seconds: how soon it was shown. Of a caption the median over its words, from their end until they were
            shown; of an answer until its first sound or sentence, from the end of the question.
        words: of the text, in order; none if their times are not known.
        caption: the id of its caption; None if it is no caption.
        heard: the text as it was heard, if a person has corrected it; else empty.
        named: length of the speaker's name at the beginning of the text.
        is_outdated: it translates an earlier text of its caption.
        marked: whether a person has marked it.
        speaker: number of its speaker, from 0 in the order in which they first speak; None where nobody is named.
    """

    voice: LineOrigin
    text: str
    language: str
    seconds: float | None = None
    delay_seconds: float | None = None
    words: tuple[LineWord, ...] = ()
    caption: int | None = None
    heard: str = ""
    named: int = 0
    is_outdated: bool = False
    marked: bool = False
    speaker: int | None = None

    def delay_at(self, position: int) -> float | None:
        """Return the delay of the word at a position of the text."""
        return next((word.delay_seconds for word in self.words if position < word.end), None)

    def word_at(self, seconds: float) -> tuple[int, int] | None:
        """Return begin and end of the newest word that was said by a moment; None before the first."""
        begin, found = self.named, None
        for word in self.words:
            if word.seconds > seconds:
                break
            spaces = len(self.text[begin : word.end]) - len(self.text[begin : word.end].lstrip())
            begin, found = word.end, (begin + spaces, word.end)
        return found


def lines_of(transcript: Transcript) -> tuple[Line, ...]:
    """Lay a transcript out, in order."""
    lines: list[Line] = []
    translated, marked, outdated = transcript.translated, transcript.marked, transcript.outdated
    speakers: dict[str, int] = {}
    for caption in transcript.captions:
        number = speakers.setdefault(caption.speaker, len(speakers)) if caption.speaker else None
        lines.append(replace(_spoken(transcript, caption, caption.id in marked), speaker=number))
        if caption.id in translated and not repeats(caption, translated[caption.id]):
            below = translated[caption.id]
            is_outdated = caption.id in outdated
            lines.append(Line(LineOrigin.TRANSLATED, _shown(below.text), below.language, is_outdated=is_outdated))
    for kept in transcript.turns:
        turn, stats = kept.turn, kept.turn.stats
        if turn.prompt:
            lines.append(Line(LineOrigin.ASKED, _shown(turn.prompt), ""))
        if turn.reply:
            soon = stats.first_sound_seconds
            delay = stats.first_sentence_seconds if soon is None else soon
            lines.append(
                Line(
                    LineOrigin.ANSWERED, LINE_END.join(map(unbroken, reply_lines(turn.reply))), "", delay_seconds=delay
                )
            )
    return tuple(lines)


def _spoken(transcript: Transcript, caption: Caption, marked: bool) -> Line:
    delays = transcript.delays_of(caption)
    known = [each for each in delays if each is not None]
    whole = "".join(printable(word.text) for word in caption.committed)
    skipped = len(whole) - len(whole.lstrip())
    words: list[LineWord] = []
    name = name_before(caption.speaker)
    end = len(name) - skipped
    for word, delay in zip(caption.committed, delays, strict=True):
        end += len(printable(word.text))
        words.append(LineWord(end, word.start, delay))
    return Line(
        LineOrigin.SPOKEN,
        name + _shown(caption.text),
        caption.language,
        caption.start,
        statistics.median(known) if known else None,
        tuple(words),
        caption.id,
        _shown(transcript.heard.get(caption.id, "")),
        len(name),
        marked=marked,
    )


def _shown(text: str) -> str:
    return unbroken(printable(text))
