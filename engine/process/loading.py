"""The models that an engine process works with: loaded, run once, and ready for whatever is asked of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.options import CaptionOptions, TranslationOptions
from engine.process.messages import Ready

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer
    from engine.language.language_model import LanguageModel
    from engine.translate.live import LiveTranslation

RecognizerMaker = Callable[[CaptionOptions], "Recognizer"]
ModelLoader = Callable[[str], tuple[Ready, RecognizerMaker]]
TranslationMaker = Callable[[TranslationOptions], "LiveTranslation"]
LanguageLoader = Callable[[str], tuple[Ready, TranslationMaker]]
AssistantLoader = Callable[[str], "tuple[Ready, LanguageModel]"]


def load_recognizer(model: str) -> tuple[Ready, RecognizerMaker]:
    """Load a hearing model and run it once, so that the first round of speech pays for nothing but itself.

    Threads and pipeline are those that `earshot profile` found best for it here, if it was asked.
    """
    import numpy as np

    from engine.audio import SAMPLE_RATE_HZ
    from engine.loading.ready import make_ready

    started = time.perf_counter()
    ready = make_ready(model)
    hearing = ready.hearing
    noise = np.random.default_rng(0).normal(0, 0.01, SAMPLE_RATE_HZ).astype(np.float32)  # silence would cost nothing
    warm = ready.recognizer(CaptionOptions())
    warm.hear(noise, offset_seconds=0.0, prompt="", language=hearing.languages[0])
    seconds = time.perf_counter() - started
    return Ready(hearing.name, ready.device, seconds, ready.warnings), ready.recognizer


def load_translation(model: str) -> tuple[Ready, TranslationMaker]:
    """Load a language model and run it once, so that the first translation pays for nothing but itself."""
    ready, loaded = load_assistant(model)
    from engine.translate.live import LiveTranslation
    from engine.translate.translator import Translator

    def make(options: TranslationOptions) -> LiveTranslation:
        return LiveTranslation(Translator(loaded, options))

    return ready, make


def load_assistant(model: str) -> tuple[Ready, LanguageModel]:
    """Load a language model and run it once, so that the first answer pays for nothing but itself."""
    from engine.machine import backend

    started = time.perf_counter()
    prepared = backend.prepare()
    from engine.language.language_model import load_language_model

    loaded = load_language_model(model)
    loaded.logits(loaded.encode("Good morning."), loaded.new_cache(), 1)
    seconds = time.perf_counter() - started
    return Ready(loaded.name, prepared.device, seconds, prepared.warnings, "language"), loaded
