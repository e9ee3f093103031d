"""What a live hypothesis is not believed for: signs of silence, of guessing and of loops, never particular phrases."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

from engine.events import Hypothesis, Word
from engine.hear.rounds.policy import key_of
from engine.options import DecodeOptions

CERTAIN_SILENCE = 0.9
"""A probability of no speech beyond this is believed whatever the words' own probability."""

CERTAIN_SPEECH = 0.1
"""A probability of no speech below this says that somebody spoke."""

LAST_LENIENCE = 0.5
"""How much more doubt is borne in words that won't be heard again: where somebody spoke, a poor guess is better than a
hole. Of 160 sentences heard live, 6.5% of the words were wrong so, and 6.6% without."""

LOOP_WORDS, LOOP_TIMES, LOOP_LENGTH = 8, 3, 8
"""Up to eight words that come three times in a row, and make eight words at the least, may be a loop."""

CROWD_WORDS, CROWD_SECONDS = 4, 0.1
"""So many words in a row that take no longer together are said by nobody: from the first sound of a sentence a decoder
makes up how it may go on. Heard again with the next round they would have their times; on a machine that is too slow
nothing is heard again."""

REPEATS_SECONDS = 0.3
"""The same for words that repeat those before them: nobody says four of them in less."""

CROWD_DOUBT = 0.5
"""A word behind a crowd goes with it where the decoder doubts it more than this."""

MOST_TOKENS = 224
"""Half of a Whisper decoder's context: no model says more about one stretch of audio."""

Verdict = Literal["heard", "silence", "discarded"]


def judge(
    hypothesis: Hypothesis,
    seconds: float,
    options: DecodeOptions,
    known_until: float = 0.0,
    *,
    final: bool = False,
) -> tuple[Verdict, tuple[Word, ...]]:
    """Decide whether a hypothesis over `seconds` of audio is believed, and which of its words.

    Words that end by `known_until` are committed already: if they alone are doubtful, the newer ones are believed.
    `final` says that the audio won't be heard again. Words that have no time to be said in are not believed. What
    people repeat takes time; a decoder that has lost the audio and loops writes words that take next to none.
    """
    silence, ratio = options.no_speech_threshold, options.compression_ratio_threshold
    threshold = options.logprob_threshold
    if threshold is not None and final and hypothesis.no_speech_probability < CERTAIN_SPEECH:
        threshold -= LAST_LENIENCE
    unlikely = _is_unlikely(hypothesis, threshold, known_until)
    if silence is not None and hypothesis.no_speech_probability > (silence if unlikely else CERTAIN_SILENCE):
        return "silence", ()
    words = hypothesis.words
    repeats_from = None if ratio is None else loop_start([key_of(word) for word in words])
    limit = min(max(options.min_token_allowance, options.max_tokens_per_second * seconds), MOST_TOKENS)
    if hypothesis.tokens >= limit:
        words = words[:repeats_from]
    timed = tuple(_without_crowds(words, len(words) if repeats_from is None else repeats_from))
    endless = hypothesis.tokens >= limit or (ratio is not None and hypothesis.compression_ratio > ratio)
    if unlikely or (endless and repeats_from is None) or (words and not timed):
        return "discarded", ()
    return "heard", timed


def _is_unlikely(hypothesis: Hypothesis, threshold: float | None, known_until: float) -> bool:
    if threshold is None or hypothesis.average_logprob >= threshold:
        return False
    new = [math.log(max(word.probability, 1e-9)) for word in hypothesis.words if word.end > known_until]
    return not new or sum(new) / len(new) < threshold


def _without_crowds(words: Sequence[Word], repeats_from: int) -> Iterator[Word]:
    """Leave out words that crowd at one moment, and what is doubtful right behind them.

    Of those that repeat others, from `repeats_from` on, a crowd may take longer.
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
    """Count the words from `first` on of which any CROWD_WORDS end within `seconds`; 0 where they are too few."""
    size = 0
    while first + size < len(words):
        window = words[first + max(0, size + 1 - CROWD_WORDS) : first + size + 1]
        if window[-1].end - window[0].start > seconds:
            break
        size += 1
    return size if size >= CROWD_WORDS else 0


def loop_start(words: Sequence[str]) -> int | None:
    """Index where words begin to repeat those before them again and again; None if they do not."""
    for size in range(1, LOOP_WORDS + 1):
        needed = max(LOOP_TIMES * size, LOOP_LENGTH) - size  # words in a row that equal the one `size` before them
        run = 0
        for index in range(size, len(words)):
            run = run + 1 if words[index] == words[index - size] else 0
            if run == needed:
                return index + 1 - needed
    return None
