"""Text to tokens and back, and tokens to words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hear.decode.tokenizer import Tokenizer, load_tokenizer
from tests.hear.reference import mlx_whisper

MULTILINGUAL, HUNDRED, ENGLISH = (99, True), (100, True), (99, False)
ANY_TEXT = st.text(st.characters(exclude_categories=[]))  # lone surrogates included
SENTENCES = (
    "Hello, world! It's 3.50 dollars; isn't it?",
    " Ask not what your country can do for you.",
    "Grüße aus München, ça va ? ¿Qué tal?",
    "これは日本語の文です。今日は、良い天気ですね。",
    "他说：你好，世界！👩‍👩‍👧‍👦 and 🎉",
    "สวัสดีครับ Привет мир שלום",
)


@pytest.fixture(params=[MULTILINGUAL, HUNDRED, ENGLISH], ids=["99 languages", "100 languages", "English"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return load_tokenizer(*request.param)


@pytest.fixture
def multilingual() -> Tokenizer:
    return load_tokenizer(*MULTILINGUAL)


@pytest.mark.parametrize("kind", [MULTILINGUAL, HUNDRED, ENGLISH])
@given(text=ANY_TEXT)
def test_any_text_survives_the_round_trip(kind: tuple[int, bool], text: str) -> None:
    tokenizer = load_tokenizer(*kind)
    tokens = tokenizer.encode(text)
    assert all(token < tokenizer.eot for token in tokens)
    assert tokenizer.decode(tokens) == text.encode("utf-8", "replace").decode("utf-8")


def test_names_of_special_tokens_in_a_text_are_text(tokenizer: Tokenizer) -> None:
    text = "He wrote <|endoftext|> and <|0.00|>."
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_tokens_are_those_of_mlx_whisper(multilingual: Tokenizer) -> None:
    reference = mlx_whisper("tokenizer").get_tokenizer(True, num_languages=99, language="en", task="transcribe")
    for text in SENTENCES:
        assert multilingual.encode(text) == reference.encode(text)
    assert multilingual.sot_sequence("en") == reference.sot_sequence_including_notimestamps
    german = (multilingual.sot, multilingual.language_token("de"), multilingual.translate, multilingual.no_timestamps)
    assert multilingual.sot_sequence("de", into_english=True) == german
    assert multilingual.non_speech_tokens == reference.non_speech_tokens
    assert set(multilingual.all_language_tokens) == set(reference.all_language_tokens)


def test_special_tokens_are_where_they_were_published() -> None:
    facts = {
        kind: (t.eot, t.sot, t.translate, t.transcribe, t.sot_prev, t.no_speech, t.no_timestamps, t.timestamp_begin)
        for kind in (MULTILINGUAL, HUNDRED, ENGLISH)
        for t in [load_tokenizer(*kind)]
    }
    assert facts == {
        MULTILINGUAL: (50257, 50258, 50358, 50359, 50361, 50362, 50363, 50364),
        HUNDRED: (50257, 50258, 50359, 50360, 50362, 50363, 50364, 50365),
        ENGLISH: (50256, 50257, 50357, 50358, 50360, 50361, 50362, 50363),
    }
    assert [load_tokenizer(*kind).n_vocab for kind in (MULTILINGUAL, HUNDRED, ENGLISH)] == [51865, 51866, 51864]


def test_languages_are_those_of_the_vocabulary(multilingual: Tokenizer) -> None:
    assert multilingual.language_token("en") == 50259
    assert multilingual.language_token("su") == multilingual.all_language_tokens[-1] == 50357
    assert load_tokenizer(*HUNDRED).all_language_codes[-1] == "yue"
    with pytest.raises(ValueError, match=r"language must be one of en, zh, .*, not 'yue'"):
        multilingual.language_token("yue")


def test_a_transcription_starts_with_language_and_task_where_a_model_knows_them(multilingual: Tokenizer) -> None:
    assert multilingual.sot_sequence("de") == (50258, 50261, 50359, 50363)
    assert load_tokenizer(*ENGLISH).sot_sequence(None) == (50257, 50362)


def test_timestamps_are_told_from_text(multilingual: Tokenizer) -> None:
    assert [multilingual.is_timestamp(token) for token in (50363, 50364, 51864)] == [False, True, True]
    assert [multilingual.is_special(token) for token in (0, 50256, 50257, 50364)] == [False, False, True, True]


def test_special_tokens_and_times_say_nothing(tokenizer: Tokenizer) -> None:
    spoken = tokenizer.encode(" Hello.")
    tokens = [*tokenizer.sot_sequence("en"), tokenizer.timestamp_begin, *spoken, tokenizer.timestamp_begin + 50]
    assert tokenizer.decode([*tokens, tokenizer.eot]) == " Hello."


def test_brackets_notes_and_prompt_tokens_are_suppressed_but_punctuation_is_not(tokenizer: Tokenizer) -> None:
    suppressed = set(tokenizer.suppressed_tokens)
    for text in ("(", " [", "♪♪", " -"):
        assert tokenizer.encode(text)[0] in suppressed
    for text in (".", ",", "?", "!", "'", " A"):
        assert tokenizer.encode(text)[0] not in suppressed
    assert {tokenizer.sot, tokenizer.sot_prev, tokenizer.no_speech, tokenizer.transcribe} <= suppressed
    assert tokenizer.eot not in suppressed
    assert tokenizer.blank_tokens == (*tokenizer.encode(" "), tokenizer.eot)


@pytest.mark.parametrize("language", ["en", "de", "ja", "zh", "th"])
def test_words_are_those_of_mlx_whisper(multilingual: Tokenizer, language: str) -> None:
    reference = mlx_whisper("tokenizer").get_tokenizer(True, num_languages=99, language=language, task="transcribe")
    for text in SENTENCES:
        tokens = [*multilingual.encode(text), multilingual.eot]
        assert multilingual.split_to_words(tokens, language) == reference.split_to_word_tokens(tokens)


@given(text=ANY_TEXT, language=st.sampled_from(["en", "ja", None]))
def test_words_joined_are_the_text_and_their_tokens_the_tokens(text: str, language: str | None) -> None:
    tokenizer = load_tokenizer(*MULTILINGUAL)
    tokens = tokenizer.encode(text)
    words, groups = tokenizer.split_to_words(tokens, language)
    assert "".join(words) == tokenizer.decode(tokens)
    assert [token for group in groups for token in group] == tokens
    assert all(groups)


@given(tokens=st.lists(st.integers(0, 50256), max_size=30))
def test_any_tokens_split_into_words_that_join_to_their_text(tokens: list[int]) -> None:
    tokenizer = load_tokenizer(*MULTILINGUAL)
    words, groups = tokenizer.split_to_words(tokens)
    assert "".join(words) == tokenizer.decode(tokens)
    assert [token for group in groups for token in group] == tokens


def test_a_character_cut_in_half_waits_for_its_other_half(multilingual: Tokenizer) -> None:
    tokens = multilingual.encode(" 龘龘")
    assert len(tokens) > 2
    words, groups = multilingual.split_to_words(tokens, "zh")
    assert "�" not in "".join(words)
    assert multilingual.split_to_words(tokens[:-1], "zh")[0][-1].endswith("�")
    assert sum(map(len, groups)) == len(tokens)


def test_a_tokenizer_is_made_once() -> None:
    assert load_tokenizer(99, True) is load_tokenizer(99, True)
