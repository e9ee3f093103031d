"""Open a session of captions: a recognizer for each side, one clock and one counter, a call without its echo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from engine.captions.call_echo import CallEcho
from engine.captions.for_files import for_second_look
from engine.captions.session import CaptionSession
from engine.captions.sides import CALL, MICROPHONE, CaptionSides
from engine.clock import Clock, RealClock
from engine.events import FIRST_CAPTION, Side
from engine.loading.spoken_language import identify_language
from engine.options import CaptionOptions

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer
    from engine.speakers.words import WordSpeakers


def open_captions(
    make_recognizer: Callable[[CaptionOptions], Recognizer],
    options: CaptionOptions,
    sides: Sequence[Side] = (Side(),),
    *,
    first_id: int = FIRST_CAPTION,
    clock: Clock | None = None,
    live: bool = False,
    word_speakers: WordSpeakers | None = None,
) -> CaptionSides:
    """Open a session of one side, or of the two sides of a call: the microphone first.

    Arguments:
        first_id: number of the first new caption; one counter numbers the captions of all sides.
        clock: the wall clock unless another is given.
        live: the audio passes by, and people read along: see CaptionSession.
        word_speakers: knows who says each word, where one side has several speakers.

    Raises:
        OptionError: the model cannot hear in this way.
    """
    second_ear = make_recognizer(for_second_look(options)) if options.second_look else None
    if len(sides) > 1:  # rounds of several sides fill the time that those of one would overlap in
        options = replace(options, pipeline=False)
    clock, ids, sessions = clock or RealClock(), count(first_id), []
    for side in sides:
        session = CaptionSession(
            make_recognizer(options),
            options,
            clock,
            second_ear=second_ear,
            live=live,
            start_seconds=side.start_seconds,
            ids=ids,
            speaker=side.speaker,
            word_speakers=word_speakers,
            identify=identify_language,
        )
        session.recall(side.known, side.begun)
        sessions.append(session)
    starts = [side.start_seconds for side in sides]
    return CaptionSides(sessions, CallEcho(starts[CALL] - starts[MICROPHONE]) if len(sides) > 1 else None)
