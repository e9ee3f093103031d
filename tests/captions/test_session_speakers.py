"""Lines of two voices that speak without a pause, in a whole session with the real networks."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import count, groupby

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.feed import feed
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Caption, SpeakerLabel, Word
from engine.options import CaptionOptions
from engine.speakers.live_labels import LiveLabels
from engine.speakers.local_speakers import HeardWindow, LocalSpeakers
from tests.hear.planted import PlantedRecognizer, is_voiced, plant
from tests.scripted_translator import ScriptedTranslator, translating
from tests.speakers.two_people import conversation


class Ear(PlantedRecognizer):
    """Hears the words that end within the sound, whatever it is."""

    def _words(self, samples: np.ndarray, offset_seconds: float, final: bool) -> Iterator[Word]:
        end = offset_seconds + len(samples) / SAMPLE_RATE_HZ
        return (word for word in self.words if offset_seconds - 0.05 <= word.start and word.end <= end)


class Nobody(LocalSpeakers):
    """Hears windows in which nothing is said."""

    def __init__(self) -> None:
        pass

    def stages(self, samples: np.ndarray, start_seconds: float, _: object) -> Generator[None, None, HeardWindow]:  # type: ignore[override]
        yield
        return HeardWindow(start_seconds, 0, ())


class TwoVoices(LiveLabels):
    """Knows only when a line has ended that one voice spoke before a second and another after it."""

    change_seconds = 4.0

    def turn_within(self, words: Sequence[Word]) -> int:
        return 0

    def _speaker_at(self, second: float) -> str:
        return "Anna" if second < self.change_seconds else "Ben"


@pytest.mark.parametrize("translated", [False, True])
def test_a_line_of_two_voices_is_heard_again_and_then_split_before_its_labels(translated: bool) -> None:
    words = [Word(f" w{number}", 0.5 + 0.4 * number, 0.8 + 0.4 * number) for number in range(16)]
    clock, ids = SimulatedClock(lambda: 0.0), count(1)
    labels = TwoVoices(Nobody(), clock, 0.0, ids=ids)
    again = PlantedRecognizer([replace(word, text=word.text.upper()) for word in words], unsteady_seconds=0.0)
    options = CaptionOptions(step_seconds=0.5, policy="local-agreement")
    session = CaptionSession(
        PlantedRecognizer(words), options, clock, voice=is_voiced, second_ear=again, labels=labels, ids=ids,
        translation=translating(ScriptedTranslator()) if translated else None,
    )  # fmt: skip
    samples = plant(words, words[-1].end + 6.0)
    shown = list(feed([samples[at : at + 1600] for at in range(0, len(samples), 1600)], session, pace="realtime"))
    final = [each for each in shown if isinstance(each, Caption) and each.final]
    names = {each.id: each.speaker for each in shown if isinstance(each, SpeakerLabel)}
    if translated:
        assert {each.id for each in final} == {1}, "a translation is of the whole"
        return
    assert names == {1: "Anna", 2: "Ben"}
    whole, corrected, anna, ben = final
    assert [each.id for each in final] == [1, 1, 1, 2] and corrected.first_text == whole.text
    assert anna.committed + ben.committed == corrected.committed, "the whole line was heard again, and then split"
    assert [word.text for word in corrected.committed] == [word.text.upper() for word in words]
    assert anna.first_text == ben.first_text == whole.text, "what readers along have read"
    assert ben.moved == len(ben.committed) and anna.end <= labels.change_seconds <= ben.start
    assert shown.index(ben) < shown.index(SpeakerLabel(1, "Anna")) < shown.index(SpeakerLabel(2, "Ben"))


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
