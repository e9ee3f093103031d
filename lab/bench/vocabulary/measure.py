"""Listed words in captions: said and written, written and said, and the errors of all other words."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Literal

from engine.audio import Samples
from engine.captions.for_files import for_files
from engine.events import Hypothesis, Reference
from engine.hear.decode.pruning import IMPROVED
from engine.hear.decode.steps import finish
from engine.hear.recognizer import NO_REFERENCE, Recognizer, Stage
from engine.metrics import align, normalized_words
from engine.options import CaptionOptions
from lab.bench.captions.clips import Clip
from lab.bench.captions.measure import caption_clip
from lab.bench.captions.subject import Subject, warm_up
from lab.bench.tables import Column, percent, ratio

Way = Literal["without", "prompt", "listed"]


@dataclass(frozen=True, slots=True)
class Method:
    """A way of knowing words, and its names."""

    name: Way
    title: str


METHODS = (
    Method("without", "no list"),
    Method("prompt", "Whisper's prompt"),
    Method("listed", "words to know"),
)


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of the words of some clips; sums with `+`.

    Attributes:
        said, right: listed words in what was said, and how many of these were written.
        written, wrong: listed words in what was written, and how many of these were not said there.
        others, errors: other words that were said, and edits of words that are not listed.
        cpu_seconds: processor time.
    """

    said: int = 0
    right: int = 0
    written: int = 0
    wrong: int = 0
    others: int = 0
    errors: int = 0
    cpu_seconds: float = 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def recall(self) -> float | None:
        return ratio(self.right, self.said)

    @property
    def precision(self) -> float | None:
        return ratio(self.written - self.wrong, self.written)

    @property
    def other_wer(self) -> float | None:
        """Word error rate of the words that are not listed."""
        return ratio(self.errors, self.others)


def counted(reference: str, heard: str, listed: Collection[str], cpu_seconds: float = 0.0) -> Counts:
    """Count the words of one clip, normalized; `listed` are normalized too."""
    said, written = normalized_words(reference), normalized_words(heard)
    pairs = align(said, written)
    right = sum(i is not None and j is not None and said[i] == written[j] and said[i] in listed for i, j in pairs)
    errors = 0
    for i, j in pairs:
        if i is None:
            errors += j is not None and written[j] not in listed
        elif said[i] not in listed:
            errors += j is None or said[i] != written[j]
    named = sum(word in listed for word in said)
    found = sum(word in listed for word in written)
    return Counts(named, right, found, found - right, len(said) - named, errors, cpu_seconds)


def hearer(
    subject: Subject, options: CaptionOptions, listed: Sequence[str], *, careful: bool
) -> Callable[[Method, Clip], Counts]:
    """Return a function that captions a clip in a way and counts its words."""
    options = for_files(options) if careful else options
    plain = subject.make(options, IMPROVED)
    knowing = subject.make(replace(options, decode=replace(options.decode, vocabulary=tuple(listed))), IMPROVED)
    recognizers: dict[Way, Recognizer] = {"without": plain, "prompt": Prompted(plain, listed), "listed": knowing}
    normalized = frozenset(word for entry in listed for word in normalized_words(entry))
    warm_up(knowing)

    def hear(method: Method, clip: Clip) -> Counts:
        # Processor time, so that a busy machine hears no fewer rounds in one way than in another.
        heard = caption_clip(recognizers[method.name], clip, options, timer=time.process_time)
        return counted(heard.said, heard.heard, normalized, heard.cpu_seconds)

    return hear


class Prompted(Recognizer):
    """A recognizer that is prompted with a list: as many of its last entries as the model has room for."""

    def __init__(self, plain: Recognizer, listed: Sequence[str]) -> None:
        self.languages, self.buffer_seconds = plain.languages, plain.buffer_seconds
        self._plain = plain
        self._list = ", ".join(listed) + "."

    def hear(
        self,
        samples: Samples,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool = False,
        reference: Reference = NO_REFERENCE,
    ) -> Hypothesis:
        return finish(
            self.stages(
                samples,
                offset_seconds=offset_seconds,
                prompt=prompt,
                language=language,
                final=final,
                reference=reference,
            )
        )

    def stages(
        self,
        samples: Samples,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool,
        reference: Reference,
    ) -> Generator[Stage, None, Hypothesis]:
        return self._plain.stages(
            samples,
            offset_seconds=offset_seconds,
            prompt=f"{self._list} {prompt}",
            language=language,
            final=final,
            reference=reference,
        )


def columns(baseline: Counts) -> tuple[Column[tuple[Method, Counts]], ...]:
    """Return the figures of a row; `baseline` is the row without a list."""

    def delta(counts: Counts) -> float | None:
        rates = counts.other_wer, baseline.other_wer
        return None if rates[0] is None or rates[1] is None else 100 * (rates[0] - rates[1])

    return (
        Column("name", lambda row: row[0].name),
        Column("", lambda row: row[0].title, "way"),
        Column("recall", lambda row: row[1].recall, "listed words written", percent),
        Column("recall_interval", lambda row: _said(row[1].right, row[1].said), "95%"),
        Column("precision", lambda row: row[1].precision, "of those written, said", percent),
        Column("precision_interval", lambda row: _said(row[1].written - row[1].wrong, row[1].written), "95%"),
        Column("other_wer", lambda row: row[1].other_wer, "errors in other words", percent),
        Column("other_wer_delta_points", lambda row: delta(row[1]), "points more"),
        Column("cpu_ratio", lambda row: ratio(row[1].cpu_seconds, baseline.cpu_seconds), "processor time"),
    )


def _said(part: int, whole: int) -> str:
    """Write Wilson's interval of a share, at 95%."""
    if not whole:
        return "-"
    share, z = part / whole, 1.96
    middle = (share + z * z / (2 * whole)) / (1 + z * z / whole)
    width = z / (1 + z * z / whole) * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    return f"{100 * max(0.0, middle - width):.1f} to {100 * min(1.0, middle + width):.1f}%"
