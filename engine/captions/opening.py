"""Open a session of captions: a recognizer for each side, one clock for all of them, a call without its echo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.captions.call_echo import CallEcho
from engine.captions.session import CaptionSession
from engine.captions.sides import CaptionSides
from engine.clock import Clock, RealClock
from engine.options import CaptionOptions

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer


def open_captions(
    make_recognizer: Callable[[CaptionOptions], Recognizer],
    options: CaptionOptions,
    speakers: Sequence[str] = ("",),
    *,
    clock: Clock | None = None,
    live: bool = False,
) -> CaptionSides:
    """Open a session with one side for each speaker; of two sides, the first is the microphone of a call.

    Arguments:
        clock: the wall clock unless another is given.
        live: the audio passes by, and people read along: see CaptionSession.

    Raises:
        OptionError: the model cannot hear in this way.
    """
    if len(speakers) > 1:  # rounds of several sides fill the time that those of one would overlap in
        options = replace(options, pipeline=False)
    clock = clock or RealClock()
    sessions = [CaptionSession(make_recognizer(options), options, clock, live=live) for _ in speakers]
    return CaptionSides(sessions, speakers, CallEcho() if len(speakers) > 1 else None)
