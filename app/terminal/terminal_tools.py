"""Tools of the assistant on the command line: search in the history, and timers during the conversation."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from engine.answer.tools.outcomes import Quote, ToolOutcome, words_of
from engine.answer.tools.table import INSTEAD
from engine.answer.tools.timers import cancelled, timer_over, timer_set, timers_left
from engine.errors import EngineError
from engine.events import Incident
from engine.turns import Heard, Language, Sentence, ToolCall, TurnEvent

if TYPE_CHECKING:
    from app.assistant.tools.meeting import Meeting
    from app.history.store import HistoryStore
    from app.terminal.said import Said
    from engine.assistant.assistant import AssistantSession

_LOOK_SECONDS = 30.0
"""Longest time between two looks at the clock: a thread's wait stands still while the computer sleeps."""

T = TypeVar("T")
Event = TurnEvent | Incident


@dataclass(frozen=True, slots=True)
class _Running:
    """A running timer: its duration, end, label, the language in which it was set, and whether it was cancelled."""

    seconds: float
    due: float
    label: str
    language: Language
    dropped: threading.Event


class TerminalTools:
    """Carries out tool calls that need no window; others are answered with a hint at the window."""

    def __init__(self, history: Path, ring: Callable[[str], None] | None = None, said: Said | None = None) -> None:
        """Search a history, which need not exist, or only what is `said` in a transcript.

        Without `ring` no timer is set, because it would not be heard.
        """
        self._history = history
        self._given = said
        self._ring = ring
        self._timers: list[_Running] = []
        self._newest = (0, 0)  # the newest question: its turn and revision
        self._changed: tuple[ToolCall, Callable[[], None]] | None = None  # the newest change, and its undo

    def carry_out(self, call: ToolCall) -> ToolOutcome:
        """Carry out a call, and return its outcome."""
        try:
            match call.tool:
                case "said_about" | "when_about":
                    kind = "said" if call.tool == "said_about" else "when_said"
                    return self._found(kind, call.arguments["topic"], call.arguments.get("who", ""))
                case "last_lines":
                    found = self._asked(lambda meeting, _: meeting.last_lines(call.arguments))
                    return found or ToolOutcome("nothing_said")
                case "missed":
                    found = self._asked(lambda meeting, said: meeting.missed(call.arguments, said.noted, said.starts))
                    return found or ToolOutcome("nothing_said")
                case "stop":
                    return ToolOutcome("stopped")
                case _ if self._ring is not None:
                    return self._timed(call)
                case "timer":
                    return ToolOutcome("timer_needs_time")
                case _:
                    return ToolOutcome("only_in_window")
        except EngineError as error:
            return ToolOutcome("failed", {"reason": str(error)})

    def follow(self, event: Event) -> None:
        """Undo a change made for an incomplete question, once the complete one is carried out or answered."""
        if isinstance(event, Heard):
            self._newest = event.turn, event.revision
        elif isinstance(event, ToolCall | Sentence) and self._changed is not None:
            call, take_back = self._changed
            if call.turn == event.turn and (call.turn, call.revision) < self._newest:
                self._changed = None
                take_back()

    def close(self) -> None:
        """Cancel all timers."""
        self._drop(self._timers)

    def _drop(self, timers: Sequence[_Running]) -> None:
        for each in tuple(timers):
            each.dropped.set()
            if each in self._timers:
                self._timers.remove(each)

    # --- what was said ---

    def _found(self, kind: str, topic: str, who: str) -> ToolOutcome:
        from app.assistant.tools.meeting import outcome_of

        quotes: list[Quote] = []
        self._asked(lambda meeting, _: meeting.about(topic, quotes.extend, who))
        return outcome_of(kind, topic, who, tuple(quotes))

    def _asked(self, read: Callable[[Meeting, Said], T]) -> T | None:
        """Ask about the given transcript, or the newest session and the history; return None if nothing is stored."""
        from app.assistant.tools.meeting import Meeting
        from app.history.store import HistoryStore
        from app.terminal.said import session_in

        if (given := self._given) is not None:
            return read(Meeting(lambda: given.captions, _Opened()), given)
        if not self._history.is_file():
            return None
        store = HistoryStore(self._history)
        try:
            said = session_in(store, store.newest())
            return read(Meeting(lambda: said.captions, _Opened(store)), said)
        finally:
            store.close()

    # --- timers ---

    def _timed(self, call: ToolCall) -> ToolOutcome:
        match call.tool:
            case "timer":
                return self._set(call)
            case "timer_left":
                return timers_left(self._timers, time.time(), call.arguments.get("label", ""))
            case "cancel_timer":
                meant, outcome = cancelled(self._timers, call.arguments, time.time())
                self._drop(meant)
                self._changed = call, lambda: self._go_on(meant)
                return outcome
            case _:
                return ToolOutcome("only_in_window")

    def _set(self, call: ToolCall) -> ToolOutcome:
        seconds, outcome = timer_set(call.arguments, call.language, datetime.now())
        instead = self._timers[-1:] if INSTEAD in call.arguments else []
        self._drop(instead)
        made = self._run(seconds, call.arguments.get("label", ""), call.language, seconds)

        def take_back() -> None:
            self._drop([made])
            self._go_on(instead)

        self._changed = call, take_back
        return outcome

    def _go_on(self, timers: Sequence[_Running]) -> None:
        """Run timers again that were cancelled."""
        for each in timers:
            self._run(each.seconds, each.label, each.language, max(0.0, each.due - time.time()))

    def _run(self, seconds: float, label: str, language: Language, left: float) -> _Running:
        """Run a timer that rings after `left` seconds."""

        made = _Running(seconds, time.time() + left, label, language, threading.Event())

        def wait() -> None:
            while (left := made.due - time.time()) > 0:
                if made.dropped.wait(min(left, _LOOK_SECONDS)):
                    return
            self._timers.remove(made)
            if self._ring is not None:
                self._ring(" ".join(words_of(timer_over(seconds, label), language)))

        self._timers.append(made)
        threading.Thread(target=wait, daemon=True).start()
        return made


class _Opened:
    """An open history, which answers at once; or none."""

    def __init__(self, store: HistoryStore | None = None) -> None:
        """Search an opened history, or none."""
        self._store = store
        self.problem = "" if store is not None else "none is searched"

    def ask(self, question: Callable[[HistoryStore], T], answer: Callable[[T], None]) -> None:
        assert self._store is not None, self.problem
        answer(question(self._store))


def with_tools(session: AssistantSession, tools: TerminalTools, events: Iterable[Event]) -> Iterator[Event]:
    """Yield events, and carry out their tool calls."""
    for event in events:
        yield event
        tools.follow(event)
        if isinstance(event, ToolCall):
            session.hear_back(event.turn, event.revision, event.language, tools.carry_out(event))
