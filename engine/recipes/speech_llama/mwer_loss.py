"""What minimum word error rate training minimises: the word errors that a model expects of its own hypotheses.

Source: "Faster Speech-LLaMA Inference with Multi-token Prediction" (arXiv:2409.08148), equations 6, 11 and 12.

Shapes: n hypotheses, t tokens, s encoder frames, d states, k heads, v tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.hear.decode.beam import Candidate
from engine.hear.speech_llama.model import SpeechLlama
from engine.hear.whisper.heads import Heads


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One of the N best.

    Attributes:
        tokens: what was written, the end of text last where it was.
        heads: which head wrote each of them: 1 predicts the next token.
        errors: words that would have to be changed, dropped or added.
    """

    tokens: tuple[int, ...]
    heads: tuple[int, ...]
    errors: int

    @classmethod
    def of(cls, candidate: Candidate, end: int, errors: int) -> Hypothesis:
        """What a search found; `end` is the token that ends a text."""
        ended = (end,) if candidate.has_ended else ()
        return cls((*candidate.tokens, *ended), candidate.heads, errors)


class Writer(nn.Module):
    """A Speech-LLaMA and its heads as one module to be trained; nothing but the heads may be missing."""

    def __init__(self, speech: SpeechLlama, heads: Heads | None, start: Sequence[int], end: int) -> None:
        super().__init__()
        self.speech = speech
        self.heads = heads
        self._start, self.end = tuple(start), end

    @property
    def ahead(self) -> int:
        """How many tokens it predicts at once, the next one included."""
        return self.heads.ahead if self.heads is not None else 1

    def expected_errors(self, frames: mx.array, hypotheses: Sequence[Hypothesis]) -> mx.array:
        """The word errors expected of encoder frames (1, s, d) by equation 6: a scalar.

        The probabilities of the hypotheses are normalised over them.
        """
        states = self.states(frames, [hypothesis.tokens for hypothesis in hypotheses])
        return expected_errors(self.logprobs(states, hypotheses), hypotheses)

    def losses(
        self, frames: mx.array, reference: Sequence[int], hypotheses: Sequence[Hypothesis], weights: Sequence[float]
    ) -> tuple[mx.array, mx.array]:
        """The expected word errors (equation 6), and the cross-entropy of what was said (equation 11), summed.

        Args:
            frames: (1, s, d) of the encoder.
            reference: tokens of what was said, their end included.
            weights: what each head counts in the cross-entropy, the first one's first.

        All are read in one forward, behind the same audio.
        """
        states = self.states(frames, [*(hypothesis.tokens for hypothesis in hypotheses), reference])
        expected = expected_errors(self.logprobs(states[:-1], hypotheses), hypotheses)
        return expected, self.cross_entropy(states[-1, : len(reference)], reference, weights)

    def states(self, frames: mx.array, texts: Sequence[Sequence[int]]) -> mx.array:
        """The final states (n, t, d) before each token of some texts, shorter ones padded; frames (1, s, d)."""
        longest = max(len(text) for text in texts)
        before = len(self._start) - 1
        rows = np.full((len(texts), before + max(1, longest)), self.end)
        for row, text in zip(rows, texts, strict=True):
            row[: before + max(1, len(text))] = (*self._start, *text[:-1])
        audio = self.speech.embed(frames)
        return self.speech.teach(audio, mx.array([audio.shape[1]]), mx.array(rows))[:, before:]

    def logprobs(self, states: mx.array, hypotheses: Sequence[Hypothesis]) -> mx.array:
        """The log-probability (n,) of each hypothesis: of each token by the head that wrote it (equation 12).

        The head that looked k tokens ahead of what had been read saw the state before the k-1 tokens between.
        """
        rows = np.array([row for row, one in enumerate(hypotheses) for _ in one.tokens], np.int64)
        places = np.array([place for one in hypotheses for place in range(len(one.tokens))], np.int64)
        tokens = np.array([token for one in hypotheses for token in one.tokens], np.int64)
        heads = np.array([head for one in hypotheses for head in one.heads], np.int64)
        order = np.concatenate([np.flatnonzero(heads == 1), np.flatnonzero(heads > 1)])
        rows, places, tokens, heads = rows[order], places[order], tokens[order], heads[order]
        seen = states[mx.array(rows), mx.array(places - heads + 1)]
        first = int((heads == 1).sum())
        logits = [self.speech.logits(seen[:first])] if first else []
        if first < len(heads):
            assert self.heads is not None
            ahead = self.heads.logits(seen[first:], int(heads.max()) - 1)
            logits.append(ahead[mx.arange(len(heads) - first), mx.array(heads[first:] - 2)])
        if not logits:
            return mx.zeros(len(hypotheses))
        written = nn.losses.cross_entropy(mx.concatenate(logits), mx.array(tokens))
        whose = (rows == np.arange(len(hypotheses))[:, None]).astype(np.float32)
        return -(mx.array(whose) @ written)

    def cross_entropy(self, states: mx.array, reference: Sequence[int], weights: Sequence[float]) -> mx.array:
        """The heads' cross-entropies of a text, weighed and summed over its tokens; states (t, d) before each."""
        tokens = mx.array(np.array(reference))
        total = weights[0] * nn.losses.cross_entropy(self.speech.logits(states), tokens).sum()
        count = min(len(weights), self.ahead, len(reference)) - 1
        if self.heads is None or count < 1:
            return total
        ahead = self.heads.logits(states, count)
        for head in range(2, count + 2):
            logits = ahead[: len(reference) - head + 1, head - 2]
            total = total + weights[head - 1] * nn.losses.cross_entropy(logits, tokens[head - 1 :]).sum()
        return total


def expected_errors(logprobs: mx.array, hypotheses: Sequence[Hypothesis]) -> mx.array:
    """The mean of the hypotheses' word errors, each as likely as it is among them: logprobs (n,) to a scalar."""
    errors = mx.array(np.array([hypothesis.errors for hypothesis in hypotheses], np.float32))
    return (mx.softmax(logprobs) * errors).sum()
