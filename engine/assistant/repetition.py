"""A guard against what small models say in place of an answer: the last answer, or the question itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.answer.answers import AnswerProgress
from engine.answer.safety.recognition import language_of
from engine.answer.sentences import sentences_of
from engine.answer.tools.outcomes import ToolOutcome, words_of
from engine.assistant.restraint import LEAST_WORDS

if TYPE_CHECKING:
    from engine.answer.any_predictor import AnyPredictor
    from engine.answer.predictor import Answer

    AnswerSteps = Generator[AnswerProgress | None, None, Answer]

LONG_WORDS = 8
"""Fewest words of a statement that is no answer to itself: "Have a nice day." is one."""

Words = tuple[str, ...]
_WORD = re.compile(r"[^\W_]+")


def answer_anew(
    predictor: AnyPredictor, question: str, in_doubt: Sequence[str] = (), *, alone: bool = False
) -> AnswerSteps:
    """Answer a question. If that only repeats the question, or the last reply, answer it without the conversation.

    If that repeats something, too, admit that the question was not understood. The last reply may be said again to the
    same question. `in_doubt` is said behind that admission. `alone` answers without the conversation at once.
    """
    asked = _words(question)
    asked = asked if question.rstrip().endswith("?") or len(asked) >= LONG_WORDS else ()
    said = {words for words in (asked, _said_to_another(predictor, question)) if len(words) >= LEAST_WORDS}
    ways = (_alone(predictor, question),) if alone else (predictor.answer(question), _alone(predictor, question))
    for steps in ways:
        answer = yield from _unless_said(steps, said)
        if answer is not None:
            return answer
    unsure = words_of(ToolOutcome("unsure"), language_of(question))
    return (yield from predictor.recite(question, (*unsure, *in_doubt)))


def followed(steps: AnswerSteps, sentences: Sequence[str]) -> AnswerSteps:
    """Answer in steps, with given sentences at the end."""
    answer = yield from steps
    whole = " ".join(filter(None, (answer.text, *sentences)))
    yield AnswerProgress(whole, tuple(sentences))
    return replace(answer, text=whole, sentences=(*answer.sentences, *sentences))


def _said_to_another(predictor: AnyPredictor, question: str) -> Words:
    """Return the words of the first sentence of the last reply, if it was to another question."""
    if not predictor.history:
        return ()
    last = predictor.history[-1]
    sentences = sentences_of(last.reply)
    return _words(sentences[0]) if sentences and _words(last.user) != _words(question) else ()


def _unless_said(steps: AnswerSteps, said: Collection[Words]) -> Generator[AnswerProgress | None, None, Answer | None]:
    """Pass an answer on as soon as its first sentence cannot become one that was said; return None if it was."""
    checked = False
    with closing(steps):
        while True:
            try:
                new = next(steps)
            except StopIteration as end:
                answer: Answer = end.value
                return answer
            if new is not None and not checked:
                if new.sentences and _words(new.sentences[0]) in said:
                    return None
                checked = bool(new.sentences) or not _may_become(new.text, said)
            yield new if checked else None


def _may_become(begun: str, said: Iterable[Words]) -> bool:
    """Return whether an unfinished sentence may become one of those that were said; its last word may be cut off."""
    letters = " ".join(_words(begun))
    return any(" ".join(words).startswith(letters) for words in said)


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
