"""What is answered without asking a model: danger first, then what tools do.

Tools that know the answer by themselves are worked out here; what only the app can do is left to it, and the reply
waits for what comes of that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from engine.answer.answers import Answered
from engine.answer.safety.answers import SafetyAnswers, sayable
from engine.answer.safety.recognition import language_of
from engine.answer.tools.by_meaning import request_in
from engine.answer.tools.calls import may_be_call, read_call
from engine.answer.tools.outcomes import Outcome, doing, words_of
from engine.answer.tools.reckoning import reckon
from engine.answer.tools.table import TOOLS, Call, Ending
from engine.assistant.doubt import as_taught, joined, offered_in
from engine.assistant.from_lines import SUMMED_UP, answer_from
from engine.assistant.reply import AnswerSteps, Script
from engine.audio.endpoint import LIKELY_PROBABILITY, SURE_PROBABILITY
from engine.errors import EngineError

if TYPE_CHECKING:
    from engine.answer.answers import Answer
    from engine.answer.intents.recogniser import Recogniser
    from engine.answer.predictor import Exchange, Predictor
    from engine.translate.translator import Translator
    from engine.turns import Language

PhraseTranslator = Callable[[str], "Translator"]
"""Gives what translates into a language, by its code. Raises EngineError where nothing does."""

FEWEST_WORDS = 2
ENDS: Mapping[Ending, float] = {"phrasing": SURE_PROBABILITY, "number": 0.22}
"""How probable it is that a request which ends so is complete: "for five minutes" may go on with "and ten seconds"."""

REQUEST_ODDS = 3 / 7
"""The odds that a request is complete, of those of a question that the model holds for as probable: of the beginnings
of requests it holds 17% for complete to a half or more, of those of questions 3%."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan for answering a turn without a model.

    Attributes:
        script: the answer, or the way to it.
        language: that it is spoken in.
    """

    script: Script
    language: str


class Scripts:
    """Finds out whether a question is answered without a model, and how. One thread uses it."""

    def __init__(
        self,
        region: str | None,
        translate: PhraseTranslator | None,
        *,
        app: bool,
        recogniser: Callable[[], Recogniser] | None = None,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        """Name a region's numbers in danger; `app`: somebody does what tools of the app do.

        `recogniser` loads what knows requests by their meaning, when it is first needed.
        """
        self._safety = SafetyAnswers(region)
        self._translate = translate
        self._app = app
        self._recogniser = recogniser
        self._now = now

    def ahead(self, text: str, history: Sequence[Exchange]) -> str | None:
        """Return what to show for a text that no model is asked about, while it is being spoken; None where one is."""
        if self._safety.to(text) is not None:
            return ""
        call = self._call_in(text, history)
        if call is None:
            return None
        outcome = reckon(call, self._now())
        return doing(call) if outcome is None else " ".join(words_of(outcome, call.language))

    def plan(self, prompt: str, predictor: Predictor, *, spoken: bool = False) -> Planned | None:
        """Find how a turn is answered, of a `spoken` one also whether it is complete; None where the model is asked."""
        danger = self._safety.to(prompt)
        if danger is not None:
            return Planned(Script(predictor.recite(prompt, danger.sentences), aloud=sayable), danger.language)
        call = self._call_in(prompt, predictor.history)
        if call is None:
            return self._beyond(prompt, predictor)
        if call.tool.name == "repeat" and self._app and not predictor.history:
            call = Call(TOOLS["last_lines"], call.language, {"count": "1"})
        ended = end_of_turn(call, prompt, predictor) if spoken else None
        if call.tool.where == "app" and self._app:
            return Planned(Script(call=call, end_of_turn=ended), call.language)
        language: str = call.language
        if call.tool.name == "translate_phrase":
            steps, language = self._translated(call, prompt, predictor), call.arguments["language"]
        else:
            steps = predictor.recite(prompt, self._sentences(call, predictor.history))
        return Planned(Script(steps, end_of_turn=ended), language)

    def _beyond(self, prompt: str, predictor: Predictor) -> Planned | None:
        """Say in somebody's own language that it is not understood, where the model was taught English alone."""
        language = language_of(prompt)
        if predictor.recogniser is None or predictor.can_read or language == "en":
            return None
        return Planned(Script(predictor.recite(prompt, words_of(Outcome("unsure"), language))), language)

    def obeying(self, steps: AnswerSteps, prompt: str, predictor: Predictor) -> AnswerSteps:
        """Have done what a model calls in place of an answer; what only looks like a call is not said."""
        if not predictor.calls_tools:
            return (yield from steps)
        held: list[Answered] = []
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
            return (yield from predictor.recite(prompt, words_of(Outcome("unsure"), "en")))
        if call.tool.where == "app" and self._app:
            yield Answered("", call=call)
        if call.tool.name == "translate_phrase":
            return (yield from self._translated(call, prompt, predictor))
        return (yield from predictor.recite(prompt, self._sentences(call, predictor.history)))

    def told(self, prompt: str, language: Language, outcome: Outcome, predictor: Predictor) -> AnswerSteps:
        """Answer with what the app's tool came to.

        A model that was taught to answer from what it is given sums up what was found, and says which lines it used.
        """
        if outcome.quotes and outcome.kind in SUMMED_UP and predictor.can_read:
            return answer_from(prompt, language, outcome, predictor)
        return predictor.recite(prompt, words_of(outcome, language))

    def _call_in(self, text: str, history: Sequence[Exchange]) -> Call | None:
        """Find what a text asks for; who it is that knows what it means is loaded where its words are not enough."""
        call = request_in(text, history, None)
        if call is not None and call.tool.name == "agree" and offered_in(history) is not None:
            return None
        if call is not None or self._recogniser is None:
            return call
        return request_in(as_taught(text), history, self._recogniser())

    def _sentences(self, call: Call, history: Sequence[Exchange]) -> tuple[str, ...]:
        if call.tool.where == "app":
            return words_of(Outcome("only_in_window"), call.language)
        if call.tool.name == "repeat":
            said = next((turn.reply for turn in reversed(history) if turn.reply), None)
            return (said,) if said else words_of(Outcome("nothing_to_repeat"), call.language)
        outcome = reckon(call, self._now())
        assert outcome is not None, f"{call.tool.name} is reckoned by nobody"
        return words_of(outcome, call.language)

    def _translated(self, call: Call, prompt: str, predictor: Predictor) -> AnswerSteps:
        """Translate a few words; pauses after every forward of the translating model."""
        yield None
        text, language = call.arguments["text"], call.arguments["language"]
        try:
            if self._translate is None:
                raise EngineError
            translator = self._translate(language)
        except EngineError:
            outcome = Outcome("no_translation", {"language": language})
            return (yield from predictor.recite(prompt, words_of(outcome, call.language)))
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
        return (yield from predictor.recite(prompt, (translated or text,)))


def end_of_turn(call: Call, text: str, predictor: Predictor) -> float | None:
    """Give how probable it is that a request is complete, by its words; None where they do not tell.

    One word alone, such as "larger", may always be the beginning of more. Where the user's own words end, or a request
    is known by what it means, a model that was taught the dialogues knows: it reads a text in milliseconds. That the
    wait is longer than the usual one for its sake it does not know well enough.
    """
    if call.tool.waits or len(text.split()) < FEWEST_WORDS:
        return None
    if call.ending != "words" or predictor.can_read or predictor.recogniser is None or call.language != "en":
        return ENDS.get(call.ending)
    likely = predictor.likelihood_of_end(joined(as_taught(text)))
    if likely is None:
        return None
    return max(LIKELY_PROBABILITY, likely * REQUEST_ODDS / (likely * REQUEST_ODDS + 1 - likely))


def as_sentence(text: str) -> str:
    """Write a few words as a sentence, which is what translation models know best."""
    return f"{text[0].upper()}{text[1:]}{'.' if text[-1].isalnum() else ''}"
