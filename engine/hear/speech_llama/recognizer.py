"""The recognizer of a Speech-LLaMA: its stages from samples to words, for streams and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import mlx.core as mx
import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import OptionError
from engine.events import Word
from engine.hear.decode.attempts import Decoding, Task, attempts, token_limit
from engine.hear.decode.byte_pairs import text_rules
from engine.hear.decode.pruning import IMPROVED, Pruning
from engine.hear.decode.reference import usable
from engine.hear.decode.rules import most_repeated
from engine.hear.decode.search import Terms
from engine.hear.decode.steps import Steps
from engine.hear.recognizer import (
    NATURAL_BUFFER_SECONDS,
    PADDED_BUFFER_SECONDS,
    WINDOW_SECONDS,
    DecodingContext,
    Listened,
    ModelRecognizer,
    evaluated_features,
    without_heads,
)
from engine.hear.speech_llama.load import SpeechLlamaModel
from engine.hear.speech_llama.model import SpeechLlamaDecoder
from engine.hear.whisper.align import Array, follow_attention, time_words
from engine.hear.whisper.encoder_draft import find_draft
from engine.hear.whisper.padding import SAMPLES_PER_FRAME, Tail, plain_tail
from engine.machine.device_turn import evaluate
from engine.options import TIMED_PADDINGS, DecodeOptions, parse_padding

PADDINGS = ("full", "none", *(f"{name}:S" for name in TIMED_PADDINGS))


class SpeechLlamaRecognizer(ModelRecognizer[SpeechLlamaModel, SpeechLlamaDecoder]):
    """Mel, encode, decode, align, with a Speech-LLaMA.

    It processes audio at its natural length unless padding is set, uses no prompt, and has no language but those of its
    training: a language that is set only labels its words.

    Attributes:
        padding: the padding of every round.
    """

    def __init__(
        self,
        hearing: SpeechLlamaModel,
        decode: DecodeOptions,
        allowed_languages: Sequence[str] = (),
        *,
        padding: str | None = None,
        pruning: Pruning = IMPROVED,
    ) -> None:
        """Create a recognizer of a loaded model.

        `padding` is an option of engine.hear.whisper.padding, except those that only a Whisper has; None is no padding.

        Raises:
            OptionError: a padding or language that the model does not know.
            ModelError: the decoder needs heads, and this model has none.
        """
        super().__init__(hearing, decode, allowed_languages, pruning)
        self._heads = hearing.heads if decode.decoder == "multitoken" else None
        if decode.decoder == "multitoken" and self._heads is None:
            raise without_heads(hearing)
        self._draft = find_draft(hearing.ear) if decode.uses_draft else None
        self.padding = make_tail(hearing, padding)
        full = self.padding.choice.strategy == "full"
        longest = self.longest_seconds = self.padding.window / SAMPLE_RATE_HZ
        self.buffer_seconds = min(PADDED_BUFFER_SECONDS if full else NATURAL_BUFFER_SECONDS, longest)
        self.window_seconds = min(WINDOW_SECONDS if full else hearing.taught_seconds, longest)

    def _listen(self, samples: Samples) -> Listened[SpeechLlamaDecoder]:
        """Encode samples (n,); return a decoder over their audio embeddings, evaluated."""
        model = self._hearing.model
        frames = model.listen(self.padding.followed(samples))
        audio = model.embed(frames)
        features = evaluated_features(frames, len(samples), audio)
        return Listened(SpeechLlamaDecoder(model, audio, self._heads), features)

    def _decode(self, heard: SpeechLlamaDecoder, context: DecodingContext) -> Steps[Decoding]:
        tokenizer = self._hearing.tokenizer
        start = tokenizer.sot_sequence()
        repeats = most_repeated(context.audio_seconds)
        limit = token_limit(context.audio_seconds, self._hearing.model.dims.n_text_ctx, len(start))
        terms = Terms(tokenizer.eot, text_rules(tokenizer), limit, context.cancelled, repeats)
        first, *later = context.temperatures
        language = context.language or self.languages[0]
        bare = Task(tokenizer, language, (), start, terms, vocabulary=self._vocabulary, goes_on=context.goes_on)
        informed = bare
        if first == 0:
            reference = usable(context.reference, tokenizer, limit, repeats=repeats)
            draft = usable(context.draft, tokenizer, limit, repeats=repeats)
            informed = replace(bare, reference=reference, draft=draft, pruning=self.pruning)
        ladder = [(informed, first), *((bare, temperature) for temperature in later)]
        return (yield from attempts(heard, ladder, self.options, cancelled=context.cancelled))

    def _align(
        self, decoding: Decoding, heard: SpeechLlamaDecoder, frames: int, offset_seconds: float
    ) -> tuple[Word, ...]:
        """Time words by the attention of the alignment heads."""
        tokenizer, model = self._hearing.tokenizer, self._hearing.model
        text = decoding.tokens
        if not text:
            return ()
        start = tokenizer.sot_sequence()
        sequence = [*start, *text, tokenizer.eot]
        scores = model.looks(mx.array([sequence]), heard.heard).astype(mx.float32)
        evaluate(scores)
        by_frame = spread(np.array(scores), model.stacked)[..., :frames]
        return time_words(
            tokenizer,
            text,
            follow_attention(by_frame, len(start) - 1),
            np.array(decoding.token_probabilities),
            language=decoding.language,
            offset_seconds=offset_seconds,
        )


def spread(scores: Array, stacked: int) -> Array:
    """Spread scores (h, n, a) on audio embeddings to encoder frames, `stacked` for each.

    Attention to a word starts at the embedding in which it begins, on average in its middle, so scores are moved half
    an embedding later. (Chosen in LOG 2026-11-21.)
    """
    by_frame = np.repeat(scores, stacked, axis=-1)
    return np.concatenate([by_frame[..., :1].repeat((stacked + 1) // 2, axis=-1), by_frame], axis=-1)


def make_tail(hearing: SpeechLlamaModel, option: str | None = None) -> Tail:
    """Create the tail of an option of engine.hear.whisper.padding: None is nothing, as in training.

    Raises OptionError for options that need a Whisper: a hush word, which is made for one, and cached silence.
    """
    choice = parse_padding("none" if option is None else option)
    if choice.strategy in ("hush", "silence_cache"):
        raise OptionError(f"padding must be one of {', '.join(PADDINGS)} for {hearing.name}, not {option!r}.")
    window = hearing.model.dims.n_audio_ctx * SAMPLES_PER_FRAME
    return Tail(choice, window, plain_tail(choice, window))
