"""Stand-ins for the models of an engine process under test. The child imports this, so it imports no Qt."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.captions import opening
from engine.errors import ModelError
from engine.events import Hypothesis, Word
from engine.options import CaptionOptions
from engine.process.messages import Ready
from engine.process.process import RecognizerMaker
from tests.app.scripted_hearing import ScriptedRecognizer
from tests.hear.planted import PlantedRecognizer
from tests.scripted_model import ScriptedModel as ScriptedLanguageModel

if TYPE_CHECKING:
    from engine.language.language_model import LanguageModel


@dataclass(frozen=True)
class ScriptedModel:
    """Stands in for a hearing model in the child; travels to it by pickling."""

    words: tuple[Word, ...]

    def __call__(self, model: str) -> tuple[Ready, RecognizerMaker]:
        return Ready("scripted", "cpu", 0.0), self.recognizer

    def recognizer(self, options: CaptionOptions) -> ScriptedRecognizer:
        return ScriptedRecognizer(self.words)


class Unchanged:
    """A microphone's sound as it comes, in place of CallEcho."""

    def __init__(self, call_delay_seconds: float) -> None:
        pass

    def add_call(self, chunk: Samples) -> None:
        pass

    def add_microphone(self, chunk: Samples) -> Samples:
        return chunk

    def finish(self) -> Samples:
        return np.zeros(0, np.float32)


@dataclass(frozen=True)
class PlantedModel:
    """Reads words that were planted in the samples, wherever a session begins; "missing" is not there."""

    words: tuple[Word, ...]

    def __call__(self, model: str) -> tuple[Ready, RecognizerMaker]:
        if model == "missing":
            raise ModelError("There is no model called missing.")
        # Samples that stand for words are alike on both sides: they would be taken for an echo of each other.
        opening.CallEcho = Unchanged  # type: ignore[misc, assignment]
        return Ready(model, "cpu", 0.0), self.recognizer

    def recognizer(self, options: CaptionOptions) -> PlantedRecognizer:
        return PlantedRecognizer(self.words)


@dataclass(frozen=True)
class StubbornModel(PlantedModel):
    """The first time that it hears a moment of the audio it does so for ever; a file keeps that it has."""

    seconds: float = 0.0
    file: str = ""

    def recognizer(self, options: CaptionOptions) -> PlantedRecognizer:
        return StubbornRecognizer(self.words, hangs_at=self.seconds, file=Path(self.file))


@dataclass
class StubbornRecognizer(PlantedRecognizer):
    hangs_at: float = 0.0
    file: Path = Path()

    def hear(self, samples: np.ndarray, *, offset_seconds: float, **context: Any) -> Hypothesis:
        if offset_seconds + len(samples) / SAMPLE_RATE_HZ > self.hangs_at and not self.file.exists():
            self.file.touch()
            threading.Event().wait()
        return super().hear(samples, offset_seconds=offset_seconds, **context)


@dataclass(frozen=True)
class ScriptedAssistant:
    """Answers questions, and their beginnings, as it is written down; "missing" is a model that is not there.

    Attributes:
        replies: questions with their answers.
        otherwise: what it says to anything else.
    """

    replies: tuple[tuple[str, str], ...]
    otherwise: str = "I did not get that."

    def __call__(self, model: str) -> tuple[Ready, LanguageModel]:
        if model == "missing":
            raise ModelError("There is no model called missing.")
        made: Any = ScriptedLanguageModel(self.reply, self.complete)
        return Ready("scripted", "cpu", 0.0, kind="language"), made

    def reply(self, user: str) -> str:
        for question, reply in self.replies:
            if _plain(question).startswith(_plain(user)):
                return reply
        return self.otherwise

    def complete(self, user: str) -> float:
        """Return the probability that words are a whole question."""
        return 0.8 if any(_plain(question) == _plain(user) for question, _ in self.replies) else 0.2


def _plain(text: str) -> str:
    return text.strip().rstrip("?.!").lower()
