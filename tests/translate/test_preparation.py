from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.translate.preparation import PEOPLE, THINGS, prepared
from engine.translate.source import clean

COMMON = frozenset("this is news i know do not touch that really mean it watch out the stop now open please".split())  # noqa: SIM905


def is_common(word: str) -> bool:
    return word in COMMON


@pytest.mark.parametrize(
    ("text", "plain", "pictures"),
    [
        ("THIS IS NEWS. I KNOW, I DO.", "This is news. I know, I do.", ""),
        ("BBC NEWS", "BBC news", ""),
        ("The BBC and ITV", "The BBC and ITV", ""),
        ("ÉCOUTEZ BIEN TOUS", "Écoutez bien tous", ""),
        ("Good 👍🏽 morning 👩‍👩‍👧.", "Good morning.", "👍🏽👩‍👩‍👧"),
        ("😀", "", "😀"),
        ("Click the check mark ✓ now.", "Click the check mark now.", "✓"),
        ("Go to File → Export.", "Go to File Export.", "→"),
        ("It was ★★★★, ♪ and all.", "It was, and all.", "★★★★♪"),
        ("It is 20 °C, or ⌘ or ①, by Earshot™.", "It is 20 °C, or ⌘ or ①, by Earshot™.", ""),
        ("Earshot™ at 5 €", "Earshot™ at 5 €", ""),
        ("I REALLY mean it.", "I really mean it.", ""),
        ("STOP!", "Stop!", ""),
        ("DO NOT touch that.", "Do not touch that.", ""),
        ("The US and NASA", "The US and NASA", ""),
    ],
)
def test_capitals_become_common_spelling_and_pictures_stand_by_themselves(text: str, plain: str, pictures: str) -> None:
    found = prepared(text, is_common)
    assert (found.text, found.pictures) == (plain, pictures)


@pytest.mark.parametrize(
    "copied",
    [
        "https://example.org/path?id=42&x=1",
        "www.example.org",
        "anna.example@mail.example.org",
        "/home/user/docs/report_v2.pdf",
        "~/notes.txt",
        "C:\\Users\\anna",
        "{name}",
        "%d",
        "%(count)s",
        "${HOME}",
        "<b>bold</b>",
        "`git",
        "--verbose",
        "user_id",
        "MAX_SIZE",
        "parseInt()",
        "GitHub",
        "v2.10.3",
        "@anna_k",
        "#teamday",
        "#1",
        "#123",
        "B12-34",
        "example.com",
    ],
)
def test_what_no_small_model_copies_is_replaced_by_a_name_and_put_back(copied: str) -> None:
    found = prepared(f"Please open {copied}, now.", is_common)
    assert found.text == f"Please open {THINGS[0]}, now."
    assert found.restored(f"Öffne bitte {THINGS[0]} jetzt.") == f"Öffne bitte {copied} jetzt."


@pytest.mark.parametrize("text", ["It is well-known.", "He left at 9:30.", "and/or", "e.g. this", "Hi. There", "a - b"])
def test_common_words_and_numbers_stay_as_they_are(text: str) -> None:
    assert prepared(text, is_common).text == text


def test_a_name_that_the_source_has_stands_in_for_nothing() -> None:
    found = prepared("Google or www.example.org", is_common)
    assert found.text == f"Google or {THINGS[1]}"
    assert found.restored(f"Google oder {THINGS[1]}") == "Google oder www.example.org"


def test_a_surname_behind_its_title_is_replaced_wherever_it_stands() -> None:
    found = prepared("Mrs. Okonkwo is here. Ask Okonkwo.", is_common)
    assert found.text == f"Mrs. {PEOPLE[0]} is here. Ask {PEOPLE[0]}."
    assert found.restored(f"Frau {PEOPLE[0]} ist da.") == "Frau Okonkwo ist da."


def test_a_line_in_capitals_is_translated_in_capitals_but_for_what_is_copied() -> None:
    found = prepared("OPEN www.example.org NOW", is_common)
    assert found.text == f"Open {THINGS[0]} now"
    assert found.restored(f"Öffne jetzt {THINGS[0]}") == "ÖFFNE JETZT www.example.org"


def test_a_translation_begins_with_a_capital_where_its_source_does() -> None:
    assert prepared("I know.", is_common).restored("¿eu sei?") == "¿Eu sei?"
    assert prepared("iPhone and I", is_common).restored(f"{THINGS[0]} e eu") == "iPhone e eu"
    assert prepared("and I", is_common).restored("e eu") == "e eu"


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("Twenty people came.", "20 personas vinieron."),
        ("30 Leute kamen.", "30 people came."),
        ("In the evening we eat.", "'s avonds eten we."),
        ("In the evening we eat.", "’s avonds eten we."),
        ("It is cold.", "ცივა."),  # Georgian has capitals for whole lines alone
    ],
)
def test_what_no_capital_belongs_to_stays_as_it_is(source: str, translation: str) -> None:
    assert prepared(source, is_common).restored(translation) == translation


def test_the_capital_of_a_dotted_letter_keeps_its_dot_where_the_language_has_both() -> None:
    ready = replace(prepared("It is her work.", is_common), dotted=True)
    assert ready.restored("iş onun.") == "İş onun."
    assert ready.restored("ışık var.") == "Işık var."
    loud = replace(prepared("COME HERE NOW!", is_common), dotted=True)
    assert loud.restored("izin ılık.") == "İZİN ILIK."


def test_a_quotation_begins_with_a_capital() -> None:
    assert prepared("'Yes', he said.", is_common).restored("'sim', disse ele.") == "'Sim', disse ele."


def test_other_names_stand_in_where_the_first_ones_were_not_copied() -> None:
    found = prepared("See www.example.org", is_common, others=1)
    assert found.text == f"See {THINGS[1]}"


def test_numbers_are_replaced_only_where_they_stand_alone() -> None:
    found = prepared("2 of 20 at 9:30", is_common).with_numbers((("47", "2"),), (("47", "2"),))
    assert found.text == "47 of 20 at 9:30"
    assert found.restored("47 von 20 um 9:30") == "2 von 20 um 9:30"


WORDS = st.lists(
    st.sampled_from(["open", "www.a.org", "{x}", "a@b.org", "THE", "9:30", "😀", "Mr.", "Ott"]), max_size=8
)


@given(WORDS)
def test_a_copy_of_what_the_model_reads_is_the_source_again(words: list[str]) -> None:
    text = " ".join(word for word in words if word != "THE")
    found = prepared(text, is_common)
    assert found.restored(found.text) == clean(text.replace("😀", ""))


@given(WORDS, WORDS)
def test_the_beginning_of_a_source_is_prepared_like_the_whole(words: list[str], more: list[str]) -> None:
    begun = prepared(" ".join([*words, "open"]), is_common)
    whole = prepared(" ".join([*words, "open", *more]), is_common)
    spare = len(begun.stand_ins) + len(whole.stand_ins) < len(PEOPLE)
    if spare and "THE" not in words and not {"Mr.", "Ott"} & {*words, *more}:
        assert whole.text.startswith(begun.text)
