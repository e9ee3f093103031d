"""A conversation in the engine process: what the app says of it, and what comes of that.

The app plays the speech and listens for interruptions itself (see engine.assistant.assistant: `player`); here are its
words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from engine.assistant.reply import told
from engine.audio import Samples
from engine.errors import EngineError
from engine.events import Incident
from engine.options import AssistantOptions, VoiceOptions
from engine.process.messages import (
    Ask,
    ChangeAnswers,
    Converse,
    Conversing,
    Ended,
    Event,
    Interrupt,
    Played,
    Press,
    Progress,
    Release,
    StopReply,
)
from engine.turns import TurnEvent

if TYPE_CHECKING:
    from engine.assistant.assistant import AssistantSession
    from engine.hear.recognizer import Recognizer
    from engine.language.language_model import LanguageModel
    from engine.speak.voice import Voice

PROGRESS_SECONDS = 0.2

VoiceMaker = Callable[[VoiceOptions], "Voice"]


class Talk:
    """One conversation. `hear` after every batch of commands, `work` while it is `busy` and none waits.

    Attributes:
        number: the session that it is.
        over: all that was asked is answered, and nothing more comes.
    """

    def __init__(
        self,
        start: Converse,
        recognizer: Recognizer | None,
        model: LanguageModel,
        send: Callable[[Event], None],
        make_voice: VoiceMaker,
    ) -> None:
        """Raises EngineError where the models cannot hold a conversation."""
        from engine.assistant.assistant import AssistantSession

        self.number = start.session
        self.over = False
        self._send = send
        self._make_voice = make_voice
        self._options = start.options
        self._voiced = start.voiced
        self._problems: list[Incident] = []
        self._finishing: Iterator[TurnEvent | Incident] | None = None
        self._reported_seconds = 0.0
        self._session: AssistantSession = AssistantSession(
            recognizer, model, self._voice(start.options), start.options, start.captions, player=True
        )
        self._session.recall(start.earlier)

    @property
    def busy(self) -> bool:
        """Whether `work` would do anything now."""
        return self._finishing is not None or self._session.busy

    def begin(self) -> None:
        """Say what went wrong on the way here: a conversation's events come after its beginning."""
        self._tell(self._problems)
        self._problems.clear()

    def add_audio(self, samples: Samples) -> None:
        """Take samples (n,), float32 at 16 kHz."""
        self._session.add_audio(samples)

    def carry_out(self, command: Conversing) -> None:
        """Do what one command asks."""
        session = self._session
        match command:
            case Ask(text):
                session.ask(text)
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

    def hear(self) -> None:
        """Hear what is due, decide whose turn it is, and say how far this has come. Raises EngineError."""
        self._tell(self._session.update())
        seconds = self._session.audio_seconds
        if seconds - self._reported_seconds >= PROGRESS_SECONDS:
            self._reported_seconds = seconds
            self._send(Progress(seconds, self._session.speaking))

    def work(self) -> None:
        """Work for about one forward on the answer or its sound. Raises EngineError."""
        if self._finishing is None:
            if (event := self._session.work()) is not None:
                self._tell([event])
        elif (event := next(self._finishing, None)) is not None:
            self._tell([event])
        else:
            self._finishing = None
            self.over = True
            self._send(Ended(self.number))

    def finish(self) -> None:
        """The audio ends; `work` brings the rest."""
        self._finishing = self._session.finish()

    def close(self) -> None:
        """Give up all that is being made."""
        self._session.close()

    def _change(self, change: ChangeAnswers) -> None:
        voiced = self._voiced if change.voiced is None else change.voiced
        sounds_otherwise = (voiced, change.options.voice) != (self._voiced, self._options.voice)
        self._voiced, self._options = voiced, change.options
        self._session.change(change.options)
        if sounds_otherwise:
            self._session.speak_with(self._voice(change.options))
            self.begin()

    def _voice(self, options: AssistantOptions) -> Voice | None:
        """The voice that was chosen; where it cannot be used answers are written, and why is a problem to tell."""
        if not self._voiced:
            return None
        try:
            return self._make_voice(options.voice)
        except EngineError as error:
            self._problems.append(Incident(f"Answers are not spoken: {told(error)}"))
            return None

    def _tell(self, events: Iterable[TurnEvent | Incident]) -> None:
        for event in events:
            self._send(event)
