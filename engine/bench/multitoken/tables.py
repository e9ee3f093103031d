"""The multi-token benchmark's rows, tables and headline figures; every way is held against the single head."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.bench.captions.measure import ClipResult
from engine.bench.captions.measure import Measured as LiveMeasured
from engine.bench.captions.measure import together as live_together
from engine.bench.multitoken.measure import Heard, Measured, together
from engine.bench.multitoken.methods import (
    COMBINED_TOP,
    DRAFTED,
    DRAFTED_AHEAD,
    HEADS,
    LIVE_GREEDY,
    LIVE_GREEDY_REUSE,
    LIVE_VERIFIED_REUSE,
    PUBLISHED,
    PUBLISHED_THRESHOLD,
    SINGLE,
    SPEECH_LLAMA,
    THRESHOLDS,
    TOP,
    VERIFIED,
    WHISPER_DRAFTED,
    WHISPER_GREEDY,
    Way,
    both,
    threshold,
    top,
)
from engine.bench.plots import draw_bars
from engine.bench.tables import Cell, Column, part_of, percent, ratio, rounded, short, signed, table
from engine.metrics import WordErrors, decoder_calls_per_word

Results = Mapping[str, Sequence[Heard]]
LiveResults = Mapping[str, Sequence[ClipResult]]

ACCEPTANCES: Mapping[str, Callable[[int], str]] = {
    **{f"top-{m}": partial(top, accepted=m) for m in TOP},
    **{f"threshold {least:g}": partial(threshold, least=least) for least in THRESHOLDS},
    **{
        f"threshold {PUBLISHED_THRESHOLD:g}, rest top-{m}": partial(both, least=PUBLISHED_THRESHOLD, accepted=m)
        for m in COMBINED_TOP
    },
}
"""The rows of Figure 4: what a table says, and the name of the way with so many heads."""


@dataclass(frozen=True, slots=True)
class Row:
    """The outcome of one way, and of the single head of the same model in the same run (None where it was not run)."""

    way: Way
    measured: Measured
    single: Measured | None

    @property
    def eta_ratio(self) -> float | None:
        """Return how many times fewer decoder calls a word takes than with the single head."""
        return ratio(self.single.calls_per_word if self.single else None, self.measured.calls_per_word)

    @property
    def rtf_ratio(self) -> float | None:
        """The time of decoding over that with the single head."""
        return ratio(self.measured.decoder_factor, self.single.decoder_factor if self.single else None)

    @property
    def wer_delta_points(self) -> float | None:
        """Return how many more words in a hundred are wrong than with the single head; below 0 where fewer are."""
        return 100 * (self.measured.wer - self.single.wer) if self.single else None


@dataclass(frozen=True, slots=True)
class LiveRow:
    """The outcome of one way in live sessions, and of greedy decoding without reuse in the same run."""

    way: Way
    measured: LiveMeasured
    calls_per_word: float | None
    single: LiveMeasured | None

    @property
    def wer_delta_points(self) -> float | None:
        """Return how many more words in a hundred are wrong than greedily, for other ways."""
        if self.single is None or self.way.name == LIVE_GREEDY:
            return None
        return 100 * (self.measured.wer - self.single.wer)


def rows(ways: Sequence[Way], results: Results) -> list[Row]:
    """The rows of the ways that were run."""
    found = []
    for way in ways:
        if heard := results.get(way.name):
            single = results.get(SINGLE if way.model == SPEECH_LLAMA else WHISPER_GREEDY)
            found.append(Row(way, together(heard, single), together(single, single) if single else None))
    return found


def live_rows(ways: Sequence[Way], results: LiveResults) -> list[LiveRow]:
    """The rows of the live ways that were run."""
    single = live_together(results[LIVE_GREEDY]) if results.get(LIVE_GREEDY) else None
    return [
        LiveRow(way, live_together(heard), _live_calls_per_word(heard), single)
        for way in ways
        if (heard := results.get(way.name))
    ]


def figures(found: Sequence[Row], live: Sequence[LiveRow] = ()) -> dict[str, Cell]:
    """The headline numbers; None where the way that one is about was not run.

    `eta_ratio`, `wer_delta_points`, `decoder_rtf_ratio` and `identical_share` are those of Speech-LLaMA with the draft
    of its encoder and its heads, all against its single head; `draft_...` those of the draft alone, `heads_...` of four
    latent heads alone, verified;
    `published_...` those of the same heads, believed at a threshold of 0.8; `whisper_...` those of Whisper with the
    draft against greedy decoding; `live_...` of a live session with heads, which also verifies what the last round
    wrote.
    """
    by_name = {row.way.name: row for row in found}
    live_by_name = {row.way.name: row for row in live}
    drafted, whisper = by_name.get(DRAFTED_AHEAD), by_name.get(WHISPER_DRAFTED)
    named = {
        **_ratios("", drafted),
        **_ratios("draft_", by_name.get(DRAFTED)),
        **_ratios("heads_", by_name.get(VERIFIED)),
        **_ratios("published_", by_name.get(PUBLISHED)),
        **_ratios("whisper_", whisper),
        "live_forwards_ratio": _live_ratio(live_by_name, LIVE_GREEDY),
        "live_forwards_ratio_reuse": _live_ratio(live_by_name, LIVE_GREEDY_REUSE),
        **_plain_figures("", drafted),
        **_plain_figures("whisper_", whisper),
    }
    return {name: rounded(value) for name, value in named.items()}


def figure_four(found: Sequence[Row]) -> str:
    """Figure 4 of the paper as tables: word errors, eta and the decoder's real-time factor, by heads and acceptance.

    Nothing where the sweep was not run.
    """
    if all(row.way.table != "4" for row in found):
        return ""
    by_name = {row.way.name: row for row in found}
    heads = [count for count in HEADS if any(name(count) in by_name for name in ACCEPTANCES.values())]
    kinds: tuple[tuple[str, Callable[[Row], Cell]], ...] = (
        ("WER", lambda row: percent(row.measured.wer)),
        ("eta", lambda row: row.measured.calls_per_word),
        ("decoder RTF", lambda row: row.measured.decoder_factor),
    )
    parts = []
    for title, value in kinds:
        cells = [
            (label, *(value(by_name[name(count)]) if name(count) in by_name else None for count in heads))
            for label, name in ACCEPTANCES.items()
        ]
        shown = [row for row in cells if any(cell is not None for cell in row[1:])]
        parts.append(table((title, *(f"{count} heads" for count in heads)), shown, decimals=3))
    return "\n".join(parts)


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """The outcome of the published way in one language, and of the single head."""

    language: str
    measured: Measured
    single: Measured

    @property
    def saved(self) -> float | None:
        """The share of the decoder calls per word that is saved."""
        left = ratio(self.measured.calls_per_word, self.single.calls_per_word)
        return None if left is None else 1 - left


def languages(results: Results) -> list[LanguageRow]:
    """The languages that were heard both ways, in the order they came in."""
    published, single = results.get(PUBLISHED, ()), results.get(SINGLE, ())
    return [
        LanguageRow(language, together(_in(language, published)), together(_in(language, single)))
        for language in dict.fromkeys(heard.language for heard in published)
        if _in(language, single)
    ]


def _first(row: Row) -> bool:
    """Tell whether others are held against this one."""
    return row.single is None or row.way.name in (SINGLE, WHISPER_GREEDY)


TABLE_ONE: tuple[Column[Row], ...] = (
    Column("title", lambda row: row.way.title, "decoding"),
    Column("wer", lambda row: row.measured.wer, "WER", percent),
    Column("", lambda row: None if _first(row) else row.wer_delta_points, "points", signed),
    Column("eta", lambda row: row.measured.calls_per_word, "eta"),
    Column("", lambda row: None if _first(row) else row.eta_ratio, "fewer"),
    Column("decoder_rtf", lambda row: row.measured.decoder_factor, "RTF"),
    Column("", lambda row: None if _first(row) else row.rtf_ratio, "of single"),
    Column("tokens_per_forward", lambda row: row.measured.tokens_per_forward, "tokens/forward"),
    Column("", lambda row: None if _first(row) else row.measured.identical, "identical", percent),
)
"""Table I of the paper, and what it leaves out: tokens a forward, and texts left as they were."""

ALL: tuple[Column[Row], ...] = (
    *TABLE_ONE,
    Column("method", lambda row: row.way.name),
    Column("table", lambda row: row.way.table),
    Column("model", lambda row: row.way.model),
    Column("heads", lambda row: row.way.decode.tokens_ahead if row.way.decode.decoder == "multitoken" else 1),
    Column("beam", lambda row: row.way.decode.beam_size),
    Column("clips", lambda row: row.measured.clips),
    Column("words", lambda row: row.measured.errors.reference_words),
    Column("forwards", lambda row: row.measured.forwards),
    Column("tokens", lambda row: row.measured.written),
    Column("wer_delta_points", lambda row: row.wer_delta_points),
    Column("eta_ratio", lambda row: row.eta_ratio),
    Column("decoder_rtf_ratio", lambda row: row.rtf_ratio),
    Column("identical_share", lambda row: row.measured.identical),
)

LANGUAGES: tuple[Column[LanguageRow], ...] = (
    Column("language", lambda row: row.language, "language"),
    Column("clips", lambda row: row.measured.clips, "clips"),
    Column("wer_single", lambda row: row.single.wer, "WER single", percent),
    Column("wer", lambda row: row.measured.wer, "WER", percent),
    Column("eta_single", lambda row: row.single.calls_per_word, "eta single"),
    Column("eta", lambda row: row.measured.calls_per_word, "eta"),
    Column("saved", lambda row: row.saved, "less", percent),
)
"""Figure 5 of the paper as a table: decoder calls per word by language, and how many are saved."""

LIVE: tuple[Column[LiveRow], ...] = (
    Column("method", lambda row: row.way.name),
    Column("title", lambda row: row.way.title, "live session"),
    Column("rounds", lambda row: row.measured.totals.decoded_rounds),
    Column("wer", lambda row: row.measured.wer, "WER", percent),
    Column("", lambda row: row.wer_delta_points, "points", signed),
    Column("eta", lambda row: row.calls_per_word, "eta"),
    Column("forwards_per_round", lambda row: row.measured.totals.forwards_per_round, "forwards/round"),
    Column(
        "tokens_per_forward", lambda row: ratio(row.measured.totals.tokens, row.measured.totals.forwards),
        "tokens/forward",
    ),
    Column("real_time_factor", lambda row: row.measured.real_time_factor, "of real time"),
    Column("delay_seconds", lambda row: part_of(row.measured.latency, "mean"), "delay s"),
    Column("delay_seconds_p95", lambda row: part_of(row.measured.latency, "p95"), "p95 s"),
)  # fmt: skip
"""What a live session's rounds took."""

