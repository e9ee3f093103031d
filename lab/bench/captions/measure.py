"""Live captions measured: word errors, the delay of words, what the rounds cost.

A clip is captioned as a live stream whose clock also counts the computation of every round, so that the delay is what
a person would see. Word error rates are edits over words of all clips together; case and punctuation do not count
(engine.metrics says how).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass, field

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.feed import feed
from engine.audio.pauses import quietest_place
from engine.audio.source import chunks_of
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock, Timer
from engine.events import Caption, Latency, RoundStats, SecondLookSummary, text_of
from engine.hear.recognizer import WINDOW_SECONDS, ModelRecognizer, Recognizer
from engine.metrics import WordErrors, latency_of, real_time_factor, shown_before_next, word_errors, word_latencies
from engine.options import CaptionOptions
from lab.bench.captions.clips import Clip
from lab.bench.energy import EnergyCounter, estimated_joules
from lab.bench.intervals import Interval, rate_interval

EncoderWork = Callable[[float], float]
"""Seconds of audio to the billions of multiply-accumulates (GMACs) that encoding a round of them takes."""


@dataclass(frozen=True, slots=True)
class RoundTotals:
    """The counters of many rounds; sums with `+`. See RoundStats for what each counts.

    Attributes:
        rounds: all of them; `decoded_rounds` are those that had a decoder forward: silence needs none.
        encoder_gmacs: multiply-accumulates of encoding, by formula, in billions.
    """

    rounds: int = 0
    decoded_rounds: int = 0
    forwards: int = 0
    tokens: int = 0
    reused_tokens: int = 0
    steps: int = 0
    pruned_steps: int = 0
    candidates: int = 0
    heard_seconds: float = 0.0
    encode_seconds: float = 0.0
    decode_seconds: float = 0.0
    align_seconds: float = 0.0
    encoder_gmacs: float = 0.0

    def __add__(self, other: RoundTotals) -> RoundTotals:
        return RoundTotals(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def average_beam(self) -> float | None:
        """Candidates per step; None where nothing was searched."""
        return self.candidates / self.steps if self.steps else None

    @property
    def pruned_share(self) -> float | None:
        """The share of steps that had a single candidate because it followed the last hypothesis."""
        return self.pruned_steps / self.steps if self.steps else None

    def reduce_ratio(self, beam_size: int) -> float | None:
        """Return WhisperFlow's r (Table 4): the average beam is beam_size - (beam_size - 1) * r. None for a beam of
        one."""
        average = self.average_beam
        return None if average is None or beam_size < 2 else (beam_size - average) / (beam_size - 1)

    @property
    def forwards_per_round(self) -> float | None:
        return self._per_round(self.forwards)

    @property
    def new_tokens_per_round(self) -> float | None:
        """Tokens that had to be searched for: those that were not taken over from the last hypothesis."""
        return self._per_round(self.tokens - self.reused_tokens)

    @property
    def encoder_gmacs_per_round(self) -> float | None:
        return self._per_round(self.encoder_gmacs)

    def _per_round(self, amount: float) -> float | None:
        return amount / self.decoded_rounds if self.decoded_rounds else None


@dataclass(frozen=True, slots=True)
class ClipResult:
    """The outcome of captioning one clip.

    Attributes:
        clip: its name.
        said, heard: the texts that `errors` counts the differences of.
        latencies: from the end of each word to its being shown as committed, in seconds.
        compute_seconds: computation of all rounds, as the session's clock measured it.
        cpu_seconds: processor time of all threads of this process, the gate and the session included.
        before_next: how many of the words that have a latency were shown before the word after them ended.
        joules: energy that the processor counted, other programs' included; None where it cannot be read.
        kept: the text after the second look at its captions, and its differences; as heard where there was none.
        second_look: what that cost.
        look_delays: from the end of each caption that got other words to their being shown, in seconds.
    """

    clip: str
    said: str
    heard: str
    audio_seconds: float
    errors: WordErrors
    latencies: tuple[float, ...]
    totals: RoundTotals
    compute_seconds: float
    cpu_seconds: float
    before_next: int = 0
    joules: float | None = None
    kept: str = ""
    kept_errors: WordErrors = field(default_factory=WordErrors)
    second_look: SecondLookSummary = field(default_factory=SecondLookSummary)
    look_delays: tuple[float, ...] = ()


def caption_clip(
    recognizer: Recognizer,
    clip: Clip,
    options: CaptionOptions,
    encoder_work: EncoderWork | None = None,
    timer: Timer = time.perf_counter,
    second_ear: Recognizer | None = None,
) -> ClipResult:
    """Caption a clip as if it were live; `timer` is the stopwatch that computation is measured with.

    `second_ear` hears finished captions again.
    """
    session = CaptionSession(recognizer, options, SimulatedClock(timer), second_ear=second_ear)
    collected = _Collected(session, encoder_work)
    chunks = collected.between(chunks_of(clip.listen()))
    started, energy = time.process_time(), EnergyCounter()
    with closing(session):
        captions = [each for each in feed(chunks, session, pace="fast") if isinstance(each, Caption)]
    cpu_seconds, joules = time.process_time() - started, energy.joules()
    collected.collect()
    summary = session.summary
    first = [caption for caption in captions if not caption.first_text]
    better = [caption for caption in captions if caption.first_text]
    kept = " ".join(caption.text for caption in {each.id: each for each in captions if each.final}.values())
    return ClipResult(
        clip.name,
        clip.text,
        summary.text,
        summary.audio_seconds,
        errors=word_errors(clip.text, summary.text, clip.language),
        latencies=tuple(word_latencies(first, clip.words or None)),
        totals=collected.totals,
        compute_seconds=summary.compute_seconds,
        cpu_seconds=cpu_seconds,
        before_next=shown_before_next(first, clip.words or None),
        joules=joules,
        kept=kept,
        kept_errors=word_errors(clip.text, kept, clip.language),
        second_look=summary.second_look or SecondLookSummary(),
        look_delays=tuple(caption.emitted_seconds - caption.end for caption in better),
    )


def hear_whole(
    recognizer: Recognizer, clip: Clip, options: CaptionOptions, timer: Timer = time.perf_counter
) -> ClipResult:
    """Hear each utterance of a clip by itself, after it has ended: what it costs to be live is measured against this.

    What is longer than a window is cut in its pauses.
    """
    samples = clip.listen()
    spans = [(part.start, part.end) for part in clip.utterances] or [(0.0, len(samples) / SAMPLE_RATE_HZ)]
    started, cpu_started = timer(), time.process_time()
    parts = [samples[round(start * SAMPLE_RATE_HZ) : round(end * SAMPLE_RATE_HZ)] for start, end in spans]
    if isinstance(recognizer, ModelRecognizer):
        recognizer = recognizer.for_files()
    longest = round(getattr(recognizer, "window_seconds", WINDOW_SECONDS) * SAMPLE_RATE_HZ)
    windows = [window for part in parts for window in _windows(part, longest)]
    heard = " ".join(
        text_of(
            recognizer.hear(window, offset_seconds=0.0, prompt="", language=options.language, final=True).words
        ).strip()
        for window in windows
    )
    return ClipResult(
        clip.name,
        clip.text,
        heard,
        len(samples) / SAMPLE_RATE_HZ,
        errors=word_errors(clip.text, heard, clip.language),
        latencies=(),
        totals=RoundTotals(),
        compute_seconds=timer() - started,
        cpu_seconds=time.process_time() - cpu_started,
    )


def _windows(samples: Samples, longest: int) -> Iterator[Samples]:
    """Cut samples (n,) where the last two fifths of the longest window are quietest."""
    while len(samples) > longest:
        earliest = longest * 3 // 5
        end = earliest + quietest_place(samples[earliest:longest])
        yield samples[:end]
        samples = samples[end:]
    yield samples


class _Collected:
    """The statistics of all rounds of a session, which itself keeps only the newest."""

    def __init__(self, session: CaptionSession, encoder_work: EncoderWork | None) -> None:
        self.totals = RoundTotals()
        self._session = session
        self._encoder_work = encoder_work
        self._seen = 0

    def between(self, chunks: Iterable[Samples]) -> Iterator[Samples]:
        """Pass chunks on; before each one, collect what the session did with those before it."""
        for chunk in chunks:
            self.collect()
            yield chunk

    def collect(self) -> None:
        for stats in _new_stats(self._session, self._seen):
            self._seen = stats.round
            self.totals += _totals_of(stats, self._encoder_work)


def _new_stats(session: CaptionSession, seen: int) -> list[RoundStats]:
    """Return the statistics of the rounds after number `seen`, in order."""
    found: list[RoundStats] = []
    for stats in reversed(session.stats):
        if stats.round <= seen:
            break
        found.append(stats)
    return found[::-1]


def _totals_of(stats: RoundStats, encoder_work: EncoderWork | None) -> RoundTotals:
    decoded = stats.forwards > 0
    return RoundTotals(
        rounds=1,
        decoded_rounds=int(decoded),
        forwards=stats.forwards,
        tokens=stats.tokens,
        reused_tokens=stats.reused_tokens,
        steps=stats.steps,
        pruned_steps=stats.pruned_steps,
        candidates=stats.candidates,
        heard_seconds=stats.buffer_seconds,
        encode_seconds=stats.encode_seconds,
        decode_seconds=stats.decode_seconds,
        align_seconds=stats.align_seconds,
        encoder_gmacs=encoder_work(stats.buffer_seconds) if decoded and encoder_work else 0.0,
    )


@dataclass(frozen=True, slots=True)
class MeasuredCaptions:
    """All clips of one method together.

    Attributes:
        before_next: the share of words that were shown before the word after them ended; None without words.
        watts: energy that the processor counted over the audio; None where it cannot be read.
        interval: of `wer`.
        kept_wer, kept_interval: the same of the text after the second look; None where there was none.
        second_look: what the second look cost.
        look_delay: from the end of a caption that got other words to their being shown.
    """

    words: int
    wer: float
    latency: Latency | None
    totals: RoundTotals
    audio_seconds: float
    real_time_factor: float
    cpu_factor: float
    before_next: float | None = None
    watts: float | None = None
    interval: Interval | None = None
    kept_wer: float | None = None
    kept_interval: Interval | None = None
    second_look: SecondLookSummary = field(default_factory=SecondLookSummary)
    look_delay: Latency | None = None

    @property
    def estimated_watts(self) -> float:
        """Estimate the energy over the audio from processor time."""
        return estimated_joules(self.cpu_factor)

    @property
    def look_factor(self) -> float | None:
        """Return the computation of the second look over the audio; None where there was none."""
        return self.second_look.seconds / self.audio_seconds if self.second_look.captions else None

    @property
    def held_share(self) -> float | None:
        """Return the share of the tokens of the first text that the second look kept; None where there was none."""
        return self.second_look.held / self.second_look.drafted if self.second_look.drafted else None


def together(results: Sequence[ClipResult]) -> MeasuredCaptions:
    """Sum up what clips came to."""
    errors = sum((result.errors for result in results), start=WordErrors())
    audio = sum(result.audio_seconds for result in results)
    timed = sum(len(result.latencies) for result in results)
    looks = SecondLookSummary(*(sum(column) for column in zip(*(astuple(r.second_look) for r in results), strict=True)))
    kept = [result.kept_errors for result in results] if looks.captions else []
    joules = [result.joules for result in results if result.joules is not None]
    return MeasuredCaptions(
        words=errors.reference_words,
        wer=errors.rate,
        latency=latency_of(seconds for result in results for seconds in result.latencies),
        totals=sum((result.totals for result in results), start=RoundTotals()),
        audio_seconds=audio,
        real_time_factor=real_time_factor(sum(result.compute_seconds for result in results), audio),
        cpu_factor=real_time_factor(sum(result.cpu_seconds for result in results), audio),
        before_next=sum(result.before_next for result in results) / timed if timed else None,
        watts=sum(joules) / audio if audio and len(joules) == len(results) else None,
        interval=rate_interval([result.errors for result in results]),
        kept_wer=sum(kept, start=WordErrors()).rate if kept else None,
        kept_interval=rate_interval(kept) if kept else None,
        second_look=looks,
        look_delay=latency_of(seconds for result in results for seconds in result.look_delays),
    )
