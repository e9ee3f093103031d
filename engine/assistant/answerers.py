"""The answerers of a question: one list, asked in one order.

Danger that a rule knows always comes first. Then come tools whose phrasing is known, danger by its meaning, tools by
what is named and by their meaning, and last the language model. What may speak of danger, without being certain to, is
answered by whom to call alone: what a tool or a model says behind it might harm.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from engine.answer.answers import AnswerProgress, empty_answer
from engine.answer.safety.answers import SafetyAnswers, sayable
from engine.answer.safety.meaning import is_foreign, starter_danger
from engine.answer.safety.recognition import RecognisedDanger, language_of, recognise
from engine.answer.sentences import sentences_of
from engine.answer.tools.by_meaning import call_by_meaning, refers_back
from engine.answer.tools.follow_ups import call_in
from engine.answer.tools.note_sections import section_asked_for
from engine.answer.tools.outcomes import ToolOutcome, words_of
from engine.answer.tools.quantities import call_by_quantities
from engine.answer.tools.table import TOOLS, Call
from engine.assistant.danger_by_model import may_be_danger
from engine.assistant.doubt import ADVICE, CERTAIN, answer_if_certain, answer_if_sure, as_taught, unsure_of
from engine.assistant.repetition import answer_anew, followed
from engine.assistant.reply import AnswerSteps, Script
from engine.assistant.requests_by_model import asks_for_a_deed
from engine.assistant.rewriting import may_refer, rewritten
from engine.assistant.sums_by_model import names_number, sum_of
from engine.assistant.tool_answers import PhraseTranslator, ToolAnswers

if TYPE_CHECKING:
    from engine.answer.any_predictor import AnyPredictor
    from engine.answer.intents.classifier import IntentClassifier

T = TypeVar("T")

ABOUT_EARSHOT, ABOUT_THE_WORLD = "earshot_", "world_"
"""Beginnings of the names of intents that are about this program, and of facts, which a larger model knows better."""

CERTAIN_ADVICE = 0.985  # chosen in LOG 2026-11-30
"""Least probability of advice that takes the place of a larger model's: boiled eggs are no poached ones."""

LIKELY_ABOUT_EARSHOT = 0.55  # chosen in LOG 2026-11-29
"""Least probability of a meaning about this program that is named with its answer, though a larger model is there."""


@dataclass(frozen=True, slots=True)
class Question:
    """A whole question, or its beginning while the user is speaking.

    Attributes:
        spoken: the user speaks it; False if they type.
        said: the user's own words, if the text is what they mean, which is understood without the conversation.
    """

    text: str
    spoken: bool = False
    said: str | None = None


class Answerer(ABC):
    """One way to answer a question."""

    @abstractmethod
    def answer(self, question: Question) -> Script | None:
        """Return how to answer a whole question; None if the next answerer has to."""

    def preview(self, question: Question) -> str | None:
        """Return what to show while the user is speaking; None if the next answerer, or a model, will answer.

        "" shows nothing, but keeps a model from answering ahead.
        """
        return None


class SafetyAnswerer(Answerer):
    """Answers danger with fixed words, and the numbers of a region."""

    def __init__(self, predictor: AnyPredictor, region: str | None) -> None:
        self._predictor = predictor
        self._answers = SafetyAnswers(region)

    def answer(self, question: Question) -> Script | None:
        found = self._danger_in(question.text)
        if found is None:
            return None
        danger = self._answers.about(found)
        steps = self._predictor.recite(question.text, danger.sentences)
        return Script(steps, aloud=sayable, language=danger.language)

    def preview(self, question: Question) -> str | None:
        """Show nothing before the turn has ended, and let no model answer danger ahead."""
        return None if self._danger_in(question.text) is None else ""

    def _danger_in(self, text: str) -> RecognisedDanger | None:
        return recognise(text)


class SafetyByMeaning(SafetyAnswerer):
    """Answers danger in words that no rule knows, and what may speak of danger, by a network that is loaded once."""

    def _danger_in(self, text: str) -> RecognisedDanger | None:
        return starter_danger().recognise(text)


