"""The word that is being said is completed as the model expects it, and changes no reply."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.answer.last_word import MOST_TOKENS, whole_word
from engine.answer.predictor import Predictor
from engine.answer.prompt import AnswerPrompt
from engine.language.language_model import LanguageModel
from engine.language.speculative_decoding import Logits, SpeculativeSession
from engine.options import AnswerOptions
from tests.answer.scripted_model import ScriptedModel
from tests.answer.test_predictor import collected, finish, made, run
from tests.plain_decoding import assert_greedy

Scripted = Callable[..., ScriptedModel]
NAME, OTHER = "My name is Earshot. I live here.", "Tell me more. I wonder."
parts = st.sampled_from(["what i", "what is the w", "wie hei", "was ist"])


class Speller:
    """A model of one sentence, letter by letter; `likely` are letters that it would rather write, wherever it is."""

    end_tokens = frozenset({0})
    vocabulary = 128

    def __init__(self, sentence: str, likely: str = "") -> None:
        self._sentence = sentence
        self._likely = likely
        self.forwards = 0

    def new_cache(self) -> _Read:
        return _Read()

    def logits(self, tokens: list[int], cache: _Read, rows: int) -> Logits:
        self.forwards += 1
        cache.tokens += tokens
        row = np.zeros((rows, self.vocabulary), np.float32)
        for place, letter in enumerate(reversed(self._likely), 1):
            row[:, ord(letter)] = 20 + place
        read = self.decode(cache.tokens)
        row[:, ord(self._sentence[len(read)]) if self._sentence.startswith(read) else 0] = 10
        return row

    def encode(self, text: str) -> list[int]:
        return [ord(letter) for letter in text]

    def decode(self, tokens: list[int]) -> str:
        return "".join(map(chr, tokens))


class _Read:
    def __init__(self) -> None:
        self.tokens: list[int] = []

    def trim_to(self, length: int) -> None:
        del self.tokens[length:]


@pytest.mark.parametrize(
    ("said", "likely", "word"),
    [
        (" mo", "", " moon"),
        (" moon", "", " moon"),
        (" m", "", " moon"),
        (" mo", "x", None),  # what is likely is no word that ends
        (" mo", " ", " mo"),  # it takes the word for whole
        (" mo", ".", " mo"),
    ],
)
def test_a_word_is_spelled_by_what_was_said_and_then_by_what_is_likely(said: str, likely: str, word: str) -> None:
    model = Speller("to the moon now", likely)
    session = SpeculativeSession(model)  # type: ignore[arg-type]
    pauses, found = collected(whole_word(model, session, model.encode("to the"), said))  # type: ignore[arg-type]
    assert found == word
    assert len(pauses) == model.forwards <= MOST_TOKENS


def test_a_word_that_is_too_long_is_not_completed() -> None:
    model = Speller("to the elephants")
    session = SpeculativeSession(model)  # type: ignore[arg-type]
    assert finish(whole_word(model, session, model.encode("to the"), " el")) is None  # type: ignore[arg-type]


def test_a_guess_about_a_cut_off_word_is_one_about_the_word(
    scripted_model: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = scripted_model(lambda user: NAME if user.endswith("name") else OTHER)
    predictor = Predictor(model)
    plain = model._row

    def row(read: list[int]) -> Logits:
        logits, text = plain(read), model.decode(read)
        for place, letter in enumerate(" name"):
            if text.endswith(f"your{' name'[:place]}"):
                logits[model.encode(letter)[0]] = 20
        return logits

    monkeypatch.setattr(model, "_row", row)
    model.forwards = 0
    pauses, guess = collected(predictor.guess_unfinished("What is your na"))
    assert guess is not None
    assert (guess.prompt, guess.first_sentence) == ("What is your na", "My name is Earshot.")
    assert guess.forwards == model.forwards == len(pauses)
    assert finish(predictor.guess("What is your name")) is None  # it is known
    answer = finish(predictor.answer("What is your name"))
    assert (answer.premade, answer.speculative_forwards) == (True, guess.forwards)


def test_a_candidate_that_made_way_for_a_wrong_word_comes_back_in_one_forward_more(scripted_model: Scripted) -> None:
    model = scripted_model(lambda user: OTHER if user.endswith("3") else NAME)
    for last_word, forwards in ((True, 2), (False, len(model.encode("My name is Earshot.")))):
        predictor = Predictor(model, AnswerOptions(last_word=last_word), resync=False)
        made(predictor.guess("What is your"))
        made(predictor.guess_unfinished("What is your 3"))
        answer = finish(predictor.answer("What is your name?"))
        assert (answer.text, answer.accepted, answer.forwards_to_first_sentence) == (NAME, 0, forwards)


@pytest.mark.parametrize("text", ["Na", "What is 3.", "", "今日"])
def test_what_is_no_cut_off_word_behind_others_is_taken_as_it_is(scripted_model: Scripted, text: str) -> None:
    model = scripted_model(lambda user: NAME)
    plain, unfinished = Predictor(model), Predictor(model)
    expected, found = finish(plain.guess(text)), finish(unfinished.guess_unfinished(text))
    assert (found and found.tokens) == (expected and expected.tokens)
    assert (found and found.forwards) == (expected and expected.forwards)


def test_without_speculation_nothing_is_completed(scripted_model: Scripted) -> None:
    model = scripted_model(lambda user: NAME)
    predictor = Predictor(model, AnswerOptions(speculate=False))
    model.forwards = 0
    assert finish(predictor.guess_unfinished("What is your na")) is None
    assert model.forwards == 0


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    seed=st.integers(0, 3),
    heard=st.lists(
        st.tuples(
            st.sampled_from(["what i", "what is the w", "wie hei", "was ist"]), st.one_of(st.none(), st.integers(0, 4))
        ),
        max_size=4,
    ),
)
def test_replies_are_those_of_plain_decoding_whatever_words_were_expected(
    random_model: Callable[..., LanguageModel], seed: int, heard: list[tuple[str, int | None]]
) -> None:
    model = random_model(seed)
    options = AnswerOptions(reply_tokens=12, branches=2, last_word=True)
    predictor, layout = Predictor(model, options), AnswerPrompt(model, options)
    for text, pauses in heard:
        run(predictor.guess_unfinished(text), pauses)
    made(predictor.guess("what is the weather"))
    answer = finish(predictor.answer("what is the weather today"))
    assert_greedy(model, layout.tokens((), "what is the weather today"), answer, 12)
