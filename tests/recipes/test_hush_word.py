"""A hush word is trained by the gradient of a frozen model, repeatably, and within its limits."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
import soundfile
from mlx.utils import tree_flatten

from app.cli import main
from engine.errors import ModelError, OptionError
from engine.hear.hush import HUSH_SAMPLES, LOUDEST, load_hush_word
from engine.hear.padding import SAMPLES_PER_FRAME
from engine.models.load import HearingModel
from engine.recipes.hush_word import (
    HUSH_FILE,
    Example,
    HushWordError,
    HushWordOptions,
    HushWordTraining,
    Recording,
    crop,
    make_example,
    read_recordings,
    train,
    transcript_loss,
)

MakeModel = Callable[..., HearingModel]


@pytest.fixture
def hearing(tiny_model: MakeModel) -> HearingModel:
    return tiny_model(0)


@pytest.fixture
def options(tmp_path: Path) -> HushWordOptions:
    return HushWordOptions(tmp_path / "run", steps=6, accumulation=2, epoch_steps=2, best=2)


def recordings(count: int = 4) -> list[Recording]:
    generator = np.random.default_rng(0)
    texts = ["good morning", "the paper is here", "a dog sleeps", "blue water", "we sing", "red"]
    return [
        Recording(text, samples=(0.1 * generator.standard_normal(4000 + 1600 * index)).astype(np.float32))
        for index, text in enumerate(texts[:count])
    ]


def test_an_example_says_what_should_be_written(hearing: HearingModel, options: HushWordOptions) -> None:
    tokenizer, (recording, *_) = hearing.tokenizer, recordings()
    plain = make_example(hearing, recording, replace(options, timestamps=0.0), random.Random(0))
    assert plain is not None
    assert plain.opening == tokenizer.sot_sequence("en")
    assert plain.transcript == (*tokenizer.encode(" good morning"), tokenizer.eot)
    timed = make_example(hearing, recording, replace(options, timestamps=1.0), random.Random(0))
    assert timed is not None
    assert timed.opening == tokenizer.sot_sequence("en", timestamps=True)
    first, *middle, last, end = timed.transcript
    assert (tokenizer.timestamp_seconds(first), tokenizer.timestamp_seconds(last)) == (0.0, 0.24)  # of 0.25 s
    assert (middle, end) == (tokenizer.encode(" good morning"), tokenizer.eot)


def test_crops_hold_the_words_that_are_said_in_them(options: HushWordOptions) -> None:
    words = tuple((0.2 + 0.5 * index, 0.5 + 0.5 * index) for index in range(12))
    samples = np.zeros(round(6.3 * 16_000), np.float32)
    for number, (start, end) in enumerate(words):
        samples[round(start * 16_000) : round(end * 16_000)] = number + 1
    recording = Recording(" ".join(f"w{number + 1}" for number in range(12)), words=words, samples=samples)
    lengths = set()
    for seed in range(40):
        cut, text = crop(recording, replace(options, shortest_seconds=1.0), random.Random(seed))
        assert text.split() == [f"w{int(number)}" for number in np.unique(cut[cut > 0])]
        assert np.count_nonzero(cut == cut.max()) == 4800  # the last word is whole
        lengths.add(round(len(cut) / 16_000, 1))
    assert min(lengths) < 2 and max(lengths) > 5


def test_what_does_not_fit_the_model_is_no_example(hearing: HearingModel, options: HushWordOptions) -> None:
    long = Recording("hello", samples=np.ones(round(29.6 * 16_000), np.float32))
    assert make_example(hearing, long, replace(options, longest_seconds=60), random.Random(0)) is None
    assert make_example(hearing, Recording(" ", samples=np.ones(9000, np.float32)), options, random.Random(0)) is None


def test_the_gradient_reaches_the_samples_and_is_that_of_the_loss(hearing: HearingModel) -> None:
    tokenizer = hearing.tokenizer
    example = Example(
        recordings()[1].samples,
        "the paper",
        "en",
        tokenizer.sot_sequence("en"),
        (*tokenizer.encode(" the paper"), tokenizer.eot),
    )
    word = mx.array((0.01 * np.random.default_rng(1).standard_normal(HUSH_SAMPLES)).astype(np.float32))
    _, slope = mx.value_and_grad(lambda tail: transcript_loss(hearing, example, tail))(word)
    assert mx.all(mx.isfinite(slope)).item()
    assert (mx.abs(slope) > 0).mean().item() > 0.9
    way = slope / mx.linalg.norm(slope)
    step = 2e-3
    ahead, behind = (float(transcript_loss(hearing, example, word + sign * step * way)) for sign in (1, -1))
    assert (ahead - behind) / (2 * step) == pytest.approx(float((slope * way).sum()), rel=0.05)


def test_training_lowers_the_loss_and_leaves_the_model_alone(hearing: HearingModel, options: HushWordOptions) -> None:
    before = [np.array(array) for _, array in tree_flatten(hearing.model.parameters())]
    training = HushWordTraining(hearing, recordings(3), replace(options, steps=12, accumulation=2, timestamps=0.0))
    start = training.held_out_loss(training.progress.word)
    learnt = [training.step() for _ in range(12)]
    assert np.mean(learnt[-4:]) < np.mean(learnt[:4])
    assert training.held_out_loss(training.progress.word) != start
    after = [np.array(array) for _, array in tree_flatten(hearing.model.parameters())]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_the_hush_word_stays_quiet(hearing: HearingModel, options: HushWordOptions) -> None:
    training = HushWordTraining(hearing, recordings(), replace(options, peak_rate=0.5, last_rate=0.5))
    for _ in range(3):
        training.step()
        assert np.abs(training.progress.word).max() <= LOUDEST
    assert np.abs(training.progress.word).max() == pytest.approx(LOUDEST)  # and the limit was needed
    training.measure()
    assert np.abs(training.finished().samples).max() <= LOUDEST


def test_a_resumed_run_equals_an_uninterrupted_one(
    hearing: HearingModel, options: HushWordOptions, tmp_path: Path
) -> None:
    said: list[str] = []
    straight = train(hearing, recordings(), options, said.append)
    broken = replace(options, out=tmp_path / "broken")
    first = HushWordTraining(hearing, recordings(), broken)
    for number in range(5):  # one step more than the checkpoint holds: it is done again
        first.step()
        if number % 2:
            first.measure()
    resumed = HushWordTraining(hearing, recordings(), replace(broken, resume=True))
    assert resumed.progress.step == 4
    again = train(hearing, recordings(), replace(broken, resume=True), said.append)
    assert np.array_equal(again.samples, straight.samples)
    assert again.losses == straight.losses
    assert straight.losses.keys() == {"none", "full", "hush"}
    assert any("loss" in line and "held out" in line and "100%" in line for line in said)


def test_the_best_measured_words_are_averaged(hearing: HearingModel, options: HushWordOptions) -> None:
    progress = HushWordTraining(hearing, recordings(), options).progress
    for loss, level in ((3.0, 0.01), (1.0, 0.02), (2.0, 0.04), (9.0, 0.05)):
        progress.word = np.full(HUSH_SAMPLES, level, np.float32)
        progress.remember(loss, 2)
    assert progress.best_losses == [1.0, 2.0]
    assert progress.average() == pytest.approx(np.full(HUSH_SAMPLES, 0.03), abs=1e-7)


def test_another_models_checkpoint_is_refused(tiny_model: MakeModel, options: HushWordOptions) -> None:
    HushWordTraining(tiny_model(0), recordings(), options).measure()
    with pytest.raises(ModelError, match="another model"):
        HushWordTraining(tiny_model(1), recordings(), replace(options, resume=True))
    path = options.out / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(ModelError, match="damaged"):
        HushWordTraining(tiny_model(0), recordings(), replace(options, resume=True))


@pytest.mark.parametrize(
    "changes", [{"minutes": 0}, {"minutes": float("nan")}, {"steps": 0}, {"accumulation": 0}, {"timestamps": 2}]
)
def test_bad_options_are_refused(options: HushWordOptions, changes: dict[str, float]) -> None:
    with pytest.raises(OptionError, match=next(iter(changes))):
        replace(options, **changes)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("nonsense", "Line 1 of .* must be a JSON object"),
        ('{"text": "no file"}', "Line 1 of .* must be a JSON object"),
        ('{"file": "a.wav", "text": "two words", "words": [[0, 1]]}', "Line 1 of"),
        ('{"file": "a.wav", "text": "hallo", "lang": "de"}', "names no recording in en"),
    ],
)
def test_bad_manifests_are_refused(tmp_path: Path, line: str, complaint: str) -> None:
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text(line + "\n")
    with pytest.raises(HushWordError, match=complaint):
        read_recordings(manifest, ["en"])
    with pytest.raises(HushWordError, match="Cannot read"):
        read_recordings(tmp_path / "absent.jsonl", ["en"])


def test_data_that_never_fits_is_refused(hearing: HearingModel, options: HushWordOptions) -> None:
    long = [Recording(f"talk {n}", samples=np.zeros(26 * 16_000, np.float32)) for n in range(3)]
    with pytest.raises(HushWordError, match="No recording fits"):
        HushWordTraining(hearing, long, options)


def test_the_command_trains_and_keeps_the_word_where_it_is_found(
    hearing: HearingModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.recipes.hush_word.own_hush_words", lambda: tmp_path / "own")
    lines = []
    for index, one in enumerate(recordings()):
        soundfile.write(tmp_path / f"{index}.wav", one.samples, 16_000)
        lines.append(json.dumps({"file": f"{index}.wav", "text": one.text.upper()}))
    (tmp_path / "manifest.jsonl").write_text("\n".join(lines))
    data = ["--data", str(tmp_path / "manifest.jsonl"), "--out", str(tmp_path / "run")]
    assert main(["train", "hush-word", "--model", str(hearing.folder), *data, "--steps", "2"]) == 0
    said = capsys.readouterr().out
    assert "loss" in said and "held-out loss: none" in said
    for path in (tmp_path / "run" / HUSH_FILE, tmp_path / "own" / f"{hearing.fingerprint}.safetensors"):
        assert load_hush_word(path, hearing).samples.any()
    assert main(["train", "hush-word", "--model", str(hearing.folder), *data, "--minutes", "0"]) == 2
    assert "minutes" in capsys.readouterr().err


def test_word_times_end_on_frames_of_the_encoder() -> None:
    assert SAMPLES_PER_FRAME == 320  # a timestamp token is worth 0.02 s, which is a frame
