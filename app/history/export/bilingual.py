"""Subtitles in two languages: a cue holds part of a caption above, and its share of the translation below.

The shares are cut so that every line fits, at clauses and words if possible, and so that about as much of the
translation as of the caption has been read at the end of each cue. Word order differs between languages: a share
is the amount that a reader has time for by then, not the translation of the very words above it.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from app.history.export.cues import (
    CUE_COST,
    LINE_CELLS,
    MAX_CUE_SECONDS,
    SHORT_CELLS,
    Cue,
    CuePiece,
    Draft,
    Measure,
    break_cost,
    drafts_of,
    pieces_of,
    timed,
)
from app.look.text_layout import cells, words_of
from engine.events import Caption, Translation, Word
from engine.sentence_ends import bare, ends_sentence

_DRIFT_COST = 80.0
_MOST_DRIFT = 0.15  # how far the translation may be ahead or behind at the end of a cue, as a part of the whole
_ALONE_COST = 30.0
_PARTED_COST = 12.0
"""Cost of a number, a name or a beginning of a sentence that stands in another cue than its translation."""


@dataclass(frozen=True, slots=True)
class _Share:
    """Pieces `first` up to `after` of the caption, `first_below` up to `after_below` of its translation."""

    first: int
    after: int
    first_below: int
    after_below: int


def bilingual_cues(
    captions: Iterable[Caption], translations: Mapping[int, Translation], audio_seconds: float = math.inf
) -> tuple[Cue, ...]:
    """Lay out final captions with their translations by id, one line of each in a cue, with the times of `timed`.

    A cue has one line once either text has ended. A caption without a translation is laid out alone.
    """
    drafts = [draft for caption in captions for draft in _drafts(caption, translations.get(caption.id))]
    return tuple(timed(drafts, audio_seconds))


def as_caption(caption: Caption, translation: Translation) -> Caption:
    """Return the translation as if it had been said: its words share the caption's time by their length."""
    texts = words_of(translation.text)
    ends = list(accumulate(map(len, texts), initial=0))
    rate = (caption.end - caption.start) / max(ends[-1], 1)
    words = (
        Word(text, caption.start + rate * begin, caption.start + rate * end)
        for text, begin, end in zip(texts, ends, ends[1:], strict=False)
    )
    return replace(caption, committed=tuple(words), pending=(), language=translation.language)


def _drafts(caption: Caption, translation: Translation | None) -> list[Draft]:
    above = pieces_of(caption.committed)
    below = pieces_of(as_caption(caption, translation).committed) if translation is not None else []
    if translation is None or not (above and below):
        return drafts_of(caption)
    upper, lower = Measure(above), Measure(below)
    drafts: list[Draft] = []
    for group in _groups(_shares(upper, lower)):
        lines = [_lines(upper, lower, share) for share in group]
        translated = [int(share.after_below > share.first_below) for share in group]
        spoken = [piece for share in group for piece in above[share.first : share.after]]
        start, seconds = spoken[0].start, spoken[-1].end - spoken[0].start
        marks = list(accumulate((sum(map(cells, each)) for each in lines), initial=0))
        times = [start + seconds * mark / marks[-1] for mark in marks]
        drafts += [
            Draft(*span, texts, caption.speaker, below, translation.language)
            for span, texts, below in zip(pairwise(times), lines, translated, strict=True)
        ]
    return drafts


def _lines(upper: Measure, lower: Measure, share: _Share) -> tuple[str, ...]:
    texts = upper.text(share.first, share.after), lower.text(share.first_below, share.after_below)
    return tuple(text for text in texts if text)


def _groups(shares: Sequence[_Share]) -> list[list[_Share]]:
    """Join shares of the translation alone, which have no time of their own, to the one before them."""
    groups: list[list[_Share]] = []
    for share in shares:
        spoken = any(each.after > each.first for each in groups[-1]) if groups else False
        if groups and (share.first == share.after or not spoken):
            groups[-1].append(share)
        else:
            groups.append([share])
    return groups


