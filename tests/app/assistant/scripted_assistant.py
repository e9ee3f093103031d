"""An engine process that holds conversations by a script. The child imports this, so it imports no Qt."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field
from typing import Any

from engine.errors import ModelError
from engine.events import Word
from engine.options import CaptionOptions
from engine.process.messages import Ready
from engine.process.process import RecognizerMaker
from tests.app.scripted_hearing import ScriptedRecognizer
from tests.scripted_model import ScriptedModel

QUESTION, ANSWER = "Where does the river go?", "The river goes down to the sea."
STORY = "Tell me about the water."
LONG = (
    "The water comes from the hills. It goes through the town and under the old bridge. "
    "Boats go down with it every morning. In the evening they come back to the harbour. "
    "Fish live in it too. Nobody has counted all of them. "
)
DEADLY = "Crash, please."


def answer(question: str) -> str:
    """Return the scripted answer, or crash if the question asks for it."""
    if "crash" in question.lower():
        os.kill(os.getpid(), signal.SIGKILL)
    return LONG.strip() if "water" in question.lower() else ANSWER


@dataclass(frozen=True)
class ScriptedAnswers:
    """Loads scripted answers in the child instead of a language model.

    Attributes:
        fails: why it cannot be loaded, if it cannot.
    """

    fails: str = ""

    def __call__(self, model: str) -> tuple[Ready, Any]:
        if self.fails:
            raise ModelError(self.fails)
        return Ready("scripted answers", "cpu", 0.0, kind="language"), ScriptedModel(answer)


@dataclass(frozen=True)
class ScriptedEars:
    """Loads ears in the child instead of a hearing model: they know what is said, and when."""

    words: tuple[Word, ...] = field(default=())

    def __call__(self, model: str) -> tuple[Ready, RecognizerMaker]:
        return Ready("scripted ears", "cpu", 0.0), self._recognizer

    def _recognizer(self, options: CaptionOptions) -> ScriptedRecognizer:
        return ScriptedRecognizer(self.words)
