import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import Caption, Word
from engine.translate.source import after, agreed_words, begins_alike, clean, first_part, key_of, surely_heard

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)  # lone surrogates too


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" a\n\tb  ", "a b"),
        ("a\x00b\x1b[31m", "a b [31m"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("\u202eright\u202c \u200fleft", "right left"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d👩\u200d👧 ok", "👩\u200d👩\u200d👧 ok"),
        ("a\ud800b", "ab"),
        ("tag\U000e0041", "tag"),
        ("שלום עולם", "שלום עולם"),
    ],
)
def test_what_cannot_be_seen_is_taken_out_of_a_text(text: str, expected: str) -> None:
    assert clean(text) == expected


@given(ANY_TEXT)
def test_a_clean_text_is_one_line_of_unicode_and_stays_as_it_is(text: str) -> None:
    result = clean(text)
    assert clean(result) == result
    assert len(result.splitlines()) <= 1
    result.encode()


@given(ANY_TEXT, ANY_TEXT)
def test_the_beginning_of_a_text_is_the_beginning_of_the_clean_text(text: str, more: str) -> None:
    assert clean(text + more).startswith(clean(text))


def test_case_and_marks_make_no_new_source_but_words_and_emoji_do() -> None:
    assert key_of("Well, the dog") == key_of("well the dog...")
    assert key_of("the dog") != key_of("the dogs")
    assert key_of("the dog") != key_of("the dog 😀")
    assert key_of("the dog") != key_of("thedog")
    assert key_of("?! ...") == ""


def test_sources_begin_alike_unless_they_were_written_anew() -> None:
    assert begins_alike("the dog", "The dog is here")
    assert begins_alike("th", "the dog")
    assert begins_alike("", "anything")
    assert not begins_alike("the dog", "a dog")


def test_a_text_goes_on_behind_its_beginning_unless_a_word_would_be_split() -> None:
    assert after("the dog is", "the dog") == "is"
    assert after("the dogs", "the dog") is None
    assert after("a cat", "the dog") is None
    assert after("世界は", "世") == "界は"
    assert after("the dog", "the dog") == ""
    assert after("the dog", "") == "the dog"


def at_most(count: int):  # type: ignore[no-untyped-def]
    return lambda text: len(text) <= count


def test_a_long_text_is_cut_behind_its_last_sentence_that_fits() -> None:
    assert first_part("One is. Two is. Three is long", at_most(20)) == "One is. Two is."


def test_a_long_sentence_is_cut_behind_a_clause_and_else_behind_a_word() -> None:
    assert first_part("one two three, four five six", at_most(20)) == "one two three,"
    assert first_part("one two three four five six", at_most(20)) == "one two three four"


def test_a_long_word_is_cut_wherever_it_must_be() -> None:
    assert first_part("a" * 50, at_most(20)) == "a" * 20
    assert first_part("a" * 50, at_most(0)) == "a"
    assert first_part("今日は雨です。明日は晴れです。", at_most(10)) == "今日は雨です。"


@given(st.lists(st.sampled_from(["one", "two,", "three.", "世界", "Dr."]), min_size=1, max_size=30), st.integers(4, 40))
def test_a_text_that_grows_is_cut_at_the_same_place(words: list[str], most: int) -> None:
    text = " ".join(words)
    cut = first_part(text, at_most(most))
    assert text.startswith(cut)
    assert len(cut) <= most
    if len(text) > most:
        assert first_part(text + " and more. And more.", at_most(most)) == cut


def test_two_revisions_agree_about_the_words_before_the_first_that_differs() -> None:
    assert agreed_words("Well, the dog is", "well the dog was") == 3
    assert agreed_words("the dogs", "the dog") == 1
    assert agreed_words("the dog", "") == 0


@pytest.mark.parametrize(
    ("pending", "expected"),
    [
        ([("quite", 0.99), ("sure.", 0.95)], "we are quite sure."),
        ([("quite", 0.99), ("sure.", 0.7)], "we are quite sure"),
        ([("quite", 0.99), ("Sir.", 0.4), ("too", 0.99)], "we are quite"),
        ([], "we are"),
    ],
)
def test_of_pending_words_only_those_before_the_first_doubtful_one_are_translated(
    pending: list[tuple[str, float]], expected: str
) -> None:
    committed = (Word(" we", 0, 1), Word(" are", 1, 2, probability=0.1))
    words = tuple(Word(f" {text}", 2, 3, probability=chance) for text, chance in pending)
    assert surely_heard(Caption(1, 1, 0, 3, committed, words, False, 3, 3)) == expected


def test_a_finished_caption_is_translated_as_it_stands() -> None:
    assert surely_heard(Caption(1, 1, 0, 3, (Word(" Done.", 0, 1, probability=0.1),), (), True, 3, 3)) == "Done."
