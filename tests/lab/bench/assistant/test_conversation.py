"""The conversation benchmark: what it says to the assistant, and what it makes of what it sees."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.terminal.cli import main
from engine.answer.tools.table import TOOLS, Call
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.clock import SimulatedClock
from engine.events import Word
from engine.options import TurnOptions
from lab.bench.assistant.conversation import (
    COLUMNS,
    PLAIN,
    PUBLISHED,
    REQUEST_COLUMNS,
    SAME,
    USUAL,
    Answered,
    ConversationRow,
    NotingVoice,
    figures,
    recorded,
    requests,
    speak,
    ways,
)
from lab.bench.captions.clips import Clip
from lab.bench.tables import records_of, table_of
from lab.recipes.speech.espeak import SyntheticVoice, espeak
from tests.assistant.test_assistant import Tone
from tests.hear.planted import FakeTimer
from tests.toy_models import TOY


class SlowTone(Tone):
    """A voice that takes a quarter of a second for a chunk."""

    def __init__(self, timer: FakeTimer) -> None:
        self._timer = timer

    def speak(self, sentence: str) -> Iterator[Samples]:
        for chunk in super().speak(sentence):
            self._timer.seconds += 0.25
            yield chunk


def answered(
    reply: str = "Certainly it is so. Really.", heard: str = "is it so", sound: float | None = 0.3, **others: object
) -> Answered:
    spoken = speak(0, "Is it so?", "Certainly it is so. Indeed.")
    values: dict[str, object] = {"endings": 1, "endpoint_seconds": 0.25, "premade": True} | others
    return Answered(spoken, heard, reply, sound_seconds=sound, **values)  # type: ignore[arg-type]


def test_a_question_has_silence_around_it_and_its_end_is_known() -> None:
    spoken = speak(1, "What is the capital of France?", None)
    loud = np.flatnonzero(np.abs(spoken.samples) > 0.02) / SAMPLE_RATE_HZ
    assert 0.45 < loud[0] < 0.7
    assert loud[-1] == pytest.approx(spoken.end_seconds, abs=0.12)
    assert len(spoken.samples) / SAMPLE_RATE_HZ > spoken.end_seconds + 1.9


def test_a_recorded_question_ends_with_its_last_word() -> None:
    clip = Clip("one", "IS IT SO", samples=np.full(SAMPLE_RATE_HZ, 0.1, np.float32), words=(Word(" so", 0.5, 0.8),))
    spoken = recorded(0, clip, 0.8)
    loud = np.flatnonzero(spoken.samples > 0.05) / SAMPLE_RATE_HZ
    assert (spoken.text, spoken.reply) == ("Is it so", None)
    assert spoken.end_seconds == pytest.approx(loud[0] + 0.8, abs=1e-3)
    assert len(spoken.samples) / SAMPLE_RATE_HZ > loud[-1] + 1.9


def test_the_last_word_ends_with_its_sound_though_alignment_stretches_it_into_silence() -> None:
    sound = np.zeros(SAMPLE_RATE_HZ, np.float32)
    sound[:8000] = 0.1
    clip = Clip("one", "IS IT SO", samples=sound, words=(Word(" so", 0.2, 1.0),))
    assert recorded(0, clip, 1.0).end_seconds == pytest.approx(0.5 + 0.5)


def test_the_plain_cascade_stands_beside_the_default_with_a_fixed_silence_and_with_the_same_end_of_turn() -> None:
    by_name = {way.name: way.options for way in ways()}
    ahead = {name: options.answer.speculate for name, options in by_name.items()}
    assert ahead == {PLAIN: False, SAME: False, PUBLISHED: True, USUAL: True}
    turns = by_name[PLAIN].turns
    assert turns.sure_silence_seconds == turns.silence_seconds == turns.doubtful_silence_seconds
    assert by_name[SAME].turns == by_name[PUBLISHED].turns == by_name[USUAL].turns == TurnOptions()
    assert not by_name[PUBLISHED].answer.last_word
    assert {way.options.answer.reply_tokens for way in ways(40)} == {40}


def test_figures_are_those_of_the_answers() -> None:
    way = ways()[-1]
    early = answered("No.", heard="is it", endpoint_seconds=0.5, sound=0.5, endings=2, premade=False)
    found = [ConversationRow(way, [answered(), early])]
    (row,) = records_of(COLUMNS, found)
    assert row["questions"] == 2
    assert (row["endpoint_seconds_p50"], row["first_sound_seconds_p50"]) == (0.375, 0.4)
    assert row["after_endpoint_seconds_mean"] == 0.025
    assert [row[name] for name in ("premade_share", "too_early_share", "heard_share", "right_share")] == [0.5] * 4
    assert figures(found)["first_sound_seconds_p50"] == 0.4
    assert figures(found)["speedup_spoken"] is None, "there is nothing to compare with"
    plain = ConversationRow(ways()[0], [answered(sound=1.0), answered(sound=0.6)])
    assert figures([plain, *found])["speedup_spoken"] == 2.0
    assert "Earshot's default" in table_of(COLUMNS, found)


def test_what_answering_ahead_gains_is_counted_over_the_same_end_of_turn() -> None:
    same = [answered(sound=0.6), answered(sound=0.4, heard="is it", reply="No.")]
    early = answered(sound=0.2, ready_seconds=-0.1, forwards_ahead=9)
    late = answered(sound=0.3, ready_seconds=0.05, reply="Otherwise.", forwards_ahead=1)
    found = ConversationRow(ways()[-1], [early, late], same)
    assert found.identical == 1.0, "what was heard otherwise is not held against it"
    assert found.speedup == pytest.approx(3.0), "nor is its wait"
    measured = figures([ConversationRow(ways()[1], same, same), found])
    assert (measured["ready_before_end_share"], measured["forwards_ahead_per_turn"]) == (0.5, 5)
    assert (measured["ready_before_end_low"], measured["ready_before_end_high"]) == (0.0, 1.0)
    doubt = answered("I am not sure what you mean. Sorry.", ready_seconds=-0.5)
    (row,) = records_of(COLUMNS, [ConversationRow(ways()[-1], [early, late, doubt])])
    assert (row["understood"], row["ready_before_end_share"]) == (2, 0.5)
    assert (measured["first_sound_seconds_same_endpoint"], measured["speedup_same_endpoint"]) == (0.5, 3.0)


def test_a_voice_notes_when_the_beginning_of_a_sentence_was_first_made() -> None:
    timer = FakeTimer()
    clock = SimulatedClock(timer)
    voice = NotingVoice(SlowTone(timer), clock)
    clock.wait_until(2.0)
    assert not voice.made_seconds
    first = voice.speak("It is so.")
    next(first)
    clock.wait_until(3.0)
    next(first)
    next(voice.speak("It is so."))
    assert voice.made_seconds == {"It is so.": 2.25}


def test_requests_are_counted_as_done_where_all_of_them_was_and_timed_by_those() -> None:
    way, spoken = ways()[-1], speak(0, "Set a timer for ten minutes", None)
    assert spoken.call == Call(TOOLS["timer"], "en", {"seconds": "600"})
    done = Answered(spoken, "set a timer for ten minutes", "", 1, 0.2, 0.3, True, spoken.call, 0.2)
    other = replace(done, call=Call(TOOLS["timer"], "en", {"seconds": "60"}), act_seconds=9.0, endings=2)
    silent = replace(done, call=None, act_seconds=None)
    (row,) = records_of(REQUEST_COLUMNS, [ConversationRow(way, [done, other, silent, done])])
    assert (row["requests"], row["act_seconds_p50"], row["act_seconds_p95"]) == (4, 0.2, 0.2)
    assert (row["done_share"], row["too_early_share"]) == (0.5, 0.25)
    found = figures([], [ConversationRow(way, [done])])
    assert (found["request_act_seconds_p50"], found["request_done_share"]) == (0.2, 1.0)
    assert all(TOOLS[each.kind].changes and each.language == "en" for each in requests())


def test_silence_has_no_time() -> None:
    way = ways()[0]
    found = [ConversationRow(way, [answered("", sound=None)])]
    (row,) = records_of(COLUMNS, found)
    assert (row["silent"], row["first_sound_seconds_p50"]) == (1, None)
    assert figures(found)["first_sound_seconds_p50"] is None


def test_the_command_asks_aloud_and_prints_what_it_measured(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--model", str(TOY), "--set", "synthetic", "--limit", "1", "--methods", f"{PLAIN},{USUAL}"]
    assert main(["bench", "conversation", *asked, "--processor-time", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    plain, usual = record["rows"]
    assert [row["questions"] for row in record["rows"]] == [1, 1]
    assert plain["premade_share"] == plain["forwards_ahead_per_turn"] == plain["ready_before_end_share"] == 0
    assert plain["right_share"] == usual["right_share"]
    assert usual["first_sound_seconds_p50"] == record["figures"]["first_sound_seconds_p50"] > 0
    assert [row["requests"] for row in record["requests"]] == [1, 1]


def test_questions_that_were_recorded_are_asked_in_place_of_synthetic_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = espeak().speak("What is your name?", SyntheticVoice("en-us+f3", 172, 52))
    soundfile.write(tmp_path / "one.wav", said.samples, SAMPLE_RATE_HZ)
    line = {"file": "one.wav", "text": "WHAT IS YOUR NAME", "seconds": said.seconds}
    (tmp_path / "questions.jsonl").write_text(json.dumps(line) + "\n")
    asked = ["--manifest", str(tmp_path / "questions.jsonl"), "--model", str(TOY), "--methods", USUAL]
    assert main(["bench", "conversation", *asked, "--processor-time", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    (row,) = record["rows"]
    assert (row["questions"], row["heard_share"], row["right_share"]) == (1, 1.0, None)
    assert [each["requests"] for each in record["requests"]] == [0]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--limit", "0"], "--limit"),
        (["--methods", "nonsense"], "nonsense"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "conversation", *arguments]) == 2
    assert complaint in capsys.readouterr().err
