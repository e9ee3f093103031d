"""What the assistant does while it is still being asked: guess the reply, and make the beginning of its sound.

The newest of what the user has said counts; a guess about less is given up where it is, and what it has written is
the draft of the next one. What else is wanted (AnswerOptions) is done in the time that is left, and given up for
anything newer: a guess with the last word, which may be cut off, then branches.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from engine.answer.prompt import partial_prompt
from engine.answer.sentences import is_code
from engine.answer.tools.calls import may_be_call
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


class Speculator:
    """Guesses ahead for one turn after the other. One thread uses it."""

    def __init__(self, predictor: Predictor, ahead: SpeechAhead | None, clock: Clock) -> None:
        """Guess with a predictor, and make speech ahead if there is a voice."""
        self._predictor = predictor
        self._ahead = ahead
        self._clock = clock
        self._cheap = ahead is not None and ahead.voice.name.split()[0] in CHEAP_VOICES
        self._heard = ""  # what was offered last
        self._shown = False  # a candidate was given for this turn, and stands
        self._waiting: str | None = None  # what to guess for next
        self._unfinished: str | None = None  # the same with its last word, for later
        self._steps: Generator[None, None, Guess | None] | None = None
        self._guess: Guess | None = None  # whose first sentence may be spoken ahead
        self._branches: Generator[str | None, None, None] | None = None

    @property
    def busy(self) -> bool:
        """Tell whether a step would do anything."""
        waits = (self._waiting, self._steps, self._speakable, self._unfinished, self._branches)
        return any(each is not None for each in waits)

    def offer(self, text: str) -> None:
        """Take what the user has said so far; its last word may be cut off. Nothing is computed before `step`."""
        if not self._predictor.options.speculate or text == self._heard:
            return
        self._heard = self._waiting = text

    def drop(self, instead: str = "") -> bool:
        """Give up what is being made: this is not to be answered ahead, and `instead` is shown, if anything.

        Gives whether what is shown changes by that.
        """
        shown = self._shown
        self.stop()
        self._shown = bool(instead)
        return shown or self._shown

    def step(self, turn: int, revision: int) -> Candidate | None:
        """Work for about one forward, or on the beginning of a sentence's sound; give a candidate that is new."""
        if self._waiting is not None:
            self._begin(self._predictor.guess(partial_prompt(self._waiting)))
            self._unfinished = self._waiting if self._predictor.options.last_word else None
            self._waiting = None
        if self._steps is not None:
            return self._go_on(self._steps, turn, revision)
        if self._speakable is not None:
            return self._speak(turn, revision)
        if self._unfinished is not None:
            self._begin(self._predictor.guess_unfinished(self._unfinished))
            self._unfinished = None
        elif self._branches is not None:
            self._branch(self._branches)
        return None

    def _begin(self, guess: Generator[None, None, Guess | None]) -> None:
        """Work on a guess, in place of all that is being made."""
        self._close()
        self._steps = guess

    def _go_on(self, steps: Generator[None, None, Guess | None], turn: int, revision: int) -> Candidate | None:
        """Work on a guess; branches are made beside it when it is done."""
        started = self._clock.timer()
        try:
            next(steps)
        except StopIteration as end:
            self._steps = None
            guess: Guess | None = end.value
            if guess is not None and self._predictor.calls_tools and may_be_call(guess.text):
                return None  # what is not said is not shown either
            self._guess = guess or self._guess
            self._branches = self._predictor.branch() if self._predictor.options.branches else None
            return None if guess is None else self._candidate(guess, turn, revision)
        except BaseException:
            self._steps = None
            raise
        finally:
            self._clock.spend_since(started)
        return None

    def _branch(self, branches: Generator[str | None, None, None]) -> None:
        """Work on branches, and speak ahead what they say."""
        started = self._clock.timer()
        try:
            sentence = next(branches)
            if sentence is not None and self._ahead is not None and self._cheap:
                self._ahead.prepare(sentence)
        except StopIteration:
            self._branches = None
        except BaseException:
            self._branches = None
            raise
        finally:
            self._clock.spend_since(started)

    def _close(self) -> None:
        if self._steps is not None:
            self._steps.close()
        if self._branches is not None:
            self._branches.close()
        self._steps = self._branches = None

    def stop(self) -> None:
        """Give up what is being made, and what waits."""
        self._close()
        self._shown = False
        self._heard = ""
        self._waiting = self._unfinished = self._guess = None

    @property
    def _speakable(self) -> str | None:
        """The first sentence that is worth being spoken ahead and is not yet."""
        guess, ahead = self._guess, self._ahead
        if guess is None or ahead is None or guess.first_sentence is None or ahead.made(guess.first_sentence):
            return None
        if is_code(guess.first_sentence):  # which is not read out
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
        self._shown = True
        ready = first is not None and (self._ahead is None or self._ahead.made(first))
        return Candidate(turn, revision, guess.prompt, guess.text, ready, guess.stats)
