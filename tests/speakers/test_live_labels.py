from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.clock import SimulatedClock
from engine.events import VOICE_PRINT_VALUES, Caption, Incident, SpeakerLabel, Word
from engine.speakers.live_labels import KEPT_SECONDS, LEAST_STEP_SECONDS, LiveLabels
from engine.speakers.local_speakers import LocalSpeakers
from tests.speakers.two_people import conversation

CHUNK = SAMPLE_RATE_HZ // 2
FINAL_SECONDS = 0.6
"""Time from the end of a caption until it is final."""


@pytest.fixture(scope="module")
def networks() -> LocalSpeakers:
    return LocalSpeakers()


def caption(number: int, start: float, end: float) -> Caption:
    words = tuple(Word(" word", float(at), float(at) + 0.3) for at in np.arange(start, end - 0.3, 0.4))
    return Caption(number, 1, start, end, words, (), True, end, end)


def live(labels: LiveLabels, samples: Samples, captions: list[Caption], begin: float = 0.0) -> Iterator[SpeakerLabel]:
    """Yield labels while a stream passes by, and those of its end."""
    yield from (shown for shown in everything(labels, samples, captions, begin) if isinstance(shown, SpeakerLabel))


def everything(
    labels: LiveLabels, samples: Samples, captions: list[Caption], begin: float = 0.0, *, split: bool = False
) -> Iterator[SpeakerLabel | Caption]:
    """Yield labels while a stream passes by, those of its end, and captions that are split then."""
    waiting = sorted(captions, key=lambda each: each.end)
    for at in range(0, len(samples), CHUNK):
        labels.add(samples[at : at + CHUNK])
        now = begin + (at + CHUNK) / SAMPLE_RATE_HZ
        while waiting and waiting[0].end + FINAL_SECONDS <= now:
            labels.offer([waiting.pop(0)])
        while labels.busy:
            if (label := labels.step()) is not None:
                yield label
    labels.offer(waiting)
    yield from labels.finish(split=split)


@pytest.mark.parametrize("begin", [0.0, 100.0])
def test_two_people_are_labelled_while_they_speak_and_no_label_changes(networks: LocalSpeakers, begin: float) -> None:
    samples, spoken = conversation()
    captions = [caption(at, begin + start, begin + end) for at, (start, end, _) in enumerate(spoken)]
    labels = LiveLabels(networks, SimulatedClock(), begin)
    found = list(live(labels, samples, captions, begin))
    assert [(label.id, label.speaker) for label in found] == [
        (0, "Speaker 1"), (1, "Speaker 2"), (2, "Speaker 1"), (3, "Speaker 2")
    ]  # fmt: skip
    assert all(len(label.voice) == 4 * VOICE_PRINT_VALUES for label in found)
    assert labels.heard <= len(samples) / SAMPLE_RATE_HZ / LEAST_STEP_SECONDS + 1
    assert labels.seconds > 0


def test_the_turn_within_an_open_caption_is_found_at_a_word_and_none_in_one_voice(networks: LocalSpeakers) -> None:
    samples, spoken = conversation()
    (_, end, _), (begin, last, _) = spoken[:2]
    labels = LiveLabels(networks, SimulatedClock(), 0.0)
    whole = caption(1, spoken[0][0], last)
    for at in range(0, round(last * SAMPLE_RATE_HZ), CHUNK):
        labels.add(samples[at : at + CHUNK])
        said = tuple(word for word in whole.committed if word.end <= (at + CHUNK) / SAMPLE_RATE_HZ)
        labels.offer([replace(whole, committed=said, final=False)])
        while labels.busy:
            labels.step()
        turn = labels.turn_within(said)
        if turn:
            break
    assert end - 0.5 <= whole.committed[turn].start <= begin + 0.7, "where the other voice begins"
    assert labels.turn_within(whole.committed[:turn]) == labels.turn_within(whole.committed[turn:]) == 0


def test_a_finished_caption_of_two_voices_is_split_at_the_end_unless_it_is_to_stay_whole(
    networks: LocalSpeakers,
) -> None:
    samples, spoken = conversation()
    both = caption(1, spoken[0][0], spoken[1][1])
    others = [caption(at, start, end) for at, (start, end, _) in enumerate(spoken[2:], 2)]
    labels = LiveLabels(networks, SimulatedClock(), 0.0, ids=count(9))
    shown = list(everything(labels, samples, [both, *others], split=True))
    first, behind = (each for each in shown if isinstance(each, Caption))
    assert (first.id, first.revision, first.moved) == (1, 2, 0)
    assert (behind.id, behind.revision, behind.moved, behind.final) == (9, 0, len(behind.committed), True)
    assert first.committed + behind.committed == both.committed
    assert first.first_text == behind.first_text == both.text
    assert abs(behind.start - spoken[1][0]) < 0.7 and first.end <= behind.start
    names = {each.id: each.speaker for each in shown if isinstance(each, SpeakerLabel)}
    assert names == {1: "Speaker 1", 9: "Speaker 2", 2: "Speaker 1", 3: "Speaker 2"}
    whole = LiveLabels(networks, SimulatedClock(), 0.0)
    assert not [each for each in everything(whole, samples, [both, *others]) if isinstance(each, Caption)]


def test_silence_costs_nothing_and_a_tone_or_noise_gets_no_label(networks: LocalSpeakers) -> None:
    seconds = np.arange(12 * SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ
    labels = LiveLabels(networks, SimulatedClock(), 0.0)
    assert list(live(labels, np.zeros(len(seconds), np.float32), [])) == []
    assert labels.heard == 0
    tone = (0.2 * np.sin(2 * np.pi * 440 * seconds)).astype(np.float32)
    found = list(live(LiveLabels(networks, SimulatedClock(), 0.0), tone, [caption(7, 1.0, 4.0)]))
    assert [(label.id, label.speaker) for label in found] == [(7, "")]


def test_better_words_keep_the_label(networks: LocalSpeakers) -> None:
    samples, ((start, end, _), *_) = conversation()
    labels = LiveLabels(networks, SimulatedClock(), 0.0)
    first = caption(3, start, end)
    (label,) = live(labels, samples[: round((end + 0.5) * SAMPLE_RATE_HZ)], [first])
    labels.offer([replace(first, revision=2, first_text="worse words")])
    assert label.speaker == "Speaker 1"
    assert not labels.busy and list(labels.finish()) == []


class Failing(LocalSpeakers):
    def __init__(self) -> None:
        pass

    def stages(self, *_: object) -> Iterator[None]:  # type: ignore[override]
        raise MemoryError
        yield


def test_a_failure_ends_the_labels_and_says_so_once() -> None:
    incidents: list[Incident] = []
    labels = LiveLabels(Failing(), SimulatedClock(), 0.0)
    labels.report = incidents.append
    found = list(live(labels, np.zeros(20 * SAMPLE_RATE_HZ, np.float32), [caption(1, 0.5, 2.0), caption(2, 8.0, 9.0)]))
    assert {(label.id, label.speaker) for label in found} == {(1, ""), (2, "")}
    assert len(incidents) == 1 and "not told apart any more" in incidents[0].message


def test_a_caption_whose_audio_is_gone_gets_no_label(networks: LocalSpeakers) -> None:
    labels = LiveLabels(networks, SimulatedClock(), 0.0)
    labels.add(np.zeros(round(2 * KEPT_SECONDS * SAMPLE_RATE_HZ), np.float32))
    labels.offer([caption(1, 1.0, 3.0)])
    assert [label.speaker for label in labels.finish()] == [""]
