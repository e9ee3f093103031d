"""Work of the assistant during a question: it guesses the reply, and makes the beginning of its sound.

Only the user's newest words count. A guess for fewer words is interrupted, and its text becomes the draft of the next
one. The words are answered as heard, the last one included: hearing mostly has all of it before its last sound, and a
slow model has no time for a guess without it, which never is the answer to the whole question. (As published, the last
word waits for the next one.) Optional work (AnswerOptions) is done in the remaining time, and discarded for newer
words: a guess with the last word as the model completes it, then branches.

On battery only a sentence that hearing has ended is answered ahead: other guesses take most of the forwards, and are
mostly in vain.

Hearing comes before all of this. Then come the guess, the beginning of its first sentence's sound, a guess with the
last word, branches, and the rest of that sentence's sound. Each step is one forward or one chunk of sound, and newer
words wait for no more than that.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from engine.answer.prompt import partial_prompt
from engine.answer.sentences import is_code
from engine.answer.tools.calls import may_be_call
from engine.assistant.danger_by_model import may_be_danger
from engine.assistant.doubt import is_doubtful
from engine.assistant.sums_by_model import names_number
from engine.sentence_ends import ends_sentence
from engine.turns import Candidate

if TYPE_CHECKING:
    from engine.answer.any_predictor import AnyPredictor
    from engine.answer.predictor import Guess
    from engine.clock import Clock
    from engine.machine.power import PowerSource
    from engine.speak.ahead import SpeechAhead

SURVIVED_GUESSES = 2
"""Number of verifications after which a first sentence is likely to stay."""

LIKELY_END = 0.3
"""Least probability of the end of the turn at which it pays to speak ahead."""

CHEAP_VOICES = ("espeak",)
"""Voices that make a sentence's beginning faster than a model does one forward: a wrong guess costs nothing."""

QUICK_VOICES = (*CHEAP_VOICES, "hibari", "piper")
"""Voices that begin every guess on mains power; others begin only a sentence that is likely to stay."""


