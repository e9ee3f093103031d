import math
from dataclasses import replace

import pytest

from engine.events import Hypothesis, Word, text_of
from engine.hear.rounds.guards import judge, loop_start


def heard(text: str, **fields: object) -> Hypothesis:
    probability = math.exp(float(fields.get("average_logprob", 0.0)))  # type: ignore[arg-type]
    words = tuple(Word(f" {part}", i * 0.5, i * 0.5 + 0.5, probability) for i, part in enumerate(text.split()))
    return replace(Hypothesis(words, "en"), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({}, "heard"),
        ({"no_speech_probability": 0.7}, "heard"),
        ({"no_speech_probability": 0.95}, "silence"),
        ({"no_speech_probability": 0.7, "average_logprob": -1.2}, "silence"),
        ({"average_logprob": -1.2}, "discarded"),
        ({"compression_ratio": 2.5}, "discarded"),
        ({"tokens": 87}, "heard"),  # in 4 s
        ({"tokens": 88}, "discarded"),
    ],
)
def test_hypotheses_are_believed_by_their_figures_alone(fields: dict[str, float], verdict: str) -> None:
    assert judge(heard("thanks", **fields), 4.0)[0] == verdict


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"average_logprob": -1.2}, "heard"),
        ({"average_logprob": -1.6}, "discarded"),
        ({"average_logprob": -1.2, "no_speech_probability": 0.3}, "discarded"),
        ({"average_logprob": -1.2, "compression_ratio": 2.5}, "discarded"),
    ],
)
def test_more_doubt_is_borne_where_somebody_spoke_for_the_last_time(fields: dict[str, float], verdict: str) -> None:
    assert judge(heard("thanks", **fields), 4.0, final=True)[0] == verdict


def test_doubtful_words_that_are_committed_already_do_not_discredit_the_newer_ones() -> None:
    doubtful = heard("mumbled words", average_logprob=-1.5)
    clear = (Word(" then", 1.0, 1.5, 0.9), Word(" clear", 1.5, 2.0, 0.9))
    both = replace(doubtful, words=doubtful.words + clear)
    assert judge(both, 4.0, known_until=1.0) == ("heard", both.words)
    assert judge(doubtful, 4.0, known_until=0.5)[0] == "discarded"
    assert judge(doubtful, 4.0, known_until=9.0)[0] == "discarded"


def timed(text: str) -> tuple[Word, ...]:
    """Make words of half a second, but for those with a mark before them: `*` takes no time, `?` is doubtful."""
    words, now = [], 1.0
    for part in text.split():
        end = now + (0.0 if part.startswith("*") else 0.5)
        words.append(Word(f" {part.lstrip('*?')}", now, end, 0.4 if part.startswith("?") else 0.9))
        now = end
    return tuple(words)


@pytest.mark.parametrize(
    ("said", "believed"),
    [
        ("how is it *do *you *want *to", "how is it"),
        ("*tomorrow *is *going *to *be ?back.", ""),
        ("*do *you *want *to know the answer", "know the answer"),
        ("how is *it *going *to *be ?back tomorrow", "how is tomorrow"),
        ("I want *to *be *a teacher", "I want to be a teacher"),  # little words often seem to take no time
    ],
)
def test_words_that_crowd_at_one_moment_are_made_up(said: str, believed: str) -> None:
    verdict, words = judge(replace(heard(""), words=timed(said)), 4.0)
    assert (verdict, text_of(words)) == ("heard" if believed else "discarded", believed)


@pytest.mark.parametrize(
    ("text", "believed"),
    [
        ("I want to want to want to want to talk", "I want to"),
        ("no no no no no no no no", "no"),
        ("Thank you. Thank you, thank you. Thank you", "Thank you."),
        ("well on the other hand on the other hand on the other hand", "well on the other hand"),
    ],
)
def test_of_words_without_end_only_the_first_turn_is_believed(text: str, believed: str) -> None:
    verdict, words = judge(heard(text, compression_ratio=5.0, tokens=220), 4.0)
    assert verdict == "heard"
    assert text_of(words) == believed


@pytest.mark.parametrize(
    "text",
    [
        "The number is five five five, five five five, five five five five. Thank you.",
        "no, no, no, no, no, no, no, no, no, no. I do not want that.",
        "He tried again and again and again and again and again and then he stopped.",
        "Four more years. Four more years. Four more years. Four more years.",
        "one two three four one two three four one two three four one two three four",
    ],
)
@pytest.mark.parametrize("ratio", [1.8, 5.0])
def test_case_repeated_without_pause_is_believed_where_it_takes_time(text: str, ratio: float) -> None:
    said = heard(text, compression_ratio=ratio, tokens=40)
    assert judge(said, 10.0) == ("heard", said.words)


@pytest.mark.parametrize(
    ("said", "believed"),
    [
        (
            "one two three one two three one *two *three *one *two *three *one *two *three",
            "one two three one two three one",
        ),
        ("no no no no *no *no *no *no *no *no *no *no *no *no", "no no no no"),
        (
            "again and again and again and again *and *again *and *again he stopped",
            "again and again and again and again he stopped",
        ),
    ],
)
def test_of_a_loop_what_takes_no_time_is_not_believed(said: str, believed: str) -> None:
    looped = replace(heard("", compression_ratio=3.0, tokens=40), words=timed(said))
    verdict, words = judge(looped, 10.0)
    assert (verdict, text_of(words)) == ("heard", believed)


@pytest.mark.parametrize(
    "text",
    [
        "no no no no no no no",
        "thank you thank you thank you",
        "again and again and again",
        "he said that that was very very good",
        "one two three one two three",
        "",
    ],
)
def test_people_may_repeat_themselves(text: str) -> None:
    assert loop_start(text.split()) is None
    assert judge(heard(text), 4.0)[0] == "heard"


@pytest.mark.parametrize(
    ("said", "believed"),
    [
        ("and then Askkkkkkkkkk not", "and then"),
        ("he cried Nooooo at 10000000000 of them", "he cried Nooooo at 10000000000 of them"),
    ],
)
def test_case_a_decoder_that_is_stuck_on_a_letter_is_not_believed_from_there_on(said: str, believed: str) -> None:
    assert text_of(judge(heard(said), 8.0)[1]).strip() == believed


def test_a_word_of_stuck_letters_alone_is_discarded() -> None:
    assert judge(heard("Askkkkkkkkkk"), 4.0) == ("discarded", ())
