"""Captions and their translations in the engine process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from engine.captions.opening import open_captions
from engine.errors import EngineError
from engine.events import Incident
from engine.process.loading import RecognizerMaker, TranslationMaker
from engine.process.messages import (
    AudioChunk,
    Command,
    Event,
    Finish,
    Progress,
    Start,
    Translate,
    TranslateAlso,
    TranslationChoice,
)
from engine.process.worker import Worker
from engine.translate.by_ear import EarTranslation, into_english

if TYPE_CHECKING:
    from engine.speak.voice import Voice


class CaptionWorker(Worker):
    """One session of captions, of one side or several; other work fills the time in which there is nothing to hear."""

    def __init__(
        self,
        start: Start,
        make_recognizer: RecognizerMaker,
        send: Callable[[Event], None],
        wake: Callable[[], None],
        translator: Callable[[str], TranslationMaker],
        get_on: Callable[[], None],
    ) -> None:
        """Open the session.

        Arguments:
            wake: called, on any thread, when a round in the background is done.
            translator: loads a language model, by its name.
            get_on: called after every stage of a round.
        """
        super().__init__(send)
        self._translator = translator
        self._make_recognizer, self._options = make_recognizer, start.options
        self._session = open_captions(
            make_recognizer, start.options, start.sides, first_id=start.first_id, live=start.live
        )
        self._session.report_rounds_to(wake)
        self._session.report_stages_to(get_on)
        self._translate_with(start.translation)

    @property
    def busy(self) -> bool:
        return self._session.has_spare_work

    def carry_out(self, command: Command) -> None:
        match command:
            case AudioChunk(samples, side):
                self._session.add_audio((side, np.frombuffer(samples, np.float32)))
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
        if (shown := self._session.do_spare_work()) is not None:
            self._send(shown)
        self._tell_incidents()

    def close(self) -> None:
        self._session.close()

    def _translate_with(self, choice: TranslationChoice | None) -> None:
        """Change or stop the translation; captions go on untranslated if a model cannot be loaded."""
        self._session.translate_with(None)  # nothing of the old one's is kept while a new model is loaded
        try:
            if choice is not None and choice.by_ear:
                english, target = into_english(self._options), choice.live_options
                voice = self._voice_of(choice)
                self._session.translate_with(lambda: EarTranslation(self._make_recognizer(english), target), voice)
            elif choice is not None:
                make, wanted = self._translator(choice.model_used), choice.live_options
                self._session.translate_with(lambda: make(wanted), self._voice_of(choice))
        except EngineError as error:
            self._session.incidents.append(Incident(f"Captions are not translated: {error}"))

    def _voice_of(self, choice: TranslationChoice) -> Voice | None:
        """Return what speaks the translations; None if nothing is to, or can."""
        if choice.voice is None:
            return None
        from engine.translate.spoken import voice_into

        try:
            voice, problem = voice_into(choice.voice, choice.options.target)
        except EngineError as error:
            problem = f"Translations are shown, but not spoken: {error}"
            voice = None
        if problem:
            self._session.incidents.append(Incident(problem))
        return voice

    def _tell_news(self, *, whole: bool = False) -> None:
        for stats in self._session.new_stats():
            self._send(stats)
        self._tell_incidents()
        for side, seconds, speaking, shed in self._session.progress():
            self._report(Progress(seconds, speaking, side, shed), whole=whole)

    def _tell_incidents(self) -> None:
        while self._session.incidents:
            self._send(self._session.incidents.popleft())