class ToolsByWords(Answerer):
    """Answers requests whose phrasing is known, in any of the languages."""

    def __init__(self, predictor: AnyPredictor, tools: ToolAnswers) -> None:
        self._predictor = predictor
        self._tools = tools

    def answer(self, question: Question) -> Script | None:
        call = self._call(question)
        return None if call is None else self._tools.answer(call, question.text, spoken=question.spoken)

    def preview(self, question: Question) -> str | None:
        call = self._call(question)
        return None if call is None else self._tools.preview(call)

    def _call(self, question: Question) -> Call | None:
        """Find the requested tool."""
        return call_in(question.text, self._predictor.history)


class ToolsByQuantities(ToolsByWords):
    """Answers what is asked of the dates and times that a question names."""

    def _call(self, question: Question) -> Call | None:
        return call_by_quantities(question.text)


class ToolsByMeaning(ToolsByWords):
    """Answers requests in words of the user's own, in English."""

    def __init__(
        self, predictor: AnyPredictor, tools: ToolAnswers, load_classifier: Callable[[], IntentClassifier]
    ) -> None:
        """Load the classifier of intents when it is first needed."""
        super().__init__(predictor, tools)
        self._load_classifier = load_classifier

    def _call(self, question: Question) -> Call | None:
        """Find the requested tool; behind a published model's own reply "And when was it over?" asks of that."""
        history = self._predictor.history
        call = call_by_meaning(as_taught(question.text), history, self._load_classifier())
        follows = self._predictor.can_read and history and not history[-1].recited
        return None if follows and call is not None and refers_back(call, question.text) else call


class OtherLanguage(Answerer):
    """Answers in the user's language that nothing was understood, for a model that was taught English alone.

    It says whom to call as well: in such a language only a rule knows danger, or nothing does. It has no preview: the
    first words of a question do not tell its language.
    """

    def __init__(self, predictor: AnyPredictor, region: str | None) -> None:
        self._predictor = predictor
        self._safety = SafetyAnswers(region)

    def answer(self, question: Question) -> Script | None:
        language = language_of(question.text)
        if self._predictor.classifier is None or self._predictor.can_read:
            return None
        if language == "en" and not is_foreign(question.text):
            return None
        sentences = (*words_of(ToolOutcome("unsure"), language), self._safety.in_case(language))
        return Script(self._predictor.recite(question.text, sentences), aloud=sayable, language=language)


class AsMeant(Answerer):
    """Answers a follow-up as the question that it means behind those before it, for a published model.

    The model writes it (engine.assistant.rewriting), and it is answered as if it had been said. A text that may speak
    of danger is left as it is.
    """

    def __init__(self, predictor: AnyPredictor, by_rule: Sequence[Answerer], others: Sequence[Answerer]) -> None:
        """Ask `by_rule` again about what is written otherwise, and `others`, the last of which always answers."""
        self._predictor = predictor
        self._by_rule, self._others = by_rule, others
        self._meanings: dict[str, str] = {}  # of the last follow-ups

    def answer(self, question: Question) -> Script | None:
        if not self._predictor.history:
            self._meanings = {}
        if not (self._predictor.writes_aside and self._predictor.history and may_refer(question.text)):
            return None
        as_said = first_script(self._others, question)
        assert as_said is not None, "the last answerer always answers"
        scripts = [as_said]
        return replace(
            as_said,
            steps=self._steps(question, scripts),
            call=None,
            aloud=lambda sentence: scripts[-1].aloud(sentence),
            free=True,
        )

    def _steps(self, question: Question, scripts: list[Script]) -> AnswerSteps:
        """Answer by the last of some scripts, or by that of what is meant, which is added."""
        self._predictor.read_question(question.text)
        text = question.text
        if not may_be_danger(self._predictor, text):
            text = yield from _unseen(self._meant(text))
        if text != question.text:
            meant = replace(question, text=text, said=question.text)
            scripts += [script] if (script := first_script((*self._by_rule, *self._others), meant)) else []
        script = scripts[-1]
        if script.steps is not None:
            return (yield from script.steps)
        yield AnswerProgress("", call=script.call)
        return empty_answer(text)  # not reached: the outcome of the call is the answer

    def _meant(self, text: str) -> Generator[None, None, str]:
        """Return what a text means behind the last question as that was meant."""
        last = self._predictor.history[-1]
        before = self._meanings.get(last.user, last.user)
        meant = yield from rewritten(self._predictor, text, replace(last, user=before))
        self._meanings = {last.user: before, text: meant}
        return meant


