"""A caption session: audio in, captions and their translations out.

A chunk waits in the inbox and passes the voice gate, window by window, into the transcriber's buffer. When a round is
due the buffer is heard, agreement commits words, the words become caption entries, and captions are translated. With a
pipeline the next round may begin while one is still being heard; their results are shown in order. Translation and the
second look at finished captions get the time in which no round is due, one forward of a model after the other.
"""

from __future__ import annotations

import math
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from engine.audio import Samples
from engine.audio.voice_activity import END_SILENCE_SECONDS, LevelledVoice, SpeechEnded, SpeechModel, SpeechStarted
from engine.captions.foreign_speech import ForeignSpeech, Identify
from engine.captions.gated_audio import GatedAudio, GateEvent
from engine.captions.second_look import SecondLook
from engine.captions.tally import Tally
from engine.captions.timetable import Timetable
from engine.clock import Clock, RealClock
from engine.events import GAP, Caption, Incident, LoadShed, RoundStats, Shown, Summary, Word
from engine.hear.rounds.audio_span import AudioSpan
from engine.hear.rounds.entries import CaptionEntries
from engine.hear.rounds.pipeline import Pipeline, make_pipeline
from engine.hear.rounds.sentences import PAUSE_SECONDS
from engine.hear.rounds.transcriber import Round, Transcriber
from engine.options import CaptionOptions
from engine.translate.interpreter import Interpreter

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer
    from engine.speakers.live_labels import LiveLabels
    from engine.speakers.words import WordSpeakers
    from engine.translate.interpreter import CaptionTranslation
    from engine.translate.spoken import TranslationSpeaker

PRE_ROLL_SECONDS = 1.0
"""Audio kept from before speech is noticed, in seconds: the gate opens late, and models miss the first of all words."""

ONSET_SECONDS = 0.25
"""Longest time from the beginning of speech until the gate notices it, in seconds."""

SHORTEST_SECONDS = 0.1
"""Shortest audio that is worth a round, in seconds: no word is shorter."""

LEAST_GAP_SECONDS = 0.5
"""Shortest audio that is left out for lack of time, in seconds."""

KEPT_INCIDENTS = 100
"""Most incidents that wait to be reported."""


