"""Metrics of live translation: flicker, lag, what a draft was worth, and how good the words are.

Flicker is erasure (Niehues et al. 2016; Arivazhagan et al. 2020, arXiv:1912.03393), counted as in the SSBD paper (Zeng
et al., "Self-Speculative Biased Decoding for Faster Live Translation") on the text that is shown. That paper counts
pieces of sacrebleu's flores101 tokenizer, a model that has to be downloaded; here the pieces are those of
`reading_units`, which needs nothing: figures of both are alike in kind, and only those of one kind can be compared.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from engine.errors import EngineError

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

Piece = TypeVar("Piece")

SPACELESS_SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "THAI", "LAO", "KHMER", "MYANMAR")
"""Scripts without spaces between words, as the names of their characters begin in Unicode."""

BLEU_TOKENIZERS = {"zh": "zh", "yue": "zh", "ja": "char", "th": "char", "lo": "char", "km": "char", "my": "char"}
"""sacrebleu's tokenizer by target language; its own for Japanese needs a dictionary of its own. Others take "13a"."""


class QualityError(EngineError):
    """Translations that cannot be scored here."""


def reading_units(text: str) -> list[str]:
    """Split text into what a reader sees change: words, marks of punctuation, characters of scripts without spaces.

    >>> reading_units("Das ist's, oder?")
    ['Das', "ist's", ',', 'oder', '?']
    >>> reading_units("我们走。")
    ['我', '们', '走', '。']

    Combining marks stay with their letter, and an apostrophe between letters stays in its word.
    """
    units: list[str] = []
    growing = False  # whether the last unit is a word that the next letter belongs to
    for index, character in enumerate(text):
        kind = unicodedata.category(character)[0]
        if kind == "M" and units and not text[index - 1].isspace():
            units[-1] += character
        elif (kind in "LN" and not is_spaceless(character)) or _joins(text, index):
            if growing:
                units[-1] += character
            else:
                units.append(character)
            growing = True
        else:
            growing = False
            if kind not in "ZC":
                units.append(character)
    return units


def _joins(text: str, index: int) -> bool:
    """Return whether an apostrophe stands between two letters."""
    return text[index] in "'’" and text[index - 1 : index].isalpha() and text[index + 1 : index + 2].isalpha()


def is_spaceless(character: str) -> bool:
    """Return whether a character belongs to a script that has no spaces between words."""
    return ord(character) > 0xDFF and unicodedata.name(character, "").startswith(SPACELESS_SCRIPTS)


