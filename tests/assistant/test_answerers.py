"""Answerers of a question: danger first, then tools, then the model; what is shown while the user is speaking."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import datetime

import numpy as np
import pytest

from engine.answer.intents.classifier import starter_classifier
from engine.answer.predictor import ChatTurn, Predictor
from engine.answer.safety.answers import SafetyAnswers
from engine.assistant import danger_by_model, requests_by_model, rewriting, sums_by_model
from engine.assistant.answerers import (
    Answerer,
    Answerers,
    AskedOfNotes,
    AsMeant,
    ModelWithTools,
    OtherLanguage,
    Question,
    SafetyAnswerer,
    SafetyByMeaning,
    TaughtModel,
    ToolsByMeaning,
    ToolsByQuantities,
    ToolsByWords,
    Written,
)
from engine.assistant.assistant import AssistantSession
from engine.assistant.danger_by_model import LEAST_LOG_ODDS
from tests.assistant.test_assistant import answer
from tests.scripted_model import ScriptedModel

CAPITAL = ChatTurn("What is the capital of France?", "The capital of France is Paris.")
SUM = ChatTurn("What is 12 times 12?", "That is 144.")
PARTIAL_QUESTIONS = (
    "Set a timer for five minutes. I want to kill myself.",
    "Give me the gist of the meeting",
    "remind me what was decided about the hiring freeze",
    "Wie spät ist es in Tokio und was ist zwölf mal zwölf",
    "quiero morir",
    "what is twelve percent of eighty",
)


def answerers_for(model: ScriptedModel, *history: ChatTurn, app: bool = True) -> Answerers:
    predictor = Predictor(model, with_tools=True)  # type: ignore[arg-type]
    predictor.history = history
    return Answerers(predictor, starter_classifier, region="US", app=app, now=lambda: datetime(2026, 3, 4, 15, 6))


def taught(*history: ChatTurn) -> Answerers:
    return answerers_for(ScriptedModel(answer, recognises=True), *history)


def published(*history: ChatTurn) -> Answerers:
    return answerers_for(ScriptedModel(answer, assistant_instruction=None), *history)


def who_answers(answerers: Answerers, text: str) -> type[Answerer]:
    """Return the kind of answerer that answers a text, whatever it means behind others."""
    asked = (each for each in answerers.in_order if not isinstance(each, AsMeant))
    return type(next(each for each in asked if each.answer(Question(text)) is not None))


@pytest.mark.parametrize(
    ("text", "history", "answerer", "preview"),
    [
        ("I want to kill myself", (), SafetyAnswerer, ""),
        ("Ich will mich umbringen", (), SafetyAnswerer, ""),
        ("Start captions. je veux mourir", (), SafetyAnswerer, ""),
        ("my friend swallowed something from the bathroom shelf", (), SafetyByMeaning, ""),
        ("Remind me in an hour to take my sleeping pills", (), ToolsByWords, "Set a timer"),
        ("What is twelve percent of eighty?", (), ToolsByWords, "That is 9.6."),
        ("Start captions", (), ToolsByWords, "Start captions"),
        ("Wie spät ist es?", (), ToolsByWords, "Es ist 15:06 Uhr."),
        ("times two", (SUM,), ToolsByWords, "That is 288."),
        ("okay", (CAPITAL,), ToolsByWords, "All right."),
        ("Give me the gist of the meeting.", (), ToolsByMeaning, "Look at what was said"),
        ("GIVE ME THE GIST OF THE MEETING", (), ToolsByMeaning, "Look at what was said"),
        ("wer hat die WM 1990 gewonnen?", (), OtherLanguage, None),
        ("¿quién es el rey de España y por qué?", (), OtherLanguage, None),
        ("What is the capital of France?", (), TaughtModel, None),
        ("and of Spain?", (CAPITAL,), TaughtModel, None),
        ("asdfgh qwerty", (), TaughtModel, None),
    ],
)
def test_the_starter_leaves_to_tools_what_they_know(
    text: str, history: tuple[ChatTurn, ...], answerer: type[Answerer], preview: str | None
) -> None:
    assert who_answers(taught(*history), text) is answerer
    assert taught(*history).preview(Question(text, spoken=True)) == preview


@pytest.mark.parametrize(
    ("text", "answerer"),
    [
        ("quiero morir", SafetyAnswerer),
        ("my friend swallowed something from the bathroom shelf", SafetyByMeaning),
        ("What is twelve percent of eighty?", ToolsByWords),
        ("When it is noon in London, what time is it in Tokyo?", ToolsByQuantities),
        ("My leg started bleeding at 9:30 and it lasts 2 hours already. When does it end?", SafetyByMeaning),
        ("Give me the gist of the meeting.", ToolsByMeaning),
        ("Who takes care of what?", AskedOfNotes),
        ("Do you have a family?", Written),
        ("3 tablespoons is how many ml", ModelWithTools),
        ("How can I get rid of hiccups?", Written),
        ("How do I poach an egg?", ModelWithTools),
        ("Which metal is liquid at room temperature?", ModelWithTools),
        ("wer hat die WM 1990 gewonnen?", ModelWithTools),
        ("What is the capital of France?", ModelWithTools),
    ],
)
def test_a_published_model_is_asked_in_any_language(text: str, answerer: type[Answerer]) -> None:
    assert who_answers(published(), text) is answerer


@pytest.mark.parametrize("make", [taught, published])
def test_whoever_previews_a_question_answers_it(make: Callable[[], Answerers]) -> None:
    answerers = make()
    previewed = 0
    for text in PARTIAL_QUESTIONS:
        words = text.split()
        for count in range(1, len(words) + 1):
            question = Question(" ".join(words[:count]), spoken=True)
            showing = [each for each in answerers.in_order if each.preview(question) is not None]
            if showing:
                previewed += 1
                assert type(showing[0]) is who_answers(answerers, question.text)
    assert previewed > 10


@pytest.mark.parametrize("request_before", ["Start captions.", "What is two plus two?", "Wie spät ist es?", "Stop."])
@pytest.mark.parametrize("danger", ["I want to kill myself", "Ich will mich umbringen", "quiero morir"])
def test_danger_is_answered_before_anything_else(request_before: str, danger: str) -> None:
    for answerers in (taught(), published(), taught(SUM)):
        for text in (danger, f"{request_before} {danger}", f"{danger}. {request_before}"):
            assert type(answerers.in_order[0]) is SafetyAnswerer
            assert who_answers(answerers, text) is SafetyAnswerer
            assert answerers.preview(Question(text, spoken=True)) == ""


def test_what_is_about_earshot_is_answered_from_what_was_written_for_it() -> None:
    answerers = published()
    assert who_answers(answerers, "How do I turn on dark mode?") is Written
    assert "dark and high contrast" in (answerers.preview(Question("How do I turn on dark mode?", spoken=True)) or "")
    assert "Did you mean" in (answerers.preview(Question("Close the window of the settings.")) or "")
    assert who_answers(answerers, "Which metal is liquid at room temperature?") is ModelWithTools
    assert who_answers(taught(), "How do I turn on dark mode?") is TaughtModel


def reply_of(model: Callable[[str], str], text: str) -> str:
    """Return what is said to a text with a published model that answers so."""
    return said_by(answerers_for(ScriptedModel(model, assistant_instruction=None)), text)


def said_by(answerers: Answerers, text: str) -> str:
    """Return what answerers say to a text."""
    steps = answerers.answer(Question(text)).steps
    assert steps is not None
    while True:
        try:
            next(steps)
        except StopIteration as end:
            assert " ".join(end.value.sentences) == end.value.text
            return str(end.value.text)


@pytest.mark.parametrize(
    ("text", "reply", "warns"),
    [
        ("Mio nonno è caduto dalle scale e non parla più.", "Mi dispiace.", True),
        ("Quanti giorni ha un anno bisestile?", "Sono 366.", False),
        ("Mein Hund hat heute ein großes Loch im Garten gegraben.", "Schade.", False),
        ("My dog has dug a large hole in the garden.", "What a pity.", False),
    ],
)
def test_what_is_told_in_a_language_without_rules_is_answered_with_whom_to_call(
    text: str, reply: str, warns: bool
) -> None:
    said = reply_of(lambda question: reply, text)
    assert said.startswith(reply)
    assert ("in danger" in said) is warns


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("Hier ist es dunkel, was soll ich tun?", "in Gefahr"),
        ("Mio nonno è caduto dalle scale e non parla più.", "in danger"),
        ("Mio nonno è caduto dalle scale e non parla più, cosa faccio?", "in danger"),
    ],
)
def test_what_is_not_understood_in_another_language_says_once_whom_to_call(text: str, warning: str) -> None:
    assert reply_of(lambda question: question, text).count(warning) == 1


@pytest.mark.parametrize(("recited", "answerer"), [(False, ModelWithTools), (True, ToolsByMeaning)])
def test_a_question_about_a_models_own_reply_is_none_about_the_meeting(recited: bool, answerer: type[Answerer]) -> None:
    """The same words behind a tool's reply ask for what was said."""
    before = ChatTurn("When did the war begin?", "It began in 1914.", recited)
    asked = "And when was it over?"
    assert who_answers(published(before), asked) is answerer


