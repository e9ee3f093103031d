"""Methods side by side: every one hears every clip, in turns, and all are held against the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from app.terminal.tables import Cell, table
from lab.bench.captions import methods as named
from lab.bench.captions.clips import Clip
from lab.bench.captions.measure import ClipResult, MeasuredCaptions, together
from lab.bench.captions.methods import CaptionSetup, Method
from lab.bench.tables import Column, part_of, percent, ratio, records_of, rounded, short, signed, table_of

Hear = Callable[[CaptionSetup, Clip], ClipResult]
Results = Mapping[CaptionSetup, Sequence[ClipResult]]


@dataclass(frozen=True, slots=True)
class CaptionRow:
    """The outcome of one method.

    Attributes:
        full_gmacs: what encoding a round would take with 30 s of padding; None where the model's shape is not known.
    """

    method: Method
    measured: MeasuredCaptions
    full_gmacs: float | None = None

    @property
    def step_seconds(self) -> float | None:
        """New audio between two rounds; where it follows what they cost, the mean as it was measured."""
        rounds = self.measured.totals.rounds
        follows = self.method.ear != "whole" and self.method.options.step_follows_cost
        return self.measured.audio_seconds / rounds if follows and rounds else self.method.step_seconds

    @property
    def latency_seconds(self) -> float | None:
        return part_of(self.measured.latency, "mean")

    @property
    def average_beam(self) -> float | None:
        return self.measured.totals.average_beam

    @property
    def reduce_ratio(self) -> float | None:
        return self.measured.totals.reduce_ratio(self.method.options.decode.beam_size)

    @property
    def gmacs_per_round(self) -> float | None:
        return self.measured.totals.encoder_gmacs_per_round if self.full_gmacs else None

    @property
    def gmacs_ratio(self) -> float | None:
        return ratio(self.gmacs_per_round, self.full_gmacs)


def rows(methods: Sequence[Method], results: Results, full_gmacs: float | None = None) -> list[CaptionRow]:
    """Sum up the clips of every method that was measured."""
    return [CaptionRow(each, together(results[each.way]), full_gmacs) for each in methods if results.get(each.way)]


def wer_delta_points(row: CaptionRow, first: CaptionRow) -> float:
    """Return the difference in word error rate to the first method, in points; below 0 where fewer words are wrong."""
    return 100 * (row.measured.wer - first.measured.wer)


def figures(found: Sequence[CaptionRow]) -> dict[str, Cell]:
    """Return the headline numbers; None where the method that one is about was not run.

    Ratios of the delay of "earshot" (Earshot's default) are against Whisper-Streaming's way with 30 s of padding, at
    its published step (`latency_ratio`), at Earshot's own step (`…_same_step`), and at the shortest step there is
    (`…_best_effort`); `…_both_best_effort` gives Earshot the shortest step too, as the paper's Figure 7 does. With
    `…natural…` in the name they are against the same with natural lengths. `wer_delta_points` is Earshot's errors
    against those of whole utterances (`offline_wer`), `kept_wer` those of the text after the second look, which
    takes `second_look_factor` of real time more, `…_published` against Whisper-Streaming's way at its published
    step, `…_same_step` at Earshot's. `peer_…` is faster-whisper, `recording_…` Earshot's default with a recording
    that nobody waits for. The pruned share and the average beam are those of "pruning", the forwards and new tokens
    those of "verify"; everything else is Earshot's default.
    """
    by_name = {row.method.name: row for row in found}
    ours, same, published = (by_name.get(n) for n in (named.EARSHOT, named.BASELINE, named.PUBLISHED_BASELINE))
    natural, best_natural = by_name.get(named.NATURAL_BASELINE), by_name.get(named.BEST_EFFORT_NATURAL)
    pruning, verify = by_name.get(named.PRUNING), by_name.get(named.VERIFY)
    best, best_ours = by_name.get(named.BEST_EFFORT_BASELINE), by_name.get(named.BEST_EFFORT_EARSHOT)
    peer, best_peer = by_name.get(named.PEER), by_name.get(named.PEER_BEST_EFFORT)
    offline, recording = by_name.get(named.OFFLINE), by_name.get(named.RECORDING)
    return {
        "latency_ratio": _latency_ratio(ours, published),
        "latency_ratio_natural": _latency_ratio(ours, natural),
        "latency_ratio_same_step": _latency_ratio(ours, same),
        "latency_ratio_best_effort": _latency_ratio(ours, best),
        "latency_ratio_natural_best_effort": _latency_ratio(ours, best_natural),
        "latency_ratio_both_best_effort": _latency_ratio(best_ours, best),
        "peer_latency_ratio": _latency_ratio(ours, peer),
        "peer_latency_ratio_both_best_effort": _latency_ratio(best_ours, best_peer),
        "peer_wer": rounded(peer.measured.wer if peer else None),
        "peer_real_time_factor": rounded(peer.measured.real_time_factor if peer else None),
        "offline_wer": rounded(offline.measured.wer if offline else None),
        "recording_wer": rounded(recording.measured.wer if recording else None),
        "recording_real_time_factor": rounded(recording.measured.real_time_factor if recording else None),
        **_interval_figures("offline", offline),
        "careful_wer": rounded(recording.measured.wer if recording else None),
        **_interval_figures("careful", recording),
        "wer_delta_points": _delta(ours, offline),
        "wer_delta_points_published": _delta(ours, published),
        "wer_delta_points_same_step": _delta(ours, same),
        "pruned_share": rounded(pruning.measured.totals.pruned_share if pruning else None),
        "average_beam": rounded(pruning.average_beam if pruning else None),
        "forwards_per_round": rounded(verify.measured.totals.forwards_per_round if verify else None),
        "new_tokens_per_round": rounded(verify.measured.totals.new_tokens_per_round if verify else None),
        "encoder_gmacs_ratio": rounded(ours.gmacs_ratio if ours else None),
        **(_own_figures(ours) if ours else {}),
    }


def _own_figures(ours: CaptionRow) -> dict[str, Cell]:
    measured, latency = ours.measured, ours.measured.latency
    kept = measured.kept_interval or (None, None)
    return {
        "wer": rounded(measured.wer),
        **_interval_figures("", ours),
        "kept_wer": rounded(measured.kept_wer),
        "kept_wer_low": rounded(kept[0]),
        "kept_wer_high": rounded(kept[1]),
        "second_look_factor": rounded(measured.look_factor),
        "second_look_held_share": rounded(measured.held_share),
        "second_look_delay_p95_seconds": rounded(part_of(measured.look_delay, "p95")),
        "word_latency_seconds": rounded(part_of(latency, "mean")),
        "word_latency_p50_seconds": rounded(part_of(latency, "p50")),
        "word_latency_p95_seconds": rounded(part_of(latency, "p95")),
        "before_next_share": rounded(measured.before_next),
        "real_time_factor": rounded(measured.real_time_factor),
        "words": measured.words,
        "audio_seconds": round(measured.audio_seconds, 1),
    }


def _interval_figures(name: str, row: CaptionRow | None) -> dict[str, Cell]:
    low, high = (row and row.measured.interval) or (None, None)
    prefix = f"{name}_" if name else ""
    return {f"{prefix}wer_low": rounded(low), f"{prefix}wer_high": rounded(high)}


def records(found: Sequence[CaptionRow]) -> list[dict[str, Cell]]:
    """Return every row as plain values, for JSON; ratios and differences are against the first row."""
    return records_of((Column("method", lambda row: row.method.name), *_speed(found), *WORK), found)


def speed_table(found: Sequence[CaptionRow]) -> str:
    """Lay out accuracy and delay of every method, each against the first."""
    return table_of(_speed(found), found)


def work_table(found: Sequence[CaptionRow]) -> str:
    """Lay out what a round of every live method takes, on average over the rounds that decoded something."""
    live = [row for row in found if row.method.ear == "live"]
    return table_of(WORK, live) if live else ""


TITLE: Column[CaptionRow] = Column("title", lambda row: row.method.title, "method")

WORK: tuple[Column[CaptionRow], ...] = (
    TITLE,
    Column("rounds", lambda row: row.measured.totals.rounds, "rounds"),
    Column("average_beam", lambda row: row.average_beam, "beam"),
    Column("pruned_share", lambda row: row.measured.totals.pruned_share, "pruned", percent),
    Column("reduce_ratio", lambda row: row.reduce_ratio, "reduced r"),
    Column("forwards_per_round", lambda row: row.measured.totals.forwards_per_round, "forwards"),
    Column("new_tokens_per_round", lambda row: row.measured.totals.new_tokens_per_round, "new tokens"),
    Column("encoder_gmacs_per_round", lambda row: row.gmacs_per_round, "GMACs"),
    Column("encoder_gmacs_ratio", lambda row: row.gmacs_ratio, "of 30 s"),
)


def _speed(found: Sequence[CaptionRow]) -> tuple[Column[CaptionRow], ...]:
    first = found[0]
    return (
        TITLE,
        Column("step_seconds", lambda row: row.step_seconds, "step s"),
        Column("padding", lambda row: row.method.options.padding),
        Column("wer", lambda row: row.measured.wer, "WER", percent),
        Column("words", lambda row: row.measured.words),
        *(Column(f"wer_{side}", partial(_bound, place)) for place, side in enumerate(("low", "high"))),
        Column("wer_delta_points", lambda row: wer_delta_points(row, first)),
        Column("", lambda row: None if row is first else wer_delta_points(row, first), "points", signed),
        Column("", lambda row: row.measured.interval, "95%", _percents),
        Column("kept_wer", lambda row: row.measured.kept_wer, "kept", percent),
        Column("second_look_factor", lambda row: row.measured.look_factor, "its cost"),
        Column("word_latency_seconds", lambda row: row.latency_seconds, "delay s"),
        Column("word_latency_p95_seconds", lambda row: part_of(row.measured.latency, "p95"), "p95 s"),
        Column("before_next_share", lambda row: row.measured.before_next, "before next", percent),
        Column("latency_ratio", lambda row: ratio(row.latency_seconds, first.latency_seconds), "of first"),
        Column("cpu_seconds_per_second", lambda row: row.measured.cpu_factor, "CPU s/s"),
        Column("watts", lambda row: row.measured.watts, "W"),
        Column("estimated_watts", lambda row: row.measured.estimated_watts, "W, estimated"),
        Column("real_time_factor", lambda row: row.measured.real_time_factor, "of real time"),
    )


def _bound(place: int, row: CaptionRow) -> float | None:
    """Return a bound of the interval of a row's word errors: the lower is at place 0."""
    return row.measured.interval[place] if row.measured.interval else None


def _percents(interval: tuple[float, float] | None) -> str:
    """Write an interval in percent."""
    return "-" if interval is None else f"[{100 * interval[0]:.1f} {100 * interval[1]:.1f}]"


def misheard(results: Sequence[ClipResult], count: int = 3) -> str:
    """Write the clips with the most errors, said and heard: figures alone do not show what goes wrong."""
    wrong = sorted((r for r in results if r.errors.rate > 0), key=lambda r: -r.errors.rate)[:count]
    return "".join(
        f"{r.clip}\n  said:  {short(r.said, 300)}\n  heard: {short(r.heard, 300) or '(nothing)'}\n" for r in wrong
    )


def clip_table(results: Sequence[ClipResult]) -> str:
    """Lay out every clip of one method, then all of them."""
    headers = ("clip", "seconds", "words", "WER", "delay s", "delay p50", "delay p95", "of real time")
    lines = [_clip_cells(result.clip, together([result])) for result in results]
    return table(headers, [*lines, _clip_cells("all", together(results))] if len(lines) > 1 else lines)


def _clip_cells(name: str, measured: MeasuredCaptions) -> tuple[Cell, ...]:
    delays = (part_of(measured.latency, part) for part in ("mean", "p50", "p95"))
    seconds = round(measured.audio_seconds, 1)
    return (name, seconds, measured.words, percent(measured.wer), *delays, measured.real_time_factor)


def _latency_ratio(row: CaptionRow | None, first: CaptionRow | None) -> float | None:
    return rounded(ratio(row.latency_seconds, first.latency_seconds)) if row and first else None


def _delta(row: CaptionRow | None, first: CaptionRow | None) -> float | None:
    return rounded(wer_delta_points(row, first)) if row and first else None
