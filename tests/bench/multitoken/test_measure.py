"""The multi-token benchmark: what it counts and how it names it, against hearings that are known."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.bench.captions.clips import Clip, bench_sentences
from engine.bench.captions.measure import ClipResult, RoundTotals
from engine.bench.errors import BenchError
from engine.bench.multitoken.clips import MOST_RECORDINGS, people, recorded, spoken
from engine.bench.multitoken.measure import Heard, hear_clip, together
from engine.bench.multitoken.methods import (
    DRAFTED,
    DRAFTED_AHEAD,
    HEADS,
    LIVE_GREEDY,
    LIVE_GREEDY_REUSE,
    LIVE_VERIFIED_REUSE,
    PREFIX_BEAM,
    PUBLISHED,
    QUICK,
    SINGLE,
    THRESHOLDS,
    TOP,
    VERIFIED,
    WHISPER_DRAFTED,
    WHISPER_GREEDY,
    threshold,
    top,
    ways,
)
from engine.bench.multitoken.tables import ALL as COLUMNS
from engine.bench.multitoken.tables import (
    LANGUAGES,
    TABLE_ONE,
    changed,
    draw,
    figure_four,
    figures,
    languages,
    live_rows,
    rows,
)
from engine.bench.multitoken.tables import LIVE as LIVE_COLUMNS
from engine.bench.tables import records_of, table_of
from engine.events import Hypothesis, Reference, Word
from engine.hear.recognizer import Stage
from engine.metrics import WordErrors, decoder_calls_per_word, word_errors
from tests.hear.planted import FakeTimer

ALL = ways()
LONELY = {way.name: way for way in ALL}


def heard(
    clip: str = "a", forwards: int = 10, seconds: float = 1.0, text: str = "red blue", language: str = "en"
) -> Heard:
    """Two words were said in ten seconds."""
    tokens = tuple(range(len(text.split())))
    errors = word_errors("red blue", text, language)
    return Heard(clip, language, "red blue", text, tokens, errors, forwards, len(tokens) * 2, seconds, 10.0)


def live(forwards: int, rounds: int = 10) -> ClipResult:
    totals = RoundTotals(rounds=rounds, decoded_rounds=rounds, forwards=forwards, tokens=40, decode_seconds=0.5)
    return ClipResult("a", "red blue", "red", 5.0, WordErrors(0, 1, 0, 2), (0.25, 0.75), totals, 1.0, 1.0)


FOUND = {
    SINGLE: [heard(), heard("b")],
    DRAFTED: [heard(forwards=4, seconds=0.6), heard("b", forwards=4, seconds=0.6)],
    DRAFTED_AHEAD: [heard(forwards=2, seconds=0.4), heard("b", forwards=2, seconds=0.4)],
    VERIFIED: [heard(forwards=5, seconds=0.8), heard("b", forwards=5, seconds=0.8)],
    PUBLISHED: [heard(forwards=3, seconds=0.5), heard("b", forwards=2, seconds=0.5, text="red glue")],
    WHISPER_GREEDY: [heard(forwards=12, seconds=2.0)],
    WHISPER_DRAFTED: [heard(forwards=6, seconds=1.5)],
}
LIVE = {LIVE_GREEDY: [live(80)], LIVE_GREEDY_REUSE: [live(60)], LIVE_VERIFIED_REUSE: [live(20)]}


class ScriptedStages:
    """A recognizer whose stages take seconds that are known: encoding 100, each forward 1, the words' times 1000."""

    def __init__(self, timer: FakeTimer, forwards: int = 3) -> None:
        self.asked: list[dict[str, Any]] = []
        self._timer = timer
        self._forwards = forwards

    def stages(self, samples: np.ndarray, **how: Any) -> Generator[Stage, None, Hypothesis]:
        self.asked.append(how)
        self._timer.seconds += 100
        yield "encoded"
        for _ in range(self._forwards - 1):
            self._timer.seconds += 1
            yield "decoding"
        self._timer.seconds += 1
        yield "decoded"
        self._timer.seconds += 1000
        words = (Word(" red", 0, 1, tokens=(7, 8)), Word(" glue", 1, 2, tokens=(9,)))
        return Hypothesis(words, "en", forwards=self._forwards, tokens=3)


class NothingHeard:
    def stages(self, samples: np.ndarray, **how: Any) -> Generator[Stage, None, Hypothesis]:
        yield from ()
        return Hypothesis((), "en", no_speech_probability=1.0)


