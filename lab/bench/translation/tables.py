"""The translation benchmark's rows, tables and headline figures; every way is held against plain re-translation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import mean
from typing import Literal

from app.terminal.tables import Cell
from lab.bench.tables import Column, milliseconds, part_of, percent, ratio, rounded, signed
from lab.bench.translation.measure import MeasuredTranslation
from lab.bench.translation.methods import FINALS_ONLY, FULL, PLAIN, PUBLISHED_BIAS, UNCACHED, TranslationMethod, biased
from lab.bench.translation.metrics import ByChance, difference_by_chance
from lab.bench.translation.texts import BUNDLED_TARGETS, GrowingText


@dataclass(frozen=True, slots=True)
class TranslationRow:
    """The outcome of one way, and of what it is held against in the same run.

    Attributes:
        plain: plain re-translation that keeps what was computed of the prompt too; None where it was not run.
        finals_only: finished captions alone, translated plainly; None where it was not run.
        by_chance: how probable differences to plain that are as large are; None where that was not asked for.
    """

    way: TranslationMethod
    measured: MeasuredTranslation
    plain: MeasuredTranslation | None
    finals_only: MeasuredTranslation | None = None
    by_chance: ByChance | None = None

    @property
    def speedup(self) -> float | None:
        """Time that plain re-translation takes for the same revisions over the time that this takes."""
        return ratio(self.plain.seconds if self.plain else None, self.measured.seconds)

    @property
    def bleu_delta(self) -> float | None:
        other = self.plain.bleu if self.plain else None
        return None if self.measured.bleu is None or other is None else self.measured.bleu - other

    @property
    def erasure_ratio(self) -> float | None:
        return ratio(self.measured.erasure, self.plain.erasure if self.plain else None)

    @property
    def speedup_over_finals_only(self) -> float | None:
        """Time that translating finished captions alone takes over the time that this takes."""
        return ratio(self.finals_only.seconds if self.finals_only else None, self.measured.seconds)

    def bound(self, figure: str, side: Literal["low", "high"]) -> float | None:
        """Return a bound of a figure's interval."""
        found = self.measured.intervals.get(figure)
        return getattr(found, side) if found else None

    def an_update(self, amount: float) -> float | None:
        """Share what all updates took among them."""
        return ratio(amount, self.measured.updates)

    @property
    def final_equal_share(self) -> float | None:
        """Share of captions whose final translation is that of plain re-translation, which is the offline one."""
        if self.plain is None or not self.plain.finals:
            return None
        return mean(map(str.__eq__, self.measured.finals, self.plain.finals))


def rows(ways: Sequence[TranslationMethod], measured: Mapping[str, MeasuredTranslation]) -> list[TranslationRow]:
    """Return the rows of the methods that were run."""
    against = measured.get(PLAIN), measured.get(FINALS_ONLY)
    return [TranslationRow(way, measured[way.name], *against) for way in ways if way.name in measured]


def with_chance(found: Sequence[TranslationRow], texts: Sequence[GrowingText], language: str) -> list[TranslationRow]:
    """Return the rows with how likely their differences in BLEU and chrF are by chance."""
    references = [text.references for text in texts]

    def by_chance(row: TranslationRow) -> ByChance | None:
        if row.plain is None or row.plain is row.measured or not all(references):
            return None
        return difference_by_chance(row.measured.translations, row.plain.translations, references, language)

    return [replace(row, by_chance=by_chance(row)) for row in found]


FIGURES = (
    "speedup", "speedup_over_finals_only", "shown_before_end", "speedup_uncached",
    "speedup_published", "speedup_heard", "bleu_delta", "bleu_delta_heard",
    "ne_ratio_display", "taken_back", "taken_back_at_end", "taken_back_heard", "lag_words_heard",
    "shown_before_end_heard", "final_equal_share",
    "acceptance_drafted", "acceptance_output", "bleu", "update_seconds_p50", "update_seconds_p95",
    "update_seconds_20_words", "lag_words",
    *(f"chrf_{target}" for target in BUNDLED_TARGETS), *(f"chrf_{target}_careful" for target in BUNDLED_TARGETS),
)  # fmt: skip


def figures(
    found: Sequence[TranslationRow], heard: Sequence[TranslationRow] = (), chrf: Mapping[str, float] | None = None
) -> dict[str, Cell]:
    """Return the headline numbers, those of FIGURES; None where what one is about was not run.

    They are of Earshot's default against plain re-translation with the same cached prompt (`speedup_uncached`: against
    one that computes it again), except for `speedup_published` and both acceptances, which are of SSBD as published at
    bias 0.2. Those that end in "heard" are of real captions of spoken texts; `chrf` is by language, and by language
    with "_careful" of translations that are searched for with several candidates.
    """
    by_name = {row.way.name: row for row in found}
    uncached, published, full = (by_name.get(name) for name in (UNCACHED, biased(PUBLISHED_BIAS), FULL))
    as_heard = next((row for row in heard if row.way.name == FULL), None)
    named: dict[str, float | None] = dict.fromkeys(FIGURES)
    if uncached and full:
        named["speedup_uncached"] = ratio(uncached.measured.seconds, full.measured.seconds)
    if published:
        named["speedup_published"] = published.speedup
        named["acceptance_drafted"] = published.measured.acceptance_drafted
        named["acceptance_output"] = published.measured.acceptance_output
    if full:
        named |= _own_figures(full)
    if as_heard:
        named["speedup_heard"], named["bleu_delta_heard"] = as_heard.speedup, as_heard.bleu_delta
        named["taken_back_heard"] = as_heard.measured.taken_back
        named["lag_words_heard"] = as_heard.measured.lag_words
        named["shown_before_end_heard"] = as_heard.measured.shown_before_end
    named |= {f"chrf_{language}": value for language, value in (chrf or {}).items()}
    return {name: rounded(value) for name, value in named.items()}


