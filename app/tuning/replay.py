"""One recording captioned with two settings: Whisper-Streaming as published, and the present one. No Qt.

The spoken text need not be known: delay, computation and flicker are measured, not errors. Both settings process the
same audio on the same kernels, as a live stream whose clock includes the computation of each round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.captions.steadiness import SteadinessMeter
from engine.errors import EngineError
from engine.events import Caption

if TYPE_CHECKING:
    from engine.audio import Samples
    from engine.hear.recognizer import Recognizer
    from engine.options import CaptionOptions

PUBLISHED, SET_NOW = "published", "set"
USUAL_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of captioning a recording with one setting.

    Attributes:
        delay_seconds, late_seconds: median and 95th percentile of the delay from the end of a word until it is
            committed. None if no word was recognized.
        real_time_factor: computation per second of audio.
        flicker: withdrawn words per final word; None for too few words.
        words: number of recognized words.
        text: the recognized text.
    """

    delay_seconds: float | None
    late_seconds: float | None
    real_time_factor: float
    flicker: float | None
    words: int
    text: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both results, and the length of the audio."""

    audio_seconds: float
    published: Replayed
    set_now: Replayed


def first_seconds(path: Path, seconds: float) -> Samples:
    """Read the beginning of a recording: samples (n,) at 16 kHz.

    Raises:
        AudioError: it cannot be read, or it is empty.
    """
    import numpy as np

    from engine.audio import SAMPLE_RATE_HZ
    from engine.audio.source import CHUNK_SECONDS, stream_audio

    chunks = stream_audio(path)
    begun = (chunk for _, chunk in takewhile(lambda item: item[0] * CHUNK_SECONDS < seconds, enumerate(chunks)))
    return np.concatenate(list(begun))[: round(seconds * SAMPLE_RATE_HZ)]


def replay(
    recognizer: Recognizer,
    samples: Samples,
    options: CaptionOptions,
    note: Callable[[float], None] = lambda seconds: None,
) -> Replayed:
    """Caption samples (n,) at 16 kHz with one setting; `note` receives the seconds processed so far."""
    from engine.audio import SAMPLE_RATE_HZ
    from engine.audio.feed import feed
    from engine.audio.source import chunks_of
    from engine.captions.session import CaptionSession
    from engine.clock import SimulatedClock
    from engine.metrics import latency_of, normalized_words, word_latencies

    def noted() -> Iterator[Samples]:
        heard = 0
        for chunk in chunks_of(samples):
            yield chunk
            heard += len(chunk)
            note(heard / SAMPLE_RATE_HZ)

    with closing(CaptionSession(recognizer, options, SimulatedClock())) as session:
        captions = [each for each in feed(noted(), session, pace="fast") if isinstance(each, Caption)]
        summary = session.summary
    latency = latency_of(word_latencies(captions))
    return Replayed(
        delay_seconds=latency.p50 if latency else None,
        late_seconds=latency.p95 if latency else None,
        real_time_factor=summary.real_time_factor,
        flicker=_flicker(captions),
        words=len(normalized_words(summary.text, summary.language or "en")),
        text=summary.text,
    )


def as_record(comparison: Comparison) -> dict[str, object]:
    """Return a comparison as a JSON record."""
    return {
        "audio_seconds": round(comparison.audio_seconds, 2),
        PUBLISHED: asdict(comparison.published),
        SET_NOW: asdict(comparison.set_now),
    }


def read_comparison(record: Any) -> Comparison:
    """Parse a comparison from a JSON record.

    Raises:
        EngineError: it is none.
    """
    try:
        return Comparison(float(record["audio_seconds"]), Replayed(**record[PUBLISHED]), Replayed(**record[SET_NOW]))
    except (KeyError, TypeError, ValueError) as error:
        raise EngineError("The comparison gave no result that can be read. Try again.") from error


def _flicker(captions: list[Caption]) -> float | None:
    """Return the share of shown text that was withdrawn, pending words included."""
    meter = SteadinessMeter()
    for caption in captions:
        shown = f"{caption.text} {caption.pending_text}".strip()
        meter.add(caption.id, shown, final=caption.final)
    return meter.taken_back