def test_decoder_calls_per_word_are_the_harmonic_mean_over_words_said_and_heard() -> None:
    errors = word_errors("red blue green white", "red blue green")  # 4 said, 3 heard
    assert errors.heard_words == 3
    assert decoder_calls_per_word(7, errors) == pytest.approx(2.0)
    per_said, per_heard = 7 / 4, 7 / 3
    assert decoder_calls_per_word(7, errors) == pytest.approx(2 / (1 / per_said + 1 / per_heard))
    assert word_errors("red", "red blue green").heard_words == 3
    assert decoder_calls_per_word(1, WordErrors()) is None


def test_only_decoding_counts_as_decoding() -> None:
    timer = FakeTimer()
    recognizer = ScriptedStages(timer)
    clip = Clip("a", "red blue", samples=np.zeros(2 * SAMPLE_RATE_HZ, np.float32))
    found = hear_clip(recognizer, clip, lambda: timer.seconds)
    assert found.decode_seconds == 3.0
    assert (found.forwards, found.written, found.tokens, found.text) == (3, 3, (7, 8, 9), "red glue")
    assert (found.audio_seconds, found.errors.substitutions) == (2.0, 1)
    (asked,) = recognizer.asked
    assert asked == {"offset_seconds": 0.0, "prompt": "", "language": "en", "final": False, "reference": Reference()}


def test_a_clip_in_which_nothing_is_heard_costs_nothing() -> None:
    clip = Clip("a", "red blue", samples=np.zeros(160, np.float32))
    found = hear_clip(NothingHeard(), clip, lambda: 0.0)
    assert (found.forwards, found.decode_seconds, found.errors.deletions) == (0, 0.0, 2)


def test_clips_are_summed_before_anything_is_divided() -> None:
    found = together(FOUND[PUBLISHED], FOUND[SINGLE])
    assert (found.clips, found.forwards, found.written) == (2, 5, 8)
    assert found.wer == 0.25
    assert found.calls_per_word == pytest.approx(2 * 5 / 8)
    assert found.decoder_factor == pytest.approx(1.0 / 20)
    assert found.tokens_per_forward == pytest.approx(8 / 5)
    assert found.identical == 0.5


def test_identical_means_the_same_tokens_of_the_same_clips() -> None:
    assert together([heard()], [heard()]).identical == 1.0
    other = replace(heard(), tokens=(5, 6))
    assert together([other], [heard()]).identical == 0.0
    assert together([heard()], [heard("b")]).identical is None
    assert together([heard()]).identical is None
    assert together([], []).identical is None


def test_every_way_has_a_name_of_its_own_and_options_that_say_what_it_does() -> None:
    names = [way.name for way in ALL]
    assert len(set(names)) == len(names)
    assert set(QUICK) <= set(names)
    for heads in HEADS:
        for m in TOP:
            options = LONELY[top(heads, m)].decode
            assert (options.decoder, options.tokens_ahead, options.acceptance, options.top_m) == (
                "multitoken", heads, "top-m", m,
            )  # fmt: skip
        for least in THRESHOLDS:
            options = LONELY[threshold(heads, least)].decode
            assert (options.tokens_ahead, options.acceptance, options.threshold) == (heads, "threshold", least)
    assert LONELY[PREFIX_BEAM].decode.beam_size == 4
    assert LONELY[SINGLE].decode.decoder == "beam" and LONELY[SINGLE].decode.beam_size == 1
    assert [way.name for way in ALL if way.table == "I"][:3] == [SINGLE, DRAFTED, DRAFTED_AHEAD]


def test_ways_without_their_heads_are_not_there() -> None:
    plain = [way.name for way in ways(own=1, added={}, whisper=None, drafts=())]
    assert plain == ["single", "single-beam-4", "whisper-greedy", "whisper-beam-3", *plain[-3:]]
    assert plain[-3:] == ["live-greedy", "live-greedy-reuse", "live-beam-3-reuse"]
    assert {way.decode.tokens_ahead for way in ways(own=3, added={}, whisper=None) if way.heads} == {2, 3}
    assert {way.name for way in ways(own=1) if way.decode.draft and way.decode.beam_size == 1} == {
        DRAFTED,
        WHISPER_DRAFTED,
    }
    few = [way for way in ways(own=1, added={"projection": 3}, whisper=2) if way.heads]
    assert [way.name for way in few][:3] == ["added-projection-top-1", "added-projection-top-5", "added-projection-0.8"]
    assert {(way.model, way.decode.tokens_ahead) for way in few} == {("speech-llama", 3), ("whisper", 2)}
    assert {way.heads for way in few} == {"projection", "own"}


