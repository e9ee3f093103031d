"""Figures of live captions: delay, load, steadiness and acceptance, measured as they come."""

from __future__ import annotations

import math
import statistics
import time
from collections import deque
from dataclasses import dataclass

from app.captions.steadiness import SteadinessMeter
from engine.events import Caption, RoundStats, Translation, text_of

RECENT_WORDS = 20
RECENT_ROUNDS = 20
LEAST_NEW_SECONDS = 0.05
"""Shortest new audio for which the real-time factor of a round is measured, in seconds."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of the status line; None where nothing has been measured yet.

    Attributes:
        delay_seconds: from the end of a word in the air to its being shown as committed, the middle of recent words.
        real_time_factor: computing over the audio it was for, in recent rounds.
    """

    delay_seconds: float | None = None
    real_time_factor: float | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement of one figure, for the live charts.

    Attributes:
        figure: what was measured, one of the names below.
        seconds: when, on time.monotonic()'s clock.
        value: seconds where the name says so, else a share or a ratio.
    """

    figure: str
    seconds: float
    value: float


WORD_LATENCY = "word_latency_seconds"  # of each word, from its end in the air to its being shown as committed
REAL_TIME_FACTOR = "real_time_factor"  # of each round: computing over the audio that was new to it
CAPTION_ERASURE = (
    "caption_erasure"  # words of captions taken back for every word that stayed, since hearing changed last
)
TRANSLATION_ERASURE = "translation_erasure"  # the same of translations
CAPTION_ACCEPTANCE = "caption_acceptance"  # of each round: tokens that were taken over from the round before
TRANSLATION_ACCEPTANCE = "translation_acceptance"  # of each update: tokens of the draft that were kept
CAPTION_FORWARDS = "caption_forwards"  # of each round: passes of the decoder


class FigureMeter:
    """Measures one recording; what is measured is given back as it comes."""

    def __init__(self) -> None:
        self._delays: deque[float] = deque(maxlen=RECENT_WORDS)
        self._rounds: deque[tuple[float, float]] = deque(maxlen=RECENT_ROUNDS)
        self._committed: dict[int, int] = {}  # words that were committed of captions that are not final, by id
        self._round_ends: dict[int, float] = {}  # second up to which the newest round of a side has heard
        self.begin_hearing()

    def begin_hearing(self) -> None:
        """Count erasure from zero, since captions are made in another way from now on."""
        self._captions = _Erasure(CAPTION_ERASURE)
        self.begin_translating()

    def begin_translating(self) -> None:
        """Count the erasure of translations from zero, since they are made in another way from now on."""
        self._translations = _Erasure(TRANSLATION_ERASURE)

    @property
    def figures(self) -> Figures:
        delay = statistics.median(self._delays) if self._delays else None
        factor = None
        if len(self._rounds) > 1:
            audio = self._rounds[-1][0] - self._rounds[0][0]
            # The oldest round only marks where the others' audio begins.
            computing = sum(seconds for _, seconds in list(self._rounds)[1:])
            factor = computing / audio if audio > 0 else None
        return Figures(delay, factor)

    def add_caption(self, caption: Caption, now_seconds: float) -> list[Sample]:
        """Measure a caption that is shown at `now_seconds` of the transcript."""
        before = max(self._committed.get(caption.id, 0), caption.moved)
        delays = [max(0.0, now_seconds - word.end) for word in caption.committed[before:]]
        self._delays.extend(delays)
        if caption.final:
            self._committed.pop(caption.id, None)
        else:
            self._committed[caption.id] = len(caption.committed)
        samples = [_now(WORD_LATENCY, delay) for delay in delays if math.isfinite(delay)]
        words = text_of((*caption.committed, *caption.pending))
        return samples + self._captions.add(caption.id, words, final=caption.final)

    def add_round(self, stats: RoundStats, audio_seconds: float) -> list[Sample]:
        """Measure a round that was run when the transcript had been heard up to `audio_seconds`."""
        computing = stats.encode_seconds + stats.decode_seconds + stats.align_seconds
        self._rounds.append((audio_seconds, computing))
        samples = [_now(CAPTION_FORWARDS, stats.forwards)]
        if stats.tokens:
            samples.append(_now(CAPTION_ACCEPTANCE, stats.reused_tokens / stats.tokens))
        # A pause before the round was not computed on: no more is new than what the round heard.
        before = self._round_ends.get(stats.side, 0.0)
        new = min(stats.audio_seconds - before, stats.buffer_seconds)
        if new >= LEAST_NEW_SECONDS:
            samples.append(_now(REAL_TIME_FACTOR, computing / new))
        self._round_ends[stats.side] = max(before, stats.audio_seconds)
        return samples

    def add_translation(self, translation: Translation) -> list[Sample]:
        """Measure a translation as it is shown."""
        stats = translation.stats
        samples = [_now(TRANSLATION_ACCEPTANCE, stats.accepted / stats.drafted)] if stats.drafted else []
        return samples + self._translations.add(translation.id, translation.text, final=translation.final)


class _Erasure:
    """The words of one kind of text that were taken back, as samples where that has changed."""

    def __init__(self, figure: str) -> None:
        self._figure = figure
        self._meter = SteadinessMeter()

    def add(self, number: int, text: str, *, final: bool) -> list[Sample]:
        before = self._meter.taken_back
        self._meter.add(number, text, final=final)
        now = self._meter.taken_back
        return [_now(self._figure, now)] if now is not None and now != before else []


def _now(figure: str, value: float) -> Sample:
    return Sample(figure, time.monotonic(), value)
