"""The score that a translation model gives its own translation: the mean log-probability of its words' tokens.

A translation that the model itself finds unlikely is mostly wrong (Fomicheva et al., "Unsupervised Quality Estimation
for Neural Machine Translation"). One forward of the model tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.options import TranslationOptions
from engine.translate.prompt import PromptLayout, most_output
from engine.translate.source import clean

if TYPE_CHECKING:
    from engine.language.language_model import LanguageModel

LOWEST_SCORE = -0.6
"""Lowest score of a translation that is worth showing. Chosen in LOG 2026-11-28."""


class OwnScore:
    """Judges finished translations by the model that wrote them."""

    def __init__(self, model: LanguageModel, options: TranslationOptions) -> None:
        self._model = model
        self._layout = PromptLayout(model, options)

    def of(self, source: str, translation: str) -> float:
        """Return the score of a translation; 0 where there is nothing to judge, or no room to judge it."""
        words = clean(source)
        tokens = self._model.encode(translation)
        if not words or not tokens:
            return 0.0
        prompt = self._layout.fitting((), words, most_output(self._layout.count(words)))
        read = [*prompt, *tokens]
        if len(read) > self._model.context_tokens:
            return 0.0
        logits = self._model.logits(read, self._model.new_cache(), len(tokens) + 1)[:-1]
        logits = logits - logits.max(axis=1, keepdims=True)
        logprobs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        own = logprobs[np.arange(len(tokens)), np.array(tokens)]
        worded = [
            any(map(str.isalnum, self._model.decode([token]))) for token in tokens
        ]  # marks are spelt in many ways
        return float(own[worded].mean()) if any(worded) else 0.0

    def is_sure(self, source: str, translation: str) -> bool:
        """Return whether the model finds its translation likely enough to be shown."""
        return self.of(source, translation) >= LOWEST_SCORE