def test_the_headline_figures_are_ratios_to_the_single_head_of_the_same_model() -> None:
    found = figures(rows(ALL, FOUND), live_rows(ALL, LIVE))
    assert found["eta_ratio"] == pytest.approx(5.0)  # 20 calls become 4, of as many words
    assert (found["wer_delta_points"], found["identical_share"]) == (0.0, 1.0)
    assert found["decoder_rtf_ratio"] == pytest.approx(0.4)
    assert (found["draft_eta_ratio"], found["draft_rtf_ratio"]) == (pytest.approx(2.5), pytest.approx(0.6))
    assert (found["heads_eta_ratio"], found["heads_identical_share"]) == (pytest.approx(2.0), 1.0)
    assert found["published_eta_ratio"] == pytest.approx(4.0)
    assert found["published_wer_delta_points"] == pytest.approx(25.0)
    assert found["published_rtf_ratio"] == pytest.approx(0.5)
    assert found["whisper_eta_ratio"] == pytest.approx(2.0)
    assert found["whisper_identical_share"] == 1.0
    assert found["whisper_rtf_ratio"] == pytest.approx(0.75)
    assert found["live_forwards_ratio"] == pytest.approx(4.0)
    assert found["live_forwards_ratio_reuse"] == pytest.approx(3.0)
    assert (found["eta"], found["eta_single"]) == (pytest.approx(1.0), pytest.approx(5.0))
    assert (found["whisper_decoder_rtf"], found["whisper_decoder_rtf_single"]) == (0.15, 0.2)


def test_a_figure_whose_way_was_not_run_is_none() -> None:
    alone = figures(rows(ALL, {DRAFTED_AHEAD: FOUND[DRAFTED_AHEAD]}))
    assert alone["eta_ratio"] is None and alone["wer_delta_points"] is None
    assert alone["eta"] == pytest.approx(1.0)
    assert set(figures(rows(ALL, {SINGLE: FOUND[SINGLE]})).values()) == {None}


def test_tables_and_records_have_a_line_for_every_way_that_was_run() -> None:
    found = rows(ALL, FOUND)
    lines = table_of(TABLE_ONE, found).splitlines()[2:]
    assert [line.split("  ")[0] for line in lines] == [row.way.title for row in found]
    assert lines[0].split()[-1] == "-" and lines[1].split()[-1] == "100.0%"
    by_name = {record["method"]: record for record in records_of(COLUMNS, found)}
    assert list(by_name) == list(FOUND)
    assert by_name[PUBLISHED]["eta_ratio"] == pytest.approx(4.0)
    assert (by_name[PUBLISHED]["heads"], by_name[SINGLE]["heads"]) == (4, 1)
    assert json.loads(json.dumps(by_name)) == by_name


def test_figure_four_has_a_column_for_each_number_of_heads_and_a_row_for_each_acceptance() -> None:
    swept = {
        SINGLE: [heard()],
        top(2, 1): [heard(forwards=6)],
        top(4, 1): [heard(forwards=4)],
        threshold(4, 0.8): [heard(forwards=2)],
    }
    wer, eta, factor = figure_four(rows(ALL, swept)).split("\n\n")
    assert eta.splitlines()[0].split() == ["eta", "2", "heads", "4", "heads"]
    cells = [line.split() for line in eta.splitlines()[2:]]
    assert cells == [["top-1", "3.000", "2.000"], ["threshold", "0.8", "-", "1.000"]]
    assert wer.startswith("WER") and factor.startswith("decoder RTF")
    assert figure_four(rows(ALL, FOUND)) == ""


def test_figure_five_holds_every_language_against_its_own_single_head() -> None:
    found = {
        SINGLE: [heard(), heard("b", forwards=20, language="de")],
        PUBLISHED: [heard(forwards=4), heard("b", forwards=5, language="de")],
    }
    assert [(each.language, each.saved) for each in languages(found)] == [("en", 0.6), ("de", 0.75)]
    assert [line.split()[0] for line in table_of(LANGUAGES, languages(found)).splitlines()[2:]] == ["en", "de"]
    assert [record["saved"] for record in records_of(LANGUAGES, languages(found))] == [0.6, 0.75]
    assert languages({SINGLE: [heard()]}) == []


