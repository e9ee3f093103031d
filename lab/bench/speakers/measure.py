"""Diarization of meetings, alone and under the words of captions, against a single speaker for everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.captions.for_files import for_files
from engine.captions.opening import open_captions
from engine.clock import SimulatedClock, Timer
from engine.events import Caption
from engine.options import CaptionOptions
from engine.process.loading import RecognizerMaker
from engine.speakers.diarization import Diarizer
from engine.speakers.turns import SpeakerTurn
from engine.speakers.words import TurnWords
from lab.bench.speakers.errors import TurnErrors, best_matching, turn_errors
from lab.bench.speakers.meetings import Meeting

COLLAR_SECONDS = 0.25
CHUNK_SECONDS = 1.0
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class MeetingResult:
    """The outcome of one meeting.

    Attributes:
        errors, collared: errors of its turns, and of those without the moments around turns' ends.
        alone: errors where all speech is given to one speaker.
        found: number of speakers that were found.
        words, wrong_words: captioned words, and those with the wrong speaker; 0 where nothing was captioned.
        compute_seconds: computation for the turns.
    """

    name: str
    seconds: float
    speakers: int
    errors: TurnErrors
    collared: TurnErrors
    alone: TurnErrors
    found: int
    words: int
    wrong_words: int
    compute_seconds: float


def measure(meeting: Meeting, diarizer: Diarizer, hear: RecognizerMaker | None, timer: Timer) -> MeetingResult:
    """Find the turns of a meeting; with a recognizer caption it, too, and look at each word's speaker."""
    seconds = len(meeting.samples) / SAMPLE_RATE_HZ
    begun = timer()
    turns = diarizer(_chunks(meeting.samples))
    spent = timer() - begun
    captions = _captions(meeting.samples, turns, hear) if hear else ()
    words, wrong = _wrong_words(captions, meeting.turns)
    alone = [SpeakerTurn(turn.start, turn.end, 0) for turn in meeting.turns]
    return MeetingResult(
        meeting.name,
        seconds,
        meeting.speakers,
        turn_errors(meeting.turns, turns, seconds),
        turn_errors(meeting.turns, turns, seconds, COLLAR_SECONDS),
        turn_errors(meeting.turns, alone, seconds),
        len({turn.speaker for turn in turns}),
        words,
        wrong,
        spent,
    )


def _chunks(samples: Samples) -> Iterator[Samples]:
    size = round(CHUNK_SECONDS * SAMPLE_RATE_HZ)
    return (samples[at : at + size] for at in range(0, len(samples), size))


def _captions(samples: Samples, turns: Sequence[SpeakerTurn], hear: RecognizerMaker) -> list[Caption]:
    """Return the final captions of a recording, each of one speaker."""
    options = for_files(CaptionOptions(language="en"))
    session = open_captions(hear, options, clock=SimulatedClock(), word_speakers=TurnWords(turns, str))
    found = list[Caption]()
    for chunk in _chunks(samples):
        session.add_audio((0, chunk))
        found += [each for each in session.update() if isinstance(each, Caption) and each.final]
    return found + [each for each in session.finish() if isinstance(each, Caption) and each.final]


def _wrong_words(captions: Sequence[Caption], turns: Sequence[SpeakerTurn]) -> tuple[int, int]:
    """Return how many captioned words fall into speech of one person alone, and how many have another speaker.

    Words in overlapping speech do not count: either speaker may have said them.
    """
    said = list[tuple[int, str]]()
    for caption in captions:
        for word in caption.committed:
            middle = (word.start + word.end) / 2
            speaking = {turn.speaker for turn in turns if turn.start <= middle < turn.end}
            said += [(each, caption.speaker) for each in speaking if len(speaking) == 1]
    right, names = sorted({who for who, _ in said}), sorted({name for _, name in said})
    together = np.zeros((max(1, len(right)), max(1, len(names))))
    for who, name in said:
        together[right.index(who), names.index(name)] += 1
    agreed = sum(together[row, column] for row, column in enumerate(best_matching(together)) if column >= 0)
    return len(said), len(said) - int(agreed)


def interval(
    results: Sequence[MeetingResult], figure: Callable[[Sequence[MeetingResult]], float]
) -> tuple[float, float]:
    """Return the 95% interval of a figure by resampling whole meetings."""
    draw = np.random.default_rng(7)
    values = sorted(
        figure([results[at] for at in draw.integers(len(results), size=len(results))]) for _ in range(RESAMPLES)
    )
    return values[round(0.025 * RESAMPLES)], values[round(0.975 * RESAMPLES) - 1]


def error_rate(results: Sequence[MeetingResult]) -> float:
    """Return the diarization error rate of all meetings together."""
    return sum((each.errors for each in results), TurnErrors()).rate
