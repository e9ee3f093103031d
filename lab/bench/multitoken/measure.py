"""Multi-token prediction measured: word errors, decoder calls per word, and the time that decoding takes.

The decoder's real-time factor is what decoding takes over the audio; encoding and the times of words are the same for
every way and do not count. Word error rates are edits over words of all clips together.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.terminal.tables import Cell
from engine.audio import SAMPLE_RATE_HZ
from engine.clock import Timer
from engine.events import Hypothesis
from engine.hear.recognizer import NO_REFERENCE, ModelRecognizer, Stage
from engine.machine import backend
from engine.metrics import WordErrors, decoder_calls_per_word, real_time_factor, word_errors
from lab.bench.captions.clips import Clip
from lab.bench.errors import BenchError
from lab.bench.multitoken.methods import DecodingMethod
from lab.bench.tables import Column, percent, ratio, rounded, signed

LONGEST_SECONDS = 28.0
"""Longest recording: longer ones would be heard in windows, which do not concern the decoder."""


@dataclass(frozen=True, slots=True)
class HeardClip:
    """The outcome of hearing one clip.

    Attributes:
        clip: its name.
        tokens: of the words that were heard.
        forwards: of the decoder, the one over audio and prompt counted as one.
        written: tokens that were decoded.
    """

    clip: str
    text: str
    tokens: tuple[int, ...]
    errors: WordErrors
    forwards: int
    written: int
    decode_seconds: float
    audio_seconds: float


def fitting(clips: Sequence[Clip]) -> list[Clip]:
    """Read the clips that can be heard at once. BenchError where there are none."""
    read = [replace(clip, samples=clip.listen()) for clip in clips]
    found = [clip for clip in read if len(clip.listen()) <= LONGEST_SECONDS * SAMPLE_RATE_HZ]
    if not found:
        raise BenchError(f"Every recording is longer than {LONGEST_SECONDS:g} s.")
    return found


def hear_clip(recognizer: ModelRecognizer[Any, Any], clip: Clip, timer: Timer = time.perf_counter) -> HeardClip:
    """Hear a clip of up to 30 s at once; `timer` is the stopwatch that decoding is measured with."""
    samples = clip.listen()
    stages = recognizer.stages(
        samples, offset_seconds=0.0, prompt="", language=clip.language, final=False, reference=NO_REFERENCE
    )
    hypothesis, seconds = _timed(backend.allotted(stages), timer)
    return HeardClip(
        clip.name,
        hypothesis.text,
        tokens=tuple(token for word in hypothesis.words for token in word.tokens),
        errors=word_errors(clip.text, hypothesis.text, clip.language),
        forwards=hypothesis.forwards,
        written=hypothesis.tokens,
        decode_seconds=seconds,
        audio_seconds=len(samples) / SAMPLE_RATE_HZ,
    )


def _timed(stages: Generator[Stage, None, Hypothesis], timer: Timer) -> tuple[Hypothesis, float]:
    """Finish the hearing; return what was heard and how long it was at work between "encoded" and "decoded"."""
    seconds, stage = 0.0, None
    while True:
        begun = timer()
        try:
            reached = next(stages)
        except StopIteration as end:
            return end.value, seconds
        if stage is not None and stage != "decoded":
            seconds += timer() - begun
        stage = reached


@dataclass(frozen=True, slots=True)
class DecodingRow:
    """The outcome of one way, and of what it is held against in the same run (nothing where that was not run)."""

    way: DecodingMethod
    heard: Sequence[HeardClip]
    single: Sequence[HeardClip] = ()

    @property
    def errors(self) -> WordErrors:
        return sum((each.errors for each in self.heard), start=WordErrors())

    @property
    def forwards(self) -> int:
        return sum(each.forwards for each in self.heard)

    @property
    def written(self) -> int:
        return sum(each.written for each in self.heard)

    @property
    def eta(self) -> float | None:
        """Calls of the decoder per word; see engine.metrics.decoder_calls_per_word."""
        return decoder_calls_per_word(self.forwards, self.errors)

    @property
    def decoder_rtf(self) -> float:
        """The decoder's real-time factor."""
        return real_time_factor(
            sum(each.decode_seconds for each in self.heard), sum(each.audio_seconds for each in self.heard)
        )

    @property
    def other(self) -> DecodingRow | None:
        """Return the row that this is held against; None for that itself."""
        return DecodingRow(self.way, self.single) if self.single and self.way.name != self.way.single else None

    @property
    def eta_ratio(self) -> float | None:
        """Return how many times fewer decoder calls a word takes than with the single head."""
        return ratio(self.other.eta, self.eta) if self.other else None

    @property
    def rtf_ratio(self) -> float | None:
        """The time of decoding over that with the single head."""
        return ratio(self.decoder_rtf, self.other.decoder_rtf) if self.other else None

    @property
    def wer_delta_points(self) -> float | None:
        """Return the difference in word error rate to the single head, in points; below 0 if fewer words are wrong."""
        return 100 * (self.errors.rate - self.other.errors.rate) if self.other else None

    @property
    def identical_share(self) -> float | None:
        """The share of clips that are written token by token as with the single head."""
        if self.other is None:
            return None
        alike = (a.tokens == b.tokens and a.text == b.text for a, b in zip(self.heard, self.single, strict=True))
        return sum(alike) / len(self.heard)


