"""Checks whether a live hypothesis is believed: signs of silence, guesses and loops count, never particular phrases."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

from engine.events import Hypothesis, Word
from engine.hear.decode.attempts import LEAST_LOGPROB, MOST_COMPRESSION, MOST_NO_SPEECH, plausible_tokens
from engine.hear.rounds.policy import key_of

CERTAIN_SILENCE = 0.9
"""Probability of no speech above which words are never believed, however likely they are."""

CERTAIN_SPEECH = 0.1
"""Probability of no speech below which somebody spoke."""

LAST_LENIENCE = 0.5
"""Tolerance added to LEAST_LOGPROB for words that won't be heard again: if somebody spoke, a poor guess is better than
a hole. Chosen in LOG 2026-11-23."""

LOOP_WORDS, LOOP_TIMES, LOOP_LENGTH = 8, 3, 8
"""Longest group of words in a loop, fewest times that it comes in a row, and fewest words of the loop."""

CROWD_WORDS, CROWD_SECONDS = 4, 0.1
"""Fewest words of a crowd, and longest time that a crowd takes together, in seconds. Nobody speaks so fast: a decoder
makes a sentence up from its first sound. The next round would correct it, but a slow machine may hear nothing again."""

REPEATS_SECONDS = 0.3
"""Longest time of a crowd of words that repeat those before them, in seconds."""

CROWD_DOUBT = 0.5
"""Probability of a word behind a crowd below which it belongs to the crowd."""

MOST_TOKENS = 224
"""Most tokens that a model writes about one stretch of audio: half of a Whisper decoder's context."""

Verdict = Literal["heard", "silence", "discarded"]


def judge(
    hypothesis: Hypothesis,
    seconds: float,
    known_until: float = 0.0,
    *,
    final: bool = False,
) -> tuple[Verdict, tuple[Word, ...]]:
    """Decide whether a hypothesis over `seconds` of audio is believed, and which of its words.

    Words that end by `known_until` are committed already: if they alone are doubtful, the newer ones are believed.
    `final` means that the audio won't be heard again. Words that take no time are not believed. Repetitions of people
    take time; those of a decoder that has lost the audio take next to none.
    """
    spoken = final and hypothesis.no_speech_probability < CERTAIN_SPEECH
    unlikely = _is_unlikely(hypothesis, LEAST_LOGPROB - (LAST_LENIENCE if spoken else 0.0), known_until)
    if hypothesis.no_speech_probability > (MOST_NO_SPEECH if unlikely else CERTAIN_SILENCE):
        return "silence", ()
    words = hypothesis.words
    repeats_from = loop_start([key_of(word) for word in words])
    limit = min(plausible_tokens(seconds), MOST_TOKENS)
    if hypothesis.tokens >= limit:
        words = words[:repeats_from]
    timed = tuple(_without_crowds(words, len(words) if repeats_from is None else repeats_from))
    endless = hypothesis.tokens >= limit or hypothesis.compression_ratio > MOST_COMPRESSION
    if unlikely or (endless and repeats_from is None) or (words and not timed):
        return "discarded", ()
    return "heard", timed


def _is_unlikely(hypothesis: Hypothesis, threshold: float, known_until: float) -> bool:
    if hypothesis.average_logprob >= threshold:
        return False
    new = [math.log(max(word.probability, 1e-9)) for word in hypothesis.words if word.end > known_until]
    return not new or sum(new) / len(new) < threshold


def _without_crowds(words: Sequence[Word], repeats_from: int) -> Iterator[Word]:
    """Leave out words that crowd at one moment, and doubtful words right behind them.

    A crowd of words that repeat others, from `repeats_from` on, may take longer.
    """
    index = 0
    while index < len(words):
        size = _crowd_size(words, index, CROWD_SECONDS if index < repeats_from else REPEATS_SECONDS)
        index += size
        while size and index < len(words) and words[index].probability < CROWD_DOUBT:
            index += 1
        if not size:
            yield words[index]
            index += 1


def _crowd_size(words: Sequence[Word], first: int, seconds: float) -> int:
    """Count the words from `first` on of which any CROWD_WORDS end within `seconds`; 0 if they are too few."""
    size = 0
    while first + size < len(words):
        window = words[first + max(0, size + 1 - CROWD_WORDS) : first + size + 1]
        if window[-1].end - window[0].start > seconds:
            break
        size += 1
    return size if size >= CROWD_WORDS else 0


def loop_start(words: Sequence[str]) -> int | None:
    """Return the index at which words begin to repeat those before them again and again; None if they do not."""
    for size in range(1, LOOP_WORDS + 1):
        needed = max(LOOP_TIMES * size, LOOP_LENGTH) - size  # words in a row that equal the one `size` before them
        run = 0
        for index in range(size, len(words)):
            run = run + 1 if words[index] == words[index - size] else 0
            if run == needed:
                return index + 1 - needed
    return None
