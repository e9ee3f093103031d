"""Results of answering: a guess, a complete reply, and the newest part of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.language.speculative_decoding import Ended
from engine.turns import AnswerStats

if TYPE_CHECKING:
    from engine.answer.tools.table import Call


@dataclass(frozen=True, slots=True)
class Guess:
    """The answer that the assistant would give if the user stopped here.

    Attributes:
        prompt: the user's words so far, as given.
        text: the answer so far.
        tokens: the same as the model's tokens.
        first_sentence: as it goes to the voice; None until it is complete.
        survived: number of guesses before this one with the same first sentence.
        ended: by itself, at the most tokens, or because its first sentence is complete.
        end_of_turn: probability that the user has finished; None if the model does not tell.
        drafted, accepted: tokens of the previous candidate that were offered, and kept.
        forwards: of the model, including those of the verifier.
        forwards_to_first_sentence: forwards until the first sentence was complete; all if it is not.
        verify_seconds, decode_seconds: measured computation: over prompt and candidate, and after it.
    """

    prompt: str
    text: str
    tokens: tuple[int, ...] = field(repr=False)
    first_sentence: str | None
    survived: int
    ended: Ended
    end_of_turn: float | None
    drafted: int
    accepted: int
    forwards: int
    forwards_to_first_sentence: int
    verify_seconds: float
    decode_seconds: float

    @property
    def stats(self) -> AnswerStats:
        """Return the cost, in the form that travels."""
        return AnswerStats(
            drafted=self.drafted,
            accepted=self.accepted,
            output=len(self.tokens),
            forwards=self.forwards,
            verify_seconds=self.verify_seconds,
            decode_seconds=self.decode_seconds,
        )


@dataclass(frozen=True, slots=True)
class Answer(Guess):
    """The complete reply.

    Attributes:
        sentences: as they go to the voice.
        premade: its first sentence is that of the last candidate.
        speculative_forwards: of the model, for the candidates before it.
        wasted_tokens: tokens of the candidates that were generated ahead and are not in it.
    """

    sentences: tuple[str, ...]
    premade: bool
    speculative_forwards: int
    wasted_tokens: int


@dataclass(frozen=True, slots=True)
class AnswerProgress:
    """The newest part of a reply.

    Attributes:
        text: the reply so far.
        sentences: newly complete sentences, as they go to the voice.
        call: a tool call in place of an answer.
    """

    text: str
    sentences: tuple[str, ...] = ()
    call: Call | None = None


def empty_answer(text: str) -> Answer:
    """Return the answer to an empty question."""
    return Answer(
        prompt=text,
        text="",
        tokens=(),
        first_sentence=None,
        survived=0,
        ended="end",
        end_of_turn=None,
        drafted=0,
        accepted=0,
        forwards=0,
        forwards_to_first_sentence=0,
        verify_seconds=0.0,
        decode_seconds=0.0,
        sentences=(),
        premade=False,
        speculative_forwards=0,
        wasted_tokens=0,
    )
