"""Times of the words of a recording, from which the delay of words is counted, whatever method heard them.

The model under test gets the words that are said and its full window, once for every utterance, and its alignment
heads tell the times. No method has a part in it, so that all are held against the same times.
"""

from __future__ import annotations

from dataclasses import replace

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.events import Word
from engine.hear.whisper.align import FRAMES_PER_SECOND, align_words
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.padding import SAMPLES_PER_FRAME, Padding, make_padding
from lab.bench.captions.clips import Clip, Utterance


def with_word_times(clip: Clip, hearing: HearingModel) -> Clip:
    """Return the clip with the times of its words, where it has none and its utterances fit into the model's window."""
    longest = hearing.model.dims.n_audio_ctx * SAMPLES_PER_FRAME
    spans = [_span(part) for part in clip.utterances]
    if (
        not spans
        or clip.words
        or clip.language not in hearing.languages
        or any(end - start > longest for start, end in spans)
    ):
        return clip
    samples, padding = clip.listen(), make_padding(hearing, "full")
    words: list[Word] = []
    for part, (start, end) in zip(clip.utterances, spans, strict=True):
        words += _aligned(hearing, padding, samples[start:end], part, clip.language)
    return replace(clip, words=tuple(words))


def _aligned(
    hearing: HearingModel, padding: Padding, samples: Samples, part: Utterance, language: str
) -> tuple[Word, ...]:
    """Return the words of an utterance in its samples (n,)."""
    text = part.text.lower() if part.text.isupper() else part.text  # capitals fall into tokens that no model writes
    return align_words(
        hearing.model,
        hearing.tokenizer,
        padding.listen(hearing.model, samples),
        hearing.tokenizer.encode(f" {text}"),
        language=language,
        frames=max(1, len(samples) * FRAMES_PER_SECOND // SAMPLE_RATE_HZ),
        offset_seconds=part.start,
    )


def _span(part: Utterance) -> tuple[int, int]:
    return round(part.start * SAMPLE_RATE_HZ), round(part.end * SAMPLE_RATE_HZ)
