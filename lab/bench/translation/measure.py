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

from engine.clock import Timer
from engine.events import Latency, TranslationStats
from engine.metrics import latency_of
from engine.translate.display import joined
from engine.translate.translator import Translated, Translator
from lab.bench.tables import mean, ratio
from lab.bench.translation.methods import TranslationMethod
from lab.bench.translation.metrics import (
    Interval,
    Quality,
    erasures,
    interval,
    normalized_erasure,
    quality,
    reading_units,
    shown_before_end,
    translation_lag,
)
from lab.bench.translation.texts import GrowingText, Revision

ABOUT_20_WORDS = range(18, 23)


@dataclass(frozen=True, slots=True)
class Update:
    """One translation of one of a text's captions.

    Attributes:
        caption: which.
        final: whether it is the caption's last.
        words: how many words of the source there were, doubtful ones included.
        shown: what was to be seen of the translation.
        verify_seconds: computation up to the first token that was not drafted: the forward over prompt and draft.
        decode_seconds: all computation after it.
    """

    caption: int
    final: bool
    words: int
    shown: str
    verify_seconds: float
    decode_seconds: float
    stats: TranslationStats

    @property
    def seconds(self) -> float:
        """Return how long the whole update took."""
        return self.verify_seconds + self.decode_seconds


@dataclass(frozen=True, slots=True)
class TextResult:
    """The outcome of translating one text, in the order in which it was done."""

    text: GrowingText
    updates: tuple[Update, ...]

    @property
    def captions(self) -> list[list[Update]]:
        """The updates of each caption that came to be translated."""
        found: dict[int, list[Update]] = {}
        for update in self.updates:
            found.setdefault(update.caption, []).append(update)
        return [updates for _, updates in sorted(found.items())]

    @property
    def finals(self) -> list[str]:
        """The final translation of each caption."""
        return [update.shown.strip() for updates in self.captions for update in updates if update.final]

    @property
    def translation(self) -> str:
        """The final translation of the whole."""
        return joined(self.finals)


def translate_text(
    translator: Translator, text: GrowingText, timer: Timer = time.perf_counter, *, doubtful: bool = True
) -> TextResult:
    """Translate a text as it grows, with or without its doubtful words.

    `timer` is the stopwatch that updates are measured with.
    """
    for caption in {revision.caption for revision in text.revisions}:
        translator.restart(caption)  # of the text before, whose captions have the same numbers
    return TextResult(text, tuple(_update(translator, revision, timer, doubtful) for revision in text.revisions))


def _update(translator: Translator, revision: Revision, timer: Timer, doubtful: bool) -> Update:
    moments = [timer()]
    source = revision.source if doubtful or revision.sure is None else revision.sure
    steps = translator.steps(source, final=revision.final, sentence=revision.caption, settled=revision.settled)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            translated: Translated = end.value
            break
        finally:
            moments.append(timer())
    verify, decode = moments[1] - moments[0], moments[-1] - moments[1]
    words = len(revision.source.split())
    return Update(revision.caption, revision.final, words, translated.text, verify, decode, translated.stats)


@dataclass(frozen=True, slots=True)
class MeasuredTranslation:
    """All texts of one way together.

    Attributes:
        updates: translations that took a forward of the model.
        finals: the final translation of every caption, in order.
        translations: of the whole texts.
        erasure: normalized erasure of what was shown, the mean over captions; None where nothing was translated.
        taken_back: pieces of all captions that were taken back for each that stayed.
        taken_back_at_end: those that the last update took back.
        lag_words: see lab.bench.translation.metrics.translation_lag; the mean over all pieces.
        shown_before_end: share of the final pieces that were on the screen, for good, before their caption's end.
        intervals: of `taken_back`, `lag_words` and `shown_before_end`, over texts, by name.
        verify_seconds, decode_seconds: computation of all updates; see Update.
        update, update_20_words: how long updates took, all and those of sources of about 20 words.
        quality: None where a text has no reference.
    """

    updates: int
    totals: TranslationStats
    finals: tuple[str, ...]
    translations: tuple[str, ...]
    erasure: float | None
    taken_back: float | None
    taken_back_at_end: float | None
    lag_words: float | None
    shown_before_end: float | None
    intervals: Mapping[str, Interval | None]
    verify_seconds: float
    decode_seconds: float
    update: Latency | None
    update_20_words: Latency | None
    quality: Quality | None

    @property
    def bleu(self) -> float | None:
        return self.quality.bleu if self.quality else None

    @property
    def chrf(self) -> float | None:
        return self.quality.chrf if self.quality else None

    @property
    def seconds(self) -> float:
        """Computation of all updates."""
        return self.verify_seconds + self.decode_seconds

    @property
    def tokens_per_second(self) -> float | None:
        return ratio(self.totals.output, self.seconds)

    @property
    def acceptance_drafted(self) -> float | None:
        return ratio(self.totals.accepted, self.totals.drafted)

    @property
    def acceptance_output(self) -> float | None:
        return ratio(self.totals.accepted, self.totals.output)

    @property
    def forwards_per_update(self) -> float | None:
        return ratio(self.totals.forwards, self.updates)


