"""One conversation on the command line: its events on their way to the screen, to the ears and to a file."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from typing import Protocol

from app.sound.replies import ReplyOrder
from app.terminal.conversation_printer import ConversationPrinter, ConversationSummary, summarise
from app.terminal.interruption import Interruption
from app.terminal.output import Output
from app.terminal.speech_file import SpeechFile
from engine.clock import Clock
from engine.errors import AudioError, EngineError
from engine.events import Incident
from engine.turns import Heard, Interrupted, Speech, Turn, TurnEvent


class SpeechSink(Protocol):
    """A place where speech goes to: a loudspeaker, a file."""

    def begin(self) -> None:
        """Begin another reply: what comes next belongs to it."""
        ...

    def add(self, speech: Speech, seconds: float) -> None:
        """Take sound that is there at a moment of the conversation's clock. Raises AudioError once if it cannot."""
        ...

    def cut(self, seconds: float) -> None:
        """From this moment on nothing of what was taken is to be heard."""
        ...


class Conversation:
    """The events of a session, from the first to the summary.

    Attributes:
        turns: those that are over; one that was taken up again or interrupted afterwards is there again.
    """

    def __init__(
        self,
        clock: Clock,
        printer: ConversationPrinter,
        file: SpeechFile | None = None,
        sinks: Sequence[SpeechSink] = (),
    ) -> None:
        """Show events at the times of a clock, and write what is said to a file if there is one."""
        self.turns: list[Turn] = []
        self._clock = clock
        self._printer = printer
        self._file = file
        self._sinks = (*sinks, file) if file is not None else tuple(sinks)
        self._order = ReplyOrder()
        self._output = Output(has_files=file is not None)

    def run(
        self, events: Callable[[Interruption], Iterable[TurnEvent | Incident]], stop: threading.Event | None = None
    ) -> ConversationSummary:
        """Take all events, sum up, and write the file.

        `events` begins them, given what Ctrl-C asks for; `stop` ends what they come from, where it can be told.

        Raises:
            EngineError: what broke the conversation off, or the file cannot be written; what came before was kept.
        """
        with ExitStack() as stack:
            stack.callback(self._close)
            interruption = stack.enter_context(Interruption(stop))
            try:
                for event in events(interruption):
                    self.take(event)
            except EngineError as error:
                if not self.turns:
                    raise
                self._output.failures.append(error)
            summary = summarise(self.turns)
            self._output.write(lambda: self._printer.conclude(summary))
            self._write()
        self._output.end()
        return summary

    def take(self, event: TurnEvent | Incident) -> None:
        """Show what happened, and let it be heard."""
        now = self._clock.now()
        if isinstance(event, Turn):
            self.turns.append(event)
        self._sound(event, now)
        self._output.write(lambda: self._printer.show(event, now))

    def settle(self) -> None:
        """Take no turn of those that are over for one that may be taken up again."""
        self._output.write(self._printer.settle)

    def _sound(self, event: TurnEvent | Incident, now: float) -> None:
        if isinstance(event, Interrupted):
            self._cut(event.seconds)
        elif isinstance(event, Heard):
            if self._order.ask(event):
                self._cut(now)
        elif isinstance(event, Speech):
            begins = self._order.answer()
            for each in self._sinks:
                if begins:
                    each.begin()
                try:
                    each.add(event, now)
                except AudioError as error:
                    self._tell(error, now)

    def _tell(self, error: AudioError, now: float) -> None:
        """Show what keeps nobody from going on."""
        incident = Incident(str(error))
        self._output.write(lambda: self._printer.show(incident, now))

    def _cut(self, seconds: float) -> None:
        for each in self._sinks:
            each.cut(seconds)

    def _write(self) -> None:
        if self._file is None:
            return
        if not self._file.has_sound:
            sys.stderr.write(f"earshot: Nothing was said: {self._file.path} was not written.\n")
            return
        self._output.keep(self._file.write)

    def _close(self) -> None:
        with suppress(OSError):
            self._printer.close()
