"""Answers of a model that was taught a set of them, if it is sure which one is meant; otherwise an admission of doubt.

Such a model answers every question by its words, however little the answer fits. Another model classifies the meaning
of the question (engine.answer.intents): if that is sure of another answer, that one is given; if it is sure of none,
none is. Facts of a family, such as capitals, are known to the first model alone: they are given if it finds them
likely.

If a question is not understood, its likeliest meaning is named and answered.

A published model answers anything, and makes up what it does not know; its probabilities tell where. If it hardly
believes one of the words that it says beyond those of the question, such as a name or a number, it does not know.
"""

from __future__ import annotations

import math
import re
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.answer.safety.meaning import starter_danger
from engine.answer.safety.meaning import words_of as compared_words
from engine.answer.safety.recognition import language_of
from engine.answer.safety.rules import rules_of
from engine.answer.sentences import first_sentence_end, sentences_of
from engine.answer.tools.follow_ups import in_full
from engine.answer.tools.outcomes import ToolOutcome, words_of

if TYPE_CHECKING:
    from engine.answer.any_predictor import AnyPredictor
    from engine.answer.intents.classifier import Classification
    from engine.answer.predictor import Answer, AnswerProgress
    from engine.assistant.reply import AnswerSteps

LEAST_SURE = 0.5
"""Least probability of a first sentence."""

AGREED_SHARE = 0.75
"""Share of the usual least probability that is enough for an answer on which both models agree."""

LIKELY_FROM = 0.4  # chosen in LOG 2026-11-26
"""Least probability of a meaning that is answered though it is not sure."""

ADVICE = "everyday_"
"""Beginning of the names of intents that say what to do."""

CERTAIN = 0.95  # chosen in LOG 2026-11-29
"""Least probability of a meaning that is certain: a larger model leaves it to what was written for it."""

LEAST_CERTAIN, LEAST_CERTAIN_OF_MANY = 0.3, 0.25  # chosen in LOG 2026-11-30
"""Least probability of a word that a published model's first sentence says beyond the question: in one of `MANY` such
words and more, which explains or advises, each could be another.
"""

MANY = 3

MOST_HELD_WORDS = 20
"""Most words that are held back until a first sentence is whole: a longer one may go round in a circle."""

_BREAK = re.compile(r"(?<=\w\w)[.?!…]+\s+(\w+)")


def as_taught(text: str) -> str:
    """Write capitals, and the app's name in small letters, as the taught questions have them."""
    return re.sub(r"\bearshot\b", "Earshot", text.capitalize() if text.isupper() and len(text) > 3 else text)


def without_false_stops(text: str) -> str:
    """Join a question that hearing has cut at a pause into one sentence, such as "Let us talk. About music."

    The model was trained on single sentences: it classifies a split one as unfinished.
    """
    return _BREAK.sub(lambda found: f" {found[1] if found[1] == 'I' else found[1].lower()}", text)


def answer_if_sure(
    predictor: AnyPredictor, prompt: str, *, spoken: bool = False, in_case: str = ""
) -> Generator[AnswerProgress | None, None, Answer]:
    """Answer a question with a model that was taught its answers, or say that it is not understood.

    A `spoken` question loses false full stops; in typed text, full stops are intended. The first decoder pass is run in
    any case: it predicts whether the user has finished. `in_case` says whom to call, where the question may speak of
    danger and is not understood.
    """
    asked, ahead = as_taught(meant_question(prompt, predictor)), predictor.forwards
    with closing(predictor.answer(without_false_stops(asked) if spoken else asked)) as steps:
        new = next(steps, None)
        found = None if predictor.classifier is None else predictor.classifier.classify(asked)
        instead = recognised_reply(prompt, found, in_case)
        ended = predictor.end_of_turn
        while instead is None:
            if new is not None and new.sentences:
                if is_believed(predictor, found, new.sentences[0]):
                    yield new
                    return (yield from steps)
                instead = unsure_of(prompt, found, in_case)
                break
            yield None
            try:
                new = next(steps)
            except StopIteration as end:
                answer: Answer = end.value
                return answer
    given = yield from predictor.recite(prompt, instead, ended)
    return replace(given, speculative_forwards=ahead)  # those of this reply were not made ahead


def meant_question(prompt: str, predictor: AnyPredictor) -> str:
    """Return the meant question: "And of Spain?" behind the capital of France asks for a fact of the same family."""
    if predictor.classifier is None:
        return prompt
    full = in_full(prompt, predictor.history)
    if full is None:
        return prompt
    before, now = (predictor.classifier.classify(as_taught(question)) for question in full)
    return f"{full[1]}?" if now.kind == "family" and (now.kind, now.name) == (before.kind, before.name) else prompt


