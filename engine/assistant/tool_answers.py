"""Answers with tools: some tools run here, others in the app, whose outcome is then put into words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from engine.answer.answers import AnswerProgress
from engine.answer.tools.calls import may_be_call, read_call
from engine.answer.tools.engine_tools import engine_outcome
from engine.answer.tools.note_sections import SUMMARY, section_meant
from engine.answer.tools.outcomes import ToolOutcome, effect_of, words_of
from engine.answer.tools.table import TOOLS, Call, Ending
from engine.assistant.doubt import as_taught, without_false_stops
from engine.assistant.from_lines import SUMMED_UP, answer_from
from engine.assistant.reply import AnswerSteps, Script
from engine.audio.endpoint import LIKELY_PROBABILITY, SURE_PROBABILITY
from engine.errors import EngineError

if TYPE_CHECKING:
    from engine.answer.answers import Answer
    from engine.answer.any_predictor import AnyPredictor
    from engine.translate.translator import TextTranslator
    from engine.turns import Language

PhraseTranslator = Callable[[str], "TextTranslator"]
"""Returns a translator into a language, by its code. Raises EngineError if there is none."""

FEWEST_WORDS = 2
"""Fewest words of a request whose end can be told: "larger" may always go on."""

ENDS: Mapping[Ending, float] = {"phrasing": SURE_PROBABILITY, "number": 0.22}
"""Probability that a request is complete, by its last words: "for five minutes" may go on with "and ten seconds"."""

REQUEST_ODDS = 3 / 7  # chosen in LOG 2026-11-24
"""Odds that a request is complete, in proportion to those of a question with the same probability by the model.

The model finds beginnings of requests complete more often than beginnings of questions.
"""


class ToolAnswers:
    """Answers requests for tools. One thread uses it."""

    def __init__(
        self, predictor: AnyPredictor, translate: PhraseTranslator | None, *, app: bool, now: Callable[[], datetime]
    ) -> None:
        """Recite answers with a predictor. `app`: the app carries out calls of its tools."""
        self._predictor = predictor
        self._translate = translate
        self._app = app
        self._now = now

    def answer(self, call: Call, prompt: str, *, spoken: bool) -> Script:
        """Return how to answer a request for a tool; of a `spoken` one with the probability that it is complete."""
        if call.tool.name == "repeat" and self._app and not self._predictor.history:
            call = Call(TOOLS["last_lines"], call.language, {"count": "1"})
        if call.tool.name == "missed" and "seconds" not in call.arguments and self._app:
            section = section_meant(prompt)
            call = call if section == SUMMARY else replace(call, arguments={"section": section})
        ended = end_of_turn(call, prompt, self._predictor) if spoken else None
        translates = call.tool.name in ("translate_phrase", "last_lines")
        language = call.arguments.get("language", call.language) if translates else call.language
        if call.tool.where == "app" and self._app:
            return Script(call=call, language=language, end_of_turn=ended)
        return Script(self._steps(call, prompt), language=language, end_of_turn=ended)

    def preview(self, call: Call) -> str:
        """Return the outcome of a call, or the effect that it will have."""
        outcome = engine_outcome(call, self._now())
        return effect_of(call) if outcome is None else " ".join(words_of(outcome, call.language))

    def answer_outcome(self, prompt: str, language: Language, outcome: ToolOutcome) -> AnswerSteps:
        """Answer with the outcome of a tool that the app ran.

        A model that can read sums up the lines that were found, and names those that it used.
        """
        if outcome.quotes and outcome.kind in SUMMED_UP and self._predictor.can_read:
            return answer_from(prompt, language, outcome, self._predictor)
        if outcome.kind == "last_lines" and "language" in outcome.values:
            said = " ".join(quote.text for quote in outcome.quotes)
            return self._translated(said, outcome.values["language"], language, prompt)
        return self._predictor.recite(prompt, words_of(outcome, language))

    def run_tool_calls(self, steps: AnswerSteps, prompt: str) -> AnswerSteps:
        """Run the tool that a model calls in place of an answer. Text that only looks like a call is not said."""
        held: list[AnswerProgress] = []
        with closing(steps):
            while True:
                try:
                    new = next(steps)
                except StopIteration as end:
                    answer: Answer = end.value
                    break
                if new is not None and not may_be_call(new.text):
                    sentences = tuple(each for earlier in held for each in earlier.sentences) + new.sentences
                    yield replace(new, sentences=sentences)
                    return (yield from steps)
                held += [] if new is None else [new]
                yield None
        call = read_call(answer.text)
        if call is None:
            return (yield from self._predictor.recite(prompt, words_of(ToolOutcome("unsure"), "en")))
        if call.tool.where == "app" and self._app:
            yield AnswerProgress("", call=call)
        return (yield from self._steps(call, prompt))

    def _steps(self, call: Call, prompt: str) -> AnswerSteps:
        """Answer with a tool that the app does not run."""
        if call.tool.name == "translate_phrase":
            return self._translated(call.arguments["text"], call.arguments["language"], call.language, prompt)
        return self._predictor.recite(prompt, self._sentences(call))

    def _sentences(self, call: Call) -> tuple[str, ...]:
        if call.tool.where == "app":
            return words_of(ToolOutcome("only_in_window"), call.language)
        if call.tool.name == "repeat":
            said = next((turn.reply for turn in reversed(self._predictor.history) if turn.reply), None)
            return (said,) if said else words_of(ToolOutcome("nothing_to_repeat"), call.language)
        outcome = engine_outcome(call, self._now())
        assert outcome is not None, f"{call.tool.name} has no outcome here"
        return words_of(outcome, call.language)

    def _translated(self, text: str, language: str, asked_in: Language, prompt: str) -> AnswerSteps:
        """Translate a few words; pauses after every forward of the translating model."""
        yield None
        try:
            if self._translate is None:
                raise EngineError
            translator = self._translate(language)
        except EngineError:
            outcome = ToolOutcome("no_translation", {"language": language})
            return (yield from self._predictor.recite(prompt, words_of(outcome, asked_in)))
        steps = translator.steps(as_sentence(text), final=True)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                translated: str = end.value.whole.strip()
                break
            yield None
        if text[-1].isalnum():
            translated = translated.rstrip(" .")
        return (yield from self._predictor.recite(prompt, (translated or text,)))


def end_of_turn(call: Call, text: str, predictor: AnyPredictor) -> float | None:
    """Return the probability that a request is complete, by its words; None if they do not tell.

    Where the user's own words end, or a request is known by its meaning, a model that was taught the dialogues knows:
    it reads a text in milliseconds. It does not know well enough when to wait longer than usual.
    """
    if call.tool.waits or len(text.split()) < FEWEST_WORDS:
        return None
    if call.ending != "words" or predictor.can_read or predictor.classifier is None or call.language != "en":
        return ENDS.get(call.ending)
    likely = predictor.likelihood_of_end(without_false_stops(as_taught(text)))
    if likely is None:
        return None
    return max(LIKELY_PROBABILITY, likely * REQUEST_ODDS / (likely * REQUEST_ODDS + 1 - likely))


def as_sentence(text: str) -> str:
    """Write a few words as a sentence, which translation models know best."""
    return f"{text[0].upper()}{text[1:]}{'.' if text[-1].isalnum() else ''}"