def common_prefix(first: Sequence[Piece], second: Sequence[Piece]) -> int:
    """Return how many pieces two sequences begin with in common."""
    pairs = zip(first, second, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def erasures(outputs: Sequence[Sequence[Piece]]) -> list[int]:
    """Return how many pieces each output takes back of the one before it: E(i) = |Y(i-1)| - |LCP(Y(i-1), Y(i))|.

    >>> erasures([["C'est"], ["C'est", "un", "exemple"], ["C'est", "un", "bel", "exemple"]])
    [0, 1]
    """
    return [len(before) - common_prefix(before, after) for before, after in pairwise(outputs)]


def normalized_erasure(outputs: Sequence[Sequence[Piece]]) -> float | None:
    """Return all erasures over the length of the last output; 0 never flickered. None where nothing is left at the end.

    >>> normalized_erasure([["ab"], ["cd", "ef"], ["cd", "gh", "ij", "kl"]])  # 1 + 1 taken back, 4 at the end
    0.5
    """
    return sum(erasures(outputs)) / len(outputs[-1]) if outputs and outputs[-1] else None


def translation_lag(outputs: Sequence[Sequence[Piece]], read: Sequence[int]) -> list[float]:
    """Return how many words of the source had been read beyond its own when each piece of the last output was there for
    good.

    `read` counts the words of the source at every output. The word that a piece belongs to is the one at the same
    share of the text (Arivazhagan et al. 2020, arXiv:1912.03393): piece j of m (from 1) belongs to word j * n / m of n.

    >>> translation_lag([["a"], ["a", "b", "x", "y"], ["a", "b", "c", "d"]], [2, 3, 4])
    [1.0, 1.0, 1.0, 0.0]
    """
    if not outputs or not outputs[-1]:
        return []
    last = outputs[-1]
    moments = [read[-1]] * len(last)
    kept = len(last)
    for output, words in zip(outputs[-2::-1], read[-2::-1], strict=False):
        kept = min(kept, common_prefix(output, last))
        moments[:kept] = [words] * kept
    return [moment - (j + 1) * read[-1] / len(last) for j, moment in enumerate(moments)]


def shown_before_end(outputs: Sequence[Sequence[Piece]]) -> int:
    """Return how many pieces of the last output had been shown, and stood as they stay, before it came.

    >>> shown_before_end([["a"], ["a", "b", "x"], ["a", "b", "c", "d"]])
    2
    """
    return common_prefix(outputs[-2], outputs[-1]) if len(outputs) > 1 else 0


@dataclass(frozen=True, slots=True)
class Interval:
    """The middle 95% of what a figure is for texts drawn at random, with repetitions, out of those measured."""

    low: float
    high: float


def interval(parts: Sequence[float], wholes: Sequence[float]) -> Interval | None:
    """Return the interval of a sum of parts over a sum of wholes, by texts; None if there is nothing to divide by.

    A bootstrap of 1,000 draws with a fixed seed (Efron 1979).
    """
    if not sum(wholes):
        return None
    drawn = np.random.default_rng(0).integers(0, len(parts), (1000, len(parts)))
    sums = np.asarray(wholes)[drawn].sum(axis=1)
    found = np.asarray(parts)[drawn].sum(axis=1)[sums > 0] / sums[sums > 0]
    low, high = np.percentile(found, [2.5, 97.5])
    return Interval(float(low), float(high))


@dataclass(frozen=True, slots=True)
class Quality:
    """The nearness of translations to references, 0 to 100, as sacrebleu counts.

    Attributes:
        signature: sacrebleu's own description of how BLEU was counted.
    """

    bleu: float
    chrf: float
    signature: str


def check_quality() -> None:
    """Check that sacrebleu is installed.

    Raises:
        QualityError: it is not.
    """
    try:
        import sacrebleu  # noqa: F401
    except ModuleNotFoundError as error:
        raise QualityError(
            "BLEU and chrF need sacrebleu: 'uv sync --extra bleu' or 'pip install sacrebleu' adds it."
        ) from error


def quality(translations: Sequence[str], references: Sequence[Sequence[str]], language: str = "de") -> Quality:
    """Score translations, each against all its references (there may be more of them for some than for others).

    Raises:
        QualityError: sacrebleu is missing.
        ValueError: a translation has no reference, or there is no translation.
    """
    check_quality()
    from sacrebleu.metrics.chrf import CHRF

    columns = _columns(translations, references)
    bleu = _bleu(language)
    scored = bleu.corpus_score(list(translations), columns)
    return Quality(scored.score, CHRF().corpus_score(list(translations), columns).score, str(bleu.get_signature()))


@dataclass(frozen=True, slots=True)
class ByChance:
    """Probabilities (p) of differences in BLEU and in chrF as large as those between two translations."""

    bleu: float
    chrf: float


def difference_by_chance(
    translations: Sequence[str], others: Sequence[str], references: Sequence[Sequence[str]], language: str = "de"
) -> ByChance:
    """Return how probable differences are that are as large as those between two translations of the same texts.

    sacrebleu's paired bootstrap of 1,000 resamples (Koehn 2004); below 0.05 a difference is called significant.

    Raises:
        QualityError: sacrebleu is missing.
        ValueError: a translation has no reference, or there is no translation.
    """
    check_quality()
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.significance import PairedTest

    columns = _columns(translations, references)
    if list(translations) == list(others):
        return ByChance(1.0, 1.0)
    systems: list[tuple[str, Sequence[str]]] = [("others", list(others)), ("translations", list(translations))]
    _, scores = PairedTest(systems, {"BLEU": _bleu(language), "chrF": CHRF()}, columns, test_type="bs")()
    found = {name.rstrip("2"): getattr(column[1], "p_value", None) for name, column in scores.items()}
    return ByChance(float(found["BLEU"] or 0.0), float(found["chrF"] or 0.0))


def _bleu(language: str) -> BLEU:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize=BLEU_TOKENIZERS.get(language, "13a"))


def _columns(translations: Sequence[str], references: Sequence[Sequence[str]]) -> list[Any]:
    """Return the first reference of every text, the second, and so on, as sacrebleu wants them."""
    if not translations or len(translations) != len(references) or not all(references):
        raise ValueError("every translation needs a reference")
    most = max(map(len, references))
    # None where one has fewer references than another: sacrebleu takes it, though its annotations don't say so.
    return [[known[i] if i < len(known) else None for known in references] for i in range(most)]
