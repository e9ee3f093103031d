from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from engine.errors import ModelError
from engine.hear.decode.byte_pairs import BytePairs
from tests.random_speech_llama import BEGIN, END, byte_tokenizer


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    byte_tokenizer().save(str(path))
    return path


@pytest.fixture(scope="module")
def tokenizer(file: Path) -> BytePairs:
    return BytePairs(file, BEGIN, END)


@given(text=st.text(max_size=40))
def test_any_text_comes_back(tokenizer: BytePairs, text: str) -> None:
    well_formed = text.encode("utf-8", "replace").decode()
    tokens = tokenizer.encode(text)
    assert tokenizer.decode(tokens) == well_formed
    assert not any(map(tokenizer.is_special, tokens))
    assert b"".join(map(tokenizer.token_bytes, tokens)) == well_formed.encode()
    words, groups = tokenizer.split_to_words(tokens, "en")
    assert "".join(words) == well_formed
    assert [token for group in groups for token in group] == tokens


def test_tokens_and_text_are_those_of_the_library(tokenizer: BytePairs, file: Path) -> None:
    library = Tokenizer.from_file(str(file))
    text = " a bright day, 23 °C – and ça va…"
    assert tokenizer.encode(text) == library.encode(text).ids
    assert tokenizer.decode(tokenizer.encode(text)) == library.decode(library.encode(text).ids)
    assert any(len(tokenizer.token_bytes(token)) > 1 for token in tokenizer.encode(text))


def test_the_names_of_special_tokens_are_ordinary_text(tokenizer: BytePairs) -> None:
    tokens = tokenizer.encode(" <|end|> of <|begin|>")
    assert not any(map(tokenizer.is_special, tokens))
    assert tokenizer.decode(tokens) == " <|end|> of <|begin|>"


def test_special_tokens_say_nothing(tokenizer: BytePairs) -> None:
    assert (tokenizer.begin, tokenizer.eot, tokenizer.no_speech) == (BEGIN, END, END)
    assert tokenizer.special_tokens == (END, BEGIN) and tokenizer.sot_sequence() == (BEGIN,)
    tokens = tokenizer.encode(" now")
    assert tokenizer.decode([BEGIN, *tokens, END]) == " now"
    assert tokenizer.split_to_words([*tokens, END])[0] == [" now", "<|end|>"]


def test_words_begin_at_spaces_and_marks_stand_alone(tokenizer: BytePairs) -> None:
    words, _ = tokenizer.split_to_words(tokenizer.encode(" We met late, ça va?"))
    assert words == [" We", " met", " late", ",", " ça", " va", "?"]
    unspaced, _ = tokenizer.split_to_words(tokenizer.encode("世界"), "zh")
    assert unspaced == ["世", "界"]


def test_a_cut_character_says_that_it_is_cut(tokenizer: BytePairs) -> None:
    assert tokenizer.decode(tokenizer.encode("é")[:1]) == "\ufffd"


def test_what_is_no_tokenizer_of_byte_pairs_is_refused(tmp_path: Path, file: Path) -> None:
    with pytest.raises(ModelError, match=r"has no tokenizer\.json"):
        BytePairs(tmp_path / "tokenizer.json", BEGIN, END)
    damaged = tmp_path / "tokenizer.json"
    damaged.write_text(file.read_text()[:1000])
    with pytest.raises(ModelError, match="is damaged"):
        BytePairs(damaged, BEGIN, END)
    damaged.write_text(file.read_text().replace('"Ā"', '"世"'))
    with pytest.raises(ModelError, match="'世' stands for no byte"):
        BytePairs(damaged, BEGIN, END)
    with pytest.raises(ModelError, match="do not belong together"):
        BytePairs(file, BEGIN, 310)
