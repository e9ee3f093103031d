"""Measures a run of the starter hearing model on all held-out speech, for its model card."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import torch

from engine.recipes.espeak import Voice
from engine.recipes.starter_evaluation import HeldOutSpeech, error_rate
from engine.recipes.starter_examples import Targets
from engine.recipes.starter_mel import log_mel
from engine.recipes.starter_model import HearingModel, HearingShape
from engine.recipes.starter_people import HELD_OUT_SPEAKERS, load, recordings
from engine.recipes.starter_tokens import Vocabulary, load_encoding, published_vocabulary

# The last two voices are never trained on.
VOICES = ("en-us", "en-us+f3", "en-us+m3", "en-us+m8", "en-us+Annie")
PEOPLE = 60  # recordings of held-out speakers
LONGEST_SECONDS = 12.0


def load_run(run: Path, vocabulary_file: Path | None) -> tuple[HearingModel, Targets]:
    """Load the averaged model of a run's checkpoint."""
    saved = torch.load(run / "checkpoint.pt", weights_only=True)
    vocabulary = Vocabulary(tuple(saved["kept"]))
    shape = dict(saved["shape"])
    shape["guided_heads"] = tuple((layer, head) for layer, head in shape["guided_heads"])
    model = HearingModel(HearingShape(**shape))
    model.load_state_dict(saved["average"])
    encoding = load_encoding(vocabulary_file or published_vocabulary())
    return model.eval(), Targets(encoding, vocabulary)


def held_out_people(data: Path, count: int) -> HeldOutSpeech:
    """Recordings of the held-out speakers of LibriSpeech."""
    chosen = [recording for recording in recordings(data) if recording.speaker in HELD_OUT_SPEAKERS]
    pairs = [(log_mel(torch.from_numpy(load(recording.file))), recording.text) for recording in chosen]
    pairs = [pair for pair in pairs if len(pair[0]) <= LONGEST_SECONDS * 100][:count]
    pairs.sort(key=lambda pair: len(pair[0]))
    return HeldOutSpeech(tuple(mel for mel, _ in pairs), tuple(text for _, text in pairs))


def report(run: Path, data: Path, vocabulary_file: Path | None, count: int) -> Iterator[tuple[str, float]]:
    """Give each held-out set's name and word error rate."""
    model, targets = load_run(run, vocabulary_file)
    for voice in VOICES:
        speech = HeldOutSpeech.make(data, count, (Voice(voice),))
        yield voice, error_rate(model, speech, targets)[0]
    yield "LibriSpeech speakers", error_rate(model, held_out_people(data, PEOPLE), targets, size=10)[0]


if __name__ == "__main__":
    _parser = argparse.ArgumentParser(description=__doc__)
    _parser.add_argument("--run", type=Path, default=Path("starter-hearing-run"))
    _parser.add_argument("--data", type=Path, required=True)
    _parser.add_argument("--vocabulary-file", type=Path)
    _parser.add_argument("--count", type=int, default=200)
    _options = _parser.parse_args()
    for _name, _rate in report(_options.run, _options.data, _options.vocabulary_file, _options.count):
        print(f"{_name}: {_rate:.1%}", flush=True)
