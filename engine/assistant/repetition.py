"""A guard against the answer to the last question, which small models give to the next one as well."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING

from engine.answer.sentences import sentences_of
from engine.answer.tools.outcomes import ToolOutcome, words_of
from engine.assistant.restraint import LEAST_WORDS

if TYPE_CHECKING:
    from engine.answer.any_predictor import AnyPredictor
    from engine.answer.predictor import Answer, AnswerProgress

    AnswerSteps = Generator[AnswerProgress | None, None, Answer]

Words = tuple[str, ...]
_WORD = re.compile(r"[^\W_]+")


def answer_anew(predictor: AnyPredictor, question: str) -> AnswerSteps:
    """Answer a question. If that begins as the last reply did, to another question, answer it without the conversation.

    If that begins so, too, admit that the question was not understood.
    """
    said = _said_to_another(predictor, question)
    for steps in (predictor.answer(question), _alone(predictor, question)):
        answer = yield from _unless_said(steps, said)
        if answer is not None:
            return answer
    return (yield from predictor.recite(question, words_of(ToolOutcome("unsure"), "en")))


def _said_to_another(predictor: AnyPredictor, question: str) -> Words:
    """Return the words of the first sentence of the last reply, if it was to another question and long enough."""
    if not predictor.history:
        return ()
    last = predictor.history[-1]
    sentences = sentences_of(last.reply)
    words = _words(sentences[0]) if sentences and _words(last.user) != _words(question) else ()
    return words if len(words) >= LEAST_WORDS else ()


def _unless_said(steps: AnswerSteps, said: Words) -> Generator[AnswerProgress | None, None, Answer | None]:
    """Pass an answer on from its first sentence on; return None if that was said."""
    checked = not said
    with closing(steps):
        while True:
            try:
                new = next(steps)
            except StopIteration as end:
                answer: Answer = end.value
                return answer
            if new is not None and new.sentences and not checked:
                if _words(new.sentences[0]) == said:
                    return None
                checked = True
            yield new if checked else None


def _alone(predictor: AnyPredictor, question: str) -> AnswerSteps:
    """Answer a question without the conversation, which is only needed for the prompt, at the first step."""
    kept, predictor.history = predictor.history, ()
    with closing(predictor.answer(question)) as steps:
        try:
            first = next(steps, None)
        finally:
            predictor.history = kept
        yield first
        return (yield from steps)


def _words(text: str) -> Words:
    return tuple(_WORD.findall(text.casefold()))