def test_live_sessions_are_held_against_greedy_decoding() -> None:
    found = live_rows(ALL, LIVE)
    assert [line.split("  ")[0] for line in table_of(LIVE_COLUMNS, found).splitlines()[2:]] == [
        row.way.title for row in found
    ]
    by_name = {record["method"]: record for record in records_of(LIVE_COLUMNS, found)}
    assert by_name[LIVE_VERIFIED_REUSE]["forwards_per_round"] == 2.0
    assert by_name[LIVE_VERIFIED_REUSE]["tokens_per_forward"] == 2.0
    assert by_name[LIVE_VERIFIED_REUSE]["eta"] == pytest.approx(2 * 20 / 3, abs=1e-4)
    assert by_name[LIVE_GREEDY]["real_time_factor"] == pytest.approx(0.2)
    assert by_name[LIVE_GREEDY]["delay_seconds"] == pytest.approx(0.5)


def test_what_comes_out_otherwise_is_shown_in_words() -> None:
    assert changed(FOUND[PUBLISHED], FOUND[SINGLE]).splitlines() == [
        "b",
        "  said:    red blue",
        "  single:  red blue",
        "  several: red glue",
    ]
    assert changed(FOUND[VERIFIED], FOUND[SINGLE]) == ""


def test_the_picture_has_the_ways_of_the_table(tmp_path: Path) -> None:
    found = rows(ALL, FOUND)
    draw(tmp_path / "found.svg", found)
    texts = {"".join(element.itertext()).strip() for element in ElementTree.parse(tmp_path / "found.svg").iter()}
    assert "decoder calls per word (eta)" in texts
    assert {row.way.title for row in found if row.way.table == "I"} <= texts
    assert "Whisper: Greedy" in texts


def write_recordings(folder: Path) -> Path:
    """Three German recordings, one of them too long, and two English ones."""
    import soundfile

    folder.mkdir(parents=True)
    lines = []
    for index, (language, seconds) in enumerate([("de", 1), ("de", 29), ("de", 1), ("en", 1), ("en", 2)]):
        noise = 0.1 * np.random.default_rng(index).standard_normal(seconds * SAMPLE_RATE_HZ)
        soundfile.write(folder / f"{index}.wav", noise, SAMPLE_RATE_HZ)
        lines.append(json.dumps({"file": f"{index}.wav", "text": f"number {index}", "lang": language}))
    (folder / "manifest.jsonl").write_text("\n".join(lines))
    return folder


def test_recordings_are_the_first_of_each_language_that_can_be_heard_at_once(tmp_path: Path) -> None:
    speech = write_recordings(tmp_path / "speech")
    assert [clip.name for clip in recorded(tmp_path, ["en", "de"])] == ["3", "4", "0", "2"]
    assert [clip.name for clip in recorded(speech / "manifest.jsonl", ["de", "en"], 1)] == ["0", "3"]
    assert [clip.name for clip in recorded(tmp_path, ["en"])] == ["3", "4"]
    assert all(clip.samples is not None for clip in recorded(tmp_path, ["en"]))
    with pytest.raises(BenchError, match="names no recording in fr"):
        recorded(tmp_path, ["fr"])
    assert MOST_RECORDINGS > 2


def test_recordings_that_are_all_too_long_are_a_problem(tmp_path: Path) -> None:
    speech = write_recordings(tmp_path / "speech")
    line = (speech / "manifest.jsonl").read_text().splitlines()[1]
    (speech / "manifest.jsonl").write_text(line)
    with pytest.raises(BenchError, match="longer than 28 s"):
        recorded(tmp_path, ["de"])


def test_people_are_librispeechs_speakers_in_turn(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARSHOT_TEST_DATA", str(shared_data))
    assert [clip.speaker for clip in people(["en"], "judge", 3)] == ["2086", "2412", "2428"]
    assert [clip.speaker for clip in people(["de", "en"], "choose", 2)] == ["1272", "1462"]
    assert all(clip.samples is not None for clip in people(["en"], "judge", 2))
    with pytest.raises(BenchError, match="the model knows de: give --data"):
        people(["de"], "judge")


def test_synthetic_voices_take_turns_and_speak_english_alone() -> None:
    pytest.importorskip("espeakng_loader", reason="sentences are spoken by espeak-ng")
    first, second = spoken(["de", "en"], 2)
    assert f"{first.text} {second.text}" == " ".join(bench_sentences()[:6])
    assert first.language == "en"
    with pytest.raises(BenchError, match="the model knows de: give --data"):
        spoken(["de"])
