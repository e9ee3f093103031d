"""The assistant benchmark's rows, tables and headline figures; every way is held against the plain cascade."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.bench.assistant.dialogues import is_right
from engine.bench.assistant.measure import TalkResult, TurnResult
from engine.bench.assistant.methods import (
    BASELINE,
    BRANCHES,
    EARSHOT,
    EARSHOT_TOP,
    GREEDY,
    JACOBI,
    LAST_WORD,
    PUBLISHED_TOP_K,
    REFLECTION,
    SPARE_TIME,
    Way,
    also,
    top,
)
from engine.bench.captions.comparison import ratio
from engine.bench.plots import Bar, draw_bars
from engine.bench.tables import Cell, percent, rounded, short, table
from engine.events import Latency
from engine.metrics import latency_of


@dataclass(frozen=True, slots=True)
class Measured:
    """All turns of one way together.

    Attributes:
        turns: how many were asked.
        silent: how many of them were answered with no sound.
        sentence: time to the first sentence (TTFS), seconds.
        sound: time to the first sound (the paper's audio latency), seconds.
        forwards_to_sentence: mean forwards from the whole question on to the first sentence (NFETFS).
        premade: share of turns whose first sentence stood the first verification as it was, sound and all (NFETFS = 1).
        made_ahead: share of turns whose first sound was made before the question ended, however it was confirmed.
        guesses, forwards_ahead, wasted_tokens: before the whole question, a turn.
        accepted: share of the drafted tokens that the last verification kept.
        identical: share of turns whose reply is the plain cascade's, token by token; None where that was not run.
        right: share of the conversations that ended with the right answer; None where nobody knows it.
    """

    turns: int
    silent: int
    sentence: Latency | None
    sound: Latency | None
    forwards_to_sentence: float | None
    premade: float | None
    made_ahead: float | None
    guesses: float | None
    forwards_ahead: float | None
    wasted_tokens: float | None
    accepted: float | None
    identical: float | None
    right: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """What one way came to, and the plain cascade in the same run (None where it was not run)."""

    way: Way
    measured: Measured
    plain: Measured | None

    @property
    def speedup(self) -> float | None:
        """How much sooner the first sound comes than from the plain cascade: the ratio of means, as in the paper."""
        return ratio(_mean(self.plain.sound) if self.plain else None, _mean(self.measured.sound))

    @property
    def sentence_speedup(self) -> float | None:
        """The same of the first sentence."""
        return ratio(_mean(self.plain.sentence) if self.plain else None, _mean(self.measured.sentence))


def together(results: Sequence[TalkResult], plain: Sequence[TalkResult] | None = None) -> Measured:
    """Sum up what conversations came to; `plain` is what the same ones came to in the plain cascade."""
    turns = _turns(results)
    sounding = [turn for turn in turns if turn.sound_seconds is not None]
    answered = [turn for turn in turns if turn.sentence_seconds is not None]
    judged = [is_right(r.turns[-1].reply, r.talk.reply) for r in results if r.talk.reply is not None]
    alike = None if plain is None else [a.tokens == b.tokens for a, b in zip(turns, _turns(plain), strict=True)]
    return Measured(
        turns=len(turns),
        silent=len(turns) - len(sounding),
        sentence=latency_of(turn.sentence_seconds for turn in answered if turn.sentence_seconds is not None),
        sound=latency_of(turn.sound_seconds for turn in sounding if turn.sound_seconds is not None),
        forwards_to_sentence=_share(turn.forwards_to_sentence for turn in answered),
        premade=_share(turn.premade for turn in turns),
        made_ahead=_share(turn.made_ahead for turn in turns),
        guesses=_share(turn.guesses for turn in turns),
        forwards_ahead=_share(turn.forwards_ahead for turn in turns),
        wasted_tokens=_share(turn.wasted_tokens for turn in turns),
        accepted=ratio(sum(turn.accepted for turn in turns), sum(turn.drafted for turn in turns)),
        identical=None if alike is None else _share(alike),
        right=_share(judged),
    )


def rows(ways: Sequence[Way], found: Mapping[str, Sequence[TalkResult]]) -> list[Row]:
    """The rows of the ways that were run."""
    plain_results = found.get(BASELINE)
    measured = {way.name: together(found[way.name], plain_results) for way in ways if found.get(way.name)}
    return [Row(way, measured[way.name], measured.get(BASELINE)) for way in ways if way.name in measured]


def figures(found: Sequence[Row]) -> dict[str, Cell]:
    """The headline numbers; None where the way that one is about was not run.

    Speedups are over the plain cascade: of PredGen as published ("topk": top-3), and of what Earshot makes of it
    ("spare_time": with branches and the last word). What is not named after a way is of Earshot's default, whose
    verifier is the greedy one.
    """
    by_name = {row.way.name: row for row in found}
    speedups = {
        "speedup_greedy": GREEDY,
        "speedup_topk": top(PUBLISHED_TOP_K),
        "speedup_reflection": REFLECTION,
        "speedup_jacobi": JACOBI,
        "speedup_branches": BRANCHES,
        "speedup_topk_branches": also(PUBLISHED_TOP_K, BRANCHES),
        "speedup_last_word": LAST_WORD,
        "speedup_topk_last_word": also(PUBLISHED_TOP_K, LAST_WORD),
        "speedup_spare_time": SPARE_TIME,
        "speedup_topk_spare_time": also(PUBLISHED_TOP_K, SPARE_TIME),
        "speedup_earshot": EARSHOT,
        "speedup_earshot_topk": EARSHOT_TOP,
    }
    rights = {"baseline": BASELINE, "topk": top(PUBLISHED_TOP_K), "earshot_topk": EARSHOT_TOP}
    named: dict[str, float | None] = {
        **{name: by_name[way].speedup if way in by_name else None for name, way in speedups.items()},
        "greedy_identical_share": by_name[GREEDY].measured.identical if GREEDY in by_name else None,
        **_own_figures(by_name[EARSHOT].measured if EARSHOT in by_name else None),
        **{
            f"right_share_{name}": by_name[way].measured.right if way in by_name else None
            for name, way in rights.items()
        },
    }
    return {name: rounded(value) for name, value in named.items()}


def _own_figures(own: Measured | None) -> dict[str, float | None]:
    return {
        "premade_share": own.premade if own else None,
        "made_ahead_share": own.made_ahead if own else None,
        "first_sound_seconds_p50": own.sound.p50 if own and own.sound else None,
        "first_sound_seconds_p95": own.sound.p95 if own and own.sound else None,
        "wasted_tokens_per_turn": own.wasted_tokens if own else None,
        "right_share": own.right if own else None,
    }


def delay_table(found: Sequence[Row]) -> str:
    """What the paper's Table 1 holds, and how often nothing had to be made any more."""
    headers = (
        "method", "TTFS ms", "NFETFS", "latency ms", "p50", "p95", "speedup", "NFETFS = 1", "made ahead", "identical",
        "right",
    )  # fmt: skip
    return table(headers, [_delay_cells(row) for row in found])


def work_table(found: Sequence[Row]) -> str:
    """What it costs to answer ahead, a turn."""
    headers = ("method", "turns", "silent", "guesses", "forwards ahead", "wasted tokens", "kept of the last draft")
    return table(headers, [_work_cells(row) for row in found], decimals=1)


def records(found: Sequence[Row]) -> list[dict[str, Cell]]:
    """Every row as plain values, for JSON."""
    return [_record(row) for row in found]


def draw(path: Path, rows: Sequence[Row]) -> None:
    """Draw bars of every method's delay and forwards until then, and of how often nothing had to be made any more."""
    columns = (
        ("to the first sound, ms", "{:.0f}"),
        ("forwards to the first sentence", "{:.1f}"),
        ("first sentence made ahead, %", "{:.0f}"),
    )
    bars = [
        Bar(
            row.way.title,
            (
                _milliseconds(_mean(row.measured.sound)),
                row.measured.forwards_to_sentence,
                None if row.measured.premade is None else 100 * row.measured.premade,
            ),
            apart=not row.way.published,
            marked=row.way.name == EARSHOT,
        )
        for row in rows
    ]
    draw_bars(path, columns, bars)


def wrong(results: Sequence[TalkResult], count: int = 3) -> str:
    """Some of the questions that were not answered rightly: figures alone do not tell what goes wrong."""
    missed = [r for r in results if r.talk.reply is not None and not is_right(r.turns[-1].reply, r.talk.reply)]
    return "".join(
        f"{r.talk.name}\n  asked:    {short(r.turns[-1].question)}\n"
        f"  answered: {short(r.turns[-1].reply) or '(nothing)'}\n  expected: {short(r.talk.reply or '')}\n"
        for r in missed[:count]
    )


def _turns(results: Iterable[TalkResult]) -> list[TurnResult]:
    return [turn for result in results for turn in result.turns]


def _delay_cells(row: Row) -> tuple[Cell, ...]:
    measured = row.measured
    return (
        row.way.title,
        _milliseconds(_mean(measured.sentence)),
        measured.forwards_to_sentence,
        _milliseconds(_mean(measured.sound)),
        _milliseconds(measured.sound.p50 if measured.sound else None),
        _milliseconds(measured.sound.p95 if measured.sound else None),
        row.speedup,
        percent(measured.premade),
        percent(measured.made_ahead),
        percent(measured.identical),
        percent(measured.right),
    )


def _work_cells(row: Row) -> tuple[Cell, ...]:
    measured = row.measured
    return (
        row.way.title,
        measured.turns,
        measured.silent,
        measured.guesses,
        measured.forwards_ahead,
        measured.wasted_tokens,
        percent(measured.accepted),
    )


def _record(row: Row) -> dict[str, Cell]:
    measured = row.measured
    numbers: dict[str, float | None] = {
        "ttfs_seconds": _mean(measured.sentence),
        "nfetfs": measured.forwards_to_sentence,
        "latency_seconds": _mean(measured.sound),
        "latency_seconds_p50": measured.sound.p50 if measured.sound else None,
        "latency_seconds_p95": measured.sound.p95 if measured.sound else None,
        "speedup": row.speedup,
        "ttfs_speedup": row.sentence_speedup,
        "premade_share": measured.premade,
        "made_ahead_share": measured.made_ahead,
        "identical_share": measured.identical,
        "right_share": measured.right,
        "guesses_per_turn": measured.guesses,
        "forwards_ahead_per_turn": measured.forwards_ahead,
        "wasted_tokens_per_turn": measured.wasted_tokens,
        "accepted_share": measured.accepted,
    }
    named: dict[str, Cell] = {"method": row.way.name, "title": row.way.title, "published": row.way.published}
    counts: dict[str, Cell] = {"turns": measured.turns, "silent_turns": measured.silent}
    return named | counts | {name: rounded(value) for name, value in numbers.items()}


def _share(values: Iterable[float]) -> float | None:
    """The mean of numbers, or of what is so and what is not."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def _mean(latency: Latency | None) -> float | None:
    return latency.mean if latency else None


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else 1000 * seconds
