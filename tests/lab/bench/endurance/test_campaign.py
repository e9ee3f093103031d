"""The whole app on trial: its faults are counted, and so is what they cost."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.history.kept.schema import FILE_NAME
from app.history.store import HistoryStore
from app.terminal.cli import main
from engine.events import GAP, Caption, Word
from engine.models.catalogue import catalogue
from lab.commands.endurance import chaos, soak
from lab.commands.endurance.campaign import Tally, Told, Trials
from lab.commands.endurance.chaos import KINDS, left_out
from lab.commands.endurance.trial import Plan
from lab.commands.endurance.words import Difference

NEW_KINDS = ("model deleted", "disk read-only", "clock forward", "clock back")


@pytest.fixture
def starter() -> None:
    if any(catalogue()[name].local_folder() is None for name in ("starter", "starter-language", "starter-assistant")):
        pytest.skip("the starter models are not in this checkout")


@pytest.mark.usefixtures("starter")
def test_after_faults_in_and_around_the_app_no_word_is_lost(tmp_path: Path) -> None:
    trials = Trials(tmp_path, lambda line: None)
    names = ("engine killed", "disk full", "recording ended")
    plan = Plan(folder="", manifest="", seconds=3600.0, speed=1.5, faults=3, names=names, seed=4, translates="")
    trials.run(plan, outside="app killed", random=Random(1))
    trials.run(
        Plan(folder="", manifest="", seconds=3600.0, speed=1.5, faults=1, names=("history held",), translates="")
    )
    tally = trials.tally
    assert len(tally.faults) == 5
    assert "app killed" in tally.faults
    assert (tally.problems, tally.crashes, tally.orphans) == ([], 0, 0)
    assert tally.words > 10
    assert (tally.kept.lost, tally.kept.doubled) == (0, 0)


@pytest.mark.usefixtures("starter")
def test_a_deleted_model_a_read_only_disk_and_a_clock_that_jumps_cost_no_word(tmp_path: Path) -> None:
    plan = Plan(folder="", manifest="", speed=1.5, faults=1, translates="")
    possible = [name for name in NEW_KINDS if name not in left_out(replace(plan, names=NEW_KINDS))]
    trials = Trials(tmp_path, lambda line: None)
    trials.run(replace(plan, seconds=3600.0, faults=4, names=tuple(possible), seed=5))
    tally = trials.tally
    assert len(tally.faults) == 4
    assert (tally.problems, tally.crashes, tally.orphans) == ([], 0, 0)
    assert tally.words > 10
    assert (tally.kept.lost, tally.kept.doubled) == (0, 0)


def test_what_cannot_go_wrong_here_is_left_out_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chaos, "what_is_missing", lambda: {"mount": "a program may not mount here"})
    plan = Plan(folder="", manifest="", names=("disk read-only", "microphone muted", "engine killed"))
    assert left_out(plan) == {"disk read-only": "a program may not mount here"}
    assert left_out(replace(plan, speed=2.0))["microphone muted"].startswith("a microphone hears at the speed of time")
    assert not left_out(replace(plan, names=("clock back",)))


def test_words_that_were_shown_and_are_not_kept_are_counted(tmp_path: Path) -> None:
    store = HistoryStore(tmp_path / "history" / FILE_NAME)
    session = store.begin("captions", "", "tape", "starter", "en")
    words = tuple(Word(f" {text}", 0.0, 1.0, 0.9) for text in ("one", "three", "three"))
    store.put_caption(session, Caption(1, 1, 0.0, 1.0, words, (), True, 1.0, 1.0))
    store.close()
    told = Told()
    for line in (["words", [1, "One two"]], ["words", [1, "One two three"]], ["end", None]):
        told.note(json.dumps({"what": line[0], "about": line[1], "at": time.monotonic()}))
    trials = Trials(tmp_path, lambda line: None)
    trials._count(told, float("inf"), 0, set())
    assert (trials.tally.words, trials.tally.kept.lost + trials.tally.kept.doubled) == (3, 2 - 1 + 1)
    assert trials.tally.crashes == 0


@pytest.mark.usefixtures("starter")
def test_a_run_that_is_ended_early_says_what_it_has_seen(tmp_path: Path) -> None:
    stop, moments = threading.Event(), list[dict[str, Any]]()

    def note(moment: dict[str, Any]) -> None:
        moments.append(moment)
        stop.set()

    plan = Plan(folder="", manifest="", seconds=3600.0, speed=1.5, translates="")
    tally = soak.measure(plan, tmp_path, lambda line: None, note, stop)
    assert (tally.problems, tally.crashes, tally.kept) == ([], 0, Difference())
    assert tally.moments == moments
    assert tally.words > 10
    assert {"window", "hearing"} <= set(moments[0]["private_megabytes"])
    assert len(moments) < 30, "it did not go on for an hour"
    assert soak.in_words(moments[-1], plan.speed).startswith("minute ")


def test_a_minute_is_said_in_a_line() -> None:
    moment = {
        "seconds": 30.0, "private_megabytes": {"window": 90.04, "hearing": 380.0}, "delay_seconds": None,
        "behind_seconds": 3.0, "answers": 1, "translations": 12, "threads": 25, "handles": 36,
    }  # fmt: skip
    rest = "3 s behind; 1 answers, 12 translations; 25 threads, 36 files"
    assert soak.in_words(moment, speed=4.0) == f"minute 2.0: window 90.0, hearing 380.0 MB; no words, {rest}"


def test_what_was_not_captioned_is_counted_and_its_recording_is_not_held_against_the_tape() -> None:
    told = Told()
    for caption, text in ((0, "One two"), (1, GAP), (2, "nine ten"), (3, "One two three")):
        if caption in (0, 3):
            told.note(json.dumps({"what": "began", "about": caption, "at": 0.0}))
        told.note(json.dumps({"what": "words", "about": [caption, text], "at": 0.0}))
    assert told.gaps == 1
    assert told.recordings() == [["one", "two", "three"]]


def test_a_trial_that_ends_without_saying_so_is_a_crash(tmp_path: Path) -> None:
    HistoryStore(tmp_path / "history" / FILE_NAME).close()
    trials = Trials(tmp_path, lambda line: None)
    trials._count(Told(), float("inf"), -11, set())
    assert trials.tally.crashes == 1
    assert trials.tally.problems == ["the app ended with status -11"]


def test_what_grows_is_told_by_the_minute() -> None:
    moments = [
        {
            "seconds": 60.0 * minute, "history_megabytes": 1.0,
            "private_megabytes": {"window": 90.0 + minute / 2, "hearing": 310 + (50 if minute < 2 else 0) + minute / 2},
            "threads": 30, "handles": 40 + minute // 10, "delay_seconds": 0.5, "behind_seconds": 0.0,
        }
        for minute in range(1, 61)
    ]  # fmt: skip
    figures = soak.figures(Tally(moments=moments, transcript_megabytes=12.0), speed=1.0)
    assert figures["hours"] == 1.0
    assert figures["growth_mb_per_hour"] == pytest.approx(60.0)
    assert figures["transcript_mb_per_hour"] == 12.0
    assert figures["history_mb_per_hour"] == pytest.approx(0.0)
    assert (figures["threads_growth"], figures["delay_last_over_first"]) == (0, 1.0)
    assert isinstance(figures["handles_growth"], int) and figures["handles_growth"] > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chaos", "--faults", "0"], "--faults must be at least 1, not 0."),
        (["chaos", "--only", "flood"], "There is no fault 'flood': they are engine killed,"),
        (["soak", "--hours", "0"], "--hours must be above 0 and at most 100, not 0."),
        (["soak", "--speed", "1000"], "--speed must be between 0.05 and 50, not 1000."),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_missing_manifest_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "soak", "--manifest", "nowhere.jsonl"]) == 1
    assert "There is no file nowhere.jsonl." in capsys.readouterr().err


def test_every_fault_has_a_name_in_plain_words() -> None:
    assert all(name.replace(" ", "").replace("-", "").isalpha() for name in KINDS)
