"""Word timing from the attention of alignment heads while they predict each token.

The method is the published one: attention scores of the alignment heads, softmax over frames, standardized over tokens,
a median filter over time, the mean over heads, and the cheapest monotonic path through it. In addition, words lose the
silence around them, which the path has to assign to some word.

Shapes: h alignment heads, n tokens, t frames of features (50 per second).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.events import Word
from engine.hear.decode.cache import CrossCache
from engine.hear.decode.rules import log_sum_exp
from engine.hear.decode.tokenizer import TextTokens, Tokenizer
from engine.hear.whisper.model import Whisper
from engine.machine.device_turn import evaluate

Array = NDArray[np.float32]

FRAMES_PER_SECOND = 50
MEDIAN_WIDTH = 7
LOOK_SHARE = 0.05  # of a word's strongest attention: below it, the word does not attend to a frame
LEADING_FRAMES = 1
TRAILING_FRAMES = 3
LEAST_SILENCE_FRAMES = 15  # attention fades before a word ends; a shorter gap after it is no silence
REWIND_FRAMES = 100
REWIND_TOKENS = 4
STEADY_TOKENS = 3
CUT_CHARACTER = "\ufffd"


def align_words(
    model: Whisper,
    tokenizer: Tokenizer,
    cross: CrossCache,
    tokens: Sequence[int],
    *,
    language: str,
    frames: int,
    offset_seconds: float,
    probabilities: Sequence[float] | None = None,
    into_english: bool = False,
) -> tuple[Word, ...]:
    """Return the words of decoded tokens with times, by one block forward over the tokens.

    Args:
        cross: the cross cache of the features that the tokens were decoded from.
        frames: number of feature frames that are audio, at least 1; words end within them.
        offset_seconds: start of the first frame, on the stream's clock.
        probabilities: probabilities of the tokens, as decoded; by default they come from the forward.
        into_english: whether the tokens are English, whatever language is spoken.

    Times never run backwards, from word to word and from start to end. Tokens after attention went back to transcribed
    audio are left out, and so are a character without its last bytes, and text without a letter or digit. The tokens of
    all words, concatenated, are the remaining text.
    """
    kept = [index for index, token in enumerate(tokens) if not tokenizer.is_special(token)]
    text = [tokens[index] for index in kept]
    if not text:
        return ()
    start = tokenizer.sot_sequence(language, into_english=into_english)
    sequence = [*start, *text, tokenizer.eot]
    rows = range(len(start) - 1, len(sequence) - 2)  # row i predicts token i + 1
    logits, scores = model.decode(
        mx.array([sequence]),
        cross,
        model.new_cache(),
        with_alignment=True,
        rows=[*rows] if probabilities is None else [-1],
    )
    assert scores is not None
    scores = scores[0, :, :, : min(frames, cross.frames)].astype(mx.float32)
    logits = logits[0]
    evaluate(scores, *([logits] if probabilities is None else []))  # whole: numpy would compute with the turn held
    if probabilities is None:
        spoken = _token_probabilities(np.array(logits), text)
    else:
        spoken = np.array([probabilities[index] for index in kept])
    looks = follow_attention(np.array(scores), len(start) - 1)
    written = "en" if into_english else language
    return time_words(tokenizer, text, looks, spoken, language=written, offset_seconds=offset_seconds)


def time_words(
    tokenizer: TextTokens,
    text: Sequence[int],
    looks: TokenAttention,
    spoken: NDArray[np.float64],
    *,
    language: str,
    offset_seconds: float,
) -> tuple[Word, ...]:
    """Return the words of text tokens (n,) with probabilities (n,), from the attention of the tokens and their end (n +
    1).

    See align_words for what is left out, and for the order of times.
    """
    heard = tokens_before_rewind(looks.weights[:-1])
    groups = [group for group in _groups(tokenizer, text, language) if group.last < heard]
    return _words(merge_punctuation(groups), text, looks, spoken, offset_seconds)


@dataclass(frozen=True, slots=True)
class TokenAttention:
    """Attention to the audio while n tokens were predicted.

    Attributes:
        weights: mean attention of the heads (n, t).
        peaks: frame (n,) of each token's strongest attention, standardized and filtered.
        starts: frame (n,) where each token starts on the cheapest path.
    """

    weights: Array
    peaks: NDArray[np.int64]
    starts: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Group:
    """Consecutive tokens that form a word: first to last, of which core_first to core_last hold its letters."""

    text: str
    first: int
    last: int
    core_first: int
    core_last: int

    @property
    def is_said(self) -> bool:
        return any(character.isalnum() for character in self.text)

    def joined(self, following: Group) -> Group:
        """Return this and the following group as one; the core is that of the spoken one."""
        core = following if following.is_said and not self.is_said else self
        return Group(self.text + following.text, self.first, following.last, core.core_first, core.core_last)


def merge_punctuation(groups: Sequence[Group]) -> list[Group]:
    """Attach every punctuation mark to a word: an opening one to the next word, all others to the word before."""
    merged: list[Group] = []
    opening: Group | None = None
    for group in groups:
        if opening is not None:
            group = opening.joined(group)
            opening = None
        if not group.is_said and (not merged or _opens(group.text)):
            opening = group
        elif not group.is_said:
            merged[-1] = merged[-1].joined(group)
        else:
            merged.append(group)
    if opening is not None and merged:
        merged[-1] = merged[-1].joined(opening)
    return merged


def _opens(mark: str) -> bool:
    """Return whether a mark belongs to the next word: an opening bracket, or a quote, dash or sign after a space."""
    last = mark.strip()[-1:] or " "
    kind = unicodedata.category(last)
    return kind in {"Ps", "Pi"} or (mark.startswith(" ") and (kind == "Sc" or last in "\"'¿¡#-"))


def _groups(tokenizer: TextTokens, text: Sequence[int], language: str) -> list[Group]:
    groups = []
    first = 0
    for word, word_tokens in zip(*tokenizer.split_to_words(_whole(tokenizer, text), language), strict=True):
        last = first + len(word_tokens) - 1
        groups.append(Group(word.replace(CUT_CHARACTER, ""), first, last, first, last))
        first = last + 1
    return groups


def _whole(tokenizer: TextTokens, text: Sequence[int]) -> Sequence[int]:
    """Return the tokens up to the last complete character: a decoding may end within one."""
    while text and tokenizer.decode(text).endswith(CUT_CHARACTER):
        text = text[:-1]
    return text


def _words(
    groups: Sequence[Group], text: Sequence[int], looks: TokenAttention, spoken: NDArray[np.float64], offset: float
) -> tuple[Word, ...]:
    """Return words of groups of text tokens (n,), from the attention of the tokens and their end (n + 1)."""
    words = []
    for group in groups:
        first, end = int(looks.starts[group.first]), int(looks.starts[group.last + 1])
        core = slice(group.core_first, group.core_last + 1)
        if end > first:
            first, end = _tightened(looks.weights[core, first:end], first)
        words.append(
            Word(
                text=group.text,
                start=offset + first / FRAMES_PER_SECOND,
                end=offset + end / FRAMES_PER_SECOND,
                probability=float(spoken[group.first : group.last + 1].mean()),
                tokens=tuple(text[group.first : group.last + 1]),
                attended=offset + int(looks.peaks[core].max()) / FRAMES_PER_SECOND,
            )
        )
    return tuple(words)


def _tightened(looks: Array, first: int) -> tuple[int, int]:
    """Return the frames (from, to) that a word attends to, among those of the path: looks (tokens, frames)."""
    profile = looks.max(axis=0)
    seen = np.flatnonzero(profile >= LOOK_SHARE * profile.max())
    start = max(0, int(seen[0]) - LEADING_FRAMES)
    end = int(seen[-1]) + 1 + TRAILING_FRAMES
    return first + start, first + (end if len(profile) - end >= LEAST_SILENCE_FRAMES else len(profile))


def follow_attention(scores: Array, first: int) -> TokenAttention:
    """Return the attention of the rows from `first` up to the last but one, from scores (h, rows, t) before softmax."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    deviation = np.maximum(weights.std(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    standard = ((weights - weights.mean(axis=1, keepdims=True)) / deviation)[:, first:-1]
    matrix = median_filter(standard, MEDIAN_WIDTH).mean(axis=0)
    return TokenAttention(weights[:, first:-1].mean(axis=0), matrix.argmax(axis=1), path_starts(-matrix))


