"""One question and its answer as they grow, from the first word that is heard to the last that is said. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from app.assistant.done import Done
from engine.answer.tools.outcomes import quote_of
from engine.turns import (
    Candidate,
    Endpoint,
    Heard,
    Interrupted,
    Sentence,
    Speech,
    ToolCall,
    Turn,
    TurnEvent,
    TurnStats,
)


class Phase(Enum):
    """A phase of an exchange.

    Attributes:
        WAITING: typed, and the engine has not taken it up yet; or left over from an engine that stopped.
        ASKING: the user is speaking.
        THINKING: the question is whole, no sentence of the answer is.
        ANSWERING: the answer comes.
        PAUSED: the user spoke over it; should it have been a cough, it goes on.
        DONE: the answer is complete.
        UNANSWERED: nothing will come any more: another question took its place, or the engine failed.
    """

    WAITING = auto()
    ASKING = auto()
    THINKING = auto()
    ANSWERING = auto()
    PAUSED = auto()
    DONE = auto()
    UNANSWERED = auto()

    @property
    def is_over(self) -> bool:
        return self in (Phase.DONE, Phase.UNANSWERED)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn as people see it.

    Attributes:
        number: counted from 1 through the whole conversation; None while the engine knows nothing of it.
        revision: of the engine's turn.
        typed: the question was written, not spoken.
        asked: the question, as far as it is known.
        draft: what would be answered if the question ended here.
        kept: how many characters of the draft were in the one before it.
        ready: the draft's first sentence is whole, and the beginning of its sound is made.
        sentences: of the answer.
        said: how much of an answer was heard before it was spoken over; None where it was not.
        turn: the engine's account, once the answer is complete.
        ahead: characters at the beginning of the answer that had been drafted while it was being asked.
        done: what the assistant has done for it; None where it has not.
        called: the call that this was done for.
        undone: and has taken back.
        asked_revision: of the question, as far as it is known.
    """

    number: int | None = None
    revision: int = 0
    typed: bool = False
    asked: str = ""
    phase: Phase = Phase.ASKING
    draft: str = ""
    kept: int = 0
    ready: bool = False
    sentences: tuple[str, ...] = ()
    said: str | None = None
    turn: Turn | None = None
    ahead: int = 0
    done: Done | None = None
    called: ToolCall | None = None
    undone: bool = False
    asked_revision: int = 0

    @property
    def can_undo(self) -> bool:
        """Tell whether something was done that can be taken back."""
        return self.done is not None and self.done.undo is not None and not self.undone

    @property
    def did_for_less(self) -> bool:
        """Tell whether what was done was asked for by a part of the question: the user went on with it since."""
        return self.called is not None and self.called.revision < self.asked_revision

    @property
    def answer(self) -> str:
        """Return the answer, as far as it has come."""
        return self.turn.reply if self.turn is not None else " ".join(self.sentences)

    @property
    def shown(self) -> str:
        """Return the answer as it is read: every line that it quotes begins a line."""
        text, quoted = self.answer, 0
        if self.done is None or self.called is None:
            return text
        for quote in self.done.outcome.quotes:
            place = text.find(quote_of(quote, self.called.language), quoted)
            if place > 0:
                text = f"{text[: place - 1]}\n{text[place:]}"
            quoted = max(quoted, place)
        return text

    @property
    def heard(self) -> str:
        """Return what was said of the answer."""
        if self.turn is not None:
            return self.turn.heard
        return self.answer if self.said is None else self.said

    @property
    def was_cut(self) -> bool:
        """Tell whether the answer ended before its time."""
        return self.turn is not None and self.turn.ended == "interrupted"

    @property
    def stats(self) -> TurnStats | None:
        return self.turn.stats if self.turn is not None else None

    def with_event(self, event: TurnEvent) -> Exchange:
        """Give the exchange as it is after an event of its turn; itself where nothing is to be seen of it."""
        if event.revision < self.revision:
            return self  # of what has been given up
        match event:
            case Heard():
                return self._heard(event)
            case Candidate(text=text, ready=ready):
                return self._drafted(text, ready)
            case Endpoint():
                return replace(self, phase=Phase.THINKING) if self.phase is Phase.ASKING else self
            case ToolCall():
                return replace(self, revision=event.revision)
            case Sentence(index=index, text=text):
                sentences = (*self.sentences[:index], text)
                return self._answered(replace(self, sentences=sentences, phase=Phase.ANSWERING, said=None), event)
            case Speech():
                going_on = self.phase is Phase.PAUSED and event.revision > self.revision
                return replace(self, phase=Phase.ANSWERING, said=None, revision=event.revision) if going_on else self
            case Interrupted(spoken=spoken):
                return replace(self, phase=Phase.PAUSED, said=spoken)
            case Turn():
                done = replace(self, asked=event.prompt or self.asked, turn=event, phase=Phase.DONE, said=None)
                return self._answered(done, event)

    def left(self) -> Exchange:
        """Give the exchange as it stays when nothing more of it will come."""
        if self.phase.is_over:
            return self
        if not self.answer:
            return replace(self, phase=Phase.UNANSWERED, draft="", kept=0, ready=False)
        whole = self.turn or Turn(self.number or 0, self.revision, self.asked, self.answer)
        return replace(self, turn=replace(whole, ended="interrupted", said=self.said), phase=Phase.DONE, said=None)

    def waiting(self) -> Exchange:
        """Give the question alone, for another engine: to be asked in writing where it was whole, else heard again."""
        whole = self.typed or self.phase is not Phase.ASKING
        return Exchange(typed=whole, asked=self.asked, phase=Phase.WAITING)

    def _heard(self, heard: Heard) -> Exchange:
        changed = replace(self, asked=heard.text, revision=heard.revision, asked_revision=heard.revision)
        if heard.revision > self.revision:  # the user goes on: what was answered is a draft again
            changed = replace(changed, draft=self.answer, kept=0, ready=False, sentences=(), said=None, turn=None)
        return replace(changed, phase=Phase.THINKING if heard.final else Phase.ASKING)

    def _drafted(self, text: str, ready: bool) -> Exchange:
        if self.phase is not Phase.ASKING:
            return self
        return replace(self, draft=text, kept=shared_length(self.draft, text), ready=ready)

    def _answered(self, changed: Exchange, event: Sentence | Turn) -> Exchange:
        ahead = shared_length(self.draft, changed.answer)
        return replace(changed, revision=event.revision, ahead=ahead)


def shared_length(one: str, other: str) -> int:
    """Count the characters of the whole words that two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    same = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    cut_here = same < len(other) and not other[same].isspace()
    cut_there = same < len(one) and not one[same].isspace()
    return other.rfind(" ", 0, same) + 1 if cut_here or cut_there else same
