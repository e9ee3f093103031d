"""The conversation on the screen: its exchanges in order, and what changed."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.assistant.done import Done
from app.assistant.exchange import Exchange, Phase
from engine.turns import Heard, Sentence, ToolCall, Turn, TurnEvent

MOST_EXCHANGES = 100
"""On the screen; the history keeps all of them."""

MOST_REMEMBERED = 20
"""Exchanges that an engine which has just been started is told of."""


class ConversationModel(QObject):
    """Holds the exchanges of one conversation, which may be carried on by several engine sessions.

    Their numbers go up from 1, whatever engine session they belong to.

    Attributes:
        exchanges: oldest first.

    Signals:
        added: an exchange is new, at this place.
        changed: the exchange at this place is another.
        dropped: the oldest exchange has gone, since there are too many.
        cleared: nothing has been said.
    """

    added = Signal(int)
    changed = Signal(int)
    dropped = Signal()
    cleared = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.exchanges: list[Exchange] = []

    @property
    def newest(self) -> Exchange | None:
        return self.exchanges[-1] if self.exchanges else None

    @property
    def is_open(self) -> bool:
        """Tell whether anything is still to come."""
        return any(not each.phase.is_over for each in self.exchanges)

    @property
    def earlier(self) -> tuple[Turn, ...]:
        """List what was asked and answered, for an engine that knows nothing of it."""
        said = [each.turn for each in self.exchanges if each.turn is not None and each.asked and each.answer]
        return tuple(said[-MOST_REMEMBERED:])

    @property
    def next_number(self) -> int:
        """Return the number of the first turn of an engine session that begins now."""
        return max((each.number or 0 for each in self.exchanges), default=0) + 1

    @property
    def newest_undoable(self) -> int | None:
        """The number of the newest exchange for which something was done that can be taken back."""
        return next((each.number for each in reversed(self.exchanges) if each.can_undo), None)

    def was_cut_by(self, number: int) -> bool:
        """Tell whether the answer before this question fell silent for it."""
        at = self._place_of(number)
        return at is not None and at > 0 and self.exchanges[at - 1].was_cut

    def note_done(self, call: ToolCall, done: Done) -> None:
        """Something was done for an exchange, as a call asked for."""
        if (at := self._place_of(call.turn)) is not None:
            self._put(at, replace(self.exchanges[at], done=done, called=call, undone=False))

    def done_already(self, call: ToolCall) -> Done | None:
        """Find what was done where the same was called for an earlier revision of the question, and still holds."""
        at = self._place_of(call.turn)
        if at is None or not (exchange := self.exchanges[at]).can_undo or exchange.called is None:
            return None
        before = exchange.called
        return exchange.done if (before.tool, before.arguments) == (call.tool, call.arguments) else None

    def undo(self, number: int) -> None:
        """Take back what was done for an exchange, if it was and has not been."""
        at = self._place_of(number)
        if at is None or not self.exchanges[at].can_undo:
            return
        exchange = self.exchanges[at]
        self._put(at, replace(exchange, undone=True))
        if exchange.done is not None and exchange.done.undo is not None:
            exchange.done.undo()

    def clear(self) -> None:
        """Begin anew."""
        self.exchanges.clear()
        self.cleared.emit()

    def expect(self, text: str) -> None:
        """Show a question that was typed, before the engine has taken it up."""
        self._add(Exchange(typed=True, asked=text, phase=Phase.WAITING))

    def take(self, event: TurnEvent) -> Exchange | None:
        """Show what happened in a turn; what was done for a part of the question alone is undone.

        Returns the exchange as it is now; None where the event is none of this conversation's.
        """
        at = self._place_of(event.turn)
        if at is None:
            at = self._begin(event)
        if at is None:
            return None
        self._put(at, self.exchanges[at].with_event(event))
        if isinstance(event, Sentence) and self.exchanges[at].did_for_less:
            self.undo(event.turn)
        return self.exchanges[at]

    def settle(self, *, begun_only: bool = False) -> tuple[Turn, ...]:
        """Leave off what is under way; give the turns that end by it, with what was answered of them.

        With `begun_only` questions that have no answer yet stay as they are.
        """
        ended = []
        for at, exchange in enumerate(self.exchanges):
            if begun_only and not exchange.answer:
                continue
            left = exchange.left()
            self._put(at, left)
            if left is not exchange and left.turn is not None:
                ended.append(left.turn)
        return tuple(ended)

    def leave_to_next(self) -> tuple[tuple[Exchange, ...], tuple[Turn, ...]]:
        """The engine is gone: have what it had not answered wait for another one.

        Gives the exchanges that wait, and the turns that were complete and fell silent.
        """
        broken = []
        for at, exchange in enumerate(self.exchanges):
            if exchange.phase.is_over:
                continue
            if exchange.turn is not None:
                self._put(at, exchange.left())
                broken += [turn for turn in [self.exchanges[at].turn] if turn is not None]
            elif exchange.number is not None:
                self._put(at, exchange.waiting())
        return tuple(each for each in self.exchanges if not each.phase.is_over), tuple(broken)

    def _place_of(self, number: int) -> int | None:
        return next((at for at, each in enumerate(self.exchanges) if each.number == number), None)

    def _begin(self, event: TurnEvent) -> int | None:
        """Find the place of an exchange that the engine names for the first time."""
        if not isinstance(event, Heard):
            return None
        self._leave_spoken()
        for at, each in enumerate(self.exchanges):
            if each.number is None and not each.phase.is_over and (not each.typed or each.asked == event.text):
                self.exchanges[at] = replace(each, number=event.turn, phase=Phase.ASKING)
                return at
        self._add(Exchange(number=event.turn))
        return len(self.exchanges) - 1

    def _leave_spoken(self) -> None:
        """Another question has taken the place of one that was being asked."""
        for at, each in enumerate(self.exchanges):
            if each.number is not None and each.phase is Phase.ASKING:
                self._put(at, each.left())

    def _add(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)
        self.added.emit(len(self.exchanges) - 1)
        if len(self.exchanges) > MOST_EXCHANGES:
            del self.exchanges[0]
            self.dropped.emit()

    def _put(self, at: int, exchange: Exchange) -> None:
        if exchange != self.exchanges[at]:
            self.exchanges[at] = exchange
            self.changed.emit(at)
