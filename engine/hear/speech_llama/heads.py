"""Latent heads: they predict later tokens from the state that predicts the next one.

Source: "Faster Speech-LLaMA Inference with Multi-token Prediction" (arXiv:2409.08148), section II. Head 1 is the model
itself; heads 2 to K are here, one matrix each before the model's unembedding. They do not know what the heads before
them proposed, as those of Whisper-Medusa do not (arXiv:2409.15869); Hydra's heads do (arXiv:2402.05109).

Shapes: m positions, d states, u predicted tokens.
"""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

from engine.hear.decode.decoder import Tokens


class LatentHeads:
    """Heads 2 to K of one model, as engine.hear.decode.decoder.Heads.

    Attributes:
        latent: a matrix (d, d) for each head, as one array (K - 1, d, d).
        draft_tokens: the tokens that they may propose (u,), or None for the whole vocabulary.
    """

    def __init__(self, embedding: nn.Embedding, latent: mx.array, draft_tokens: Tokens | None = None) -> None:
        """Create the heads of the model with this embedding; they are evaluated, so that any thread may use them."""
        self.latent = latent
        self.draft_tokens = draft_tokens
        self._embedding = embedding
        self._rows = None if draft_tokens is None else mx.contiguous(embedding(mx.array(draft_tokens)).T)
        mx.eval(latent, *([] if self._rows is None else [self._rows]))

    @property
    def ahead(self) -> int:
        """Number of tokens predicted at once, K, the next one included."""
        return len(self.latent) + 1

    def logits(self, states: mx.array, count: int) -> mx.array:
        """Return the logits (m, count, u), float32, of heads 2 to count + 1 for states (m, d)."""
        matrices = self.latent[:count].reshape(-1, states.shape[-1])
        seen = (states @ matrices.T).reshape(len(states), -1, states.shape[-1])
        logits: mx.array = self._embedding.as_linear(seen) if self._rows is None else seen @ self._rows
        return logits.astype(mx.float32)
