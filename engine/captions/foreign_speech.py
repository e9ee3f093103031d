"""Notice speech in a language that the model does not hear, and say so once.

A model of one language writes something of any speech, but of another language hardly a word is likely. The mean
probability of its words over some twenty seconds tells the two apart; over a few seconds, an accent may look the same.
If a model of several languages is at hand, it is asked as soon as there is doubt, and its answer decides. (Chosen in
LOG 2026-11-28.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from engine.audio import Samples
from engine.events import Incident, Word
from engine.hear.rounds.transcriber import Round
from engine.translate.languages import name_of

STRETCH_SECONDS, STRETCH_WORDS = 6.0, 3
"""Least speech, in seconds and words, whose mean probability is one measurement."""

STRETCHES = 3
"""Number of measurements in a row that decide without a model of several languages."""

STRANGE_PROBABILITY = 0.54
"""Highest mean probability of the words of a language that the model does not hear."""

DOUBTFUL_PROBABILITY = 0.65
"""Mean probability of words below which a model of several languages is asked."""

NEWEST_SECONDS = 1.0
"""The newest audio of a round, in seconds, whose words do not count: they are unlikely in any language."""

LONGEST_GAP_SECONDS = 1.5
"""Longest silence before a word, in seconds, that counts as speech."""

MOST_QUESTIONS = 2
"""Most questions to a model of several languages in a session: it has to be loaded each time."""

Identify = Callable[[Samples], str | None]
"""Returns the language code of speech (n,), by a model of several languages; None if there is none, or it is unsure."""

CHOOSE = "A model on this computer knows it: choose it under Models or with --model."
GET = "Get a model that knows it, under Models or with 'earshot models get base'."


class ForeignSpeech:
    """Watches the rounds of one session.

    Attributes:
        told: the session has said that the speech is in another language.
    """

    def __init__(self, languages: Sequence[str], identify: Identify | None = None) -> None:
        """Watch a model that hears these languages; nothing is ever said of a model that hears several."""
        self.told = False
        self._known = languages[0] if len(languages) == 1 else None
        self._identify = identify
        self._asked = 0
        self._measured: deque[float] = deque(maxlen=STRETCHES)
        self._probabilities: list[float] = []
        self._seconds = self._counted_until = 0.0

    def add(self, result: Round) -> Incident | None:
        """Consider a round; return what to say, once."""
        if self._known is None or self.told or not self._measure(result):
            return None
        spoken = self._identified(result.span.samples)
        if spoken is not None and spoken != self._known:
            known = name_of(self._known)
            return self._tell(f"This sounds like {name_of(spoken)}, but the model hears {known} only. {CHOOSE}")
        if spoken is not None:  # the model's own language after all, though it understands little
            self._measured.clear()
        if len(self._measured) == STRETCHES and sum(self._measured) < STRETCHES * STRANGE_PROBABILITY:
            return self._tell(f"This does not sound like {name_of(self._known)}, all that the model hears. {GET}")
        return None

    def _tell(self, sentence: str) -> Incident:
        self.told = True
        return Incident(sentence)

    def _measure(self, result: Round) -> bool:
        """Count the words that a round heard first; return whether they complete a measurement."""
        newest = result.span.end_seconds - (0.0 if result.span.final else NEWEST_SECONDS)
        for word in result.heard_words:
            if word.start >= self._counted_until and word.end <= newest:
                self._count(word)
        if self._seconds < STRETCH_SECONDS or len(self._probabilities) < STRETCH_WORDS:
            return False
        self._measured.append(sum(self._probabilities) / len(self._probabilities))
        self._probabilities, self._seconds = [], 0.0
        return True

    def _count(self, word: Word) -> None:
        self._seconds += word.end - max(self._counted_until, word.start - LONGEST_GAP_SECONDS)
        self._counted_until = word.end
        self._probabilities.append(word.probability)

    def _identified(self, samples: Samples) -> str | None:
        """Ask a model of several languages if the newest measurement is doubtful."""
        if self._identify is None or self._asked == MOST_QUESTIONS or self._measured[-1] >= DOUBTFUL_PROBABILITY:
            return None
        self._asked += 1
        return self._identify(samples)
