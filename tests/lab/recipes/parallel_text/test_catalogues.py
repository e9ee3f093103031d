"""Messages of catalogues, in the three forms that packages have."""

from __future__ import annotations

import struct

import pytest

from lab.recipes.parallel_text.catalogues import catalogue_pairs, read_mo, read_po, read_qm
from lab.recipes.parallel_text.packages import PackageError
from lab.recipes.sentences.pairs import Pair


def mo(messages: dict[str, str], order: str = "<") -> bytes:
    """Compile a catalogue as msgfmt does."""
    count = len(messages)
    texts = [text.encode() for side in (messages.keys(), messages.values()) for text in side]
    at, table = 28 + 16 * count, b""
    for text in texts:
        table += struct.pack(f"{order}2I", len(text), at)
        at += len(text) + 1
    head = struct.pack(f"{order}7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0)
    return head + table + b"".join(text + b"\0" for text in texts)


def qm(messages: dict[str, str]) -> bytes:
    """Compile a catalogue as lrelease does, with the English in it."""
    parts = b""
    for english, other in messages.items():
        said, written = english.encode(), other.encode("utf-16-be")
        parts += b"\3" + struct.pack(">I", len(written)) + written + b"\7" + struct.pack(">I", 3) + b"App"
        parts += b"\6" + struct.pack(">I", len(said)) + said + b"\1"
    section = b"\x42" + struct.pack(">I", 4) + b"hash"
    return bytes.fromhex("3cb86418caef9c95cd211cbf60a1bddd") + section + b"\x69" + struct.pack(">I", len(parts)) + parts


MESSAGES = {
    "": "Content-Type: text/plain; charset=UTF-8\n",
    "Run for your life!": "Lauf um dein Leben!",
    "menu\4Open it": "Öffnen",
    "One fish\0Many fish": "Ein Fisch\0Viele Fische",
}
READ = [Pair("Run for your life!", "Lauf um dein Leben!"), Pair("Open it", "Öffnen"), Pair("One fish", "Ein Fisch")]


@pytest.mark.parametrize("order", ["<", ">"])
def test_compiled_messages_are_read_without_context_and_plural(order: str) -> None:
    assert list(read_mo(mo(MESSAGES, order))) == READ


def test_messages_that_are_not_compiled_are_read_but_for_doubtful_ones() -> None:
    text = (
        'msgid ""\nmsgstr "Content-Type: text/plain\\n"\n\n'
        '#: a.c:1\nmsgid "Run for "\n"your life!"\nmsgstr ""\n"Lauf um dein Leben!"\n\n'
        '#, fuzzy\nmsgid "Old"\nmsgstr "Neu"\n\n#~ msgid "Gone"\n#~ msgstr "Weg"\n\nmsgid "Empty"\nmsgstr ""\n'
    )
    assert list(read_po(text.encode())) == READ[:1]
    damaged = 'msgid "cut \\x"\nmsgstr "ab"\n\n'
    assert list(read_po((damaged + text).encode())) == READ[:1]


def test_messages_of_qt_are_read_where_their_english_is_there() -> None:
    messages = {"Run for your life!": "Lauf um dein Leben!", "One fish": "Ein Fisch", "": "Ohne"}
    assert list(read_qm(qm(messages))) == [READ[0], READ[2]]
    assert list(read_qm(b"something else")) == []


def test_the_catalogues_of_one_language_are_read() -> None:
    files = {
        "usr/share/locale/de/LC_MESSAGES/a.mo": mo({"A fish": "Ein Fisch"}),
        "usr/share/locale/de_DE/LC_MESSAGES/b.mo": mo({"A cat": "Eine Katze"}),
        "usr/share/locale/nds/LC_MESSAGES/a.mo": mo({"A fish": "En Fisch"}),
        "usr/share/game/locale/de.po": b'msgid "A dog"\nmsgstr "Ein Hund"\n',
        "usr/share/game/translations/game_de.qm": qm({"A bird": "Ein Vogel"}),
        "usr/share/game/translations/game_fr.qm": qm({"A bird": "Un oiseau"}),
    }
    read = {pair.source: pair.target for pair in catalogue_pairs(files, "de")}
    assert read == {"A fish": "Ein Fisch", "A cat": "Eine Katze", "A dog": "Ein Hund", "A bird": "Ein Vogel"}


def test_a_catalogue_that_is_cut_off_is_named() -> None:
    whole = mo(MESSAGES)
    with pytest.raises(PackageError, match=r"a\.mo is no catalogue"):
        list(catalogue_pairs({"usr/share/locale/de/LC_MESSAGES/a.mo": whole[:60]}, "de"))
