"""Live translation measured: each way translates each growing text, update by update.

Tokens per second are the tokens of all translations over the time of all updates, from the source's coming to what is
shown: encoding the prompt, the forward over prompt and draft that verifies the draft, and the tokens decoded after it.
The SSBD paper's are over "verification and decoding", and its Algorithm 1 verifies with one forward over prompt and
draft, as here; plain re-translation has the same forward over the prompt alone. So the prompt counts for both, as it
does for whoever waits. (llama.cpp, which the paper ran, can report decoding without the prompt. Plain re-translation
would then be faster by its prompts, and SSBD's verification could not be told from its own.)
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass

from engine.bench.translation.methods import Way
from engine.bench.translation.texts import GrowingText
from engine.clock import Timer
from engine.events import Latency, TranslationStats
from engine.metrics import latency_of
from engine.translate.translator import Translated, Translator
from engine.translation_metrics import (
    Quality,
    acceptance_drafted,
    acceptance_output,
    normalized_erasure,
    quality,
    reading_units,
    translation_lag,
)

ABOUT_20_WORDS = range(18, 23)


@dataclass(frozen=True, slots=True)
class Update:
    """One translation of a text that grows.

    Attributes:
        words: how many words of the source there were.
        shown: what was to be seen of the translation.
        verify_seconds: computation up to the first token that was not drafted: the forward over prompt and draft.
        decode_seconds: all computation after it.
    """

    words: int
    shown: str
    verify_seconds: float
    decode_seconds: float
    stats: TranslationStats

    @property
    def seconds(self) -> float:
        """How long the whole update took."""
        return self.verify_seconds + self.decode_seconds


@dataclass(frozen=True, slots=True)
class TextResult:
    """What translating one text came to: the updates of each of its segments."""

    text: GrowingText
    segments: tuple[tuple[Update, ...], ...]

    @property
    def translation(self) -> str:
        """The final translation of the whole."""
        return " ".join(updates[-1].shown.strip() for updates in self.segments)


def translate_text(translator: Translator, text: GrowingText, timer: Timer = time.perf_counter) -> TextResult:
    """Translate a text as it grows; `timer` is the stopwatch that updates are measured with."""
    return TextResult(text, tuple(_translate_segment(translator, sources, timer) for sources in text.segments))


def _translate_segment(translator: Translator, sources: Sequence[str], timer: Timer) -> tuple[Update, ...]:
    return tuple(
        _update(translator, source, timer, final=number == len(sources)) for number, source in enumerate(sources, 1)
    )


def _update(translator: Translator, source: str, timer: Timer, *, final: bool) -> Update:
    moments = [timer()]
    steps = translator.steps(source, final=final)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            translated: Translated = end.value
            break
        finally:
            moments.append(timer())
    verify, decode = moments[1] - moments[0], moments[-1] - moments[1]
    return Update(len(source.split()), translated.text, verify, decode, translated.stats)


@dataclass(frozen=True, slots=True)
class Measured:
    """All texts of one way together.

    Attributes:
        erasure: normalized erasure of what was shown, the mean over segments; None where nothing was translated.
        lag_words: see engine.translation_metrics.translation_lag; the mean over all pieces.
        verify_seconds, decode_seconds: computation of all updates; see Update.
        update, update_20_words: how long updates took, all and those of sources of about 20 words.
    """

    updates: int
    totals: TranslationStats
    erasure: float | None
    lag_words: float | None
    verify_seconds: float
    decode_seconds: float
    update: Latency | None
    update_20_words: Latency | None
    quality: Quality

    @property
    def seconds(self) -> float:
        """Computation of all updates."""
        return self.verify_seconds + self.decode_seconds

    @property
    def tokens_per_second(self) -> float | None:
        return self.totals.output / self.seconds if self.seconds else None

    @property
    def acceptance_drafted(self) -> float | None:
        return acceptance_drafted(self.totals.accepted, self.totals.drafted)

    @property
    def acceptance_output(self) -> float | None:
        return acceptance_output(self.totals.accepted, self.totals.output)

    @property
    def forwards_per_update(self) -> float | None:
        return self.totals.forwards / self.updates if self.updates else None


def together(results: Sequence[TextResult], language: str) -> Measured:
    """Sum up what texts came to. QualityError where sacrebleu is missing."""
    segments = [segment for result in results for segment in result.segments if segment]
    updates = [update for segment in segments for update in segment]
    shown = [[reading_units(update.shown) for update in segment] for segment in segments]
    erasures = [found for outputs in shown if (found := normalized_erasure(outputs)) is not None]
    lags = [
        lag
        for segment, outputs in zip(segments, shown, strict=True)
        for lag in translation_lag(outputs, [update.words for update in segment])
    ]
    return Measured(
        updates=len(updates),
        totals=_sum(update.stats for update in updates),
        erasure=_mean(erasures),
        lag_words=_mean(lags),
        verify_seconds=sum(update.verify_seconds for update in updates),
        decode_seconds=sum(update.decode_seconds for update in updates),
        update=latency_of(update.seconds for update in updates),
        update_20_words=latency_of(update.seconds for update in updates if update.words in ABOUT_20_WORDS),
        quality=quality([r.translation for r in results], [r.text.references for r in results], language),
    )


def measure_all(ways: Sequence[Way], found: Mapping[str, Sequence[TextResult]], language: str) -> dict[str, Measured]:
    """Sum up every way that was run, by name."""
    return {way.name: together(found[way.name], language) for way in ways if found.get(way.name)}


def _sum(stats: Iterable[TranslationStats]) -> TranslationStats:
    return TranslationStats(*map(sum, zip(*map(astuple, stats), strict=True)))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
