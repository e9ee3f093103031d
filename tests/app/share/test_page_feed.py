"""The captions as numbered changes: whoever comes late, or was away, ends with the same lines."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.share.page_feed import MOST_LINES, PageFeed
from app.transcript.caption_model import CaptionModel
from tests.app.made_captions import better, caption, split, translation


def states(events: bytes) -> list[dict[str, object]]:
    return [json.loads(each) for each in re.findall(r"^data: (.*)$", events.decode(), re.MULTILINE)]


def applied(events: bytes, before: dict[object, object] | None = None) -> dict[object, object]:
    """Return the lines of a reader who had these `before`."""
    lines = dict(before or {})
    for state in states(events):
        lines[state["id"]] = state
        if state.get("gone"):
            del lines[state["id"]]
    return lines


def test_a_line_has_what_is_certain_what_may_change_and_its_translation() -> None:
    model = CaptionModel()
    feed = PageFeed(model)
    model.show(replace(caption(1, "Good morning,", pending="every"), speaker="Anna"))
    model.translate(translation(1, "Guten Morgen", hidden=" allerseits"))
    (state,) = applied(feed.since(0)).values()
    assert state == {
        "id": 1,
        "name": "Anna",
        "language": "en",
        "said": "Good morning,",
        "open": " every",
        "final": False,
        "to": {"language": "de", "text": "Guten Morgen", "final": False},
    }


def test_a_finished_line_that_is_split_stays_whole_for_those_who_have_read_it() -> None:
    model = CaptionModel()
    feed = PageFeed(model)
    whole = caption(1, "Any questions? Yes, two.", final=True)
    for each in (whole, caption(2, "Go on.", start=5.0, final=True), *split(whole, 2, 7)):
        model.show(each)
    model.label(7, "Ben", instead_of=("",))
    assert [state["said"] for state in applied(feed.since(0)).values()] == ["Go on.", "Any questions? Yes, two."]


def test_nothing_that_was_said_before_is_passed_on() -> None:
    model = CaptionModel()
    model.show(caption(1, "This is between us.", final=True))
    feed = PageFeed(model)
    model.translate(translation(1, "Das bleibt unter uns.", final=True))
    model.name_speakers({1: "Anna"})
    assert feed.since(0) == b""
    model.show(caption(2, "Welcome.", start=5))
    assert list(applied(feed.since(0))) == [2]


def test_an_earlier_transcript_that_is_shown_again_is_not_for_others() -> None:
    model = CaptionModel()
    feed = PageFeed(model)
    model.show(caption(1, "Welcome.", final=True))
    before = applied(feed.since(0))
    model.reset_to([caption(1, "This is between us."), caption(2, "So is this.")])
    assert applied(feed.since(1), before) == applied(feed.since(0)) == {}
    model.show(caption(3, "Hello again.", start=9))
    assert list(applied(feed.since(0))) == [3]


def test_what_has_not_changed_for_a_reader_is_no_change() -> None:
    model = CaptionModel()
    feed = PageFeed(model)
    first = caption(1, "Good mourning.", final=True)
    model.show(first)
    model.show(replace(first, revision=1, emitted_seconds=9.0))
    assert feed.number == 1
    model.show(replace(better(first, "Good morning."), revision=2))
    assert feed.number == 2
    assert [each["said"] for each in states(feed.since(0))] == ["Good morning."]


def test_a_long_meeting_takes_no_more_memory_than_its_newest_lines() -> None:
    model = CaptionModel()
    feed = PageFeed(model)
    for number in range(1, MOST_LINES + 50):
        model.show(caption(number, "Hello.", start=float(number), final=True))
    assert len(states(feed.since(0))) == MOST_LINES
    assert len(feed._shown) == MOST_LINES


_STEPS = st.lists(
    st.tuples(st.integers(1, 5), st.sampled_from(["", "one", "one two", "three"]), st.booleans()), max_size=20
)


@given(_STEPS, st.lists(st.integers(0, 20), max_size=5))
def test_whenever_a_reader_is_away_it_ends_with_the_same_lines(
    steps: list[tuple[int, str, bool]], visits: list[int]
) -> None:
    model = CaptionModel()
    feed = PageFeed(model)
    lines: dict[object, object] = {}
    seen = 0
    for revision, (number, text, final) in enumerate(steps):
        model.show(caption(number, text, start=float(number), revision=revision, final=final))
        if revision in visits:
            lines, seen = applied(feed.since(seen), lines), feed.number
    assert applied(feed.since(seen), lines) == applied(feed.since(0))
    assert {each["said"] for each in applied(feed.since(0)).values()} == {  # type: ignore[index]
        each.text for each in model.captions
    }