def _own_figures(full: TranslationRow) -> dict[str, float | None]:
    found = full.measured
    return {
        "speedup": full.speedup,
        "speedup_over_finals_only": full.speedup_over_finals_only,
        "shown_before_end": found.shown_before_end,
        "bleu_delta": full.bleu_delta,
        "ne_ratio_display": full.erasure_ratio,
        "taken_back": found.taken_back,
        "taken_back_at_end": found.taken_back_at_end,
        "final_equal_share": full.final_equal_share,
        "bleu": found.bleu,
        "update_seconds_p50": part_of(found.update, "p50"),
        "update_seconds_p95": part_of(found.update, "p95"),
        "update_seconds_20_words": part_of(found.update_20_words, "p95"),
        "lag_words": found.lag_words,
    }


def _update_20_words(part: str, row: TranslationRow) -> float | None:
    return part_of(row.measured.update_20_words, part)


SIDES: tuple[Literal["low", "high"], ...] = ("low", "high")


def _bound(figure: str, side: Literal["low", "high"], row: TranslationRow) -> float | None:
    return row.bound(figure, side)


METHOD: Column[TranslationRow] = Column("title", lambda row: row.way.title, "method")

QUALITY: tuple[Column[TranslationRow], ...] = (
    METHOD,
    Column("bleu", lambda row: row.measured.bleu, "BLEU"),
    Column("", lambda row: None if row.plain is row.measured else row.bleu_delta, "delta", partial(signed, decimals=2)),
    Column("bleu_delta_by_chance", lambda row: row.by_chance.bleu if row.by_chance else None, "p"),
    Column("chrf", lambda row: row.measured.chrf, "chrF"),
    Column("chrf_delta_by_chance", lambda row: row.by_chance.chrf if row.by_chance else None, "p"),
    Column("final_equal_share", lambda row: row.final_equal_share, "equal", percent),
    Column("taken_back", lambda row: row.measured.taken_back, "taken back"),
    Column("lag_words", lambda row: row.measured.lag_words, "lag words"),
    Column("shown_before_end", lambda row: row.measured.shown_before_end, "before end", percent),
    Column("normalized_erasure", lambda row: row.measured.erasure, "NE"),
    Column("normalized_erasure_ratio", lambda row: row.erasure_ratio, "of plain", percent),
    Column("taken_back_at_end", lambda row: row.measured.taken_back_at_end, "at end"),
    Column("acceptance_drafted", lambda row: row.measured.acceptance_drafted, "A/D", percent),
    Column("acceptance_output", lambda row: row.measured.acceptance_output, "A/O", percent),
    Column("tokens_per_second", lambda row: row.measured.tokens_per_second, "tokens/s"),
    Column("speedup", lambda row: row.speedup, "speedup"),
)
"""Columns of the paper's tables, with BLEU and chrF in place of COMET.

"p" is how likely the difference in the score before it is by chance, "equal" the share of final translations that are
the offline ones, "at end" how many words for each that stayed were taken back when a caption became final.
"""

WORK: tuple[Column[TranslationRow], ...] = (
    METHOD,
    Column("updates", lambda row: row.measured.updates, "updates"),
    Column("forwards_per_update", lambda row: row.measured.forwards_per_update, "forwards"),
    Column("", lambda row: row.an_update(row.measured.totals.drafted), "drafted"),
    Column("", lambda row: row.an_update(row.measured.totals.accepted), "kept"),
    Column("", lambda row: row.an_update(row.measured.totals.resync_accepted), "resync kept"),
    Column("", lambda row: row.an_update(row.measured.verify_seconds), "prompt ms", milliseconds),
    Column("", lambda row: row.an_update(row.measured.decode_seconds), "decode ms", milliseconds),
    Column("update_seconds_p50", lambda row: part_of(row.measured.update, "p50"), "update ms", milliseconds),
    Column("update_seconds_p95", lambda row: part_of(row.measured.update, "p95"), "p95", milliseconds),
    *(
        Column(f"update_seconds_20_words_{part}", partial(_update_20_words, part), title, milliseconds)
        for part, title in (("p50", "20 words ms"), ("p95", "p95"))
    ),
)
"""Columns of what an update costs.

"prompt" is the forward over prompt and draft, "decode" the tokens after it, "update" all of an update.
"""

ALL: tuple[Column[TranslationRow], ...] = (
    Column("method", lambda row: row.way.name),
    Column("table", lambda row: row.way.table),
    Column("bias", lambda row: row.way.options.bias),
    Column("bleu_delta", lambda row: row.bleu_delta),
    *(
        Column(f"{figure}_{side}", partial(_bound, figure, side))
        for figure in ("taken_back", "lag_words", "shown_before_end")
        for side in SIDES
    ),
    Column("verify_seconds", lambda row: row.measured.verify_seconds),
    Column("decode_seconds", lambda row: row.measured.decode_seconds),
    Column("drafted", lambda row: row.measured.totals.drafted),
    Column("accepted", lambda row: row.measured.totals.accepted),
    Column("output", lambda row: row.measured.totals.output),
    Column("forwards", lambda row: row.measured.totals.forwards),
    Column("resync_drafted", lambda row: row.measured.totals.resync_drafted),
    Column("resync_accepted", lambda row: row.measured.totals.resync_accepted),
    *QUALITY,
    *WORK,
)
