"""A follow-up as it is meant: a question that can be understood without the conversation.

The model that answers writes it (question rewriting: Vakulenko et al., "Question Rewriting for Conversational Question
Answering", WSDM 2021, arXiv:2004.14652). "When was he born?" then finds tools, facts and written answers as a whole
question does. The user's own words are the draft, so that a question that stands alone costs one forward.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from engine.answer.safety.meaning import words_of
from engine.answer.safety.recognition import language_of
from engine.answer.safety.rules import rules_of
from engine.answer.sentences import sentences_of
from engine.answer.tools.by_meaning import REFERENCES
from engine.translate.source import clean

if TYPE_CHECKING:
    from engine.answer.any_predictor import AnyPredictor
    from engine.answer.prompt import ChatTurn

INSTRUCTION = (
    "Write the last question again as one whole, correct sentence that can be understood alone: put the names in that "
    "it refers to, and correct capitals, names and marks. Change nothing else, and do not answer it."
)
EXAMPLES = (
    (
        "Q: Who wrote Hamlet?\nA: Hamlet was written by William Shakespeare.\nQ: when was he born",
        "When was William Shakespeare born?",
    ),
    ("Q: What is 12 times 9?\nA: That is 108.\nQ: and divided by 4?", "What is 12 times 9 divided by 4?"),
    (
        "Q: What is the capital of Peru?\nA: The capital of Peru is Lima.\nQ: I'd like to boil rice, how does it work",
        "I'd like to boil rice, how does it work?",
    ),
    (
        "Q: How do I get grass stains out of jeans?\nA: I do not know that for certain.\nQ: Why is that so hard?",
        "Why is it so hard to get grass stains out of jeans?",
    ),
    (
        "Q: Wie hoch ist der Eiffelturm?\nA: Der Eiffelturm ist 330 Meter hoch.\nQ: Wer hat ihn gebaut?",
        "Wer hat den Eiffelturm gebaut?",
    ),
    ("Q: What makes dough rise?\nA: Yeast makes it rise.\nQ: thanks, that helps", "Thanks, that helps."),
    (
        "Q: Which bird is the fastest?\nA: The peregrine falcon is the fastest bird.\nQ: where does it nest and is it "
        "rare",
        "Where does the peregrine falcon nest, and is it rare?",
    ),
)
"""Conversations that show a model what is meant."""

MOST_CHARACTERS = 300
"""Most that is read of an earlier question or answer, from its end or its beginning."""

FEWEST_WORDS, MOST_WORDS, MOST_REFERRING = 2, 6, 12
"""Fewest and most words of a question that is written again, and most of one with a pronoun."""

REFERRING = REFERENCES | {"that", "this", "these", "those", "one", "ones"}
"""Pronouns and the like, in English."""

MORE_TOKENS = 40
"""Tokens that may be written beyond one for every third letter of the question."""

MOST_LOST = 2
"""Most words, the commonest aside, that may give way to what they refer to; at most half of a question's."""

NEGATIONS = frozenset(
    ("not", "t", "no", "never", "without", "nicht", "kein", "keine", "nie", "ohne", "pas", "sans", "sin")
)
"""Common words that may neither come nor go; "t" is that of "can't"."""

STEM = 4
"""Letters by which words are compared: "violin" and "violins" are one."""


def may_refer(question: str) -> bool:
    """Return whether a question is short enough, or has a pronoun, to refer to the turn before it."""
    said = words_of(question)
    return FEWEST_WORDS <= len(said) <= (MOST_WORDS if REFERRING.isdisjoint(said) else MOST_REFERRING)


def rewritten(predictor: AnyPredictor, question: str, last: ChatTurn) -> Generator[None, None, str]:
    """Return a question as it is meant behind the last turn, or as it is; pauses after every forward.

    What the model writes is only taken where it has most of the question's words, and else those of the last turn.
    """
    asked, answered = clean(question), clean(next(iter(sentences_of(last.reply)), last.reply))[:MOST_CHARACTERS]
    told = f"Q: {clean(last.user)[-MOST_CHARACTERS:]}\nA: {answered}\nQ: {asked}"
    most = len(asked) // 3 + MORE_TOKENS
    written = yield from predictor.aside(INSTRUCTION, EXAMPLES, told, most, asked)
    found = clean((written or "").partition("\n")[0])
    return found if found and _means_the_same(found, asked, last.user, told) else question


def _means_the_same(written: str, question: str, before: str, told: str) -> bool:
    """Return whether a text names what a question refers to: it asks, too, has words of the last turn, and no others.

    It does not ask the question before once more, alone or joined to this one. Where it names nothing, it may still say
    "you" for "I".
    """
    repeated = any(words_of(sentence) == words_of(before) for sentence in sentences_of(written))
    joined = words_of(written) == words_of(before) + words_of(question)
    if repeated or joined or question.endswith("?") > written.endswith("?"):
        return False
    has, asked, known = _stems(written), _stems(question), _stems(told)
    lost, denied = len(asked - has), NEGATIONS.intersection(words_of(question))
    if denied != NEGATIONS.intersection(words_of(written)):
        return False
    return has <= known and bool(has - asked) and lost <= min(MOST_LOST, len(asked) // 2)


def _stems(text: str) -> set[str]:
    """Return the beginnings of a text's words, without the commonest ones of its language."""
    rules = rules_of(language_of(text))
    return {word[:STEM] for word in words_of(text) if not rules.common_in((word,))}