def _token_probabilities(logits: Array, text: Sequence[int]) -> NDArray[np.float64]:
    """Return the probability of each text token (n,) in the logits (n, n_vocab) that predict them."""
    return np.array([np.exp(row[token] - log_sum_exp(row)) for row, token in zip(logits, text, strict=True)])


def median_filter(x: Array, width: int) -> Array:
    """Filter with the median of `width` (odd) neighbours on the last axis, mirrored at its ends; too short an axis
    stays.
    """
    half, count = width // 2, x.shape[-1]
    if count <= half:
        return x
    padded = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(half, half)], mode="reflect")
    shifted = [padded[..., index : index + count] for index in range(width)]
    for place in range(half + 1):  # selection sort of all positions at once, up to the middle one
        for other in range(place + 1, width):
            low, high = np.minimum(shifted[place], shifted[other]), np.maximum(shifted[place], shifted[other])
            shifted[place], shifted[other] = low, high
    return shifted[half]


def path_starts(cost: NDArray[np.floating]) -> NDArray[np.int64]:
    """Align by dynamic time warping: return the frame (n,) where each row starts on the cheapest path through cost (n,
    t).

    The path leads from the first corner to the last; each step goes one frame on, one row on, or both. A row costs the
    sum over its frames, so the minimum cost of a row at a frame is a running minimum over the frames where the row may
    have been entered. Whole rows are computed at once.
    """
    rows, frames = cost.shape
    sums = np.cumsum(cost, axis=1, dtype=np.float64)
    before = sums - cost
    reached = np.empty((rows, frames))  # minimum cost of a path to a cell
    entered = np.empty((rows, frames))  # ... of entering its row here, minus the row's cost up to here
    reached[0] = sums[0]
    for row in range(1, rows):
        above = reached[row - 1]
        entered[row, 0] = above[0] - before[row, 0]
        entered[row, 1:] = np.minimum(above[1:], above[:-1]) - before[row, 1:]
        reached[row] = np.minimum.accumulate(entered[row]) + sums[row]
    starts = np.zeros(rows, np.int64)
    frame = frames - 1
    for row in range(rows - 1, 0, -1):
        frame = int(entered[row, : frame + 1].argmin())
        starts[row] = frame
        if frame > 0 and reached[row - 1, frame - 1] <= reached[row - 1, frame]:
            frame -= 1
    return starts


def tokens_before_rewind(attention: Array) -> int:
    """Return how many tokens (n, t) were predicted before attention went back permanently.

    That happens when a decoder fails to stop. A single glance forward is no progress: only frames that STEADY_TOKENS
    tokens reached count.
    """
    peaks = attention.argmax(axis=1).tolist()
    steady = [sorted(peaks[: count + 1])[-min(STEADY_TOKENS, count + 1)] for count in range(len(peaks))]
    tail = 0
    while tail < len(peaks) and steady[-1 - tail] - peaks[-1 - tail] > REWIND_FRAMES:
        tail += 1
    return len(peaks) - tail if tail >= REWIND_TOKENS else len(peaks)