PERCENT = ChatTurn("What is 15% of 64?", "That is 9.6.", recited=True)
TIMER = ChatTurn("Set a timer for 12 minutes.", "The timer is set for 12 minutes.", recited=True)


def meaning(before: ChatTurn, **written: str) -> Answerers:
    """Return answerers behind a turn, with a model that writes these texts for a conversation with such words."""
    model = ScriptedModel(
        lambda text: next((found for told, found in written.items() if told in text), "It is mercury."),
        assistant_instruction=None,
    )
    return answerers_for(model, before)


@pytest.mark.parametrize(
    ("asked", "meant", "said"),
    [
        ("and 20%?", "What is 20% of 64?", "That is 12.8."),
        ("And the metal that is liquid?", "And the metal that is liquid?", "It is mercury."),
        ("And does it hurt?", "Does 64 hurt?", "It is mercury."),
    ],
)
def test_a_follow_up_is_answered_as_the_question_that_is_meant(asked: str, meant: str, said: str) -> None:
    assert said_by(meaning(PERCENT, **{f"Q: {asked}": meant}), asked) == said


def test_a_question_that_was_written_again_is_answered_alone() -> None:
    """The conversation has done its work, and need not be read a second time."""
    heard: list[str] = []

    def reply(text: str) -> str:
        heard.append(text)
        return "When was Rembrandt born?" if "Q: When was he" in text else "It is mercury."

    model = ScriptedModel(reply, assistant_instruction=None)
    before = ChatTurn("Who painted The Night Watch?", "It was painted by Rembrandt.")
    prompts: list[list[int]] = []
    chat = model.chat
    model.chat = lambda messages, tools=None: prompts.append(found := chat(messages, tools)) or found  # type: ignore[method-assign]
    assert said_by(answerers_for(model, before), "When was he born?") == "It is mercury."
    assert heard[-1] == "When was Rembrandt born?"
    assert "The Night Watch" not in model.decode(prompts[-1])


