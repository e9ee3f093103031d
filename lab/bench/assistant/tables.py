"""The assistant benchmark's rows, tables and headline figures; every way is held against the plain cascade."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.terminal.tables import Cell
from engine.events import Latency
from engine.metrics import latency_of
from lab.bench.assistant.dialogues import is_right
from lab.bench.assistant.measure import TalkResult, TurnResult
from lab.bench.assistant.methods import (
    BASELINE,
    BRANCHES,
    EARSHOT,
    EARSHOT_TOP,
    GREEDY,
    JACOBI,
    LAST_WORD,
    REFLECTION,
    TOP,
    TOP_LAST_WORD,
    AnswerMethod,
)
from lab.bench.plots import draw_bars
from lab.bench.tables import Column, mean, milliseconds, part_of, percent, ratio, rounded
from lab.bench.translation.metrics import Interval, interval


@dataclass(frozen=True, slots=True)
class MeasuredAnswers:
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
        agreement: share of turns whose first sentence is the plain cascade's; None where that was not run.
        logprob: mean log-probability of a token of the first sentence, as the model has it; the turns' mean.
        premade_later: `premade` of all turns but the first; None where there are none.
        sooner_within: interval of how much sooner the first sound comes than the plain cascade's, at 95%.
        agreement_within: interval of `agreement`.
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
    agreement: float | None = None
    logprob: float | None = None
    premade_later: float | None = None
    sooner_within: Interval | None = None
    agreement_within: Interval | None = None


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """The outcome of one way, and of the plain cascade in the same run (None where it was not run)."""

    way: AnswerMethod
    measured: MeasuredAnswers
    plain: MeasuredAnswers | None

    @property
    def speedup(self) -> float | None:
        """Return how much sooner the first sound comes than from the plain cascade: the ratio of means, as in the
        paper.
        """
        return self._sooner(lambda measured: measured.sound)

    @property
    def sentence_speedup(self) -> float | None:
        """The same of the first sentence."""
        return self._sooner(lambda measured: measured.sentence)

    def _sooner(self, latency: Callable[[MeasuredAnswers], Latency | None]) -> float | None:
        plain = latency(self.plain) if self.plain else None
        return ratio(part_of(plain, "mean"), part_of(latency(self.measured), "mean"))


def together(results: Sequence[TalkResult], plain: Sequence[TalkResult] | None = None) -> MeasuredAnswers:
    """Sum up what conversations came to; `plain` is what the same ones came to in the plain cascade."""
    turns = _turns(results)
    sounding = [turn for turn in turns if turn.sound_seconds is not None]
    answered = [turn for turn in turns if turn.sentence_seconds is not None]
    judged = [is_right(r.turns[-1].reply, r.talk.reply) for r in results if r.talk.reply is not None]
    pairs = None if plain is None else list(zip(turns, _turns(plain), strict=True))
    same = [float(own.first_sentence == other.first_sentence) for own, other in pairs or ()]
    return MeasuredAnswers(
        turns=len(turns),
        silent=len(turns) - len(sounding),
        sentence=latency_of(turn.sentence_seconds for turn in answered if turn.sentence_seconds is not None),
        sound=latency_of(turn.sound_seconds for turn in sounding if turn.sound_seconds is not None),
        forwards_to_sentence=mean(turn.forwards_to_sentence for turn in answered),
        premade=mean(turn.premade for turn in turns),
        made_ahead=mean(turn.made_ahead for turn in turns),
        guesses=mean(turn.guesses for turn in turns),
        forwards_ahead=mean(turn.forwards_ahead for turn in turns),
        wasted_tokens=mean(turn.wasted_tokens for turn in turns),
        accepted=ratio(sum(turn.accepted for turn in turns), sum(turn.drafted for turn in turns)),
        identical=None if pairs is None else mean(own.tokens == other.tokens for own, other in pairs),
        right=mean(judged),
        agreement=mean(same),
        logprob=mean(turn.logprob for turn in turns if turn.logprob is not None),
        premade_later=mean(turn.premade for result in results for turn in result.turns[1:]),
        sooner_within=_sooner_within(pairs or ()),
        agreement_within=interval(same, [1.0] * len(same)),
    )


def _sooner_within(pairs: Sequence[tuple[TurnResult, TurnResult]]) -> Interval | None:
    waits = [(other.sound_seconds, own.sound_seconds) for own, other in pairs]
    both = [(plain, own) for plain, own in waits if plain is not None and own is not None]
    return interval([plain for plain, _ in both], [own for _, own in both])


def rows(ways: Sequence[AnswerMethod], found: Mapping[str, Sequence[TalkResult]]) -> list[AnswerRow]:
    """Return the rows of the methods that were run."""
    plain_results = found.get(BASELINE)
    measured = {way.name: together(found[way.name], plain_results) for way in ways if found.get(way.name)}
    return [AnswerRow(way, measured[way.name], measured.get(BASELINE)) for way in ways if way.name in measured]


SPEEDUPS = {
    "greedy": GREEDY,
    "topk": TOP,
    "reflection": REFLECTION,
    "jacobi": JACOBI,
    "branches": BRANCHES,
    "last_word": LAST_WORD,
    "topk_last_word": TOP_LAST_WORD,
    "earshot": EARSHOT,
    "earshot_topk": EARSHOT_TOP,
}
RIGHTS = {"baseline": BASELINE, "topk": TOP, "earshot_topk": EARSHOT_TOP}


def figures(found: Sequence[AnswerRow]) -> dict[str, Cell]:
    """Return the headline numbers; None where the method that one is about was not run.

    Speedups are over the plain cascade: of PredGen as published ("topk": top-3), and of Earshot's methods. Figures
    that are not named after a method are of Earshot's default, whose verifier is the greedy one.
    """
    measured = {row.way.name: row.measured for row in found}
    speedups = {row.way.name: row.speedup for row in found}
    named: dict[str, float | None] = {f"speedup_{name}": speedups.get(way) for name, way in SPEEDUPS.items()}
    named["greedy_identical_share"] = measured[GREEDY].identical if GREEDY in measured else None
    named |= _own_figures(measured.get(EARSHOT))
    named |= {f"right_share_{name}": measured[way].right if way in measured else None for name, way in RIGHTS.items()}
    return {name: rounded(value) for name, value in named.items()}


def _own_figures(own: MeasuredAnswers | None) -> dict[str, float | None]:
    return {
        "premade_share": own.premade if own else None,
        "made_ahead_share": own.made_ahead if own else None,
        "first_sound_seconds_p50": part_of(own.sound, "p50") if own else None,
        "first_sound_seconds_p95": part_of(own.sound, "p95") if own else None,
        "wasted_tokens_per_turn": own.wasted_tokens if own else None,
        "right_share": own.right if own else None,
    }


METHOD: Column[AnswerRow] = Column("title", lambda row: row.way.title, "method")

DELAYS: tuple[Column[AnswerRow], ...] = (
    METHOD,
    Column("ttfs_seconds", lambda row: part_of(row.measured.sentence, "mean"), "TTFS ms", milliseconds),
    Column("nfetfs", lambda row: row.measured.forwards_to_sentence, "NFETFS"),
    Column("latency_seconds", lambda row: part_of(row.measured.sound, "mean"), "latency ms", milliseconds),
    Column("latency_seconds_p50", lambda row: part_of(row.measured.sound, "p50"), "p50", milliseconds),
    Column("latency_seconds_p95", lambda row: part_of(row.measured.sound, "p95"), "p95", milliseconds),
    Column("speedup", lambda row: row.speedup, "speedup"),
    Column("premade_share", lambda row: row.measured.premade, "NFETFS = 1", percent),
    Column("made_ahead_share", lambda row: row.measured.made_ahead, "made ahead", percent),
    Column("identical_share", lambda row: row.measured.identical, "identical", percent),
    Column("right_share", lambda row: row.measured.right, "right", percent),
    Column("agreement_share", lambda row: row.measured.agreement, "same sentence", percent),
    Column("logprob", lambda row: row.measured.logprob, "log-prob."),
    Column("premade_later_share", lambda row: row.measured.premade_later, "NFETFS = 1 later", percent),
)
"""Columns of the paper's Table 1, and how often nothing had to be made any more."""

