"""The translation benchmark's rows, tables and headline figures; every way is held against plain re-translation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean

from engine.bench.captions.comparison import ratio
from engine.bench.tables import Cell, percent, rounded, short, table
from engine.bench.translation.measure import Measured, TextResult
from engine.bench.translation.methods import FULL, PUBLISHED_BIAS, UNCACHED, Way, biased
from engine.bench.translation.texts import GrowingText
from engine.events import Latency
from engine.translation_metrics import difference_by_chance, quality


@dataclass(frozen=True, slots=True)
class Row:
    """What one way came to, and what it is held against in the same run.

    Attributes:
        plain: plain re-translation that sees as much context and keeps what was computed of the prompt too; None
            where it was not run.
        by_chance: probability of a difference in BLEU to it that is as large; None where it was not asked for.
    """

    way: Way
    measured: Measured
    plain: Measured | None
    by_chance: float | None = None

    @property
    def speedup(self) -> float | None:
        """Time that plain re-translation takes for the same revisions over the time that this takes."""
        return ratio(self.plain.seconds if self.plain else None, self.measured.seconds)

    @property
    def bleu_delta(self) -> float | None:
        return self.measured.quality.bleu - self.plain.quality.bleu if self.plain else None

    @property
    def erasure_ratio(self) -> float | None:
        return ratio(self.measured.erasure, self.plain.erasure if self.plain else None)

    @property
    def final_equal_share(self) -> float | None:
        """Share of captions whose final translation is that of plain re-translation, which is the offline one."""
        if self.plain is None or not self.plain.finals:
            return None
        return mean(map(str.__eq__, self.measured.finals, self.plain.finals))


def rows(ways: Sequence[Way], measured: Mapping[str, Measured]) -> list[Row]:
    """The rows of the ways that were run."""
    return [Row(way, measured[way.name], measured.get(way.baseline)) for way in ways if way.name in measured]


def with_chance(found: Sequence[Row], texts: Sequence[GrowingText], language: str) -> list[Row]:
    """The rows with how likely their differences in BLEU are by chance."""
    references = [text.references for text in texts]

    def by_chance(row: Row) -> float | None:
        if row.plain is None or row.plain is row.measured:
            return None
        return difference_by_chance(row.measured.translations, row.plain.translations, references, language)

    return [replace(row, by_chance=by_chance(row)) for row in found]


FIGURES = (
    "speedup", "speedup_uncached", "speedup_published", "speedup_heard", "bleu_delta", "bleu_delta_heard",
    "ne_ratio_display", "taken_back", "taken_back_at_end", "taken_back_heard", "final_equal_share",
    "acceptance_drafted", "acceptance_output", "bleu", "update_seconds_p50", "update_seconds_p95",
    "update_seconds_20_words", "lag_words", "chrf_de", "chrf_fr", "chrf_es",
)  # fmt: skip


def figures(
    found: Sequence[Row], heard: Sequence[Row] = (), chrf: Mapping[str, float] | None = None
) -> dict[str, Cell]:
    """The headline numbers, those of FIGURES; None where what one is about was not run.

    They are of Earshot's default against plain re-translation with the same cached prompt (`speedup_uncached`: against
    one that computes it anew), except for `speedup_published` and both acceptances, which are of SSBD as published at
    bias 0.2. Those that end in "heard" are of real captions of spoken texts; `chrf` is by language.
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
    named |= {f"chrf_{language}": value for language, value in (chrf or {}).items()}
    return {name: rounded(value) for name, value in named.items()}


def _own_figures(full: Row) -> dict[str, float | None]:
    found = full.measured
    return {
        "speedup": full.speedup,
        "bleu_delta": full.bleu_delta,
        "ne_ratio_display": full.erasure_ratio,
        "taken_back": found.taken_back,
        "taken_back_at_end": found.taken_back_at_end,
        "final_equal_share": full.final_equal_share,
        "bleu": found.quality.bleu,
        "update_seconds_p50": found.update.p50 if found.update else None,
        "update_seconds_p95": found.update.p95 if found.update else None,
        "update_seconds_20_words": found.update_20_words.p95 if found.update_20_words else None,
        "lag_words": found.lag_words,
    }


def quality_table(found: Sequence[Row]) -> str:
    """What the paper's tables hold, with BLEU and chrF in place of COMET.

    "p" is how likely the difference in BLEU is by chance, "equal" the share of final translations that are the offline
    ones, "at end" how many words for each that stayed were taken back when a caption became final.
    """
    headers = (
        "method", "BLEU", "delta", "p", "chrF", "equal", "NE", "of plain", "at end", "A/D", "A/O", "tokens/s",
        "speedup",
    )  # fmt: skip
    return table(headers, [_quality_cells(row) for row in found])


