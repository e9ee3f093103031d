"""A Whisper's byte pairs as a tokenizer of Hugging Face's."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from engine.hear.decode.byte_pairs import byte_of

_LETTERS = {byte: character for character, byte in byte_of().items()}


def visible(spelled: bytes) -> str:
    """Write bytes as GPT-2's visible characters."""
    return "".join(_LETTERS[byte] for byte in spelled)


def merges_of(vocabulary: Mapping[bytes, int]) -> list[tuple[bytes, bytes]]:
    """List the pairs that byte-pair encoding joins, in order: what each longer token falls into by lower ranks."""
    merges = []
    for token, rank in sorted(vocabulary.items(), key=lambda item: item[1]):
        parts = [bytes([byte]) for byte in token]
        while len(parts) > 2:
            ranks = [vocabulary.get(a + b, rank) for a, b in pairwise(parts)]
            lowest = min(ranks)
            if lowest >= rank:
                break
            at = ranks.index(lowest)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        if len(parts) == 2:
            merges.append((parts[0], parts[1]))
    return merges


def byte_pair_tokenizer(ranks: Mapping[bytes, int], vocabulary: Mapping[str, int]) -> Tokenizer:
    """Make a tokenizer that joins byte pairs by their ranks; `vocabulary` has the number of every name."""
    merges = [(visible(first), visible(second)) for first, second in merges_of(ranks)]
    made = Tokenizer(models.BPE(vocab=dict(vocabulary), merges=merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return made
