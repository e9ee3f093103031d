"""Lessons in judging whether an answer fits what a user has said so far.

It is asked in the words, and with the begun reply, of the verifier "reflection" (engine.answer.verifiers), about the
first sentence or two of an answer.

Half of the answers are those that belong to the question: they fit, however little of it has been said yet. The
others are another question's. They do not fit, if what was said so far tells the two apart: an answer some of whose
own ways to ask begin with the same words might still turn out to be the right one, and is not asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from engine.answer.sentences import first_sentence_end
from engine.answer.verifiers import LEAD, question_about
from lab.recipes.assistant.dialogues import Dialogues, letters_of
from lab.recipes.assistant.wordings import opened, spelled
from lab.recipes.sentences.pairs import Conversation, Turn

FITTING_SHARE = 0.5
CUT_SHARE = 0.5
TWO_SENTENCES_SHARE = 0.35
NEIGHBOUR_SHARE = 0.5
NEAR = 4
"""Intents that stand no further apart in their file are taken for neighbours; rows of one family always are."""

WEIGHT = 20.0
"""A judgement is one token of about a hundred: it counts as much as that many of an answer's."""

OPENED_SHARE = 0.2
KINDS = {"intents": 0.6, "rows": 0.25, "borrowed": 0.15}
_TRIES = 20


@dataclass(slots=True)
class _Known:
    """An answer and all that is known to ask for it."""

    reply: str
    group: str
    first: str  # its first sentence, in letters
    place: int = 0
    questions: list[str] = field(default_factory=list)
    letters: list[str] = field(default_factory=list)

    def add(self, questions: Sequence[str]) -> _Known:
        self.questions += questions
        self.letters += [f"{letters_of(question)} " for question in questions]
        return self

    def may_begin(self, said: str) -> bool:
        """Return whether one of its questions begins with these words."""
        begin = f"{letters_of(said)} "
        return any(letters.startswith(begin) for letters in self.letters)


class Judgements:
    """Makes questions to a judge, with what it has to say."""

    def __init__(self, written: Dialogues, borrowed: Sequence[tuple[list[str], str]] = ()) -> None:
        """Keep what is written, and questions of others with the answers to them."""
        known: dict[str, _Known] = {}

        def add(reply: str, group: str, questions: Sequence[str]) -> _Known:
            return known.setdefault(reply, _Known(reply, group, letters_of(_beginning(reply, 1)))).add(questions)

        parts = {
            "intents": [add(intent.reply, intent.group, intent.questions) for intent in written.intents],
            "rows": [add(row.reply, row.group, row.questions) for row in written.rows],
            "borrowed": [add(reply, "", questions) for questions, reply in borrowed],
        }
        asked = {name: [each for each in part if each.questions] for name, part in parts.items()}
        self._parts = [part for part in asked.values() if part]
        self._weights = [KINDS[name] for name, part in asked.items() if part]
        self._all = list(known.values())
        self._families = {row.group for row in written.rows}
        self._groups: dict[str, list[_Known]] = {}
        self._alike: dict[str, list[_Known]] = {}
        for each in self._all:
            self._alike.setdefault(each.first, []).append(each)
            group = self._groups.setdefault(each.group, [])
            each.place = len(group)
            group.append(each)

    def __bool__(self) -> bool:
        """Return whether there are two answers, one of which may be the wrong one."""
        return len(self._all) > 1 and bool(self._parts)

    def conversation(self, random: Random) -> Conversation:
        """Draw one question to the judge and its reply."""
        known = random.choice(random.choices(self._parts, self._weights)[0])
        return Conversation("", (self._about(known, random.choice(known.questions), random),))

    def _about(self, known: _Known, question: str, random: Random) -> Turn:
        said = _cut(question, random) if random.random() < CUT_SHARE else question
        other = None
        if random.random() >= FITTING_SHARE:
            other = self._other(known, said, random)
            if other is None:  # too little has been said to tell
                said, other = question, self._other(known, question, random)
        if random.random() < OPENED_SHARE:
            said = opened(said, random)
        answer = _beginning((other or known).reply, 1 + (random.random() < TWO_SENTENCES_SHARE))
        return judged(spelled(said, random), answer, fits=other is None)

    def _other(self, known: _Known, said: str, random: Random) -> _Known | None:
        """Return an answer that is known not to fit what was said so far; None where none was found."""
        near = random.random() < NEIGHBOUR_SHARE
        some = self._near(known) if near else self._all
        for _ in range(_TRIES):
            other = random.choice(some)
            if other.first != known.first and not any(each.may_begin(said) for each in self._alike[other.first]):
                return other
        return None

    def _near(self, known: _Known) -> Sequence[_Known]:
        group = self._groups[known.group] if known.group else self._all
        if known.group in self._families or not known.group:
            return group
        return group[max(0, known.place - NEAR) : known.place + NEAR + 1]


def judged(said: str, answer: str, *, fits: bool) -> Turn:
    """Return a question to the judge and its reply. Only the verdict is learnt, and how a fitting answer goes on
    behind what was said: a model that can tell what comes next sees that something else has come."""
    asked = question_about(said, answer)
    given = len(asked) - len(f" {answer}")
    return Turn(asked, f"{LEAD} {'yes' if fits else 'no'}.", fits, given, len(LEAD), WEIGHT)


def _cut(question: str, random: Random) -> str:
    """Return the first words of a question, two or more of three or more; one tells too little to be worth a
    judgement."""
    words = question.split()
    return " ".join(words[: random.randint(2, len(words) - 1)]) if len(words) > 2 else question


def _beginning(reply: str, sentences: int) -> str:
    """Return the first sentences of a reply, or all of it."""
    end = 0
    for _ in range(sentences):
        end += first_sentence_end(reply[end:], ended=True) or 0
    return reply[:end].strip()
