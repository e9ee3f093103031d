"""Methods side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.captions.published import WHISPER_STREAMING
from engine.events import SecondLookSummary
from engine.metrics import WordErrors
from engine.options import CaptionOptions
from lab.bench.captions.comparison import figures, misheard, records, rows, speed_table, work_table
from lab.bench.captions.measure import ClipResult, RoundTotals
from lab.bench.captions.methods import CaptionSetup, beside_the_ladder, ladder

STEPS = ladder(0.5, hush_word=True, earshot=CaptionOptions())
METHODS = (*STEPS, *beside_the_ladder(STEPS, "none", peer=True))
SEARCHED = RoundTotals(rounds=4, decoded_rounds=2, forwards=20, tokens=30, steps=20, candidates=100, encoder_gmacs=6.0)
PRUNED = RoundTotals(rounds=4, decoded_rounds=2, forwards=20, steps=20, pruned_steps=15, candidates=40)
VERIFIED = RoundTotals(rounds=4, decoded_rounds=2, forwards=8, tokens=30, reused_tokens=24, steps=6, candidates=30)


def result(latency: float, wrong: int, totals: RoundTotals = SEARCHED) -> ClipResult:
    errors = WordErrors(substitutions=wrong, reference_words=100)
    return ClipResult("a", "said", "heard", 10.0, errors, (latency - 0.5, latency + 0.5), totals, 4.0, 3.0)


def measured(**by_name: ClipResult) -> dict[CaptionSetup, list[ClipResult]]:
    names = {name.replace("_", "-"): found for name, found in by_name.items()}
    return {method.way: [names[method.name]] for method in METHODS if method.name in names}


FOUND = measured(
    whisper_streaming=result(2.0, 6),
    pruning=result(1.5, 5, PRUNED),
    verify=result(1.2, 5, VERIFIED),
    earshot=result(0.5, 7),
    whisper_streaming_1s=result(4.0, 8),
    whisper_streaming_natural_1s=result(2.5, 12),
    whisper_streaming_natural_best_effort=result(0.8, 12),
    faster_whisper=result(5.0, 10),
    offline=replace(result(1.0, 4), latencies=()),
    whisper_streaming_best_effort=result(1.0, 9),
    earshot_best_effort=result(0.4, 9),
    earshot_recording=result(6.0, 3),
)


def test_the_kept_text_is_counted_beside_the_live_one_with_intervals_and_its_cost() -> None:
    look = SecondLookSummary(captions=4, changed=2, drafted=80, held=60, seconds=0.5)
    kept = replace(result(0.5, 7), kept_errors=WordErrors(3, 0, 0, 100), second_look=look, look_delays=(1.0, 2.0))
    found = figures(rows(METHODS, FOUND | measured(earshot=kept)))
    assert (found["wer"], found["kept_wer"], found["careful_wer"], found["offline_wer"]) == (0.07, 0.03, 0.03, 0.04)
    for name in ("wer", "kept_wer", "careful_wer", "offline_wer"):
        assert found[f"{name}_low"] == found[name] == found[f"{name}_high"]  # of one recording
    assert (found["second_look_factor"], found["second_look_held_share"]) == (0.05, 0.75)
    assert figures(rows(METHODS, FOUND))["kept_wer"] is None


def test_the_headline_ratios_are_against_whisper_streaming_at_the_step_they_name() -> None:
    found = figures(rows(METHODS, FOUND, full_gmacs=12.0))
    assert found["latency_ratio"] == pytest.approx(0.5 / 4.0)
    assert found["latency_ratio_same_step"] == pytest.approx(0.5 / 2.0)
    assert found["latency_ratio_best_effort"] == pytest.approx(0.5 / 1.0)
    assert found["latency_ratio_both_best_effort"] == pytest.approx(0.4 / 1.0)
    assert found["latency_ratio_natural"] == pytest.approx(0.5 / 2.5)
    assert found["latency_ratio_natural_best_effort"] == pytest.approx(0.5 / 0.8)
    assert found["wer_delta_points"] == pytest.approx(3.0)
    assert found["offline_wer"] == pytest.approx(0.04)
    assert found["wer_delta_points_published"] == pytest.approx(-1.0)
    assert found["wer_delta_points_same_step"] == pytest.approx(1.0)


def test_the_work_figures_are_of_the_methods_that_they_are_about() -> None:
    found = figures(rows(METHODS, FOUND, full_gmacs=12.0))
    assert found["pruned_share"] == pytest.approx(15 / 20)
    assert found["average_beam"] == pytest.approx(40 / 20)
    assert found["forwards_per_round"] == pytest.approx(8 / 2)
    assert found["new_tokens_per_round"] == pytest.approx((30 - 24) / 2)
    assert found["encoder_gmacs_ratio"] == pytest.approx(6.0 / 2 / 12.0)


def test_the_peer_is_told_from_our_own_row_with_the_same_options() -> None:
    found = figures(rows(METHODS, FOUND))
    assert found["peer_latency_ratio"] == pytest.approx(0.5 / 5.0)
    assert (found["peer_wer"], found["peer_real_time_factor"]) == pytest.approx((0.1, 0.4))
    assert {CaptionSetup(WHISPER_STREAMING), CaptionSetup(WHISPER_STREAMING, "peer")} <= set(FOUND)


def test_a_recording_that_nobody_waits_for_has_figures_of_its_own() -> None:
    found = figures(rows(METHODS, FOUND))
    assert (found["recording_wer"], found["recording_real_time_factor"]) == pytest.approx((0.03, 0.4))


def test_a_figure_whose_method_was_not_run_is_none() -> None:
    found = figures(rows(METHODS, measured(whisper_streaming=result(2.0, 6))))
    assert set(found.values()) == {None}


def test_every_row_is_held_against_the_first_one_that_was_run() -> None:
    rungs = records(rows(METHODS, FOUND))
    assert [rung["latency_ratio"] for rung in rungs[:4]] == pytest.approx([1.0, 0.75, 0.6, 0.25])
    assert [rung["wer_delta_points"] for rung in rungs[:4]] == pytest.approx([0.0, -1.0, -1.0, 1.0])
    only = records(rows(METHODS, measured(verify=result(1.2, 5, VERIFIED), earshot=result(0.6, 7))))
    assert [rung["latency_ratio"] for rung in only] == pytest.approx([1.0, 0.5])


def test_clips_are_summed_before_anything_is_divided() -> None:
    both = {STEPS[0].way: [result(1.0, 10), result(3.0, 0)]}
    (row,) = rows(METHODS, both)
    assert row.measured.wer == pytest.approx(0.05)
    assert row.latency_seconds == pytest.approx(2.0)
    assert row.measured.totals.rounds == 8
    assert (row.measured.real_time_factor, row.measured.cpu_factor) == pytest.approx((0.4, 0.3))


def test_tables_have_a_line_for_every_method_that_was_run() -> None:
    found = rows(METHODS, FOUND, full_gmacs=12.0)
    live = [row for row in found if row.method.ear == "live"]
    assert len(live) == len(found) - 2  # the peer and what is heard as a whole do not tell of their rounds
    for text, shown in ((speed_table(found), found), (work_table(found), live)):
        lines = text.splitlines()
        assert len(lines) == 2 + len(shown)
        assert lines[2].startswith("Whisper-Streaming's way")
    assert "-1.0" in speed_table(found)
    assert "75.0%" in work_table(found)


def test_without_a_known_model_shape_no_gmacs_are_claimed() -> None:
    assert {record["encoder_gmacs_per_round"] for record in records(rows(METHODS, FOUND))} == {None}


def test_the_worst_clips_are_shown_in_words() -> None:
    assert misheard([result(1.0, 0)]) == ""
    assert misheard([result(1.0, 3)]) == "a\n  said:  said\n  heard: heard\n"
