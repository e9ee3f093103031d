"""A recognition model ready for captions: loaded, with the threads and pipeline that `earshot profile` found best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.audio import SAMPLE_RATE_HZ
from engine.errors import OptionError
from engine.hear.decode.pruning import IMPROVED, Pruning
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.speech_llama.load import SpeechLlamaModel, is_speech_llama, load_speech_llama
from engine.hear.speech_llama.recognizer import SpeechLlamaRecognizer
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.machine import backend
from engine.machine.thread_profile import load_profile
from engine.models.catalogue import find_model
from engine.options import CaptionOptions

AnyRecognizer = WhisperRecognizer | SpeechLlamaRecognizer


@dataclass(frozen=True, slots=True)
class ReadyModel:
    """A loaded model, and the best settings for it on this machine.

    Attributes:
        device: "cpu" or "gpu".
        warnings: one sentence for each thing that is slower than it could be.
        prefers_pipeline: whether its rounds should overlap unless the options say otherwise.
    """

    hearing: HearingModel | SpeechLlamaModel
    device: str
    warnings: tuple[str, ...]
    prefers_pipeline: bool

    def recognizer(self, options: CaptionOptions, pruning: Pruning = IMPROVED) -> AnyRecognizer:
        """Make a recognizer for a session.

        Raises:
            OptionError: the model does not know a language, or cannot hear in this way.
        """
        languages = self.hearing.languages
        for code in (options.language, *options.allowed_languages):
            if code and code not in languages:
                raise OptionError(_unknown_language(self.hearing.name, code, languages))
        decode, allowed, padding = options.decode, options.allowed_languages, options.padding
        made: AnyRecognizer
        if isinstance(self.hearing, SpeechLlamaModel):
            made = SpeechLlamaRecognizer(self.hearing, decode, allowed, padding=padding, pruning=pruning)
        else:
            made = WhisperRecognizer(self.hearing, decode, allowed, padding=padding, pruning=pruning)
        made.prefers_pipeline = self.prefers_pipeline
        return made

    def warm_up(self) -> None:
        """Hear noise once, so that the first use takes no longer than the next; silence would cost nothing."""
        noise = np.random.default_rng(0).normal(0, 0.01, SAMPLE_RATE_HZ).astype(np.float32)
        self.recognizer(CaptionOptions()).hear(noise, language=self.hearing.languages[0])


def _unknown_language(model: str, code: str, languages: Sequence[str]) -> str:
    """Return a sentence about a language that a model does not hear, and what to do about it."""
    known = "English only" if tuple(languages) == ("en",) else f"only {', '.join(sorted(languages))}"
    return f"{model} hears {known}, not {code!r}. A model of many languages does: earshot models get base"


def load_any_hearing(name_or_folder: str | Path = "starter") -> HearingModel | SpeechLlamaModel:
    """Load a recognition model of any kind, by catalogue name, folder or cached repository.

    Raises ModelError with a sentence about what is wrong with it.
    """
    _, folder = find_model(name_or_folder)
    return load_speech_llama(name_or_folder) if is_speech_llama(folder) else load_hearing_model(name_or_folder)


def make_ready(model: str) -> ReadyModel:
    """Load a model by name or folder, and set its profile's threads. Raises ModelError if something is wrong."""
    prepared = backend.prepare()
    hearing = load_any_hearing(model)
    profile, problem = load_profile(fingerprint=hearing.fingerprint)
    backend.allot(profile.allocation if profile else None)
    warnings = (*prepared.warnings, problem) if problem else prepared.warnings
    return ReadyModel(hearing, prepared.device, warnings, profile is not None and profile.pipeline)
