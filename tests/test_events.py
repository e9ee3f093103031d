"""Values that travel between rooms."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.events import Word
from tests.app.made_captions import caption


def test_a_caption_is_delayed_with_all_its_times() -> None:
    plain = replace(caption(1, "One two", pending="three", start=1.0), speaker="You")
    later = plain.delayed(60.0)
    assert (later.id, later.text, later.pending_text, later.speaker) == (1, "One two", "three", "You")
    assert (later.start, later.end) == (61.0, 61.8)
    assert later.committed[1].start == pytest.approx(61.4)
    assert later.pending[0].end == pytest.approx(62.2)
    assert later.audio_seconds == pytest.approx(62.3)
    assert later.emitted_seconds == pytest.approx(62.4)
    assert later.delayed(-60.0).start == plain.start


def test_a_delayed_word_keeps_what_is_not_a_time() -> None:
    word = Word(" One", 1.0, 1.4, 0.9, (5, 7), attended=1.3)
    assert word.delayed(2.0).attended == pytest.approx(3.3)
    assert word.delayed(2.0).tokens == (5, 7)
    assert replace(word, attended=None).delayed(2.0).attended is None
