"""Captions on a machine that is too slow, on a simulated clock: how far they fall behind, and what is left out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.feed import feed
from engine.captions.session import CaptionSession
from engine.clock import RealClock, SimulatedClock
from engine.events import GAP, Caption, Hypothesis, LoadShed, Translation, Word
from engine.hear.rounds.load_shedding import FIRST_SECONDS, ROUND_SECONDS
from engine.options import CaptionOptions, DecodeOptions
from tests.hear.planted import PlantedRecognizer, is_voiced, numbered, plant
from tests.scripted_translator import ScriptedTranslator, translating

MINUTES = 3
BEHIND_SECONDS = 5.0
Slowness = Callable[[float], float]


@dataclass
class SlowRecognizer(PlantedRecognizer):
    """Needs a share of the time that it hears, and more with several candidates or while the machine is slow.

    Attributes:
        slowness: how many times longer, at a second of the sound.
    """

    share: float = 0.1
    fixed_seconds: float = 0.1
    candidates: int = 1
    slowness: Slowness = lambda seconds: 1.0
    beams: list[int] = field(default_factory=list)

    def hear(self, samples: np.ndarray, *, offset_seconds: float, **how: object) -> Hypothesis:
        seconds = len(samples) / SAMPLE_RATE_HZ
        cost = self.fixed_seconds + self.share * self.candidates * seconds
        self.cost_seconds = cost * self.slowness(offset_seconds + seconds)
        self.beams.append(self.candidates)
        return super().hear(samples, offset_seconds=offset_seconds, **how)  # type: ignore[arg-type]

    def with_one_candidate(self) -> "SlowRecognizer":
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return SlowRecognizer(**{**fields, "candidates": 1})


def speech(minutes: float = MINUTES) -> list[Word]:
    """Make words without an end, with a breath after every 25."""
    spans, now = [], 0.5
    while now < 60 * minutes:
        spans.append((now, now + 0.3))
        now += 1.16 if len(spans) % 25 == 0 else 0.36
    return numbered(spans)


class Run:
    """One recording, heard live.

    Attributes:
        captions: as they were shown.
        shed: what was left out, with the second from which on.
    """

    def __init__(self, recognizer: SlowRecognizer, *, live: bool = True, translator: ScriptedTranslator | None = None):
        words = list(recognizer.words)
        samples = plant(words, words[-1].end + 2.0)
        options = CaptionOptions(decode=DecodeOptions(beam_size=recognizer.candidates))
        clock = SimulatedClock(recognizer.timer)
        translation = translating(translator) if translator else None
        self.session = CaptionSession(recognizer, options, clock, voice=is_voiced, live=live, translation=translation)
        self.words, self.captions = words, list[Caption]()
        self.translations: list[Translation] = []
        self.shed: list[tuple[float, LoadShed]] = [(0.0, LoadShed.NOTHING)]
        for shown in feed(np.split(samples, range(1600, len(samples), 1600)), self.session, pace="fast"):
            if isinstance(shown, Translation):
                self.translations.append(shown)
                continue
            self.captions.append(shown)
            if self.session.shed is not self.shed[-1][1]:
                self.shed.append((shown.emitted_seconds, self.session.shed))

    @property
    def behind_seconds(self) -> float:
        """Greatest age of the newest sound that captions stood for, just before newer ones came."""
        moments = [(0.0, 0.0), *((shown.emitted_seconds, shown.audio_seconds) for shown in self.captions)]
        return max(after - heard for (_, heard), (after, _) in pairwise(moments))

    @property
    def gaps(self) -> list[Caption]:
        return [shown for shown in self.captions if shown.is_gap]

    @property
    def missing(self) -> list[Word]:
        heard = {word.text for shown in self.captions for word in shown.committed}
        return [word for word in self.words if word.text not in heard]

    @property
    def kinds(self) -> list[LoadShed]:
        return [kind for _, kind in self.shed]


def slow(share: float, fixed: float = 0.1, minutes: float = MINUTES, **more: object) -> SlowRecognizer:
    return SlowRecognizer(speech(minutes), share=share, fixed_seconds=fixed, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("share", [0.05, 0.2, 0.4, 0.6, 0.7])
def test_captions_stay_near_and_whole_where_a_second_takes_up_to_seven_tenths(share: float) -> None:
    run = Run(slow(share))
    assert run.behind_seconds < BEHIND_SECONDS
    assert not run.missing
    assert not run.gaps


def test_without_shedding_the_same_machine_falls_far_behind() -> None:
    assert Run(slow(0.6), live=False).behind_seconds > 2 * BEHIND_SECONDS


def test_a_file_that_nobody_waits_for_is_heard_with_full_effort() -> None:
    run = Run(slow(1.5, minutes=1), live=False)
    assert run.kinds == [LoadShed.NOTHING]
    assert not run.missing


def test_a_round_that_takes_long_whatever_it_hears_costs_no_word() -> None:
    run = Run(slow(0.02, fixed=3.0))
    assert not run.missing
    assert run.behind_seconds < 2.5 * 3.0


@pytest.mark.parametrize("share", [1.2, 2.0])
def test_where_nothing_else_helps_sound_is_left_out_and_a_caption_says_where(share: float) -> None:
    run = Run(slow(share))
    assert run.kinds[-1] is LoadShed.AUDIO
    assert run.gaps
    late = [shown for shown in run.captions if shown.emitted_seconds > 30]
    assert max(b.emitted_seconds - a.audio_seconds for a, b in pairwise(late)) < 1.5 * BEHIND_SECONDS
    cut_through = [word.text for shown in run.captions for word in shown.committed if "~" in word.text]
    outside = [
        word for word in run.missing
        if not any(gap.start - 0.4 <= word.start and word.end <= gap.end + 0.4 for gap in run.gaps)
    ]  # fmt: skip
    assert len(outside) <= len(cut_through)  # at a seam a word may be cut through, where no pause is near
    spans = [
        (round(word.start, 6), round(word.end, 6)) for shown in run.captions if shown.final for word in shown.committed
    ]
    assert spans == sorted(spans)
    assert GAP in run.session.summary.text


@pytest.mark.parametrize("share", [0.9, 0.95])
def test_where_real_time_is_kept_narrowly_captions_do_not_fall_behind_further_and_further(share: float) -> None:
    run = Run(slow(share, minutes=10))
    assert run.behind_seconds < 1.6 * BEHIND_SECONDS
    assert run.gaps
    assert len(run.missing) < 0.15 * len(run.words)


def test_where_every_round_takes_four_seconds_sound_is_left_out_once_at_most() -> None:
    run = Run(slow(0.02, fixed=4.0))
    assert len(run.gaps) <= 1 and len(run.missing) <= 2
    assert run.kinds[-1] is LoadShed.REHEARING


def test_a_computer_that_is_busy_for_a_minute_loses_no_word_and_has_all_back_afterwards() -> None:
    run = Run(slow(0.1, minutes=5, slowness=lambda now: 5.0 if 60 < now < 120 else 1.0))
    assert not run.missing
    assert run.behind_seconds < 1.2 * BEHIND_SECONDS
    assert LoadShed.REHEARING in run.kinds
    assert run.kinds[-1] is LoadShed.NOTHING
    assert all(at > 60 for at, kind in run.shed if kind)


def test_translations_wait_for_a_pause_first_and_none_is_lost() -> None:
    recognizer = slow(0.07, fixed=0.1, slowness=lambda now: 2.5)
    translator = ScriptedTranslator(timer=recognizer.timer, cost_seconds=0.02)
    run = Run(recognizer, translator=translator)
    assert run.kinds[1] is LoadShed.TRANSLATION
    finals = {shown.id for shown in run.captions if shown.final and shown.committed}
    assert {each.id for each in run.translations if each.final} == finals
    assert not run.missing


def test_several_candidates_become_one_after_translations_and_before_anything_else() -> None:
    recognizer = slow(0.05, fixed=0.1, candidates=3, slowness=lambda now: 3.0 if now > 20 else 1.0)
    run = Run(recognizer)
    assert run.kinds[1] is LoadShed.CANDIDATES
    assert recognizer.beams[0] == 3
    assert recognizer.beams[-1] == 1
    assert not run.missing


@pytest.mark.parametrize("share", [0.05, 0.5, 0.8])
def test_what_was_recorded_while_the_model_was_loaded_is_caught_up_with_in_rounds_that_end_soon(share: float) -> None:
    recognizer = slow(share, minutes=2)
    session = CaptionSession(recognizer, CaptionOptions(), RealClock(recognizer.timer), voice=is_voiced, live=True)
    session.add_audio(plant(recognizer.words)[: 60 * SAMPLE_RATE_HZ])
    captions = [shown for shown in session.update() if isinstance(shown, Caption)]
    heard = [end - begin for begin, end, _ in recognizer.calls]
    assert heard[0] <= FIRST_SECONDS + 0.1
    assert max(heard) * share < ROUND_SECONDS + 2.0
    assert captions[-1].audio_seconds > 55.0
    assert recognizer.timer.seconds < 90.0
    assert not any(shown.is_gap for shown in captions)


def test_a_gap_is_its_own_translation() -> None:
    translator = ScriptedTranslator()
    live = translating(translator)
    live.offer(Caption(1, 0, 3.0, 9.0, (Word(f" {GAP}", 3.0, 9.0),), (), True, 9.0, 9.0))
    assert [each.text for each in live.finish()] == [GAP]
    assert translator.steps_taken == 0
