from __future__ import annotations

import pytest

from engine.events import Caption, Word
from engine.speakers.turns import SpeakerTurn
from lab.bench.speakers import measure
from lab.bench.speakers.errors import TurnErrors
from lab.bench.speakers.measure import LiveResult, MeetingResult, changed_share

TURNS = (SpeakerTurn(0.0, 2.0, 0), SpeakerTurn(3.0, 5.0, 1), SpeakerTurn(4.5, 6.0, 0))


def said(start: float, end: float, speaker: str) -> Caption:
    words = (Word(" a", start, start + 0.4), Word(" b", end - 0.4, end))
    return Caption(round(start), 0, start, end, words, (), True, end, end, speaker=speaker)


def test_words_without_a_speaker_or_with_another_one_s_are_wrong_and_overlaps_do_not_count() -> None:
    captions = [said(0.2, 1.8, "A"), said(3.0, 4.2, "B"), said(4.6, 5.0, "A")]
    assert measure._wrong_words(captions, TURNS) == (4, 0)
    assert measure._wrong_words([captions[0], said(3.0, 4.2, "")], TURNS) == (4, 2)
    assert measure._wrong_words([captions[0], said(3.0, 4.2, "A")], TURNS) == (4, 2)
    assert measure._wrong_words([], TURNS) == (0, 0)


def test_labels_make_turns_from_word_to_word() -> None:
    close = Caption(1, 0, 0.0, 1.0, (Word(" a", 0.0, 0.4), Word(" b", 0.5, 1.0)), (), True, 1.0, 1.0, speaker="A")
    assert measure._word_turns([close, said(3.0, 5.0, "B"), said(6.0, 7.0, "")]) == (
        SpeakerTurn(0.0, 1.0, 0), SpeakerTurn(3.0, 3.4, 1), SpeakerTurn(4.6, 5.0, 1)
    )  # fmt: skip


def test_label_erasure_is_what_changed_over_all_captions() -> None:
    live = [
        LiveResult(TurnErrors(), captions, captions, changed, 0, 0, 0, (), 0.0, 2)
        for captions, changed in ((6, 1), (4, 0))
    ]
    results = [
        MeetingResult("m", 60.0, 2, TurnErrors(), TurnErrors(), TurnErrors(), 2, 0, 0, 1.0, each)
        for each in (*live, None)
    ]
    assert changed_share(results) == pytest.approx(0.1)
    assert changed_share(results[2:]) == 0.0
