"""Conversations as rows of tokens: what the starter language model is trained on, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import torch
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer
from torch import Tensor

from engine.recipes.starter_pairs import Conversation

ROLES = ("<|system|>", "<|user|>", "<|assistant|>")
END = "<|end|>"
TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
IGNORE = -100


def make_tokenizer(texts: Iterable[str], size: int) -> Tokenizer:
    """Byte pairs learnt from sentences; any byte can be written, so any text can."""
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevelDecoder()
    trainer = BpeTrainer(
        vocab_size=size,
        special_tokens=[END, *ROLES],
        initial_alphabet=ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


class Rows:
    """Conversations as rows of tokens, one after another without gaps; only answers, and some questions, are learnt."""

    def __init__(self, tokenizer: Tokenizer, length: int) -> None:
        self._tokenizer = tokenizer
        self._length = length
        self._end, *self._roles = (_number(tokenizer, token) for token in (END, *ROLES))

    def encode(self, conversation: Conversation) -> tuple[list[int], list[bool]]:
        """Tokens, and whether each is to be learnt: it is part of an answer (its end included), or such a question."""
        system, user, assistant = self._roles
        parts = [(system, conversation.system, False)]
        for turn in conversation.turns:
            parts += [(user, turn.user, turn.user_learnt), (assistant, turn.assistant, True)]
        tokens: list[int] = []
        learnt: list[bool] = []
        for role, text, wanted in parts:
            content = [*self._tokenizer.encode(text).ids, self._end]
            tokens += [role, *content]
            learnt += [False, *([wanted] * len(content))]
        return tokens, learnt

    def rows(self, source: Iterator[Conversation]) -> Iterator[tuple[list[int], list[int]]]:
        """Rows of tokens (length,) and their targets; a row begins with a conversation and cuts the last one off."""
        while True:
            tokens: list[int] = []
            learnt: list[bool] = []
            while len(tokens) <= self._length:
                more, answers = self.encode(next(source))
                tokens += more
                learnt += answers
            cut = tokens[: self._length + 1]
            targets = [token if wanted else IGNORE for token, wanted in zip(cut, learnt, strict=False)]
            yield cut[:-1], targets[1:]

    def batch(self, source: Iterator[Conversation], count: int) -> tuple[Tensor, Tensor]:
        """Tokens and targets, each (count, length)."""
        rows = list(islice(self.rows(source), count))
        return torch.tensor([tokens for tokens, _ in rows]), torch.tensor([targets for _, targets in rows])


def _number(tokenizer: Tokenizer, token: str) -> int:
    number = tokenizer.token_to_id(token)
    if number is None:
        raise ValueError(f"The tokenizer has no {token}.")
    return number
