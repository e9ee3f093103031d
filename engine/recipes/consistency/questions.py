"""Questions whose replies show a model how it decodes: those of the assistant's dialogues, or of given conversations.

As in PredGen (A.4.1) the turns before a question are kept, and of the question itself only a part has been heard: as
many of its tokens as a number drawn evenly from none to all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Protocol

from engine.answer.prompt import Exchange
from engine.errors import EngineError
from engine.language.language_model import LanguageModel
from engine.recipes.assistant.dialogues import HELD_OUT_IN, Dialogues
from engine.recipes.sentences.text import fraction

MOST_EARLIER = 2


class ConversationError(EngineError):
    """A file of conversations that nothing can be learnt from."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked last, and the turns before it."""

    history: tuple[Exchange, ...]
    user: str


class Questions(Protocol):
    """Where questions come from.

    Attributes:
        held_out: questions that are never drawn, in a fixed shuffled order.
        digest: of all that they are drawn from.
    """

    held_out: tuple[Question, ...]
    digest: str

    def draw(self, random: Random) -> Question:
        """Give a question to learn from."""


class DialogueQuestions:
    """The questions that the assistant is taught, behind turns that have nothing to do with them, or none."""

    def __init__(self, dialogues: Dialogues) -> None:
        written = (*dialogues.intents, *dialogues.rows)
        self.digest = _digest(written)
        self._intents = [intent for intent in written if intent.questions]
        asked = (question for intent in written for question in intent.held_out)
        self.held_out = tuple(Question((), user) for user in sorted(asked, key=lambda user: fraction(user, "test")))

    def draw(self, random: Random) -> Question:
        """Give one with up to two turns before it."""
        drawn = [random.choice(self._intents) for _ in range(random.randint(0, MOST_EARLIER))]
        history = tuple(Exchange(random.choice(intent.questions), intent.reply) for intent in drawn)
        return Question(history, random.choice(random.choice(self._intents).questions))


class ConversationQuestions:
    """The questions of conversations, one of eight of which is held out, each behind all turns before it."""

    def __init__(self, conversations: Sequence[tuple[Exchange, ...]]) -> None:
        """Raises ConversationError where fewer than two begin differently."""
        first = sorted({turns[0].user for turns in conversations}, key=lambda user: (fraction(user, "test"), user))
        if len(first) < 2:
            raise ConversationError("At least two conversations are needed: one is to measure with.")
        held_out = first[: max(1, len(first) // HELD_OUT_IN)]
        self.held_out = tuple(Question((), user) for user in held_out)
        self.digest = _digest(conversations)
        self._learnt = [turns for turns in conversations if turns[0].user not in held_out]

    def draw(self, random: Random) -> Question:
        """Give any turn of any conversation."""
        turns = random.choice(self._learnt)
        last = random.randrange(len(turns))
        return Question(turns[:last], turns[last].user)


def read_conversations(path: Path) -> list[tuple[Exchange, ...]]:
    """Read JSON lines with messages, each a role and its content; what the system says is left out.

    ConversationError where they cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise ConversationError(f"Cannot read the conversations {path}: {reason}.") from error
    return [_turns(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _turns(path: Path, number: int, line: str) -> tuple[Exchange, ...]:
    try:
        messages = [(message["role"], _text(message)) for message in json.loads(line)["messages"]]
    except (ValueError, KeyError, TypeError) as error:
        raise ConversationError(f"Line {number} of {path} must be a JSON object with messages.") from error
    said = [(role, text) for role, text in messages if role != "system"]
    replies = [text for role, text in said if role == "assistant"]
    users = [text for role, text in said if role == "user"]
    expected = ["user", "assistant"] * len(users)
    if not users or [role for role, _ in said] != expected[: len(said)]:
        raise ConversationError(f"Line {number} of {path}: user and assistant must take turns, the user first.")
    return tuple(Exchange(user, reply) for user, reply in zip(users, [*replies, ""], strict=False))


def _text(message: dict[str, Any]) -> str:
    if not isinstance(message["content"], str):
        raise TypeError("text is expected")
    return message["content"]


def _digest(read: Sequence[object]) -> str:
    return hashlib.sha256(repr(tuple(read)).encode()).hexdigest()[:16]


def heard_part(text: str, model: LanguageModel, random: Random) -> str:
    """The first tokens of what is said, from none to all of them."""
    tokens = model.encode(text)
    return model.decode(tokens[: random.randint(0, len(tokens))])
