"""A second look: each finished caption is heard again with what was said around it, while captions go on.

Live words are committed with little context and one candidate. Some seconds later the whole sentence and its
neighbours are there, and several candidates can be searched, with the first text as the draft of a speculative decoding
(arXiv:2211.17192): the search goes on only from the first word that does not hold. Steps are as short as those of a
round, so that live rounds can run between two of them.

The words of neighbouring captions are heard again too, as context. An alignment of the old words with the new ones
tells which of the new ones are the caption's: so none is lost or doubled where two captions meet.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.buffer import AudioBuffer
from engine.errors import error_sentence
from engine.events import Caption, Hypothesis, Incident, Reference, SecondLookSummary, Word, text_of
from engine.hear.recognizer import WINDOW_SECONDS
from engine.hear.rounds.guards import judge
from engine.hear.rounds.policy import key_of
from engine.hear.rounds.transcriber import PROMPT_CHARACTERS, UNSPACED_LANGUAGES
from engine.machine import backend
from engine.metrics import align

if TYPE_CHECKING:
    from engine.clock import Clock
    from engine.hear.recognizer import Recognizer, Stage

CONTEXT_SECONDS = 5.0
"""Longest audio before a caption that is heard with it, in seconds."""

AFTER_SECONDS = 2.0
"""Audio behind a caption that is heard with it, in seconds, unless the speech ends before."""

LATE_SECONDS = 2.5
"""Age of a caption from which on its look goes before translations, in seconds since its end."""

PRE_ROLL_SECONDS = 0.5
"""Longest silence before the first word that is heard again, in seconds."""

KEPT_SECONDS = 45.0
"""Audio that is kept to be heard again, in seconds. A caption that waits longer keeps its first text."""

LEAST_LEFT_OUT = 4
"""Fewest different words in a row that a look leaves out, rather than mends, so that they stay."""


@dataclass(slots=True)
class _Line:
    """A final caption, and the language that was spoken in it."""

    caption: Caption
    language: str | None


@dataclass(frozen=True, slots=True)
class _Look:
    """A look in progress: the words before the caption, its own, and those after it, all of them heard again."""

    line: _Line
    seconds: float
    before: tuple[Word, ...]
    after: tuple[Word, ...]
    settled: bool
    stages: Generator[Stage, None, Hypothesis]


class SecondLook:
    """Hears final captions again, one step at a time. All methods are for one thread.

    Attributes:
        summary: what was done so far.
    """

    def __init__(
        self, recognizer: Recognizer, clock: Clock, start_seconds: float, report: Callable[[Incident], None]
    ) -> None:
        """Look at captions of a stream whose first sample stands at `start_seconds`; `report` receives incidents."""
        self._report = report
        self._has_failed = False
        self.summary = SecondLookSummary()
        self._recognizer = recognizer
        self._most_seconds = getattr(recognizer, "window_seconds", WINDOW_SECONDS)
        self._longest_seconds = min(WINDOW_SECONDS, getattr(recognizer, "longest_seconds", WINDOW_SECONDS))
        self._clock = clock
        self._audio = AudioBuffer(KEPT_SECONDS, start_seconds)
        self._earlier = ""  # text before the lines that are kept
        self._recalled: tuple[Word, ...] = ()  # of an earlier session, which the first audio may hold
        self._lines: deque[_Line] = deque()  # oldest first
        self._waiting: deque[_Line] = deque()
        self._open: tuple[Word, ...] = ()  # committed words after the newest line
        self._closed_until = start_seconds  # the speech up to here has ended, and all of it is committed
        self._running: _Look | None = None

    def recall(self, words: Sequence[Word]) -> None:
        """Accept words that an earlier session committed: context, which may be heard again."""
        self._recalled = tuple(words)

    def add(self, samples: Samples) -> None:
        """Keep the next samples (n,) of the stream."""
        self._audio.append(samples)

    def offer(self, captions: Iterable[Caption], language: str | None, *, closed_until: float | None = None) -> None:
        """Note captions that have changed, and up to which second the speech has ended, if it has."""
        for caption in captions:
            if not caption.final:
                self._open = caption.committed or self._open
                continue
            self._open = ()
            if caption.committed and not caption.is_gap:
                self._lines.append(_Line(caption, language))
                self._waiting.append(self._lines[-1])
        if closed_until is not None:
            self._closed_until = closed_until
        self._forget()

    def leave(self, number: int) -> None:
        """Hear this caption no more: its line has become several."""
        self._waiting = deque(line for line in self._waiting if line.caption.id != number)
        if self._running is not None and self._running.line.caption.id == number:
            self._running.stages.close()
            self._running = None

    @property
    def busy(self) -> bool:
        """Return whether a step would do anything now."""
        if self._has_failed:
            return False
        return self._running is not None or bool(self._waiting and self._is_due(self._waiting[0].caption))

    @property
    def is_late(self) -> bool:
        """Return whether a caption has waited so long that nothing else should go first."""
        if not self.busy:
            return False
        line = self._waiting[0] if self._running is None else self._running.line
        return self._audio.end_seconds >= line.caption.end + LATE_SECONDS

    def step(self) -> Caption | None:
        """Work for about one forward of the model; return a caption with better words, once there is one."""
        started = self._clock.timer()
        found = self._step()
        self._clock.spend_since(started)
        self.summary = replace(self.summary, seconds=self.summary.seconds + self._clock.timer() - started)
        return None if found is None else replace(found, emitted_seconds=self._clock.now())

    def finish(self) -> Iterator[Caption]:
        """Look at all captions that wait; no more audio will come."""
        self._closed_until = math.inf
        while self.busy:
            if (caption := self.step()) is not None:
                yield caption

    def close(self) -> None:
        """Drop the look in progress and all that waits."""
        if self._running is not None:
            self._running.stages.close()
        self._running = None
        self._waiting.clear()

    def _is_due(self, caption: Caption) -> bool:
        return self._closed_until >= caption.end or self._audio.end_seconds >= caption.end + AFTER_SECONDS

    def _step(self) -> Caption | None:
        if self._running is None:
            self._running = self._begin(self._waiting.popleft())
        if (look := self._running) is None:
            return None
        try:
            next(look.stages)
        except StopIteration as end:
            self._running = None
            return self._finished(look, end.value)
        except Exception as error:  # whatever a model may raise: the captions themselves have not failed
            self.close()
            self._has_failed = True
            self._report(Incident(f"Finished captions are not corrected any more: {error_sentence(error)}"))
        return None

    def _begin(self, line: _Line) -> _Look | None:
        """Begin a look; None if the audio is not all there any more, or the model does not hear its language."""
        caption = line.caption
        if line.language is not None and line.language not in self._recognizer.languages:
            return None
        place = next(index for index, each in enumerate(self._lines) if each is line)
        earlier = [word for word in self._recalled if word.start < self._lines[0].caption.start]
        earlier += [word for each in list(self._lines)[:place] for word in each.caption.committed]
        later = [word for each in list(self._lines)[place + 1 :] for word in each.caption.committed]
        later += self._open
        end = min(self._audio.end_seconds, caption.end + AFTER_SECONDS)
        starts = [each.caption.start for each in list(self._lines)[: place + 1]]
        context = min(CONTEXT_SECONDS, max(0.0, self._most_seconds - (end - caption.start)))
        earliest = max(self._audio.start_seconds, caption.start - context)
        first = _first_heard(earlier, caption.start, starts, earliest)
        begin = _start_of(earlier, first, caption.start, earliest)
        if begin > caption.start or caption.end - begin > self._longest_seconds:
            return None
        end = min(end, begin + self._longest_seconds)
        before, after = tuple(earlier[first:]), tuple(word for word in later if word.end <= end)
        samples = self._audio.samples[
            max(0, round(begin * SAMPLE_RATE_HZ) - self._audio.start_sample) :
            round(end * SAMPLE_RATE_HZ) - self._audio.start_sample
        ].copy()  # fmt: skip
        stages = self._recognizer.stages(
            samples,
            offset_seconds=begin,
            prompt=self._prompt(earlier[:first]),
            language=line.language,
            final=False,
            reference=Reference((), (*before, *caption.committed, *after)),
        )
        settled = bool(later) or self._closed_until >= caption.end
        return _Look(line, end - begin, before, after, settled, backend.allotted(stages))

    def _prompt(self, before: Sequence[Word]) -> str:
        """Return the end of the text before the audio of a look, from a whole word on."""
        text = self._earlier + "".join(word.text for word in before)
        if len(text) <= PROMPT_CHARACTERS:
            return text.strip()
        return text[-PROMPT_CHARACTERS:].partition(" ")[2].strip()

    def _finished(self, look: _Look, heard: Hypothesis) -> Caption | None:
        """Return the caption with its new words; None if they do not differ, or nothing can be heard."""
        caption = look.line.caption
        verdict, words = judge(heard, look.seconds, final=True)
        if verdict != "heard":
            return None
        drafted = sum(len(word.tokens) for word in (*look.before, *caption.committed, *look.after))
        new = _words_of(look, words)
        changed = bool(new) and text_of(new) != caption.text
        self.summary = self.summary.plus(drafted, min(drafted, heard.reused_tokens), changed=changed)
        if not changed:
            return None
        corrected = replace(
            caption,
            revision=caption.revision + 1,
            start=new[0].start,
            end=new[-1].end,
            committed=new,
            first_text=caption.text,
        )
        look.line.caption = corrected
        return corrected

    def _forget(self) -> None:
        """Let go of lines whose audio is gone or too old for context."""
        while self._waiting and self._waiting[0].caption.start < self._audio.start_seconds:
            self._waiting.popleft()
        if self._recalled and self._recalled[-1].end < self._audio.start_seconds:
            self._earlier, self._recalled = "".join(word.text for word in self._recalled), ()
        while len(self._lines) > 1 and self._lines[0].caption.end < self._audio.start_seconds:
            self._earlier += "".join(word.text for word in self._lines.popleft().caption.committed)
        self._earlier = self._earlier[-2 * PROMPT_CHARACTERS :]


def _first_heard(earlier: Sequence[Word], start: float, lines: Sequence[float], earliest: float) -> int:
    """Return the index of the first earlier word that is heard again.

    It is the first of a caption, if one begins within the context, else the one after the longest pause.
    """
    within = [index for index, word in enumerate(earlier) if word.start >= earliest]
    if not within:
        return len(earlier)
    begins = [index for index in within if any(abs(earlier[index].start - line) < 1e-3 for line in lines)]
    if begins:
        return begins[0]
    return max(within, key=lambda index: earlier[index].start - (earlier[index - 1].end if index else 0.0))


def _start_of(earlier: Sequence[Word], first: int, start: float, earliest: float) -> float:
    """Return the second at which the audio of a look begins: in the pause before its first word."""
    begins = earlier[first].start if first < len(earlier) else start
    pause_from = earlier[first - 1].end if first else earliest
    return max(earliest, (pause_from + begins) / 2, begins - PRE_ROLL_SECONDS)


def _words_of(look: _Look, heard: Sequence[Word]) -> tuple[Word, ...]:
    """Return the heard words that are the caption's own, in its time."""
    caption = look.line.caption
    old = (*look.before, *caption.committed, *look.after)
    first, last = len(look.before), len(look.before) + len(caption.committed)  # of the caption's own, and after them
    heard = _with_left_out(old, heard, range(first, last))
    owners = _owners(old, heard)
    limit = look.after[0].start if look.after else None
    new: list[Word] = []
    for word, (left, right) in zip(heard, owners, strict=True):
        if left == right:
            own = first <= left < last
        elif right < first or left >= last:
            own = False
        elif first <= left and right < last:
            own = True
        elif left < first <= right:  # between the caption before and this one
            own = not look.before or word.middle >= (look.before[-1].end + caption.committed[0].start) / 2
        else:  # between this caption and the one after it, or what is still to come
            until = caption.end if limit is None or not look.settled else (caption.end + limit) / 2
            own = word.middle < until
        same = left == right and key_of(word) == key_of(old[left])
        if own and (same or _within(word, look)):
            new.append(word)
    return _in_order(new, caption, look)


