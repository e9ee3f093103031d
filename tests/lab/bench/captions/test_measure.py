"""The captions benchmark: honest figures from clips whose words are known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.terminal.cli import main
from engine.audio.source import chunks_of
from engine.captions.published import WHISPER_STREAMING
from engine.events import Hypothesis, Word
from engine.hear.decode.pruning import Pruning
from engine.hear.recognizer import Recognizer
from engine.options import CaptionOptions
from lab.bench.captions import subject
from lab.bench.captions.clips import Clip, Utterance, spoken_clips
from lab.bench.captions.comparison import clip_table
from lab.bench.captions.measure import RoundTotals, caption_clip, hear_whole, together
from lab.bench.captions.methods import BASELINE, LADDER, PEER, QUICK, WHOLE, CaptionSetup, ladder
from lab.bench.captions.peer import HOW_TO_GET
from lab.bench.captions.subject import Subject, hearer, load_subject
from tests.app.scripted_hearing import ScriptedRecognizer
from tests.hear.planted import FakeTimer
from tests.toy_models import TOY


class CountingRecognizer(ScriptedRecognizer):
    """Reports what each round cost, and remembers the sum."""

    def __init__(self, words: tuple) -> None:
        super().__init__(words)
        self.counted = RoundTotals()

    def hear(self, samples: np.ndarray, **context: object) -> Hypothesis:
        heard = super().hear(samples, **context)
        number = self.counted.rounds + 1
        cost = {"forwards": number, "tokens": 3, "reused_tokens": 1, "steps": 4, "pruned_steps": 2, "candidates": 12}
        self.counted += RoundTotals(rounds=1, decoded_rounds=1, **cost)
        return Hypothesis(heard.words, "en", **cost)


@pytest.fixture(scope="module")
def clip() -> Clip:
    return spoken_clips(1)[0]


@pytest.fixture(scope="module")
def toy() -> Subject:
    return load_subject(str(TOY))


@pytest.fixture
def scripted(clip: Clip, monkeypatch: pytest.MonkeyPatch) -> Subject:
    """A model that knows what is said, in place of a loaded one."""
    found = Subject("scripted", ("en",), lambda options, pruning: ScriptedRecognizer(clip.words))
    monkeypatch.setattr(subject, "load_subject", lambda model: found)
    return found


def test_perfect_hearing_has_no_errors_and_a_delay(clip: Clip) -> None:
    perfect = ScriptedRecognizer(clip.words)
    result = caption_clip(perfect, clip, CaptionOptions())
    found = together([result])
    assert found.wer == 0
    assert 0 < found.real_time_factor < 1
    assert found.latency is not None
    assert 0 < found.latency.mean < 3
    assert len(result.latencies) == len(clip.words)


class WindowRecognizer(ScriptedRecognizer):
    """Remembers how long each stretch was that it heard, and takes a second for each."""

    def __init__(self) -> None:
        super().__init__(())
        self.timer = FakeTimer()
        self.heard_samples: list[int] = []

    def hear(self, samples: np.ndarray, **context: object) -> Hypothesis:
        self.heard_samples.append(len(samples))
        self.timer.seconds += 1
        return Hypothesis((Word(" river", 0.0, 0.1),), "en")


def test_the_text_after_the_second_look_is_counted_by_itself(clip: Clip) -> None:
    wrong = tuple(replace(word, text=" flooded") if number == 3 else word for number, word in enumerate(clip.words))
    found = caption_clip(ScriptedRecognizer(wrong), clip, CaptionOptions(), second_ear=ScriptedRecognizer(clip.words))
    assert (found.errors.edits, found.kept_errors.edits) == (1, 0)
    assert found.second_look.changed == len(found.look_delays) == 1
    assert found.kept_errors.reference_words == found.errors.reference_words


def test_utterances_are_heard_as_a_whole_each_by_itself() -> None:
    parts = (Utterance("river", 0.0, 1.0), Utterance("bridge", 1.5, 4.0))
    samples = np.random.default_rng(0).normal(0, 0.1, 4 * 16_000).astype(np.float32)
    recognizer = WindowRecognizer()
    clip = Clip("two", "river bridge", samples=samples, utterances=parts)
    found = hear_whole(recognizer, clip, WHOLE, recognizer.timer)
    assert recognizer.heard_samples == [16_000, 40_000]
    assert (found.heard, found.errors.rate, found.latencies) == ("river river", 0.5, ())
    assert found.compute_seconds == 2


def test_missed_words_count_over_all_clips_together(clip: Clip) -> None:
    hearers = (ScriptedRecognizer(clip.words), ScriptedRecognizer(()))
    results = [caption_clip(hearer, clip, CaptionOptions()) for hearer in hearers]
    assert together(results).wer == 0.5
    names = [line[:8].strip() for line in clip_table(results).splitlines()[2:]]
    assert names == ["spoken 1", "spoken 1", "all"]


def test_the_counters_of_all_rounds_add_up(clip: Clip) -> None:
    recognizer = CountingRecognizer(clip.words)
    totals = caption_clip(recognizer, clip, CaptionOptions(), encoder_work=lambda seconds: 2.0).totals
    counted = recognizer.counted
    assert counted.rounds > 2
    for name in (
        "rounds",
        "decoded_rounds",
        "forwards",
        "tokens",
        "reused_tokens",
        "steps",
        "pruned_steps",
        "candidates",
    ):
        assert getattr(totals, name) == getattr(counted, name), name
    assert totals.encoder_gmacs_per_round == 2.0
    assert (totals.average_beam, totals.pruned_share, totals.new_tokens_per_round) == (3.0, 0.5, 2.0)


def test_rounds_beyond_what_a_session_keeps_are_counted_too(clip: Clip, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.captions.tally.KEPT_STATS", 1)
    recognizer = CountingRecognizer(clip.words)
    options = CaptionOptions(voice_gate=False, step_seconds=0.5)  # longer than a chunk
    totals = caption_clip(recognizer, clip, options, timer=FakeTimer()).totals
    assert totals.forwards == recognizer.counted.forwards > 1


def test_rounds_without_a_forward_are_no_part_of_the_means() -> None:
    totals = RoundTotals(rounds=1, decoded_rounds=1, forwards=6, tokens=4) + RoundTotals(rounds=1)
    assert (totals.rounds, totals.forwards_per_round, totals.new_tokens_per_round) == (2, 6, 4)
    nothing = RoundTotals(rounds=1)
    assert (nothing.forwards_per_round, nothing.average_beam, nothing.pruned_share, nothing.reduce_ratio(5)) == (
        None,
    ) * 4


def test_the_reduce_ratio_is_the_papers() -> None:
    base = RoundTotals(steps=1000, candidates=2790)  # Table 4, base, 500 ms: 2.79 candidates, 0.552
    assert base.reduce_ratio(5) == pytest.approx(0.552, abs=0.001)
    assert base.reduce_ratio(1) is None


def test_computation_is_measured_with_the_given_stopwatch(clip: Clip) -> None:
    result = caption_clip(ScriptedRecognizer(clip.words), clip, CaptionOptions(voice_gate=False), timer=FakeTimer())
    again = caption_clip(ScriptedRecognizer(clip.words), clip, CaptionOptions(voice_gate=False), timer=FakeTimer())
    assert (result.latencies, result.compute_seconds) == (again.latencies, again.compute_seconds)


def test_chunks_are_the_samples_in_order() -> None:
    samples = np.arange(4000, dtype=np.float32)
    assert np.concatenate(list(chunks_of(samples))).tolist() == samples.tolist()


def test_a_trained_model_hears_on_every_rung_of_the_ladder(toy: Subject, clip: Clip) -> None:
    steps = ladder(1.0, hush_word=toy.has_hush_word, earshot=CaptionOptions())
    hear = hearer(toy)
    full = toy.full_gmacs()
    assert full is not None
    for method in steps:
        totals = hear(method.way, clip).totals
        assert totals.decoded_rounds > 0, method.name
        assert totals.forwards >= totals.decoded_rounds
        assert totals.steps <= totals.candidates <= totals.steps * method.options.decode.beam_size
        share = (totals.encoder_gmacs_per_round or 0.0) / full
        assert share == pytest.approx(1.0) if method.name == BASELINE else share < 0.5


def test_a_word_alone_is_heard_without_what_was_trained_with_it(toy: Subject, clip: Clip) -> None:
    bared: list[Recognizer] = []
    hear = hearer(replace(toy, without_kept=bared.append))
    for kept in (True, False):
        hear(CaptionSetup(CaptionOptions(second_look=False), kept=kept), clip)
    assert len(bared) == 1


def test_full_padding_costs_the_whole_window_whatever_is_said(toy: Subject) -> None:
    assert toy.encoder_work is not None
    work = toy.encoder_work(WHISPER_STREAMING)
    assert work(1.0) == work(15.0) == toy.full_gmacs()


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["bench", "captions", "--set", "synthetic", "--json", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == "" or err == f"earshot: {HOW_TO_GET}\n"
    return json.loads(out.splitlines()[-1])


def test_the_command_ends_in_one_line_of_figures(scripted: Subject, capsys: pytest.CaptureFixture[str]) -> None:
    record = run_json(capsys, "--limit", "1")
    assert [row["method"] for row in record["rows"]][: len(LADDER)] == list(LADDER)
    figures = record["figures"]
    assert {"latency_ratio", "latency_ratio_same_step", "latency_ratio_best_effort", "wer_delta_points"} <= set(figures)
    assert {"pruned_share", "average_beam", "forwards_per_round", "new_tokens_per_round"} <= set(figures)
    assert figures["wer_delta_points"] == 0


def test_a_quick_run_has_the_headline_figures(scripted: Subject, capsys: pytest.CaptureFixture[str]) -> None:
    record = run_json(capsys, "--quick", "--limit", "1")
    assert [row["method"] for row in record["rows"]] == [name for name in QUICK if name != PEER]
    figures = record["figures"]
    headline = ("wer", "offline_wer", "wer_delta_points", "word_latency_seconds", "real_time_factor")
    assert all(figures[name] is not None for name in (*headline, "latency_ratio", "latency_ratio_natural"))
    assert (figures["peer_latency_ratio"], figures["peer_wer"]) == (None, None)
    assert figures["offline_wer"] == figures["wer_delta_points"] == 0


def test_some_methods_and_a_curve_can_be_asked_for(scripted: Subject, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--limit", "1", "--methods", "earshot,whisper-streaming", "--curve")
    record = run_json(capsys, *asked)
    assert [row["method"] for row in record["rows"]] == ["whisper-streaming", "earshot"]
    assert [row["step_seconds"] for row in record["curve"]] == [0.25, 0.5, 1, 1.5, 2] * 2


def test_tables_are_for_people(scripted: Subject, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "captions", "--set", "synthetic", "--limit", "2", "--methods", "earshot"]) == 0
    out = capsys.readouterr().out
    assert "Earshot's default" in out
    assert "spoken 2" in out  # of one method, every clip is shown
    assert "said:" in out
    assert "heard: Has he arrived already?" in out  # which is all that the scripted model knows


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--limit", "0"], "--limit must be at least 1"),
        (["--minutes", "0"], "--minutes must be above 0"),
        (["--minutes", "nan"], "--minutes must be above 0"),
        (["--minutes", "1", "--set", "synthetic"], "--minutes are of people"),
        (["--step", "0.01"], "--step must be between 0.1 and 30"),
        (["--methods", "nonsense"], "--methods must be of whisper-streaming, hush"),
        (["--methods", "nonsense"], " hush-alone, "),
    ],
)
def test_what_cannot_be_measured_is_refused_before_a_model_is_loaded(
    arguments: list[str], complaint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(model: str) -> Subject:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr(subject, "load_subject", fail)
    assert main(["bench", "captions", *arguments]) == 2
    assert complaint in capsys.readouterr().err


def test_people_are_heard_by_default_and_named(scripted: Subject, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bench", "captions", "--quick", "--methods", "earshot", "--minutes", "0.1", "--split"]
    for split, speaker in (("judge", "2412"), ("choose", "1272")):
        assert main([*command, split]) == 0
        out, err = capsys.readouterr()
        assert f"speakers {speaker} of LibriSpeech (--split {split}), in lab/people." in out
        first = err.splitlines()[0]
        assert "/nowhere/earshot-tests has no recordings" in first and "lab/people is heard" in first


def test_json_says_that_the_labs_own_people_were_heard(scripted: Subject, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "captions", "--methods", "earshot", "--minutes", "0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["audio"].endswith("(--split judge), in lab/people.")


def test_a_recording_that_is_missing_is_one_line(
    scripted: Subject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.jsonl").write_text('{"file": "gone.wav", "text": "One."}\n')
    assert main(["bench", "captions", "--manifest", str(tmp_path / "m.jsonl")]) == 1
    assert "gone.wav" in capsys.readouterr().err


def test_an_interruption_keeps_what_was_measured(
    scripted: Subject, clip: Clip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "results.jsonl"

    def make(options: CaptionOptions, pruning: Pruning) -> ScriptedRecognizer:
        recognizer = ScriptedRecognizer(clip.words)
        if options.step_seconds == CaptionOptions().step_seconds:
            recognizer.on_hear = _interrupt
        return recognizer

    interrupted = Subject("scripted", ("en",), make)
    monkeypatch.setattr(subject, "load_subject", lambda model: interrupted)
    asked = ["--set", "synthetic", "--limit", "1", "--save", str(kept)]
    asked += ["--methods", "whisper-streaming-1s,earshot"]
    assert main(["bench", "captions", "--step", "0.6", *asked]) == 0
    before = kept.read_text()
    assert main(["bench", "captions", *asked]) == 130
    assert kept.read_text() == before


def _interrupt() -> None:
    raise KeyboardInterrupt
