"""A conversation in the engine process: commands of the app in, events of the turns out.

The app plays the speech and listens for interruptions itself (see engine.assistant.assistant: `player`); here are its
words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import EngineError, error_sentence
from engine.events import Incident
from engine.options import TranslationOptions, VoiceOptions
from engine.process.loading import TranslationMaker, beside
from engine.process.messages import (
    Ask,
    AudioChunk,
    ChangeAnswers,
    Command,
    Converse,
    Ended,
    Event,
    Finish,
    Interrupt,
    Played,
    Press,
    Progress,
    Release,
    StopReply,
    ToolDone,
)
from engine.process.worker import Worker
from engine.translate.for_files import for_files
from engine.translate.targets import model_for
from engine.turns import TurnEvent

if TYPE_CHECKING:
    from concurrent.futures import Future

    from engine.assistant.assistant import AssistantSession
    from engine.hear.recognizer import Recognizer
    from engine.language.answering import AnyAnsweringModel
    from engine.speak.voice import Voice
    from engine.translate.translator import TextTranslator

VoiceMaker = Callable[[VoiceOptions], "tuple[Voice, str]"]


class AssistantWorker(Worker):
    """One conversation; answers are computed in the time in which there is nothing to hear."""

    def __init__(
        self,
        start: Converse,
        recognizer: Recognizer | None,
        model: AnyAnsweringModel,
        send: Callable[[Event], None],
        wake: Callable[[], None],
        make_voice: VoiceMaker,
        make_translation: Callable[[str], TranslationMaker],
    ) -> None:
        """Start the conversation. Raises EngineError if the models cannot hold one.

        `wake` is called, on any thread, when there is something to do without a command.
        """
        from engine.answer.fixed import is_fixed
        from engine.assistant.assistant import AssistantSession
        from engine.speak.kept_speech import KeptSpeech

        super().__init__(send)
        self._number = start.session
        self._wake = wake
        self._make_voice = make_voice
        self._loading: Future[tuple[Voice, str]] | None = None  # another voice
        self._make_translation = make_translation
        self._translation = start.translation
        self._options = start.options
        self._voiced = start.voiced
        self._problems: list[Incident] = []
        self._finishing: Iterator[TurnEvent | Incident] | None = None
        self._session: AssistantSession = AssistantSession(
            recognizer,
            model,
            self._voice(partial(make_voice, start.options.voice)) if start.voiced else None,
            start.options,
            start.captions,
            player=True,
            region=start.region,
            translate=None if start.translation is None else self._translator,
            app=True,
            kept_speech=KeptSpeech(is_fixed),
        )
        self._session.recall(start.earlier, start.first_turn)

    @property
    def busy(self) -> bool:
        return self._finishing is not None or self._session.busy

    def carry_out(self, command: Command) -> None:
        session = self._session
        match command:
            case AudioChunk(samples):
                session.add_audio(np.frombuffer(samples, np.float32))
            case Ask(text):
                if self._loading is not None:
                    self._speak_with(self._loading.result)
                session.ask(text)
            case ToolDone(turn, revision, language, outcome):
                session.hear_back(turn, revision, language, outcome)
            case Press():
                session.press()
            case Release():
                session.release()
            case Played(seconds):
                session.played(seconds)
            case Interrupt(seconds, samples):
                self._tell(session.update())  # what was heard until then belongs to what was spoken over
                session.interrupt(seconds, None if samples is None else np.frombuffer(samples, np.float32))
            case StopReply(seconds):
                session.stop(seconds)
            case ChangeAnswers():
                self._change(command)
            case Finish():
                self._finishing = session.finish()  # `work` brings the rest

    def hear(self) -> None:
        if self._loading is not None and self._loading.done():
            self._speak_with(self._loading.result)
        self._tell(self._problems)  # here: a conversation's events come after its beginning
        self._problems.clear()
        self._tell(self._session.update())
        self._report(Progress(self._session.audio_seconds, self._session.speaking))

    def work(self) -> None:
        if self._finishing is None:
            if (event := self._session.work()) is not None:
                self._tell([event])
        elif (event := next(self._finishing, None)) is not None:
            self._tell([event])
        else:
            self._finishing = None
            self.over = True
            self._send(Ended(self._number))

    def close(self) -> None:
        self._session.close()

    def _change(self, change: ChangeAnswers) -> None:
        voiced = self._voiced if change.voiced is None else change.voiced
        sounds_otherwise = (voiced, change.options.voice) != (self._voiced, self._options.voice)
        self._voiced, self._options = voiced, change.options
        self._session.change(change.options)
        if sounds_otherwise and voiced:
            self._loading = beside(partial(self._make_voice, change.options.voice), self._wake)
        elif sounds_otherwise:
            self._loading = None
            self._session.speak_with(None)

    def _speak_with(self, load: Callable[[], tuple[Voice, str]]) -> None:
        self._loading = None
        self._session.speak_with(self._voice(load))

    def _translator(self, language: str) -> TextTranslator:
        """Return a translator of a few words into a language. EngineError if there is none."""
        assert self._translation is not None
        make = self._make_translation(model_for(self._translation, language))
        return make(for_files(TranslationOptions(target=language))).translator

    def _voice(self, load: Callable[[], tuple[Voice, str]]) -> Voice | None:
        """Return the chosen voice, or what speaks instead, and note why. Without any voice answers are written."""
        try:
            voice, problem = load()
        except EngineError as error:
            self._problems.append(Incident(f"Answers are not spoken: {error_sentence(error)}"))
            return None
        if problem:
            self._problems.append(Incident(problem))
        return voice