def known_reply(predictor: AnyPredictor, prompt: str) -> tuple[str, ...] | None:
    """Return the answer that `answer_if_sure` gives without the model, an admission of doubt included; None if it asks.

    It takes no forward.
    """
    if predictor.classifier is None:
        return None
    return recognised_reply(prompt, predictor.classifier.classify(as_taught(meant_question(prompt, predictor))))


def is_doubt(sentences: Sequence[str]) -> bool:
    """Return whether an answer admits that the question was not understood."""
    return sentences[0] == words_of(ToolOutcome("unsure"), "en")[0]


def recognised_reply(question: str, found: Classification | None, in_case: str = "") -> tuple[str, ...] | None:
    """Return the answer that needs no model; None if the model is asked.

    Advice that is not certain to be meant is given only where the question is surely harmless: behind a danger in words
    that no rule knows it does harm.
    """
    if found is not None and found.sure and found.kind == "intent":
        certain = found.probability >= CERTAIN or not found.name.startswith(ADVICE)
        return sentences_of(found.reply) if certain or is_harmless(question) else unsure_of(question, found, in_case)
    if found is None or (found.kind in ("intent", "family") and found.probability >= AGREED_SHARE * found.limit):
        return None
    return unsure_of(question, found, in_case)


def unsure_of(question: str, found: Classification | None, in_case: str = "") -> tuple[str, ...]:
    """Return what to say to a question that is not understood: its likely meaning with its answer, else what helps.

    Where the question is not surely harmless, its meaning is not guessed, and `in_case` says whom to call.
    """
    first, *others = words_of(ToolOutcome("unsure"), "en")
    if not is_harmless(question):
        return first, *([in_case] if in_case else others)
    if found is not None and found.asked and found.probability >= LIKELY_FROM:
        others = [f"Did you mean “{found.asked}”", *sentences_of(found.reply)]
    return first, *others


def is_harmless(question: str) -> bool:
    """Return whether a question surely speaks of no danger."""
    return starter_danger().is_harmless(question)


def is_believed(predictor: AnyPredictor, found: Classification | None, begun: str) -> bool:
    """Return whether an answer with this beginning is likely enough."""
    if found is not None and found.kind == "intent":
        return found.reply[: first_sentence_end(found.reply, ended=True)].strip() == begun
    return predictor.first_sentence_likelihood() >= math.log(LEAST_SURE)


def answer_if_certain(predictor: AnyPredictor, question: str, steps: AnswerSteps) -> AnswerSteps:
    """Pass on a published model's answer, or say in its place that the model does not know.

    It is held back until its first sentence is whole.
    """
    with closing(steps):
        while True:
            try:
                new = next(steps)
            except StopIteration as end:
                answer: Answer = end.value
                return answer
            if new is not None and not (_is_judged(predictor, question) and _is_held(new)):
                break
            yield None
        if not (new.sentences and new.sentences[0] in predictor.candidate and is_doubtful(predictor, question)):
            yield new
            return (yield from steps)
    return (yield from predictor.recite(question, words_of(ToolOutcome("uncertain"), language_of(question))))


def _is_held(new: AnswerProgress) -> bool:
    """Return whether the first sentence is not whole, and may yet be."""
    return not (new.sentences or new.call or len(new.text.split()) > MOST_HELD_WORDS)


def is_doubtful(predictor: AnyPredictor, question: str) -> bool:
    """Return whether a published model hardly believes what the first sentence of its newest answer tells."""
    if not _is_judged(predictor, question):
        return False
    rules, asked = rules_of(language_of(question)), set(compared_words(question))
    new = [
        chance
        for word, chance in predictor.first_sentence_words()
        if any(part not in asked and not rules.common_in((part,)) for part in compared_words(word))
    ]
    return min(new, default=0.0) < math.log(LEAST_CERTAIN if len(new) < MANY else LEAST_CERTAIN_OF_MANY)


def _is_judged(predictor: AnyPredictor, question: str) -> bool:
    """Return whether an answer may be doubtful.

    It is judged where something is asked: to a remark or a request many replies are as good. And only in a language
    whose commonest words are known: in another one every word of the answer would seem to be new.
    """
    asked = question.rstrip().endswith("?") or predictor.asks
    return (
        predictor.can_read
        and bool(asked)
        and rules_of(language_of(question)).common_in(set(compared_words(question))) > 0
    )
