"""The assistant that ships: what it answers, that answering ahead changes nothing, and a question by voice."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from app.terminal.cli import main
from engine.answer.predictor import Predictor
from engine.answer.prompt import AnswerPrompt, partial_prompt
from engine.answer.sentences import first_sentence_end
from engine.answer.tools.by_meaning import call_by_meaning
from engine.answer.tools.follow_ups import call_in
from engine.assistant.tool_answers import end_of_turn
from engine.audio.endpoint import needed_silence
from engine.audio.source import read_audio
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.whisper.load import load_hearing_model
from engine.language.language_model import LanguageModel, load_language_model
from engine.language.speculative_decoding import SpeculativeSession
from engine.options import AnswerOptions, DecodeOptions, TurnOptions
from lab.bench.assistant import dialogues
from lab.recipes.assistant.dialogues import Intent, read_dialogues
from tests.app.scripted_hearing import say, write_wav
from tests.toy_models import TOY

T = TypeVar("T")
QUESTION, ANSWER = "What is the capital of France?", "The capital of France is Paris."


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return load_language_model("starter-assistant")


def finish(steps: Generator[object, None, T]) -> T:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: T = end.value
            return value


@pytest.fixture(scope="module")
def questions() -> list[tuple[Intent, bool, str]]:
    return dialogues.questions(read_dialogues(), 60)


def answering(model: LanguageModel, drafts: Mapping[str, str]) -> dialogues.Answering:
    """Answer as `dialogues.answering` does, with the answers to be expected as drafts: a right one is read at once."""
    session, prompt = SpeculativeSession(model), AnswerPrompt(model)

    def enough(tokens: Sequence[int]) -> bool:
        return bool(first_sentence_end(model.decode(tokens)))

    def answer(question: str) -> dialogues.Given:
        draft = model.encode(drafts[question])
        steps = session.steps(
            prompt.tokens((), question), draft, max_tokens=AnswerOptions().reply_tokens, enough=enough
        )
        return dialogues.Given(model.decode(finish(steps).tokens))

    return answer


@pytest.mark.parametrize("spelling", dialogues.SPELLINGS)
def test_most_questions_that_it_was_never_taught_are_answered_rightly(
    model: LanguageModel, questions: list[tuple[Intent, bool, str]], spelling: str
) -> None:
    drafts = {dialogues.spelled(question, spelling): intent.reply for intent, _, question in questions}
    asked = list(dialogues.ask_all(answering(model, drafts), questions, spelling))
    assert (dialogues.share_right(asked) or 0) >= 0.85
    whole = [dialogues.answering(model)(each.question) for each in asked]
    right = sum(
        dialogues.Asked(each.intent, False, "", dialogues.first_sentence(given.text), given.by).right
        for each, given in zip(asked, whole, strict=True)
    )
    assert right / len(asked) >= 0.9


def test_answering_ahead_changes_no_answer_and_saves_forwards(
    model: LanguageModel, questions: list[tuple[Intent, bool, str]]
) -> None:
    plain, ahead = Predictor(model, AnswerOptions(speculate=False)), Predictor(model)
    saved = 0
    for _, _, question in questions[:12]:
        words = question.split()
        for count in range(1, len(words)):
            finish(ahead.guess(partial_prompt(" ".join(words[:count]))))
        expected, found = finish(plain.answer(question)), finish(ahead.answer(question))
        assert found.tokens == expected.tokens
        saved += expected.forwards_to_first_sentence - found.forwards_to_first_sentence
        for predictor in (plain, ahead):
            predictor.restart()
    assert saved > 40


def test_the_end_of_a_question_is_more_probable_than_its_middle(model: LanguageModel) -> None:
    ends = {}
    for text in ("tell me how far is.", "what is the capital of", "what is the capital of France"):
        predictor = Predictor(model)
        finish(predictor.answer(text))
        ends[text] = predictor.end_of_turn
    middle, broken, whole = ends.values()
    assert middle is not None and broken is not None and whole is not None
    assert max(middle, broken) < 0.1 < 0.6 < whole


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("what did they say about the rent", True),
        ("remind me what the lawyer said about the contract", True),
        ("what did they say about the", False),
        ("I missed what they said about", False),
    ],
)
def test_a_request_in_somebodys_own_words_waits_by_how_complete_it_is(
    model: LanguageModel, text: str, complete: bool
) -> None:
    predictor, options = Predictor(model), TurnOptions()
    call = call_in(text, ()) or call_by_meaning(text, (), predictor.classifier)
    assert call is not None and call.ending == "words"
    silence = needed_silence(options, end_of_turn(call, text, predictor))
    assert (silence == options.sure_silence_seconds) is complete
    assert silence <= options.silence_seconds


def test_a_spoken_question_is_answered_aloud_and_heard_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question, reply = write_wav(tmp_path / "question.wav", say(QUESTION).samples), tmp_path / "reply.wav"
    spoken = ["--voice", "espeak", "--audio", str(question), "--speech", str(reply)]  # the toy has heard no other voice
    assert main(["ask", "--model", str(TOY), *spoken, "--json"]) == 0
    *_, turn, _ = map(json.loads, capsys.readouterr().out.splitlines())
    assert turn["reply"] == ANSWER
    recognizer = WhisperRecognizer(load_hearing_model(TOY), DecodeOptions())
    heard = recognizer.hear(read_audio(reply), offset_seconds=0.0, prompt="", language="en").text
    assert heard.strip() == ANSWER
