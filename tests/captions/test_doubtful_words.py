"""Doubtful words that are heard again from another beginning: none is lost, doubled or changed once committed."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.audio.feed import feed
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Caption, Word
from engine.options import CaptionOptions
from tests.hear.planted import PlantedRecognizer, is_voiced, plant


@dataclass
class DoubtingEar(PlantedRecognizer):
    """Hears some words otherwise from each beginning: another word, two in its place, or one for it and the next.

    Attributes:
        seed: which words are doubtful, and how they are heard from each beginning.
    """

    seed: int = 0
    buffer_seconds: float = 6.0

    def _words(self, samples: np.ndarray, offset_seconds: float, final: bool) -> Iterator[Word]:
        swallowed = False
        for word in super()._words(samples, offset_seconds, final):
            number = int(re.findall(r"\d+", word.text)[0])
            chance = random.Random(f"{self.seed} {number}")
            if chance.random() < 0.7 or "~" in word.text:
                if not swallowed:
                    yield word
                swallowed = False
                continue
            doubt = 0.4 + chance.random() / 2
            kind = random.Random(f"{self.seed} {number} {offset_seconds:.2f}").randrange(6)
            middle = (word.start + word.end) / 2
            if kind == 0 and not swallowed:
                yield replace(word, text=f" w{number}a", end=middle, probability=doubt)
                yield replace(word, text=f" w{number}b", start=middle, probability=doubt)
            elif not swallowed:
                yield replace(word, text=f" w{number}{'cdefg'[kind - 1]}", probability=doubt)
            swallowed = False


def talk(seed: int, count: int) -> list[Word]:
    """Return words with pauses of all lengths between them."""
    chance, at, words = random.Random(seed), 0.6, []
    for number in range(1, count + 1):
        length = chance.uniform(0.15, 0.6)
        words.append(Word(f" w{number}", at, at + length))
        at += length + chance.choice((0.02, 0.05, 0.1, 0.3, 1.2 if number % 9 == 0 else 0.05))
    return words


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), cost=st.sampled_from((0.0, 0.05, 0.15, 0.3)), jitter=st.sampled_from((0.0, 0.04)))
def test_no_word_is_lost_doubled_or_changed(seed: int, cost: float, jitter: float) -> None:
    words = talk(seed, 60)
    ear = DoubtingEar(words, seed=seed, cost_seconds=cost, jitter_seconds=jitter)
    session = CaptionSession(ear, CaptionOptions(second_look=False), SimulatedClock(ear.timer), voice=is_voiced)
    samples = plant(words, words[-1].end + 1.0)
    shown: dict[int, Caption] = {}
    for caption in feed([samples[at : at + 1600] for at in range(0, len(samples), 1600)], session, pace="fast"):
        assert isinstance(caption, Caption)
        if (before := shown.get(caption.id)) is not None:
            assert not before.final and caption.committed[: len(before.committed)] == before.committed
        shown[caption.id] = caption
    texts = [word.text.strip() for number in sorted(shown) for word in shown[number].committed]
    heard = [re.sub("(~.*|[b-g])$", "", text) for text in texts if not text.endswith("a")]
    assert heard == [word.text.strip() for word in words], texts


@dataclass
class DoubtfulEar(PlantedRecognizer):
    """Hears everything right, and doubts every ninth word."""

    buffer_seconds: float = 6.0

    def _words(self, samples: np.ndarray, offset_seconds: float, final: bool) -> Iterator[Word]:
        for word in super()._words(samples, offset_seconds, final):
            yield replace(word, probability=0.55 if int(re.findall(r"\d+", word.text)[0]) % 9 == 0 else 1.0)


@pytest.mark.parametrize("cost", [0.0, 0.05])
def test_nobody_waits_for_what_can_be_heard_between_two_rounds(cost: float) -> None:
    words = [Word(f" w{number}", 0.4 * number, 0.4 * number + 0.35) for number in range(1, 61)]
    found = []
    for hears_again in (True, False):
        ear = DoubtfulEar(words, cost_seconds=cost)
        options = CaptionOptions(second_look=False, step_seconds=0.3, step_follows_cost=False)
        session = CaptionSession(ear, options, SimulatedClock(ear.timer), voice=is_voiced, hears_again=hears_again)
        samples = plant(words, words[-1].end + 1.0)
        list(feed([samples[at : at + 1600] for at in range(0, len(samples), 1600)], session, pace="fast"))
        found.append((len(ear.calls), session.summary.text, list(session.latencies)))
    (hearings, text, delays), (rounds, plain, usual) = found
    assert hearings > rounds and text == plain and delays == pytest.approx(usual)
