"""Conversations as rows of tokens: what the starter language model is trained on, batch by batch."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice

import torch
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer
from torch import Tensor

from lab.recipes.sentences.pairs import Conversation

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

    def encode(self, conversation: Conversation) -> tuple[list[int], list[float]]:
        """Return tokens, and how much each counts: 0 unless it is part of an answer (its end included), or such a
        question.

        A conversation without a system message has no place for it.
        """
        system, user, assistant = self._roles
        parts = [(system, conversation.system, 0, 0.0)] if conversation.system else []
        for turn in conversation.turns:
            parts.append((user, turn.user, turn.user_given, float(turn.user_learnt)))
            parts.append((assistant, turn.assistant, turn.assistant_given, turn.weight))
        tokens: list[int] = []
        weights: list[float] = []
        for role, text, given, weight in parts:
            content = self._tokenizer.encode(text)
            tokens += [role, *content.ids, self._end]
            weights += [0.0, *(weight * (begin >= given) for begin, _ in content.offsets), weight]
        return tokens, weights

    def rows(self, source: Iterator[Conversation]) -> Iterator[tuple[list[int], list[int], list[float]]]:
        """Return rows of tokens (length,), their targets, and how much those count.

        A row begins with a conversation and cuts the last one off; one that must not be cut off waits for the next.
        """
        waiting: deque[tuple[list[int], list[float]]] = deque()
        while True:
            tokens: list[int] = []
            weights: list[float] = []
            while len(tokens) <= self._length:
                if waiting and not tokens:
                    more, counting = waiting.popleft()
                else:
                    conversation = next(source)
                    more, counting = self.encode(conversation)
                    room = self._length + 1 - len(tokens)
                    if any(turn.assistant_given for turn in conversation.turns) and room < len(more) <= self._length:
                        waiting.append((more, counting))
                        continue
                tokens += more
                weights += counting
            cut = tokens[: self._length + 1]
            targets = [token if weight else IGNORE for token, weight in zip(cut, weights, strict=False)]
            yield cut[:-1], targets[1:], weights[1 : self._length + 1]

    def batch(self, source: Iterator[Conversation], count: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return tokens, targets, and how much those count, each (count, length)."""
        tokens, targets, weights = zip(*islice(self.rows(source), count), strict=True)
        return torch.tensor(tokens), torch.tensor(targets), torch.tensor(weights)


def _number(tokenizer: Tokenizer, token: str) -> int:
    number = tokenizer.token_to_id(token)
    if number is None:
        raise ValueError(f"The tokenizer has no {token}.")
    return number
