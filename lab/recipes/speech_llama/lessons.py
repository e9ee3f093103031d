"""Lessons of Speech-LLaMA: features of recordings, cut and joined at the words of their transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from engine.metrics import word_errors
from lab.recipes.speech.ear_features import VERSIONS, Changed, EarFeatures
from lab.recipes.speech.transcripts import FRAMES_PER_SECOND, Transcript
from lab.recipes.speech_llama.loss import Batch, batch_of
from lab.recipes.speech_llama.tokens import WordSpelling

LONGEST_SECONDS = 26.0
LONGEST_JOINED_SECONDS = 16.0
MOST_WRONG = 0.3  # of a transcript's words, where what was said is known
MOST_WORDS_A_SECOND = 6.0
BESIDE_A_CUT = 0.12  # seconds of audio kept beside the words, at most
QUIET_SECONDS = 0.4  # the shortest pause that is taught as silence
Word = tuple[str, float, float]


@dataclass(frozen=True, slots=True)
class Piece:
    """Features (t, d) and the words in them, whose times count from its begin."""

    features: NDArray[np.float16]
    words: tuple[Word, ...]


def trustworthy(transcript: Transcript) -> bool:
    """Return whether a transcript is likely what was said: a model that hears nothing writes what it has often read."""
    text, words = transcript.text, len(transcript.words)
    if words > MOST_WORDS_A_SECOND * transcript.clip.seconds + 2 or not text.isascii() or set(text) & set("[]()*<>♪"):
        return False
    if not transcript.clip.text:
        return True
    said = word_errors(transcript.clip.text, text)
    return said.rate <= MOST_WRONG


class SpeechLessons:
    """Examples of transcripts whose features are there: whole, cut between words, or several joined."""

    def __init__(
        self, transcripts: Sequence[Transcript], features: EarFeatures, spelling: WordSpelling, seed: int
    ) -> None:
        self._features, self._spelling = features, spelling
        self._chance = np.random.default_rng(seed)
        self._known = [
            (one, versions)
            for one in transcripts
            if one.clip.seconds <= LONGEST_SECONDS
            and (versions := [v for v in range(VERSIONS) if features.has(Changed(one.clip, v))])
        ]

    def __len__(self) -> int:
        return len(self._known)

    def batches(self, examples: int, size: int) -> list[list[Piece]]:
        """Draw examples, and sort them into batches of like lengths, in any order."""
        drawn = sorted((self.draw() for _ in range(examples)), key=lambda piece: len(piece.features))
        batches = [drawn[start : start + size] for start in range(0, len(drawn), size)]
        self._chance.shuffle(batches)
        return batches

    def draw(self) -> Piece:
        """Draw an example."""
        chance = self._chance.random()
        if chance < 0.015 and (silence := self._pause()):
            return silence
        if chance < 0.7:
            return self._masked(self._one(whole=True))
        if chance < 0.95:
            return self._masked(self._one(whole=False))
        pieces = [self._one(whole=self._chance.random() < 0.4) for _ in range(self._chance.integers(2, 5))]
        while (
            len(pieces) > 1
            and sum(len(piece.features) for piece in pieces) > LONGEST_JOINED_SECONDS * FRAMES_PER_SECOND
        ):
            pieces.pop()
        return self._masked(joined(pieces))

    def _one(self, whole: bool) -> Piece:
        """Draw a transcript, or a part of it."""
        transcript, versions = self._known[self._chance.integers(len(self._known))]
        changed = Changed(transcript.clip, int(self._chance.choice(versions)))
        features = self._features.read(changed)
        words = tuple((word, start / changed.speed, end / changed.speed) for word, start, end in transcript.words)
        piece = Piece(features, words)
        if whole or len(words) < 4:
            return piece
        count = int(self._chance.integers(2, len(words)))
        # The ear knows how long it has listened: a cut at the end is likelier to be met.
        first = int(self._chance.integers(len(words) - count + 1)) if self._chance.random() < 0.4 else 0
        return cut(piece, first, first + count)

    def _pause(self) -> Piece | None:
        """Return the silence before the first word of a transcript, if there is any."""
        whole = self._one(whole=True)
        length = (whole.words[0][1] if whole.words else len(whole.features) / FRAMES_PER_SECOND) - BESIDE_A_CUT
        return Piece(whole.features[: round(length * FRAMES_PER_SECOND)], ()) if length > QUIET_SECONDS else None

    def _masked(self, piece: Piece) -> Piece:
        """Blank some stretches, so that words are known from what is around them too."""
        features = np.array(piece.features)
        for _ in range(int(self._chance.integers(0, 3)) if self._chance.random() < 0.6 else 0):
            length = int(self._chance.integers(2, 18))
            at = int(self._chance.integers(max(1, len(features) - length)))
            features[at : at + length] = features.mean(0, dtype=np.float32)
        return Piece(features, piece.words)

    def batch(self, pieces: Sequence[Piece]) -> Batch:
        """Spell the words of pieces and pad everything."""
        spelled = [self._spelling.spell(piece.words) for piece in pieces]
        frames = [len(piece.features) for piece in pieces]
        features = np.zeros((len(pieces), max(frames), pieces[0].features.shape[1]), np.float32)
        for row, piece in enumerate(pieces):
            features[row, : frames[row]] = piece.features
        return batch_of(torch.from_numpy(features), torch.tensor(frames), spelled)


def cut(piece: Piece, first: int, last: int) -> Piece:
    """Keep the words from `first` to before `last`, and the audio around them, as far as no other word is cut."""
    words, end = piece.words, len(piece.features) / FRAMES_PER_SECOND
    starts = words[first][1] - BESIDE_A_CUT if first else 0.0
    ends = words[last - 1][2] + BESIDE_A_CUT if last < len(words) else end
    starts = max(starts, (words[first - 1][2] + words[first][1]) / 2 if first else 0.0)
    ends = min(ends, (words[last - 1][2] + words[last][1]) / 2 if last < len(words) else end)
    begin = round(starts * FRAMES_PER_SECOND)
    kept = piece.features[begin : max(begin + 3, round(ends * FRAMES_PER_SECOND))]
    offset = begin / FRAMES_PER_SECOND
    return Piece(kept, tuple((word, start - offset, stop - offset) for word, start, stop in words[first:last]))


def joined(pieces: Sequence[Piece]) -> Piece:
    """Put pieces one behind the other."""
    words: list[Word] = []
    seconds = 0.0
    for piece in pieces:
        words += [(word, start + seconds, end + seconds) for word, start, end in piece.words]
        seconds += len(piece.features) / FRAMES_PER_SECOND
    return Piece(np.concatenate([piece.features for piece in pieces]), tuple(words))
