"""Words said again after a pause: phrases of people, cut out and said twice or three times.

Whoever reads along needs the repetition, and a decoder that is told the text before the pause may pass over it. What is
said is what the model itself hears of the parts: only words that the repetition costs are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.feed import feed
from engine.audio.pauses import quietest_place
from engine.audio.source import chunks_of
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock, Timer
from engine.events import Caption, Hypothesis, Reference, Word, text_of
from engine.hear.recognizer import NO_REFERENCE, Recognizer
from engine.metrics import align, normalized_words
from engine.options import CaptionOptions
from lab.bench.captions.clips import Clip

PAUSES_SECONDS = (1.4, 3.0, 7.0)
"""Silence before a phrase that is said again, in turn."""

KINDS = ("again", "on", "breath")
"""Kinds of splices, in turn; see Splice."""

BREATH_SECONDS = 0.2
"""Silence between two phrases within one breath."""

PHRASE_WORDS = (1, 2, 3)
"""Length of a phrase, in turn."""

AROUND_SECONDS = 0.12
"""Largest distance of a cut from the time of the word beside it, in seconds: times are inexact."""

NOISE = 3e-4
"""Loudness of what is heard in pauses, as of a quiet room."""


@dataclass(frozen=True, slots=True)
class Splice:
    """A recording in which a phrase is said again.

    Attributes:
        kind: "again" and again after a sentence that ends with it; "on", a sentence that begins with what was said;
            "breath", said twice in one breath.
        said: normalized words of all of it, as the model hears its parts.
        repeated: how many of them are said again.
    """

    name: str
    kind: str
    pause_seconds: float
    samples: Samples
    said: tuple[str, ...]
    repeated: int


@dataclass(frozen=True, slots=True)
class Losses:
    """Words of a splice that captions lack."""

    splice: Splice
    heard: str
    lost: int


class Unprompted(Recognizer):
    """A recognizer that is never told the text before the audio."""

    def __init__(self, told: Recognizer) -> None:
        self._told = told
        self.languages, self.buffer_seconds = told.languages, told.buffer_seconds

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
        return self._told.hear(
            samples, offset_seconds=offset_seconds, prompt="", language=language, final=final, reference=reference
        )


def splices(whole: Recognizer, clips: Sequence[Clip]) -> Iterator[Splice]:
    """Yield splices of utterances, the kinds, pauses and lengths of phrases in turn.

    A phrase is one that the model hears alone as it does in its sentence; utterances without any are left out.
    """
    turns = zip(cycle(KINDS), cycle(PAUSES_SECONDS + PAUSES_SECONDS[:1]), cycle(PHRASE_WORDS), strict=False)
    for clip, (kind, pause, count) in zip(clips, turns, strict=False):
        sentence = clip.listen()
        words = _hear(whole, sentence)
        for length in sorted(PHRASE_WORDS, key=lambda each: (each - count) % len(PHRASE_WORDS)):
            if len(words) < 2 * length:
                continue
            if kind == "on":
                part, phrase = words[:length], sentence[: _cut(sentence, words[length - 1].end)]
            else:
                part, phrase = words[-length:], sentence[_cut(sentence, words[-length].start) :]
            again, once = normalized_words(text_of(part)), normalized_words(text_of(words))
            if again and normalized_words(text_of(_hear(whole, phrase))) == again:
                parts: dict[str, list[Samples | float]] = {
                    "again": [sentence, pause, phrase, pause, phrase],
                    "on": [phrase, pause, sentence],
                    "breath": [sentence, pause, phrase, BREATH_SECONDS, phrase],
                }
                said = again + once if kind == "on" else once + 2 * again
                times = 1 if kind == "on" else 2
                if normalized_words(" ".join(said)) != said:  # "one one" would be 11
                    continue
                yield Splice(clip.name, kind, pause, _joined(parts[kind]), tuple(said), times * len(again))
                break


def losses_of(recognizer: Recognizer, splice: Splice, options: CaptionOptions, timer: Timer) -> Losses:
    """Caption a splice, and count the words that have none in their place."""
    with closing(CaptionSession(recognizer, options, SimulatedClock(timer))) as session:
        shown = [each for each in feed(chunks_of(splice.samples), session, pace="fast") if isinstance(each, Caption)]
    text = " ".join(caption.text for caption in {each.id: each for each in shown}.values())
    heard = normalized_words(text)
    lost = sum(mine is not None and theirs is None for mine, theirs in align(splice.said, heard))
    return Losses(splice, text, lost)


def _hear(recognizer: Recognizer, samples: Samples) -> tuple[Word, ...]:
    heard = recognizer.hear(samples, offset_seconds=0.0, prompt="", language="en", final=True).words
    return tuple(word for word in heard if word.text.strip())


def _cut(samples: Samples, seconds: float) -> int:
    """Return the quietest place near a moment."""
    first = max(0, round((seconds - AROUND_SECONDS) * SAMPLE_RATE_HZ))
    return first + quietest_place(samples[first : round((seconds + AROUND_SECONDS) * SAMPLE_RATE_HZ)])


def _joined(parts: Sequence[Samples | float]) -> Samples:
    """Join sound and pauses of so many seconds, with a second of pause behind them, over the noise of a room."""
    joined = np.concatenate(
        [np.zeros(round(each * SAMPLE_RATE_HZ)) if isinstance(each, float) else each for each in (*parts, 1.0)]
    )
    return (joined + np.random.default_rng(0).normal(0, NOISE, len(joined))).astype(np.float32)
