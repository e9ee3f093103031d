"""Measures a run of the starter hearing model on all held-out speech, for its model card."""

from __future__ import annotations

import argparse
import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from engine.recipes.espeak import Voice
from engine.recipes.starter_evaluation import HeldOutSpeech, error_rate, normalise, transcribe_all
from engine.recipes.starter_examples import Targets
from engine.recipes.starter_mel import log_mel
from engine.recipes.starter_model import HearingModel, HearingShape
from engine.recipes.starter_people import HELD_OUT_SPEAKERS, load, recordings
from engine.recipes.starter_text import training_sentences
from engine.recipes.starter_tokens import Vocabulary, load_encoding, published_vocabulary

# The last two voices are never trained on.
VOICES = ("en-us", "en-us+f3", "en-us+m3", "en-us+m8", "en-us+Annie")
PEOPLE = 60  # recordings of held-out speakers
LONGEST_SECONDS = 12.0
RARITIES = (0, 3, 12, 50, 100, 300)  # training sentences that hold a word, at most; others are common


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


@dataclass(frozen=True, slots=True)
class Rarity:
    """How words were heard that so many training sentences hold, at most; None where there is no most."""

    most: int | None
    words: int
    wrong: int


def by_rarity(pairs: Iterable[tuple[str, str]], training: Sequence[str]) -> list[Rarity]:
    """Count the words that were said, and those of them that were not heard, by how rare they are in training."""
    known = Counter(word for sentence in training for word in set(normalise(sentence)))
    words, wrong = Counter[int](), Counter[int]()
    for said, got in pairs:
        split = normalise(said)
        kinds = [bisect_left(RARITIES, known[word]) for word in split]
        words.update(kinds)
        matched = difflib.SequenceMatcher(None, split, normalise(got), autojunk=False).get_opcodes()
        wrong.update(kind for how, start, end, _, _ in matched if how != "equal" for kind in kinds[start:end])
    return [Rarity(most, words[kind], wrong[kind]) for kind, most in enumerate((*RARITIES, None))]


def rarity_report(run: Path, data: Path, vocabulary_file: Path | None, count: int) -> Iterator[str]:
    """Say how rare the words are that are misheard in the built-in voice."""
    model, targets = load_run(run, vocabulary_file)
    speech = HeldOutSpeech.make(data, count)
    heard = transcribe_all(model, speech, targets)
    for each in by_rarity(zip(speech.texts, heard, strict=True), training_sentences(data)):
        named = "more" if each.most is None else f"at most {each.most}"
        yield f"in {named} training sentences: {each.wrong} of {each.words} words wrong"


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, default=Path("starter-hearing-run"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vocabulary-file", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--rarity", action="store_true", help="the errors by how rare the words are, in one voice")
    options = parser.parse_args()
    asked = (options.run, options.data, options.vocabulary_file, options.count)
    for line in rarity_report(*asked) if options.rarity else (f"{name}: {rate:.1%}" for name, rate in report(*asked)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