PICTURE: tuple[Column[Row], ...] = (
    Column("", lambda row: row.measured.calls_per_word, "decoder calls per word (eta)", "{:.2f}".format),
    Column("", lambda row: row.measured.decoder_factor, "decoder's real-time factor", "{:.3f}".format),
    Column("", lambda row: 100 * row.measured.wer, "word error rate, %", "{:.1f}".format),
)


def draw(path: Path, found: Sequence[Row]) -> None:
    """Draw bars of Table I and of Whisper: calls per word, the decoder's real-time factor, word errors."""
    draw_bars(
        path,
        PICTURE,
        [row for row in found if row.way.table != "4"],
        named=lambda row: f"Whisper: {row.way.title}" if row.way.table == "whisper" else row.way.title,
        apart=lambda row: row.way.table == "whisper",
        marked=lambda row: row.way.name in (PUBLISHED, DRAFTED_AHEAD, WHISPER_DRAFTED),
    )


def changed(results: Sequence[Heard], single: Sequence[Heard], count: int = 3) -> str:
    """The first texts that came out otherwise than with the single head: figures alone do not tell what changes."""
    by_clip = {each.clip: each for each in single}
    pairs = [(a, b) for a in results if (b := by_clip.get(a.clip)) is not None and a.text != b.text]
    return "".join(
        f"{a.clip}\n  said:    {short(a.said)}\n  single:  {short(b.text) or '(nothing)'}\n"
        f"  several: {short(a.text) or '(nothing)'}\n"
        for a, b in pairs[:count]
    )


