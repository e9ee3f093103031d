"""The methods that are compared."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import pairwise

import pytest

from engine.captions.for_files import for_files
from engine.errors import OptionError
from engine.hear.decode.pruning import PUBLISHED
from engine.options import MIN_STEP_SECONDS, CaptionOptions
from lab.bench.captions.comparison import CaptionRow
from lab.bench.captions.measure import MeasuredCaptions, RoundTotals
from lab.bench.captions.methods import (
    ALIGNATT,
    BASELINE,
    BEST_EFFORT_BASELINE,
    BEST_EFFORT_EARSHOT,
    BEST_EFFORT_NATURAL,
    CURVE_STEPS_SECONDS,
    EARSHOT,
    FIXED_EARSHOT,
    HUSH,
    HUSH_ALONE,
    LADDER,
    NATURAL_BASELINE,
    OFFLINE,
    PEER,
    PEER_BEST_EFFORT,
    PIPELINE,
    PUBLISHED_BASELINE,
    PUBLISHED_PRUNING,
    QUICK,
    RECORDING,
    Method,
    beside_the_ladder,
    curve,
    ladder,
    quick,
)
from lab.bench.side_by_side import choose

OURS = CaptionOptions(buffer_seconds=9)


@pytest.fixture
def steps() -> tuple[Method, ...]:
    return ladder(0.5, hush_word=True, earshot=OURS)


def flat(options: CaptionOptions) -> dict[str, object]:
    fields = asdict(options)
    return fields | {f"decode.{name}": value for name, value in fields.pop("decode").items()}


def changed(first: CaptionOptions, second: CaptionOptions) -> dict[str, object]:
    before, after = flat(first), flat(second)
    return {name: after[name] for name in before if before[name] != after[name] and name != "decode"}


def test_each_rung_adds_one_thing_to_the_one_before(steps: tuple[Method, ...]) -> None:
    assert tuple(method.name for method in steps) == LADDER
    added = [changed(a.options, b.options) for a, b in pairwise(steps[:-1])]
    assert added == [
        {"padding": "hush"},
        {"decode.reuse": "prune"},
        {"pipeline": True},
        {"decode.reuse": "verify"},
        {"policy": "alignatt"},
    ]


def test_the_first_rung_is_whisper_streaming_as_published_but_for_the_step(steps: tuple[Method, ...]) -> None:
    first = steps[0].options
    assert (first.padding, first.decode.beam_size, first.decode.reuse) == ("full", 5, "none")
    assert (first.policy, first.agreement, first.pipeline) == ("local-agreement", 2, False)
    assert first.buffer_seconds == 15.0 and not first.step_follows_cost
    beside = {method.name: method.options for method in beside_the_ladder(steps)}
    assert changed(first, beside[PUBLISHED_BASELINE]) == {"step_seconds": 1.0}


def test_the_ladder_is_at_one_step_and_ends_with_earshots_own_options() -> None:
    steps = ladder(0.8, hush_word=True, earshot=OURS)
    assert {method.step_seconds for method in steps[:-1]} == {0.8}
    assert steps[-1].options == OURS
    fixed = next(method for method in beside_the_ladder(steps) if method.name == FIXED_EARSHOT)
    assert fixed.options == replace(OURS, step_seconds=0.8, step_follows_cost=False)


def test_a_step_that_follows_what_rounds_cost_is_known_when_they_were_measured() -> None:
    followed = Method("earshot", "Earshot's", CaptionOptions())
    assert followed.step_seconds is None
    measured = MeasuredCaptions(1, 0.0, None, RoundTotals(rounds=40), 10.0, 0.4, 0.4)
    assert CaptionRow(followed, measured).step_seconds == 0.25
    fixed = replace(followed, options=replace(CaptionOptions(), step_follows_cost=False))
    assert CaptionRow(fixed, measured).step_seconds == CaptionOptions().step_seconds
    assert CaptionRow(replace(followed, ear="whole"), measured).step_seconds is None


def test_only_the_default_is_called_so() -> None:
    chosen = replace(OURS, decode=replace(OURS.decode, beam_size=5))
    padded = replace(OURS, padding="full")
    default = CaptionOptions()
    titles = [ladder(0.5, hush_word=True, earshot=options)[-1].title for options in (default, chosen, padded)]
    assert titles == ["Earshot's default", *["Earshot's, as asked for"] * 2]


def test_a_model_without_a_hush_word_is_not_said_to_have_one() -> None:
    titles = [method.title for method in ladder(0.5, hush_word=False, earshot=OURS)]
    assert not any(title == "+ hush word" for title in titles)
    assert "no hush word" in titles[1]
    assert {method.options.padding for method in ladder(0.5, hush_word=False, earshot=OURS)} == {"full", None}


def test_a_ladder_without_overlap_has_no_pipeline() -> None:
    rows = ladder(0.5, hush_word=True, earshot=OURS, overlap=False)
    assert [method.name for method in rows] == [name for name in LADDER if name != PIPELINE]
    assert not any(method.options.pipeline for method in rows[:-1])


def test_what_is_beside_the_ladder_differs_in_what_its_name_says(steps: tuple[Method, ...]) -> None:
    by_name = {method.name: method.options for method in (*steps, *beside_the_ladder(steps))}
    assert changed(by_name[BASELINE], by_name[BEST_EFFORT_BASELINE]) == {"step_seconds": MIN_STEP_SECONDS}
    assert changed(by_name[FIXED_EARSHOT], by_name[BEST_EFFORT_EARSHOT]) == {"step_seconds": MIN_STEP_SECONDS}
    whole = {method.name: method for method in beside_the_ladder(steps, "none")}
    natural = {PUBLISHED_BASELINE: NATURAL_BASELINE, BEST_EFFORT_BASELINE: BEST_EFFORT_NATURAL}
    for padded, short in natural.items():
        assert changed(whole[padded].options, whole[short].options) == {"padding": "none"}
    assert whole[OFFLINE].step_seconds is None
    assert by_name["pruning"] == by_name[PUBLISHED_PRUNING]
    assert {each.name for each in whole.values() if each.pruning == PUBLISHED} == {PUBLISHED_PRUNING}
    assert not any(each.pruning == PUBLISHED for each in steps)


def test_the_hush_word_alone_is_a_row_where_there_is_one(steps: tuple[Method, ...]) -> None:
    by_name = {method.name: method for method in (*steps, *beside_the_ladder(steps))}
    assert by_name[HUSH_ALONE].way == replace(by_name[HUSH].way, kept=False)
    bare = ladder(0.5, hush_word=False, earshot=OURS)
    assert HUSH_ALONE not in {method.name for method in beside_the_ladder(bare)}


def test_a_recording_is_heard_as_caption_careful_hears_it(steps: tuple[Method, ...]) -> None:
    recording = next(method for method in beside_the_ladder(steps) if method.name == RECORDING)
    assert recording.options == for_files(OURS) != OURS


def test_natural_lengths_that_are_the_full_window_are_heard_once(steps: tuple[Method, ...]) -> None:
    by_name = {method.name: method for method in beside_the_ladder(steps, "full")}
    assert by_name[NATURAL_BASELINE].way == by_name[PUBLISHED_BASELINE].way


def test_the_peer_differs_in_what_hears_alone(steps: tuple[Method, ...]) -> None:
    by_name = {method.name: method for method in beside_the_ladder(steps, peer=True)}
    peer, published = by_name[PEER], by_name[PUBLISHED_BASELINE]
    assert peer.options == published.options and peer.way != published.way
    fastest = by_name[PEER_BEST_EFFORT]
    assert fastest.ear == "peer" and changed(peer.options, fastest.options) == {"step_seconds": MIN_STEP_SECONDS}
    assert PEER not in [method.name for method in beside_the_ladder(steps)]


def test_a_quick_run_has_what_the_headline_needs_and_begins_with_what_it_is_held_against(
    steps: tuple[Method, ...],
) -> None:
    known = (*steps, *beside_the_ladder(steps, peer=True))
    assert [method.name for method in quick(known)] == list(QUICK)
    assert QUICK[0] == PUBLISHED_BASELINE and EARSHOT in QUICK
    without = (*steps, *beside_the_ladder(steps))
    assert [method.name for method in quick(without)] == [name for name in QUICK if name != PEER]


def test_the_curve_has_both_ends_and_the_peer_at_every_step(steps: tuple[Method, ...]) -> None:
    points = curve((*steps, *beside_the_ladder(steps, peer=True)))
    assert [p.options.step_seconds for p in points] == 3 * [*CURVE_STEPS_SECONDS]
    assert len({p.name for p in points}) == len(points)
    assert steps[0].options in [p.options for p in points]
    assert [p.name for p in points if p.ear == "peer"] == [f"{PEER}@{step:g}" for step in CURVE_STEPS_SECONDS]
    assert len(curve(steps)) == 2 * len(CURVE_STEPS_SECONDS)
    assert [p.options.step_seconds for p in curve(steps, (0.5, 2.0))] == [0.5, 2.0, 0.5, 2.0]


def test_names_choose_methods_in_their_own_order(steps: tuple[Method, ...]) -> None:
    assert [method.name for method in choose(steps, f"{EARSHOT}, {BASELINE}")] == [BASELINE, EARSHOT]
    assert choose(steps, "") == steps
    with pytest.raises(OptionError, match=rf"--methods must be of {BASELINE}, .*{ALIGNATT}.*, not 'hash'"):
        choose(steps, "hash")
