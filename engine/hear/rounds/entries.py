"""Caption entries: committed and pending words, numbered, with a revision for every visible change."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from engine.events import FIRST_CAPTION, Caption, Word
from engine.hear.rounds.sentences import breaks_before, ends_sentence, split_entries

if TYPE_CHECKING:
    from engine.speakers.words import WordSpeakers


class _Entry(NamedTuple):
    number: int
    committed: tuple[Word, ...]
    pending: tuple[Word, ...]
    final: bool
    speaker: str = ""
    moved: int = 0

    @property
    def looks(self) -> _Looks:
        return len(self.committed), tuple(word.text for word in self.pending), self.final


_Looks = tuple[int, tuple[str, ...], bool]  # all of an entry that a reader can see change
_UNSEEN: _Looks = (0, (), False)


class CaptionEntries:
    """The open caption entry and the entries of pending words after it.

    A committed word stays in its entry. Whether the next word begins a new entry is decided when that word is
    committed;
    until then, pending words are shown where they would be.
    """

    def __init__(
        self,
        ids: Iterator[int] | None = None,
        speaker: str = "",
        begun: Caption | None = None,
        word_speakers: WordSpeakers | None = None,
        turn_within: Callable[[Sequence[Word]], int] | None = None,
    ) -> None:
        """Number entries by `ids`, which other users may share, and label them with a speaker.

        `begun` is a caption that an earlier session left open: the first entry continues it. With `word_speakers`,
        which knows who says each word, an entry has the words of one speaker only. `turn_within` returns at which of an
        open entry's words another voice begins, as soon as that is known, and 0 before: the entry ends there.
        """
        self._new_ids = count(FIRST_CAPTION) if ids is None else ids
        self._speaker = speaker  # of the open entry
        self._word_speakers = word_speakers
        self._turn_within = turn_within
        self._moved = 0  # words of the open entry that stood in the one before
        self._open: list[Word] = []  # committed words of the open entry
        self._ids: deque[int] = deque()  # of the open entry, and of the entries of pending words after it
        self._shown: dict[int, tuple[int, _Looks]] = {}  # revision and content of entries that may still change, by id
        if begun is not None:
            self._open.extend(begun.committed)
            self._ids.append(begun.id)
            self._shown[begun.id] = begun.revision, _UNSEEN

    @property
    def open_until(self) -> float:
        """End of the open entry's last committed word, in seconds; infinity if there is no open entry."""
        return self._open[-1].end if self._open else math.inf

    def update(
        self,
        committed: Sequence[Word],
        pending: Sequence[Word],
        *,
        ended: bool,
        sentence_ended: bool,
        audio_seconds: float,
        emitted_seconds: float,
        language: str,
    ) -> list[Caption]:
        """Add newly committed words, replace the pending ones, and return the entries that changed visibly.

        `ended` completes the open entry; `sentence_ended` completes it if it reads like a whole sentence.
        """
        entries = self._ended_at_turns()
        for word, speaker in zip(committed, self._speakers(committed, pending), strict=True):
            if breaks_before(self._open, word) or (self._open and speaker != self._speaker):
                entries.append(self._finished())
            self._open.append(word)
            self._speaker = speaker
        if self._open and (ended or (sentence_ended and not pending and ends_sentence(self._open[-1]))):
            entries.append(self._finished())
        captions = []
        for entry in [*entries, *self._unfinished(pending)]:
            revision = self._revision(entry)
            if revision is not None:
                start, end = _span(entry, audio_seconds)
                moment = audio_seconds, emitted_seconds, language, entry.speaker
                shown = Caption(
                    entry.number, revision, start, end, entry.committed, entry.pending, entry.final, *moment
                )
                captions.append(replace(shown, moved=entry.moved) if entry.moved else shown)
        return captions

    def _ended_at_turns(self) -> list[_Entry]:
        """End the open entry where another voice begins; the words behind that are the open entry from now on."""
        ended = []
        while self._turn_within is not None and (at := self._turn_within(self._open)):
            rest, self._open = self._open[at:], self._open[:at]
            ended.append(self._finished())
            self._open, self._moved = rest, len(rest)
        return ended

    def _speakers(self, committed: Sequence[Word], pending: Sequence[Word]) -> list[str]:
        """Return the speaker of each newly committed word."""
        if self._word_speakers is None:
            return [self._speaker] * len(committed)
        first = len(self._open)
        return self._word_speakers([*self._open, *committed, *pending])[first : first + len(committed)]

    def _finished(self) -> _Entry:
        entry = _Entry(self._id_of(0), tuple(self._open), (), True, self._speaker, self._moved)
        self._open, self._moved = [], 0
        self._ids.popleft()
        return entry

    def _unfinished(self, pending: Sequence[Word]) -> list[_Entry]:
        """Return the open entry, the entries of pending words, and an empty one for each entry that disappeared."""
        groups = split_entries([*self._open, *pending])
        known = [len(self._open)] + [0] * len(groups)  # the committed words are all in the first group
        entries = [
            _Entry(
                self._id_of(index),
                group[: known[index]],
                group[known[index] :],
                False,
                self._speaker,
                self._moved if known[index] else 0,
            )
            for index, group in enumerate(groups)
        ]
        gone = list(self._ids)[len(groups) :]
        return entries + [_Entry(number, (), (), False) for number in gone]

    def _id_of(self, index: int) -> int:
        """Return the id of an entry that is not final, counted from the open one."""
        if index == len(self._ids):
            self._ids.append(next(self._new_ids))
        return self._ids[index]

    def _revision(self, entry: _Entry) -> int | None:
        """Return the next revision of an entry; None if it has not changed visibly."""
        revision, before = self._shown.get(entry.number, (-1, _UNSEEN))
        if entry.looks == before:
            return None
        self._shown[entry.number] = (revision + 1, entry.looks)
        if entry.final:
            del self._shown[entry.number]
        return revision + 1


def _span(entry: _Entry, now: float) -> tuple[float, float]:
    """Return start and end of an entry in seconds; for an entry without words, both are `now`."""
    words = entry.committed or entry.pending
    return (words[0].start, words[-1].end) if words else (now, now)
