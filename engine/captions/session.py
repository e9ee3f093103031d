"""A caption session: audio in, captions and their translations out.

The way of a chunk: it waits in the inbox, passes the voice gate window by window into the transcriber's buffer, and
when a round is due the buffer is heard, agreement commits words, the words become caption entries, and captions are
translated. With a pipeline the next round may begin while one is still being heard; what comes of them is taken in
order. Translation gets the time in which no round is due, a forward of its model at a time.
"""

from __future__ import annotations

import math
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.inbox import Inbox
from engine.audio.pauses import quietest_place
from engine.audio.voice_activity import (
    END_SILENCE_SECONDS,
    SileroVoice,
    SpeechEnded,
    SpeechModel,
    SpeechStarted,
    VoiceGate,
)
from engine.clock import Clock, RealClock, SimulatedClock
from engine.events import GAP, Caption, Incident, RoundStats, Shed, Summary, Translation, Word
from engine.hear.rounds.entries import CaptionEntries
from engine.hear.rounds.load_shedding import Load, LoadShedding
from engine.hear.rounds.schedule import RoundSchedule
from engine.hear.rounds.sentences import PAUSE_SECONDS
from engine.hear.rounds.transcriber import Round, Stretch, Transcriber
from engine.metrics import latency_of, real_time_factor
from engine.options import MAX_BUFFER_SECONDS, CaptionOptions
from engine.translate.interpreter import Interpreter

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer
    from engine.hear.rounds.pipeline import Pipeline
    from engine.translate.live import LiveTranslation

__all__ = ["CaptionSession", "Clock", "RealClock", "SimulatedClock"]

PRE_ROLL_SECONDS = 1.0
"""Audio kept from before speech is noticed: the gate opens late, and models miss words that begin at once."""

SETTLED_SECONDS = 0.2
"""A round that heard this much beyond the end of speech has heard all of it."""

ONSET_SECONDS = 0.25
"""The gate knows of speech no later than this after its beginning."""

SHORTEST_SECONDS = 0.1
"""No word is shorter: less audio than this is not worth a round."""

ROUNDS_AT_ONCE = 2
"""In a pipeline one round is encoded while another is decoded, so that each takes half of its time from the others."""

LEAST_GAP_SECONDS = 0.5
"""Less audio than this is not worth leaving out."""

KEPT_STATS = 2_000
KEPT_LATENCIES = 100_000
KEPT_INCIDENTS = 100
TRANSLATION_SHARE = 0.5
"""A translation may take half as long as the round before it, at least: on a machine where rounds fill all the time,
people would see captions alone, and their translations when everything is over."""


Shown = Caption | Translation


