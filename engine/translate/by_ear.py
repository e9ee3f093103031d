"""English translations of captions by the model that hears, from their sound.

Whisper was taught to transcribe speech and to translate it into English (Radford et al., "Robust Speech Recognition via
Large-Scale Weak Supervision"). A caption is transcribed first; when it is final, its sound is heard once more for the
translation, so that both are kept.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.buffer import AudioBuffer
from engine.errors import ModelError
from engine.events import Caption, Hypothesis, Incident, Reference, Translation, text_of
from engine.options import CaptionOptions, TranslationOptions
from engine.translate.languages import base_of

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer, Stage

KEPT_SECONDS = 90.0
"""Longest sound that is kept for captions whose translation waits."""

MARGIN_SECONDS = 0.2
"""Sound beside a caption's first and last word that belongs to it, in seconds."""

LONGEST_SECONDS = 28.0
"""Longest sound that is heard at once."""

LOWEST_LOGPROB = -1.0
"""Lowest mean log-probability of a translation that is shown. Whisper itself decodes again below it."""


def into_english(options: CaptionOptions) -> CaptionOptions:
    """Return options with which a model writes English of any language."""
    return replace(options, decode=replace(options.decode, into_english=True))


class EarTranslation:
    """Translates the final captions of a session into English; see LiveTranslation for what is not said here."""

    def __init__(self, recognizer: Recognizer, options: TranslationOptions) -> None:
        """Translate with a recognizer that writes English.

        Raises:
            ModelError: the model hears English only.
        """
        if len(recognizer.languages) == 1:
            raise ModelError("The model that hears knows English only, and cannot translate speech into it.")
        self.options = options
        self.incidents: deque[Incident] = deque()
        self._recognizer = recognizer
        self._sound: AudioBuffer | None = None
        self._waiting: deque[Caption] = deque()
        self._running: tuple[Caption, Generator[None, None, str]] | None = None

    @property
    def busy(self) -> bool:
        return self._running is not None or bool(self._waiting)

    def add_audio(self, chunk: Samples, end_seconds: float) -> None:
        """Keep the newest sound of the session; the last sample stands at `end_seconds`."""
        if self._sound is None:
            self._sound = AudioBuffer(KEPT_SECONDS, end_seconds - len(chunk) / SAMPLE_RATE_HZ)
        self._sound.append(chunk)

    def offer(self, caption: Caption) -> None:
        if caption.final:
            self._waiting.append(caption)

    def step(self) -> Translation | None:
        if self._running is None:
            if not self._waiting:
                return None
            caption = self._waiting.popleft()
            self._running = caption, self._heard(caption)
        caption, steps = self._running
        try:
            next(steps)
        except StopIteration as end:
            self._running = None
            return self._translation(caption, end.value)
        except BaseException:
            self._running = None
            raise
        return None

    def finish(self) -> Iterator[Translation]:
        while self.busy:
            if (translation := self.step()) is not None:
                yield translation

    def close(self) -> None:
        if self._running is not None:
            self._running[1].close()
            self._running = None
        self._waiting.clear()

    def _heard(self, caption: Caption) -> Generator[None, None, str]:
        """Return a caption in English; pauses between the stages of recognition."""
        if caption.is_gap or base_of(caption.language) == "en":
            return text_of(caption.committed)
        sound, start = self._sound_of(caption)
        parts = max(1, math.ceil(len(sound) / SAMPLE_RATE_HZ / LONGEST_SECONDS))
        texts = []
        for part in np.array_split(sound, parts):
            hypothesis = yield from self._stages(part, start, caption.language)
            if hypothesis.average_logprob < LOWEST_LOGPROB:
                return ""  # none is better than one of which the model is so unsure
            texts.append(text_of(hypothesis.words).strip())
            start += len(part) / SAMPLE_RATE_HZ
        return " ".join(filter(None, texts))

    def _stages(self, sound: Samples, start_seconds: float, language: str) -> Generator[None, None, Hypothesis]:
        stages: Generator[Stage, None, Hypothesis] = self._recognizer.stages(
            sound,
            offset_seconds=start_seconds,
            prompt="",
            language=language or None,
            final=True,
            reference=Reference(),
        )
        while True:
            try:
                next(stages)
            except StopIteration as end:
                result: Hypothesis = end.value
                return result
            yield

    def _sound_of(self, caption: Caption) -> tuple[Samples, float]:
        """Return a copy of a caption's sound, and the second at which it begins; empty if it is no longer kept."""
        if self._sound is None:
            return np.zeros(0, np.float32), caption.start
        first = max(round((caption.start - MARGIN_SECONDS) * SAMPLE_RATE_HZ), self._sound.start_sample)
        last = round((caption.end + MARGIN_SECONDS) * SAMPLE_RATE_HZ)
        begin = first - self._sound.start_sample
        return self._sound.samples[begin : max(begin, last - self._sound.start_sample)].copy(), first / SAMPLE_RATE_HZ

    def _translation(self, caption: Caption, text: str) -> Translation | None:
        if not text:
            return None
        source = text_of(caption.committed)
        return Translation(caption.id, caption.revision, text, "", source, self.options.target, final=True)
