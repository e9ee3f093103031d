"""Captions in the engine process, and their translations."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import EngineError
from engine.events import Incident
from engine.process.loading import TranslationMaker
from engine.process.messages import (
    AudioChunk,
    Command,
    Event,
    Finish,
    Start,
    Translate,
    TranslateAlso,
    TranslationChoice,
)
from engine.process.worker import Worker

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer


class CaptionWorker(Worker):
    """One session of captions; translation fills the time in which there is nothing to hear."""

    def __init__(
        self,
        start: Start,
        recognizer: Recognizer,
        send: Callable[[Event], None],
        wake: Callable[[], None],
        translator: Callable[[str], TranslationMaker],
    ) -> None:
        """`wake` is called when a round in the background is done; `translator` loads a model, by its name."""
        from engine.captions import CaptionSession

        super().__init__(send)
        self._translator = translator
        self._reported_round = -1
        self._session = CaptionSession(recognizer, start.options, live=start.live)
        self._session.recall(start.known, start.begun)
        self._session.on_round_done = wake
        self._translate_with(start.translation)

    @property
    def busy(self) -> bool:
        return self._session.translating

    def carry_out(self, command: Command) -> None:
        match command:
            case AudioChunk(samples):
                self._session.add_audio(np.frombuffer(samples, np.float32))
            case Translate(translation):
                self._translate_with(translation)
            case TranslateAlso(captions):
                self._session.translate_also(captions)
            case Finish():
                self._tell(self._session.finish())
                self._tell_news(whole=True)
                self._send(self._session.summary)
                self.over = True

    def hear(self) -> None:
        self._tell(self._session.update())
        self._tell_news()

    def work(self) -> None:
        if (translation := self._session.translate()) is not None:
            self._send(translation)
        self._tell_incidents()

    def close(self) -> None:
        self._session.close()

    def _translate_with(self, choice: TranslationChoice | None) -> None:
        """Have captions translated, or not; where that cannot be, they go on without it."""
        self._session.translate_with(None)  # nothing of the old one's is kept while a new model is loaded
        try:
            if choice is not None:
                self._session.translate_with(self._translator(choice.model)(choice.options))
        except EngineError as error:
            self._session.incidents.append(Incident(f"Captions are not translated: {error}"))

    def _tell_news(self, *, whole: bool = False) -> None:
        session = self._session
        new = list(itertools.takewhile(lambda stats: stats.round > self._reported_round, reversed(session.stats)))
        self._tell(reversed(new))
        self._reported_round = new[0].round if new else self._reported_round
        self._tell_incidents()
        self._report(session.audio_seconds, speaking=session.speaking, whole=whole, shed=session.shed)

    def _tell_incidents(self) -> None:
        while self._session.incidents:
            self._send(self._session.incidents.popleft())