@dataclass(frozen=True, slots=True)
class _Screen:
    """The display of one text: the pieces that stayed, and for each caption those that were taken back."""

    pieces: int
    erased: tuple[list[int], ...]
    normalized: tuple[float, ...]
    lags: tuple[float, ...]
    before_end: int

    @classmethod
    def of(cls, result: TextResult) -> _Screen:
        captions = result.captions
        shown = [[reading_units(update.shown) for update in caption] for caption in captions]
        read = [[update.words for update in caption] for caption in captions]
        return cls(
            sum(len(outputs[-1]) for outputs in shown),
            tuple(erasures(outputs) for outputs in shown),
            tuple(found for outputs in shown if (found := normalized_erasure(outputs)) is not None),
            tuple(lag for pair in zip(shown, read, strict=True) for lag in translation_lag(*pair)),
            sum(map(shown_before_end, shown)),
        )


def together(results: Sequence[TextResult], language: str) -> MeasuredTranslation:
    """Sum up what texts came to. QualityError where sacrebleu is missing."""
    captions = [caption for result in results for caption in result.captions]
    updates = [update for caption in captions for update in caption if update.stats.forwards]
    screens = [_Screen.of(result) for result in results]
    erased = [each for screen in screens for each in screen.erased]
    pieces = [screen.pieces for screen in screens]
    figures = {
        "taken_back": [float(sum(map(sum, screen.erased))) for screen in screens],
        "lag_words": [sum(screen.lags) for screen in screens],
        "shown_before_end": [float(screen.before_end) for screen in screens],
    }
    translations = tuple(result.translation for result in results)
    references = [result.text.references for result in results]
    return MeasuredTranslation(
        updates=len(updates),
        totals=_sum(update.stats for update in updates),
        finals=tuple(final for result in results for final in result.finals),
        translations=translations,
        erasure=mean(each for screen in screens for each in screen.normalized),
        taken_back=ratio(sum(figures["taken_back"]), sum(pieces)),
        taken_back_at_end=ratio(sum(each[-1] for each in erased if each), sum(pieces)),
        lag_words=ratio(sum(figures["lag_words"]), sum(pieces)),
        shown_before_end=ratio(sum(figures["shown_before_end"]), sum(pieces)),
        intervals={name: interval(parts, pieces) for name, parts in figures.items()},
        verify_seconds=sum(update.verify_seconds for update in updates),
        decode_seconds=sum(update.decode_seconds for update in updates),
        update=latency_of(update.seconds for update in updates),
        update_20_words=latency_of(update.seconds for update in updates if update.words in ABOUT_20_WORDS),
        quality=quality(translations, references, language) if all(references) else None,
    )


def measure_all(
    ways: Sequence[TranslationMethod], found: Mapping[str, Sequence[TextResult]], language: str
) -> dict[str, MeasuredTranslation]:
    """Sum up every way that was run, by name."""
    return {way.name: together(found[way.name], language) for way in ways if found.get(way.name)}


def _sum(stats: Iterable[TranslationStats]) -> TranslationStats:
    return TranslationStats(*map(sum, zip(*map(astuple, stats), strict=True)))
