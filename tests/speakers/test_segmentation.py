from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.errors import ModelError
from engine.speakers.segmentation import FRAME_SECONDS, WINDOW_FRAMES, WINDOW_SAMPLES, Segmentation, _LstmLayer
from engine.speakers.weights import load_tensors
from tests.speakers.two_people import conversation


def test_a_layer_is_a_bidirectional_lstm() -> None:
    torch = pytest.importorskip("torch")
    tensors = load_tensors("segmentation")
    lstm = torch.nn.LSTM(256, 128, bidirectional=True, batch_first=True)
    lstm.load_state_dict(
        {name: torch.tensor(tensors[f"lstm.{name.replace('l0', 'l2')}"]) for name in lstm.state_dict()}
    )
    frames = np.random.default_rng(1).standard_normal((2, 30, 256)).astype(np.float32)
    with torch.no_grad():
        expected = lstm(torch.tensor(frames))[0].numpy()
    np.testing.assert_allclose(_LstmLayer(tensors, 2)(frames), expected, atol=5e-4)


def test_two_people_in_turn_are_two_and_silence_is_nobody() -> None:
    samples, ((_, first_end, _), (second_start, _, _), *_) = conversation()
    change = (first_end + second_start) / 2
    begin = max(0, round((change - 5) * 16_000))
    window = np.pad(samples, (0, WINDOW_SAMPLES))[begin : begin + WINDOW_SAMPLES]
    talk, silence = Segmentation()(np.stack([window, np.zeros_like(window)]))
    assert talk.shape == (WINDOW_FRAMES, 3)
    middle = round((change - begin / 16_000) / FRAME_SECONDS)
    before, after = talk[middle - 120 : middle - 40], talk[middle + 40 : middle + 120]
    assert np.argmax(before.mean(axis=0)) != np.argmax(after.mean(axis=0))
    assert before.mean(axis=0).max() > 0.5 and after.mean(axis=0).max() > 0.5
    assert silence.max() < 0.5


def test_damaged_weights_are_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "bad.safetensors").write_bytes(b"no weights")
    with pytest.raises(ModelError, match=r"bad\.safetensors, are missing or damaged\. Install Earshot again\."):
        Segmentation(tmp_path / "bad.safetensors")