class CaptionSession:
    """Captions one stream of audio, and translates the captions where that is asked for.

    `add_audio` and `update` are called in turn, `finish` once at the end; all three from one thread. With a
    SimulatedClock the committed words do not depend on the size of the chunks, as long as every round takes as long.
    A session that is given up before it has finished is closed, so that its executors leave.

    Attributes:
        clock: what emitted_seconds is read from; the wall clock unless another is given.
        audio_seconds: how much audio has been handed over.
        level: root mean square of the newest chunk, 0 to 1, for a meter.
        stats: what the newest rounds cost.
        incidents: what went wrong and was made good, newest last; whoever tells people of them takes them out.
        on_round_done: called, by any thread, when `update` has something to take that it did not wait for.
    """

    def __init__(
        self,
        recognizer: Recognizer,
        options: CaptionOptions,
        clock: Clock | None = None,
        *,
        voice: SpeechModel | None = None,
        pipeline: Pipeline | None = None,
        translation: LiveTranslation | None = None,
        end_silence_seconds: float = END_SILENCE_SECONDS,
        live: bool = False,
    ) -> None:
        """Hear with a recognizer. `pipeline` is what rounds overlap in, where not the one the options ask for.

        `live` says that the audio passes by and people read along: where there is too little time, work is shed, and at
        last audio is left out (engine.hear.rounds.load_shedding), rather than that captions fall behind.

        After `end_silence_seconds` of silence what was said is heard for the last time, and all of it is committed.
        """
        self.clock: Clock = clock or RealClock()
        self.level = 0.0
        self.stats: deque[RoundStats] = deque(maxlen=KEPT_STATS)
        self._options = options
        self._transcriber = Transcriber(recognizer, options)
        self._gate: VoiceGate | None = None
        if options.voice_gate:
            self._gate = VoiceGate(voice or SileroVoice(), end_silence_seconds=end_silence_seconds)
        self._entries = CaptionEntries()
        self._inbox = Inbox()
        self._schedule = RoundSchedule(options.step_seconds, follows_cost=options.step_follows_cost)
        self._shedding = LoadShedding(has_candidates=options.decode.beam_size > 1) if live else None
        self._due_seconds = self._schedule.step_seconds
        self._heard_seconds = 0.0  # end of the audio that the last believed round heard
        self._tried_seconds = 0.0  # end of the audio that the last round heard, or that was left out
        self._rounds = 0
        self._forwards = 0
        self._tokens = 0
        self._compute_seconds = 0.0
        self._beside_seconds = 0.0  # what was computed for other streams since the last round
        self._text: list[str] = []
        self._latencies: deque[float] = deque(maxlen=KEPT_LATENCIES)
        self.incidents: deque[Incident] = deque(maxlen=KEPT_INCIDENTS)
        self.on_round_done: Callable[[], None] = _nothing
        self._in_flight: deque[Stretch] = deque()  # rounds that are being heard, oldest first
        self._pipeline = pipeline or (self._make_pipeline() if _wants_pipeline(options, recognizer) else None)
        self._interpreter = Interpreter(self.clock, self.incidents.append)
        self._interpreter.translate_with(translation)

    @property
    def audio_seconds(self) -> float:
        return self._inbox.arrived_seconds

    @property
    def speaking(self) -> bool:
        """Tell whether the newest audio is taken for speech; always so without a voice gate."""
        return self._gate is None or self._gate.speaking

    @property
    def voiced_seconds(self) -> float:
        """End of the newest audio that sounded like speech; without a voice gate, of all audio that was heard."""
        return self._passed_seconds if self._gate is None else self._gate.voiced_seconds

    @property
    def compute_seconds(self) -> float:
        """Return what has been computed so far."""
        return self._compute_seconds

    @property
    def latencies(self) -> Sequence[float]:
        """Return how long after its end each of the newest words was committed, in seconds."""
        return self._latencies

    @property
    def pending(self) -> tuple[Word, ...]:
        """Words that are shown but may still change."""
        return self._transcriber.pending

    @property
    def summary(self) -> Summary:
        """The session so far."""
        return Summary(
            text="".join(self._text).strip(),
            audio_seconds=self.audio_seconds,
            rounds=self._rounds,
            compute_seconds=self._compute_seconds,
            real_time_factor=real_time_factor(self._compute_seconds, self.audio_seconds),
            word_latency_seconds=latency_of(self._latencies),
            language=self._transcriber.language,
            translation=self._interpreter.summary,
            forwards=self._forwards,
            tokens=self._tokens,
        )

    @property
    def shed(self) -> Shed:
        """Name what is left out now, since the machine is too slow."""
        return Shed.NOTHING if self._shedding is None else self._shedding.shed

    @property
    def translating(self) -> bool:
        """Tell whether there is anything to translate now."""
        return self._interpreter.busy and not (self.shed and self.speaking)

    def recall(self, words: Sequence[Word], begun: int = 0) -> None:
        """Take these words, in order, for committed in audio that is still to be added; before any is.

        The last `begun` of them stand in a caption that was not final: it becomes the first one here.
        """
        self._transcriber.recall(words)
        self._entries = CaptionEntries(words[len(words) - begun :])

    def note_beside(self, seconds: float) -> None:
        """So much was computed for a stream that is heard beside this one: rounds come as if they cost that too."""
        self._beside_seconds += seconds

    def report_stages_to(self, report: Callable[[], None]) -> None:
        """Have every stage of a round told, so that a long one is known to get on; by the thread that hears."""
        self._transcriber.on_stage = report

    def translate_with(self, translation: LiveTranslation | None) -> None:
        """Translate what changes from now on with another translator, or no longer."""
        self._interpreter.translate_with(translation)

    def translate_also(self, captions: Iterable[Caption]) -> None:
        """Translate these captions too; they are final. Those that are not of this session have ids below 1."""
        self._interpreter.offer(captions)

    def translate(self) -> Translation | None:
        """Translate for the time of one forward; give what there is to show. For a caller with time to spare."""
        return self._interpreter.step()

    def add_audio(self, chunk: Samples) -> None:
        """Take samples (n,), float32 at 16 kHz, of any length; nothing is computed before `update`."""
        if not len(chunk):
            return
        self._inbox.add(chunk)
        self.level = float(np.sqrt(np.mean(np.square(chunk, dtype=np.float64))))
        self.clock.audio_arrived(self.audio_seconds)

    def update(self) -> Iterator[Shown]:
        """Hear what is due and yield what changed. Nothing happens unless the iterator is used up."""
        while True:
            yield from self._take_done()
            if self.speaking and self._passed_seconds >= self._target_seconds():
                if self._pipeline is None:
                    yield from self._let_pass(self._passed_seconds)
                    if self._passed_seconds >= self._target_seconds():  # else audio came while it passed
                        yield from self._hear()
                elif not (yield from self._begin(self._pipeline)):
                    return
            elif not self._inbox.waiting_seconds:
                yield from self._let_pass(self._passed_seconds)
                return
            else:
                yield from self._react(self._pass_on())

    def finish(self) -> Iterator[Shown]:
        """Hear the newest audio once more, commit all of it, make every caption final, and translate all."""
        yield from self.update()
        yield from self._land()
        if self.pending or self._gate is None or self._gate.hopeful:
            yield from self._close(ended=True)
        yield from self._show((), (), ended=True)
        yield from self._interpreter.finish()
        self.close()

    def commit(self) -> Iterator[Shown]:
        """Hear the newest audio once more and commit all of it: the speaker is known to have finished."""
        yield from self.update()
        yield from self._land()
        if self.pending or self._gate is None or self._gate.hopeful:
            yield from self._close()

    def wait_until(self, seconds: float) -> Iterator[Shown]:
        """Return when it is `seconds` on the clock; meanwhile yield what `work_until` does."""
        yield from self.work_until(seconds)
        self.clock.wait_until(seconds)

    def work_until(self, seconds: float) -> Iterator[Shown]:
        """Translate, and yield what comes of rounds in flight, until it is `seconds` or nothing is left to do."""
        while self._occupied and (left := seconds - self.clock.now()) > 0:
            yield from self._work(left)

    def close(self) -> None:
        """Drop what is in flight and what is being translated, and let the executors go."""
        self._interpreter.close()
        if self._pipeline is not None:
            self._pipeline.close()
            self._in_flight.clear()

    @property
    def _passed_seconds(self) -> float:
        """Up to which moment audio went from the inbox into the buffer."""
        return self._inbox.taken_seconds

    @property
    def _voiced_until(self) -> float | None:
        """End of the newest audio that sounded like speech; None where no gate says so."""
        return None if self._gate is None else self._gate.voiced_seconds

    def _target_seconds(self) -> float:
        """Where the next round will cut the audio off: when it is due, but while the buffer holds it all."""
        target = self.clock.hearing_until(self._due_seconds, self.audio_seconds)
        if self._shedding is not None:
            begun = max(self._tried_seconds, self._transcriber.buffer.start_seconds)
            target = min(target, begun + self._shedding.most_new_seconds)
        return min(target, self._transcriber.buffer.start_seconds + MAX_BUFFER_SECONDS)

    def _pass_on(self) -> SpeechStarted | SpeechEnded | None:
        """Move samples from the inbox to the buffer, up to the next round or the next decision of the gate."""
        most = math.inf if self._gate is None else self._gate.room
        if self.speaking:
            passed, target = (round(each * SAMPLE_RATE_HZ) for each in (self._passed_seconds, self._target_seconds()))
            most = min(most, max(1, target - passed))
        samples = self._inbox.take(most)
        assert samples is not None, "there is audio in the inbox"
        self._transcriber.add(samples)
        if self._gate is None:
            return None
        started = self.clock.timer()
        event = self._gate.add(samples)
        self._compute_seconds += self.clock.timer() - started
        return event

    def _react(self, event: SpeechStarted | SpeechEnded | None) -> Iterator[Shown]:
        if event is not None:
            yield from self._let_pass(self._passed_seconds)
        if isinstance(event, SpeechStarted):
            self._transcriber.forget_before(event.seconds - PRE_ROLL_SECONDS)
            self._beside_seconds = 0.0  # nothing waited for that
            self._due_seconds = event.seconds + self._schedule.step_seconds
        elif isinstance(event, SpeechEnded):
            yield from self._close()
        elif not self.speaking and self._gate is not None and self._gate.decided:
            self._transcriber.forget_before(self._passed_seconds - PRE_ROLL_SECONDS - ONSET_SECONDS)
            if self._entries.open_until < self._passed_seconds - PAUSE_SECONDS:
                yield from self._let_pass(self._passed_seconds)
                yield from self._show((), (), ended=True)

    def _hear(self) -> Iterator[Caption]:
        yield from self._leave_out()
        if not self.speaking:  # what was left out went on to the end of speech
            yield from self._close()
            return
        result = self._timed(lambda: self._transcriber.hear(self._voiced_until))
        yield from self._show_round(result, self._passed_seconds)

    def _close(self, *, ended: bool = False) -> Iterator[Caption]:
        """Commit what is pending, after a last round unless the newest one has heard all the speech already."""
        yield from self._land()
        yield from self._leave_out()
        voiced = self._voiced_until
        heard_all = voiced is not None and self._heard_seconds >= voiced + SETTLED_SECONDS
        if heard_all or self._transcriber.buffer.seconds < SHORTEST_SECONDS:
            committed = self._transcriber.settle(voiced)
        else:
            committed = self._last_round(voiced).committed
        yield from self._show(committed, (), ended=ended, sentence_ended=True)

    def _timed(self, work: Callable[[], Round]) -> Round:
        """Run a round, tell the clock what it took, and put the next one off as long."""
        waiting = self._spoken_seconds - self._passed_seconds
        started = self.clock.timer()
        result = work()
        seconds = self.clock.timer() - started
        self.clock.spend(self._passed_seconds, seconds)
        self._compute_seconds += seconds
        beside, self._beside_seconds = self._beside_seconds, 0.0
        self._shed_for(result, self._passed_seconds, waiting, seconds + beside)
        shares = self._interpreter.active and not self.shed
        taken = seconds * (1 + TRANSLATION_SHARE) if shares else seconds
        self._schedule.take(taken + beside)
        step = 0.0 if self.shed >= Shed.REHEARING else self._schedule.step_seconds
        self._due_seconds = self._passed_seconds + max(step, taken)
        self._count(result, self._passed_seconds)
        return result

    def _shed_for(self, result: Round, heard_until: float, waiting_seconds: float, cost_seconds: float) -> None:
        """Learn from what a round cost what there is time for."""
        if self._shedding is None:
            return
        new = min(heard_until - self._tried_seconds, result.buffer_seconds)
        load = Load(new, result.buffer_seconds, waiting_seconds, cost_seconds)
        if self._shedding.take(load, heard_until, translates=self._interpreter.active):
            self._transcriber.spare(self._shedding.shed)

    def _leave_out(self) -> Iterator[Caption]:
        """Leave out audio that is too old, where not all can be heard in time; a caption of its own stands for it."""
        if self._shedding is None or self._shedding.shed < Shed.AUDIO:
            return
        yield from self._land()
        kept = self._shedding.kept_seconds
        begin, end = self._tried_seconds, self._spoken_seconds
        if end - begin < kept + LEAST_GAP_SECONDS:
            return
        committed = self._transcriber.leave(begin)
        self._due_seconds = end
        while self._inbox.waiting_seconds and self._passed_seconds < end:
            self._pass_on()
        buffer = self._transcriber.buffer
        newest = buffer.samples[-round(kept * SAMPLE_RATE_HZ) :]
        cut = buffer.end_seconds - (len(newest) - quietest_place(newest[: len(newest) // 2])) / SAMPLE_RATE_HZ
        self._transcriber.forget_before(cut)
        self._tried_seconds = cut
        yield from self._show(committed, (), ended=True)
        yield from self._show((Word(f" {GAP}", begin, cut),), (), ended=True)

    @property
    def _spoken_seconds(self) -> float:
        """Up to which moment there is audio to be heard now."""
        return self.clock.hearing_until(self._passed_seconds, self.audio_seconds)

    def _count(self, result: Round, heard_until: float) -> None:
        self._tried_seconds = heard_until
        if result.verdict == "heard":
            self._heard_seconds = heard_until
        self._rounds += 1
        self._forwards += result.hypothesis.forwards
        self._tokens += result.hypothesis.tokens
        self.stats.append(result.stats(self._rounds, heard_until))

    # --- rounds that overlap ---

    def _make_pipeline(self) -> Pipeline | None:
        """Two executors, or a word about why there are none."""
        from engine.hear.rounds.pipeline import Pipeline, why_serial

        if reason := why_serial():
            self.incidents.append(Incident(reason))
            return None
        itself = weakref.ref(self)  # an executor shall not keep a session that has been given up

        def tell() -> None:
            if (session := itself()) is not None:
                session.on_round_done()

        return Pipeline(on_change=tell)

    def _begin(self, pipeline: Pipeline) -> Generator[Shown, None, bool]:
        """Begin the round that is due, once there is room for it; False where the wait is better spent elsewhere."""
        yield from self._let_pass(self._passed_seconds)
        nothing_new = bool(self._in_flight) and self._in_flight[-1].end_seconds >= self._passed_seconds
        if pipeline.has_room and not nothing_new:
            yield from self._leave_out()
            self._fly(pipeline)
            return True
        if self.clock.patience(math.inf) <= 0 and not self._inbox.waiting_seconds:
            return False
        pipeline.wait(for_room=not nothing_new)
        yield from self._take_done()
        return True

    def _fly(self, pipeline: Pipeline, *, final: bool = False) -> None:
        transcriber = self._transcriber
        stretch = transcriber.next_stretch(self._voiced_until, final=final)
        self._in_flight.append(stretch)
        self._due_seconds = self._passed_seconds + self._schedule.step_seconds
        self.clock.spend(self._passed_seconds, 0.0)
        self.clock.set_computing(True)
        pipeline.begin(lambda: transcriber.stages(stretch))

    def _take_done(self) -> Iterator[Caption]:
        """Take what came of the rounds that have been heard, in order, and show it."""
        while (landed := self._next_landed()) is not None:
            stretch, result = landed
            yield from self._show_round(result, stretch.end_seconds)

    def _next_landed(self) -> tuple[Stretch, Round] | None:
        """The oldest round in flight and what came of it, if it is done."""
        if not self._in_flight or self._pipeline is None:
            return None
        done = self._pipeline.next_done()
        self.incidents.extend(self._pipeline.incidents())
        if done is None:
            return None
        stretch = self._in_flight.popleft()
        self.clock.set_computing(bool(self._in_flight))
        self._compute_seconds += done.busy_seconds
        self._schedule.take(done.busy_seconds / ROUNDS_AT_ONCE)
        result = self._transcriber.take(stretch, done.hypothesis)
        self._shed_for(result, stretch.end_seconds, 0.0, done.busy_seconds)
        self._count(result, stretch.end_seconds)
        return stretch, result

    @property
    def _occupied(self) -> bool:
        """Tell whether anything may happen before more audio comes."""
        return self.translating or bool(self._pipeline and self._in_flight)

    def _let_pass(self, seconds: float) -> Iterator[Shown]:
        """Let the clock come to `seconds`, if it is one that waits, while anything happens before that."""
        while self._occupied and (patience := self.clock.patience(seconds)) > 0:
            yield from self._work(patience)

    def _work(self, seconds: float) -> Iterator[Shown]:
        """Translate one forward long, or else wait up to `seconds` for a round in flight; take what is done."""
        if self.translating:
            if (translation := self.translate()) is not None:
                yield translation
        elif self._pipeline is not None:
            self._pipeline.wait(seconds)
        yield from self._take_done()

    def _land(self) -> Iterator[Caption]:
        """Wait for all rounds in flight and take them."""
        while self._pipeline and self._in_flight:
            self._pipeline.wait()
            yield from self._take_done()

    def _last_round(self, voiced: float | None) -> Round:
        """Hear the buffer for the last time; nothing else is in flight."""
        if self._pipeline is None:
            return self._timed(lambda: self._transcriber.close(voiced))
        self._fly(self._pipeline, final=True)
        while (landed := self._next_landed()) is None:
            self._pipeline.wait()
        return landed[1]

    # --- what is shown ---

    def _show_round(self, result: Round, heard_until: float) -> list[Caption]:
        paused = not result.pending and self._entries.open_until < heard_until - PAUSE_SECONDS
        ended = paused and not result.committed
        return self._show(result.committed, result.pending, ended=ended, heard_until=heard_until)

    def _show(
        self,
        committed: Sequence[Word],
        pending: Sequence[Word],
        *,
        ended: bool = False,
        sentence_ended: bool = False,
        heard_until: float | None = None,
    ) -> list[Caption]:
        """Enter what is new, heard in audio up to a moment, and return the captions that changed."""
        heard_until = self._passed_seconds if heard_until is None else heard_until
        self.clock.spend(heard_until, 0.0)  # nothing is shown before its audio was spoken
        now = self.clock.now()
        self._latencies.extend(now - word.end for word in committed if word.text.strip() != GAP)
        self._text.extend(word.text for word in committed)
        changed = self._entries.update(
            committed,
            pending,
            ended=ended,
            sentence_ended=sentence_ended,
            audio_seconds=heard_until,
            emitted_seconds=now,
            language=self._transcriber.language or "",
        )
        self._interpreter.offer(changed)
        return changed


def _wants_pipeline(options: CaptionOptions, recognizer: Recognizer) -> bool:
    """As the options say, else as `earshot profile` found it best for this machine and model."""
    if options.pipeline is None:
        return bool(getattr(recognizer, "prefers_pipeline", False))
    return options.pipeline


def _nothing() -> None:
    """Nobody wants to be told."""