class Speculator:
    """Guesses ahead for one turn after the other. One thread uses it."""

    def __init__(
        self, predictor: AnyPredictor, ahead: SpeechAhead | None, clock: Clock, power: PowerSource | None = None
    ) -> None:
        """Guess with a predictor, and make speech ahead if there is a voice.

        `power` tells whether the computer runs on its battery; without it nothing is saved.
        """
        self._predictor = predictor
        self._ahead = ahead
        self._clock = clock
        self._power = power
        kind = ahead.voice.name.split()[0] if ahead is not None else ""
        self._cheap, self._quick = kind in CHEAP_VOICES, kind in QUICK_VOICES
        self._heard = ""  # newest offered question
        self._shown = False  # a candidate of this turn is on the screen
        self._waiting: str | None = None  # question to guess for next
        self._unfinished: str | None = None  # the same, whose last word the model may complete
        self._steps: Generator[None, None, Guess | None] | None = None
        self._guess: Guess | None = None  # whose first sentence may be spoken ahead
        self._branches: Generator[str | None, None, None] | None = None
        self._known: str | None = None  # first sentence of an answer that needs no guess
        self._known_times = 0  # how often in a row it was expected

    @property
    def busy(self) -> bool:
        """Return whether a step would do anything."""
        waits = (self._waiting, self._steps, self._speakable, self._unfinished, self._branches, self._completable)
        return any(each is not None for each in waits)

    def offer(self, text: str) -> None:
        """Offer the question so far; its last word may be cut off. Nothing is computed before `step`."""
        if not self._predictor.options.speculate or text == self._heard:
            return
        self._heard = self._waiting = text
        self._known, self._known_times = None, 0

    def expect(self, text: str, sentence: str, instead: str = "") -> bool:
        """Expect an answer to the question so far that begins with a sentence: it needs no guess, only its sound.

        `instead` of a guess is shown, if anything. Returns whether that changes what is shown.
        """
        if text == self._heard:
            return False
        shown, self._shown = self._shown, bool(instead)
        self._close()
        self._heard, self._waiting, self._unfinished, self._guess = text, None, None, None
        self._known_times = self._known_times + 1 if sentence == self._known else 1
        self._known = sentence
        return shown or self._shown

    def drop(self, instead: str = "") -> bool:
        """Discard the work so far: this question is not to be answered ahead. `instead` is shown, if anything.

        Returns whether that changes what is shown.
        """
        shown = self._shown
        self.stop()
        self._shown = bool(instead)
        return shown or self._shown

    def step(self, turn: int, revision: int) -> Candidate | None:
        """Work for about one forward, or on the beginning of a sentence's sound; return a candidate that is new."""
        if self._waiting is not None:
            self._begin_with(self._waiting)
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
        elif (sentence := self._completable) is not None and self._ahead is not None:
            self._make_sound(self._ahead, sentence, whole=True)
        return None

    def _begin_with(self, question: str) -> None:
        """Begin to answer the question so far."""
        self._unfinished = None
        ended, saves = ends_sentence(question.split(" ")[-1]), self._saves
        if saves and not ended:
            self._close()
        elif saves or self._predictor.options.last_word:
            self._begin(self._predictor.guess(question))
            self._unfinished = None if ended else question
        else:
            self._begin(self._predictor.guess(partial_prompt(question)))

    @property
    def _saves(self) -> bool:
        """Return whether less is done to spare the battery."""
        return self._predictor.options.less_on_battery and self._power is not None and self._power.on_battery

    def _begin(self, guess: Generator[None, None, Guess | None]) -> None:
        """Begin a guess, in place of all other work."""
        self._close()
        self._steps = guess

    def _go_on(self, steps: Generator[None, None, Guess | None], turn: int, revision: int) -> Candidate | None:
        """Continue a guess; branches follow when it is complete."""
        started = self._clock.timer()
        try:
            next(steps)
        except StopIteration as end:
            self._steps = None
            guess: Guess | None = end.value
            if guess is not None and self._is_unsaid(guess):
                return None  # text that is not said is not shown either
            self._guess = guess or self._guess
            self._branches = self._predictor.branch() if self._predictor.options.branches and not self._saves else None
            return None if guess is None else self._candidate(guess, turn, revision)
        except BaseException:
            self._steps = None
            raise
        finally:
            self._clock.spend_since(started)
        return None

    def _is_unsaid(self, guess: Guess) -> bool:
        """Return whether something else will be said in place of a guess: a tool's outcome, doubt, or whom to call.

        A number may lead to a result.
        """
        predictor, asked = self._predictor, guess.prompt
        if (predictor.calls_tools and may_be_call(guess.text)) or (predictor.writes_aside and names_number(asked)):
            return True
        return is_doubtful(predictor, asked) or may_be_danger(predictor, asked)

    def _branch(self, branches: Generator[str | None, None, None]) -> None:
        """Continue branches, and make the sound of their first sentences."""
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
        """Discard the present work, and what waits."""
        self._close()
        self._shown = False
        self._heard = ""
        self._waiting = self._unfinished = self._guess = self._known = None

    @property
    def _speakable(self) -> str | None:
        """The first sentence if its sound should be made ahead and is not yet."""
        sentence = self._first_sentence
        if self._ahead is None or sentence is None or self._ahead.made(sentence):
            return None
        return sentence if self._cheap or self._is_likely or (self._quick and not self._saves) else None

    @property
    def _completable(self) -> str | None:
        """The first sentence if all of its sound should be made ahead and is not yet: a likely one in a slow voice."""
        sentence, ahead = self._first_sentence, self._ahead
        if ahead is None or sentence is None or ahead.voice.store_name is None or ahead.complete(sentence):
            return None
        return sentence if self._is_likely else None

    @property
    def _first_sentence(self) -> str | None:
        """The first sentence of the expected answer, if it is read out: code is not."""
        guess = self._guess
        sentence = self._known or (guess.first_sentence if guess is not None else None)
        return None if sentence is None or is_code(sentence) else sentence

    @property
    def _is_likely(self) -> bool:
        """Return whether the expected answer is likely to stay."""
        guess = self._guess
        if guess is None:
            return self._known_times >= SURVIVED_GUESSES
        return guess.survived >= SURVIVED_GUESSES or (guess.end_of_turn or 0.0) > LIKELY_END

    def _speak(self, turn: int, revision: int) -> Candidate | None:
        guess, sentence = self._guess, self._speakable
        if sentence is None or self._ahead is None:
            return None
        if self._make_sound(self._ahead, sentence) or guess is None or not self._ahead.made(sentence):
            return None
        return self._candidate(guess, turn, revision)

    def _make_sound(self, ahead: SpeechAhead, sentence: str, *, whole: bool = False) -> bool:
        """Make the next chunk of a sentence's sound; return whether more is to be made."""
        started = self._clock.timer()
        more = ahead.prepare_more(sentence, whole=whole)
        self._clock.spend_since(started)
        if not (more or ahead.made(sentence)):  # the voice failed; that is reported when the sentence is needed
            self._guess = self._known = None
        return more

    def _candidate(self, guess: Guess, turn: int, revision: int) -> Candidate:
        first = guess.first_sentence
        self._shown = True
        ready = first is not None and (self._ahead is None or self._ahead.made(first))
        return Candidate(turn, revision, guess.prompt, guess.text, ready, guess.stats)