WORK: tuple[Column[AnswerRow], ...] = (
    METHOD,
    Column("turns", lambda row: row.measured.turns, "turns"),
    Column("silent_turns", lambda row: row.measured.silent, "silent"),
    Column("guesses_per_turn", lambda row: row.measured.guesses, "guesses"),
    Column("forwards_ahead_per_turn", lambda row: row.measured.forwards_ahead, "forwards ahead"),
    Column("wasted_tokens_per_turn", lambda row: row.measured.wasted_tokens, "wasted tokens"),
    Column("accepted_share", lambda row: row.measured.accepted, "kept of the last draft", percent),
)
"""Columns of what it costs to answer ahead, a turn."""


def _bounds(name: str, within: Callable[[MeasuredAnswers], Interval | None]) -> tuple[Column[AnswerRow], ...]:
    """Return columns of the lower and upper bound of a figure."""

    def bound(place: int) -> Callable[[AnswerRow], Cell]:
        def found(row: AnswerRow) -> Cell:
            between = within(row.measured)
            return None if between is None else (between.low, between.high)[place]

        return found

    return Column(f"{name}_low", bound(0)), Column(f"{name}_high", bound(1))


ALL: tuple[Column[AnswerRow], ...] = (
    Column("method", lambda row: row.way.name),
    Column("published", lambda row: row.way.published),
    Column("ttfs_speedup", lambda row: row.sentence_speedup),
    *_bounds("speedup", lambda measured: measured.sooner_within),
    *_bounds("agreement", lambda measured: measured.agreement_within),
    *DELAYS,
    *WORK,
)


PICTURE: tuple[Column[AnswerRow], ...] = (
    Column(
        "", lambda row: milliseconds(part_of(row.measured.sound, "mean")), "to the first sound, ms", "{:.0f}".format
    ),
    Column("", lambda row: row.measured.forwards_to_sentence, "forwards to the first sentence", "{:.1f}".format),
    Column("", lambda row: row.measured.premade, "first sentence made ahead", "{:.0%}".format),
)


def draw(path: Path, found: Sequence[AnswerRow]) -> None:
    """Draw bars of every method's delay and forwards until then, and of how often nothing had to be made any more."""
    draw_bars(
        path, PICTURE, found, named=lambda row: row.way.title, apart=lambda row: not row.way.published,
        marked=lambda row: row.way.name == EARSHOT,
    )  # fmt: skip


def _turns(results: Iterable[TalkResult]) -> list[TurnResult]:
    return [turn for result in results for turn in result.turns]
