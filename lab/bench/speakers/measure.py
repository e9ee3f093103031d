"""Diarization of meetings, alone and under the words of captions, against a single speaker for everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.transcript.caption_text import is_part
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.feed import feed
from engine.captions.for_files import for_files
from engine.captions.opening import open_captions
from engine.clock import SimulatedClock, Timer
from engine.events import Caption, SpeakerLabel
from engine.options import CaptionOptions
from engine.process.loading import RecognizerMaker
from engine.speakers.diarization import Diarizer
from engine.speakers.turns import LONGEST_GAP_SECONDS, SpeakerTurn
from engine.speakers.words import TurnWords
from lab.bench.speakers.errors import TurnErrors, best_matching, turn_errors
from lab.bench.speakers.meetings import Meeting

COLLAR_SECONDS = 0.25
CHUNK_SECONDS = 1.0
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class LiveResult:
    """The outcome of one meeting that is captioned live.

    Attributes:
        errors: errors of the turns that the labels make with the times of their words, as they were first shown.
        captions: final captions.
        labelled: those whose label was sure while they were live.
        changed: those of them that have another label in the kept transcript.
        words, wrong_words: words of one speaker alone, and those under another one's label or under none.
        kept_wrong: those with another one's label or none in the kept transcript.
        delays: seconds from the end of each labelled caption to its label, on the session's clock.
        label_seconds: computation for the labels.
        found: number of speakers that were shown.
    """

    errors: TurnErrors
    captions: int
    labelled: int
    changed: int
    words: int
    wrong_words: int
    kept_wrong: int
    delays: tuple[float, ...]
    label_seconds: float
    found: int


@dataclass(frozen=True, slots=True)
class MeetingResult:
    """The outcome of one meeting.

    Attributes:
        errors, collared: errors of its turns, and of those without the moments around turns' ends.
        alone: errors where all speech is given to one speaker.
        found: number of speakers that were found.
        words, wrong_words: captioned words, and those with the wrong speaker; 0 where nothing was captioned.
        compute_seconds: computation for the turns.
        live: the same meeting captioned live; None where nothing was captioned.
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
    live: LiveResult | None = None


def measure(meeting: Meeting, diarizer: Diarizer, hear: RecognizerMaker | None, timer: Timer) -> MeetingResult:
    """Find the turns of a meeting; with a recognizer caption it, too, and look at each word's speaker."""
    seconds = len(meeting.samples) / SAMPLE_RATE_HZ
    begun = timer()
    turns = diarizer(_chunks(meeting.samples)).turns
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
        measure_live(meeting, hear, timer) if hear else None,
    )


def measure_live(meeting: Meeting, hear: RecognizerMaker, timer: Timer) -> LiveResult:
    """Caption a meeting live with labels."""
    clock = SimulatedClock(timer)
    session = open_captions(hear, CaptionOptions(language="en", speakers=True), clock=clock, live=True)
    captions, first, kept, delays = dict[int, Caption](), dict[int, str](), dict[int, str](), list[float]()
    whole = 0  # the caption that was split last
    last = dict[int, Caption]()  # captions as they are kept: some are split at the end
    for shown in feed(((0, chunk) for chunk in _chunks(meeting.samples)), session, pace="realtime"):
        if isinstance(shown, Caption) and shown.final:
            last[shown.id] = shown
            is_cut = _is_first_part(shown, captions.get(shown.id))
            whole = shown.id if is_cut else whole
            if whole not in first or not (is_cut or is_part(shown)):
                captions[shown.id] = shown
        elif isinstance(shown, SpeakerLabel):
            kept[shown.id] = shown.speaker
            if shown.id in captions and shown.id not in first:
                first[shown.id] = shown.speaker
                delays += [clock.now() - captions[shown.id].end] * bool(shown.speaker)
    named = [replace(each, speaker=first.get(number, "")) for number, each in captions.items()]
    mended = [replace(each, speaker=kept.get(number, "")) for number, each in last.items()]
    sure = {number: name for number, name in first.items() if name}
    words, wrong = _wrong_words(named, meeting.turns)
    return LiveResult(
        turn_errors(meeting.turns, _word_turns(named), len(meeting.samples) / SAMPLE_RATE_HZ),
        len(captions),
        len(sure),
        sum(kept[number] != name for number, name in sure.items()),
        words,
        wrong,
        _wrong_words(mended, meeting.turns)[1],
        tuple(delays),
        session.summary.label_seconds,
        len(set(sure.values())),
    )


def _is_first_part(caption: Caption, before: Caption | None) -> bool:
    """Return whether a final caption is the first part of one that was split: with its first words alone."""
    count = len(caption.committed)
    return before is not None and count < len(before.committed) and caption.committed == before.committed[:count]


def _word_turns(captions: Sequence[Caption]) -> tuple[SpeakerTurn, ...]:
    """Return the turns that the labels of captions make: each from word to word, pauses left out."""
    numbers = {name: at for at, name in enumerate(sorted({each.speaker for each in captions if each.speaker}))}
    turns = list[SpeakerTurn]()
    for caption in sorted(captions, key=lambda each: each.start):
        for word in caption.committed if caption.speaker else ():
            last = turns[-1] if turns else None
            speaker = numbers[caption.speaker]
            if last is not None and last.speaker == speaker and word.start - last.end <= LONGEST_GAP_SECONDS:
                turns[-1] = replace(last, end=max(last.end, word.end))
            else:
                turns.append(SpeakerTurn(word.start, word.end, speaker))
    return tuple(turns)


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

    Words in overlapping speech do not count: either speaker may have said them. A word without a speaker is wrong.
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
    matched = enumerate(best_matching(together))
    agreed = sum(together[row, column] for row, column in matched if column >= 0 and names[column:] and names[column])
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


def changed_share(results: Sequence[MeetingResult]) -> float:
    """Return the label erasure: labels that the kept transcript has otherwise than they were shown, over captions."""
    lives = [each.live for each in results if each.live is not None]
    return sum(each.changed for each in lives) / max(1, sum(each.captions for each in lives))
