"""The starter hearing model learns repeatably and is exported faithfully."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the starter recipes train with torch, a development-only dependency")
pytest.importorskip("espeakng_loader", reason="the recipes speak with espeak-ng")

from engine.recipes import starter_export, starter_hearing, starter_mel  # noqa: E402
from engine.recipes.starter_batches import rarities  # noqa: E402
from engine.recipes.starter_evaluation import HeldOutSpeech, edit_distance, error_rate  # noqa: E402
from engine.recipes.starter_export import UNUSED_MARGIN, dequantise, export, quantise, unused_row  # noqa: E402
from engine.recipes.starter_hearing import StarterHearingOptions, Training, guide_loss  # noqa: E402
from engine.recipes.starter_tokens import FULL_VOCABULARY, published_vocabulary  # noqa: E402


@pytest.fixture(autouse=True)
def tiny_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starter_hearing, "LEAST_OCCURRENCES", 1)


@pytest.fixture
def options(data: Path, corpus: Path) -> StarterHearingOptions:
    return StarterHearingOptions(
        data=data,
        out=corpus,
        steps=6,
        states=64,
        heads=2,
        batch_seconds=6.0,
        pool_examples=12,
        bfloat16=False,
        warmup_steps=2,
        freeze_at=0.4,
    )


def take_steps(training: Training, count: int) -> None:
    for _ in range(count):
        training.train_step(training.next())


def test_a_resumed_run_repeats_the_straight_one(options: StarterHearingOptions) -> None:
    straight = Training(options)
    take_steps(straight, 4)
    broken = Training(options)
    take_steps(broken, 2)
    broken.save()
    resumed = Training(replace(options, resume=True))
    take_steps(resumed, 2)
    assert resumed.step == straight.step == 4
    assert resumed.seen == straight.seen
    for name, parameter in straight.model.named_parameters():
        assert torch.equal(parameter, dict(resumed.model.named_parameters())[name]), name
        assert torch.equal(straight.average[name], resumed.average[name]), name


def test_training_lowers_the_loss(options: StarterHearingOptions) -> None:
    training = Training(replace(options, steps=40))
    batch = training.next()
    first = training.train_step(batch).text.item()
    for _ in range(12):
        last = training.train_step(batch).text.item()
    assert last < 0.8 * first


def test_batches_hold_no_more_audio_than_asked_for(options: StarterHearingOptions) -> None:
    training = Training(replace(options, batch_seconds=20.0))
    training.corpus.refresh()
    for progress in (0.0, 0.5, 0.9):
        for seeds in training.composer.pool(0, progress, 24):
            batch = training.composer.batch(seeds, progress)
            count, frames, _ = batch.mel.shape
            assert count == 1 or count * frames <= 20.0 * 100 * 1.6  # lengths are planned before words are cut off
            assert batch.phonemes.shape == (count, frames // 2)


def test_sentences_with_rare_words_are_drawn_more_often() -> None:
    common, rare, again = rarities(["the cat", "the saddle", "the cat"])
    assert rare > common == again


def test_attention_on_the_word_costs_nothing() -> None:
    windows = torch.tensor([[[0.2, 0.4], [float("nan")] * 2]])
    attention = torch.zeros(1, 1, 2, 50)
    attention[0, 0, 0, 15] = 1.0
    assert float(guide_loss(attention, windows)) == pytest.approx(0.0, abs=1e-3)
    assert float(guide_loss(attention.roll(20, -1), windows)) > 5.0


def test_the_log_mel_is_whispers() -> None:
    published = np.load(published_vocabulary().parent / "mel_filters.npz")["mel_80"]
    np.testing.assert_allclose(starter_mel.slaney_filters(), published, atol=1e-7)
    mel = starter_mel.log_mel(torch.sin(torch.arange(16_000) * 0.3))
    assert mel.shape == (100, 80)
    assert float(mel.max() - mel.min()) <= 2.0 + 1e-5


def test_eight_bit_rows_are_mlx_rows() -> None:
    mx = pytest.importorskip("mlx.core")
    rows = np.random.default_rng(1).normal(size=(5, 128)).astype(np.float32)
    packed, scales, biases = quantise(rows)
    ours = dequantise(packed, scales, biases)
    theirs = np.array(mx.dequantize(mx.array(packed), mx.array(scales), mx.array(biases), group_size=64, bits=8))
    np.testing.assert_allclose(ours, rows, atol=0.02)
    np.testing.assert_allclose(ours, theirs.astype(np.float32), atol=0.01)


def test_the_exported_model_hears_what_the_trained_one_hears(options: StarterHearingOptions, tmp_path: Path) -> None:
    mx = pytest.importorskip("mlx.core")
    whisper = pytest.importorskip("engine.hear.whisper")
    training = Training(options)
    take_steps(training, 2)
    model, speech = training.averaged_model(), held_out(training)
    export(model, speech, training.targets, tmp_path)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    weights = mx.load(str(tmp_path / "model.safetensors"))
    packed = [weights.pop(f"decoder.token_embedding.{part}") for part in ("weight", "scales", "biases")]
    weights["decoder.token_embedding.weight"] = mx.dequantize(*packed, group_size=64, bits=8)
    names = whisper.ModelDimensions.__dataclass_fields__
    theirs = whisper.Whisper(whisper.ModelDimensions(**{name: config[name] for name in names}))
    theirs.load_weights([(name, weight.astype(mx.float32)) for name, weight in weights.items()])

    mel, rows = speech.mels[0], training.targets.rows(speech.texts[0])
    tokens = [int(training.vocabulary.full_ids[row]) for row in rows]
    features = theirs.encode(mx.array(mel.numpy()))
    logits, _ = theirs.decode(mx.array([tokens]), theirs.cross_cache(features), theirs.new_cache())
    with torch.inference_mode():
        audio = model.encoder(mel[None], None)
        expected = model.logits(model.decoder(torch.tensor([rows]), audio, None)[0])[0].numpy()
    got = np.array(logits)[0]
    assert got.shape == (len(rows), FULL_VOCABULARY)
    np.testing.assert_allclose(np.array(features)[0], audio[0].numpy(), atol=0.02)
    np.testing.assert_allclose(got[:, training.vocabulary.full_ids], expected, atol=0.1)
    unused = np.delete(got, training.vocabulary.full_ids, axis=1)
    assert unused.max(axis=1).max() < got.max(axis=1).min()


def test_unused_tokens_stay_below_states_that_are_unlike_the_others() -> None:
    torch.manual_seed(1)
    shared = torch.randn(64)
    states = shared + 0.4 * torch.randn(300, 64)
    states[:3] -= 0.9 * shared
    highest = torch.full((300,), -20.0)
    highest[:3] = -24.0
    assert float((states @ unused_row(states, highest) - highest).max()) < UNUSED_MARGIN / 6


def test_a_model_that_cannot_be_exported_yet_is_trained_on(
    options: StarterHearingOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(starter_export, "unused_row", lambda states, _: states.mean(dim=0))
    monkeypatch.setattr(starter_hearing, "error_rate", lambda *_: (0.1, []))
    training = Training(replace(options, export=tmp_path / "model"))
    training.evaluate(held_out(training))
    assert "not exported: unused tokens come within" in capsys.readouterr().out
    assert not (tmp_path / "model" / "model.safetensors").exists()
    take_steps(training, 1)


def held_out(training: Training) -> HeldOutSpeech:
    from engine.recipes.espeak import Voice, espeak

    texts = ("Good morning, everyone.", "Thank you very much.", "That is good news.")
    mels = [starter_mel.log_mel(torch.from_numpy(espeak().speak(text, Voice()).samples)) for text in texts]
    return HeldOutSpeech(tuple(mels), texts)


def test_the_error_rate_counts_changed_dropped_and_added_words(options: StarterHearingOptions) -> None:
    assert edit_distance(["a", "b", "c"], ["a", "x", "c", "d"]) == 2
    training = Training(options)
    rate, pairs = error_rate(training.averaged_model(), held_out(training), training.targets)
    assert rate > 0.0
    assert pairs
