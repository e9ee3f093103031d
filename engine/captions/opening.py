"""Open a session of captions: a recognizer for each side, one clock for all of them, a call without its echo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from engine.captions.call_echo import CallEcho
from engine.captions.session import CaptionSession
from engine.captions.sides import CALL, MICROPHONE, CaptionSides
from engine.clock import Clock, RealClock
from engine.events import FIRST_CAPTION
from engine.options import CaptionOptions

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer


def open_captions(
    make_recognizer: Callable[[CaptionOptions], Recognizer],
    options: CaptionOptions,
    speakers: Sequence[str] = ("",),
    *,
    starts: Sequence[float] = (),
    first_id: int = FIRST_CAPTION,
    clock: Clock | None = None,
    live: bool = False,
) -> CaptionSides:
    """Open a session with one side for each speaker; of two sides, the first is the microphone of a call.

    Arguments:
        starts: second of the transcript at which each side begins; 0 for all of them unless given.
        first_id: id of the first new caption; one counter numbers the captions of all sides.
        clock: the wall clock unless another is given.
        live: the audio passes by, and people read along: see CaptionSession.

    Raises:
        OptionError: the model cannot hear in this way.
    """
    if len(speakers) > 1:  # rounds of several sides fill the time that those of one would overlap in
        options = replace(options, pipeline=False)
    clock, ids, starts = clock or RealClock(), count(first_id), starts or [0.0] * len(speakers)
    sessions = [
        CaptionSession(
            make_recognizer(options), options, clock, live=live, start_seconds=start, ids=ids, speaker=speaker
        )
        for speaker, start in zip(speakers, starts, strict=True)
    ]
    echo = CallEcho(starts[CALL] - starts[MICROPHONE]) if len(sessions) > 1 else None
    return CaptionSides(sessions, echo)
