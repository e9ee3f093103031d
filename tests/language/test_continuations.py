"""Likely continuations of answers: they change how many forwards an answer takes, and never what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from engine.errors import ModelError
from engine.language.continuations import FILE, MOST_TOKENS, Continuations, key_of
from engine.language.language_model import LanguageModel, load_language_model
from engine.language.speculative_decoding import Speculation, SpeculationOptions, SpeculativeSession
from tests.language_models import write_language_model
from tests.plain_decoding import assert_greedy

Likeliest = Mapping[tuple[int, ...], tuple[int, float]]
PROMPT = [1, 40, 41, 42, 0, 2, 50, 51, 0, 3]


def columns(likeliest: Likeliest) -> dict[str, np.ndarray]:
    rows = sorted((key_of(context), token, round(255 * chance)) for context, (token, chance) in likeliest.items())
    keys, tokens, chances = zip(*rows, strict=True)
    return {
        "keys": np.array(keys, np.uint32),
        "tokens": np.array(tokens, np.uint16),
        "chances": np.array(chances, np.uint8),
    }


def table(likeliest: Likeliest, ends: Sequence[int] = ()) -> Continuations:
    return Continuations(**columns(likeliest), ends=ends)


def after_each(answer: Sequence[int], chance: float = 1.0) -> Likeliest:
    """Map each three tokens of an answer to the one that comes behind them."""
    row = [PROMPT[-1], *answer]
    return {tuple(row[max(0, i - 3) : i]): (row[i], chance) for i in range(1, len(row))}


def answer(model: LanguageModel, draft: Sequence[int] = (), **options: bool) -> Speculation:
    session = SpeculativeSession(model, replace(SpeculationOptions(), **options))
    result = session.update(PROMPT, draft, max_tokens=24)
    assert result is not None
    assert session.tokens[: len(PROMPT)] == tuple(PROMPT)
    return result


@pytest.fixture
def model(tmp_path: Path) -> LanguageModel:
    made = load_language_model(write_language_model(tmp_path))
    made.end_tokens = frozenset(range(0, 320, 23))
    return made


def test_the_longest_known_context_speaks() -> None:
    likely = table({(5,): (6, 0.9), (4, 5): (7, 0.9), (3, 4, 5): (8, 0.9)})
    assert likely.after([5], 1) == [6]
    assert likely.after([9, 4, 5], 1) == [7]
    assert likely.after([2, 3, 4, 5], 1) == [8]
    assert likely.after([5, 9], 1) == []
    assert likely.after([], 1) == []


def test_a_chain_ends_where_it_is_long_or_unlikely_or_the_answer_ends() -> None:
    chain = {(n,): (n + 1, 1.0) for n in range(1, 9)}
    assert table(chain).after([1], 9) == [2, 3, 4][:MOST_TOKENS]
    assert table(chain).after([1], 2) == [2, 3]
    assert table(chain).after([1], 0) == []
    assert table(chain, ends=[3]).after([1], 9) == [2]
    halves = {(n,): (n + 1, 0.4) for n in range(1, 9)}
    assert table(halves).after([1], 9) == [2]  # 0.16 for two
    assert table({(1,): (2, 0.1)}).after([1], 9) == []


def test_what_holds_saves_forwards_and_what_does_not_changes_nothing(model: LanguageModel) -> None:
    plain = answer(model)
    assert len(plain.tokens) > 8
    model.continuations = table(after_each(plain.tokens), model.end_tokens)
    ahead = answer(model, look_ahead=True)
    assert_greedy(model, PROMPT, ahead, 24)
    assert ahead.tokens == plain.tokens
    assert ahead.forwards < plain.forwards / 2
    assert (ahead.resync_drafted, ahead.resync_accepted) == (0, 0)
    assert answer(model).forwards == plain.forwards
    model.continuations = table({(token,): (7, 1.0) for token in range(320)}, model.end_tokens)
    misled = answer(model, look_ahead=True)
    assert_greedy(model, PROMPT, misled, 24)
    assert misled.tokens == plain.tokens


@pytest.mark.parametrize("place", [1, 3, 6])
def test_the_rest_of_a_draft_comes_first_and_is_found_back_to(model: LanguageModel, place: int) -> None:
    plain = answer(model)
    draft = [*plain.tokens[:place], 7, *plain.tokens[place + 1 :]]
    model.continuations = table(after_each(plain.tokens), model.end_tokens)
    ahead = answer(model, draft, look_ahead=True)
    assert_greedy(model, PROMPT, ahead, 24)
    assert ahead.tokens == plain.tokens
    assert ahead.resync_accepted
    assert ahead.forwards <= answer(model, draft).forwards


def test_a_model_brings_its_table_along(tmp_path: Path) -> None:
    write_language_model(tmp_path)
    assert load_language_model(tmp_path).continuations is None
    save_file(columns({(3,): (40, 1.0), (40,): (0, 1.0)}), tmp_path / FILE)
    found = load_language_model(tmp_path).continuations
    assert found is not None
    assert found.after([3], 3) == [40]  # 0 ends its answers


@pytest.mark.parametrize("harm", ["cut", "column", "kind", "length", "order", "tokens"])
def test_a_damaged_table_is_said_to_be_one(tmp_path: Path, harm: str) -> None:
    write_language_model(tmp_path)
    whole = columns({(n,): (n + 1, 1.0) for n in range(40)})
    if harm == "column":
        del whole["chances"]
    elif harm == "kind":
        whole["tokens"] = whole["tokens"].astype(np.int64)
    elif harm == "length":
        whole["tokens"] = whole["tokens"][1:].copy()
    elif harm == "order":
        whole["keys"] = whole["keys"][::-1].copy()
    elif harm == "tokens":
        whole["tokens"][3] = 320
    path = tmp_path / FILE
    save_file(whole, path)
    if harm == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(
        ModelError, match=r"continuations\.safetensors (is damaged|is cut off|belongs to another model)"
    ):
        load_language_model(tmp_path)
