"""The rounds of a session: heard one after the other, or overlapping, and counted.

Where they overlap one is encoded while another is decoded, and what comes of them is taken in order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.pauses import quietest_place
from engine.captions.gated_audio import GatedAudio
from engine.captions.tally import Tally
from engine.captions.timetable import Timetable
from engine.clock import Clock
from engine.events import GAP, Incident, Shed, Word
from engine.hear.recognizer import Recognizer
from engine.hear.rounds.transcriber import Round, Stretch, Transcriber
from engine.options import CaptionOptions
from engine.translate.interpreter import Interpreter

if TYPE_CHECKING:
    from engine.hear.rounds.pipeline import Pipeline

LEAST_GAP_SECONDS = 0.5
"""Less audio than this is not worth leaving out."""


class Rounds:
    """Rounds of a session, those that are being heard among them.

    Attributes:
        overlap: whether one may begin while another is heard.
    """

    def __init__(
        self,
        transcriber: Transcriber,
        audio: GatedAudio,
        clock: Clock,
        timetable: Timetable,
        tally: Tally,
        interpreter: Interpreter,
        incidents: deque[Incident],
        pipeline: Pipeline | None,
    ) -> None:
        """Hear with a transcriber; what an interpreter translates takes time too."""
        self.overlap = pipeline is not None
        self._transcriber, self._audio, self._clock = transcriber, audio, clock
        self._timetable, self._tally, self._incidents = timetable, tally, incidents
        self._pipeline, self._interpreter = pipeline, interpreter
        self._in_flight: deque[Stretch] = deque()  # oldest first

    def __bool__(self) -> bool:
        """Tell whether any are being heard."""
        return bool(self._in_flight)

    @property
    def has_room(self) -> bool:
        """Tell whether another may begin now, and there is new audio for it."""
        return self._has_news and self._pipeline is not None and self._pipeline.has_room

    @property
    def _has_news(self) -> bool:
        return not self._in_flight or self._in_flight[-1].end_seconds < self._audio.passed_seconds

    @property
    def spoken_seconds(self) -> float:
        """Up to which moment there is audio to be heard now."""
        return self._clock.hearing_until(self._audio.passed_seconds, self._audio.arrived_seconds)

    def hear(self, work: Callable[[], Round]) -> Round:
        """Have one heard by itself, tell the clock what it took, and put the next one off as long."""
        passed = self._audio.passed_seconds
        waiting = self.spoken_seconds - passed
        started = self._clock.timer()
        result = work()
        seconds = self._clock.timer() - started
        self._clock.spend(passed, seconds)
        self._tally.compute_seconds += seconds
        translates = self._interpreter.active
        self._spare(self._timetable.take(result, passed, waiting, seconds, translates=translates))
        self._tally.count(result, passed)
        return result

    def hear_last(self, voiced_until: float | None) -> Round:
        """Hear the buffer for the last time; nothing else is in flight."""
        if self._pipeline is None:
            return self.hear(lambda: self._transcriber.close(voiced_until))
        self.begin(final=True)
        while (landed := self.next_landed()) is None:
            self._pipeline.wait()
        return landed[1]

    def begin(self, *, final: bool = False) -> None:
        """Begin one that others may overlap."""
        assert self._pipeline is not None, "rounds do not overlap"
        transcriber, passed = self._transcriber, self._audio.passed_seconds
        stretch = transcriber.next_stretch(self._audio.voiced_until, final=final)
        self._in_flight.append(stretch)
        self._timetable.wait_after(passed)
        self._clock.spend(passed, 0.0)
        self._clock.set_computing(True)
        self._pipeline.begin(lambda: transcriber.stages(stretch))

    def next_landed(self) -> tuple[Stretch, Round] | None:
        """The oldest round in flight and what came of it, if it is done."""
        if not self._in_flight or self._pipeline is None:
            return None
        done = self._pipeline.next_done()
        self._incidents.extend(self._pipeline.incidents())
        if done is None:
            return None
        stretch = self._in_flight.popleft()
        self._clock.set_computing(bool(self._in_flight))
        self._tally.compute_seconds += done.busy_seconds
        result, end = self._transcriber.take(stretch, done.hypothesis), stretch.end_seconds
        translates = self._interpreter.active
        self._spare(self._timetable.take_overlapping(result, end, done.busy_seconds, translates=translates))
        self._tally.count(result, end)
        return stretch, result

    def leave_out(self, pass_on: Callable[[], object]) -> tuple[Sequence[Word], Word] | None:
        """Leave out audio that is too old, where there is enough of it; nothing is in flight.

        `pass_on` moves audio into the buffer. Returns what is committed before the gap, and what stands for it.
        """
        kept, begin, end = self._timetable.kept_seconds, self._timetable.tried_seconds, self.spoken_seconds
        if end - begin < kept + LEAST_GAP_SECONDS:
            return None
        committed = self._transcriber.leave(begin)
        self._timetable.due_seconds = end
        while self._audio.waiting and self._audio.passed_seconds < end:
            pass_on()
        buffer = self._transcriber.buffer
        newest = buffer.samples[-round(kept * SAMPLE_RATE_HZ) :]
        cut = buffer.end_seconds - (len(newest) - quietest_place(newest[: len(newest) // 2])) / SAMPLE_RATE_HZ
        self._transcriber.forget_before(cut)
        self._timetable.tried_seconds = cut
        return committed, Word(f" {GAP}", begin, cut)

    def wait(self, seconds: float | None = None) -> None:
        """Wait until one is done."""
        if self._pipeline is not None:
            self._pipeline.wait(seconds)

    def wait_for_room(self) -> None:
        """Wait until one is done or, where there is new audio, until another may begin."""
        if self._pipeline is not None:
            self._pipeline.wait(for_room=self._has_news)

    def close(self) -> None:
        """Drop what is in flight, and let the executors go."""
        if self._pipeline is not None:
            self._pipeline.close()
            self._in_flight.clear()

    def _spare(self, shed: Shed | None) -> None:
        """Leave out what there is no time for, where that has changed."""
        if shed is not None:
            self._transcriber.spare(shed)


def make_pipeline(
    options: CaptionOptions, recognizer: Recognizer, on_change: Callable[[], None], tell: Callable[[Incident], None]
) -> Pipeline | None:
    """Make two executors where the options, or else `earshot profile`, want them; tell why where there can be none."""
    wanted = recognizer.prefers_pipeline if options.pipeline is None else options.pipeline
    if not wanted:
        return None
    from engine.hear.rounds.pipeline import Pipeline, why_serial

    if reason := why_serial():
        tell(Incident(reason))
        return None
    return Pipeline(on_change=on_change)