class CaptionSession:
    """Captions one stream of audio, and translates the captions on request.

    Call `add_audio` and `update` in turn and `finish` once at the end, all on one thread. With a SimulatedClock the
    committed words do not depend on the size of the chunks, as long as every round takes as long. Close a session
    that is dropped before it has finished, so that its executors leave.

    Attributes:
        clock: source of emitted_seconds; the wall clock unless another is given.
        incidents: repaired problems, newest last; whoever reports them removes them.
        on_round_done: called, on any thread, when `update` has a result to show that it did not wait for.
    """

    def __init__(
        self,
        recognizer: Recognizer,
        options: CaptionOptions,
        clock: Clock | None = None,
        *,
        voice: SpeechModel | None = None,
        pipeline: Pipeline | None = None,
        translation: CaptionTranslation | None = None,
        second_ear: Recognizer | None = None,
        labels: LiveLabels | None = None,
        end_silence_seconds: float = END_SILENCE_SECONDS,
        live: bool = False,
        start_seconds: float = 0.0,
        ids: Iterator[int] | None = None,
        speaker: str = "",
        word_speakers: WordSpeakers | None = None,
        identify: Identify | None = None,
        hears_again: bool = True,
    ) -> None:
        """Start a session.

        Arguments:
            voice: model of the voice gate; Silero unless another is given.
            pipeline: executors of overlapping rounds; those that the options ask for unless others are given.
            second_ear: hears finished captions again, in the time that is left; None lets them be.
            labels: tells the speakers of finished captions apart, in the time that is left; None does not.
            end_silence_seconds: silence after which speech is heard for the last time and all of it is committed.
            live: the audio passes by, and people read along. If there is too little time, work is shed and in the end
                audio is left out (engine.hear.rounds.load_shedding), so that captions do not fall behind.
            start_seconds: second of the transcript at which the first sample stands.
            ids: counter that numbers the captions; sessions may share one.
            speaker: name that the captions carry.
            word_speakers: knows who says each word, where the captions have several speakers.
            identify: see ForeignSpeech.
            hears_again: hear doubtful words once more before they are committed; see OtherBeginning.
        """
        self.clock: Clock = clock or RealClock()
        self._start_seconds = start_seconds
        turn_within = labels.turn_within if labels is not None else None
        self._new_entries = partial(CaptionEntries, ids, speaker, word_speakers=word_speakers, turn_within=turn_within)
        self._transcriber = Transcriber(recognizer, options, start_seconds, hears_again=hears_again)
        self._knows_words = bool(options.decode.vocabulary)
        voice = voice or LevelledVoice() if options.voice_gate else None
        self._audio = GatedAudio(voice, end_silence_seconds=end_silence_seconds, start_seconds=start_seconds)
        self._transcriber.holes.clear_between = self._audio.clear_between
        self._entries = self._new_entries()
        self._timetable = Timetable(options, live=live, start_seconds=start_seconds)
        self._tally = Tally()
        self._foreign = ForeignSpeech(recognizer.languages, identify)
        self.incidents: deque[Incident] = deque(maxlen=KEPT_INCIDENTS)
        self.on_round_done: Callable[[], None] = lambda: None
        self._interpreter = Interpreter(self.clock, self.incidents.append)
        look = None if second_ear is None else SecondLook(second_ear, self.clock, start_seconds, self.incidents.append)
        self._second_look: SecondLook | None = look
        self._labels = labels
        if labels is not None:
            labels.report = self.incidents.append
            labels.on_split = look.leave if look is not None else labels.on_split
        self._pipeline = pipeline or make_pipeline(
            options, recognizer, partial(_notify, weakref.ref(self)), self.incidents.append
        )
        self._in_flight: deque[AudioSpan] = deque()  # what the pipeline hears, oldest first
        self._interpreter.translate_with(translation)

    @property
    def audio_seconds(self) -> float:
        """Return the second of the transcript up to which audio was added."""
        return self._audio.arrived_seconds

    @property
    def speaking(self) -> bool:
        """Return whether the newest audio counts as speech; always true without a voice gate."""
        return self._audio.speaking

    @property
    def voiced_seconds(self) -> float:
        """Return the end of the newest audio that sounded like speech; without a voice gate, of all that was heard."""
        voiced = self._audio.voiced_until
        return self._audio.passed_seconds if voiced is None else voiced

    @property
    def stats(self) -> deque[RoundStats]:
        """Return the costs of the newest rounds."""
        return self._tally.stats

    @property
    def compute_seconds(self) -> float:
        """Return the computation so far, in seconds."""
        return self._tally.compute_seconds

    @property
    def latencies(self) -> Sequence[float]:
        """Return how long after its end each of the newest words was committed, in seconds."""
        return self._tally.latencies

    @property
    def pending(self) -> tuple[Word, ...]:
        """Return the words that are shown but may still change."""
        return self._transcriber.pending

    @property
    def summary(self) -> Summary:
        """Return the session's figures so far."""
        heard = self.audio_seconds - self._start_seconds
        summary = self._tally.summary(heard, self._transcriber.language, self._interpreter.summary)
        if self._labels is not None:
            summary = replace(summary, label_seconds=self._labels.seconds)
        return summary if self._second_look is None else replace(summary, second_look=self._second_look.summary)

    @property
    def shed(self) -> LoadShed:
        """Return what is left out now, since the machine is too slow."""
        return self._timetable.shed

    @property
    def translating(self) -> bool:
        """Return whether there is anything to translate now."""
        return self._interpreter.busy and not (self.shed and self.speaking)

    @property
    def has_spare_work(self) -> bool:
        """Return whether there is anything to do while no round is due: see `do_spare_work`."""
        hears_ahead = self._transcriber.hears_ahead
        return hears_ahead or self._labels_speakers or self.translating or self._looks_again

    @property
    def _labels_speakers(self) -> bool:
        """Return whether speakers are to be told apart now."""
        return self._labels is not None and not self.shed and self._labels.busy

    @property
    def _looks_again(self) -> bool:
        """Return whether a finished caption is to be heard again now: the first work that a slow machine leaves out."""
        return self._second_look is not None and not self.shed and self._second_look.busy

    def recall(self, words: Sequence[Word], begun: Caption | None = None) -> None:
        """Accept words, in order, that an earlier session committed; call it before any audio is added.

        They may stand in audio that is still to be added. The first caption goes on with `begun`, which was not final.
        """
        self._transcriber.recall(words)
        if self._second_look is not None and not self._knows_words:
            self._second_look.recall(words)
        self._entries = self._new_entries(begun=begun)

    def note_beside(self, seconds: float) -> None:
        """Count computation for another stream that is heard beside this one: rounds come as if they cost that too."""
        self._timetable.note_beside(seconds)

    def report_stages_to(self, report: Callable[[], None]) -> None:
        """Report every stage of a round, on the thread that hears: a long round then shows that it moves on."""
        self._transcriber.on_stage = report

    def translate_with(self, translation: CaptionTranslation | None, speaker: TranslationSpeaker | None = None) -> None:
        """Translate later changes with another translator, or stop translating; `speaker` speaks what is translated."""
        self._interpreter.translate_with(translation, speaker)

    def translate_also(self, captions: Iterable[Caption]) -> None:
        """Translate these final captions too, of this session or an earlier one."""
        self._interpreter.offer(captions)

    def do_spare_work(self) -> Shown | None:
        """Work for the time of one forward; return what there is to show. Call it when there is time to spare.

        Words that the next rounds will commit are heard again first. Speakers go before translations, and these before
        finished captions, unless one has waited long to be heard again.
        """
        if self._transcriber.hears_ahead:
            self._hear_ahead()
            return None
        if self._labels is not None and self._labels_speakers:
            return self._labels.step(split=not self._interpreter.active)  # a translation is of the whole
        look = self._second_look
        if look is not None and self._looks_again and (look.is_late or not self.translating):
            return self._correct(look.step())
        return self._interpreter.step()

    def _hear_ahead(self) -> None:
        """Hear words again that the next rounds will commit, for about one forward."""
        started = self.clock.timer()
        self._transcriber.hear_ahead()
        self.clock.spend_since(started)
        self._tally.compute_seconds += self.clock.timer() - started

    def add_audio(self, chunk: Samples) -> None:
        """Add samples (n,), float32 at 16 kHz, of any length; nothing is computed before `update`."""
        if not len(chunk):
            return
        self._audio.add(chunk)
        self._interpreter.add_audio(chunk, self.audio_seconds)
        self.clock.audio_arrived(self.audio_seconds)

    def update(self) -> Iterator[Shown]:
        """Hear what is due and yield what changed. Nothing happens until the iterator is used up."""
        while True:
            yield from self._show_finished_rounds()
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
        if self._second_look is not None and not self.shed:
            for caption in self._second_look.finish():
                if (better := self._correct(caption)) is not None:
                    yield better
        if self._labels is not None:
            yield from self._labels.finish(split=not self._interpreter.active)
        yield from self._interpreter.finish()
        self.close()

    def commit(self, *, ended: bool = False) -> Iterator[Shown]:
        """Hear the newest audio once more and commit all of it: the speaker, or the session, has ended."""
        yield from self.update()
        yield from self._land()
        if self.pending or self._audio.has_unheard_speech:
            yield from self._close(ended=ended)

    def wait_until(self, seconds: float) -> Iterator[Shown]:
        """Wait until it is `seconds` on the clock; meanwhile yield what `work_until` does."""
        yield from self.work_until(seconds)
        self.clock.wait_until(seconds)

    def work_until(self, seconds: float) -> Iterator[Shown]:
        """Do spare work, and yield results of rounds in flight, until it is `seconds` or nothing is left to do."""
        while self._occupied and (left := seconds - self.clock.now()) > 0:
            yield from self._work(left)

    def close(self) -> None:
        """Drop rounds in flight, translations and second looks, and release the executors."""
        self._interpreter.close()
        if self._second_look is not None:
            self._second_look.close()
        if self._pipeline is not None:
            self._pipeline.close()
            self._in_flight.clear()

    @property
    def _passed_seconds(self) -> float:
        """Return the second up to which audio went from the inbox into the buffer."""
        return self._audio.passed_seconds

    def _spoken_seconds(self) -> float:
        """Return the second up to which there is audio to be heard now."""
        return self.clock.hearing_until(self._passed_seconds, self.audio_seconds)

    def _target_seconds(self) -> float:
        """Return the second at which the next round cuts the audio off: when it is due, within the buffer's length."""
        reachable = self.clock.hearing_until(self._timetable.due_seconds, self.audio_seconds)
        return self._timetable.target(reachable, self._transcriber.buffer.start_seconds)

    def _pass_on(self) -> GateEvent:
        """Move samples from the inbox to the buffer, up to the next round or the next decision of the gate."""
        samples = self._audio.remove(self._target_seconds())
        self._transcriber.add(samples)
        if self._second_look is not None:
            self._second_look.add(samples)
        if self._labels is not None:
            self._labels.add(samples)
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
        yield from self._show_round(self._hear_alone(self._transcriber.hear), self._passed_seconds)

    def _hear_alone(self, hear: Callable[[float | None], Round]) -> Round:
        """Hear a round that nothing overlaps; charge the clock with its cost, and put the next one off as long."""
        passed = self._passed_seconds
        waiting = self._spoken_seconds() - passed
        started = self.clock.timer()
        result = hear(self._audio.voiced_until)
        seconds = self.clock.timer() - started
        self.clock.spend(passed, seconds)
        shed = self._timetable.add_round(result, passed, waiting, seconds, translates=self._interpreter.active)
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
        span = transcriber.next_span(self._audio.voiced_until, final=final)
        self._in_flight.append(span)
        self._timetable.wait_after(self._passed_seconds)
        self.clock.spend(self._passed_seconds, 0.0)
        self.clock.set_computing(True)
        pipeline.begin(lambda: transcriber.stages(span))

    def _next_landed(self) -> tuple[AudioSpan, Round] | None:
        """Return the oldest round in flight and its result, once it is done."""
        if not self._in_flight or self._pipeline is None:
            return None
        done = self._pipeline.next_done()
        self.incidents.extend(self._pipeline.incidents())
        if done is None:
            return None
        span = self._in_flight.popleft()
        self.clock.set_computing(bool(self._in_flight))
        started = self.clock.timer()
        result = self._transcriber.finish_round(span, done.hypothesis)  # may hear something again
        self.clock.spend_since(started)
        end, seconds = span.end_seconds, done.busy_seconds + self.clock.timer() - started
        shed = self._timetable.add_overlapping_round(result, end, seconds, translates=self._interpreter.active)
        self._note_round(result, end, seconds, shed)
        return span, result

    def _note_round(self, result: Round, heard_until: float, seconds: float, shed: LoadShed | None) -> None:
        """Count a round; if `shed` is given, later rounds leave that out."""
        self._tally.count(result, heard_until, seconds)
        if (foreign := self._foreign.add(result)) is not None:
            self.incidents.append(foreign)
        if shed is not None:
            self._transcriber.spare(shed)

    def _close(self, *, ended: bool = False) -> Iterator[Caption]:
        """Commit what is pending, after a last round unless the newest one has heard all the speech already."""
        yield from self._land()
        yield from self._leave_out()
        heard_all = self._audio.ends_before(self._timetable.heard_seconds)
        if heard_all or self._transcriber.buffer.seconds < SHORTEST_SECONDS:
            committed = self._transcriber.settle(self._audio.voiced_until)
        else:
            committed = self._hear_last().committed
        yield from self._show(committed, (), ended=ended, sentence_ended=True)

    def _leave_out(self) -> Iterator[Caption]:
        """Leave out audio that is too old if not all can be heard in time; a caption of its own stands for it."""
        if self.shed < LoadShed.AUDIO:
            return
        yield from self._land()
        kept, begin, end = self._timetable.kept_seconds, self._timetable.tried_seconds, self._spoken_seconds()
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
        """Begin the round that is due, once there is room; return False if the wait is better spent elsewhere."""
        yield from self._let_pass(self._passed_seconds)
        has_news = not self._in_flight or self._in_flight[-1].end_seconds < self._passed_seconds
        if has_news and pipeline.has_room:
            yield from self._leave_out()
            self._begin_round(pipeline)
            return True
        if self.clock.patience(math.inf) <= 0 and not self._audio.waiting:
            return False
        pipeline.wait(for_room=has_news)
        yield from self._show_finished_rounds()
        return True

    def _show_finished_rounds(self) -> Iterator[Caption]:
        """Show the results of the rounds that are done, in order."""
        while (landed := self._next_landed()) is not None:
            yield from self._show_round(landed[1], landed[0].end_seconds)

    @property
    def _occupied(self) -> bool:
        """Return whether anything may happen before more audio comes."""
        return self.has_spare_work or bool(self._in_flight)

    def _let_pass(self, seconds: float) -> Iterator[Shown]:
        """Let a simulated clock reach `seconds`, while anything happens before that."""
        while self._occupied and (patience := self.clock.patience(seconds)) > 0:
            yield from self._work(patience)

    def _work(self, seconds: float) -> Iterator[Shown]:
        """Do spare work for one forward, or else wait up to `seconds` for a round in flight; show what is done."""
        if self.has_spare_work:
            if (shown := self.do_spare_work()) is not None:
                yield shown
        elif self._pipeline is not None:
            self._pipeline.wait(seconds)
        yield from self._show_finished_rounds()

    def _land(self) -> Iterator[Caption]:
        """Wait for all rounds in flight and show them."""
        while self._pipeline is not None and self._in_flight:
            self._pipeline.wait()
            yield from self._show_finished_rounds()

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
        language = self._transcriber.written_language or ""
        changed = self._entries.update(
            committed, pending, ended=ended, sentence_ended=sentence_ended,
            audio_seconds=heard_until, emitted_seconds=now, language=language,
        )  # fmt: skip
        changed = [self._audio.fitted(each) for each in changed]
        self._interpreter.offer(changed)
        if self._second_look is not None:
            closed = heard_until if ended or (sentence_ended and not pending) else None
            self._second_look.offer(changed, self._transcriber.language, closed_until=closed)
        if self._labels is not None:
            self._labels.offer(changed)
        return changed

    def _correct(self, caption: Caption | None) -> Caption | None:
        """Offer a caption that has got better words for translation and its label, and return it."""
        better = () if caption is None else (self._audio.fitted(caption),)
        self._interpreter.offer(better)
        if self._labels is not None:
            self._labels.offer(better)
        return next(iter(better), None)


def _notify(session: weakref.ref[CaptionSession]) -> None:
    """Notify a session's listener that a round is done, unless the session has been dropped."""
    if (found := session()) is not None:
        found.on_round_done()
