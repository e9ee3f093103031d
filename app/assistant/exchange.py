"""One question and its answer as they grow, from the first heard word to the last spoken one. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from app.assistant.completed_call import CompletedCall
from engine.answer.tools.outcomes import quotes_of
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
        WAITING: typed, and not known to the engine yet; or left over from an engine that stopped.
        ASKING: the user is speaking.
        THINKING: the question is complete, the answer has no sentence yet.
        ANSWERING: the answer is arriving.
        PAUSED: the user spoke over it; if that was only a cough, it goes on.
        DONE: the answer is complete.
        UNANSWERED: nothing more will come: another question replaced this one, or the engine failed.
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
        number: counted from 1 through the whole conversation; None until the engine knows the question.
        revision: of the engine's turn.
        typed: the question was typed, not spoken.
        asked: the question, as far as it is known.
        draft: the answer if the question ended here.
        kept: how many characters of the draft were in the one before it.
        ready: the draft's first sentence is complete, and the beginning of its sound is synthesised.
        sentences: of the answer.
        said: the part of an interrupted answer that was heard; None if it was not interrupted.
        turn: the engine's account, once the answer is complete.
        ahead: characters at the beginning of the answer that had been drafted during the question.
        done: what was done for it; None if nothing was.
        called: the call for which it was done.
        undone: it was undone.
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
    done: CompletedCall | None = None
    called: ToolCall | None = None
    undone: bool = False
    asked_revision: int = 0

    @property
    def can_undo(self) -> bool:
        """Return whether something was done that can be undone."""
        return self.done is not None and self.done.undo is not None and not self.undone

    @property
    def did_for_less(self) -> bool:
        """Return whether it was done for only a part of the question: the user has gone on since."""
        return self.called is not None and self.called.revision < self.asked_revision

    @property
    def answer(self) -> str:
        """Return the answer so far."""
        return self.turn.reply if self.turn is not None else " ".join(self.sentences)

    @property
    def shown(self) -> str:
        """Return the answer as it is shown: every line that it quotes begins a line."""
        text, quoted = self.answer, 0
        if self.done is None or self.called is None:
            return text
        for quote in quotes_of(self.done.outcome.quotes, self.called.language):
            place = text.find(quote, quoted)
            if place > 0:
                text = f"{text[: place - 1]}\n{text[place:]}"
            quoted = max(quoted, place)
        return text

    @property
    def heard(self) -> str:
        """Return the part of the answer that was spoken."""
        if self.turn is not None:
            return self.turn.heard
        return self.answer if self.said is None else self.said

    @property
    def was_cut(self) -> bool:
        """Return whether the answer was interrupted for good."""
        return self.turn is not None and self.turn.ended == "interrupted"

    @property
    def stats(self) -> TurnStats | None:
        return self.turn.stats if self.turn is not None else None

    def with_event(self, event: TurnEvent) -> Exchange:
        """Return the exchange after an event of its turn; the same object if nothing visible changes."""
        if event.revision < self.revision:
            return self  # void
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
        """Return the exchange as it stays if nothing more of it will come."""
        if self.phase.is_over:
            return self
        if not self.answer:
            return replace(self, phase=Phase.UNANSWERED, draft="", kept=0, ready=False)
        whole = self.turn or Turn(self.number or 0, self.revision, self.asked, self.answer)
        return replace(self, turn=replace(whole, ended="interrupted", said=self.said), phase=Phase.DONE, said=None)

    def waiting(self) -> Exchange:
        """Return the question alone, for another engine: asked again as text if it is complete, else heard again."""
        whole = self.typed or self.phase is not Phase.ASKING
        return Exchange(typed=whole, asked=self.asked, phase=Phase.WAITING)

    def _heard(self, heard: Heard) -> Exchange:
        changed = replace(self, asked=heard.text, revision=heard.revision, asked_revision=heard.revision)
        if heard.revision > self.revision:  # the user goes on: the answer becomes a draft again
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
    """Count the characters of the words that two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    same = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    cut_here = same < len(other) and not other[same].isspace()
    cut_there = same < len(one) and not one[same].isspace()
    return other.rfind(" ", 0, same) + 1 if cut_here or cut_there else same
