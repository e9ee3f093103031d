"""Paddings compared: word errors and computation of one model after each of them (WhisperFlow's table 1 and figure 11).

Texts are what the decoder writes greedily; nothing is cut off or tried again. The peer hears with the full window, as
it always does, with its five candidates and its own fallback.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.audio import SAMPLE_RATE_HZ
from engine.bench.captions.clips import Clip
from engine.bench.captions.methods import PEER
from engine.bench.errors import BenchError
from engine.bench.tables import Cell, percent, rounded, table
from engine.events import text_of
from engine.hear.recognizer import Recognizer
from engine.hear.whisper.decode import untaught_tokens
from engine.hear.whisper.hush import find_hush_word
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.measured_padding import MeasuredPadding
from engine.hear.whisper.padding import SAMPLES_PER_FRAME, make_padding
from engine.metrics import WordErrors, word_errors
from engine.recipes.speech.padding_errors import heard_text

Report = Callable[[str], None]
PADDINGS = ("full", "none", "zeros:0.5", "zeros:1", "noise:0.5", "hush", "silence_cache")
FIGURES = {
    "wer_full": "full",
    "wer_none": "none",
    "wer_zeros": "zeros:0.5",  # as much as the hush word takes
    "wer_noise": "noise:0.5",
    "wer_hush": "hush",
    "wer_silence_cache": "silence_cache",
    "wer_peer": PEER,
}
EDGES = (3.0, 6.0, 10.0, 15.0, 30.0)


@dataclass(frozen=True, slots=True)
class PaddingResult:
    """The outcome of one padding, or of the peer.

    Attributes:
        padding: its name, or the peer's.
        errors: by the first of EDGES that a clip is no longer than.
        macs: multiply-accumulates of the encoder for all clips, by formula.
        surplus: words that were heard beyond those said, where more were heard: what a model makes up.
    """

    padding: str
    errors: tuple[WordErrors, ...]
    macs: int
    surplus: int

    @property
    def all(self) -> WordErrors:
        return sum(self.errors, start=WordErrors())


def usable_paddings(hearing: HearingModel) -> tuple[str, ...]:
    """All paddings, but for the hush word where the model has none. ModelError where the one it has is damaged."""
    return tuple(name for name in PADDINGS if name != "hush" or find_hush_word(hearing) is not None)


def measure(
    hearing: HearingModel,
    clips: Sequence[Clip],
    paddings: Sequence[str],
    report: Report,
    peer: Recognizer | None = None,
) -> tuple[PaddingResult, ...]:
    """Hear every clip that fits into the model's window after every padding, and with the peer where there is one.

    Raises:
        BenchError: where none fits.
    """
    longest = hearing.model.dims.n_audio_ctx * SAMPLES_PER_FRAME
    forbidden = untaught_tokens(hearing.model)
    ready = [(option, make_padding(hearing, option)) for option in paddings]
    if peer:
        ready.append((PEER, make_padding(hearing, "full")))
    errors = [[WordErrors() for _ in EDGES] for _ in ready]
    surplus, macs = [0 for _ in ready], [0 for _ in ready]
    fitting = 0
    for number, clip in enumerate(clips, 1):
        samples = clip.listen()
        if len(samples) > longest:
            continue
        fitting += 1
        place = next((i for i, edge in enumerate(EDGES) if len(samples) <= edge * SAMPLE_RATE_HZ), len(EDGES) - 1)
        for index, (name, padding) in enumerate(ready):
            if peer and name == PEER:
                text = text_of(peer.hear(samples, offset_seconds=0.0, prompt="", language=clip.language).words)
            else:
                text = heard_text(hearing, padding, samples, clip.language, forbidden)
            found = word_errors(clip.text, text, clip.language)
            errors[index][place] += found
            surplus[index] += max(0, found.insertions - found.deletions)
            macs[index] += padding.macs(hearing.model.dims, len(samples))
        report(f"heard {number} of {len(clips)} recordings")
    if not fitting:
        raise BenchError(
            f"Every recording is longer than {longest / SAMPLE_RATE_HZ:g} s, which is all the model hears."
        )
    rows = zip(ready, errors, macs, surplus, strict=True)
    return tuple(PaddingResult(name, tuple(found), cost, made) for (name, _), found, cost, made in rows)


def figures(results: Sequence[PaddingResult]) -> dict[str, Cell]:
    """The headline numbers; None for a padding that was not measured.

    `gmacs_ratio` is how many times less the encoder computes with the hush word than with the full window.
    """
    by_name = {result.padding: result for result in results}
    found: dict[str, Cell] = {
        name: rounded(by_name[padding].all.rate) if padding in by_name else None for name, padding in FIGURES.items()
    }
    full, hush = by_name["full"], by_name.get("hush")
    found["gmacs_ratio"] = rounded(full.macs / hush.macs) if hush else None
    found["words"] = full.all.reference_words
    return found


def measured_padding(hearing: HearingModel, results: Sequence[PaddingResult], audio: str) -> MeasuredPadding:
    """The table by which the model's padding is chosen from now on."""
    own = [result for result in results if result.padding != PEER]
    word_errors = {result.padding: round(result.all.rate, 4) for result in own}
    gmacs = {result.padding: round(result.macs / 1e9, 2) for result in own}
    return MeasuredPadding(hearing.name, audio, word_errors, gmacs)


def report(results: Sequence[PaddingResult]) -> str:
    """Two tables for a person: all clips, then by length."""
    full = next(result.macs for result in results if result.padding == "full")
    rows: list[tuple[Cell, ...]] = [
        (
            result.padding,
            percent(result.all.rate),
            percent(result.surplus / max(1, result.all.reference_words)),
            result.macs / 1e9,
            percent(result.macs / full),
        )
        for result in results
    ]
    used = [i for i in range(len(EDGES)) if results[0].errors[i].reference_words]
    headers = [f"{EDGES[i - 1] if i else 0:g}-{EDGES[i]:g} s" for i in used]
    lengths = [(result.padding, *(percent(result.errors[i].rate) for i in used)) for result in results]
    lines = [
        table(("padding", "WER", "made up", "encoder GMACs", "of full"), rows),
        "WER by length of the audio:",
        table(("padding", *headers), lengths),
        f"{results[0].all.reference_words} words; 'made up' are words beyond those said.\n",
    ]
    return "\n".join(lines)
