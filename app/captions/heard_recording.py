"""One recording on its way into the transcript: the engine's sessions follow each other in it, and no word is lost."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from app.captions.figures import FigureMeter, Sample
from app.captions.heard_side import HeardSide
from app.engine_link.engine_client import EngineClient
from app.transcript.caption_model import CaptionModel
from engine.audio import Samples
from engine.events import Caption, RoundStats, Shed, Side
from engine.process.messages import Progress

if TYPE_CHECKING:
    from app.sound.mixer import Mixer


class HeardRecording:
    """A recording, and how much of it has been heard.

    Attributes:
        start_seconds: where it begins in the transcript.
        sides: take what is recorded, on the threads that record.
        names: what the speakers of the sides are called, by what the engine calls them.
        meter: the figures of this recording.
    """

    def __init__(self, client: EngineClient, captions: CaptionModel, names: Sequence[str] = ("",)) -> None:
        """A recording below what the transcript holds already, with sides of these names; nothing is recorded yet."""
        start = self.start_seconds = captions.next_seconds
        self.sides = tuple(
            HeardSide(name, partial(client.send_audio, side=number), start) for number, name in enumerate(names)
        )
        self.names = {name: name for name in names}
        self.meter = FigureMeter()
        self._captions = captions
        self._open: dict[int, HeardSide] = {}  # whose the captions are that may go on, by their ids in the transcript
        self._mixer: Mixer | None = None
        self._clock_zero = math.inf  # time.monotonic() of the first sample

    @property
    def seconds(self) -> float:
        """Return how long the recording is."""
        return max(side.audio.seconds for side in self.sides)

    @property
    def heard_seconds(self) -> float:
        """Return how much of it has been heard."""
        return max(side.heard_seconds for side in self.sides)

    @property
    def speaking(self) -> bool:
        """Tell whether the newest of what has been heard is speech."""
        return any(side.speaking for side in self.sides)

    @property
    def shed(self) -> Shed:
        """Return what is left out, since the machine is too slow."""
        return max(side.shed for side in self.sides)

    @property
    def clock_seconds(self) -> float:
        """Return the second of the recording at which what is being said now will stand."""
        return time.monotonic() - self._clock_zero

    @property
    def behind_seconds(self) -> float:
        """Return how much audio is waiting for the engine."""
        return max(side.behind_seconds for side in self.sides)

    @property
    def silent_seconds(self) -> float:
        """For how long every sample has been zero; of several sides the first, the microphone, is the one that counts.

        What a computer plays is often nothing.
        """
        return self.sides[0].silent_seconds

    def give_audio_to(self, listener: Callable[[Samples], None] | None) -> None:
        """Have somebody take all samples, mixed where there are several sides, on a thread that records."""
        if listener is None or len(self.sides) == 1:
            self.sides[0].audio.listener = listener
            return
        from app.sound.mixer import Mixer

        self._mixer = Mixer(len(self.sides), listener)
        for number, side in enumerate(self.sides):
            side.audio.listener = partial(self._mixer.add, number)

    def close(self) -> None:
        """Pass no audio on any more."""
        for side in self.sides:
            side.audio.close()
        if self._mixer is not None:
            self._mixer.finish()
            self._mixer = None

    def send_again(self, open_session: Callable[[tuple[Side, ...]], None], *, shown: bool = True) -> None:
        """Pass all audio that is remembered on once more, to a session that is opened with what it should know.

        Where that is not to be `shown`, as much has been heard as before.
        """
        before = [(side.speaking, side.heard_seconds) for side in self.sides]

        def again(left: tuple[HeardSide, ...], starts: tuple[float, ...]) -> None:
            if left:
                left[0].audio.send_again(lambda start: again(left[1:], (*starts, start)))
            else:
                open_session(self.begin_session(starts))

        again(self.sides, ())
        if not shown:
            for side, (speaking, heard) in zip(self.sides, before, strict=True):
                side.speaking, side.heard_seconds = speaking, heard

    def begin_session(self, starts: Sequence[float]) -> tuple[Side, ...]:
        """Another session hears each side from a second on, and goes on with captions that are not final."""
        begun = [self._begun(side) for side in self.sides]
        self.meter.begin_session(*filter(None, begun))
        return tuple(
            side.begin_session(start, each) for side, start, each in zip(self.sides, starts, begun, strict=True)
        )

    def show(self, caption: Caption) -> list[Sample]:
        """Put a session's caption into the transcript; what its words say for certain need not be heard again."""
        side = next((side for side in self.sides if side.name == caption.speaker), self.sides[0])
        if caption.final:
            self._open.pop(caption.id, None)
        else:
            self._open[caption.id] = side
        self._captions.show(replace(caption, speaker=self.names[side.name]))
        side.take(caption)
        if caption.is_gap:
            return []
        return self.meter.add_caption(caption, self.clock_seconds + self.start_seconds)

    def count_round(self, stats: RoundStats) -> list[Sample]:
        """Take what a round cost."""
        return self.meter.add_round(stats, self.heard_seconds)

    def note_progress(self, progress: Progress) -> None:
        """The present session has come so far."""
        self.sides[progress.side].note_progress(progress)

    def note_level(self, dbfs: float, number: int) -> None:
        """A chunk of a side has just been recorded that was so loud."""
        # Chunks may come late, never early: the earliest reckoning is the truest.
        self._clock_zero = min(self._clock_zero, time.monotonic() - self.sides[number].audio.seconds)
        self.sides[number].note_level(dbfs)

    def _begun(self, side: HeardSide) -> Caption | None:
        """The newest caption of a side that is not final and has committed words; None where there is none."""
        its = (each for each in self._captions.open_captions() if self._open.get(each.id) is side)
        return next((each for each in its if each.committed), None)
