"""One conversation on the command line: its events are printed, played and written to a file."""

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
    """A receiver of speech: a loudspeaker, a file."""

    def begin(self) -> None:
        """Start another reply: the sound that comes next belongs to it."""
        ...

    def add(self, speech: Speech, seconds: float) -> None:
        """Add sound that is ready at a time of the conversation's clock. Raises AudioError once on failure."""
        ...

    def cut(self, seconds: float) -> None:
        """Drop all sound after this time."""
        ...


class Conversation:
    """The events of a session, from the first to the summary.

    Attributes:
        turns: finished turns; one that was continued or interrupted afterwards appears again.
    """

    def __init__(
        self,
        clock: Clock,
        printer: ConversationPrinter,
        file: SpeechFile | None = None,
        sinks: Sequence[SpeechSink] = (),
    ) -> None:
        """Print events with the times of a clock, and write speech to a file if there is one."""
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
        """Process all events, print a summary, and write the file.

        `events` starts them, given the state of Ctrl-C; `stop` is set to end their source, if it can be stopped.

        Raises:
            EngineError: the conversation broke off, or the file cannot be written; earlier results are kept.
        """
        with ExitStack() as stack:
            stack.callback(self._close)
            interruption = stack.enter_context(Interruption(stop))
            try:
                for event in events(interruption):
                    self.handle(event)
            except EngineError as error:
                if not self.turns:
                    raise
                self._output.failures.append(error)
            summary = summarise(self.turns)
            self._output.write(lambda: self._printer.conclude(summary))
            self._write()
        self._output.end()
        return summary

    def handle(self, event: TurnEvent | Incident) -> None:
        """Print an event, and play its sound."""
        now = self._clock.now()
        if isinstance(event, Turn):
            self.turns.append(event)
        self._sound(event, now)
        self._output.write(lambda: self._printer.show(event, now))

    def settle(self) -> None:
        """Note that no finished turn can be continued any more."""
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
        """Show an error that does not end the conversation."""
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
