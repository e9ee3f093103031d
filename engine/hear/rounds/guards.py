"""Checks of live hypotheses by signs of silence, improbable text and loops; no particular phrase is filtered."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from engine.events import Hypothesis, Word
from engine.hear.decode.attempts import LEAST_LOGPROB, MOST_COMPRESSION, MOST_NO_SPEECH, plausible_tokens
from engine.hear.rounds.policy import key_of

CERTAIN_SILENCE = 0.9
"""Probability of no speech above which all words are rejected, whatever their probability."""

CERTAIN_SPEECH = 0.1
"""Probability of no speech below which the audio certainly holds speech."""

LAST_LENIENCE = 0.5
"""Tolerance added to LEAST_LOGPROB for audio that will not be recognized again, if it certainly holds speech.

A poor guess is then better than a gap. Chosen in LOG 2026-11-23.
"""

LOOP_WORDS, LOOP_TIMES, LOOP_LENGTH = 8, 3, 8
"""Longest repeated group of words, fewest repetitions in a row, and fewest words of a loop."""

CROWD_WORDS, CROWD_SECONDS = 4, 0.1
"""Fewest words of a crowd, and the longest time that it spans, in seconds.

Nobody speaks this fast; it is a sentence that the decoder invented from its first sound. The next round would correct
it, but on a slow machine the audio may not be recognized again.
"""

REPEATS_SECONDS = 0.3
"""Longest time that a crowd spans if it repeats the words before it, in seconds."""

CROWD_DOUBT = 0.5
"""Probability below which a word after a crowd belongs to the crowd."""

STUCK_LETTER = re.compile(r"([^\W\d_])\1{7}")
"""A letter eight times in a row: not even a cry is written so, but a decoder writes it that is stuck within a word."""

MOST_TOKENS = 224
"""Largest number of tokens that a model writes per span of audio: half of a Whisper decoder's context."""

Verdict = Literal["heard", "silence", "discarded"]


def judge(
    hypothesis: Hypothesis,
    seconds: float,
    known_until: float = 0.0,
    *,
    final: bool = False,
) -> tuple[Verdict, tuple[Word, ...]]:
    """Decide whether a hypothesis over `seconds` of audio is accepted; return the verdict and the accepted words.

    Words that end by `known_until` are committed already; if only they are improbable, the newer ones are accepted.
    `final` means that the audio will not be recognized again. Words without duration are rejected. People need time to
    repeat something; the repetitions of a decoder that has lost the audio have almost no duration.
    """
    spoken = final and hypothesis.no_speech_probability < CERTAIN_SPEECH
    unlikely = _is_unlikely(hypothesis, LEAST_LOGPROB - (LAST_LENIENCE if spoken else 0.0), known_until)
    if hypothesis.no_speech_probability > (MOST_NO_SPEECH if unlikely else CERTAIN_SILENCE):
        return "silence", ()
    words = _before_stuck_letters(hypothesis.words)
    repeats_from = loop_start([key_of(word) for word in words])
    limit = min(plausible_tokens(seconds), MOST_TOKENS)
    if hypothesis.tokens >= limit:
        words = words[:repeats_from]
    timed = tuple(_without_crowds(words, len(words) if repeats_from is None else repeats_from))
    endless = hypothesis.tokens >= limit or hypothesis.compression_ratio > MOST_COMPRESSION
    if unlikely or (endless and repeats_from is None) or (hypothesis.words and not timed):
        return "discarded", ()
    return "heard", timed


def _is_unlikely(hypothesis: Hypothesis, threshold: float, known_until: float) -> bool:
    if hypothesis.average_logprob >= threshold:
        return False
    new = [math.log(max(word.probability, 1e-9)) for word in hypothesis.words if word.end > known_until]
    return not new or sum(new) / len(new) < threshold


def _before_stuck_letters(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words before the first one in which the decoder is stuck: what follows it is as little heard."""
    stuck = (index for index, word in enumerate(words) if STUCK_LETTER.search(word.text))
    return words[: next(stuck, len(words))]


def _without_crowds(words: Sequence[Word], repeats_from: int) -> Iterator[Word]:
    """Drop crowds of words, and improbable words right after them.

    From index `repeats_from` on, words repeat earlier ones, and a crowd may span a longer time.
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
    """Return the number of words from `first` on of which any CROWD_WORDS end within `seconds`; 0 if too few."""
    size = 0
    while first + size < len(words):
        window = words[first + max(0, size + 1 - CROWD_WORDS) : first + size + 1]
        if window[-1].end - window[0].start > seconds:
            break
        size += 1
    return size if size >= CROWD_WORDS else 0


def loop_start(words: Sequence[str]) -> int | None:
    """Return the index at which the words begin to loop; None if there is no loop."""
    for size in range(1, LOOP_WORDS + 1):
        needed = max(LOOP_TIMES * size, LOOP_LENGTH) - size  # consecutive words that equal the word `size` before them
        run = 0
        for index in range(size, len(words)):
            run = run + 1 if words[index] == words[index - size] else 0
            if run == needed:
                return index + 1 - needed
    return None
