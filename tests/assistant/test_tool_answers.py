"""Answers without the model: requests that are recognised, carried out by the app, and told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.answer.predictor import ChatTurn
from engine.answer.tools.outcomes import Quote, ToolOutcome
from engine.assistant.assistant import AssistantSession
from engine.clock import RealClock
from engine.errors import ModelError
from engine.options import TranslationOptions
from engine.turns import Candidate, Endpoint, Heard, Sentence, ToolCall, Turn
from tests.assistant.test_assistant import Conversation, answer
from tests.assistant.test_safety import WrittenVoice
from tests.scripted_model import ScriptedModel

SUM = "What is twelve percent of eighty?"


def made(model: ScriptedModel | None = None, **options: object) -> AssistantSession:
    return AssistantSession(None, model or ScriptedModel(answer), None, clock=RealClock(), **options)  # type: ignore[arg-type]


def turn_of(session: AssistantSession, text: str) -> Turn:
    *_, turn = session.ask(text)
    assert isinstance(turn, Turn)
    return turn


def test_a_sum_is_answered_without_a_forward_and_remembered() -> None:
    model = ScriptedModel(answer)
    session = made(model)
    turn = turn_of(session, SUM)
    assert (turn.reply, turn.ended, model.forwards) == ("That is 9.6.", "end", 0)
    assert session.history == (ChatTurn(SUM, "That is 9.6."),)


def test_what_only_the_app_can_do_waits_for_what_comes_of_it() -> None:
    session = made(app=True)
    events = list(session.ask("Make the text bigger, please."))
    assert events == [
        Heard(1, 0, "Make the text bigger, please.", final=True),
        ToolCall(1, 0, "text_larger", "en"),
    ]
    assert not session.busy, "there is nothing to do but to wait"
    session.hear_back(1, 1, "en", ToolOutcome("text_smaller"))
    session.hear_back(2, 0, "en", ToolOutcome("text_smaller"))
    assert not session.busy
    session.hear_back(1, 0, "en", ToolOutcome("text_larger"))
    session.hear_back(1, 0, "en", ToolOutcome("text_smaller"))
    *_, turn = drained(session)
    assert isinstance(turn, Turn)
    assert turn.reply == "The text is larger now."


def test_a_request_that_no_phrasing_has_is_known_by_its_meaning() -> None:
    events = list(made(app=True).ask("Give me the gist of the meeting."))
    assert events[-1] == ToolCall(1, 0, "missed", "en")


def drained(session: AssistantSession) -> Iterator[object]:
    while session.busy:
        if (event := session.work()) is not None:
            yield event


def test_another_question_takes_the_place_of_one_that_waits() -> None:
    session = made(app=True)
    list(session.ask("Start captions"))
    events = list(session.ask(SUM))
    assert [each.turn for each in events if isinstance(each, Turn)] == [1, 2]
    session.hear_back(1, 0, "en", ToolOutcome("captions_started"))
    assert list(drained(session)) == []


def test_without_an_app_that_is_said() -> None:
    assert turn_of(made(), "Start captions").reply == "That can only be done in Earshot's window."


def test_danger_comes_before_any_tool() -> None:
    session = made(app=True, region="US")
    events = list(session.ask("Set a timer for five minutes. I want to kill myself."))
    assert not any(isinstance(each, ToolCall) for each in events)
    assert "988" in " ".join(each.text for each in events if isinstance(each, Sentence))


def test_a_request_is_recognised_while_it_is_spoken_and_made_when_the_turn_has_ended() -> None:
    session = Conversation((0.5, "Earshot please start the captions"), voice=WrittenVoice(), app=True)
    kinds = [type(each) for each in session.run().events]
    shown = [each.text for each in session.of(Candidate)]
    assert shown[-1] == "Start captions"
    assert len(session.of(ToolCall)) == 1
    last = len(kinds) - 1 - kinds[::-1].index(Candidate)
    assert last < kinds.index(Endpoint) < kinds.index(ToolCall)


@pytest.mark.parametrize(
    ("said", "silence"),
    [
        ("start the captions", 0.1),
        ("make the text bigger please", 0.1),
        ("set a timer for five minutes please", 0.1),
        ("translate the captions into German", 0.1),
        ("set a timer for five minutes", 0.22),
        ("what is twelve percent of eighty", 0.22),
        ("start captions", 0.1),  # short as it is: its words leave no doubt
        ("remind me in five minutes to call mum", 0.5),  # and the dentist
        ("what did she say about the deadline", 0.5),
        ("larger", 0.5),  # letters
        ("stop captions", 0.5),  # what is said then is lost
        ("undo that", 0.5),
    ],
)
def test_a_spoken_request_is_done_the_sooner_the_less_can_be_missing_from_it(said: str, silence: float) -> None:
    talk = Conversation((0.5, said), seconds=5.0, app=True).run()
    (end,) = talk.of(Endpoint)
    assert end.seconds - end.speech_end == pytest.approx(silence, abs=0.07)


@pytest.mark.parametrize("begun", ["set a timer for five", "translate the captions into", "what is twelve plus"])
def test_what_is_no_whole_request_yet_is_not_done_sooner(begun: str) -> None:
    talk = Conversation((0.5, begun), seconds=5.0, app=True)
    talk.model.complete = lambda text: 0.1
    (end,) = talk.run().of(Endpoint)
    assert end.seconds - end.speech_end > 0.5


def test_a_request_that_goes_on_is_done_anew_as_a_whole() -> None:
    talk = Conversation((0.5, "set a timer for five minutes"), (2.7, "and ten seconds"), seconds=6.0, app=True).run()
    called = [(each.turn, each.revision, each.arguments["seconds"]) for each in talk.of(ToolCall)]
    assert called == [(1, 0, "300"), (1, 1, "310")]


def test_a_spoken_request_is_not_guessed_at_and_is_answered_aloud() -> None:
    voice = WrittenVoice()
    talk = Conversation((0.5, SUM), voice=voice).run()
    (turn,) = talk.of(Turn)
    assert turn.reply == "That is 9.6."
    assert "That is 9.6." in voice.said
    assert talk.of(Candidate)[-1].text == "That is 9.6."
    assert turn.stats.forwards_to_first_sentence == 0


def test_the_last_answer_is_said_again() -> None:
    session = made()
    assert turn_of(session, "Repeat that").reply == "I have not said anything yet."
    turn_of(session, SUM)
    assert turn_of(session, "Can you repeat that, please?").reply == "That is 9.6."


class Words:
    """Translates by naming the language."""

    def __init__(self, target: str) -> None:
        self.target = target

    def steps(self, source: str, *, final: bool) -> Iterator[None]:
        from engine.translate.translator import Translated

        yield None
        return Translated(f"{source.rstrip('.')} ({self.target}).", "", source, True, True)


def words_into(target: str) -> Words:
    if target == "it":
        raise ModelError("There is no such model.")
    return Words(target)


def test_a_few_words_are_translated_and_then_into_another_language() -> None:
    session = made(translate=words_into)
    assert turn_of(session, "Translate 'good night' into French").reply == "Good night (fr)"
    assert turn_of(session, "And in German?").reply == "Good night (de)"
    assert turn_of(session, "and in Italian").reply == (
        "I cannot translate into Italian with the present translation model."
    )


def test_case_the_last_sentence_of_the_captions_is_translated() -> None:
    session = made(translate=words_into, app=True)
    list(session.ask("Translate the last sentence into French"))
    session.hear_back(1, 0, "en", ToolOutcome("last_lines", {"language": "fr"}, (Quote("It is late.", 60.0),)))
    assert "".join(each.text for each in drained(session) if isinstance(each, Sentence)) == "It is late (fr)."


@pytest.mark.parametrize("translate", [None, words_into])
def test_a_language_that_is_not_translated_into_is_named_in_the_language_of_the_request(translate: object) -> None:
    assert turn_of(made(translate=translate), "Wie sagt man 'gute Nacht' auf Italienisch?").reply == (
        "In diese Sprache kann das jetzige Modell nicht übersetzen: Italienisch."
    )


def test_the_starter_translates_a_few_words() -> None:
    from engine.process.loading import load_translation

    _, make = load_translation("starter-language")
    session = made(translate=lambda target: make(TranslationOptions(target=target)).translator)
    reply = turn_of(session, "Translate 'good morning' into German").reply
    assert "orgen" in reply


def test_every_sentence_of_an_outcome_is_a_sentence_of_the_reply() -> None:
    session = made(app=True)
    list(session.ask("Export this as subtitles"))
    session.hear_back(1, 0, "en", ToolOutcome("failed", {"reason": "The disk is full."}))
    sentences = [each.text for each in drained(session) if isinstance(each, Sentence)]
    assert sentences == ["That could not be done.", "The disk is full."]