def work_table(found: Sequence[Row]) -> str:
    """What an update takes, and how far behind the words it is.

    "prompt" is the forward over prompt and draft, "decode" the tokens after it, "update" all of an update.
    """
    headers = (
        "method", "updates", "forwards", "drafted", "kept", "resync kept", "prompt ms", "decode ms", "update ms",
        "p95", "20 words ms", "p95", "lag words",
    )  # fmt: skip
    return table(headers, [_work_cells(row) for row in found], decimals=1)


def records(found: Sequence[Row]) -> list[dict[str, Cell]]:
    """Every row as plain values, for JSON."""
    return [_record(row) for row in found]


def worst(results: Sequence[TextResult], language: str, count: int = 3) -> str:
    """The texts that were translated worst, by chrF: figures alone do not tell what goes wrong."""
    scored = sorted(results, key=lambda r: quality([r.translation], [r.text.references], language).chrf)
    return "".join(
        f"{r.text.name}\n  source:      {short(r.text.source)}\n  translation: {short(r.translation) or '(nothing)'}\n"
        f"  reference:   {short(r.text.references[0])}\n"
        for r in scored[:count]
    )


def _quality_cells(row: Row) -> tuple[Cell, ...]:
    measured = row.measured
    return (
        row.way.title,
        measured.quality.bleu,
        "-" if row.bleu_delta is None or measured is row.plain else f"{row.bleu_delta:+.2f}",
        row.by_chance,
        measured.quality.chrf,
        percent(row.final_equal_share),
        measured.erasure,
        percent(row.erasure_ratio),
        measured.taken_back_at_end,
        percent(measured.acceptance_drafted),
        percent(measured.acceptance_output),
        measured.tokens_per_second,
        row.speedup,
    )


def _work_cells(row: Row) -> tuple[Cell, ...]:
    measured, totals = row.measured, row.measured.totals
    return (
        row.way.title,
        measured.updates,
        measured.forwards_per_update,
        ratio(totals.drafted, measured.updates),
        ratio(totals.accepted, measured.updates),
        ratio(totals.resync_accepted, measured.updates),
        _milliseconds(ratio(measured.verify_seconds, measured.updates)),
        _milliseconds(ratio(measured.decode_seconds, measured.updates)),
        *(_milliseconds(seconds) for seconds in _middle_and_p95(measured.update)),
        *(_milliseconds(seconds) for seconds in _middle_and_p95(measured.update_20_words)),
        measured.lag_words,
    )


def _record(row: Row) -> dict[str, Cell]:
    measured, totals = row.measured, row.measured.totals
    update, update_20 = _middle_and_p95(measured.update), _middle_and_p95(measured.update_20_words)
    numbers: dict[str, float | None] = {
        "bleu": measured.quality.bleu,
        "bleu_delta": row.bleu_delta,
        "bleu_delta_by_chance": row.by_chance,
        "chrf": measured.quality.chrf,
        "final_equal_share": row.final_equal_share,
        "taken_back": measured.taken_back,
        "taken_back_at_end": measured.taken_back_at_end,
        "normalized_erasure": measured.erasure,
        "normalized_erasure_ratio": row.erasure_ratio,
        "acceptance_drafted": measured.acceptance_drafted,
        "acceptance_output": measured.acceptance_output,
        "tokens_per_second": measured.tokens_per_second,
        "speedup": row.speedup,
        "forwards_per_update": measured.forwards_per_update,
        "verify_seconds": measured.verify_seconds,
        "decode_seconds": measured.decode_seconds,
        "update_seconds_p50": update[0],
        "update_seconds_p95": update[1],
        "update_seconds_20_words_p50": update_20[0],
        "update_seconds_20_words_p95": update_20[1],
        "lag_words": measured.lag_words,
    }
    counts: dict[str, Cell] = {
        "updates": measured.updates,
        "drafted": totals.drafted,
        "accepted": totals.accepted,
        "output": totals.output,
        "forwards": totals.forwards,
        "resync_drafted": totals.resync_drafted,
        "resync_accepted": totals.resync_accepted,
    }
    named: dict[str, Cell] = {"method": row.way.name, "title": row.way.title, "table": row.way.table}
    named["bias"] = row.way.options.bias
    return named | counts | {name: rounded(value) for name, value in numbers.items()}


def _middle_and_p95(latency: Latency | None) -> tuple[float | None, float | None]:
    return (latency.p50, latency.p95) if latency else (None, None)


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else 1000 * seconds