class AskedOfNotes(ToolsByWords):
    """Answers what is asked of the notes of a meeting in words of the user's own, in English."""

    def _call(self, question: Question) -> Call | None:
        section = section_asked_for(question.text)
        return None if section is None else Call(TOOLS["missed"], "en", {"section": section})


class Written(Answerer):
    """Answers with what was written for the starter, for a model that knows nothing of Earshot and invents the rest.

    What is about Earshot is answered so if the meaning is sure, and named with its answer if it is likely; all else if
    it is certain and names no number, of which nothing that was written knows.
    """

    def __init__(
        self, predictor: AnyPredictor, load_classifier: Callable[[], IntentClassifier], region: str | None
    ) -> None:
        """Load the classifier of intents when it is first needed."""
        self._predictor = predictor
        self._load_classifier = load_classifier
        self._in_case = SafetyAnswers(region).in_case("en")

    def answer(self, question: Question) -> Script | None:
        sentences = self._sentences(question.text)
        if not sentences:
            return None
        return Script(self._predictor.recite(question.text, sentences), aloud=_saying((self._in_case,)), language="en")

    def preview(self, question: Question) -> str | None:
        return " ".join(self._sentences(question.text)) or None

    def _sentences(self, text: str) -> tuple[str, ...]:
        if not self._predictor.can_read:
            return ()
        found = self._load_classifier().classify(as_taught(text))
        about = found.name.startswith(ABOUT_EARSHOT)
        if found.kind != "intent" or found.name.startswith(ABOUT_THE_WORLD):
            return ()
        if not about and self._predictor.writes_aside and names_number(text):
            return ()
        certain = CERTAIN_ADVICE if found.name.startswith(ADVICE) else CERTAIN
        if found.probability >= certain or (about and found.sure):
            return sentences_of(found.reply)
        return unsure_of(text, found, self._in_case) if about and found.probability >= LIKELY_ABOUT_EARSHOT else ()


class TaughtModel(Answerer):
    """Answers with a model that was taught a set of answers, if it is sure which one is meant."""

    def __init__(self, predictor: AnyPredictor, region: str | None) -> None:
        self._predictor = predictor
        self._in_case = SafetyAnswers(region).in_case("en")

    def answer(self, question: Question) -> Script | None:
        if self._predictor.can_read:
            return None
        steps = answer_if_sure(self._predictor, question.text, spoken=question.spoken, in_case=self._in_case)
        return Script(steps, aloud=_saying((self._in_case,)), free=True)


