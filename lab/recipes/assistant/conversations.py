"""Conversations that the starter assistant learns from: the project's own dialogues, and questions of open data sets.

Questions come as people type them and as hearing writes them: with and without case and marks, in other words, with
words lost or misheard, and often cut off before their end, for the assistant answers while it is still being asked.
A part of the conversations asks for something else: whether an answer fits what somebody has said so far.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from random import Random
from typing import ClassVar

from lab.recipes.assistant.dialogues import Dialogues, Intent, letters_of, read_dialogues
from lab.recipes.assistant.judge import Judgements
from lab.recipes.assistant.wordings import dressed, misheard, reworded, spelled
from lab.recipes.sentences.pairs import Conversation, Pair, Turn, cut_short, training_pairs
from lab.recipes.sentences.text import fraction, is_held_out, tatoeba_sentences

SYSTEM = "Earshot"
"""System message of the starter assistant; its config holds it."""

WEIGHTS = {"intents": 0.75, "rows": 0.12, "borrowed": 0.08, "unknown": 0.02, "foreign": 0.03}
"""Shares of the kinds of turns. Rows of families are learnt to the last one, and most wrong answers are to questions
in new words that are refused: so there are fewer rows, and fewer questions to be refused, than there were."""

SNIPS = {
    "AddToPlaylist": "update_playlist",
    "BookRestaurant": "restaurant_reservation",
    "GetWeather": "weather",
    "PlayMusic": "play_music",
}
"""Names of Snips' intents in CLINC150."""

FOREIGN = "talk_languages"
UNKNOWN = "oos"
MOST_TURNS = 4
PREFIX_SHARE = 0.35
REWORDED_SHARE, JOINED_SHARE, OPENING_SHARE, NOISE_SHARE = 0.35, 0.08, 0.2, 0.5
JUDGED_SHARE = 0.12
"""Share of the conversations that are questions to the judge, which the verifier "reflection" asks; see `judge`."""

GROUP_WEIGHTS = {"world": 0.5}
"""Weights of groups whose intents are asked for less often; all others have 1."""

MOST_UNKNOWN = 6000
MOST_ALIKE = 0.34
"""Sentences that share more of their words with a question are none that the assistant should not know."""

Maker = Callable[[Random], tuple[str, str]]


class DialogueLessons:
    """Questions and answers as turns. EngineError where the data is missing."""

    asked_as: ClassVar[dict[str, object]] = {
        "assistant_instruction": SYSTEM,
        "context_tokens": 192,
        "recognises": True,
        "translates_from": [],
        "translates_to": [],
    }

    def __init__(self, data: Path, dialogues: Dialogues | None = None) -> None:
        self._written = written = dialogues or read_dialogues()
        self._intents = [intent for intent in written.intents if intent.questions]
        self._often = [GROUP_WEIGHTS.get(each.group, 1.0) * len(each.questions) ** 0.5 for each in self._intents]
        self._rows = [row for row in written.rows if row.questions]
        self._borrowed = borrowed_questions(data, written.borrowed)
        replies = {intent.name: intent.reply for intent in written.intents}
        self._words = sorted({word for intent in self._intents for text in intent.questions for word in text.split()})
        makers: dict[str, tuple[Maker, bool]] = {
            "intents": (self._about_intent, bool(self._intents)),
            "rows": (self._about_row, bool(self._rows)),
            "borrowed": (lambda random: _from_one(self._borrowed, random), bool(self._borrowed)),
        }
        if UNKNOWN in written.borrowed:
            strange = unknown_questions(data, [*written.intents, *written.rows])
            makers["unknown"] = (lambda random: (random.choice(strange), written.borrowed[UNKNOWN]), bool(strange))
        if FOREIGN in replies:
            foreign = [pair.target for code in ("de", "fr", "es") for pair in training_pairs(data, code)]
            makers["foreign"] = (lambda random: (random.choice(foreign), replies[FOREIGN]), bool(foreign))
        self._judgements = Judgements(written, self._borrowed)
        self._never = {
            letters_of(text)
            for each in (*written.intents, *written.rows)
            for text in (*each.held_out, *each.later, *each.casual)
        }
        self._makers = [make for make, any_there in makers.values() if any_there]
        self._weights = [WEIGHTS[name] for name, (_, any_there) in makers.items() if any_there]

    def conversations(self, random: Random) -> Iterator[Conversation]:
        """Endless conversations, of turns that have nothing to do with each other; some ask for a judgement."""
        while True:
            if self._judgements and random.random() < JUDGED_SHARE:
                yield self._judgements.conversation(random)
                continue
            makers = random.choices(self._makers, self._weights, k=random.randint(1, MOST_TURNS))
            yield Conversation(SYSTEM, tuple(self._turn(make, random) for make in makers))

    def texts(self) -> Iterator[str]:
        """Return all that is written for them."""
        for intent in (*self._intents, *self._rows):
            yield from (*intent.questions, intent.reply)

    def held_out(self) -> dict[str, Iterator[Conversation]]:
        """Return the questions that are never learnt."""
        groups = {"intents": self._written.intents, "families": self._written.rows}
        asked = {
            name: [Turn(question, intent.reply) for intent in group for question in intent.held_out]
            for name, group in groups.items()
        }
        return {name: map(_alone, cycle(_shuffled(turns))) for name, turns in asked.items() if turns}

    def _about_intent(self, random: Random) -> tuple[str, str]:
        """Draw one way to ask, in other words at times, or two of them one after the other."""
        (intent,) = random.choices(self._intents, self._often)
        question = random.choice(intent.questions)
        if random.random() < JOINED_SHARE:
            return f"{question} {random.choice(intent.questions)}", intent.reply
        if random.random() < REWORDED_SHARE:
            question = self._allowed(reworded(question, random), question)
        return question, intent.reply

    def _about_row(self, random: Random) -> tuple[str, str]:
        row = random.choice(self._rows)
        return random.choice(row.questions), row.reply

    def _allowed(self, question: str, instead: str) -> str:
        """Return a question that was made of another, unless it is one that must never be learnt."""
        return instead if letters_of(question) in self._never else question

    def _turn(self, make: Maker, random: Random) -> Turn:
        question, reply = make(random)
        if random.random() < OPENING_SHARE:
            question = dressed(question, random)
        if random.random() < NOISE_SHARE:
            question = self._allowed(misheard(question, self._words, random), question)
        question = spelled(question, random)
        if random.random() < PREFIX_SHARE:
            return Turn(cut_short(Pair(question, reply), random.random()).source, reply)
        return Turn(question, reply, user_learnt=True)


