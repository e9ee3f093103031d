"""Models that write English of other languages, recognised without loading them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.models.into_english import translates_into_english


@pytest.mark.parametrize(
    ("name", "does"),
    [("starter", False), ("tiny.en", False), ("base", True), ("large-v3", True), ("large-v3-turbo", False)],
)
def test_of_the_catalogue_those_that_know_several_languages_do_but_for_turbo(name: str, does: bool) -> None:
    assert translates_into_english(name) == does


@pytest.mark.parametrize(
    ("config", "does"),
    [
        ({"n_vocab": 51864}, False),
        ({"n_vocab": 51865, "n_text_state": 512, "n_text_layer": 6}, True),
        ({"model_type": "whisper", "vocab_size": 51866, "d_model": 1280, "decoder_layers": 32}, True),
        ({"model_type": "whisper", "vocab_size": 51866, "d_model": 1280, "decoder_layers": 4}, False),
        ({"model_type": "speech_llama", "vocab_size": 60000}, False),
        ({}, True),
        ([], True),
    ],
)
def test_a_folder_says_it_by_its_vocabulary_and_its_layers(config: object, does: bool, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert translates_into_english(str(tmp_path)) == does


def test_a_model_that_is_not_there_is_told() -> None:
    with pytest.raises(ModelError):
        translates_into_english("no such model")
