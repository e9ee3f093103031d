"""The translation benchmark's rows, tables and headline figures; every way is held against plain re-translation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.bench.captions.comparison import ratio
from engine.bench.tables import Cell, percent, rounded, short, table
from engine.bench.translation.measure import Measured, TextResult
from engine.bench.translation.methods import FULL, PLAIN, PUBLISHED_BIAS, Way, biased, display_only
from engine.events import Latency
from engine.translation_metrics import quality


@dataclass(frozen=True, slots=True)
class Row:
    """What one way came to, and plain re-translation in the same run (None where it was not run)."""

    way: Way
    measured: Measured
    plain: Measured | None

    @property
    def speedup(self) -> float | None:
        """Tokens per second over those of plain re-translation."""
        return ratio(self.measured.tokens_per_second, self.plain.tokens_per_second if self.plain else None)

    @property
    def bleu_delta(self) -> float | None:
        return self.measured.quality.bleu - self.plain.quality.bleu if self.plain else None

    @property
    def erasure_ratio(self) -> float | None:
        return ratio(self.measured.erasure, self.plain.erasure if self.plain else None)


def rows(ways: Sequence[Way], measured: Mapping[str, Measured]) -> list[Row]:
    """The rows of the ways that were run."""
    return [Row(way, measured[way.name], measured.get(PLAIN)) for way in ways if way.name in measured]


def figures(found: Sequence[Row]) -> dict[str, Cell]:
    """The headline numbers; None where the way that one is about was not run.

    `speedup`, `bleu_delta` and both acceptances are those of SSBD as published at bias 0.2, `ne_ratio_display` is the
    normalized erasure of its display-only mask-3 over plain re-translation's; everything else is Earshot's default.
    """
    by_name = {row.way.name: row for row in found}
    published, display, full = (by_name.get(name) for name in (biased(PUBLISHED_BIAS), display_only(3), FULL))
    named: dict[str, float | None] = {
        "speedup": published.speedup if published else None,
        "bleu_delta": published.bleu_delta if published else None,
        "acceptance_drafted": published.measured.acceptance_drafted if published else None,
        "acceptance_output": published.measured.acceptance_output if published else None,
        "ne_ratio_display": display.erasure_ratio if display else None,
        **_own_figures(full),
    }
    return {name: rounded(value) for name, value in named.items()}


def _own_figures(full: Row | None) -> dict[str, float | None]:
    if full is None:
        names = ("speedup_full", "bleu_delta_full", "ne_ratio_full", "bleu", "chrf", "update_seconds_p50")
        return dict.fromkeys((*names, "update_seconds_p95", "update_seconds_20_words", "lag_words"))
    found = full.measured
    return {
        "speedup_full": full.speedup,
        "bleu_delta_full": full.bleu_delta,
        "ne_ratio_full": full.erasure_ratio,
        "bleu": found.quality.bleu,
        "chrf": found.quality.chrf,
        "update_seconds_p50": found.update.p50 if found.update else None,
        "update_seconds_p95": found.update.p95 if found.update else None,
        "update_seconds_20_words": found.update_20_words.p95 if found.update_20_words else None,
        "lag_words": found.lag_words,
    }


def quality_table(found: Sequence[Row]) -> str:
    """What the paper's tables hold, with BLEU and chrF in place of COMET."""
    headers = ("method", "BLEU", "delta", "chrF", "NE", "of plain", "A/D", "A/O", "tokens/s", "speedup")
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
        f"{r.text.name}\n  source:      {short(_source(r))}\n  translation: {short(r.translation) or '(nothing)'}\n"
        f"  reference:   {short(r.text.references[0])}\n"
        for r in scored[:count]
    )


def _source(result: TextResult) -> str:
    return " ".join(sources[-1] for sources in result.text.segments)


def _quality_cells(row: Row) -> tuple[Cell, ...]:
    measured = row.measured
    return (
        row.way.title,
        measured.quality.bleu,
        "-" if row.bleu_delta is None or measured is row.plain else f"{row.bleu_delta:+.2f}",
        measured.quality.chrf,
        measured.erasure,
        percent(row.erasure_ratio),
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
        "chrf": measured.quality.chrf,
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
