"""Lines of two voices that speak without a pause, in a whole session with the real networks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, groupby

import numpy as np

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.feed import feed
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Caption, SpeakerLabel, Word
from engine.options import CaptionOptions
from engine.speakers.live_labels import LiveLabels
from engine.speakers.local_speakers import LocalSpeakers
from tests.hear.planted import PlantedRecognizer
from tests.speakers.two_people import conversation


class Ear(PlantedRecognizer):
    """Hears the words that end within the sound, whatever it is."""

    def _words(self, samples: np.ndarray, offset_seconds: float, final: bool) -> Iterator[Word]:
        end = offset_seconds + len(samples) / SAMPLE_RATE_HZ
        return (word for word in self.words if offset_seconds - 0.05 <= word.start and word.end <= end)


def test_an_open_line_ends_where_the_other_voice_begins_and_no_word_is_lost_or_shown_twice() -> None:
    samples, spoken = conversation()
    words = [
        Word(f" {'abab'[turn]}{number}", float(start), float(start) + 0.25)
        for turn, (begin, end, _) in enumerate(spoken)
        for number, start in enumerate(np.arange(begin + 0.5, end - 0.3, 0.4))
    ]
    clock, ids = SimulatedClock(), count(1)
    labels = LiveLabels(LocalSpeakers(), clock, 0.0, ids=ids)
    options = CaptionOptions(step_seconds=0.5, policy="local-agreement")
    session = CaptionSession(Ear(words), options, clock, voice=lambda window: 1.0, labels=labels, ids=ids)
    chunks = [samples[at : at + 8_000] for at in range(0, len(samples), 8_000)]
    shown = list(feed(chunks, session, pace="realtime"))
    lines, said = dict[int, Caption](), list[str]()
    for each in shown:
        if isinstance(each, Caption):
            before = lines.get(each.id)
            assert before is None or not before.final or each.first_text, "a line that has ended does not go on"
            lines[each.id] = each
    begun = [line for line in lines.values() if line.moved and not line.first_text]
    assert begun, "a line ended while it was open"
    for line in begun:
        assert lines[line.id - 1].final and lines[line.id - 1].committed[-1].text[1] != line.committed[0].text[1]
    for line in sorted(lines.values(), key=lambda line: line.start):
        said += [word.text for word in line.committed]
        assert len({word.text[1] for word in line.committed}) == 1, "one voice alone"
    assert said == [word.text for word in words]
    names = {each.id: each.speaker for each in shown if isinstance(each, SpeakerLabel)}
    by_time = sorted(lines.values(), key=lambda line: line.start)
    assert [name for name, _ in groupby(names[line.id] for line in by_time)] == ["Speaker 1", "Speaker 2"] * 2
