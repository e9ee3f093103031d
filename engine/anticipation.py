"""What the assistant does while it is still being asked: guess the reply, and make the beginning of its sound.

The newest of what the user has said counts; a guess about less is given up where it is, and what it has written is
the draft of the next one.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from engine.answer.prompt import partial_prompt
from engine.turns import Candidate

if TYPE_CHECKING:
    from engine.answer.predictor import Guess, Predictor
    from engine.clock import Clock
    from engine.speak.ahead import SpeechAhead

SURVIVED_GUESSES = 2
"""A first sentence that came through so many verifications is likely to stay."""

LIKELY_END = 0.3
"""So likely an end of the turn makes it worth while to speak ahead."""

CHEAP_VOICES = ("espeak",)
"""They make a sentence's beginning faster than a model does one forward: it costs nothing to be wrong."""


class Anticipation:
    """Guesses ahead for one turn after the other. One thread uses it."""

    def __init__(self, predictor: Predictor, ahead: SpeechAhead | None, clock: Clock) -> None:
        """Guess with a predictor, and make speech ahead if there is a voice."""
        self._predictor = predictor
        self._ahead = ahead
        self._clock = clock
        self._cheap = ahead is not None and ahead.voice.name.split()[0] in CHEAP_VOICES
        self._heard = ""  # what was offered last
        self._waiting: str | None = None  # what to guess for next
        self._steps: Generator[None, None, Guess | None] | None = None
        self._guess: Guess | None = None  # whose first sentence may be spoken ahead

    @property
    def busy(self) -> bool:
        """Whether a step would do anything."""
        return self._steps is not None or self._waiting is not None or self._speakable is not None

    def offer(self, text: str) -> None:
        """Take what the user has said so far; its last word may be cut off. Nothing is computed before `step`."""
        if not self._predictor.options.speculate or text == self._heard:
            return
        self._heard = self._waiting = text

    def step(self, turn: int, revision: int) -> Candidate | None:
        """Work for about one forward, or on the beginning of a sentence's sound; give a candidate that is new."""
        if self._waiting is not None:
            if self._steps is not None:
                self._steps.close()
            self._steps, self._waiting = self._predictor.guess(partial_prompt(self._waiting)), None
        if self._steps is None:
            return self._speak(turn, revision)
        started = self._clock.timer()
        try:
            next(self._steps)
        except StopIteration as end:
            self._steps = None
            guess: Guess | None = end.value
            self._guess = guess or self._guess
            return None if guess is None else self._candidate(guess, turn, revision)
        except BaseException:
            self._steps = None
            raise
        finally:
            self._clock.spend_since(started)
        return None

    def stop(self) -> None:
        """Give up the guess that is being made, and what waits."""
        if self._steps is not None:
            self._steps.close()
            self._steps = None
        self._heard = ""
        self._waiting = self._guess = None

    @property
    def _speakable(self) -> str | None:
        """The first sentence that is worth being spoken ahead and is not yet."""
        guess, ahead = self._guess, self._ahead
        if guess is None or ahead is None or guess.first_sentence is None or ahead.made(guess.first_sentence):
            return None
        likely = guess.survived >= SURVIVED_GUESSES or (guess.end_of_turn or 0.0) > LIKELY_END
        return guess.first_sentence if self._cheap or likely else None

    def _speak(self, turn: int, revision: int) -> Candidate | None:
        guess, sentence = self._guess, self._speakable
        if guess is None or sentence is None or self._ahead is None:
            return None
        started = self._clock.timer()
        self._ahead.prepare(sentence)
        self._clock.spend_since(started)
        if not self._ahead.made(sentence):  # the voice failed; when the sentence is needed that will be told
            self._guess = None
            return None
        return self._candidate(guess, turn, revision)

    def _candidate(self, guess: Guess, turn: int, revision: int) -> Candidate:
        first = guess.first_sentence
        ready = first is not None and (self._ahead is None or self._ahead.made(first))
        return Candidate(turn, revision, guess.prompt, guess.text, ready, guess.stats)
