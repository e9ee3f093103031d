"""The mean of several models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from app.terminal.cli import main
from engine.language.language_model import load_language_model
from tests.language_models import write_language_model


def weights(folder: Path, value: float, shape: tuple[int, ...] = (2, 3)) -> Path:
    folder.mkdir()
    save_file({"a": np.full(shape, value, np.float16)}, folder / "model.safetensors")
    (folder / "config.json").write_text(f'{{"value": {value}}}', encoding="utf-8")
    return folder


def test_every_weight_is_the_mean_and_the_rest_the_first_ones(tmp_path: Path) -> None:
    one, two = weights(tmp_path / "one", 1.0), weights(tmp_path / "two", 4.0)
    out = tmp_path / "mean"
    assert main(["train", "average", "--models", str(one), str(two), "--export", str(out)]) == 0
    (tensor,) = load_file(out / "model.safetensors").values()
    assert tensor.dtype == np.float16
    assert (tensor == 2.5).all()
    assert (out / "config.json").read_text(encoding="utf-8") == '{"value": 1.0}'


def test_the_mean_of_a_model_with_itself_is_that_model(tmp_path: Path) -> None:
    folder = write_language_model(tmp_path / "model")
    twin = tmp_path / "twin"
    assert main(["train", "average", "--models", str(folder), str(folder), "--export", str(twin)]) == 0
    models = load_language_model(folder), load_language_model(twin)
    first, second = (model.logits([1, 2, 3], model.new_cache(), 3) for model in models)
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("others", "code", "complaint"),
    [([], 2, "at least two"), (["small"], 1, "are not of one shape"), (["none"], 1, "holds no model.safetensors")],
)
def test_what_has_no_mean_is_refused(
    tmp_path: Path, others: list[str], code: int, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    weights(tmp_path / "one", 1.0)
    weights(tmp_path / "small", 1.0, (2,))
    models = [str(tmp_path / name) for name in ["one", *others]]
    assert main(["train", "average", "--models", *models, "--export", str(tmp_path / "out")]) == code
    assert complaint in capsys.readouterr().err


def test_a_model_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = weights(tmp_path / "one", 1.0), weights(tmp_path / "two", 4.0)
    assert main(["train", "average", "--models", str(one), str(two), "--export", str(one)]) == 2
    assert "must be another folder" in capsys.readouterr().err