def _shares(upper: Measure, lower: Measure) -> list[_Share]:
    """Divide both at the cheapest places over the whole caption.

    The cheapest path to every pair of places follows from the cheapest paths to the pairs one cue before it. Pairs that
    lie too far apart in reading are left out, so that a caption of hundreds of words takes a second.
    """
    count, count_below = len(upper.pieces), len(lower.pieces)
    runs, runs_below = _runs(upper, MAX_CUE_SECONDS), _runs(lower, None)
    places, places_below = _common_places(upper, lower)
    parts, parts_below = _common_parts(upper, lower, places, places_below)
    line = LINE_CELLS / min(upper.width(0, count), lower.width(0, count_below))
    drifts = (min(max(_MOST_DRIFT, line), 1.5 * line) + 1e-9, math.inf)
    named, named_below = _named(upper.pieces), _named(lower.pieces)
    anchors = [(at, named_below[word]) for word, at in named.items() if word in named_below]
    anchors += zip(places[1:-1], places_below[1:-1], strict=True)
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(0, 0): (0.0, (0, 0))}
    for after, most_drift in ((after, drift) for drift in drifts for after in range(count + 1)):
        if (count, count_below) in best:
            break  # found within the smaller drift
        begin = bisect_left(parts_below, parts[after] - most_drift)
        end = bisect_right(parts_below, parts[after] + most_drift)
        for below in range(begin, end):
            ways = [
                (best[first, first_below][0] + cost + cost_below, (first, first_below))
                for first, cost in runs[after]
                for first_below, cost_below in runs_below[below]
                if (first, first_below) in best
            ]
            if ways:
                cost, origin = min(ways)
                drift = _DRIFT_COST * abs(parts[after] - parts_below[below])
                early = _ALONE_COST * below if after == 0 else 0.0  # nothing is translated before it is said
                parted = sum((first < after) != (first_below < below) for first, first_below in anchors)
                best[after, below] = cost + CUE_COST + drift + early + _PARTED_COST * parted, origin
    return _traced(best, count, count_below)


def _named(pieces: Sequence[CuePiece]) -> dict[str, int]:
    """Return the numbers and capitalised words that stand once in a text, with their places."""
    words = [bare(piece.body).rstrip(",;:.?!") for piece in pieces]
    once = Counter(words)
    names = (word for word in once if once[word] == 1 and (word[:1].isupper() or any(map(str.isdigit, word))))
    return {name: words.index(name) for name in names}


def _traced(
    best: Mapping[tuple[int, int], tuple[float, tuple[int, int]]], after: int, after_below: int
) -> list[_Share]:
    shares = []
    while (after, after_below) != (0, 0):
        first, first_below = best[after, after_below][1]
        shares.append(_Share(first, after, first_below, after_below))
        after, after_below = first, first_below
    return shares[::-1]


def _runs(measure: Measure, most_seconds: float | None) -> list[list[tuple[int, float]]]:
    """Return for each place the runs that end there and fit a line, as their beginnings with their costs.

    A single piece always fits; an empty run is one too.
    """
    pieces = measure.pieces
    runs = []
    for after in range(len(pieces) + 1):
        ending = break_cost(pieces[after - 1], pieces[after]) if 0 < after < len(pieces) else 0.0
        here = [(after, _ALONE_COST)]
        for first in range(after - 1, -1, -1):
            width = measure.width(first, after)
            slow = most_seconds is not None and pieces[after - 1].end - pieces[first].start > most_seconds
            if width > LINE_CELLS or (slow and after - first > 1):
                break
            whole = after - first == len(pieces)
            short = 0.0 if whole else max(0.0, 1 - width / SHORT_CELLS) * CUE_COST / 2
            here.append((first, ending + short))
        runs.append(here)
    return runs


def _common_places(upper: Measure, lower: Measure) -> tuple[list[int], list[int]]:
    """Return the beginnings of both texts, the ends of their sentences if they have as many, and their own ends."""
    places, places_below = _sentence_ends(upper), _sentence_ends(lower)
    if len(places) == len(places_below):
        return places, places_below
    return [0, len(upper.pieces)], [0, len(lower.pieces)]


def _common_parts(
    upper: Measure, lower: Measure, places: Sequence[int], places_below: Sequence[int]
) -> tuple[list[float], list[float]]:
    """Return the share of both texts that has been read at each place of each, from 0 to 1; equal at common places."""
    above, below = _widths(upper), _widths(lower)
    pairs = zip(places, places_below, strict=True)
    shares = [(above[place] + below[place_below]) / 2 for place, place_below in pairs]
    return _stretched(above, places, shares), _stretched(below, places_below, shares)


def _sentence_ends(measure: Measure) -> list[int]:
    """Return the places behind the sentences of a text, and its beginning."""
    inner = (
        at
        for at, (piece, following) in enumerate(pairwise(measure.pieces), 1)
        if ends_sentence(piece.body, " " * following.spaced + following.body)
    )
    return [0, *inner, len(measure.pieces)]


def _widths(measure: Measure) -> list[float]:
    """Return the share of a text before each place, from 0 to 1."""
    whole = measure.width(0, len(measure.pieces))
    return [measure.width(0, after) / whole for after in range(len(measure.pieces) + 1)]


def _stretched(widths: Sequence[float], places: Sequence[int], shares: Sequence[float]) -> list[float]:
    """Return shares of the text at all places, given those at some, the first and the last among them."""
    import numpy as np  # the window does not load it before an export

    return [float(each) for each in np.interp(widths, [widths[at] for at in places], shares)]
