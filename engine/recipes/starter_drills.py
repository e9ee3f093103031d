"""Sentences that drill the words which too few sentences hold: they take the places of others.

Five in six words that the starter hearing model got wrong had been in a hundred sentences or fewer. A sentence
with such words in the place of its long ones means nothing, but is said and spelled like any other, and holds several
of them at once. The questions that the starter assistant is asked are drilled as they are.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.recipes.starter_text import fraction, is_held_out, is_plain

DRILLS = "drills-"  # what the names of shards begin with that hold such sentences
REPLACED = 0.75  # of the words that are long enough
LEAST_LETTERS = 4
NAMED = 0.25  # of its times that a word has a capital, at least, to be a name: not all texts give names one
WORDS = (4, 9)  # in a sentence that is made over

_WORD = re.compile(r"[A-Za-z]+(?:['-][A-Za-z]+)*")


def worth(count: int) -> float:
    """How much a word should be drilled that so many sentences hold.

    Common ones are known; the rarest are hardly ever said, and most of them are names.
    """
    return min(1.0, count / 15, 60 / count)


@dataclass(frozen=True)
class Drills:
    """Words to drill, as they are written in the middle of a sentence, and sentences to put them in."""

    words: tuple[str, ...]
    chances: tuple[float, ...]  # running sums, for random.choices
    sentences: tuple[str, ...]

    @classmethod
    def of(cls, sentences: Sequence[str]) -> Drills:
        """Drill the rarer words of some sentences in those of them that are short."""
        counts = Counter(word for sentence in sentences for word in set(_WORD.findall(_uncapitalised(sentence))))
        words = sorted({word.lower() for word in counts if len(word) >= LEAST_LETTERS and word.isalpha()})
        both = [counts[word] + counts[word.capitalize()] for word in words]
        names = [counts[word.capitalize()] >= NAMED * count for word, count in zip(words, both, strict=True)]
        written = tuple(word.capitalize() if name else word for word, name in zip(words, names, strict=True))
        short = [sentence for sentence in sentences if WORDS[0] <= len(_WORD.findall(sentence)) <= WORDS[1]]
        return cls(written, tuple(itertools.accumulate(map(worth, both))), tuple(short))

    def made(self, seed: str) -> Iterator[str]:
        """Make sentences without end; the same ones from the same seed."""
        generator = random.Random(seed)
        while True:
            old = generator.choice(self.sentences)
            new = _WORD.sub(lambda found: self._another(found[0], generator), _uncapitalised(old))
            new = new[0].upper() + new[1:]
            if new != old and not is_held_out(new):
                yield new

    def _another(self, word: str, generator: random.Random) -> str:
        if len(word) < LEAST_LETTERS or generator.random() >= REPLACED:
            return word
        return generator.choices(self.words, cum_weights=self.chances)[0]


def assistant_questions() -> list[str]:
    """What the starter assistant learns to be asked, in a fixed shuffled order: other texts hardly say its words."""
    from engine.recipes.dialogues import read_dialogues  # of the app's packages, which training itself does without

    dialogues = read_dialogues()
    asked = {question for intent in (*dialogues.intents, *dialogues.rows) for question in intent.questions}
    kept = [question for question in asked if is_plain(question) and not is_held_out(question)]
    return sorted(kept, key=lambda question: (fraction(question, "order"), question))


def _uncapitalised(sentence: str) -> str:
    """A sentence as it would go on after others: its first word small, unless it is `I` or a part of it."""
    first = _WORD.match(sentence)
    if first is None or first[0].split("'")[0] == "I":
        return sentence
    return sentence[0].lower() + sentence[1:]
