"""A spoken conversation: audio or text in, replies and their speech out.

The way of a chunk: the same hearing stages as for captions; what has been heard so far is answered ahead, again and
again (engine.anticipation); after a short silence the whole question is answered by way of trial, up to the first
sentence and its sound; after the silence that ends the turn that reply is released (engine.reply), or else it is
undone. Everything goes by turn and revision: what belongs to an older one has been given up, here as with who plays.

In one thread, most urgent first: hearing, the reply, its speech, answering ahead.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from engine.answer.predictor import Exchange, Predictor
from engine.anticipation import Anticipation
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.barge_in import BargeIn
from engine.audio.duplex import Duplex
from engine.audio.endpoint import needed_silence, soft_end
from engine.audio.inbox import Inbox
from engine.audio.voice_activity import WINDOW_SAMPLES, SpeechModel
from engine.captions import Pace
from engine.clock import Clock, RealClock
from engine.events import Incident, Word
from engine.listening import Listening
from engine.options import AssistantOptions, CaptionOptions, TurnOptions
from engine.reply import Reply, Speaker, told
from engine.speak.ahead import SpeechAhead
from engine.speak.joining import SpeechJoiner
from engine.turns import Candidate, Endpoint, Heard, Interrupted, Sentence, Speech, Turn

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer
    from engine.language_model import LanguageModel
    from engine.speak.voice import Voice

DEFAULTS = AssistantOptions()
HEARING = CaptionOptions()

Event = Heard | Candidate | Endpoint | Sentence | Speech | Interrupted | Turn | Incident


class AssistantSession:
    """One conversation. All methods are for one thread.

    `add_audio` and `update` are called in turn, and `work` while there is time to spare and it is `busy`; `finish`
    once at the end. With a SimulatedClock `update` does the work itself, in the time until the audio it is given
    would have been spoken, and what it decides does not depend on the size of the chunks.

    A Turn comes when its reply is complete, which is long before all of it has been played. It comes again where the
    reply is interrupted (with what had been said of it), where it goes on after a false alarm, and where the user
    goes on with the turn (with another reply); in the last two cases under the next revision.

    Attributes:
        clock: what all times are read from.
    """

    def __init__(
        self,
        recognizer: Recognizer | None,
        model: LanguageModel,
        voice: Voice | None,
        options: AssistantOptions = DEFAULTS,
        captions: CaptionOptions = HEARING,
        clock: Clock | None = None,
        *,
        detector: SpeechModel | None = None,
        player: bool = False,
    ) -> None:
        """Hear with a recognizer, answer with a model, speak with a voice.

        Without a recognizer turns are typed; without a voice replies are text alone. `detector` tells speech from
        silence in place of the usual one.

        `player`: somebody plays the speech, says what has been played (`played`) and when the user speaks over it
        (`interrupt`). Otherwise speech counts as played from the moment it is there, and the session itself listens
        for interruptions.
        """
        self.clock: Clock = clock or RealClock()
        self._model = model
        self._options = options.turns
        self._wanted = options  # what is to hold from the next turn on
        self._wanted_voice: tuple[Voice | None] | None = None  # the same, where it is to be another
        self._predictor = Predictor(model, options.answer)
        self._speaker = _speaker(voice)
        self._anticipation = self._anticipating()
        self._listening: Listening | None = None
        if recognizer is not None:
            self._listening = Listening(recognizer, captions, self.clock, detector, soft_end(options.turns))
        self._player = player
        self._be_interruptible(options.turns)
        self._inbox = Inbox()
        self._pressed = False  # the key, where the audio has been taken to
        self._outbox: deque[Event] = deque()
        self._incidents: set[str] = set()  # what people have been told
        self._turn, self._revision = 1, 0
        self._heard = ""  # of the present turn
        self._reply: Reply | None = None  # to the present turn: on trial, or released
        self._answered_at = -math.inf  # when it was released
        self._interrupted_at = -math.inf  # when it fell silent, by the audio

    # --- how it goes on ---

    def recall(self, turns: Iterable[Turn]) -> None:
        """Go on behind these turns, oldest first, as if they had been held here; before anything is said."""
        for turn in turns:
            self._turn = turn.turn + 1
            if turn.reply:
                self._predictor.history += (Exchange(turn.prompt, turn.reply),)

    def change(self, options: AssistantOptions) -> None:
        """Answer and take turns otherwise from the next turn on; a turn that is being spoken keeps its rules.

        How replies sound is `speak_with`'s; a `sure_silence_seconds` below the present one brings its gain only to
        another session.
        """
        self._wanted = options
        self._take_up()

    def speak_with(self, voice: Voice | None) -> None:
        """Speak replies with another voice from the next turn on, or no longer."""
        self._wanted_voice = (voice,)
        self._take_up()

    def _take_up(self) -> None:
        """Go by what was asked for, as far as nothing of the present turn is in the way."""
        if self._open and self._heard:
            return
        if self._wanted.turns != self._options:
            if self._listening is not None:
                for part in self._duplex.let_go():
                    self._listening.add_audio(part)
            self._options = self._wanted.turns
            self._be_interruptible(self._options)
        if self._reply is not None:
            return
        if self._wanted.answer != self._predictor.options:
            history = self._predictor.history
            self._predictor = Predictor(self._model, self._wanted.answer)
            self._predictor.history = history
            self._anticipation = self._anticipating()
        if self._wanted_voice is not None:
            if self._speaker is not None:
                self._speaker.ahead.close()
            self._speaker, self._wanted_voice = _speaker(*self._wanted_voice), None
            self._anticipation = self._anticipating()

    def _anticipating(self) -> Anticipation:
        return Anticipation(self._predictor, self._speaker.ahead if self._speaker else None, self.clock)

    def _be_interruptible(self, turns: TurnOptions) -> None:
        """Listen for interruptions, where there may be any and nobody else does."""
        barges_in = turns.barge_in and not turns.push_to_talk
        self._duplex = Duplex(turns.barge_in_seconds if barges_in else None)
        self._barge_in = BargeIn(turns.barge_in_seconds) if barges_in and not self._player else None

    # --- what is handed in ---

    @property
    def speaking(self) -> bool:
        """Whether the newest audio that is heard is taken for the user's speech."""
        return self._listening is not None and self._listening.speaking

    @property
    def audio_seconds(self) -> float:
        """How much audio has been handed over."""
        return self._inbox.arrived_seconds

    @property
    def busy(self) -> bool:
        """Whether `work` would do anything now."""
        return bool(self._outbox) or (self._reply is not None and self._reply.busy) or self._may_anticipate

    def add_audio(self, chunk: Samples) -> None:
        """Take samples (n,), float32 at 16 kHz, of any length; nothing is computed before `update`."""
        self._inbox.add(chunk)
        self.clock.audio_arrived(self.audio_seconds)

    def press(self) -> None:
        """The key is held from here on (push-to-talk): what follows is heard, and a reply falls silent for good."""
        if not self._key_held:
            self._inbox.mark()
            self.stop()

    def release(self) -> None:
        """The key was let go: the turn has ended here."""
        if self._key_held:
            self._inbox.mark()

    def played(self, seconds: float) -> None:
        """So much sound of the present reply has been played."""
        if self._reply is not None:
            self._reply.spoken.played(seconds, self.clock.now())

    def interrupt(self, spoken_seconds: float | None = None, samples: Samples | None = None) -> None:
        """The user speaks over the reply, of which so much was played; should nothing be heard, the reply goes on.

        `samples` (n,) is the newest sound of the microphone's with the reply taken out of it, if that is known.
        `Interrupted` is the next event; what comes of the reply after it has a higher revision.
        """
        for part in self._duplex.let_in(samples):
            if self._listening is not None:
                self._listening.add_audio(part)
        reply = self._reply
        if reply is None or not reply.interruptible(spoken_seconds):
            return
        self._outbox.append(reply.pause())
        self._interrupted_at = self._inbox.taken_seconds
        if self._is_soon(self._interrupted_at - self._options.barge_in_seconds):
            self._reopen(reply)

    def stop(self, spoken_seconds: float | None = None) -> None:
        """Give the reply up for good, as `interrupt` does for the time being."""
        reply = self._reply
        if reply is None or not (reply.paused or reply.interruptible(spoken_seconds)):
            return
        if not reply.paused:
            self._outbox.append(reply.pause())
        self._cut(reply)

    # --- what comes out ---

    def update(self) -> Iterator[Event]:
        """Hear what is due, and decide whose turn it is; yield what changed."""
        yield from self._advance()

    def work(self) -> Event | None:
        """Work for about the time of one forward: on the reply, its speech, or ahead; give what there is to show."""
        reply = self._reply
        if not self._outbox and reply is not None and reply.busy:
            self._step(reply)
        elif not self._outbox and self._may_anticipate:
            self._anticipate()
        return self._outbox.popleft() if self._outbox else None

    def work_until(self, seconds: float) -> Iterator[Event]:
        """Work until it is `seconds` on the clock, or nothing is left to do."""
        while self.busy and self.clock.now() < seconds:
            if (event := self.work()) is not None:
                yield event

    def wait_until(self, seconds: float) -> Iterator[Event]:
        """Return when it is `seconds` on the clock; meanwhile work."""
        yield from self.work_until(seconds)
        self.clock.wait_until(seconds)

    def ask(self, text: str) -> Iterator[Event]:
        """Take a typed turn, in place of one that is being spoken; yield its whole reply.

        It begins at once; who does not use up the iterator finds the rest in `work`. Text without a word is no turn.
        """
        if not _has_words(text):
            return iter(())
        self.clock.audio_arrived(self.audio_seconds)  # a clock that waits for the first sound begins now
        self.stop()
        self._next_turn()
        self._heard = text.strip()
        self._answer(self.clock.now())
        return self._work_through()

    def finish(self) -> Iterator[Event]:
        """End the audio: hear all of it, end the turn, and make its whole reply.

        Where time is simulated the audio ends in as much silence as it takes to end the turn.
        """
        self.release()
        yield from self._advance(ended=True)
        while self._patient and self._waits_for_silence:
            self.add_audio(np.zeros(WINDOW_SAMPLES, np.float32))
            yield from self._advance(ended=True)
        if self._listening is not None:
            self._take(self._listening, self._listening.commit())
            if self._open and _has_words(self._heard):
                self._end_turn(self._listening.voiced_seconds)
        if self._reply is not None and self._reply.paused:
            self._outbox.extend(self._reply.resume())
        yield from self._work_through()
        self.close()

    def restart(self) -> None:
        """Forget the conversation; turns are counted on."""
        self.stop()
        self._next_turn()
        self._predictor.restart()

    def close(self) -> None:
        """Give up all that is being made."""
        self._anticipation.stop()
        if self._reply is not None:
            self._reply.close()
        if self._listening is not None:
            self._listening.close()
        if self._speaker is not None:
            self._speaker.ahead.close()

    # --- hearing ---

    @property
    def _patient(self) -> bool:
        """Whether the clock waits for what is handed over, so that it can be taken window by window."""
        return self.clock.patience(math.inf) > 0

    @property
    def _key_held(self) -> bool:
        return self._pressed != (self._inbox.marks % 2 == 1)

    def _advance(self, *, ended: bool = False) -> Iterator[Event]:
        """Take the audio that waits; where the clock allows it, work until each window would have been spoken."""
        window = WINDOW_SAMPLES if self._patient else None
        while True:
            start = self._inbox.taken_seconds
            while self._inbox.pass_mark():
                self._turn_key()
            yield from self._tell()
            chunk = self._inbox.take(window=window, whole=not ended)
            if chunk is None:
                return
            yield from self.work_until(self._inbox.taken_seconds)
            self.clock.spend(self._inbox.taken_seconds, 0.0)
            if self._listening is not None:
                self._pass_on(self._listening, chunk, start, self._inbox.taken_seconds)
                self._take(self._listening, self._listening.update())
                self._decide(self._listening)

    def _turn_key(self) -> None:
        """The key was pressed here, or let go: then hear the end of what was said, and answer."""
        self._pressed = not self._pressed
        if not self._pressed and self._listening is not None:
            self._take(self._listening, self._listening.commit())
            if self._open and _has_words(self._heard):
                self._end_turn(self._listening.voiced_seconds)

    def _pass_on(self, listening: Listening, chunk: Samples, start: float, end: float) -> None:
        """Let the microphone be heard, or not, or later: see Duplex."""
        if self._options.push_to_talk:
            listening.add_audio(chunk if self._pressed else np.zeros_like(chunk))
            return
        reply = self._reply
        sounding = reply is not None and reply.spoken.sounding(end)
        for part in self._duplex.take(chunk, sounding=sounding):
            listening.add_audio(part)
        if self._barge_in is not None and reply is not None and self._duplex.holding:
            over = self._barge_in.add(chunk, reply.spoken.sound(start, end))
            if over is not None:
                self.interrupt(samples=over.samples)

    def _take(self, listening: Listening, words: list[Word]) -> None:
        """Take what was heard. With the first certain words behind a reply the next turn begins.

        Where nothing is lost by it words that may still change are enough.
        """
        self._outbox.extend(listening.incidents())
        reply = self._reply
        if reply is not None and reply.released:
            if words:
                self.stop()
            elif not listening.hopeful or not reply.complete or reply.paused:
                return
            self._next_turn()
        listening.keep(words)
        if listening.text != self._heard:
            self._undo_trial()
            self._show_heard(listening.text)

    def _show_heard(self, text: str) -> None:
        self._heard = text
        self._outbox.append(Heard(self._turn, self._revision, text))
        self._anticipation.offer(text)

    # --- whose turn it is ---

    @property
    def _open(self) -> bool:
        """Whether the present turn is the user's still."""
        return self._reply is None or not self._reply.released

    @property
    def _waits_for_silence(self) -> bool:
        """Whether silence would change anything: a turn is not over, or a reply may go on."""
        if self._listening is None or self._options.push_to_talk:
            return False
        paused = self._reply is not None and self._reply.paused
        return paused or (self._open and (self._listening.speaking or _has_words(self._heard)))

    def _decide(self, listening: Listening) -> None:
        """End a turn, or take back that it had ended, by silence and speech."""
        if listening.began():
            self._speech_began(listening)
        reply, silence = self._reply, listening.silence_seconds
        if listening.speaking:
            return
        if reply is not None and reply.released:
            quiet = min(silence, listening.heard_seconds - self._interrupted_at)
            if reply.paused and quiet >= self._options.silence_seconds:
                self._outbox.extend(reply.resume())
        elif _has_words(self._heard):
            if reply is None and self._predictor.options.speculate:
                reply = self._reply = self._new_reply()
                self._step(reply)  # its first forward tells how long to wait: that is not put off
            probability = reply.end_of_turn if reply is not None else None
            if silence >= needed_silence(self._options, self._heard, probability):
                self._end_turn(listening.voiced_seconds)

    def _speech_began(self, listening: Listening) -> None:
        """The user goes on: what was made on trial is undone; a turn that ended just now, or to no avail, goes on."""
        reply = self._reply
        if reply is None or not reply.released:
            self._undo_trial()
            self._anticipation.offer(self._heard)
        elif reply.paused or self._options.push_to_talk:
            return
        elif self._is_soon(listening.heard_seconds) or (reply.silent and not reply.complete):
            self._reopen(reply)

    def _is_soon(self, seconds: float) -> bool:
        """Whether speech that begins at a moment goes on with a turn that was taken for finished."""
        return seconds <= self._answered_at + self._options.reopen_seconds

    def _undo_trial(self) -> None:
        if self._reply is not None and not self._reply.released:
            self._reply.close()
            self._reply = None

    def _reopen(self, reply: Reply) -> None:
        """The turn had not ended: its reply is dropped, and what was said stays."""
        reply.withdraw()
        self._reply = None
        self._revision = reply.revision + 1
        self._show_heard(self._heard)

    def _cut(self, reply: Reply) -> None:
        """The reply has ended where it was interrupted."""
        self._outbox.append(reply.cut())
        self._answered_at = -math.inf  # it is not reopened

    def _next_turn(self) -> None:
        """Begin a turn of which nothing has been said."""
        if not self._open or self._heard:
            self._turn, self._revision = self._turn + 1, 0
        self._undo_trial()
        self._anticipation.stop()
        self._reply = None
        self._heard = ""
        if self._listening is not None:
            self._listening.next_turn()
        self._take_up()

    def _end_turn(self, speech_end: float) -> None:
        """The user has finished, having spoken until `speech_end`."""
        probability = self._reply.end_of_turn if self._reply is not None else None
        self._answer(speech_end)
        self._outbox.append(Endpoint(self._turn, self._revision, speech_end, self._answered_at, probability))

    def _answer(self, speech_end: float) -> None:
        """What was heard is the whole turn: release the reply to it."""
        self._outbox.append(Heard(self._turn, self._revision, self._heard, final=True))
        self._reply = self._reply or self._new_reply()
        self._reply.release(speech_end)
        if self._barge_in is not None:
            self._barge_in.restart()
        self._answered_at = self.clock.now()
        self._take_up()

    def _new_reply(self) -> Reply:
        self._anticipation.stop()
        return Reply(self._turn, self._revision, self._heard, self._predictor, self._speaker, self.clock)

    # --- work ---

    @property
    def _may_anticipate(self) -> bool:
        return self._reply is None and self._anticipation.busy

    def _step(self, reply: Reply) -> None:
        self._outbox.extend(event for event in reply.step() if self._is_news(event))

    def _anticipate(self) -> None:
        try:
            candidate = self._anticipation.step(self._turn, self._revision)
        except Exception as error:  # whatever a model may raise: hearing has not failed
            self._anticipation.stop()
            incident = Incident(f"The assistant could not answer ahead. {told(error)}")
            self._outbox.extend([incident] if self._is_news(incident) else [])
            return
        if candidate is not None:
            self._outbox.append(candidate)

    def _work_through(self) -> Iterator[Event]:
        """Work until the present reply is complete."""
        reply = self._reply
        while self._outbox or (reply is not None and self._reply is reply and reply.busy):
            if (event := self.work()) is not None:
                yield event

    def _tell(self) -> Iterator[Event]:
        while self._outbox:
            yield self._outbox.popleft()

    def _is_news(self, event: Event) -> bool:
        """Whether people should be told: of what went wrong once."""
        if not isinstance(event, Incident):
            return True
        new = event.message not in self._incidents
        self._incidents.add(event.message)
        return new


def converse(chunks: Iterable[Samples], session: AssistantSession, *, pace: Pace) -> Iterator[Event]:
    """Feed chunks to a session and yield its events to the end; for the paces see `caption_stream`."""
    for chunk in chunks:
        seconds = len(chunk) / SAMPLE_RATE_HZ
        if pace == "realtime":
            yield from session.wait_until(session.audio_seconds + seconds)
        session.add_audio(chunk)
        yield from session.update()
        if pace == "realtime":  # a microphone has its next chunk ready by then, and is not asked for it before
            yield from session.work_until(session.audio_seconds + seconds)
    yield from session.finish()


def _speaker(voice: Voice | None) -> Speaker | None:
    return Speaker(SpeechAhead(voice), SpeechJoiner(voice.rate_hz)) if voice is not None else None


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)
