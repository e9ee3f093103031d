"""A session of captions is opened alike for the engine process, for files and for the command line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.audio.feed import feed
from engine.captions import opening
from engine.captions.opening import open_captions
from engine.captions.sides import CaptionSides
from engine.clock import SimulatedClock
from engine.events import Caption, Side, Word
from engine.hear.rounds import pipeline
from engine.options import CaptionOptions
from tests.app.scripted_models import Unchanged
from tests.hear.planted import PlantedRecognizer, numbered, plant
from tests.hear.staged import StagedRecognizer

OPTIONS = CaptionOptions(language="en", voice_gate=False, second_look=False)
CALL = (Side("You"), Side("Call"))


def words(text: str) -> list[Word]:
    return numbered([(0.5 + 0.4 * i, 0.8 + 0.4 * i) for i in range(4)], text)


def heard(session: CaptionSides, *streams: np.ndarray) -> dict[int, Caption]:
    """Return the newest revision of every caption, by its id."""
    places = range(0, len(streams[0]), 1600)
    chunks = [(side, stream[at : at + 1600]) for at in places for side, stream in enumerate(streams)]
    fed = feed(chunks, session, pace="fast", sides=len(streams))
    return {each.id: each for each in fed if isinstance(each, Caption)}


@pytest.mark.parametrize(("sides", "overlap"), [((Side(),), True), (CALL, False)])
def test_rounds_overlap_on_one_side_alone(
    monkeypatch: pytest.MonkeyPatch, sides: tuple[Side, ...], overlap: bool
) -> None:
    monkeypatch.setattr(pipeline, "usable_cores", lambda: 2)
    options = replace(OPTIONS, pipeline=True)
    session = open_captions(lambda _: StagedRecognizer(words("w{}")), options, sides, clock=SimulatedClock())
    assert [each._pipeline is not None for each in session._sessions] == [overlap] * len(sides)
    session.close()


def test_each_side_has_a_recognizer_and_a_name_and_they_share_the_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "CallEcho", Unchanged)
    said = [words("a{}"), words("b{}")]
    coming = iter([PlantedRecognizer(each) for each in said])
    session = open_captions(lambda _: next(coming), OPTIONS, CALL, first_id=5, clock=SimulatedClock())
    captions = heard(session, *(plant(each, 4.0) for each in said))
    assert {each.speaker: each.text for each in captions.values()} == {"You": "a1 a2 a3 a4", "Call": "b1 b2 b3 b4"}
    assert set(captions) == {5, 6}


def test_a_side_goes_on_with_the_caption_and_at_the_time_that_it_is_given() -> None:
    said = words("a{}")
    start, known = 100.0, [word.delayed(100.0) for word in said[:2]]
    begun = Caption(3, 7, known[0].start, known[-1].end, tuple(known), (), False, 101.3, 101.3)
    session = open_captions(
        lambda _: PlantedRecognizer([word.delayed(start) for word in said]),
        OPTIONS,
        (Side("", start, tuple(known), begun),),
        first_id=4,
        clock=SimulatedClock(),
    )
    captions = heard(session, plant(said, 4.0))
    assert list(captions) == [3]
    assert (captions[3].text, captions[3].final) == ("a1 a2 a3 a4", True)
    assert captions[3].revision > 7
    assert captions[3].end == pytest.approx(start + said[-1].end, abs=0.05)
