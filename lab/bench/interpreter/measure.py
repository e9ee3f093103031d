"""Spoken translation measured: how long after the original each word is heard, and whether any is taken back.

A clip is captioned as a live stream whose clock counts the computation of hearing, translation and voice. Nobody has
aligned the translations with the originals, so that a word of a caption's translation is held against the word at the
same share of the caption. The ear-voice span is the time from the end of that word to the beginning of the spoken one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from app.terminal.tables import Cell
from engine.audio import SAMPLE_RATE_HZ
from engine.audio.feed import feed
from engine.audio.source import chunks_of
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock, Timer
from engine.events import Caption, SpokenTranslation, Translation
from engine.hear.recognizer import Recognizer
from engine.options import CaptionOptions, TranslationOptions
from engine.process.loading import TranslationMaker
from engine.speak.voice import Voice
from engine.translate.display import common_words, units
from engine.translate.spoken import MOST_SPEED, TranslationSpeaker
from lab.bench.captions.clips import Clip
from lab.bench.intervals import DRAWS, WITHIN
from lab.bench.tables import Column, percent, ratio, rounded

LEAST_UNDERRUN_SECONDS = 0.02
"""Shortest silence within a phrase that is heard, in seconds."""

WRITTEN, FINISHED, STEADY, PHRASES, UNSURE = "written", "finished", "steady-speed", "phrases", "unsure"


@dataclass(frozen=True, slots=True)
class InterpreterMethod:
    """A way of speaking translations.

    Attributes:
        voiced: anything is spoken at all.
        finished_only: captions are spoken as a whole when they are finished.
        speeds_up: the voice hurries when it is behind.
        stable: only what is never taken back is shown, and so spoken.
    """

    name: str
    title: str
    voiced: bool = True
    finished_only: bool = False
    speeds_up: bool = True
    stable: bool = True


METHODS = (
    InterpreterMethod(WRITTEN, "Written only", voiced=False),
    InterpreterMethod(FINISHED, "Whole captions when they are finished", finished_only=True),
    InterpreterMethod(STEADY, "Phrases, the voice never hurries", speeds_up=False),
    InterpreterMethod(UNSURE, "Phrases that may be taken back", stable=False),
    InterpreterMethod(PHRASES, "Earshot's phrases"),
)


@dataclass(frozen=True, slots=True)
class Interpreted:
    """The outcome of interpreting one clip.

    Attributes:
        spans: of each spoken word, in seconds.
        speeds: of each phrase, and how many seconds it lasts.
        words, spoken: words of the final translations, and those of them that were spoken.
        taken_back: spoken words that the final translations do not have there.
        underruns: how long the voice fell silent within a phrase because its sound was late, of each time.
        tail_seconds: from the end of the last word to the end of the voice.
        processor_seconds: of all threads.
    """

    clip: str
    audio_seconds: float
    spans: tuple[float, ...]
    speeds: tuple[tuple[float, float], ...]
    words: int
    spoken: int
    taken_back: int
    underruns: tuple[float, ...]
    tail_seconds: float
    processor_seconds: float


def interpreter(
    make_recognizer: Callable[[CaptionOptions], Recognizer],
    make_translation: TranslationMaker,
    voice: Voice,
    target: str,
    timer: Timer,
) -> Callable[[InterpreterMethod, Clip], Interpreted]:
    """Return a function that interprets a clip in one of the ways."""

    def interpret(way: InterpreterMethod, clip: Clip) -> Interpreted:
        options = CaptionOptions(language="en", second_look=False)
        session = CaptionSession(make_recognizer(options), options, SimulatedClock(timer))
        speed = MOST_SPEED if way.speeds_up else 1.0
        speaker = TranslationSpeaker(voice, target, session.clock, most_speed=speed, finished_only=way.finished_only)
        samples, started = clip.listen(), time.process_time()
        with closing(session):
            session.translate_with(
                make_translation(TranslationOptions(target, stable=way.stable)), speaker if way.voiced else None
            )
            shown = list(feed(chunks_of(samples), session, pace="fast"))
        return _result(clip.name, len(samples) / SAMPLE_RATE_HZ, shown, time.process_time() - started)

    return interpret


def _result(name: str, seconds: float, shown: Sequence[object], processor_seconds: float) -> Interpreted:
    captions = {each.id: each for each in shown if isinstance(each, Caption) and each.final}
    finals = {each.id: each for each in shown if isinstance(each, Translation) and each.final}
    phrases = list(_phrases(each for each in shown if isinstance(each, SpokenTranslation)))
    spans: list[float] = []
    said = dict.fromkeys(finals, "")
    for phrase in phrases:
        caption, text = captions[phrase.id], finals[phrase.id].text
        begun = f"{said[phrase.id]} ".lstrip()
        spans += _spans(phrase, caption, len(begun), len(text))
        said[phrase.id] = begun + phrase.text
    kept = {number: len(units(common_words(finals[number].text, text))) for number, text in said.items()}
    last = max((word.end for caption in captions.values() for word in caption.committed), default=0.0)
    until = max((phrase.start_seconds + phrase.seconds for phrase in phrases), default=last)
    return Interpreted(
        name,
        seconds,
        tuple(spans),
        tuple((phrase.speed, phrase.seconds) for phrase in phrases),
        sum(len(units(each.text)) for each in finals.values()),
        sum(kept.values()),
        sum(len(units(text)) - kept[number] for number, text in said.items()),
        tuple(_underruns([each for each in shown if isinstance(each, SpokenTranslation)])),
        max(0.0, until - last),
        processor_seconds,
    )


def _underruns(spoken: Sequence[SpokenTranslation]) -> Iterator[float]:
    """Yield the silences within phrases, in seconds."""
    for before, each in pairwise(spoken):
        late = each.start_seconds - (before.start_seconds + before.seconds)
        if not each.text and late > LEAST_UNDERRUN_SECONDS:
            yield late


@dataclass(frozen=True, slots=True)
class _Phrase:
    id: int
    text: str
    start_seconds: float
    seconds: float
    speed: float


def _phrases(spoken: Iterator[SpokenTranslation]) -> Iterator[_Phrase]:
    """Join the sound of each phrase."""
    phrase: _Phrase | None = None
    for each in spoken:
        if each.text:
            if phrase is not None:
                yield phrase
            phrase = _Phrase(each.id, each.text, each.start_seconds, 0.0, each.speed)
        if phrase is not None:
            phrase = replace(phrase, seconds=each.start_seconds + each.seconds - phrase.start_seconds)
    if phrase is not None:
        yield phrase


def _spans(phrase: _Phrase, caption: Caption, begun: int, whole: int) -> Iterator[float]:
    """Yield the ear-voice span of each word of a phrase, before which `begun` characters of `whole` were said."""
    ends, at = [word.end for word in caption.committed], 0
    for word in units(phrase.text):
        first = at + len(word) - len(word.lstrip())
        place = min(len(ends) - 1, (begun + first) * len(ends) // max(1, whole))
        yield phrase.start_seconds + phrase.seconds * first / len(phrase.text) - ends[place]
        at += len(word)


@dataclass(frozen=True, slots=True)
class InterpreterRow:
    """The outcome of all clips in one way."""

    way: InterpreterMethod
    found: Sequence[Interpreted]

    @property
    def spans(self) -> list[float]:
        return [span for each in self.found for span in each.spans]

    def span(self, quantile: float) -> float | None:
        """Return a quantile of the ear-voice span, in seconds."""
        return float(np.quantile(spans, quantile)) if (spans := self.spans) else None

    def bound(self, place: int) -> float | None:
        """Return the lower (0) or upper (1) bound of the median span at 95%: clips are drawn again."""
        if not self.spans:
            return None
        drawn = np.random.default_rng(0).integers(0, len(self.found), (DRAWS, len(self.found)))
        spans = [np.array(each.spans) for each in self.found]
        medians = [float(np.median(np.concatenate([spans[clip] for clip in clips]))) for clips in drawn]
        return float(np.quantile(medians, ((1 - WITHIN) / 2, (1 + WITHIN) / 2)[place]))

    @property
    def rate(self) -> float | None:
        """Mean speed of the voice."""
        speeds = [speed for each in self.found for speed in each.speeds]
        return ratio(sum(speed * seconds for speed, seconds in speeds), sum(seconds for _, seconds in speeds))

    @property
    def cpu(self) -> float | None:
        """Processor time over the length of the recordings."""
        seconds = sum(each.audio_seconds for each in self.found)
        return ratio(sum(each.processor_seconds for each in self.found), seconds)

    @property
    def retractions(self) -> int | None:
        return sum(each.taken_back for each in self.found) if self.way.voiced else None

    @property
    def underruns(self) -> int | None:
        return sum(len(each.underruns) for each in self.found) if self.way.voiced else None

    @property
    def spoken(self) -> float | None:
        """Share of the words of the final translations that were spoken."""
        words = sum(each.words for each in self.found)
        return ratio(sum(each.spoken for each in self.found), words) if self.way.voiced else None

    @property
    def tail(self) -> float | None:
        """Median time that the voice goes on behind the last word."""
        return float(np.median([each.tail_seconds for each in self.found])) if self.way.voiced and self.found else None


COLUMNS: tuple[Column[InterpreterRow], ...] = (
    Column("method", lambda row: row.way.name),
    Column("", lambda row: row.way.title, "method"),
    Column("ear_voice_span_seconds", lambda row: row.span(0.5), "span s"),
    Column("ear_voice_span_low", lambda row: row.bound(0), "from"),
    Column("ear_voice_span_high", lambda row: row.bound(1), "to"),
    Column("ear_voice_span_p95", lambda row: row.span(0.95), "p95"),
    Column("retractions", lambda row: row.retractions, "taken back"),
    Column("spoken_share", lambda row: row.spoken, "spoken", percent),
    Column("underruns", lambda row: row.underruns, "underruns"),
    Column("rate", lambda row: row.rate, "speed"),
    Column("tail_seconds", lambda row: row.tail, "tail s"),
    Column("words", lambda row: len(row.spans)),
    Column("cpu", lambda row: row.cpu, "processor"),
)


def figures(rows: Sequence[InterpreterRow]) -> dict[str, Cell]:
    """Return the headline numbers: Earshot's, and the span of the baseline."""
    found: dict[str, float | None] = {}
    for row in rows:
        if row.way.name == PHRASES:
            found |= {
                "ear_voice_span_seconds": row.span(0.5),
                "retractions": row.retractions,
                "underruns": row.underruns,
                "rate": row.rate,
                "cpu": row.cpu,
            }
        elif row.way.name == FINISHED:
            found["ear_voice_span_seconds_finished"] = row.span(0.5)
        elif row.way.name == WRITTEN:
            found["cpu_written"] = row.cpu
    return {name: rounded(value) for name, value in found.items()}
