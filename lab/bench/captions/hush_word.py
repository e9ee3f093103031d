"""Paddings compared: word errors and computation of one model after each of them (WhisperFlow's table 1 and figure 11).

Texts are what the decoder writes greedily; nothing is left out or tried again. The peer hears with the full window, as
it always does, with its five candidates and its own fallback. Every clip is heard as a whole, and cut off at random
inside a word and between two, as the rounds of live captions hear it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.terminal.tables import Cell, table
from engine.audio import SAMPLE_RATE_HZ
from engine.events import text_of
from engine.hear.recognizer import Recognizer
from engine.hear.whisper.decode import untaught_tokens
from engine.hear.whisper.hush import find_hush_word
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.measured_padding import MeasuredPadding
from engine.hear.whisper.padding import SAMPLES_PER_FRAME, Padding, make_padding
from engine.metrics import WordErrors, word_errors
from lab.bench.captions.clips import Clip
from lab.bench.captions.methods import PEER
from lab.bench.captions.word_times import with_word_times
from lab.bench.errors import BenchError
from lab.bench.intervals import difference_interval
from lab.bench.tables import percent, rounded
from lab.recipes.speech.cut_off import cut_off
from lab.recipes.speech.padding_errors import heard_text

Report = Callable[[str], None]
ALONE = "hush, alone"
"""The hush word without the keys and values that were trained with it; as published, a word is trained without."""

PADDINGS = ("full", "none", "zeros:0.5", "zeros:1", "noise:0.5", "hush", ALONE, "silence_cache")
FIGURES = {
    "wer_full": "full",
    "wer_none": "none",
    "wer_zeros": "zeros:0.5",  # as much as the hush word takes
    "wer_noise": "noise:0.5",
    "wer_hush": "hush",
    "wer_hush_alone": ALONE,
    "wer_silence_cache": "silence_cache",
    "wer_peer": PEER,
}
CUT_FIGURES = {name.replace("wer", "cut_wer"): padding for name, padding in FIGURES.items() if padding != PEER}


@dataclass(frozen=True, slots=True)
class PaddingResult:
    """The outcome of one padding, or of the peer.

    Attributes:
        padding: its name, or the peer's.
        each: the errors of each clip.
        cut: those of each part of a clip; the peer hears none.
        macs: multiply-accumulates of the encoder for all clips, by formula.
    """

    padding: str
    each: tuple[WordErrors, ...]
    macs: int
    cut: tuple[WordErrors, ...] = ()

    @property
    def errors(self) -> WordErrors:
        """Return the errors of all clips."""
        return sum(self.each, start=WordErrors())

    @property
    def cut_errors(self) -> WordErrors:
        """Return the errors of all that was cut off."""
        return sum(self.cut, start=WordErrors())


def usable_paddings(hearing: HearingModel) -> tuple[str, ...]:
    """Return all paddings, but for the hush word where the model has none, and it alone where nothing is kept with it.

    Raises:
        ModelError: the hush word is damaged.
    """
    word = find_hush_word(hearing)
    known = {"hush": word is not None, ALONE: word is not None and word.kept is not None}
    return tuple(name for name in PADDINGS if known.get(name, True))


def padding_of(hearing: HearingModel, option: str) -> Padding:
    """Return a padding of the bench for a model. Raises as `make_padding` does."""
    word = find_hush_word(hearing)
    if option == ALONE and word is not None:
        return make_padding(hearing, "hush", replace(word, kept=None))
    return make_padding(hearing, option)


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
    ready = [(option, padding_of(hearing, option)) for option in paddings]
    if peer:
        ready.append((PEER, make_padding(hearing, "full")))
    whole: list[list[WordErrors]] = [[] for _ in ready]
    cut: list[list[WordErrors]] = [[] for _ in ready]
    macs = [0 for _ in ready]
    fitting = 0
    for number, clip in enumerate(clips, 1):
        samples = clip.listen()
        if len(samples) > longest:
            continue
        fitting += 1
        timed = with_word_times(clip, hearing)
        parts = list(cut_off(samples, timed.words, clip.language, clip.name))
        for index, (name, padding) in enumerate(ready):
            if peer and name == PEER:
                text = text_of(peer.hear(samples, offset_seconds=0.0, prompt="", language=clip.language).words)
            else:
                text = heard_text(hearing, padding, samples, clip.language, forbidden)
                cut[index] += [
                    part.errors(heard_text(hearing, padding, part.samples, clip.language, forbidden)) for part in parts
                ]
            whole[index].append(word_errors(clip.text, text, clip.language))
            macs[index] += padding.macs(hearing.model.dims, len(samples))
        report(f"heard {number} of {len(clips)} recordings")
    if not fitting:
        raise BenchError(
            f"Every recording is longer than {longest / SAMPLE_RATE_HZ:g} s, which is all the model hears."
        )
    rows = zip(ready, whole, macs, cut, strict=True)
    return tuple(PaddingResult(name, tuple(found), cost, tuple(ends)) for (name, _), found, cost, ends in rows)


def figures(results: Sequence[PaddingResult]) -> dict[str, Cell]:
    """Return the headline numbers; None for a padding that was not measured.

    `gmacs_ratio` is how many times less the encoder computes with the hush word than with the full window.
    """
    by_name = {result.padding: result for result in results}
    found: dict[str, Cell] = {
        name: rounded(by_name[padding].errors.rate) if padding in by_name else None for name, padding in FIGURES.items()
    }
    for name, padding in CUT_FIGURES.items():
        found[name] = rounded(by_name[padding].cut_errors.rate) if padding in by_name else None
    full, hush = by_name["full"], by_name.get("hush")
    found["gmacs_ratio"] = rounded(full.macs / hush.macs) if hush else None
    found["words"], found["cut_words"] = full.errors.reference_words, full.cut_errors.reference_words
    return found


def measured_padding(hearing: HearingModel, results: Sequence[PaddingResult], audio: str) -> MeasuredPadding:
    """Return the table by which the model's padding is chosen from now on."""
    own = [result for result in results if result.padding not in (PEER, ALONE)]
    word_errors = {result.padding: round(result.errors.rate, 4) for result in own}
    gmacs = {result.padding: round(result.macs / 1e9, 2) for result in own}
    cut_errors = {result.padding: round(result.cut_errors.rate, 4) for result in own if result.cut}
    return MeasuredPadding(hearing.name, audio, word_errors, gmacs, cut_errors)


def report(results: Sequence[PaddingResult]) -> str:
    """Lay out words and computation after each padding for a person.

    The brackets hold intervals of the difference to the full window, in points.
    """
    full = next(result for result in results if result.padding == "full")
    rows = [
        (
            result.padding,
            percent(result.errors.rate),
            "" if result is full else _points(result.each, full.each),
            percent(result.cut_errors.rate) if result.cut else None,
            "" if result is full or not result.cut else _points(result.cut, full.cut),
            result.macs / 1e9,
            percent(result.macs / full.macs),
        )
        for result in results
    ]
    shown = table(("padding", "WER", "to full", "cut off", "to full", "encoder GMACs", "of full"), rows)
    words, cut = full.errors.reference_words, full.cut_errors.reference_words
    return f"{shown}{words} words; {cut} before a cut. Brackets: 95% of 2,000 bootstrap samples of the recordings.\n"


def _points(errors: Sequence[WordErrors], full: Sequence[WordErrors]) -> str:
    """Write the interval of a difference to the full window, in points."""
    low, high = (100 * bound for bound in difference_interval(errors, full))
    return f"[{low:+.1f} {high:+.1f}]"
