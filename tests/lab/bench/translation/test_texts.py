"""Texts that the translation benchmark translates."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

import pytest

from engine.errors import OptionError
from lab.bench.errors import BenchError
from lab.bench.translation.texts import (
    LONG_WORDS,
    TEST_SETS,
    Text,
    growing,
    held_out,
    read_pairs,
    read_set,
    strung_together,
)
from lab.recipes.sentences.spoken import is_dialogue_held_out
from lab.recipes.sentences.text import is_held_out


def grown(text: str, words: int = 3) -> list[tuple[int, str, bool]]:
    (found,) = growing([Text(text, ("x",))], words)
    return [(each.caption, each.source, each.final) for each in found.revisions]


def test_a_text_grows_by_three_words_to_its_end() -> None:
    assert grown("This is an example of it.") == [
        (1, "This is an", False),
        (1, "This is an example of it.", False),
        (1, "This is an example of it.", True),
    ]
    assert grown("Hi.") == [(1, "Hi.", False), (1, "Hi.", True)]


def test_a_text_without_spaces_grows_by_characters() -> None:
    assert grown("我们走吧。", 2)[:2] == [(1, "我们", False), (1, "我们走吧", False)]


def test_a_caption_ends_with_its_sentence_once_the_next_is_certain() -> None:
    assert grown("We are here. Nobody else came.") == [
        (1, "We are here.", False),
        (1, "We are here.", False),
        (2, "Nobody else came.", False),
        (1, "We are here.", True),
        (2, "Nobody else came.", True),
    ]


def test_a_long_sentence_is_divided_where_the_app_divides_it() -> None:
    clause = "and so it went on for a good long while, "
    finals = [source for _, source, final in grown(clause * 6 + "until it ended.") if final]
    assert len(finals) > 1
    assert all(source.endswith(",") for source in finals[:-1])
    assert " ".join(finals) == clause * 6 + "until it ended."


def test_every_revision_of_a_caption_begins_the_next_one() -> None:
    (text,) = growing([Text("one two three four five six seven", ("x",))], 2)
    sources = [each.source for each in text.revisions]
    assert [len(source.split()) for source in sources] == [2, 4, 6, 7, 7]
    assert all(later.startswith(earlier) for earlier, later in pairwise(sources))
    assert text.references == ("x",)
    assert text.source == "one two three four five six seven"


def test_pairs_are_read_with_all_references_and_packed_ones_too(tmp_path: Path) -> None:
    lines = "Hello.\tHallo.\tGuten Tag.\n\nBye.\tTschüss.\nHello.\tHallo.\nHello.\tServus.\n"
    plain, packed = tmp_path / "a.tsv", tmp_path / "a.tsv.gz"
    plain.write_text(lines, encoding="utf-8")
    packed.write_bytes(gzip.compress(lines.encode()))
    expected = [Text("Hello.", ("Hallo.", "Guten Tag.", "Servus.")), Text("Bye.", ("Tschüss.",))]
    assert read_pairs(plain) == read_pairs(packed) == expected


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"Hello.\tHallo.\nBye.\n", "Line 2 of .* must be a source, a tab"),
        (b"\tHallo.\n", "Line 1"),
        (b"Hello.\t\n", "Line 1"),
        (b"\n\n", "holds no sentence"),
        (b"\xff\xfe", "it is not text"),
    ],
)
def test_pairs_that_are_none_are_refused(content: bytes, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(content)
    with pytest.raises(BenchError, match=complaint):
        read_pairs(path)


def test_a_file_that_is_not_there_or_not_packed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="No such file"):
        read_pairs(tmp_path / "a.tsv")
    (tmp_path / "a.tsv.gz").write_text("Hello.\tHallo.\n")
    with pytest.raises(BenchError, match=r"Cannot read .*a\.tsv\.gz"):
        read_pairs(tmp_path / "a.tsv.gz")


def test_short_sentences_are_strung_together_until_there_are_enough_words() -> None:
    sentences = [
        Text("one two three", ("a", "A")),
        Text("four five six seven", ("b",)),
        Text("a sentence that has enough words", ("c",)),
        Text("left over", ("d",)),
    ]
    assert strung_together(sentences, 6) == [
        Text("one two three four five six seven", ("a b", "A b")),
        Text("a sentence that has enough words", ("c",)),
    ]


@pytest.mark.parametrize("target", ["de", "fr", "es"])
def test_the_bundled_texts_are_long_and_held_out(target: str) -> None:
    texts = read_set("bundled", target)
    assert len(texts) == 100
    assert all(len(text.source.split()) >= LONG_WORDS and text.references for text in texts)
    # Texts of one sentence can be checked as they stand.
    alone = [text for text in texts if not any(mark in text.source[:-1] for mark in ".?!")]
    assert alone and all(is_held_out(text.source) for text in alone)


def test_held_out_sources_are_those_of_the_rule_in_an_order_that_is_not_the_files() -> None:
    texts = [Text(f"Sentence number {word}.", ("x",)) for word in map(_in_letters, range(2000))]
    found = held_out(texts)
    assert found and {text.source for text in found} == {t.source for t in texts if is_held_out(t.source)}
    assert held_out(reversed(texts)) == found
    assert held_out([Text(text.source * 20, text.references) for text in found]) == []


def test_a_set_that_is_not_there_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"'tatoeba' has no translations into 'de': .*tatoeba-eng-deu"):
        read_set("tatoeba", "de", tmp_path)
    with pytest.raises(BenchError, match="'bundled' has no translations into 'ja'"):
        read_set("bundled", "ja")
    with pytest.raises(OptionError, match="--set long needs --data"):
        read_set("long", "de")
    with pytest.raises(OptionError, match=", ".join(TEST_SETS)):
        read_set("flores", "de")


def _in_letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def test_sentences_of_talks_are_read_with_the_translation_below_each(tmp_path: Path) -> None:
    file = tmp_path / "text" / "acl6060" / "dev.en-fr.aligned.txt"
    file.parent.mkdir(parents=True)
    file.write_text("Hi, this is Elena.\nBonjour, je m’appelle Elena.\n\nWe released it. \nNous l’avons publié.\n\n\n")
    assert read_set("acl6060", "fr", tmp_path) == [
        Text("Hi, this is Elena.", ("Bonjour, je m’appelle Elena.",)),
        Text("We released it.", ("Nous l’avons publié.",)),
    ]
    file.write_text("Hi.\nBonjour.\n\nWe released it.\n\n")
    with pytest.raises(BenchError, match=r"Group 2 of .*aligned\.txt must be two lines"):
        read_set("acl6060", "fr", tmp_path)
    with pytest.raises(BenchError, match="'acl6060' has no translations into 'de'"):
        read_set("acl6060", "de", tmp_path)


def test_lines_of_dialogues_that_are_held_out_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "text" / "spoken"
    folder.mkdir(parents=True)
    sources = [f"Please bring {a}{b}." for a in "bdfgklmnprst" for b in "aeiouy"]
    with gzip.open(folder / "bcontrast-de.tsv.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(f"{source}\tBitte bringen Sie es.\n" for source in sources)
    found = read_set("dialogue", "de", tmp_path)
    assert {text.source for text in found} == set(filter(is_dialogue_held_out, sources))
    assert found
    with pytest.raises(BenchError, match="'dialogue' has no translations into 'es'"):
        read_set("dialogue", "es", tmp_path)
