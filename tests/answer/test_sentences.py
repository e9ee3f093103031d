"""Ends of the sentences of a reply, in several languages, in the whole reply and while it grows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer.sentences import (
    LONGEST,
    SentenceSplitter,
    first_sentence_end,
    is_code,
    sentences_of,
    speakable,
)
from engine.translate.display import units

PLAIN = [
    "Hello there, my friend. | How are you today?",
    "What can I do for you? | Just ask me!",
    "That is wonderful! | Tell me more about it.",
    "It is late, so good night; sleep well: you need it.",
    "I don't know that. | Sorry about it.",
    "no stop at all here",
    "One sentence that is whole.",
    "Really, are you sure?! | I am not so sure.",
]
SHORT = [
    "Yes. I can do that for you. | What else?",
    "Hi! How are you today? | I am well.",
    "No. Not now.",
    "Oh! Oh! Oh! I see what you mean. | Go on, please.",
    "Sure.",
]
ABBREVIATIONS = [
    "Dr. Smith met Mrs. Jones on St. Mary's road. | They spoke.",
    "Call Prof. Miller at noon. | He is there.",
    "We left at 5 p.m. and slept until 6 a.m. today. | Then we rose.",
    "He works for the U.S. government now. | You do not.",
    "I have lived in the U.S. | You have not.",
    "J. R. R. Tolkien wrote it all. | Who else?",
    "Use a tool, e.g. a hammer, for it. | Be careful.",
    "Apples, pears, etc. are all fruit. | Eat them.",
    "He sells apples, pears, etc. | I buy some.",
    "See No. 5 on p. 12 of vol. 3 there. | It is good.",
    "It was made by Apple Inc. and others. | It is old.",
    "The answer is clearly no. | I am sorry.",
    "It was Germany vs. France today. | France won.",
]
NUMBERS = [
    "Pi is 3.14159 or so. | It goes on.",
    "It costs 3.50 dollars a pound. | That is much.",
    "It was built in 1889. | It still stands.",
    "I think that it is 7. The other is 8.",
    "There are about 1.000.000 of them. | Or more.",
    "Version 2.0.1 is the newest one. | Get it.",
    "It will be 25.5 degrees at 3.30 today. | Warm!",
]
NAMES = [
    "Go to example.com for more. | It is free.",
    "Open the file notes.txt now. | Read it.",
    "Use Node.js for that one. | It works.",
    "The page is https://www.bbc.com/news for all. | It is free.",
    "Write to jane.doe@example.com today. | She reads it.",
]
LISTS = [
    "1. Open the window. | 2. Close the door.",
    "There are three steps: 1. Open it all. | 2. Close it again.",
    "Here is a list:\n1. Apples\n2. Pears",
    "- First open it.\n- Then close it.",
    "a) Take a big spoon. | b) Stir it well.",
]
QUOTES = [
    'He said "Stop! Go home." | Then he left.',
    '"Why are you here?" he asked me. | Nobody knew.',
    "“Why are you here?” | “I live here, you know.”",
    "„Warum bist du hier?“ fragte er. | Keiner wusste es.",
    "« Pourquoi es-tu ici ? » | Personne ne le sait.",
    "Warum ist das so? | »Weil es so ist.« | Gut.",
    "It was fun (really, it was.) | And now home.",
    "It's the dogs' dinner. | They're hungry.",
    "She read “War and Peace. Part One” to him. | He slept.",
    "He called it 'the end.' | It was not.",
]
DOTS = [
    "Well... maybe not today. | Let us see.",
    "I wonder what it is... | Then again, no.",
    "Wait a moment… then go on. | Thank you.",
]
OTHER_LANGUAGES = [
    "Ich heiße Earshot. | Was kann ich tun?",
    "Am 3. Oktober ist Feiertag. | Dann ist frei.",
    "Das ist z.B. ein Hund, d.h. ein Tier. | Er bellt.",
    "Im 18. Jahrhundert war das so. | Heute nicht.",
    "Er kam gegen 8 Uhr, ca. 20 Leute waren da. | Gut so.",
    "Je m'appelle Earshot. | Que puis-je faire ?",
    "M. Dupont n'est pas là. | Il dort encore.",
    "Mme. Dupont est partie. | Elle revient.",
    "¿Cómo te llamas, amigo? | ¡Qué bonito nombre!",
    "La Sra. García está aquí. | El Sr. no.",
    "Il signor Rossi è qui. | Va tutto bene.",
    "Меня зовут Иван. | Как тебя зовут?",
    "Mam na imię Jan. | A ty jak masz?",
    "Benim adım Ayşe. | Senin adın ne?",
    "मेरा नाम राम है। | आप कैसे हैं?",
    "اسمي أحمد وأنا هنا. | كيف حالك اليوم؟ | جيد",
    "제 이름은 민수예요. | 반갑습니다!",
]
UNSPACED = [
    "我叫小明。|你好吗？",
    "今天天气很好，我们出去玩。|你来吗？",
    "他说：“你好。”|然后走了。",
    "私の名前は太郎です。|元気ですか？",
    "「どこへ行くの？」|「学校へ行くよ。」",
    "はい。そうです。",
    "圆周率是3.14。|记住了。",
]
LINES = [
    "A heading\nAnd then a text.",
    "First line here\n\nSecond line here",
    "Wait!\nThere is more to say.",
]


def cases() -> list[tuple[str, list[str]]]:
    """Return every text with its sentences, which `|` and ends of lines divide in the tables."""
    found = []
    for text in PLAIN + SHORT + ABBREVIATIONS + NUMBERS + NAMES + LISTS + QUOTES + DOTS + OTHER_LANGUAGES + LINES:
        lines = [line.removeprefix("- ") for line in text.replace(" | ", "\n").splitlines()]
        found.append((text.replace(" | ", " "), [line for line in lines if line]))
    return found + [(text.replace("|", ""), text.split("|")) for text in UNSPACED]


def test_there_are_many_cases() -> None:
    assert len(cases()) >= 60


@pytest.mark.parametrize(("text", "sentences"), cases())
def test_a_whole_reply_is_divided_into_sentences(text: str, sentences: list[str]) -> None:
    splitter = SentenceSplitter()
    assert splitter.add(text) + splitter.finish() == sentences


@pytest.mark.parametrize(("text", "sentences"), cases())
def test_a_reply_that_grows_by_words_is_divided_in_the_same_way(text: str, sentences: list[str]) -> None:
    splitter = SentenceSplitter()
    grown, found = "", []
    for unit in units(text):
        grown += unit
        found += splitter.add(grown)
    assert found + splitter.finish() == sentences


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("I am Earshot.", True),
        ("What is your name?", True),
        ("That is wonderful!", True),
        ("I am Earshot", False),
        ("Yes.", False),
        ("It was in the year 3.", False),
        ("It was built in 1889.", False),
        ("I have met Dr.", False),
        ("I have lived in the U.S.", False),
        ("I wonder what it is...", False),
        ("The page is https://www.", False),
        ("The page is www.", False),
        ("Write to jane@example.", False),
        ('He said "Stop it now.', False),
        ("我叫小明。", True),
        ("好。", False),
        ("A line without a stop\n", True),
        ("1.\n", False),
        ("\n\n", False),
        ("", False),
    ],
)
def test_a_sentence_is_whole_as_soon_as_nothing_can_take_its_end_back(text: str, whole: bool) -> None:
    end = first_sentence_end(text)
    assert (end is not None) is whole
    assert end is None or text[:end].strip() == text.strip()


def test_the_end_of_the_reply_ends_a_sentence_whatever_it_looks_like() -> None:
    for text in ("Yes", "I have met Dr.", 'He said "Stop', "7", "I wonder..."):
        assert first_sentence_end(text) is None
        assert first_sentence_end(text, ended=True) == len(text)
    assert first_sentence_end("", ended=True) is None
    assert first_sentence_end(" \n", ended=True) is None


def test_a_block_of_code_stays_whole_and_as_it_is() -> None:
    code = "```python\nfor name in names:\n    print(name)  # Hello. And bye.\n\n    go()\n```"
    text = f"Here is a loop:\n\n{code}\nIt says hello to everybody."
    assert sentences_of(text) == ("Here is a loop:", code, "It says hello to everybody.")
    assert [is_code(sentence) for sentence in sentences_of(text)] == [False, True, False]
    splitter = SentenceSplitter()
    grown = [sentence for end in range(len(text)) for sentence in splitter.add(text[: end + 1])] + splitter.finish()
    assert tuple(grown) == sentences_of(text)
    assert sentences_of(text[:60])[-1] == text[len("Here is a loop:\n\n") : 60].strip(), "it was never closed"


def test_of_a_reply_that_was_cut_off_an_unfinished_sentence_is_not_given() -> None:
    for rest, kept in (("And then you", []), ("And that is all.", ["And that is all."]), ("", [])):
        splitter = SentenceSplitter()
        found = splitter.add(f"Open the window first. {rest}") + splitter.finish(cut=True)
        assert found == ["Open the window first.", *kept]
        assert splitter.given.strip() == " ".join(["Open the window first.", *kept])
    only = SentenceSplitter()
    only.add("Open the window and then")
    assert only.finish(cut=True) == ["Open the window and then"]


def test_a_mark_that_comes_late_is_not_the_beginning_of_the_next_sentence() -> None:
    splitter = SentenceSplitter()
    assert splitter.add("Are you sure of it?") == ["Are you sure of it?"]
    assert splitter.add("Are you sure of it?!") == []
    assert splitter.add("Are you sure of it?!) I am") == []
    assert splitter.finish() == ["I am"]


def test_a_sentence_without_end_is_cut_at_a_comma_or_a_space_or_anywhere() -> None:
    clause = "this is a part of it, " * 30
    splitter = SentenceSplitter()
    found = splitter.add(clause)
    assert len(found) > 2
    assert all(sentence.endswith("of it,") and len(sentence) <= LONGEST for sentence in found)
    words = SentenceSplitter().add("word " * 100)
    assert words and all(sentence.endswith("word") and len(sentence) <= LONGEST for sentence in words)
    letters = SentenceSplitter().add("a" * 1000)
    assert letters and all(len(sentence) == LONGEST for sentence in letters)
    characters = SentenceSplitter().add("很" * 300)
    assert characters and all(len(sentence) <= LONGEST // 3 for sentence in characters)


@pytest.mark.parametrize("text", ["...", "?!", "😀", "🎉 🎉\n👍🏽", "**", "- \n- ", "— … —", "``` ```"])
def test_a_reply_that_says_nothing_has_no_sentence(text: str) -> None:
    splitter = SentenceSplitter()
    assert splitter.add(text) + splitter.finish() == []


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("**Bold** and *italic* and __strong__ words.", "Bold and italic and strong words."),
        ("## A heading", "A heading"),
        ("- an item", "an item"),
        ("> a quotation", "a quotation"),
        ("Use `ls` here.", "Use ls here."),
        ("See [the page](https://example.com/a) for it.", "See the page for it."),
        ("A snake_case name stays.", "A snake_case name stays."),
        ("Great 😀 thing 👩‍👩‍👧 here ❤️.", "Great thing here ."),
        ("5 * 3 is 15, 2*3 is 6 and 2 - 1 is 1.", "5 * 3 is 15, 2*3 is 6 and 2 - 1 is 1."),
        ("| Earth | **round** | |", "Earth, round"),
        ("|---|:--:|\n| Earth | round |", "Earth, round"),
        ("-----\nA text.", "A text."),
        ("* * *\nA text.", "A text."),
        ("two\nlines  here", "two lines here"),
        ("Earshot™ costs 5 €.", "Earshot™ costs 5 €."),
        ("```python", ""),
        ("1. Open it.", "1. Open it."),
    ],
)
def test_what_goes_to_the_voice_is_without_formatting_and_pictures(written: str, spoken: str) -> None:
    assert speakable(written) == spoken


@given(st.lists(st.sampled_from([*'ab. !?\n"“”„。,*1😀', "word", "Dr.", "... ", ". A"]), max_size=60))
def test_nothing_that_says_something_is_lost_or_said_twice(pieces: list[str]) -> None:
    text = "".join(pieces)
    splitter = SentenceSplitter()
    found, grown = [], ""
    for piece in pieces:
        grown += piece
        found += splitter.add(grown)
    found += splitter.finish()
    letters = [character for sentence in found for character in sentence if character.isalnum()]
    assert "".join(letters) == "".join(character for character in text if character.isalnum())
    assert all(sentence == speakable(sentence) for sentence in found)