def _alone(turn: Turn) -> Conversation:
    return Conversation(SYSTEM, (turn,))


def _shuffled(turns: list[Turn]) -> list[Turn]:
    return sorted(turns, key=lambda turn: fraction(turn.user, "test"))


def borrowed_questions(data: Path, answers: dict[str, str]) -> list[tuple[list[str], str]]:
    """Return the training questions of CLINC150 and Snips, by intent, with the answer to each."""
    asked: dict[str, list[str]] = {}
    folder = data / "text" / "dialogue"
    clinc = folder / "clinc150_data_full.json"
    if clinc.is_file():
        parts = json.loads(clinc.read_text(encoding="utf-8"))
        for text, name in [*parts["train"], *parts["oos_train"]]:
            asked.setdefault(name, []).append(text)
    snips = folder / "snips_queries.jsonl"
    if snips.is_file():
        for record in map(json.loads, snips.read_text(encoding="utf-8").splitlines()):
            if record["split"] == "train" and record["intent"] in SNIPS:
                asked.setdefault(SNIPS[record["intent"]], []).append(record["text"])
    return [(questions, answers[name]) for name, questions in sorted(asked.items()) if name in answers]


def unknown_questions(data: Path, known: Sequence[Intent]) -> list[str]:
    """Return questions of Tatoeba that are like none that the assistant knows."""
    by_word: dict[str, list[frozenset[str]]] = {}
    for intent in known:
        for question in intent.every_way:
            words = frozenset(letters_of(question).split())
            for word in words:
                by_word.setdefault(word, []).append(words)
    common = {word for word, found in by_word.items() if len(found) > 150}  # they would make everything alike
    asked = [sentence for sentence in tatoeba_sentences(data) if sentence.endswith("?") and not is_held_out(sentence)]
    kept = []
    for sentence in sorted(asked, key=lambda sentence: (fraction(sentence, "unknown"), sentence))[:MOST_UNKNOWN]:
        words = frozenset(letters_of(sentence).split())
        near = (known for word in words - common for known in by_word.get(word, ()))
        if words - common and all(len(words & other) / len(words | other) < MOST_ALIKE for other in near):
            kept.append(sentence)
    return kept


def _from_one(groups: Sequence[tuple[list[str], str]], random: Random) -> tuple[str, str]:
    questions, reply = random.choice(groups)
    return random.choice(questions), reply
