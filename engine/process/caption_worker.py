"""Captions and their translations in the engine process."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.captions.opening import open_captions
from engine.errors import EngineError
from engine.events import Caption, Incident
from engine.process.heartbeat import BEAT_SECONDS
from engine.process.loading import RecognizerMaker, TranslationMaker, beside
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
    from engine.translate.interpreter import CaptionTranslation

    Loaded = tuple[Callable[[], CaptionTranslation], Voice | None, str]
    """A maker of translations, the voice that speaks them, and what is wrong with it, as a sentence."""


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
            wake: called, on any thread, when a round or the loading of a model in the background is done.
            translator: loads a language model, by its name; called on any thread.
            get_on: called after every stage of a round, and again and again while a model is waited for at the end.
        """
        super().__init__(send)
        self._translator, self._wake, self._get_on = translator, wake, get_on
        self._loading: Future[Loaded] | None = None  # of another translation
        self._missed: list[Caption] = []  # to be translated once it is loaded
        self._make_recognizer, self._options = make_recognizer, start.options
        self._session = open_captions(
            make_recognizer, start.options, start.sides, first_id=start.first_id, live=start.live
        )
        self._session.report_rounds_to(wake)
        self._session.report_stages_to(get_on)
        if start.translation is not None:
            self._translate_with(partial(self._loaded, start.translation))

    @property
    def busy(self) -> bool:
        return self._session.has_spare_work

    def carry_out(self, command: Command) -> None:
        match command:
            case AudioChunk(samples, side):
                self._session.add_audio((side, np.frombuffer(samples, np.float32)))
            case Translate(translation):
                self._change_translation(translation)
            case TranslateAlso(captions) if self._loading is not None:
                self._missed += captions
            case TranslateAlso(captions):
                self._session.translate_also(captions)
            case Finish():
                if self._loading is not None:
                    while not wait((self._loading,), BEAT_SECONDS).done:
                        self._get_on()
                    self._translate_with(self._loading.result)
                self._tell(self._session.finish())
                self._tell_news(whole=True)
                self._send(self._session.summary)
                self.over = True

    def hear(self) -> None:
        if self._loading is not None and self._loading.done():
            self._translate_with(self._loading.result)
        self._tell(self._session.update())
        self._tell_news()

    def work(self) -> None:
        if (shown := self._session.do_spare_work()) is not None:
            self._send(shown)
        self._tell_incidents()

    def close(self) -> None:
        self._session.close()

    def _change_translation(self, choice: TranslationChoice | None) -> None:
        """Stop the translation, and load another one while captions go on."""
        self._session.translate_with(None)  # nothing of the old one's is kept while a new model is loaded
        self._missed.clear()
        self._loading = None if choice is None else beside(partial(self._loaded, choice), self._wake)

    def _translate_with(self, loaded: Callable[[], Loaded]) -> None:
        """Translate from now on, and what was missed; captions go on untranslated if a model cannot be loaded."""
        missed, self._missed, self._loading = self._missed, [], None
        incidents = self._session.incidents
        try:
            make, voice, problem = loaded()
            incidents.extend([Incident(problem)] if problem else [])
            self._session.translate_with(make, voice)
            self._session.translate_also(missed)
        except EngineError as error:
            incidents.append(Incident(f"Captions are not translated: {error}"))

    def _loaded(self, choice: TranslationChoice) -> Loaded:
        """Load what translates, on any thread."""
        voice, problem = _voice_of(choice)
        target = choice.live_options
        if choice.by_ear:
            english = into_english(self._options)
            return (lambda: EarTranslation(self._make_recognizer(english), target)), voice, problem
        make = self._translator(choice.model_used)
        return (lambda: make(target)), voice, problem

    def _tell(self, events: Iterable[Event]) -> None:
        """Send what is shown, and keep the final captions that no translation is there for yet."""
        for event in events:
            if self._loading is not None and isinstance(event, Caption) and event.final:
                self._missed.append(event)
            self._send(event)

    def _tell_news(self, *, whole: bool = False) -> None:
        for stats in self._session.new_stats():
            self._send(stats)
        self._tell_incidents()
        for side, seconds, speaking, shed in self._session.progress():
            self._report(Progress(seconds, speaking, side, shed), whole=whole)

    def _tell_incidents(self) -> None:
        while self._session.incidents:
            self._send(self._session.incidents.popleft())


def _voice_of(choice: TranslationChoice) -> tuple[Voice | None, str]:
    """Return what speaks the translations, and why nothing or something else does, in a sentence."""
    if choice.voice is None:
        return None, ""
    from engine.translate.spoken import voice_into

    try:
        return voice_into(choice.voice, choice.options.target)
    except EngineError as error:
        return None, f"Translations are shown, but not spoken: {error}"
