"""The byte pairs that Speech-LLaMA writes in, and the targets it learns to write."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from engine.recipes.starter_examples import IGNORE, Example, Scene

END, BEGIN = 0, 1
SPECIAL = ("<|end|>", "<|begin|>")
VOCABULARY = 1024


def learn_byte_pairs(sentences: Iterable[str], size: int = VOCABULARY) -> Tokenizer:
    """Learn so many tokens from sentences: bytes, what is frequent among them, and the two special ones.

    Few on purpose: a small model spells rare words, and the tokens after the next are easier where words are several.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator((" " + sentence for sentence in sentences), trainer)
    return tokenizer


class BytePairTargets:
    """Turns the words of a scene into tokens between the begin and the end of the text."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer

    @classmethod
    def load(cls, file: Path) -> BytePairTargets:
        return cls(Tokenizer.from_file(str(file)))

    def covers(self, text: str) -> bool:
        """Bytes spell everything."""
        return True

    def example(self, scene: Scene, previous: list[str] | None = None, timestamps: bool = False) -> Example:
        """Make the example of a scene; it has neither previous text nor timestamps."""
        tokens: list[int] = []
        windows: list[tuple[float, float]] = []
        for words, times in zip(scene.sentences, scene.words, strict=True):
            spelled, where = self._sentence(words, times)
            tokens += spelled
            windows += where
        last = scene.words[-1][-1, 1] if scene.timed else math.nan
        ending = (last, scene.seconds) if scene.timed else (math.nan, math.nan)
        return Example(
            samples=scene.samples,
            tokens=np.array([BEGIN, *tokens]),
            targets=np.array([*tokens, END]),
            windows=np.array([*windows, ending], np.float32),
            phonemes=None,
        )

    def text(self, tokens: list[int]) -> str:
        """Read tokens as text, up to the first that ends it."""
        stop = tokens.index(END) if END in tokens else len(tokens)
        return self.tokenizer.decode(tokens[:stop]).strip()

    def _sentence(self, words: list[str], times: np.ndarray) -> tuple[list[int], list[tuple[float, float]]]:
        """Spell a sentence and give each token the window of its word."""
        text = " " + " ".join(words)
        encoding = self.tokenizer.encode(text)
        if not len(times):
            return encoding.ids, [(math.nan, math.nan)] * len(encoding.ids)
        which = [text.count(" ", 0, start + 1) - 1 for start, _ in encoding.offsets]
        return encoding.ids, [(float(times[word, 0]), float(times[word, 1])) for word in which]


def targets_ahead(targets: np.ndarray, ahead: int) -> np.ndarray:
    """The targets (b, t) of the head that predicts so many tokens ahead: IGNORE behind the end of the text."""
    later = np.full_like(targets, IGNORE)
    count = targets.shape[1] - (ahead - 1)
    if count > 0:
        later[:, :count] = targets[:, ahead - 1 :]
    return later
