"""A little data folder and a few recordings for the recipes' tests."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import soundfile

from engine.audio import SAMPLE_RATE_HZ

SENTENCES = (
    "Good morning, everyone.",
    "Can you hear me?",
    "Let's start the meeting.",
    "I need to finish the report by Friday.",
    "She will be very happy.",
    "That is good news.",
    "He arrived at the station at seven.",
    "Do they work without the internet?",
    "I could not afford to buy a bicycle.",
    "Thank you very much.",
    "We still have a lot of work to do.",
    "The captions appear while we are speaking.",
)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a dozen sentences."""
    root = tmp_path_factory.mktemp("data")
    (root / "text" / "parallel").mkdir(parents=True)
    (root / "text" / "dialogue").mkdir()
    with gzip.open(root / "text" / "parallel" / "tatoeba-eng-deu.tsv.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(f"{sentence}\tEgal.\n" for sentence in SENTENCES)
    turns = [{"speaker": "user", "text": "one latte please"}, {"speaker": "assistant", "text": "Sure. Is that all?"}]
    record = json.dumps({"id": "a", "turns": turns})
    (root / "text" / "dialogue" / "orders.jsonl").write_text(record + "\n", encoding="utf-8")
    return root


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A manifest of those sentences in the built-in voice, which the toy hears."""
    pytest.importorskip("espeakng_loader", reason="the recordings are made by espeak-ng")
    from lab.recipes.speech.espeak import SyntheticVoice, espeak

    folder = tmp_path_factory.mktemp("recordings")
    lines = []
    for number, sentence in enumerate(SENTENCES):
        soundfile.write(folder / f"{number}.wav", espeak().speak(sentence, SyntheticVoice()).samples, SAMPLE_RATE_HZ)
        lines.append(json.dumps({"file": f"{number}.wav", "text": sentence}))
    (folder / "manifest.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder / "manifest.jsonl"
