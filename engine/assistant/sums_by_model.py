"""Sums in words that no tool knows: a published model writes the calculation, and the calculator does it.

Models of a size that fits beside hearing often know what is to be calculated and calculate wrongly (Gao et al., "PAL:
Program-aided Language Models", arXiv:2211.10435).
"""

from __future__ import annotations

import re
from collections.abc import Generator
from datetime import datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.answer.safety.recognition import language_of
from engine.answer.tools.dates import write_time
from engine.answer.tools.engine_tools import calculated
from engine.answer.tools.numbers import numbers_in
from engine.answer.tools.outcomes import ToolOutcome

if TYPE_CHECKING:
    from engine.answer.any_predictor import AnyPredictor
    from engine.turns import Language

INSTRUCTION = (
    "Write the calculation that answers the question, with numbers and + - * / ( ) only. Times of day are written as "
    "9:50, spans of time as 85 min or 2 h. Write none where nothing is to be calculated."
)
EXAMPLES = (
    ("Eight cinema tickets cost 92 euros. How much is one?", "92 / 8"),
    ("Who ruled France from 1804 to 1815?", "none"),
    ("The ferry leaves at 9:50 and takes 85 minutes. When does it arrive?", "9:50 + 85 min"),
    ("A coat of 240 pounds is 15% cheaper today. What do I pay?", "240 * (1 - 15 / 100)"),
    ("Wie viele Sekunden hat eine Woche?", "7 * 24 * 60 * 60"),
    ("What temperature does chicken need?", "none"),
    ("I have 3 boxes of 12 eggs and eat 5. How many are left?", "3 * 12 - 5"),
    ("What is 30 as a percentage of 120?", "30 / 120 * 100"),
    ("How tall is the Eiffel Tower?", "none"),
)
"""Questions that show a model what is meant."""

MOST_TOKENS = 40
"""Longest calculation."""

USUAL = frozenset(map(Fraction, (1, 2, 7, 12, 24, 60, 100, 365, 1000)))
"""Numbers of a calculation that need not stand in the question."""

MINUTES = 24 * 60

_CLOCK = re.compile(r"(\d{1,2}):(\d{2}) ([+-]) (\d+(?:\.\d+)?) (min|h)")
_OPERATOR = re.compile(r"[*/+-]")
_SUM = re.compile(r"[\d.()+*/ -]+")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")


def names_number(question: str) -> bool:
    """Return whether a question names a number, other than by an article."""
    return not _numbers_of(question) <= {1}


def sum_of(predictor: AnyPredictor, question: str) -> Generator[None, None, ToolOutcome | None]:
    """Return the result of a calculation that a question asks for; None if it asks for none, or it is not sure.

    What is calculated may only have the question's numbers, and those of measures.
    """
    written = yield from predictor.aside(INSTRUCTION, EXAMPLES, question, MOST_TOKENS)
    return None if written is None else outcome_of(written.strip(), _numbers_of(question), language_of(question))


def outcome_of(calculation: str, named: set[Fraction], language: Language) -> ToolOutcome | None:
    """Return the result of a calculation with numbers that were named; None if it has others, or is none."""
    if clock := _CLOCK.fullmatch(calculation):
        return _time_of_day(clock, named, language)
    if not _SUM.fullmatch(calculation) or not _OPERATOR.search(calculation) or "**" in calculation:
        return None
    if not all(_is_named(Fraction(each), named) for each in _DIGITS.findall(calculation)):
        return None
    return calculated(calculation, language, "en")


def _numbers_of(question: str) -> set[Fraction]:
    return numbers_in(question, language_of(question))


def _is_named(number: Fraction, named: set[Fraction]) -> bool:
    """Return whether a number was named, perhaps in another unit of the same measure: 0.15 kg for 150 g."""
    return number in USUAL or any(number * 10**power in named for power in range(-3, 4))


def _time_of_day(clock: re.Match[str], named: set[Fraction], language: Language) -> ToolOutcome | None:
    """Return the time of day that is a span behind or before another; None if one of them was not named."""
    hour, minute, count = int(clock[1]), int(clock[2]), Fraction(clock[4])
    if hour > 23 or minute > 59 or not {count} <= named or not {hour, hour % 12} & named:
        return None
    if minute % 15 and minute not in named:
        return None
    span = count * (60 if clock[5] == "h" else 1) * (1 if clock[3] == "+" else -1)
    end, begin = int(hour * 60 + minute + span) % MINUTES, datetime.min
    return ToolOutcome("clock", {"time": write_time(begin + timedelta(minutes=end), language, half=hour > 12)})
