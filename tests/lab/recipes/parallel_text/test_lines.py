"""Lines of dictionaries and of a game."""

from __future__ import annotations

import gzip

from lab.recipes.parallel_text.lines import dictionary_examples, fillets_lines
from lab.recipes.sentences.pairs import Pair

DICTIONARY = """00-database-info
nothing /x/

cold /kəʊld/ <adj>
kalt
 "It is cold in here."  - Hier drin ist es kalt. [ugs.]
cold snap /kəʊld/
Kälteeinbruch, Kaltlufteinbruch
give sb. a fright /x/
jdn. erschrecken
"""


def test_examples_and_phrases_of_a_dictionary_are_read() -> None:
    files = {"usr/share/dictd/freedict-eng-deu.dict.dz": gzip.compress(DICTIONARY.encode())}
    pairs = [Pair("It is cold in here.", "Hier drin ist es kalt."), Pair("cold snap", "Kälteeinbruch")]
    assert list(dictionary_examples(files, "de")) == pairs
    assert list(dictionary_examples(files, "fr")) == []


def test_lines_of_the_fish_are_paired_by_their_marks() -> None:
    files = {
        "script/wreck/dialogs_en.lua": b'dialogId("a-1", "font_big", "A \\"glass\\" eye!")\n\n'
        b'dialogStr("")\ndialogId("a-2", "font_big", "Only English.")\ndialogStr("")',
        "script/wreck/dialogs_de.lua": b'dialogId("a-1", "font_big", "A \\"glass\\" eye!")\n'
        b'dialogStr("Ein \\"Glasauge\\"!")\ndialogId("a-3", "font_big", "Gone")\ndialogStr("Weg")',
    }
    assert list(fillets_lines(files, "de")) == [Pair('A "glass" eye!', 'Ein "Glasauge"!')]