def _in(language: str, heard: Sequence[Heard]) -> list[Heard]:
    return [each for each in heard if each.language == language]


def _ratios(prefix: str, row: Row | None) -> dict[str, float | None]:
    """Return the ratios of a way to the single head of its model."""
    return {
        f"{prefix}eta_ratio": row.eta_ratio if row else None,
        f"{prefix}wer_delta_points": row.wer_delta_points if row else None,
        f"{prefix}{'' if prefix else 'decoder_'}rtf_ratio": row.rtf_ratio if row else None,
        f"{prefix}identical_share": row.measured.identical if row else None,
    }


def _plain_figures(prefix: str, row: Row | None) -> dict[str, float | None]:
    """Give the figures that the ratios of a way are made from."""
    single = row.single if row else None
    return {
        f"{prefix}eta": row.measured.calls_per_word if row else None,
        f"{prefix}eta_single": single.calls_per_word if single else None,
        f"{prefix}wer": row.measured.wer if row else None,
        f"{prefix}wer_single": single.wer if single else None,
        f"{prefix}decoder_rtf": row.measured.decoder_factor if row else None,
        f"{prefix}decoder_rtf_single": single.decoder_factor if single else None,
    }


def _live_ratio(by_name: Mapping[str, LiveRow], against: str) -> float | None:
    """Return how many times fewer forwards a round of a live session takes with heads, beside what is reused."""
    plain, heads = by_name.get(against), by_name.get(LIVE_VERIFIED_REUSE)
    if plain is None or heads is None:
        return None
    return ratio(plain.measured.totals.forwards_per_round, heads.measured.totals.forwards_per_round)


def _live_calls_per_word(heard: Sequence[ClipResult]) -> float | None:
    measured = live_together(heard)
    return decoder_calls_per_word(measured.totals.forwards, sum((each.errors for each in heard), start=WordErrors()))