def test_a_follow_up_of_a_follow_up_asks_behind_what_that_meant() -> None:
    answerers = meaning(
        PERCENT, **{"20% of 64?\nA: That is 12.8.\nQ:": "What is 20% of 80?", "Q: and 20%?": "What is 20% of 64?"}
    )
    assert said_by(answerers, "and 20%?") == "That is 12.8."
    answerers.tools._predictor.accept("and 20%?", "That is 12.8.")
    assert said_by(answerers, "And now of 80?") == "That is 16."


def test_a_follow_up_may_call_a_tool_of_the_app() -> None:
    script = meaning(TIMER, **{"Q: the same for 20": "Set a timer for 20 minutes."}).answer(Question("the same for 20"))
    assert script.steps is not None
    calls = [new.call for new in script.steps if new is not None and new.call is not None]
    assert [(call.tool.name, call.arguments["seconds"]) for call in calls] == [("timer", "1200")]


def test_a_new_conversation_knows_nothing_of_what_was_meant_before() -> None:
    told: list[str] = []
    model = ScriptedModel(lambda text: told.append(text) or "What is 20% of 64?", assistant_instruction=None)  # type: ignore[func-returns-value]
    answerers = answerers_for(model, PERCENT)
    predictor = answerers.tools._predictor
    assert said_by(answerers, "and 20%?") == "That is 12.8."
    predictor.restart()
    assert said_by(answerers, "and 20%?") == "What is 20% of 64?"
    predictor.accept("and 20%?", "What do you mean?")
    said_by(answerers, "And of 80?")
    assert any("Q: And of 80?" in each for each in told)
    assert not any("64" in each for each in told if "Q: And of 80?" in each)


def test_what_may_speak_of_danger_is_not_written_again() -> None:
    """Its rewriting may be harmless."""
    before = ChatTurn("What is a bleach tablet?", "It cleans.")
    model = Judge(lambda text: "What is one tablet?" if "Q:" in text else "It is mercury.", assistant_instruction=None)
    model.odds = 100.0
    assert "call 911" in said_by(answerers_for(model, before), "The baby ate one")


def test_the_end_of_a_follow_up_is_that_of_what_was_said() -> None:
    def complete(text: str) -> float:
        return 0.97 if "Rembrandt" in text else 0.05

    reply = lambda text: "When was Rembrandt painted?" if "Q: When was he" in text else "It is mercury."  # noqa: E731
    model = ScriptedModel(reply, complete, assistant_instruction=None)
    answerers = answerers_for(model, ChatTurn("Who was painted?", "It was Rembrandt."))
    predictor = answerers.tools._predictor
    steps = answerers.answer(Question("When was he", spoken=True)).steps
    assert steps is not None
    next(steps)
    assert predictor.end_of_turn == pytest.approx(0.05, abs=0.01)


