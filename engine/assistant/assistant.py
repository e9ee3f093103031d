"""A spoken conversation: audio or text in, replies and their speech out.

Sound passes the same hearing stages as for captions. The question so far is answered ahead again and again
(engine.assistant.responder). After a short silence the whole question is answered on trial, up to the first sentence
and its sound. After the silence that ends the turn, that reply is released (engine.assistant.reply); if the user goes
on, it is discarded (engine.assistant.turn_taking). Everything carries its turn and revision: older ones are void, here
and for the player.

One thread does all work, the most urgent first: hearing, the reply, its speech, answering ahead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.answer.intents.classifier import starter_classifier
from engine.assistant.answerers import Answerers
from engine.assistant.question import QuestionHearing
from engine.assistant.responder import Responder
from engine.assistant.tool_answers import PhraseTranslator
from engine.assistant.turn_taking import TurnTaking, has_words
from engine.audio import Samples
from engine.audio.endpoint import soft_end
from engine.audio.intake import Intake
from engine.audio.voice_activity import WINDOW_SAMPLES, SpeechModel
from engine.clock import Clock, RealClock
from engine.events import Incident
from engine.options import AssistantOptions, CaptionOptions
from engine.turns import Language, Turn, TurnEvent

if TYPE_CHECKING:
    from engine.answer.predictor import ChatTurn
    from engine.answer.tools.outcomes import ToolOutcome
    from engine.hear.recognizer import Recognizer
    from engine.language.answering import AnyAnsweringModel
    from engine.machine.power import PowerSource
    from engine.speak.kept_speech import KeptSpeech
    from engine.speak.voice import Voice

DEFAULTS = AssistantOptions()
HEARING = CaptionOptions()


class AssistantSession:
    """One conversation. All methods are for one thread.

    Call `add_audio` and `update` in turn, `work` while there is time to spare and it is `busy`, and `finish` once at
    the end. With a SimulatedClock `update` does the work itself, in the time until the given audio would have been
    spoken, and its decisions do not depend on the size of the chunks.

    A Turn comes when its reply is complete, which is long before all of it has been played. It comes again if the reply
    is interrupted (with the text so far, and the part that was spoken), if it resumes after a false alarm, and if the
    user goes on with the turn (with another reply); in the last two cases under the next revision.

    Attributes:
        clock: the source of all times.
    """

    def __init__(
        self,
        recognizer: Recognizer | None,
        model: AnyAnsweringModel,
        voice: Voice | None,
        options: AssistantOptions = DEFAULTS,
        captions: CaptionOptions = HEARING,
        clock: Clock | None = None,
        *,
        detector: SpeechModel | None = None,
        player: bool = False,
        region: str | None = None,
        translate: PhraseTranslator | None = None,
        app: bool = False,
        power: PowerSource | None = None,
        kept_speech: KeptSpeech | None = None,
    ) -> None:
        """Hear with a recognizer, answer with a model, speak with a voice.

        Without a recognizer turns are typed; without a voice replies are only text. `detector` tells speech from
        silence in place of the default one.

        `player`: the caller plays the speech, reports how much has been played (`played`) and when the user speaks over
        it (`interrupt`). Otherwise speech counts as played as soon as it is there, and the session itself listens for
        interruptions.

        `region` (ISO 3166, such as "DE") selects the telephone numbers for danger. `translate` returns a translator for
        a few words. `app`: the caller carries out each ToolCall, and reports its outcome (`hear_back`). `power`: the
        source of power in place of the computer's. `kept_speech`: sentences whose sound is kept on the disk.
        """
        self.clock: Clock = clock or RealClock()
        make_answerers = partial(
            Answerers, load_classifier=starter_classifier, region=region, translate=translate, app=app
        )
        self._responder = Responder(model, voice, options.answer, self.clock, make_answerers, power, kept_speech)
        self._listening: QuestionHearing | None = None
        if recognizer is not None:
            self._listening = QuestionHearing(recognizer, captions, self.clock, detector, soft_end(options.turns))
        self._intake = Intake(options.turns, notices=not player)
        self._turns = TurnTaking(options.turns, self._responder, self._intake, self._listening, self.clock)

    # --- setup and changes ---

    def warm_up(self) -> None:
        """Load all that answers need; call it before anything is said or recalled."""
        self._responder.warm_up()

    def recall(self, turns: Iterable[Turn], first_turn: int) -> None:
        """Continue after these turns, oldest first, with turn number `first_turn`; call it before anything is said."""
        self._responder.recall(turns)
        self._turns.begin_at(first_turn)

    def change(self, options: AssistantOptions) -> None:
        """Apply changed options from the next turn on; a turn that is being spoken keeps its rules.

        The voice is changed by `speak_with`. A `sure_silence_seconds` below the present one takes full effect only in
        another session.
        """
        self._responder.want(options.answer)
        self._turns.want(options.turns)

    def speak_with(self, voice: Voice | None) -> None:
        """Speak replies with another voice from the next turn on, or with none."""
        self._responder.want_voice(voice)
        self._turns.apply_requested()

    # --- input ---

    @property
    def history(self) -> tuple[ChatTurn, ...]:
        """Return earlier questions and answers as the next turn remembers them, oldest first."""
        return self._responder.history

    @property
    def speaking(self) -> bool:
        """Return whether the newest audio is taken for the user's speech."""
        return self._listening is not None and self._listening.speaking

    @property
    def audio_seconds(self) -> float:
        """Return how much audio has been added."""
        return self._intake.arrived_seconds

    @property
    def busy(self) -> bool:
        """Return whether `work` would do anything now."""
        reply = self._turns.reply
        return bool(self._turns.events) or (self._responder.may_guess if reply is None else reply.busy)

    def add_audio(self, chunk: Samples) -> None:
        """Add samples (n,), float32 at 16 kHz, of any length; nothing is computed before `update`."""
        self._intake.add(chunk)
        self.clock.audio_arrived(self.audio_seconds)

    def press(self) -> None:
        """Hear what follows while the push-to-talk key is held; a reply falls silent for good."""
        if not self._intake.key_held:
            self._intake.turn_key()
            self.stop()

    def release(self) -> None:
        """End the turn: the push-to-talk key came up."""
        if self._intake.key_held:
            self._intake.turn_key()

    def played(self, seconds: float) -> None:
        """Note that this much sound of the present reply has been played."""
        if self._turns.reply is not None:
            self._turns.reply.spoken.played(seconds, self.clock.now())

    def interrupt(self, spoken_seconds: float | None = None, samples: Samples | None = None) -> None:
        """Pause the reply, of which this much was played: the user speaks over it. It resumes if nothing is heard.

        `samples` (n,) is the newest sound of the microphone without the reply's echo, if that is known. `Interrupted`
        is the next event; later events of the reply have a higher revision.
        """
        self._pass_on(self._intake.let_in(samples))
        self._turns.interrupt(spoken_seconds, self._intake.processed_seconds)

    def hear_back(self, turn: int, revision: int, language: Language, outcome: ToolOutcome) -> None:
        """Answer with the outcome of a ToolCall, in its language; does nothing if that turn is over."""
        reply = self._turns.reply
        if reply is not None and reply.waits_for(turn, revision):
            reply.go_on(self._responder.answer_outcome(reply.prompt, language, outcome))

    def stop(self, spoken_seconds: float | None = None) -> None:
        """Stop the reply for good; `interrupt` only pauses it."""
        self._turns.stop(spoken_seconds)

    # --- output ---

    def update(self) -> Iterator[TurnEvent | Incident]:
        """Hear the audio that is due, and decide whose turn it is; yield events."""
        yield from self._advance()

    def work(self) -> TurnEvent | Incident | None:
        """Work for about one forward on the reply, its speech, or an answer ahead; return an event if there is one."""
        turns, reply = self._turns, self._turns.reply
        if not turns.events:
            if reply is not None and reply.busy:
                turns.tell(reply.step())
            elif reply is None and self._responder.may_guess:
                event = self._responder.guess(turns.turn, turns.revision)
                turns.tell([] if event is None else [event])
        return turns.events.popleft() if turns.events else None

    def work_until(self, seconds: float) -> Iterator[TurnEvent | Incident]:
        """Work until it is `seconds` on the clock, or nothing is left to do."""
        while self.busy and self.clock.now() < seconds:
            if (event := self.work()) is not None:
                yield event

    def wait_until(self, seconds: float) -> Iterator[TurnEvent | Incident]:
        """Work until it is `seconds` on the clock, then return."""
        yield from self.work_until(seconds)
        self.clock.wait_until(seconds)

    def ask(self, text: str) -> Iterator[TurnEvent | Incident]:
        """Answer a typed turn, in place of one that is being spoken; yield its whole reply.

        The reply begins at once; if the iterator is not used up, `work` does the rest. Text without a word is no turn.
        """
        if not has_words(text):
            return iter(())
        self.clock.audio_arrived(self.audio_seconds)  # a clock that waits for the first sound begins now
        self._turns.ask(text.strip())
        return self._work_through()

    def finish(self) -> Iterator[TurnEvent | Incident]:
        """End the audio: hear all of it, end the turn, and complete its reply.

        In simulated time enough silence is added at the end to end the turn.
        """
        self.release()
        yield from self._advance(ended=True)
        while self._patient and self._turns.waits_for_silence:
            self.add_audio(np.zeros(WINDOW_SAMPLES, np.float32))
            yield from self._advance(ended=True)
        if self._listening is not None:
            self._turns.end(self._listening)
        self._turns.resume()
        yield from self._work_through()
        self.close()

    def restart(self) -> None:
        """Forget the conversation; the number of turns goes on."""
        self.stop()
        self._turns.next_turn()
        self._responder.restart()

    def close(self) -> None:
        """Discard all unfinished work."""
        self._responder.close()
        if self._turns.reply is not None:
            self._turns.reply.close()
        if self._listening is not None:
            self._listening.close()

    # --- hearing ---

    @property
    def _patient(self) -> bool:
        """Return whether the clock waits for the work, so that audio can be processed window by window."""
        return self.clock.patience(math.inf) > 0

    def _advance(self, *, ended: bool = False) -> Iterator[TurnEvent | Incident]:
        """Process the waiting audio; if the clock allows it, work until each window would have been spoken."""
        window = WINDOW_SAMPLES if self._patient else None
        while True:
            for held in self._intake.key_turns():
                if not held and self._listening is not None:
                    self._turns.end(self._listening)
            yield from self._tell()
            chunk = self._intake.next_samples(window=window, whole=not ended)
            if chunk is None:
                return
            yield from self.work_until(self._intake.processed_seconds)
            self.clock.spend(self._intake.processed_seconds, 0.0)
            if self._listening is not None:
                self._let_through(chunk)
                self._turns.add_words(self._listening, self._listening.update())
                self._turns.decide(self._listening)

    def _let_through(self, chunk: Samples) -> None:
        """Pass the microphone's sound on, drop it, or hold it back: see Intake.

        A paused reply does not block it: if hearing lags behind the clock, the user's next words are older than the
        pause.
        """
        reply = self._turns.reply
        speaks = reply is not None and not reply.paused and reply.spoken.sounding(self._intake.processed_seconds)
        self._pass_on(self._intake.let_through(chunk, sounding=speaks))
        if reply is not None and (over := self._intake.spoken_over(chunk, reply.spoken)) is not None:
            self.interrupt(samples=over.samples)

    def _pass_on(self, parts: Iterable[Samples]) -> None:
        if self._listening is not None:
            for part in parts:
                self._listening.add_audio(part)

    def _work_through(self) -> Iterator[TurnEvent | Incident]:
        """Work until the present reply is complete."""
        turns, reply = self._turns, self._turns.reply
        while turns.events or (reply is not None and turns.reply is reply and reply.busy):
            if (event := self.work()) is not None:
                yield event

    def _tell(self) -> Iterator[TurnEvent | Incident]:
        while self._turns.events:
            yield self._turns.events.popleft()
