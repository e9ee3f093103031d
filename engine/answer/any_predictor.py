"""The interface of predictors, whoever writes the text: a model in this process, or a server."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.answer.answers import Answer, AnswerProgress, Guess, empty_answer
from engine.answer.prompt import ChatTurn
from engine.options import AnswerOptions

if TYPE_CHECKING:
    from engine.answer.intents.classifier import IntentClassifier


class AnyPredictor(ABC):
    """Guesses and answers, one at a time; all methods are for one thread.

    Attributes:
        options: as given.
        history: the turns before the present one, oldest first.
        classifier: classifies questions, for a model that was taught a set of answers.
        end_of_turn: probability that the user has finished, by the newest forward over the question; None if nothing
            tells.
        asks: whether the user's words are a question, by the same forward; None if nothing tells.
    """

    classifier: IntentClassifier | None = None

    def __init__(self, options: AnswerOptions) -> None:
        """Begin with an empty conversation."""
        self.options = options
        self.history: tuple[ChatTurn, ...] = ()
        self.end_of_turn: float | None = None
        self.asks: bool | None = None
        self._recited = False  # the reply of this turn

    @property
    @abstractmethod
    def candidate(self) -> str:
        """Return the text of the newest answer of this turn, guessed or given; "" if there is none."""

    @property
    @abstractmethod
    def can_read(self) -> bool:
        """Return whether it answers from given text; a model that was taught fixed answers does not."""

    @property
    def writes_aside(self) -> bool:
        """Return whether the model writes by other instructions than the conversation's, too (`aside`)."""
        return False

    @property
    @abstractmethod
    def calls_tools(self) -> bool:
        """Return whether the prompt tells the model about tools."""

    @abstractmethod
    def restart(self) -> None:
        """Forget the conversation."""

    @abstractmethod
    def reopen(self) -> None:
        """Reopen the last turn, since the user goes on with it: its answer becomes the candidate again.

        Nothing happens if no turn has been closed since the last call.
        """

    @abstractmethod
    def guess(self, text: str) -> Generator[None, None, Guess | None]:
        """Guess the answer to the question so far, and make it the candidate; pauses often.

        It stops soon after its first sentence is complete. Returns None if there is nothing to do: no speculation, no
        words, or none since the last guess. Closing the generator keeps the text so far.
        """

    @abstractmethod
    def answer(self, text: str) -> Generator[AnswerProgress | None, None, Answer]:
        """Answer the question; pauses often, with the new part of the reply, if there is any.

        A sentence that is cut off by the most tokens is removed at the end. Without words there is no answer.
        """

    def accept(self, text: str, reply: str) -> None:
        """Close the turn with the spoken part of the answer, `reply`. The next turn begins without a candidate."""
        self.history += (ChatTurn(text, reply, self._recited),)
        self._recited = False
        self.end_of_turn = self.asks = None

    def guess_unfinished(self, text: str) -> Generator[None, None, Guess | None]:
        """Guess as `guess` does, for a text whose last word may be cut off."""
        return self.guess(text)

    def branch(self) -> Generator[str | None, None, None]:
        """Write alternatives to the newest guess, if any are wanted and possible; see Predictor."""
        yield from ()

    def first_sentence_likelihood(self) -> float:
        """Return the logarithm of the probability of the newest answer's first sentence."""
        return -math.inf

    def first_sentence_words(self) -> list[tuple[str, float]]:
        """Return the words of the newest answer's first sentence, with the logarithms of their probabilities.

        A word ends at a space, and marks count for nothing. It is empty where nothing is known of them.
        """
        return []

    def log_odds_of_yes(self, instruction: str, examples: Sequence[tuple[str, str]], text: str) -> float | None:
        """Return how much likelier the model answers a text with "Yes" than with "No"; None if nothing tells.

        It is told an instruction and examples in place of the conversation. The result is the difference of the logits.
        """
        return None

    def aside(
        self, instruction: str, examples: Sequence[tuple[str, str]], text: str, most_tokens: int, draft: str = ""
    ) -> Generator[None, None, str | None]:
        """Return what the model writes to a text by an instruction and examples of its own; pauses after every forward.

        The conversation is neither read nor changed. `draft` is a guess of it, which costs one forward if it holds.
        None if the model only writes in the conversation, or is not at an end after `most_tokens` tokens.
        """
        yield from ()
        return None

    def read_question(self, text: str) -> None:
        """Read a question in the conversation, so that `end_of_turn` and `asks` are those of these words."""
        return

    def likelihood_of_end(self, text: str) -> float | None:
        """Return the probability that the user has finished; None if nothing tells."""
        return None

    def recite(
        self, text: str, sentences: Sequence[str], end_of_turn: float | None = None
    ) -> Generator[AnswerProgress | None, None, Answer]:
        """Answer with given sentences, as `answer` does but without a model.

        `end_of_turn` is the probability that the user has finished, if that is known of this text.
        """
        whole, self._recited = " ".join(sentences), True
        self.end_of_turn = end_of_turn
        forwards, tokens = self.forwards, self._generated
        yield AnswerProgress(whole, tuple(sentences))
        return replace(
            empty_answer(text),
            text=whole,
            first_sentence=sentences[0],
            sentences=tuple(sentences),
            speculative_forwards=forwards,
            wasted_tokens=tokens,
        )

    @property
    def own_turns(self) -> Sequence[ChatTurn]:
        """Return the turns that the model reads: of a published one those that it answered itself.

        Small models say a tool's last answer again whatever they are asked.
        """
        return [turn for turn in self.history if not turn.recited] if self.can_read else self.history

    @property
    def forwards(self) -> int:
        """Return the number of forwards for this turn so far."""
        return 0

    @property
    def _generated(self) -> int:
        """Return the number of tokens that were written for this turn's candidates."""
        return 0
