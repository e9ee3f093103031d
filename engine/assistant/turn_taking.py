"""Turn taking: when the user has finished, what revokes that, and who falls silent for whom.

A turn is the user's until its reply is released. A reply begins on trial as soon as the user might have finished. It is
discarded if the user goes on, also shortly after its release. A reply that the user speaks over falls silent, and
resumes if nothing was said after all.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.barge_in import BARGE_IN_SECONDS
from engine.audio.endpoint import needed_silence
from engine.audio.voice_activity import WINDOW_SAMPLES
from engine.events import Incident, Word
from engine.turns import Endpoint, Heard, TurnEvent

if TYPE_CHECKING:
    from engine.assistant.question import QuestionHearing
    from engine.assistant.reply import Reply
    from engine.assistant.responder import Responder
    from engine.audio.intake import Intake
    from engine.clock import Clock
    from engine.options import TurnOptions

REOPEN_SECONDS = 0.8
"""Longest time after the end of a turn in which speech goes on with that turn, in seconds."""

NEAR_SECONDS = WINDOW_SAMPLES / SAMPLE_RATE_HZ / 2
"""Half a window: silence is measured in whole windows, and the nearest number of them ends a turn."""


class TurnTaking:
    """The present turn of a conversation and the reply to it. One thread uses it.

    Attributes:
        options: of the present turn.
        turn, revision: its numbers.
        heard: the user's words in it.
        reply: its reply, on trial or released; None before either.
        events: to be sent, oldest first; the sender removes them.
    """

    def __init__(
        self,
        options: TurnOptions,
        responder: Responder,
        intake: Intake,
        listening: QuestionHearing | None,
        clock: Clock,
    ) -> None:
        """Begin the first turn. Without `listening` turns are typed."""
        self.options = options
        self.turn, self.revision = 1, 0
        self.heard = ""
        self._spoken = True  # not typed
        self.reply: Reply | None = None
        self.events: deque[TurnEvent | Incident] = deque()
        self._incidents: set[str] = set()  # reported incidents
        self._wanted = options  # from the next turn on
        self._responder = responder
        self._intake = intake
        self._listening = listening
        self._clock = clock
        self._answered_at = -math.inf  # when the reply was released
        self._interrupted_at = -math.inf  # when it fell silent, by the audio

    @property
    def open(self) -> bool:
        """Return whether the present turn is still the user's."""
        return self.reply is None or not self.reply.released

    @property
    def waits_for_silence(self) -> bool:
        """Return whether silence would change anything: a turn is not over, or a reply may resume."""
        if self._listening is None or self.options.push_to_talk:
            return False
        paused = self.reply is not None and self.reply.paused
        return paused or (self.open and (self._listening.speaking or has_words(self.heard)))

    def begin_at(self, turn: int) -> None:
        """Set the number of the first turn; called before any speech."""
        self.turn = turn

    def want(self, options: TurnOptions) -> None:
        """Request other options from the next turn on; a turn that is being spoken keeps its rules."""
        self._wanted = options
        self.apply_requested()

    def apply_requested(self) -> None:
        """Apply requested options, unless the present turn has begun."""
        if self.open and self.heard:
            return
        if self._wanted != self.options:
            self.options = self._wanted
            for part in self._intake.change(self.options):
                if self._listening is not None:
                    self._listening.add_audio(part)
        if self.reply is None:
            self._responder.apply_requested()

    def tell(self, events: Iterable[TurnEvent | Incident]) -> None:
        """Queue events; the same incident is reported once."""
        for event in events:
            if isinstance(event, Incident):
                if event.message in self._incidents:
                    continue
                self._incidents.add(event.message)
            self.events.append(event)

    # --- input ---

    def add_words(self, listening: QuestionHearing, words: Sequence[Word]) -> None:
        """Process new words. The first committed words after a reply begin the next turn.

        Pending words are enough if nothing is lost by it.
        """
        self.tell(listening.incidents())
        reply = self.reply
        if reply is not None and reply.released:
            if words:
                self.stop()
            elif not listening.has_unheard_speech or not reply.complete or reply.paused:
                return
            self.next_turn()
        listening.keep(words)
        if listening.text != self.heard:
            self._undo_trial()
            self._show_heard(listening.text)

    def decide(self, listening: QuestionHearing) -> None:
        """End a turn, or revoke its end, by silence and speech, once all audio has been heard."""
        if listening.began():
            self._speech_began(listening)
        reply, silence = self.reply, listening.silence_seconds
        if listening.speaking:
            return
        if reply is not None and reply.released:
            quiet = min(silence, listening.heard_seconds - self._interrupted_at)
            if reply.paused and quiet >= self.options.silence_seconds:
                self.resume()
        elif has_words(self.heard):
            if reply is None and (self._responder.options.speculate or self._asks_how_long):
                reply = self.reply = self._new_reply()
                if reply.busy:
                    self.tell(reply.step())  # its first forward tells how long to wait: that is not put off
            probability = reply.end_of_turn if reply is not None else None
            if silence + NEAR_SECONDS >= needed_silence(self.options, probability):
                self._end_turn(listening.voiced_seconds)

    def end(self, listening: QuestionHearing) -> None:
        """Hear the end of the question and answer: the user is known to have finished."""
        self.add_words(listening, listening.commit())
        if self.open and has_words(self.heard):
            self._end_turn(listening.voiced_seconds)

    def ask(self, text: str) -> None:
        """Answer a typed turn, in place of one that is being spoken."""
        self.stop()
        self.next_turn()
        self.heard, self._spoken = text, False
        self._answer(self._clock.now())

    def interrupt(self, spoken_seconds: float | None, now_seconds: float) -> None:
        """Pause the reply, of which this much was played: the user speaks over it at a moment of the audio."""
        reply = self.reply
        if reply is None or not reply.interruptible(spoken_seconds):
            return
        self.tell([reply.pause()])
        self._interrupted_at = now_seconds
        if self._is_soon(now_seconds - BARGE_IN_SECONDS):
            self._reopen(reply)

    def resume(self) -> None:
        """Resume a paused reply, if there is one."""
        if self.reply is not None and self.reply.paused:
            self.tell(self.reply.resume())

    def stop(self, spoken_seconds: float | None = None) -> None:
        """Stop the reply for good."""
        reply = self.reply
        if reply is None or not (reply.paused or reply.interruptible(spoken_seconds)):
            return
        if not reply.paused:
            self.tell([reply.pause()])
        self.tell([reply.cut()])
        self._answered_at = -math.inf  # it is not reopened

    def next_turn(self) -> None:
        """Begin a turn without words."""
        if not self.open or self.heard:
            self.turn, self.revision = self.turn + 1, 0
        self._undo_trial()
        self._responder.stop_guessing()
        self.reply = None
        self.heard, self._spoken = "", True
        if self._listening is not None:
            self._listening.next_turn()
        self.apply_requested()

    # --- results ---

    def _show_heard(self, text: str) -> None:
        self.heard = text
        self.tell([Heard(self.turn, self.revision, text)])
        self.tell(self._responder.offer(self.turn, self.revision, text))

    def _speech_began(self, listening: QuestionHearing) -> None:
        """Discard a reply on trial: the user goes on. A turn that ended just now, or without effect, goes on too."""
        reply = self.reply
        if reply is None or not reply.released:
            self._undo_trial()
            self.tell(self._responder.offer(self.turn, self.revision, self.heard))
        elif reply.paused or self.options.push_to_talk:
            return
        elif self._is_soon(listening.heard_seconds) or (reply.silent and not reply.complete):
            self._reopen(reply)

    def _is_soon(self, seconds: float) -> bool:
        """Return whether speech that begins at a moment continues a turn that seemed to have ended."""
        return seconds <= self._answered_at + REOPEN_SECONDS

    def _undo_trial(self) -> None:
        if self.reply is not None and not self.reply.released:
            self.reply.close()
            self.reply = None

    def _reopen(self, reply: Reply) -> None:
        """Reopen the turn: it had not ended. Its reply is discarded, and its words stay."""
        reply.withdraw()
        self.reply = None
        self.revision = reply.revision + 1
        self._show_heard(self.heard)

    @property
    def _asks_how_long(self) -> bool:
        """Return whether the silence that ends a turn depends on the model."""
        return self.options.sure_silence_seconds < self.options.doubtful_silence_seconds

    def _end_turn(self, speech_end: float) -> None:
        """End the turn: the user has finished, having spoken until `speech_end`."""
        probability = self.reply.end_of_turn if self.reply is not None else None
        self._answer(speech_end)
        self.tell([Endpoint(self.turn, self.revision, speech_end, self._answered_at, probability)])

    def _answer(self, speech_end: float) -> None:
        """Release the reply to the whole turn."""
        self.tell([Heard(self.turn, self.revision, self.heard, final=True)])
        self.reply = self.reply or self._new_reply()
        self.reply.release(speech_end)
        self._intake.begin_reply()
        self._answered_at = self._clock.now()
        self.apply_requested()

    def _new_reply(self) -> Reply:
        return self._responder.reply(self.turn, self.revision, self.heard, spoken=self._spoken)


def has_words(text: str) -> bool:
    """Return whether a text has a word: there is no answer to a sign or an emoji alone."""
    return any(character.isalnum() for character in text)
