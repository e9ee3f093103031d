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
from functools import partial
from typing import TYPE_CHECKING

from engine.audio import Samples
from engine.audio.voice_activity import (
    END_SILENCE_SECONDS,
    LevelledVoice,
    SpeechEnded,
    SpeechModel,
    SpeechStarted,
    VoiceGate,
)
from engine.captions.gated_audio import SETTLED_SECONDS, GatedAudio, GateEvent
from engine.captions.tally import Tally
from engine.captions.timetable import Timetable
from engine.clock import Clock, RealClock, SimulatedClock
from engine.events import GAP, Caption, Incident, RoundStats, Shed, Summary, Translation, Word
from engine.hear.rounds.entries import CaptionEntries
from engine.hear.rounds.pipeline import Pipeline, make_pipeline
from engine.hear.rounds.sentences import PAUSE_SECONDS
from engine.hear.rounds.transcriber import Round, Stretch, Transcriber
from engine.options import CaptionOptions
from engine.translate.interpreter import Interpreter

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer
    from engine.translate.live import LiveTranslation

__all__ = ["CaptionSession", "Clock", "RealClock", "SimulatedClock"]

PRE_ROLL_SECONDS = 1.0
"""Audio kept from before speech is noticed: the gate opens late, and models miss words that begin at once."""

ONSET_SECONDS = 0.25
"""The gate knows of speech no later than this after its beginning."""

SHORTEST_SECONDS = 0.1
"""No word is shorter: less audio than this is not worth a round."""

LEAST_GAP_SECONDS = 0.5
"""Shortest stretch of audio that is left out for want of time, in seconds."""

KEPT_INCIDENTS = 100

Shown = Caption | Translation


