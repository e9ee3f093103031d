"""Translation of a finished transcript in the engine process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.process.messages import Command, Ended, Event, TranslateTranscript
from engine.process.worker import Worker

if TYPE_CHECKING:
    from engine.translate.live import LiveTranslation


class TranscriptWorker(Worker):
    """Translates captions that are final, one after the other, and ends."""

    def __init__(self, start: TranslateTranscript, translation: LiveTranslation, send: Callable[[Event], None]) -> None:
        super().__init__(send)
        self._session = start.session
        self._translation = translation
        for caption in start.captions:
            translation.offer(caption)

    @property
    def busy(self) -> bool:
        return not self.over

    def carry_out(self, command: Command) -> None:
        """Do nothing: no command changes the work under way."""

    def hear(self) -> None:
        """Do nothing: there is no audio."""

    def work(self) -> None:
        while self._translation.incidents:
            self._send(self._translation.incidents.popleft())
        try:
            shown = self._translation.step()
        except EngineError:
            raise
        except Exception as error:  # whatever a model may raise
            raise EngineError(f"{type(error).__name__}: {error}.") from error
        if shown is not None:
            self._send(shown)
        if not self._translation.busy:
            self.over = True
            self._send(Ended(self._session))

    def close(self) -> None:
        self._translation.close()
