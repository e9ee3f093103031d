"""Captions as subtitle cues: at most two lines of 42 columns, broken where a reader pauses.

Lengths and times follow what subtitle houses publish: two lines of 42 characters, at most 7 seconds a cue,
about 17 characters a second, at most 1.5 s on screen after the speech.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from app.look.text_layout import cells, is_wide, printable, wrap
from engine.events import Caption, Word
from engine.sentence_ends import bare, ends_sentence

LINE_CELLS = 42
MAX_LINES = 2
MAX_CUE_SECONDS = 7.0
_SHORTEST_MS = 833
_READING_CELLS_PER_SECOND = 17.0
_MOST_HANGING_MS = 1500
_GAP_MS = 83
SHORT_CELLS = 14
CUE_COST = 12.0
_PAUSE_SECONDS = 1.5

_CONJUNCTIONS = (
    "and but or nor so yet because although though while if when that which who whose where than as until unless "
    "und oder aber weil dass wenn denn et ou mais que qui parce quand y o pero porque cuando e mas quando"
)
_PREPOSITIONS = (
    "of in on at to for with from by about into over after before between through under without against during "
    "von mit für auf nach zu bei aus dans avec pour sur chez en con para por com em"
)
_BINDS_TO_THE_NEXT = (
    "a an the my your his her its our their this these those no every "
    "der die das den dem ein eine einen le la les un une des el los las una os uma um"
)
_SOFT_BREAKS = dict.fromkeys(_PREPOSITIONS.split(), 4.0) | dict.fromkeys(_CONJUNCTIONS.split(), 2.0)
_BINDING = frozenset(_BINDS_TO_THE_NEXT.split())


@dataclass(frozen=True, slots=True)
class Cue:
    """One subtitle: whole milliseconds since the stream began, start < end, one or two lines, and the speaker.

    Attributes:
        below: how many of the lines, the last ones, are a translation.
        language: the language of that translation.
    """

    start_ms: int
    end_ms: int
    lines: tuple[str, ...]
    speaker: str = ""
    below: int = 0
    language: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """Text for a cue, and the seconds in which it is spoken; see Cue."""

    start: float
    end: float
    lines: tuple[str, ...]
    speaker: str = ""
    below: int = 0
    language: str = ""


@dataclass(frozen=True, slots=True)
class CuePiece:
    """A word, or a part of one that is too long for a line; `spaced` says that a space comes before it."""

    body: str
    spaced: bool
    start: float
    end: float


def drafts_of(caption: Caption) -> list[Draft]:
    """Split one caption into cues of its own."""
    groups = _split(pieces_of(caption.committed))
    return [
        Draft(group[0].start, group[-1].end, Measure(group).lines(0, len(group)) or (), caption.speaker)
        for group in groups
    ]


def pieces_of(words: Iterable[Word]) -> list[CuePiece]:
    """Return words as pieces that can be laid out, each no wider than a line."""
    pieces: list[CuePiece] = []
    for word in words:
        text = printable(word.text)
        body = " ".join(text.split())
        if not cells(body):
            continue  # nothing, or marks that nobody sees
        spans = wrap(body, LINE_CELLS)
        step = (word.end - word.start) / len(spans)
        for index, (begin, end) in enumerate(spans):
            start = word.start + index * step
            spaced = text[0] == " " if index == 0 else body[begin - 1] == " "
            pieces.append(CuePiece(body[begin:end], spaced, start, start + step))
    return pieces


class Measure:
    """Widths and line breaks of any run of pieces, from running sums."""

    def __init__(self, pieces: Sequence[CuePiece]) -> None:
        self.pieces = pieces
        self._sums = list(accumulate((cells(piece.body) + piece.spaced for piece in pieces), initial=0))
        pauses = (later.start - piece.end > _PAUSE_SECONDS for piece, later in pairwise(pieces))
        self._pauses = list(accumulate(pauses, initial=0))

    def width(self, first: int, after: int) -> int:
        """Return the columns of a run; 0 if it is empty."""
        if first == after:
            return 0
        return self._sums[after] - self._sums[first] - self.pieces[first].spaced

    def pauses(self, first: int, after: int) -> int:
        """Return the number of long pauses of the speaker within a run of at least one piece."""
        return self._pauses[after - 1] - self._pauses[first]

    def fits(self, first: int, after: int) -> bool:
        """Return whether a run fits on two lines, if the upper one is filled first."""
        if self.width(first, after) <= LINE_CELLS:
            return True
        most = self._sums[first] + self.pieces[first].spaced + LINE_CELLS
        middle = bisect_right(self._sums, most, first, after + 1) - 1
        return first < middle < after and self.width(middle, after) <= LINE_CELLS

    def text(self, first: int, after: int) -> str:
        return "".join(" " * piece.spaced + piece.body for piece in self.pieces[first:after]).strip()

    def lines(self, first: int, after: int) -> tuple[str, ...] | None:
        """Return the run as one line or as two about equal ones; None if it needs more."""
        if self.width(first, after) <= LINE_CELLS:
            return (self.text(first, after),)
        best: tuple[float, int] | None = None
        for middle in range(first + 1, after):
            upper, lower = self.width(first, middle), self.width(middle, after)
            if max(upper, lower) <= LINE_CELLS:
                cost = break_cost(self.pieces[middle - 1], self.pieces[middle]) + abs(upper - lower) / 6
                best = min(best or (cost, middle), (cost, middle))
        return None if best is None else (self.text(first, best[1]), self.text(best[1], after))


def _split(pieces: Sequence[CuePiece]) -> list[Sequence[CuePiece]]:
    """Split one caption into runs that fit a cue, at the cheapest places over the whole caption."""
    measure = Measure(pieces)
    best: list[tuple[float, int]] = [(0.0, 0)]
    for after in range(1, len(pieces) + 1):
        ending = break_cost(pieces[after - 1], pieces[after]) if after < len(pieces) else 0.0
        candidates: list[tuple[float, int]] = []
        for first in range(after - 1, -1, -1):
            if measure.width(first, after) > MAX_LINES * LINE_CELLS + 1:
                break
            cost = _cue_cost(measure, first, after)
            if cost is not None:
                candidates.append((best[first][0] + cost + ending, first))
        best.append(min(candidates))
    runs: list[Sequence[CuePiece]] = []
    after = len(pieces)
    while after > 0:
        first = best[after][1]
        runs.append(pieces[first:after])
        after = first
    return runs[::-1]


def _cue_cost(measure: Measure, first: int, after: int) -> float | None:
    """Return how bad a cue is; None if it does not fit. A single piece always fits."""
    pieces = measure.pieces
    if after - first > 1 and pieces[after - 1].end - pieces[first].start > MAX_CUE_SECONDS:
        return None
    if not measure.fits(first, after):
        return None
    whole = first == 0 and after == len(pieces)
    short = 0.0 if whole else max(0.0, 1 - measure.width(first, after) / SHORT_CELLS) * CUE_COST
    return CUE_COST * (1 + 2 * measure.pauses(first, after)) + short


def break_cost(before: CuePiece, after: CuePiece) -> float:
    """Return how bad a break between two pieces is: least after punctuation, most inside a word."""
    if not after.spaced and not (is_wide(before.body[-1]) or is_wide(after.body[0])):
        return 40.0
    if ends_sentence(before.body, " " * after.spaced + after.body):
        return 0.0
    ending = bare(before.body)
    if ending[-1:] in ",;:—–、，；：…" or ending.endswith("..."):
        return 1.0
    if ending.endswith("."):  # an abbreviation: "Mr.", "e.g."
        return 14.0
    following = after.body.lower().strip("\"'“‘(«")
    if before.body.lower() in _BINDING:
        return 14.0
    return _SOFT_BREAKS.get(following, 7.0)


def timed(drafts: Sequence[Draft], audio_seconds: float = math.inf) -> Iterable[Cue]:
    """Add times to cues: long enough to read if there is room, but never into the speaker's next cue.

    A cue overlaps another speaker's only while both speak. The last one ends with the recording, which is
    `audio_seconds` long.
    """
    recording_end = math.inf if math.isinf(audio_seconds) else round(audio_seconds * 1000)
    speakers = {draft.speaker for draft in drafts}
    ordered = sorted(drafts, key=lambda draft: draft.start) if len(speakers) > 1 else drafts
    previous_ends = dict.fromkeys(speakers, 0)
    for number, (draft, own) in enumerate(zip(ordered, _own_next(ordered), strict=True), 1):
        start = max(round(draft.start * 1000), previous_ends[draft.speaker])
        spoken = max(round(draft.end * 1000), start + 1)
        reading = round(1000 * sum(cells(line) for line in draft.lines) / _READING_CELLS_PER_SECOND)
        wanted = min(start + max(reading, _SHORTEST_MS), spoken + _MOST_HANGING_MS, recording_end)
        end = max(spoken, int(wanted))
        if number < len(ordered):
            end = max(spoken, min(end, round(ordered[number].start * 1000) - _GAP_MS))
        if own is not None:
            end = min(end, max(round(own.start * 1000), start + 1))
        yield Cue(start, end, draft.lines, draft.speaker, draft.below, draft.language)
        previous_ends[draft.speaker] = end


def _own_next(drafts: Sequence[Draft]) -> list[Draft | None]:
    """Return for each cue the next one of the same speaker."""
    later: dict[str, Draft] = {}
    found: list[Draft | None] = []
    for draft in reversed(drafts):
        found.append(later.get(draft.speaker))
        later[draft.speaker] = draft
    return found[::-1]