def test_a_sum_in_words_is_calculated() -> None:
    model = ScriptedModel(lambda text: "158.20 / 7", assistant_instruction=None)
    question = "We're seven people and the bill is 158.20. What does each of us pay?"
    assert said_by(answerers_for(model), question) == "That is 22.6."


@pytest.mark.parametrize("text", ["Ho preso 3 scatole di compresse da 20", "Mia figlia ha ingoiato 12 pile e piange"])
def test_danger_is_not_calculated(text: str) -> None:
    model = Judge(lambda text: "3 * 20", assistant_instruction=None)
    model.odds = 100.0
    assert "call 911" in said_by(answerers_for(model), text)


class Judge(ScriptedModel):
    """Answers "Yes" or "No" to one instruction by how much likelier the first one is, and all else as any model."""

    instruction = danger_by_model.INSTRUCTION
    odds = 0.0

    def _row(self, read: list[int]) -> np.ndarray:
        row = super()._row(read)
        if self.instruction in self.decode(read):
            row[self.encode("Y")], row[self.encode("N")] = self.odds, 0.0
        return row


@pytest.mark.parametrize("surely", [True, False])
def test_case_a_published_model_is_asked_where_danger_is_open(surely: bool) -> None:
    model = Judge(lambda text: "Das ist schön.", assistant_instruction=None)
    model.odds = LEAST_LOG_ODDS + (0.1 if surely else -0.1)
    said = said_by(answerers_for(model), "Mein Handy brennt!")
    assert ("in danger, call 911" in said, "Das ist schön." in said) == (surely, not surely)


def test_of_what_a_model_says_only_whom_to_call_is_said_digit_by_digit() -> None:
    for make, text in ((taught, "Who flew to the moon?"), (published, "Mein Handy brennt!")):
        script = make().answer(Question(text))
        assert script.aloud("They landed in 1969.") == "They landed in 1969."
        assert "call 9 1 1" in script.aloud(SafetyAnswers("US").in_case("en"))


class Witness(ScriptedModel):
    """Notes the instructions that it reads."""

    def _row(self, read: list[int]) -> np.ndarray:
        told = self.decode(read)
        self.seen = {*getattr(self, "seen", ()), *(each for each in INSTRUCTIONS if each in told)}
        return super()._row(read)


INSTRUCTIONS = (
    danger_by_model.INSTRUCTION,
    rewriting.INSTRUCTION,
    sums_by_model.INSTRUCTION,
    requests_by_model.INSTRUCTION,
)


def test_warming_up_asks_what_a_published_model_may_be_asked_of_any_question() -> None:
    model = Witness(lambda text: "No.", assistant_instruction=None, calls_tools=False)
    with closing(AssistantSession(None, model, None)) as session:  # type: ignore[arg-type]
        session.warm_up()
        assert model.seen == {danger_by_model.INSTRUCTION, rewriting.INSTRUCTION}
        assert session.history == ()
        list(session.ask("Buy 3 of them, please."))
        assert model.seen == set(INSTRUCTIONS)


def test_what_is_surely_harmless_costs_no_forward_more() -> None:
    model = Judge(lambda text: "It is mercury.", assistant_instruction=None)
    model.odds = 100.0
    assert said_by(answerers_for(model), "Which planet is closest to the sun?") == "It is mercury."
    alone = ScriptedModel(lambda text: "It is mercury.", assistant_instruction=None)
    list(Predictor(alone, with_tools=True).answer("Which planet is closest to the sun?"))  # type: ignore[arg-type]
    assert model.forwards == alone.forwards


@pytest.mark.parametrize(
    ("text", "odds", "refuses"),
    [
        ("Put milk on my shopping list.", requests_by_model.LEAST_LOG_ODDS + 0.1, True),
        ("Give me another word for happy.", requests_by_model.LEAST_LOG_ODDS - 0.1, False),
        ("Could you put milk on my list?", 100.0, False),  # a question may be answered
        ("Milk", 100.0, False),
    ],
)
def test_a_request_for_a_deed_is_promised_by_no_model(text: str, odds: float, refuses: bool) -> None:
    model = Judge(lambda text: "Sure, I can help with that.", assistant_instruction=None, calls_tools=False)
    model.instruction, model.odds = requests_by_model.INSTRUCTION, odds
    said = said_by(answerers_for(model), text)
    assert ("only talk" in said, "Sure" in said) == (refuses, not refuses)
