"""How the assistant answers and sounds: what it prepares, what of that it keeps, when a turn ends, voice and rate."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from PySide6.QtWidgets import QWidget

from app.look.decimals import decimal
from app.preferences.changes import usual_assistant, with_pause, with_voice
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.tuning.board import ASSISTANT, FigureBoard
from app.tuning.section import Section
from app.widgets.control import CheckControl, ChoiceControl, Scale, SliderControl

TOP_K = Scale(1, 10, 1)
BIAS = Scale(0.0, 0.5, 0.05)
PAUSE = Scale(0.2, 2.0, 0.05)
RATE = Scale(80, 450, 5)


class AssistantSection(Section):
    """The settings of the assistant."""

    def __init__(self, settings: Settings, board: FigureBoard, parent: QWidget | None = None) -> None:
        super().__init__(settings, board, ASSISTANT, usual_assistant, parent)
        self._add_answer()
        self._add_pause()
        self._add_voice()
        self.finish()

    def _add_answer(self) -> None:
        self.speculate = CheckControl(
            self.tr("Prepare the answer while you speak"),
            self.tr("Answers come sooner, for more computing. Off waits for the end of your question."),
        )
        self.verifier = ChoiceControl(
            self.tr("Keep of what was prepared"),
            (
                (self.tr("what it would say anyway"), "greedy"),
                (self.tr("what is among the likeliest"), "top-k"),
                (self.tr("what is nearly as likely"), "biased"),
                (self.tr("sentences it finds fitting"), "reflection"),
            ),
            self.tr(
                "The first changes no answer. The others keep more, so that answers come sooner and differ a little."
            ),
        )
        self.top_k = SliderControl(
            self.tr("Among the likeliest"), TOP_K, lambda value: f"{value:.0f}", self.tr("More keep more.")
        )
        self.bias = SliderControl(
            self.tr("Bias"), BIAS, lambda value: decimal(value, 2), self.tr("To the right, more of it is kept.")
        )
        self.bind(self.speculate, "assistant.answer.speculate")
        self.bind(self.verifier, "assistant.answer.verifier", lambda p: p.assistant.answer.speculate)
        self.bind(self.top_k, "assistant.answer.top_k", lambda p: _verifies_by(p, "top-k"))
        self.bind(self.bias, "assistant.answer.bias", lambda p: _verifies_by(p, "biased"))

    def _add_pause(self) -> None:
        self.pause = SliderControl(
            self.tr("Pause that ends your turn"),
            PAUSE,
            lambda value: self.tr("{} s").format(decimal(value, 2)),
            self.tr("Shorter answers sooner, and interrupts you sooner when you think."),
        )
        self.bind(self.pause, "assistant.turns.silence_seconds", write=with_pause)

    def _add_voice(self) -> None:
        self.voice = ChoiceControl(
            self.tr("Voice"), self._voices(), self.tr("The built-in voice is the quickest; others sound more natural.")
        )
        self.rate = SliderControl(self.tr("Rate"), RATE, lambda value: self.tr("{:.0f} words a minute").format(value))
        self.bind(self.voice, "assistant.voice.voice", write=with_voice)
        self.bind(self.rate, "assistant.voice.words_per_minute")

    def _voices(self) -> tuple[tuple[str, object], ...]:
        """What this machine can speak with, as far as that is known without trying."""
        voices: list[tuple[str, object]] = [(self.tr("built-in (eSpeak)"), "espeak")]
        if sys.platform == "darwin":
            voices.append((self.tr("this Mac's"), "system"))
        if find_spec("mlx_audio") is not None:
            voices.append((self.tr("Kokoro"), "kokoro"))
        return tuple(voices)


def _verifies_by(preferences: Preferences, verifier: str) -> bool:
    answer = preferences.assistant.answer
    return answer.speculate and answer.verifier == verifier
