"""Open a session of captions: a recognizer for each side, one clock and one counter, a call without its echo."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from engine.captions.call_echo import CallEcho
from engine.captions.second_ear import make_second_ear
from engine.captions.session import CaptionSession
from engine.captions.sides import CALL, MICROPHONE, CaptionSides
from engine.clock import Clock, RealClock
from engine.errors import ModelError
from engine.events import FIRST_CAPTION, Incident, Side
from engine.loading.spoken_language import identify_language
from engine.options import CaptionOptions

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer
    from engine.speakers.live_labels import LiveLabels
    from engine.speakers.local_speakers import LocalSpeakers
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
    second_ear, without_model = make_second_ear(make_recognizer, options)
    networks, without_labels = _speaker_networks() if options.speakers and word_speakers is None else (None, "")
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
            labels=_labels(networks, clock, side, ids) if networks is not None else None,
            word_speakers=word_speakers,
            identify=identify_language,
        )
        session.recall(side.known, side.begun)
        sessions.append(session)
    if without_labels:
        sessions[0].incidents.append(Incident(f"Speakers are not told apart: {without_labels}"))
    if without_model:
        sessions[0].incidents.append(Incident(f"Lines are corrected with the model that hears live: {without_model}"))
    starts = [side.start_seconds for side in sides]
    return CaptionSides(sessions, CallEcho(starts[CALL] - starts[MICROPHONE]) if len(sides) > 1 else None)


def _speaker_networks() -> tuple[LocalSpeakers | None, str]:
    """Load what tells speakers apart; if that fails return why, in a sentence."""
    from engine.speakers.local_speakers import LocalSpeakers

    try:
        return LocalSpeakers(), ""
    except ModelError as error:
        return None, str(error)


def _labels(networks: LocalSpeakers, clock: Clock, side: Side, ids: Iterator[int]) -> LiveLabels:
    from engine.speakers.live_labels import LiveLabels

    return LiveLabels(networks, clock, side.start_seconds, name=side.name_of_voice, known=side.voices, ids=ids)
