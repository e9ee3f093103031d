"""The languages on offer are those of the models that are here, and each is translated by the one that fits best."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.loading.library import add_folder
from engine.options import TranslationOptions
from engine.process.messages import TranslationChoice
from engine.translate.targets import STARTER, model_for, translation_targets
from tests.marian_models import write_firefox, write_opus
from tests.models.conftest import empty_library as empty_library

pytestmark = pytest.mark.usefixtures("empty_library")


def test_without_more_models_the_starter_and_what_ships_are_on_offer() -> None:
    assert translation_targets(STARTER) == ("de", "fr", "es", "pt")
    assert model_for(STARTER, "de") == STARTER
    assert model_for(STARTER, "pt-BR") == "starter-en-pt"
    assert model_for(STARTER, "it") == STARTER  # which then says what it cannot do


def test_a_model_that_was_added_takes_the_starters_place(tmp_path: Path) -> None:
    write_firefox(tmp_path / "mine")
    added = add_folder(tmp_path / "mine")
    assert added.kind == "language"
    assert model_for(STARTER, "de") == "mine"
    assert model_for(STARTER, "fr") == STARTER
    assert model_for(STARTER, "de", source="fr") == STARTER
    assert TranslationChoice(TranslationOptions("de")).model_used == "mine"


def test_a_chosen_model_stays_where_it_can(tmp_path: Path) -> None:
    write_opus(tmp_path / "opus")
    add_folder(tmp_path / "opus", "opus")
    write_firefox(tmp_path / "mine")
    add_folder(tmp_path / "mine")
    assert translation_targets("mine") == ("de", "pt")
    assert model_for("mine", "de") == "mine"
    assert model_for(str(tmp_path / "opus"), "de") == str(tmp_path / "opus")
    assert model_for("mine", "pt") == "starter-en-pt"


def test_a_model_that_is_not_here_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match="no model called 'nothing'"):
        translation_targets("nothing")
    assert model_for("nothing", "de") == "nothing"


def test_a_folder_whose_languages_nobody_tells_is_not_added(tmp_path: Path) -> None:
    write_firefox(tmp_path / "mine")
    (tmp_path / "mine" / "model.ende.intgemm.alphas.bin").rename(tmp_path / "mine" / "weights.bin")
    with pytest.raises(ModelError, match="Name the folder after them"):
        add_folder(tmp_path / "mine")
    (tmp_path / "mine").rename(tmp_path / "opus-mt-en-de")
    assert add_folder(tmp_path / "opus-mt-en-de").kind == "language"