def _within(word: Word, look: _Look) -> bool:
    """Return whether a word that differs from the old ones is not in the time of a neighbouring caption."""
    began = not look.before or word.middle > look.before[-1].end
    return began and (not look.after or word.middle < look.after[0].start)


def _with_left_out(old: Sequence[Word], heard: Sequence[Word], own: range) -> list[Word]:
    """Return the heard words, and a caption's own ones in long stretches that have none in their place.

    A decoder may pass over a whole sentence, which is no mending.
    """
    found: list[Word] = []
    left_out: list[Word] = []
    for mine, theirs in [*_pairs(old, heard), (None, None)]:
        if theirs is None and mine is not None and mine in own:
            left_out.append(old[mine])
            continue
        found += left_out if len({key_of(word) for word in left_out}) >= LEAST_LEFT_OUT else ()
        left_out = []
        found += () if theirs is None else (heard[theirs],)
    return found


def _owners(old: Sequence[Word], heard: Sequence[Word]) -> list[tuple[int, int]]:
    """Return for each heard word the old one in whose place it stands, twice, or the two that it stands between."""
    places: list[tuple[int, int]] = []
    left = -1
    for mine, theirs in _pairs(old, heard):
        if theirs is None:
            left = mine if mine is not None else left
        elif mine is not None:
            left = mine
            places.append((mine, mine))
        else:
            places.append((left, left + 1))
    return places


def _pairs(old: Sequence[Word], heard: Sequence[Word]) -> Sequence[tuple[int | None, int | None]]:
    return align([key_of(word) for word in old], [key_of(word) for word in heard])


def _in_order(words: Sequence[Word], caption: Caption, look: _Look) -> tuple[Word, ...]:
    """Return words whose times lie between those of the neighbouring captions, the first one as a line begins."""
    reached = look.before[-1].end if look.before else 0.0
    end = look.after[0].start if look.after else float("inf")
    placed: list[Word] = []
    for word in words:
        if not word.text.strip():
            continue
        start = min(max(word.start, reached), max(end, reached))
        reached = max(start, min(word.end, end))
        placed.append(replace(word, start=start, end=reached))
    if placed:
        spaced = caption.language not in UNSPACED_LANGUAGES
        placed[0] = replace(placed[0], text=" " * spaced + _begun_as(caption.text, placed[0].text.strip()))
    return tuple(placed)


def _begun_as(first: str, text: str) -> str:
    """Return a word with the capital that stood there before: what goes on from other words has none."""
    same = text[:1].casefold() == first[:1].casefold()
    return first[:1] + text[1:] if same and first[:1].isupper() else text
