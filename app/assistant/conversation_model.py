"""The conversation on the screen: its exchanges in order, and what changed."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.assistant.completed_call import CompletedCall
from app.assistant.exchange import Exchange, Phase
from engine.turns import Heard, Sentence, ToolCall, Turn, TurnEvent

MOST_EXCHANGES = 100
"""Most exchanges on the screen; the history keeps all of them."""

MOST_REMEMBERED = 20
"""Most exchanges that a newly started engine receives."""


class ConversationModel(QObject):
    """Holds the exchanges of one conversation, which may span several engine sessions.

    Their numbers go up from 1, across engine sessions.

    Attributes:
        exchanges: oldest first.

    Signals:
        added: an exchange was added at this place.
        changed: the exchange at this place has changed.
        dropped: the oldest exchange was removed, since there are too many.
        cleared: all exchanges were removed.
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
        """Return whether an exchange is not over yet."""
        return any(not each.phase.is_over for each in self.exchanges)

    @property
    def earlier(self) -> tuple[Turn, ...]:
        """Return the earlier turns, for an engine that does not know them."""
        said = [each.turn for each in self.exchanges if each.turn is not None and each.asked and each.answer]
        return tuple(said[-MOST_REMEMBERED:])

    @property
    def next_number(self) -> int:
        """Return the number of the first turn of an engine session that begins now."""
        return max((each.number or 0 for each in self.exchanges), default=0) + 1

    @property
    def newest_undoable(self) -> int | None:
        """The number of the newest exchange whose action can be undone."""
        return next((each.number for each in reversed(self.exchanges) if each.can_undo), None)

    def was_cut_by(self, number: int) -> bool:
        """Return whether this question interrupted the answer before it."""
        at = self._place_of(number)
        return at is not None and at > 0 and self.exchanges[at - 1].was_cut

    def note_done(self, call: ToolCall, done: CompletedCall) -> None:
        """Note what was done for the exchange of a call."""
        if (at := self._place_of(call.turn)) is not None:
            self._put(at, replace(self.exchanges[at], done=done, called=call, undone=False))

    def done_already(self, call: ToolCall) -> CompletedCall | None:
        """Return what was done for the same call of an earlier revision of the question, if it still holds."""
        at = self._place_of(call.turn)
        if at is None or not (exchange := self.exchanges[at]).can_undo or exchange.called is None:
            return None
        before = exchange.called
        return exchange.done if (before.tool, before.arguments) == (call.tool, call.arguments) else None

    def undo(self, number: int) -> None:
        """Undo what was done for an exchange, if anything was."""
        at = self._place_of(number)
        if at is None or not self.exchanges[at].can_undo:
            return
        exchange = self.exchanges[at]
        self._put(at, replace(exchange, undone=True))
        if exchange.done is not None and exchange.done.undo is not None:
            exchange.done.undo()

    def clear(self) -> None:
        """Remove all exchanges."""
        self.exchanges.clear()
        self.cleared.emit()

    def expect(self, text: str) -> None:
        """Show a typed question that the engine has not begun to answer."""
        self._add(Exchange(typed=True, asked=text, phase=Phase.WAITING))

    def handle(self, event: TurnEvent) -> Exchange | None:
        """Show an event of a turn; undo what was done for only a part of the question.

        Returns the exchange as it is now; None if the event belongs to no exchange.
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
        """End all open exchanges; return the turns that end by it, with the answers so far.

        With `begun_only` questions without an answer stay open.
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
        """Leave unanswered exchanges to the next engine, after this one has gone.

        Returns the exchanges that wait, and the complete turns that fell silent.
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
        """Return the place of the exchange of a turn that the engine has just begun."""
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
        """End the exchanges whose spoken question was replaced by another one."""
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
