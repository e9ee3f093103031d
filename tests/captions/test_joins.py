"""Clear speech that a round leaves without words is heard once more by itself, so that none is lost at a join."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from engine.audio.feed import feed
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Caption, Word
from engine.metrics import committed_words
from engine.options import CaptionOptions
from tests.hear.planted import PlantedRecognizer, is_voiced, plant


def even(count: int, start: float = 0.5) -> list[Word]:
    return [
        Word(f" w{number}{'.' if number % 10 == 0 else ''}", start + 0.4 * number, start + 0.4 * number + 0.3)
        for number in range(1, count + 1)
    ]


class SkippingEar(PlantedRecognizer):
    """An ear that leaves out some words where it hears two before them, too; the word before them seems longer.

    Attributes:
        skipped: the words that it leaves out, by their first and last number.
        stretches: whether the word before them seems to last until the next.
    """

    skipped: tuple[int, int] = (0, 0)
    stretches: bool = False

    def _words(self, samples: np.ndarray, offset_seconds: float, final: bool) -> Iterator[Word]:
        heard = list(super()._words(samples, offset_seconds, final))
        first, last = (self.words[number - 1] for number in self.skipped)
        begins_within = sum(word.start < first.start for word in heard) < 2
        for word in heard:
            if first.start <= word.start <= last.start and not begins_within:
                continue
            follows = self.stretches and not begins_within and first.start - 0.2 < word.end <= first.start
            yield Word(word.text, word.start, last.end if follows and heard[-1].end > last.end else word.end)


def captioned(ear: PlantedRecognizer, words: list[Word], **options: object) -> list[str]:
    chosen = {"step_seconds": 0.5, "second_look": False} | options
    session = CaptionSession(ear, CaptionOptions(**chosen), SimulatedClock(ear.timer), voice=is_voiced)  # type: ignore[arg-type]
    samples = plant(words, words[-1].end + 1.0)
    shown = feed([samples[at : at + 1600] for at in range(0, len(samples), 1600)], session, pace="fast")
    return [word.text.strip() for word, _ in committed_words(each for each in shown if isinstance(each, Caption))]


@pytest.mark.parametrize("stretches", [False, True])
@pytest.mark.parametrize("skipped", [(4, 12), (18, 30), (33, 40), (11, 20)])
@pytest.mark.parametrize("policy", ["alignatt", "local-agreement"])
def test_words_that_a_round_leaves_out_are_found(policy: str, skipped: tuple[int, int], stretches: bool) -> None:
    words = even(40)
    ear = SkippingEar(words)
    ear.skipped, ear.stretches = skipped, stretches
    assert captioned(ear, words, policy=policy) == [word.text.strip() for word in words]


def test_speech_without_words_is_heard_by_itself_once_alone() -> None:
    """There may be none: somebody hums."""
    words = even(20)
    ear = SkippingEar(words)
    ear.skipped = (8, 14)
    silent = SkippingEar(words)
    silent.skipped = (8, 14)
    hummed = range(8, 15)
    heard = silent.hear

    def hear(samples: np.ndarray, **rest: object):  # type: ignore[no-untyped-def]
        found = heard(samples, **rest)  # type: ignore[arg-type]
        texts = {words[number - 1].text for number in hummed}
        return type(found)(tuple(word for word in found.words if word.text not in texts), "en", forwards=1, tokens=3)

    silent.hear = hear  # type: ignore[method-assign]
    assert captioned(silent, words) == [word.text.strip() for n, word in enumerate(words, 1) if n not in hummed]
    alone = [(begin, end) for begin, end, prompt in silent.calls if begin > words[6].start and end < words[15].start]
    assert len(alone) == len(set(alone)) <= 2


def test_nothing_is_heard_again_where_every_word_is_there() -> None:
    words = even(40)
    ear = PlantedRecognizer(words)
    rounds = len(captioned(ear, words) and ear.calls)
    assert all(after[1] > before[1] for before, after in zip(ear.calls, ear.calls[1:], strict=False)), rounds
