"""The prompt of an answer. Parts that seldom change stand first, so that most of the cache stays valid:

    system, examples | turns before this one | what the user has said so far | header | draft

The model is told that it may hear only a part, for a guess and for the reply: the plain cascade asks in the same way
(the paper's Table 3, in our words), so that guessing ahead does not change replies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.answer.tools.calls import in_plain_words, schemas
from engine.errors import ModelError
from engine.options import AnswerOptions
from engine.translate.display import units
from engine.translate.source import clean

if TYPE_CHECKING:
    from engine.language.token_model import AnsweringModel

DEFAULTS = AnswerOptions()

HISTORY_TURNS = 6
"""Most earlier turns in the prompt."""

REPLY_SHARE = 3
"""Part of the context that is kept for the reply, if the reply may be as long as that: one in three."""

FEWEST_QUESTION_TOKENS = 12
"""Least room for a question, in tokens."""

FINAL_MARKS = ".?!…。？！"
QUESTION_MARKS = "?？"

LONGEST_TOKEN = 32
"""Longest token, in characters. A question that is longer than the room by this measure is cut before it is counted."""

INSTRUCTION = (
    "You are Earshot, a helpful voice assistant: a program on the user's own computer, without a body or feelings. "
    "What you hear may be cut off or hold words heard wrongly: answer what is most likely meant, and never remark on "
    "it. You cannot act on the computer or the world, and hear no news: say so where that is wanted. Answer in one or "
    "two short spoken sentences, in the user's language, without lists, formatting or links."
)
EXAMPLES = (
    ("Do you sleep at night?", "No, I am Earshot, a program, and have no body and no feelings."),
    ("Order me a taxi.", "I cannot do that, since I only talk and help with captions here."),
    ("How is the traffic right now?", "I do not know, because I get no news here."),
    ("Why does iron rust?", "Iron reacts with oxygen and water, and turns into the brown oxide that we call rust."),
    ("Smoke is coming out of the fuse box.", "Get everybody out at once, and call the fire brigade."),
    ("Wie viele Tage hat eine Woche?", "Eine Woche hat sieben Tage."),
    ("How loud is the number nine?", "That has no answer, since numbers make no sound."),
    ("Who was the baker of Ostrel in 1820?", "I do not know that."),
    (
        "How do I get a stuck ring off my finger?",
        "Rub soap or oil around it, and turn it gently while you pull. Holding the hand up lets the swelling go down "
        "first.",
    ),
    ("What is another word for small?", "You can say little, tiny or minor."),
    ("What is a cobbler?", "A cobbler is someone who mends shoes."),
)
"""Questions with answers that show a model what is meant: small ones follow examples better than rules."""

BRIEF_INSTRUCTION = "Answer in short spoken sentences, even if the question is cut off."
"""Instruction for a context that has no room for the other."""


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """One turn of a conversation: the user's words, and the reply.

    Attributes:
        recited: no model wrote the reply: a tool's outcome, or other given sentences.
    """

    user: str
    reply: str
    recited: bool = field(default=False, compare=False)


def partial_prompt(text: str) -> str:
    """Return the user's words without the last one, which may be cut off; "" if nothing is left.

    In a script without spaces the last character is removed.
    """
    return "".join(units(text.strip())[:-1]).strip()


class AnswerPrompt:
    """Makes a model's prompts for a conversation.

    Earlier turns are removed in blocks, the oldest first, if there are more than `most_turns` or more than fit. A
    question that is too long keeps its end, where people mostly ask what they want to know. It is cut in blocks too, so
    that it is cut at the same place while it grows.

    Attributes:
        most_reply: number of tokens that a reply may always have; with a short prompt it may have more.
        with_tools: the prompt tells the model about tools.
        turn_ends: the tokens that may follow the user's last word: the one that ends a turn, and final marks before it;
            none if the model's template has no end of a turn.
        question_marks: those of them that end a question.
    """

    def __init__(
        self,
        model: AnsweringModel,
        options: AnswerOptions = DEFAULTS,
        most_turns: int = HISTORY_TURNS,
        *,
        with_tools: bool = False,
    ) -> None:
        """Make prompts for a model; tell it about tools if `with_tools` is set and there is room.

        Raises ModelError if the model's context is too short.
        """
        self._model = model
        self._by_template = with_tools and model.supports_tools
        named = f"{INSTRUCTION} {in_plain_words()}" if with_tools and not model.supports_tools else INSTRUCTION
        taught = model.assistant_instruction
        turns = model.context_turns
        self._most_turns = most_turns if turns is None else min(turns, most_turns)
        self._after_user = model.after_user()
        self.turn_ends = self._turn_ends()
        self.question_marks = frozenset(self._single_tokens(QUESTION_MARKS)) & set(self.turn_ends)
        self.most_reply = min(options.reply_tokens, model.context_tokens // REPLY_SHARE)
        self.with_tools = False
        shown = tuple(ChatTurn(*each) for each in EXAMPLES)
        told = (
            ((named, shown), (named, ()), (INSTRUCTION, ()), (BRIEF_INSTRUCTION, ()))
            if taught is None
            else ((taught, ()),)
        )
        for self._system, self._shown in told:
            self.with_tools = self._by_template or (with_tools and self._system is named)
            # Encoded beside the template's text instead of alone, a text may take a token more.
            self._room = model.context_tokens - self.most_reply - len(self._chat((), "")) - 4
            if self._room >= FEWEST_QUESTION_TOKENS:
                return
        raise ModelError(
            f"The model {model.name} takes {model.context_tokens} tokens at a time, which is too short for a question "
            "and its answer."
        )

    def tokens(self, history: Sequence[ChatTurn], user: str) -> list[int]:
        """Return the prompt for the user's words, up to the place where the answer begins."""
        user = self.kept(user)
        turns = [turn for turn in history if turn.user.strip() and turn.reply.strip()]
        turns = turns[_dropped(len(turns), self._most_turns) :]
        while True:
            prompt = self._chat(turns, user)
            if not turns or len(prompt) + self.most_reply <= self._model.context_tokens:
                return prompt
            turns = turns[(len(turns) + 1) // 2 :]

    def kept(self, user: str) -> str:
        """Return the part of the user's words that fits: all of them, or their end."""
        user = clean(user)
        block = math.ceil(self._room / 4)
        longest = self._room * LONGEST_TOKEN
        if len(user) > longest:
            user = user[_dropped(len(user), longest, block * LONGEST_TOKEN) :]
        tokens = self._model.encode(user)
        surplus = _dropped(len(tokens), self._room, block)
        while len(tokens) > self._room:
            pieces = units(self._model.decode(tokens[surplus:]))
            user = clean("".join(pieces[1:] if len(pieces) > 1 else pieces))  # the first may be the end of a word
            tokens = self._model.encode(user)
            surplus = block
        return user

    def end_of_user(self, prompt: Sequence[int]) -> int | None:
        """Return the place of the last token of the user's words in a prompt; None if it is not known.

        A final mark is not part of the words: hearing adds a full stop to everything, and a model that has read one
        finds any text complete.
        """
        place = len(prompt) - len(self._after_user) - 1
        if not self._after_user or place < 0 or tuple(prompt[place + 1 :]) != self._after_user:
            return None
        while place > 0 and _is_mark(self._model.decode(prompt[place : place + 1])):
            place -= 1
        return place

    def _turn_ends(self) -> tuple[int, ...]:
        if not self._after_user:
            return ()
        return tuple(dict.fromkeys((self._after_user[0], *self._single_tokens(FINAL_MARKS))))

    def _single_tokens(self, marks: str) -> list[int]:
        """Return the tokens of those marks that are one token each."""
        return [tokens[0] for tokens in map(self._model.encode, marks) if len(tokens) == 1]

    def _chat(self, turns: Sequence[ChatTurn], user: str) -> list[int]:
        from engine.language.language_model import Message

        messages = [Message("system", self._system)]
        for turn in (*self._shown, *turns):
            messages += [Message("user", clean(turn.user)), Message("assistant", clean(turn.reply))]
        messages.append(Message("user", user))
        return self._model.chat(messages, schemas()) if self._by_template else self._model.chat(messages)


def _is_mark(text: str) -> bool:
    return bool(text.strip()) and not text.strip(f"{FINAL_MARKS} ")


def _dropped(count: int, most: int, block: int | None = None) -> int:
    """Return how many of the first are removed so that no more than `most` are left: whole blocks."""
    block = block or most // 2 + 1
    return min(count, max(0, math.ceil((count - most) / block)) * block)
