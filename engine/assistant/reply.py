"""One reply on its way from the model to the loudspeaker: text, whole sentences, their sound, a step at a time.

It may begin before the user's turn has ended: then it goes as far as its first sentence and the beginning of its sound,
says nothing, and waits until it is released. Without speculation it takes one step, which tells whether the turn is
complete.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from engine.answer.safety.recognition import language_of
from engine.answer.tools.outcomes import ToolOutcome, words_of
from engine.assistant.reply_audio import SpokenReply
from engine.assistant.restraint import Restraint
from engine.audio import Samples
from engine.audio.endpoint import is_short
from engine.errors import error_sentence
from engine.events import Incident
from engine.turns import Interrupted, Sentence, Speech, ToolCall, Turn, TurnStats

if TYPE_CHECKING:
    from engine.answer.any_predictor import AnyPredictor
    from engine.answer.predictor import Answer, AnswerProgress
    from engine.answer.tools.table import Call
    from engine.clock import Clock
    from engine.speak.ahead import SpeechAhead
    from engine.speak.joining import SpeechJoiner

AHEAD_SECONDS = 0.5
"""Least sound that waits to be played; with less, speech is made before the text goes on."""

TEXT_RATE_HZ = 16_000  # for a reply without sound

Said = ToolCall | Sentence | Speech | Interrupted | Turn | Incident
T = TypeVar("T")
Ended = Literal["end", "limit", "interrupted", "nothing"]


@dataclass(slots=True)
class Speaker:
    """A voice with its prepared sound, and the joints between its sentences."""

    ahead: SpeechAhead
    joiner: SpeechJoiner

    @property
    def rate_hz(self) -> int:
        return self.ahead.voice.rate_hz


AnswerSteps = Generator["AnswerProgress | None", None, "Answer"]


@dataclass(frozen=True, slots=True)
class Script:
    """The way to answer a turn.

    Attributes:
        steps: write the answer; None if that waits for the call.
        call: a tool that the app has to run first, once the turn has ended.
        aloud: returns a sentence as it goes to the voice.
        language: the language of the answer; None if it is not known.
        free: a model writes the answer in its own words, which have to be restrained.
        end_of_turn: probability that the question is a complete turn, if that is known without a model.
    """

    steps: AnswerSteps | None = None
    call: Call | None = None
    aloud: Callable[[str], str] = str
    language: str | None = None
    free: bool = False
    end_of_turn: float | None = None


class Reply:
    """The reply to one turn. One thread uses it.

    Attributes:
        turn, revision, prompt: the turn that it answers.
        spoken: the part that has been spoken.
        released: the user's turn has ended, so that it may be heard.
        complete: all of it is there.
        paused: it fell silent for an interruption, which may be a false alarm.
        end_of_turn: probability that the prompt is a complete turn, once that is known.
    """

    def __init__(
        self,
        turn: int,
        revision: int,
        prompt: str,
        predictor: AnyPredictor,
        speaker: Speaker | None,
        clock: Clock,
        script: Script,
        *,
        ahead: bool = True,
    ) -> None:
        """Answer by a script, and speak with a speaker if there is one.

        The first `step` begins. `ahead`: prepare the first sentence before the release.
        """
        self.turn = turn
        self.revision = revision
        self.prompt = prompt
        self.released = False
        self.complete = False
        self.paused = False
        self.end_of_turn = script.end_of_turn
        self._predictor = predictor
        self._clock = clock
        self._script = script
        self._steps = self._script.steps
        self._waits = False  # for its release
        self._ahead = ahead
        self._restraint = Restraint() if script.free else None
        self._awaits = self._script.call  # call to run before the answer
        self._called_as: int | None = None  # the revision under which the app was asked for it
        self._answer: Answer | None = None
        self._text = ""
        self._speaker = speaker
        self._rate_hz = speaker.rate_hz if speaker else TEXT_RATE_HZ
        self._sentences: list[str] = []
        self.spoken = SpokenReply(self._rate_hz)
        self._told = 0  # sentences sent as text
        self._begun = 0  # sentences passed to the voice
        self._sound: Iterator[Samples] | None = None
        self._awaits_sound = False  # it is being computed on another thread
        self._prepared = False
        self._ended: Ended = "nothing"
        self._reply = ""
        self._speech_end = 0.0
        self._endpoint = 0.0
        self._first_sentence: float | None = None
        self._first_sound: float | None = None
        self._premade = False
        self._accepted = False

    @property
    def busy(self) -> bool:
        """Return whether a step would do anything."""
        if self.complete or self.paused:
            return False
        if self.released:
            return not self.waiting
        if self._waits:
            return False
        return (self._steps is not None and not self._sentences) or self._may_prepare

    @property
    def waiting(self) -> bool:
        """Return whether it waits for the app to run a tool."""
        return self._awaits is not None and self._called_as is not None

    @property
    def silent(self) -> bool:
        """Return whether nothing of it has been sent yet."""
        return self._told == 0

    def release(self, speech_end: float) -> None:
        """Release the reply: the turn ended now, and the user's speech at `speech_end`, in seconds on the clock."""
        self.released = True
        self._speech_end, self._endpoint = speech_end, self._clock.now()
        if self._sentences:
            self._premade = self._speaker is None or self._speaker.ahead.started(self._aloud(0))
        if self._speaker is not None:
            self._speaker.joiner.restart()

    def waits_for(self, turn: int, revision: int) -> bool:
        """Return whether it waits for the outcome of the call of this turn and revision."""
        return self.waiting and not self.complete and (self.turn, self._called_as) == (turn, revision)

    def go_on(self, steps: AnswerSteps) -> None:
        """Answer with the outcome of the call."""
        self._awaits = None
        self._steps = steps

    def step(self) -> list[Said]:
        """Work for about one forward of the model, or one chunk of sound; return new events."""
        if not self.released:
            self._waits = not self._ahead
            if not self._may_prepare:
                return self._write_on()
            self._prepare()
            return []
        if self._awaits is not None:
            return [self._call(self._awaits)]
        if self._told < len(self._sentences):
            return [self._tell()]
        if self._begun < self._told and (self._steps is None or self._needs_sound):
            return self._speak_on()
        if self._steps is not None:
            self._awaits_sound = False
            return self._write_on()
        return [self._finish()]

    def interruptible(self, spoken_seconds: float | None = None) -> bool:
        """Return whether any of it is still to come after this much was played."""
        if not self.released or self.paused:
            return False
        now = self._clock.now()
        if spoken_seconds is not None:
            self.spoken.played(spoken_seconds, now)
        return not self.complete or self.spoken.ahead(now) > 0

    def pause(self) -> Interrupted:
        """Fall silent."""
        now = self._clock.now()
        self.spoken.silence(now)
        self.paused = True
        return Interrupted(self.turn, self.revision, now, self.said)

    def resume(self) -> list[Said]:
        """Resume after a pause: return the sound that had not been played, under a new revision."""
        self.paused = False
        self.revision += 1
        now = self._clock.now()
        rest = self.spoken.rest(self.spoken.played_seconds(now))
        self.spoken.hand_over_again(rest, now)
        again: list[Said] = [self._speech(sentence, chunk) for sentence, chunk in rest]
        return [*again, self._turn(self._ended, self._reply)] if self.complete else again

    def cut(self) -> Turn:
        """End it here: the next turn remembers only the spoken part; the text stays as far as it is written."""
        said, reply = self.said, self._reply or self._text.strip() or " ".join(self._sentences)
        self.withdraw()
        self._accept(said)
        self.complete, self.paused = True, False
        return replace(self._turn("interrupted", reply), said=said)

    def withdraw(self) -> None:
        """Discard it as if it had never been: the user goes on with the turn."""
        self.close()
        if self._accepted:
            self._predictor.reopen()
            self._accepted = False

    def close(self) -> None:
        """Discard unfinished work."""
        self._give_up_steps()
        self._sound = None
        if self._speaker is not None:
            self._speaker.ahead.rest()

    def _give_up_steps(self) -> None:
        if self._steps is not None:
            self._steps.close()
            self._steps = None

    @property
    def said(self) -> str:
        """The text spoken so far."""
        return self.spoken.said(self.spoken.played_seconds(self._clock.now()))

    @property
    def _needs_sound(self) -> bool:
        """Return whether sound comes before text: little is left to be played, and it need not be awaited."""
        return not self._awaits_sound and self.spoken.ahead(self._clock.now()) < AHEAD_SECONDS

    @property
    def _may_prepare(self) -> bool:
        """Return whether there is sound to be made ahead."""
        return bool(self._sentences and self._speaker and not self._prepared)

    def _aloud(self, number: int) -> str:
        """Return a sentence as it goes to the voice."""
        return self._script.aloud(self._sentences[number])

    def _prepare(self) -> None:
        """Make the next chunk of the first sentence: of its beginning, or of all of it in a slow voice."""
        assert self._speaker is not None
        ahead, first = self._speaker.ahead, self._aloud(0)
        slow = ahead.voice.store_name is not None
        self._prepared = not self._timed(lambda: ahead.prepare_more(first, whole=slow))

    def _write_on(self) -> list[Said]:
        """Continue the text by one forward."""
        assert self._steps is not None
        try:
            answered = self._timed(self._next_answered)
        except Exception as error:  # whatever a model may raise: the conversation goes on
            self._steps = None
            return [Incident(f"The assistant's answer broke off. {error_sentence(error)}")]
        if self._script.free and not is_short(self.prompt):
            self.end_of_turn = self.end_of_turn or self._predictor.end_of_turn
        if answered is not None and answered.call is not None:  # done once the turn has ended
            self._give_up_steps()
            self._awaits, self._restraint = answered.call, None
        elif answered is not None:
            self._text = answered.text
            self._add_progress(answered)
            if self._restraint is not None and self._restraint.over:
                self._give_up_steps()
        self._admit_doubt()
        return []

    def _admit_doubt(self) -> None:
        """Answer that the question was not understood, where the answer is over and nothing of it may be said."""
        if self._steps is None and self._restraint is not None and self._restraint.held and not self._sentences:
            self._restraint = None
            self._steps = self._predictor.recite(self.prompt, words_of(ToolOutcome("unsure"), language_of(self.prompt)))

    def _next_answered(self) -> AnswerProgress | None:
        assert self._steps is not None
        try:
            return next(self._steps)
        except StopIteration as end:
            self._steps, self._answer = None, end.value
            return None

    def _add_progress(self, answered: AnswerProgress) -> None:
        sentences: Sequence[str] = answered.sentences
        if self._restraint is not None:
            sentences = self._restraint.pass_on(sentences, answered.text)
        if sentences and self._first_sentence is None:
            self._first_sentence = self._clock.now()
        self._sentences.extend(sentences)

    def _call(self, call: Call) -> ToolCall:
        """Ask the app to run a tool; the answer waits for the outcome."""
        self._called_as = self.revision
        return ToolCall(self.turn, self.revision, call.tool.name, call.language, call.arguments)

    def _tell(self) -> Sentence:
        """Send the next sentence as text."""
        self._told += 1
        return Sentence(self.turn, self.revision, self._told - 1, self._sentences[self._told - 1])

    def _speak_on(self) -> list[Said]:
        """Send the next sound."""
        number = self._begun
        if self._sound is None:
            self.spoken.begin(self._sentences[number])
            if self._speaker is not None:
                self._sound = self._speaker.joiner.join(self._speaker.ahead.speak(self._aloud(number)))
        sound, failure = self._sound, None
        chunk: Samples | None = None
        if sound is not None:
            try:
                chunk = self._timed(lambda: next(sound, None))
            except Exception as error:  # whatever a voice may raise: the text goes on
                self._speaker, failure = (
                    None,
                    Incident(f"The voice failed; the reply goes on in writing. {error_sentence(error)}"),
                )
        self._awaits_sound = chunk is not None and not len(chunk)
        if self._awaits_sound:
            return []
        if chunk is None:
            self.spoken.end()
            self._sound = None
            self._begun += 1
            return [failure] if failure else []
        now = self._clock.now()
        self._first_sound = now if self._first_sound is None else self._first_sound
        self.spoken.add(chunk, now)
        return [self._speech(number, chunk)]

    def _speech(self, sentence: int, chunk: Samples) -> Speech:
        samples = np.ascontiguousarray(chunk, np.float32).tobytes()
        return Speech(self.turn, self.revision, sentence, samples, self._rate_hz)

    def _finish(self) -> Turn:
        self.complete = True
        answer = self._answer
        held = self._restraint is not None and self._restraint.held
        if held:
            self._ended = "end"
        elif answer is None:  # the model failed
            self._ended = "interrupted" if self._sentences else "nothing"
        else:
            self._ended = "limit" if answer.ended == "limit" else "end"
        if not self._sentences:
            self._ended = "nothing"
        whole = answer is not None and self._sentences and not held
        written = self._text if self._ended == "limit" or answer is None else answer.text
        reply = written.strip() if whole else " ".join(self._sentences)
        self._accept(reply)
        self._reply = reply
        return self._turn(self._ended, reply)

    def _accept(self, reply: str) -> None:
        self._predictor.accept(self.prompt, reply)
        self._accepted = True

    def _turn(self, ended: Ended, reply: str) -> Turn:
        return Turn(self.turn, self.revision, self.prompt, reply, ended, self._stats())

    def _stats(self) -> TurnStats:
        answer = self._answer
        times = TurnStats(
            endpoint_seconds=self._endpoint - self._speech_end,
            first_sentence_seconds=self._after_speech(self._first_sentence),
            first_sound_seconds=self._after_speech(self._first_sound),
            premade=self._premade,
        )
        if answer is None:
            return times
        return replace(
            times,
            forwards_to_first_sentence=answer.forwards_to_first_sentence,
            speculative_forwards=answer.speculative_forwards,
            wasted_tokens=answer.wasted_tokens,
            answer=answer.stats,
        )

    def _after_speech(self, moment: float | None) -> float | None:
        return None if moment is None else max(0.0, moment - self._speech_end)

    def _timed(self, work: Callable[[], T]) -> T:
        """Do some work, and add its time to the clock."""
        started = self._clock.timer()
        try:
            return work()
        finally:
            self._clock.spend_since(started)