class ModelWithTools(Answerer):
    """Answers with a published model, which may call tools, if it is certain of what it says.

    What may speak of danger by the model's own judgement is answered by whom to call alone. In a language in which no
    rule knows danger, what a person tells is answered with whom to call as well; in all but English, so is what is not
    understood.
    """

    def __init__(self, predictor: AnyPredictor, tools: ToolAnswers, region: str | None) -> None:
        self._predictor = predictor
        self._tools = tools
        self._safety = SafetyAnswers(region)

    def answer(self, question: Question) -> Script:
        text, language = question.text, language_of(question.text)
        in_case = (self._safety.in_case(language),)
        foreign = is_foreign(text)
        warns = foreign and language == "en" and not text.rstrip().endswith("?")
        warns_in_doubt = not warns and (foreign or language != "en")
        steps = answer_anew(self._predictor, text, in_case if warns_in_doubt else (), alone=question.said is not None)
        if self._predictor.calls_tools:
            steps = self._tools.run_tool_calls(steps, text)
        steps = answer_if_certain(self._predictor, text, steps)
        if warns:
            steps = followed(steps, in_case)
        whom_to_call = self._safety.about(RecognisedDanger("emergency", language, certain=False)).sentences
        cannot = (*words_of(ToolOutcome("only_talks"), language), *(in_case if warns or warns_in_doubt else ()))
        counts = self._predictor.writes_aside and names_number(question.said or text)
        steps = self._unless_refused(self._calculated(steps, text) if counts else steps, text, whom_to_call, cannot)
        return Script(steps, aloud=_saying(whom_to_call), free=True)

    def _unless_refused(
        self, steps: AnswerSteps, text: str, whom_to_call: tuple[str, ...], cannot: tuple[str, ...]
    ) -> AnswerSteps:
        """Answer in steps; danger by whom to call, and a request for a deed by what cannot be done."""
        if may_be_danger(self._predictor, text):
            return (yield from self._predictor.recite(text, whom_to_call))
        if not self._predictor.calls_tools and asks_for_a_deed(self._predictor, text):
            return (yield from self._predictor.recite(text, cannot))
        return (yield from steps)

    def _calculated(self, steps: AnswerSteps, text: str) -> AnswerSteps:
        """Answer by the result of the calculation that the model writes, or in steps."""
        result = yield from _unseen(sum_of(self._predictor, text))
        if result is None:
            return (yield from steps)
        return (yield from self._predictor.recite(text, words_of(result, language_of(text))))


def _saying(lines: Collection[str]) -> Callable[[str], str]:
    """Return what makes lines with telephone numbers sayable; the numbers of other sentences are said as numbers."""
    return lambda sentence: sayable(sentence) if sentence in lines else sentence


def first_script(answerers: Iterable[Answerer], question: Question) -> Script | None:
    """Return the way to answer a question by the first answerer that can; None if none can."""
    scripts = (answerer.answer(question) for answerer in answerers)
    return next((script for script in scripts if script is not None), None)


def _unseen(steps: Generator[None, None, T]) -> Generator[AnswerProgress | None, None, T]:
    """Run steps that say nothing, among those of an answer."""
    return (yield from steps)


class Answerers:
    """All answerers of a conversation, in one order. One thread uses them.

    Attributes:
        in_order: the answerers, in the order in which they are asked.
        tools: answers requests for tools, and puts the outcomes of the app's tools into words.
    """

    def __init__(
        self,
        predictor: AnyPredictor,
        load_classifier: Callable[[], IntentClassifier],
        *,
        region: str | None = None,
        translate: PhraseTranslator | None = None,
        app: bool = False,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        """Answer without a model if possible, else with one.

        `region` selects the telephone numbers for danger. `translate` returns a translator into a language. `app`: the
        app carries out tool calls.
        """
        self.tools = ToolAnswers(predictor, translate, app=app, now=now)
        by_rule = (
            SafetyAnswerer(predictor, region),
            ToolsByWords(predictor, self.tools),
            SafetyByMeaning(predictor, region),
            ToolsByQuantities(predictor, self.tools),
        )
        others = (
            ToolsByMeaning(predictor, self.tools, load_classifier),
            AskedOfNotes(predictor, self.tools),
            Written(predictor, load_classifier, region),
            OtherLanguage(predictor, region),
            TaughtModel(predictor, region),
            ModelWithTools(predictor, self.tools, region),  # always answers
        )
        self.in_order: tuple[Answerer, ...] = (*by_rule, AsMeant(predictor, by_rule, others), *others)

    def answer(self, question: Question) -> Script:
        """Return the way to answer a whole question, by the first answerer that can."""
        script = first_script(self.in_order, question)
        assert script is not None, "the last answerer always answers"
        return script

    def preview(self, question: Question) -> str | None:
        """Return the preview of the first answerer that has one; None if a model will answer."""
        previews = (answerer.preview(question) for answerer in self.in_order)
        return next((preview for preview in previews if preview is not None), None)
