"""Everyday lines, whose translations were judged one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.language.token_model import TranslationModel
from engine.models.catalogue import ASSETS
from engine.options import TranslationOptions
from lab.bench.errors import BenchError
from lab.bench.tables import Column, mean, percent
from lab.bench.translation.measure import translate_text
from lab.bench.translation.methods import PLAIN, ways
from lab.bench.translation.metrics import interval
from lab.bench.translation.texts import ALL_AT_ONCE, Text, growing

LINES = ASSETS / "bench" / "everyday.tsv"
JUDGEMENTS = ASSETS / "bench" / "everyday.judged.tsv"
USABLE_SCORE = 3
"""Least score of a translation that is right, maybe with a slip."""

Judged = Mapping[tuple[str, str, str], int]
"""Scores from 0 to 4, by language, line and translation."""


@dataclass(frozen=True, slots=True)
class Everyday:
    """A line, its translation, and how it was judged.

    Attributes:
        kind: where such lines are said.
        score: from 0 (says something else) to 4 (right); None where nobody has judged this translation.
    """

    kind: str
    source: str
    translation: str
    score: int | None


@dataclass(frozen=True, slots=True)
class Summary:
    """The scores of one kind of line, or of all."""

    kind: str
    lines: Sequence[Everyday]

    @property
    def scores(self) -> list[int]:
        return [line.score for line in self.lines if line.score is not None]

    @property
    def usable(self) -> list[float]:
        """1 for a usable translation, 0 for another."""
        return [float(score >= USABLE_SCORE) for score in self.scores]

    @property
    def usable_share(self) -> float | None:
        return mean(self.usable)


COLUMNS: tuple[Column[Summary], ...] = (
    Column("kind", lambda row: row.kind, "lines"),
    Column("lines", lambda row: len(row.lines), "n"),
    Column("judged", lambda row: len(row.scores), "judged"),
    Column("mean_score", lambda row: mean(row.scores), "mean of 4"),
    Column("usable_share", lambda row: row.usable_share, "usable", percent),
)


def read_lines() -> list[tuple[str, str]]:
    """Return the lines, each behind its kind."""
    rows = (line.split("\t") for line in LINES.read_text("utf-8").splitlines())
    return [(kind, source) for kind, source in rows]


def read_judgements() -> Judged:
    """Return the scores that were given.

    Raises:
        BenchError: a row is no language, line, translation and score.
    """
    found = {}
    for number, line in enumerate(JUDGEMENTS.read_text("utf-8").splitlines(), 1):
        match line.split("\t"):
            case [language, source, translation, score] if score in {"0", "1", "2", "3", "4"}:
                found[language, source, translation] = int(score)
            case _:
                raise BenchError(f"Line {number} of {JUDGEMENTS} must be a language, a line, a translation and 0 to 4.")
    return found


def translated(model: TranslationModel, target: str, judged: Judged, limit: int | None = None) -> list[Everyday]:
    """Translate the lines greedily, each as a whole, and look up how that was judged.

    Raises:
        OptionError: a language that the model does not know.
    """
    (plain,) = (way for way in ways(TranslationOptions(target)) if way.name == PLAIN)
    translator = plain.translator(model)
    found = []
    for kind, source in read_lines()[:limit]:
        (text,) = growing([Text(source, ())], ALL_AT_ONCE)
        translation = translate_text(translator, text).translation
        found.append(Everyday(kind, source, translation, judged.get((target, source, translation))))
    return found


def summaries(lines: Sequence[Everyday]) -> list[Summary]:
    """Return the scores of each kind, and of all at the end."""
    kinds = Counter(line.kind for line in lines)
    return [
        *(Summary(kind, [line for line in lines if line.kind == kind]) for kind in kinds),
        Summary("all", lines),
    ]


def figures(summary: Summary) -> dict[str, float | int | None]:
    """Return the figures of a summary, with the interval of its usable share."""
    bounds = interval(summary.usable, [1.0] * len(summary.usable))
    return {
        "usable_share": summary.usable_share,
        "usable_share_low": bounds.low if bounds else None,
        "usable_share_high": bounds.high if bounds else None,
        "mean_score": mean(summary.scores),
        "not_judged": len(summary.lines) - len(summary.scores),
    }
