"""The byte pairs that Speech-LLaMA writes in: Whisper's, and two special ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tokenizers import AddedToken, Tokenizer

from engine.hear.decode.tokenizer import Tokenizer as WhisperTokenizer
from engine.hear.speech_llama.load import text_tokens
from lab.recipes.speech.byte_pairs import byte_pair_tokenizer, visible
from lab.recipes.speech_llama.special import END

SPECIAL = ("<|end|>", "<|begin|>")
DRAFTED = 8192
"""Number of tokens, the most frequent, that the multi-token heads may propose: few, since their product is most of a
call."""


def byte_pairs_of(whisper: WhisperTokenizer) -> Tokenizer:
    """Copy all byte pairs of a Whisper's, in their order, behind END and BEGIN."""
    ranks = {whisper.token_bytes(token): token for token in range(text_tokens(whisper))}
    vocabulary = {special: number for number, special in enumerate(SPECIAL)}
    vocabulary |= {visible(spelled): token + len(SPECIAL) for spelled, token in ranks.items()}
    tokenizer = byte_pair_tokenizer(ranks, vocabulary)
    tokenizer.add_special_tokens([AddedToken(special, special=True) for special in SPECIAL])
    return tokenizer


class WordSpelling:
    """Turns words and their times into tokens and the windows in which these are said."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._spelled: dict[str, list[int]] = {}

    def spell(self, words: Iterable[tuple[str, float, float]]) -> tuple[list[int], list[tuple[float, float]]]:
        """Spell words, each with its space, and return for each token the window of its word, in seconds."""
        tokens: list[int] = []
        windows: list[tuple[float, float]] = []
        for word, start, end in words:
            spelled = self._spell(word)
            tokens += spelled
            windows += [(start, end)] * len(spelled)
        return tokens, windows

    def _spell(self, word: str) -> list[int]:
        spelled = self._spelled.get(word)
        if spelled is None:
            spelled = self._spelled[word] = self.tokenizer.encode(word, add_special_tokens=False).ids
        return spelled

    def frequent(self, texts: Iterable[Iterable[str]], most: int = DRAFTED) -> list[int]:
        """Find the most frequent tokens of texts, given as words each with its space, and END, in their order."""
        counts = Counter(token for words in texts for word in words for token in self._spell(word))
        return sorted({END, *(token for token, _ in counts.most_common(most - 1))})