class CaptionSession:
    """Captions one stream of audio, and translates the captions where that is asked for.

    `add_audio` and `update` are called in turn, `finish` once at the end; all three from one thread. With a
    SimulatedClock the committed words do not depend on the size of the chunks, as long as every round takes as long.
    A session that is given up before it has finished is closed, so that its executors leave.

    Attributes:
        clock: what emitted_seconds is read from; the wall clock unless another is given.
        audio_seconds: up to which second audio has been handed over.
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
        start_seconds: float = 0.0,
        ids: Iterator[int] | None = None,
        speaker: str = "",
    ) -> None:
        """Hear with a recognizer. `pipeline` is what rounds overlap in, where not the one the options ask for.

        The first sample stands at `start_seconds` of the transcript, and all times count from there. `ids` numbers the
        captions, those of other sessions too where it is shared; `speaker` is named in them.

        `live` says that the audio passes by and people read along: where there is too little time, work is shed, and at
        last audio is left out (engine.hear.rounds.load_shedding), rather than that captions fall behind.

        After `end_silence_seconds` of silence what was said is heard for the last time, and all of it is committed.
        """
        self.clock: Clock = clock or RealClock()
        self._start_seconds, self._ids, self._speaker = start_seconds, ids, speaker
        self._transcriber = Transcriber(recognizer, options, start_seconds)
        silence, gate = end_silence_seconds, None
        if options.voice_gate:
            gate = VoiceGate(voice or LevelledVoice(), end_silence_seconds=silence, start_seconds=start_seconds)
        self._audio = GatedAudio(gate, hears_ends_ahead=silence < SETTLED_SECONDS, start_seconds=start_seconds)
        self._entries = CaptionEntries(ids, speaker)
        self._timetable = Timetable(options, live=live, start_seconds=start_seconds)
        self._tally = Tally()
        self.incidents: deque[Incident] = deque(maxlen=KEPT_INCIDENTS)
        self.on_round_done: Callable[[], None] = _nothing
        self._interpreter = Interpreter(self.clock, self.incidents.append)
        self._pipeline = pipeline or make_pipeline(
            options, recognizer, partial(_tell, weakref.ref(self)), self.incidents.append
        )
        self._in_flight: deque[Stretch] = deque()  # what the pipeline hears, oldest first
        self._interpreter.translate_with(translation)

    @property
    def audio_seconds(self) -> float:
        return self._audio.arrived_seconds

    @property
    def level(self) -> float:
        return self._audio.level

    @property
    def speaking(self) -> bool:
        """Tell whether the newest audio is taken for speech; always so without a voice gate."""
        return self._audio.speaking

    @property
    def voiced_seconds(self) -> float:
        """End of the newest audio that sounded like speech; without a voice gate, of all audio that was heard."""
        voiced = self._audio.voiced_until
        return self._audio.passed_seconds if voiced is None else voiced

    @property
    def stats(self) -> deque[RoundStats]:
        return self._tally.stats

    @property
    def compute_seconds(self) -> float:
        """Return what has been computed so far."""
        return self._tally.compute_seconds

    @property
    def latencies(self) -> Sequence[float]:
        """Return how long after its end each of the newest words was committed, in seconds."""
        return self._tally.latencies

    @property
    def pending(self) -> tuple[Word, ...]:
        """Words that are shown but may still change."""
        return self._transcriber.pending

    @property
    def summary(self) -> Summary:
        """The session so far."""
        heard_seconds = self.audio_seconds - self._start_seconds
        return self._tally.summary(heard_seconds, self._transcriber.language, self._interpreter.summary)

    @property
    def shed(self) -> Shed:
        """Name what is left out now, since the machine is too slow."""
        return self._timetable.shed

    @property
    def translating(self) -> bool:
        """Tell whether there is anything to translate now."""
        return self._interpreter.busy and not (self.shed and self.speaking)

    def recall(self, words: Sequence[Word], begun: Caption | None = None) -> None:
        """Accept words, in order, that an earlier session committed; called before any audio is added.

        The words may stand in audio that is still to be added. `begun` is the caption that holds the last of them and
        was not final: the first one here goes on with it.
        """
        self._transcriber.recall(words)
        self._entries = CaptionEntries(self._ids, self._speaker, begun)

    def note_beside(self, seconds: float) -> None:
        """So much was computed for a stream that is heard beside this one: rounds come as if they cost that too."""
        self._timetable.note_beside(seconds)

    def report_stages_to(self, report: Callable[[], None]) -> None:
        """Have every stage of a round told, so that a long one is known to get on; by the thread that hears."""
        self._transcriber.on_stage = report

    def translate_with(self, translation: LiveTranslation | None) -> None:
        """Translate what changes from now on with another translator, or no longer."""
        self._interpreter.translate_with(translation)

    def translate_also(self, captions: Iterable[Caption]) -> None:
        """Translate these final captions too, of this session or an earlier one."""
        self._interpreter.offer(captions)

    def translate(self) -> Translation | None:
        """Translate for the time of one forward; give what there is to show. For a caller with time to spare."""
        return self._interpreter.step()

    def add_audio(self, chunk: Samples) -> None:
        """Take samples (n,), float32 at 16 kHz, of any length; nothing is computed before `update`."""
        if not len(chunk):
            return
        self._audio.add(chunk)
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
            elif not self._audio.waiting:
                yield from self._let_pass(self._passed_seconds)
                return
            else:
                yield from self._react(self._pass_on())

    def finish(self) -> Iterator[Shown]:
        """Hear the newest audio once more, commit all of it, make every caption final, and translate all."""
        yield from self.commit(ended=True)
        yield from self._show((), (), ended=True)
        yield from self._interpreter.finish()
        self.close()

    def commit(self, *, ended: bool = False) -> Iterator[Shown]:
        """Hear the newest audio once more and commit all of it: the speaker, or all, is known to have ended."""
        yield from self.update()
        yield from self._land()
        if self.pending or self._audio.has_unheard_speech:
            yield from self._close(ended=ended)

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
        return self._audio.passed_seconds

    @property
    def _spoken_seconds(self) -> float:
        """Up to which moment there is audio to be heard now."""
        return self.clock.hearing_until(self._passed_seconds, self.audio_seconds)

    def _target_seconds(self) -> float:
        """Where the next round will cut the audio off: when it is due, but while the buffer holds it all."""
        reachable = self.clock.hearing_until(self._timetable.due_seconds, self.audio_seconds)
        return self._timetable.target(reachable, self._transcriber.buffer.start_seconds)

    def _pass_on(self) -> GateEvent:
        """Move samples from the inbox to the buffer, up to the next round or the next decision of the gate."""
        samples = self._audio.take(self._target_seconds())
        self._transcriber.add(samples)
        started = self.clock.timer()
        event = self._audio.judge(samples)
        self._tally.compute_seconds += self.clock.timer() - started
        return event

    def _react(self, event: GateEvent) -> Iterator[Shown]:
        if event is not None:
            yield from self._let_pass(self._passed_seconds)
        if isinstance(event, SpeechStarted):
            self._transcriber.begin_speech(event.seconds, PRE_ROLL_SECONDS)
            self._timetable.begin(event.seconds)
        elif isinstance(event, SpeechEnded):
            yield from self._close()
        elif self._audio.fades_behind(self._timetable.tried_seconds) and self._pipeline is None:
            yield from self._let_pass(self._passed_seconds)
            yield from self._hear()
        elif self._audio.is_silent:
            self._transcriber.forget_before(self._passed_seconds - PRE_ROLL_SECONDS - ONSET_SECONDS)
            if self._entries.open_until < self._passed_seconds - PAUSE_SECONDS:
                yield from self._let_pass(self._passed_seconds)
                yield from self._show((), (), ended=True)

    def _hear(self) -> Iterator[Caption]:
        yield from self._leave_out()
        if not self.speaking:  # what was left out went on to the end of speech
            yield from self._close()
            return
        result = self._hear_alone(self._transcriber.hear)
        yield from self._show_round(result, self._passed_seconds)

    def _hear_alone(self, hear: Callable[[float | None], Round]) -> Round:
        """Hear a round that nothing overlaps; tell the clock what it took, and put the next one off as long."""
        passed = self._passed_seconds
        waiting = self._spoken_seconds - passed
        started = self.clock.timer()
        result = hear(self._audio.voiced_until)
        seconds = self.clock.timer() - started
        self.clock.spend(passed, seconds)
        shed = self._timetable.take(result, passed, waiting, seconds, translates=self._interpreter.active)
        self._note_round(result, passed, seconds, shed)
        return result

    def _hear_last(self) -> Round:
        """Hear the buffer for the last time; no round is in flight."""
        if self._pipeline is None:
            return self._hear_alone(self._transcriber.close)
        self._begin_round(self._pipeline, final=True)
        while (landed := self._next_landed()) is None:
            self._pipeline.wait()
        return landed[1]

    def _begin_round(self, pipeline: Pipeline, *, final: bool = False) -> None:
        """Begin a round that others may overlap."""
        transcriber = self._transcriber
        stretch = transcriber.next_stretch(self._audio.voiced_until, final=final)
        self._in_flight.append(stretch)
        self._timetable.wait_after(self._passed_seconds)
        self.clock.spend(self._passed_seconds, 0.0)
        self.clock.set_computing(True)
        pipeline.begin(lambda: transcriber.stages(stretch))

    def _next_landed(self) -> tuple[Stretch, Round] | None:
        """Return the oldest round in flight and its result, once it is done."""
        if not self._in_flight or self._pipeline is None:
            return None
        done = self._pipeline.next_done()
        self.incidents.extend(self._pipeline.incidents())
        if done is None:
            return None
        stretch = self._in_flight.popleft()
        self.clock.set_computing(bool(self._in_flight))
        result, end, seconds = self._transcriber.take(stretch, done.hypothesis), stretch.end_seconds, done.busy_seconds
        shed = self._timetable.take_overlapping(result, end, seconds, translates=self._interpreter.active)
        self._note_round(result, end, seconds, shed)
        return stretch, result

    def _note_round(self, result: Round, heard_until: float, seconds: float, shed: Shed | None) -> None:
        """Count a round, and from the next one on leave out what there is no time for, where that has changed."""
        self._tally.count(result, heard_until, seconds)
        if shed is not None:
            self._transcriber.spare(shed)

    def _close(self, *, ended: bool = False) -> Iterator[Caption]:
        """Commit what is pending, after a last round unless the newest one has heard all the speech already."""
        yield from self._land()
        yield from self._leave_out()
        voiced = self._audio.voiced_until
        heard_all = self._audio.ends_before(self._timetable.heard_seconds)
        if heard_all or self._transcriber.buffer.seconds < SHORTEST_SECONDS:
            committed = self._transcriber.settle(voiced)
        else:
            committed = self._hear_last().committed
        yield from self._show(committed, (), ended=ended, sentence_ended=True)

    def _leave_out(self) -> Iterator[Caption]:
        """Leave out audio that is too old, where not all can be heard in time; a caption of its own stands for it."""
        if self.shed < Shed.AUDIO:
            return
        yield from self._land()
        kept, begin, end = self._timetable.kept_seconds, self._timetable.tried_seconds, self._spoken_seconds
        if end - begin < kept + LEAST_GAP_SECONDS:
            return
        committed = self._transcriber.leave(begin)
        self._timetable.due_seconds = end
        while self._audio.waiting and self._passed_seconds < end:
            self._pass_on()
        cut = self._timetable.tried_seconds = self._transcriber.keep_newest(kept)
        yield from self._show(committed, (), ended=True)
        yield from self._show((Word(f" {GAP}", begin, cut),), (), ended=True)

    def _begin(self, pipeline: Pipeline) -> Generator[Shown, None, bool]:
        """Begin the round that is due, once there is room for it; False where the wait is better spent elsewhere."""
        yield from self._let_pass(self._passed_seconds)
        has_news = not self._in_flight or self._in_flight[-1].end_seconds < self._passed_seconds
        if has_news and pipeline.has_room:
            yield from self._leave_out()
            self._begin_round(pipeline)
            return True
        if self.clock.patience(math.inf) <= 0 and not self._audio.waiting:
            return False
        pipeline.wait(for_room=has_news)
        yield from self._take_done()
        return True

    def _take_done(self) -> Iterator[Caption]:
        """Take what came of the rounds that have been heard, in order, and show it."""
        while (landed := self._next_landed()) is not None:
            stretch, result = landed
            yield from self._show_round(result, stretch.end_seconds)

    @property
    def _occupied(self) -> bool:
        """Tell whether anything may happen before more audio comes."""
        return self.translating or bool(self._in_flight)

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
        while self._pipeline is not None and self._in_flight:
            self._pipeline.wait()
            yield from self._take_done()

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
        self._tally.commit(committed, now)
        changed = self._entries.update(
            committed,
            pending,
            ended=ended,
            sentence_ended=sentence_ended,
            audio_seconds=heard_until,
            emitted_seconds=now,
            language=self._transcriber.written_language or "",
        )
        self._interpreter.offer(changed)
        return changed


def _tell(session: weakref.ref[CaptionSession]) -> None:
    """Tell of a round that is done, unless the session has been given up."""
    if (found := session()) is not None:
        found.on_round_done()


def _nothing() -> None:
    """Nobody wants to be told."""
