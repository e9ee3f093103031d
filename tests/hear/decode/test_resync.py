"""A draft offered again where it stopped to hold, corrected by the decoder: the same text, in fewer forwards."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.hear.decode.beam import Greedy, TextCandidate
from engine.hear.decode.decoder import Reader
from engine.hear.decode.multitoken import LIKELIEST, write_ahead
from engine.hear.decode.resync import (
    SKIPPED_LETTER,
    Drafted,
    DraftRemainder,
    TokenSpelling,
    prefix_distances,
    spelling_of,
)
from engine.hear.decode.search import Terms, Written, run_search
from engine.hear.decode.steps import finish
from engine.hear.decode.tokenizer import load_tokenizer
from tests.hear.decode.test_beam import toy_model
from tests.hear.decode.toy_decoder import END, START, Next, ToyDecoder, logits_of

TEXT = tuple(range(2, 16))
VOCABULARY = 20
LIMIT = 20
LETTERS = b"..abcdefghijklmnopqr"
SPELLING = TokenSpelling(lambda token: b" " + LETTERS[token : token + 1], lambda token: True, END)
"""Each token is a word of one letter."""


def writes(text: Sequence[int]) -> Next:
    """Write this text, whatever was written in its place before, and end."""

    def following(written: tuple[int, ...]) -> np.ndarray:
        return logits_of({text[len(written)] if len(written) < len(text) else END: 0.9}, VOCABULARY)

    return following


def plainly(model: Next, limit: int = LIMIT) -> tuple[Written, int]:
    """Write token by token; return the text and the forwards it took."""
    reader = Reader(ToyDecoder(model))
    return finish(run_search(reader, Greedy(END), reader.read([START], [0]), Terms(END, (), limit))), reader.forwards


def drafted(model: Next, left: DraftRemainder, limit: int = LIMIT) -> tuple[Written, int]:
    """Write with the rest of a draft; return the text and the forwards it took."""
    reader = Reader(ToyDecoder(model))
    row, terms = reader.read([START], [0])[0], Terms(END, (), limit)
    return finish(write_ahead(reader, TextCandidate(), row, terms, LIKELIEST, left)), reader.forwards


def test_one_word_that_came_out_otherwise_costs_one_forward_more() -> None:
    found, forwards = drafted(writes(TEXT), DraftRemainder([19, *TEXT[1:]], (), SPELLING))
    assert found.text.tokens == TEXT
    assert forwards <= 3
    assert found.reused_tokens + found.steps == len(TEXT) + 1  # the end is a step, too


@pytest.mark.parametrize("rest", [[19, 18, *TEXT[1:]], TEXT[1:], [19, *TEXT]], ids=["two for one", "lost", "put in"])
def test_what_follows_is_found_again_where_words_came_or_went(rest: list[int]) -> None:
    found, forwards = drafted(writes(TEXT), DraftRemainder(rest, (), SPELLING))
    assert found.text.tokens == TEXT
    assert forwards <= 4 < plainly(writes(TEXT))[1] - 4


def test_all_that_the_first_forward_predicted_is_right_in_the_second() -> None:
    wrong = [19 if place % 3 == 0 else token for place, token in enumerate(TEXT)]
    _, with_letters = drafted(writes(TEXT), DraftRemainder(wrong, (), SPELLING))
    found, with_both = drafted(writes(TEXT), DraftRemainder(wrong, TEXT, SPELLING))
    assert found.text.tokens == TEXT
    assert with_both == 2 < with_letters


class Arbitrary(DraftRemainder):
    """A remainder that believes, replaces and returns as it is told, in turn."""

    def __init__(self, choices: Sequence[int], rest: Sequence[int], predicted: Sequence[int]) -> None:
        self._choices, self._turn = choices or [0], 0
        super().__init__(rest, predicted, SPELLING)

    def _choice(self, most: int) -> int:
        self._turn += 1
        return self._choices[self._turn % len(self._choices)] % (most + 1)

    def _is_believed(self, place: int, block: Sequence[Drafted], predicted: Sequence[int], is_first: bool) -> bool:
        return place < len(predicted) and bool(self._choice(1))

    def _return_of(self, spelt: bytes, rest: Sequence[Drafted]) -> int:
        return self._choice(len(rest))


@given(
    seed=st.integers(0, 300),
    rest=st.lists(st.integers(0, 8), max_size=25),
    predicted=st.lists(st.integers(0, 8), max_size=25),
    choices=st.lists(st.integers(0, 30), max_size=12),
    own_rule=st.booleans(),
    limit=st.integers(1, 18),
)
@settings(max_examples=300)
@example(seed=0, rest=[5, 5], predicted=[4, 4], choices=[1], own_rule=False, limit=9)
def test_whatever_is_drafted_and_however_it_is_corrected_the_text_is_that_of_plain_decoding(
    seed: int, rest: list[int], predicted: list[int], choices: list[int], own_rule: bool, limit: int
) -> None:
    model = toy_model(seed, vocabulary=9, end_bias=-1.5)
    plain, most = plainly(model, limit)
    left = DraftRemainder(rest, predicted, SPELLING) if own_rule else Arbitrary(choices, rest, predicted)
    found, forwards = drafted(model, left, limit)
    assert (found.text.tokens, found.text.has_ended) == (plain.text.tokens, plain.text.has_ended)
    assert found.text.logprobs == pytest.approx(plain.text.logprobs)
    assert found.text.sum_logprob == pytest.approx(plain.text.sum_logprob)
    assert found.steps <= plain.steps - found.reused_tokens
    assert forwards <= min(most, most - found.reused_tokens + 1)


TOKENIZER = load_tokenizer(99, True)
WORDS = spelling_of(TOKENIZER)


def tokens(text: str) -> list[int]:
    return TOKENIZER.encode(text)


def offered(rest: str, predicted: Sequence[int], since: str) -> str:
    """Return what is offered after a difference, where the text went on with `since`."""
    left = DraftRemainder(tokens(rest), predicted, WORDS)
    return TOKENIZER.decode(left.guess(tokens(since), 99))


def test_a_misspelt_word_is_found_by_its_letters() -> None:
    assert offered(" haly said that she would", (), " Hallie") == " said that she would"


def test_what_the_draft_repeats_is_skipped() -> None:
    assert offered(" to to the ditch wall", (), " to the") == " ditch wall"


def test_a_correction_replaces_all_of_what_it_was_drafted_for() -> None:
    rest = tokens(" they") + tokens(" di") + tokens(" log") + tokens(" is over")
    predicted = [*tokens(" she"), *tokens(" dialogue"), *tokens(" and"), *tokens(" is over")]
    left = DraftRemainder(rest, predicted, WORDS)
    assert TOKENIZER.decode(left.guess(tokens(" she"), 99)) == " dialogue is over"


def test_a_mark_that_the_draft_lacks_is_put_in() -> None:
    rest, comma = tokens(" hes well so we go"), tokens(",")
    so = len(tokens(" hes well"))
    predicted = [rest[0], *rest[1:so], comma[0], *rest[so + 1 :]]
    assert offered(" hes well so we go", predicted, " hes") == " well, so we go"


def test_a_prediction_after_a_wrong_token_inside_of_a_word_is_not_believed() -> None:
    rest = [*tokens(" a"), *tokens(" b"), *tokens("ks"), *tokens(" left")]
    predicted = [*tokens(" the"), *tokens(" box"), *tokens("ocks"), *tokens(" left")]
    left = DraftRemainder(rest, predicted, WORDS)
    assert TOKENIZER.decode(left.guess(tokens(" the"), 99)) == " box left"


def test_the_distance_to_each_prefix_is_that_of_a_plain_table() -> None:
    def distance(text: bytes, other: bytes) -> float:
        if not text or not other:
            return len(text) + SKIPPED_LETTER * len(other)
        return min(
            distance(text[:-1], other) + 1,
            distance(text, other[:-1]) + SKIPPED_LETTER,
            distance(text[:-1], other[:-1]) + (text[-1] != other[-1]),
        )

    for text, other in ((b"", b""), (b"ab", b""), (b"", b"abc"), (b"hall", b"haly"), (b"abcd", b"xbcxd")):
        expected = [distance(text, other[:end]) for end in range(len(other) + 1)]
        assert prefix_distances(text, other) == pytest.approx(expected)


def test_words_begin_at_spaces_marks_and_letters_of_scripts_without_spaces() -> None:
    for text, whether in ((" the", True), (",", True), ("the", False), ("é", False), ("日", True), ("7", False)):
        assert WORDS.begins_word(tokens(text)[0]) is whether, text
