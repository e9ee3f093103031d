"""What an engine process under test loads instead of a model. The child imports this, so it imports no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from engine.events import Word
from engine.messages import Ready
from engine.options import CaptionOptions
from engine.process import RecognizerMaker
from tests.app.scripted_hearing import ScriptedRecognizer
from tests.hear.planted import PlantedRecognizer


@dataclass(frozen=True)
class ScriptedModel:
    """What the child loads instead of a model; travels to it by pickling."""

    words: tuple[Word, ...]

    def __call__(self, model: str) -> tuple[Ready, RecognizerMaker]:
        return Ready("scripted", "cpu", 0.0), self.recognizer

    def recognizer(self, options: CaptionOptions) -> ScriptedRecognizer:
        return ScriptedRecognizer(self.words)


@dataclass(frozen=True)
class PlantedModel:
    """Reads words that were planted in the samples, wherever a session begins."""

    words: tuple[Word, ...]

    def __call__(self, model: str) -> tuple[Ready, RecognizerMaker]:
        return Ready("planted", "cpu", 0.0), self.recognizer

    def recognizer(self, options: CaptionOptions) -> PlantedRecognizer:
        return PlantedRecognizer(self.words)