COLUMNS: tuple[Column[DecodingRow], ...] = (
    Column("method", lambda row: row.way.name),
    Column("title", lambda row: row.way.title, "decoding"),
    Column("wer", lambda row: row.errors.rate, "WER", percent),
    Column("wer_delta_points", lambda row: row.wer_delta_points, "points", signed),
    Column("eta", lambda row: row.eta, "eta"),
    Column("eta_ratio", lambda row: row.eta_ratio, "fewer"),
    Column("decoder_rtf", lambda row: row.decoder_rtf, "RTF"),
    Column("decoder_rtf_ratio", lambda row: row.rtf_ratio, "of single"),
    Column("tokens_per_forward", lambda row: ratio(row.written, row.forwards), "tokens/forward"),
    Column("identical_share", lambda row: row.identical_share, "identical", percent),
    Column("clips", lambda row: len(row.heard)),
    Column("words", lambda row: row.errors.reference_words),
    Column("forwards", lambda row: row.forwards),
    Column("tokens", lambda row: row.written),
)

FIGURES = {
    "": "draft-heads", "draft_": "draft", "heads_": "latent-4-top-1", "published_": "latent-4-0.8",
    "agreed_": "latent-4-0.8-draft", "whisper_": "whisper-draft",
}  # fmt: skip


def rows(ways: Sequence[DecodingMethod], results: Mapping[str, Sequence[HeardClip]]) -> list[DecodingRow]:
    """Hold the ways that were run against theirs."""
    return [DecodingRow(way, results[way.name], results.get(way.single, ())) for way in ways if results.get(way.name)]


def figures(found: Sequence[DecodingRow]) -> dict[str, Cell]:
    """Return the headline numbers; None where the method that one is about was not run.

    `eta_ratio`, `wer_delta_points`, `decoder_rtf_ratio` and `identical_share` are those of Speech-LLaMA with the draft
    of its encoder and its heads, all against its single head; `draft_...` those of the draft alone, `heads_...` of four
    latent heads alone, verified; `published_...` those of the same heads, believed at a threshold of 0.8, and
    `agreed_...` beside the draft, where that agrees; `whisper_...` those of Whisper with the draft. `eta_ratio_beam`
    and `published_eta_ratio_beam` are those of the heads with four candidates, verified and believed;
    `draft_eta_ratio_beam` and `draft_beam_identical_share` those of the draft with four candidates.
    """
    by_name = {row.way.name: row for row in found}
    named: dict[str, float | None] = {}
    for prefix, name in FIGURES.items():
        row = by_name.get(name)
        for figure in ("eta_ratio", "wer_delta_points", "rtf_ratio", "identical_share"):
            full = f"{prefix}{'decoder_' if figure == 'rtf_ratio' and not prefix else ''}{figure}"
            named[full] = getattr(row, figure) if row else None
    for prefix, name in (("", "latent-4-top-1-beam"), ("published_", "latent-4-0.8-beam")):
        beam = by_name.get(name)
        named[f"{prefix}eta_ratio_beam"] = beam.eta_ratio if beam else None
    drafted = by_name.get("draft-beam")
    named["draft_eta_ratio_beam"] = drafted.eta_ratio if drafted else None
    named["draft_beam_identical_share"] = drafted.identical_share if drafted else None
    return {name: rounded(value) for name, value in named.items()}
