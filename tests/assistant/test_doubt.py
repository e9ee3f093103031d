"""The starter's answers where it is sure, and what it says where it is not."""

from contextlib import closing

import numpy as np
import pytest

from engine.answer.intents.classifier import Classification
from engine.answer.predictor import LEAST_QUESTION_ODDS, Predictor
from engine.answer.safety.answers import SafetyAnswers
from engine.answer.safety.meaning import starter_danger
from engine.answer.safety.recognition import recognise
from engine.answer.tools.outcomes import ToolOutcome, words_of
from engine.assistant.assistant import AssistantSession
from engine.assistant.doubt import (
    answer_if_sure,
    as_taught,
    is_doubtful,
    known_reply,
    unsure_of,
    without_false_stops,
)
from engine.clock import RealClock
from engine.language.language_model import LanguageModel, load_language_model
from engine.turns import Sentence, Turn
from tests.scripted_model import ASSISTANT, ScriptedModel

UNSURE = "I am not sure what you mean."
UNCLEAR = "I want subtitles on a Twitch stream."
OFFERED = "How do I caption the sound of my computer?"
OFFERED_ANSWER = "Under listen to, choose what this computer plays"


@pytest.fixture(scope="module")
def starter() -> LanguageModel:
    return load_language_model("starter-assistant")


def reply_of(model: LanguageModel, question: str) -> str:
    session = AssistantSession(None, model, None, clock=RealClock())
    events = list(session.ask(question))
    (turn,) = (each for each in events if isinstance(each, Turn))
    assert turn.reply == " ".join(each.text for each in events if isinstance(each, Sentence))
    return turn.reply


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is your name?", "My name is Earshot."),
        ("what is the capital of france", "The capital of France is Paris."),
        ("WHAT IS EARSHOT?", "Earshot is an app for live captions and live translation."),
        ("Good morning", "Good morning to you, I hope you slept well."),
        ("who are you", "My name is Earshot."),
        ("sorry", "No harm done at all."),
    ],
)
def test_what_it_was_taught_it_answers_however_it_is_written(
    starter: LanguageModel, question: str, answer: str
) -> None:
    assert reply_of(starter, question).startswith(answer)


@pytest.mark.parametrize(
    ("question", "going_on", "answer"),
    [
        ("What is the capital of France?", "and of Spain?", "The capital of Spain is Madrid."),
        ("What is the capital of France?", "what about Italy", "The capital of Italy is Rome."),
        ("What is your name?", "and of Spain?", UNSURE),
    ],
)
def test_a_fact_may_be_asked_for_by_what_is_another_than_before(
    starter: LanguageModel, question: str, going_on: str, answer: str
) -> None:
    session = AssistantSession(None, starter, None, clock=RealClock())
    list(session.ask(question))
    (turn,) = (each for each in session.ask(going_on) if isinstance(each, Turn))
    assert turn.reply.startswith(answer)


def test_what_it_may_mean_is_named_and_answered(starter: LanguageModel) -> None:
    assert reply_of(starter, UNCLEAR).startswith(f"{UNSURE} Did you mean “{OFFERED}” {OFFERED_ANSWER}")


def test_yes_takes_nothing_where_nothing_was_offered(starter: LanguageModel) -> None:
    session = AssistantSession(None, starter, None, clock=RealClock())
    list(session.ask("What is your name?"))
    (turn,) = (each for each in session.ask("yes") if isinstance(each, Turn))
    assert turn.reply.startswith("Good, then we agree.")


@pytest.mark.parametrize(
    ("probability", "asked", "answered"), [(0.5, "What is it?", True), (0.3, "What is it?", False), (0.5, "", False)]
)
def test_only_a_question_that_is_likely_is_answered(probability: float, asked: str, answered: bool) -> None:
    first, *others = unsure_of("What is that thing?", Classification("intent", "it", "That.", probability, 0.7, asked))
    assert first == UNSURE
    assert (others == ["Did you mean “What is it?”", "That."]) == answered


@pytest.mark.parametrize(
    "question",
    [
        "My phone is burning!",
        "he says the next time he won't stop",
        "can I take tramadol after three beers",
        "the campfire jumped to the dry grass",
        "my aunt mistook the descaler for water",
    ],
)
def test_case_what_may_speak_of_danger_is_not_taken_for_something_harmless(
    starter: LanguageModel, question: str
) -> None:
    assert recognise(question) is None and starter_danger().recognise(question) is None
    assert reply_of(starter, question) == f"{UNSURE} {SafetyAnswers().in_case('en')}"
    assert known_reply(Predictor(starter), question) in (None, words_of(ToolOutcome("unsure"), "en"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("wer hat die WM 1990 gewonnen?", "Ich bin nicht sicher, was gemeint ist."),
        ("qui est-ce qui a gagné la coupe du monde ?", "Je ne suis pas sûr de comprendre."),
        ("¿quién es el rey de España y por qué?", "No estoy seguro de entender."),
        ("Sing la la la.", "La la la, that was already the best part."),
    ],
)
def test_who_asks_in_another_language_is_told_in_it_that_it_is_not_understood(
    starter: LanguageModel, question: str, answer: str
) -> None:
    assert reply_of(starter, question).startswith(answer)


