"""Paddings compared: word errors and computation of one model after each of them (WhisperFlow's table 1 and figure 11).

Without a model of one's own, a small sibling of Whisper is trained first, padded to its full window only as the
published models were (engine.recipes.padded_sibling), and then its hush word, on short utterances alone: what it does
for longer ones it was not trained to do. Texts are what the decoder writes greedily; nothing is cut off or tried again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.audio import SAMPLE_RATE_HZ
from engine.bench.tables import Cell, percent, table
from engine.errors import EngineError
from engine.hear.decode import untaught_tokens
from engine.hear.hush import HushWord, find_hush_word, load_hush_word
from engine.hear.padding import SAMPLES_PER_FRAME, make_padding
from engine.metrics import WordErrors, word_errors
from engine.models.load import HearingModel, load_hearing_model
from engine.recipes import padded_sibling
from engine.recipes.hush_word import HUSH_FILE, HushWordOptions, Recording, read_recordings, train
from engine.recipes.padding_errors import heard_text

Report = Callable[[str], None]
PADDINGS = ("full", "none", "zeros:0.5", "zeros:1", "noise:0.5", "hush", "silence_cache")
FIGURES = {
    "wer_full": "full",
    "wer_none": "none",
    "wer_zeros": "zeros:0.5",  # as much as the hush word takes
    "wer_noise": "noise:0.5",
    "wer_hush": "hush",
    "wer_silence_cache": "silence_cache",
}
SIBLING_STEPS, SIBLING_HUSH_STEPS = 900, 600  # by steps, so that a busy machine comes to the same figures, later
SIBLING_SHARE = 0.75  # of the minutes, where they are given instead
USER_MINUTES = 30.0
SIBLING_HUSH_SECONDS = (0.4, 3.2)
SIBLING_EDGES = (1.2, 2.2, 3.2, padded_sibling.LONGEST_SPEECH_SECONDS)
EDGES = (3.0, 6.0, 10.0, 15.0, 30.0)
QUICK_SIBLING_STEPS, QUICK_HUSH_STEPS, QUICK_CLIPS = 4, 3, 8
TEST_CLIPS = 160
TEST_SEED = 977


@dataclass(frozen=True, slots=True)
class PaddingResult:
    """What came of one padding.

    Attributes:
        errors: by the first of `edges` that a clip is no longer than.
        macs: multiply-accumulates of the encoder for all clips, by formula.
        surplus: words that were heard beyond those said, where more were heard: what a model makes up.
    """

    padding: str
    edges: tuple[float, ...]
    errors: tuple[WordErrors, ...]
    macs: int
    surplus: int

    @property
    def all(self) -> WordErrors:
        return sum(self.errors, start=WordErrors())


@dataclass(frozen=True, slots=True)
class Comparison:
    """A model and its hush word, measured with every padding."""

    model: str
    trained_seconds: tuple[float, float]
    results: tuple[PaddingResult, ...]
    quick: bool = False


def with_sibling(out: Path, report: Report, *, minutes: float | None = None, quick: bool = False) -> Comparison:
    """Train a sibling and its hush word, unless `out` holds them, and compare the paddings.

    `minutes` is what both trainings may take together; without it they take as long as they need.
    """
    steps = (QUICK_SIBLING_STEPS, QUICK_HUSH_STEPS) if quick else (SIBLING_STEPS, SIBLING_HUSH_STEPS)
    sibling_steps, hush_steps = (None, None) if minutes and not quick else steps
    minutes = minutes or 1.0  # not looked at where there are steps
    out = out / "quick" if quick else out
    folder = out / "sibling"
    if not (folder / "config.json").is_file():
        options = padded_sibling.SiblingOptions(
            minutes=SIBLING_SHARE * minutes, steps=sibling_steps, utterances=64 if quick else 3000
        )
        padded_sibling.save(padded_sibling.train(options, report), folder)
    hearing = load_hearing_model(folder)
    shortest, longest = SIBLING_HUSH_SECONDS
    hush_options = HushWordOptions(
        out / "hush_word", minutes=(1 - SIBLING_SHARE) * minutes, steps=hush_steps,
        shortest_seconds=shortest, longest_seconds=longest, timestamps=0.0, peak_rate=1e-3,
    )  # fmt: skip
    spoken = padded_sibling.speak(48 if quick else 1000, seed=11, seconds=SIBLING_HUSH_SECONDS)
    word = _hush_word(hearing, [_recorded(one, index) for index, one in enumerate(spoken)], hush_options, report)
    clips = padded_sibling.speak(QUICK_CLIPS if quick else TEST_CLIPS, seed=TEST_SEED)
    results = measure(hearing, word, [_recorded(one, index) for index, one in enumerate(clips)], SIBLING_EDGES, report)
    return Comparison("sibling", SIBLING_HUSH_SECONDS, results, quick)


def with_model(
    model: str, manifest: Path, out: Path, report: Report, *, minutes: float | None = None, quick: bool = False
) -> Comparison:
    """Compare the paddings on a fifth of a manifest, with the model's hush word, else one trained on the rest.

    `minutes` asks for a new one in any case. EngineError where model or data are no good.
    """
    hearing = load_hearing_model(model)
    recordings = read_recordings(manifest, hearing.languages)
    test = [one for one in recordings if _is_test(one)]
    rest = [one for one in recordings if not _is_test(one)]
    if not test:
        raise EngineError(f"{manifest} names too few recordings to measure with; a fifth of them is kept for that.")
    options = HushWordOptions(out, minutes=minutes or USER_MINUTES, steps=QUICK_HUSH_STEPS if quick else None)
    word = None if minutes or quick else find_hush_word(hearing)
    word = word or _hush_word(hearing, rest, options, report)
    longest = hearing.model.dims.n_audio_ctx * SAMPLES_PER_FRAME / SAMPLE_RATE_HZ
    test = [one for one in test if len(one.listen()) <= longest * SAMPLE_RATE_HZ][
        : QUICK_CLIPS if quick else TEST_CLIPS
    ]
    results = measure(hearing, word, test, EDGES, report)
    return Comparison(hearing.name, (options.shortest_seconds, options.longest_seconds), results, quick)


def measure(
    hearing: HearingModel,
    word: HushWord,
    clips: Sequence[Recording],
    edges: Sequence[float],
    report: Report,
    paddings: Sequence[str] = PADDINGS,
) -> tuple[PaddingResult, ...]:
    """Hear every clip after every padding."""
    forbidden = untaught_tokens(hearing.model)
    ready = [make_padding(hearing, option, word) for option in paddings]
    errors = [[WordErrors() for _ in edges] for _ in paddings]
    surplus = [0 for _ in paddings]
    macs = [0 for _ in paddings]
    for number, clip in enumerate(clips, 1):
        samples = clip.listen()
        place = next((i for i, edge in enumerate(edges) if len(samples) <= edge * SAMPLE_RATE_HZ), len(edges) - 1)
        for index, padding in enumerate(ready):
            text = heard_text(hearing, padding, samples, clip.language, forbidden)
            found = word_errors(clip.text, text, clip.language)
            errors[index][place] += found
            surplus[index] += max(0, found.insertions - found.deletions)
            macs[index] += padding.macs(hearing.model, len(samples))
        report(f"heard {number} of {len(clips)} clips")
    rows = zip(paddings, errors, macs, surplus, strict=True)
    return tuple(PaddingResult(name, tuple(edges), tuple(found), cost, made) for name, found, cost, made in rows)


def figures(comparison: Comparison) -> dict[str, object]:
    """The headline numbers, by name; gmacs_ratio is how many times less the encoder computes with the hush word."""
    by_name = {result.padding: result for result in comparison.results}
    named: dict[str, object] = {
        name: round(by_name[padding].all.rate, 4) for name, padding in FIGURES.items() if padding in by_name
    }
    named["gmacs_ratio"] = round(by_name["full"].macs / by_name["hush"].macs, 3)
    named["words"] = by_name["full"].all.reference_words
    return named | ({"quick": True} if comparison.quick else {})


def report(comparison: Comparison) -> str:
    """Two tables for a person: all clips, then by length."""
    shortest, longest = comparison.trained_seconds
    full = next(result.macs for result in comparison.results if result.padding == "full")
    rows: list[tuple[Cell, ...]] = [
        (
            result.padding,
            percent(result.all.rate),
            percent(result.surplus / max(1, result.all.reference_words)),
            result.macs / 1e9,
            percent(result.macs / full),
        )
        for result in comparison.results
    ]
    whole = table(("padding", "WER", "made up", "encoder GMACs", "of full"), rows)
    used = [i for i in range(len(comparison.results[0].edges)) if comparison.results[0].errors[i].reference_words]
    edges = comparison.results[0].edges
    headers = [f"{edges[i - 1] if i else 0:g}-{edges[i]:g} s" for i in used]
    lengths = [(result.padding, *(percent(result.errors[i].rate) for i in used)) for result in comparison.results]
    words = comparison.results[0].all.reference_words
    lines = [
        f"{comparison.model}: {words} words; 'made up' are words beyond those said.",
        whole,
        f"WER by length of the audio; the hush word was trained on {shortest:g} to {longest:g} s.",
        table(("padding", *headers), lengths),
    ]
    if comparison.quick:
        lines.append("A quick run: nothing was trained long enough for these figures to say anything.\n")
    return "\n".join(lines)


def _hush_word(
    hearing: HearingModel, recordings: Sequence[Recording], options: HushWordOptions, report: Report
) -> HushWord:
    """The hush word in the run's folder if it is this model's and no other was asked for, else a new one."""
    path = options.out / HUSH_FILE
    if path.is_file():
        try:
            return load_hush_word(path, hearing)
        except EngineError:  # of a model that was trained there before
            options = replace(options, resume=False)
    return train(hearing, recordings, options, report)


def _recorded(spoken: padded_sibling.Spoken, seed: int) -> Recording:
    """An utterance as a recording that ends with the last word; without word times, so that it is used whole."""
    samples, _ = padded_sibling.record(spoken, np.random.default_rng(seed))
    return Recording(spoken.text, samples=samples)


def _is_test(recording: Recording) -> bool:
    return hashlib.sha256(recording.text.encode()).digest()[0] % 5 == 0
