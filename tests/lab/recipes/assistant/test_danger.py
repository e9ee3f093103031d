"""The recipe for danger by its meaning: from tables and harmless sentences to a network that the engine loads."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from engine.answer.safety.meaning import starter_danger
from engine.errors import OptionError
from lab.recipes.assistant import danger
from lab.recipes.assistant.danger import DangerOptions, train
from lab.recipes.assistant.tables import NONE, Phrasing

PLACES = ("kitchen", "cellar", "garage", "bedroom", "attic", "hall", "barn", "shed", "office", "bathroom")


def write_data(folder: Path) -> Path:
    """Write a few sentences as Tatoeba and CLINC150 have them."""
    (folder / "text" / "parallel").mkdir(parents=True)
    (folder / "text" / "dialogue").mkdir()
    for pair in ("deu", "fra", "spa"):
        rows = "\n".join(f"We painted the {place}.\tSatz über {place}" for place in PLACES)
        with gzip.open(folder / "text" / "parallel" / f"tatoeba-eng-{pair}.tsv.gz", "wt", encoding="utf-8") as file:
            file.write(rows)
    sets = {"train": [[f"who cleans the {place}", "clean"] for place in PLACES], "oos_train": []}
    (folder / "text" / "dialogue" / "clinc150_data_full.json").write_text(json.dumps(sets))
    return folder


def test_what_was_learnt_is_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = [Phrasing("emergency", "en", f"someone is trapped in the {place}") for place in PLACES]
    table += [Phrasing(NONE, "en", f"someone is dancing in the {place}") for place in PLACES]
    monkeypatch.setattr(danger, "phrasings", lambda tables: iter(table))
    monkeypatch.setattr(danger, "STEPS", 120)
    told: list[str] = []
    train(DangerOptions(write_data(tmp_path / "data"), tmp_path / "out"), told.append)
    assert "20 phrasings, 10 of them of danger" in told[0]
    learnt = starter_danger(tmp_path / "out")
    found = learnt.recognise("someone is trapped in the library")
    assert found is not None and found.danger == "emergency"
    assert learnt.recognise("someone is dancing in the library") is None


def test_sentences_that_may_speak_of_danger_are_no_lesson_in_harmlessness(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    path = data / "text" / "parallel" / "tatoeba-eng-deu.tsv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("I want to die.\tIch will sterben.\nI sing.\tIch singe.")
    texts = danger.lessons(data, 1).texts
    assert "Ich singe." in texts
    assert not {"I want to die.", "Ich will sterben."} & set(texts)


def test_a_limit_is_the_lowest_that_at_most_a_share_of_the_harmless_reaches() -> None:
    harmless = np.arange(200, dtype=np.float32) / np.float32(200)
    for share in (0.0, 0.01, 0.1):
        limit = danger.least_above(harmless, share)
        assert (harmless >= limit).mean() <= share < (harmless >= limit - 0.0051).mean()


def test_a_folder_without_texts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="text/"):
        DangerOptions(tmp_path, tmp_path)
