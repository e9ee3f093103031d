"""Cues and lines into which captions are cut."""

import pytest

from app.history.export.cues import drafts_of
from engine.events import Caption, Word


def lines_of(text: str) -> list[str]:
    """Return the lines of a caption whose words are spoken evenly."""
    words = tuple(Word(f" {word}", place * 0.35, place * 0.35 + 0.3) for place, word in enumerate(text.split()))
    caption = Caption(0, 1, 0.0, words[-1].end, words, (), True, 0.0, 0.0, "en")
    return [line for draft in drafts_of(caption) for line in draft.lines]


@pytest.mark.parametrize(
    "text",
    [
        "On Tuesday afternoon before the concert I spoke for a while with Mr. Miller about the plans for spring",
        "She gave the keys of the old house to Mrs. Parker and went home with her brother in the evening",
        "The results were read to us by Dr. Stone who had worked in that hospital for twenty long years",
        "He moved to the capital of the U.S. government in spring and he has been living there since then",
        "They walked all the way from the old market square to St. Peter in the rain without any umbrella",
        "We need many small things for the trip, e.g. ropes and a lamp, and also something warm to drink",
        "The first train to the coast leaves at 7 a.m. on working days and at nine on Sundays and holidays",
        "The answer that you are looking for is on page No. 12 of the second volume of the collected works",
        "The long awaited match of the season is Rangers vs. Rovers and it will be played in the north today",
        "Gestern haben wir lange mit Fr. Berger geredet und danach sind wir alle zusammen nach Hause gegangen",
        "Die Antwort steht auf der nächsten Seite in Nr. 12 der Reihe und ihr könnt sie dort nachlesen heute",
        "Wir sehen uns alle wieder am Abend des 24. Dezember und feiern dann bis in den frühen Morgen hinein",
        "Nous avons parlé longtemps hier soir avec Mme. Dupont et ensuite nous sommes tous rentrés chez nous",
        "La respuesta que usted está buscando está en la pág. 12 del segundo tomo de las obras completas hoy",
    ],
)
def test_case_no_cue_and_no_line_ends_with_an_abbreviation(text: str) -> None:
    lines = lines_of(text)
    assert " ".join(lines) == text
    assert len(lines) > 1
    assert [line for line in lines if line.endswith(".")] == []


def test_a_cue_ends_behind_a_sentence() -> None:
    text = "We spoke with Mr. Miller on Monday. Then we all went home by train."
    assert lines_of(text) == ["We spoke with Mr. Miller on Monday.", "Then we all went home by train."]
