import pytest

from engine.events import Word, text_of
from engine.hear.rounds.sentences import ends_segment, ends_sentence, split_entries


def words(text: str, start: float = 0.0, step: float = 0.4) -> list[Word]:
    return [Word(f" {part}", start + i * step, start + (i + 1) * step) for i, part in enumerate(text.split())]


def sentences(text: str) -> list[str]:
    return [text_of(entry) for entry in split_entries(words(text))]


@pytest.mark.parametrize(
    "text",
    [
        "Hello there. | How are you? | Fine!",
        "Dr. Smith met Mrs. Jones on St. Mary's road. | They spoke.",
        "It costs 3.50 a pound. | Pi is 3.14159 or so.",
        "See No. 5 on p. 12 of vol. 3 there. | No. | I will not.",
        "We left at 5 p.m. and slept. | It was 6 a.m. | Then we rose.",
        "He works for the U.S. government. | I live in the U.S. | You do not.",
        "J. R. R. Tolkien wrote it. | It was I. | Who else?",
        "Well... maybe not. | I wonder... | Then he left.",
        "“Stop!” | “Why?” | he asked.",
        "He said (quietly.) | Nothing else.",
        "Apples, pears, etc. are fruit. | He sells apples, etc. | I buy them.",
        "Wait?! | Really?",
        "Go to example.com now. | Do it.",
        "no stop at all here",
    ],
)
def test_english_is_split_into_sentences(text: str) -> None:
    assert sentences(text.replace(" | ", " ")) == text.split(" | ")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (["今日は", "晴れ", "です。", "明日", "は?", "雨"], ["今日は晴れです。", "明日は?", "雨"]),
        (["他说:", "“你好。”", "我走了！", "再见"], ["他说:“你好。”", "我走了！", "再见"]),
        ([" यह", " घर", " है।", " वह", " गया।"], ["यह घर है।", "वह गया।"]),
        ([" هل", " أنت", " هنا؟", " نعم"], ["هل أنت هنا؟", "نعم"]),
    ],
)
def test_other_scripts_have_their_own_full_stops(parts: list[str], expected: list[str]) -> None:
    row = [Word(part, i * 0.4, i * 0.4 + 0.4) for i, part in enumerate(parts)]
    assert [text_of(entry) for entry in split_entries(row)] == expected


def test_a_number_written_on_without_a_space_does_not_end() -> None:
    assert not ends_sentence(Word(" 3.", 0, 1), Word("14", 1, 2))
    assert ends_sentence(Word(" 3.", 0, 1), Word(" Then", 1, 2))
    assert ends_sentence(Word(" 3.", 0, 1))


def test_an_abbreviation_is_no_end_until_the_next_word_says_so() -> None:
    assert not ends_sentence(Word(" etc.", 0, 1))
    assert not ends_sentence(Word(" U.S.", 0, 1))
    assert not ends_sentence(Word(" Mr.", 0, 1))
    assert not ends_sentence(Word(' "', 0, 1))


def test_a_long_pause_splits_without_punctuation() -> None:
    row = [*words("one two"), *words("three four", start=2.4)]
    assert [text_of(entry) for entry in split_entries(row)] == ["one two", "three four"]
    near = [*words("one two"), *words("three four", start=2.2)]
    assert len(split_entries(near)) == 1


def test_a_long_sentence_is_split_at_a_comma_and_at_last_anywhere() -> None:
    text = "word " * 16 + "comma, " + "word " * 10
    first, second = sentences(text)
    assert first.endswith("comma,")
    assert second.startswith("word")
    endless = split_entries(words("word " * 200, step=0.1))
    assert all(sum(len(word.text) for word in entry) <= 160 for entry in endless)
    slow = split_entries(words("word " * 40, step=1.0))
    assert all(entry[-1].end - entry[0].start <= 14 for entry in slow)
    assert sum(len(entry) for entry in endless) == 200


@pytest.mark.parametrize(
    ("text", "pause", "ends"),
    [(" end.", 0.0, True), (" clause,", 0.0, True), (" word", 0.4, False), (" word", 0.5, True)],
)
def test_segments_end_at_sentences_clauses_and_short_pauses(text: str, pause: float, ends: bool) -> None:
    assert ends_segment(Word(text, 0.0, 1.0), Word(" next", 1.0 + pause, 2.0)) is ends
