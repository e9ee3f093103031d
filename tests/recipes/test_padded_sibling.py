"""The sibling is a Whisper like any other, trained on full windows alone."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

pytest.importorskip("espeakng_loader", reason="the sibling learns from espeak-ng's voice")

from engine.errors import OptionError
from engine.models.load import load_hearing_model
from engine.recipes.padded_sibling import (
    DIMENSIONS,
    IGNORE,
    LONGEST_SPEECH_SECONDS,
    WINDOW_SECONDS,
    WORDS,
    Sibling,
    SiblingOptions,
    Vocabulary,
    collate,
    encode,
    record,
    save,
    speak,
    train,
)


def test_utterances_end_with_their_last_word() -> None:
    for spoken in speak(12, seed=3):
        assert set(spoken.text.split()) <= set(WORDS)
        assert len(spoken.words) == len(spoken.text.split())
        assert spoken.seconds <= LONGEST_SPEECH_SECONDS
        assert spoken.words[-1][1] == pytest.approx(spoken.seconds, abs=0.01)
        times = [moment for word in spoken.words for moment in word]
        assert times == sorted(times)


def test_some_utterances_pause() -> None:
    gaps = [
        after[0] - before[1]
        for spoken in speak(30, seed=4)
        for before, after in zip(spoken.words, spoken.words[1:], strict=False)
    ]
    assert any(gap > 0.3 for gap in gaps) and any(gap < 0.1 for gap in gaps)


def test_every_example_is_a_whole_window_that_ends_in_silence() -> None:
    vocabulary = Vocabulary()
    spoken = speak(4, seed=5)
    batch = collate(spoken, vocabulary, np.random.default_rng(0))
    assert batch.mel.shape == (4, 100 * WINDOW_SECONDS, DIMENSIONS.n_mels)
    quiet = batch.mel.min(axis=(1, 2), keepdims=True)
    assert mx.all(batch.mel[:, -10:] == quiet).item()
    opening = len(vocabulary.opening)
    for row, one in enumerate(spoken):
        said = [int(target) for target in batch.targets[row, opening - 1 :].tolist() if target != IGNORE]  # type: ignore[union-attr]
        tokens = [int(vocabulary.kept[target]) for target in said]
        assert vocabulary.tokenizer.decode(tokens).strip() == one.text
        assert tokens[-1] == vocabulary.tokenizer.eot


def test_half_of_the_recordings_have_the_noise_of_a_room() -> None:
    (spoken,) = speak(1, seed=6)
    noise = np.random.default_rng(0)
    recorded = [record(spoken, noise, after_seconds=0.2) for _ in range(40)]
    noisy = sum(bool(samples[-3000:].any()) for samples, _ in recorded)
    assert 10 <= noisy <= 30
    assert all(0 <= late <= 0.25 for _, late in recorded)


def test_training_encodes_as_hearing_does() -> None:
    sibling = Sibling(Vocabulary())
    mel = mx.random.normal((2, 100 * WINDOW_SECONDS, DIMENSIONS.n_mels))
    assert mx.allclose(encode(sibling.whisper.encoder, mel), sibling.whisper.encoder(mel), atol=1e-4).item()


def test_a_sibling_learns_and_is_kept_as_it_is(tmp_path: Path) -> None:
    options = SiblingOptions(steps=12, utterances=32)
    said: list[str] = []
    sibling = train(options, said.append)
    batch = collate(speak(8, seed=7), Vocabulary(), np.random.default_rng(1))
    mx.random.seed(options.seed)
    fresh = Sibling(Vocabulary())
    assert sum(sibling.losses(batch)).item() < 0.9 * sum(fresh.losses(batch)).item()  # type: ignore[attr-defined]
    loaded = load_hearing_model(save(sibling, tmp_path / "sibling"))
    mel = batch.mel[:1]
    assert mx.allclose(loaded.model.encode(mel), sibling.whisper.encoder(mel), atol=1e-4).item()
    tokens = mx.array([[int(token) for token in Vocabulary().kept[:5]]])
    logits = [
        model.decode(tokens, model.cross_cache(model.encode(mel)), model.new_cache())[0]
        for model in (loaded.model, sibling.whisper)
    ]
    assert mx.allclose(*logits, atol=1e-3).item()


@pytest.mark.parametrize("bad", [{"minutes": 0}, {"minutes": float("nan")}, {"steps": 0}, {"utterances": 3}])
def test_bad_options_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(OptionError, match="must be positive"):
        SiblingOptions(**bad)  # type: ignore[arg-type]