@pytest.mark.parametrize(
    "question",
    [
        "asdfgh qwerty",
        "Explain quantum entanglement.",
        "Who was the first woman in space?",
        "Compose an engaging travel blog post about a recent trip to Hawaii.",
    ],
)
def test_what_it_would_answer_with_something_else_it_says_it_is_unsure_of(
    starter: LanguageModel, question: str
) -> None:
    assert reply_of(starter, question).startswith(UNSURE)


@pytest.mark.parametrize("question", ["who are you", "asdfgh qwerty", "what is the capital of france"])
def test_whatever_is_answered_it_is_known_how_likely_the_question_has_ended(
    starter: LanguageModel, question: str
) -> None:
    predictor = Predictor(starter)
    with closing(answer_if_sure(predictor, question)) as steps:
        next(steps)
        told = predictor.end_of_turn
    plain = Predictor(starter)
    with closing(plain.answer(question)) as steps:
        next(steps)
    assert told is not None and told == pytest.approx(plain.end_of_turn)


@pytest.mark.parametrize("question", ["What kind of thing? Is a road.", "Let us talk. About the music."])
def test_a_question_that_was_cut_at_a_pause_is_known_to_have_ended(starter: LanguageModel, question: str) -> None:
    predictor = Predictor(starter)
    with closing(answer_if_sure(predictor, question, spoken=True)) as steps:
        next(steps)
        assert predictor.end_of_turn is not None and predictor.end_of_turn > 0.5


def test_what_was_cut_at_a_pause_is_joined() -> None:
    assert without_false_stops("I would like to know. If you like me.") == "I would like to know if you like me."
    assert without_false_stops("Do you know? I am e.g. J. Smith at example.com... Or so.") == (
        "Do you know I am e.g. J. Smith at example.com or so."
    )


def test_who_types_means_the_full_stops(starter: LanguageModel) -> None:
    assert "moo" in reply_of(starter, "My son asked me something. What sound does a cow make?")


def test_a_published_model_says_what_it_writes() -> None:
    model = ScriptedModel(lambda text: "Perhaps it is so.", assistant_instruction=None)
    assert reply_of(model, "Which planet is closest to the sun?") == "Perhaps it is so."  # type: ignore[arg-type]
    alone = ScriptedModel(lambda text: "Perhaps it is so.", assistant_instruction=None)
    assert list(Predictor(alone, with_tools=True).answer("Which planet is closest to the sun?"))  # type: ignore[arg-type]
    assert model.forwards == alone.forwards, "nobody asks it how sure it is"


def test_capitals_are_read_as_letters() -> None:
    assert as_taught("WHAT IS EARSHOT?") == "What is Earshot?"
    assert as_taught("What is NASA?") == "What is NASA?"
    assert as_taught("OK") == "OK"


class Unsure(ScriptedModel):
    """Hardly believes the capitals that it writes, and knows a question without its mark.

    Attributes:
        others: letters that are nearly as likely as each capital.
    """

    others = 8

    def _row(self, read: list[int]) -> np.ndarray:
        row = super()._row(read)
        if read[-1] != ASSISTANT and self.decode(read).endswith("largest"):
            row[self.encode("?")] = row[self.encode(".")] + LEAST_QUESTION_ODDS
        likeliest = int(row.argmax())
        if self.decode([likeliest]).isupper() and self.decode(read).endswith(" "):
            row[likeliest + 1 : likeliest + 1 + self.others] = 29.5
        return row


@pytest.mark.parametrize(
    ("question", "answer", "reply"),
    [
        (
            "Which island is the largest?",
            "The largest island is Cyprus. It is warm.",
            "I do not know that for certain.",
        ),
        ("Which island is the largest?", "The largest island is mild.", "The largest island is mild."),
        ("Is it Cyprus or Crete?", "It is Crete.", "It is Crete."),
        ("Welche Insel ist die größte?", "Das ist die Insel Zypern.", "Das weiß ich nicht sicher."),
        ("Tell me of an island.", "The island is Cyprus.", "The island is Cyprus."),
        ("which island is the largest", "The largest island is Cyprus.", "I do not know that for certain."),
        ("the island is the largest one", "The largest island is Cyprus.", "The largest island is Cyprus."),
    ],
)
def test_a_published_model_says_nothing_that_it_hardly_believes(question: str, answer: str, reply: str) -> None:
    model = Unsure(lambda text: answer, assistant_instruction=None)
    assert reply_of(model, question) == reply  # type: ignore[arg-type]


def test_what_it_hardly_believes_is_not_shown_ahead() -> None:
    model = Unsure(lambda text: "The largest island is Cyprus. It is warm.", assistant_instruction=None)
    predictor = Predictor(model)  # type: ignore[arg-type]
    for _ in predictor.guess("Which island is the largest?"):
        pass
    assert [word for word, _ in predictor.first_sentence_words()] == ["The", "largest", "island", "is", "Cyprus."]
    assert is_doubtful(predictor, "Which island is the largest?")
    assert not is_doubtful(predictor, "Is it Cyprus?")


@pytest.mark.parametrize(
    ("answer", "others", "said"),
    [
        ("It is Cyprus.", 4, False),
        ("It is Cyprus, warm and mild.", 4, True),
        ("It is Cyprus, warm and mild.", 12, False),
    ],
)
def test_of_many_new_words_each_may_be_less_likely(answer: str, others: int, said: bool) -> None:
    model = Unsure(lambda text: answer, assistant_instruction=None)
    model.others = others
    assert (reply_of(model, "Which island is the largest?") == answer) is said  # type: ignore[arg-type]
