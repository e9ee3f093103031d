"""How many answers a starter language model knows by heart, told by one forward over each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from engine.recipes.language.rows import Rows
from engine.recipes.sentences.pairs import Conversation

BATCH = 64


@torch.no_grad()
def exact_shares(
    model: Any, rows: Rows, exam: Mapping[str, Sequence[Conversation]], *, bfloat16: bool = False
) -> dict[str, float]:
    """The share of conversations of each kind whose last answer a model (Qwen3ForCausalLM) writes to the letter."""
    shares = {}
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # products are small: threads would wait for each other longer than they compute
    for name, conversations in exam.items():
        asked = sorted((_asked(rows, each) for each in conversations), key=lambda each: len(each[0]))
        batches = [asked[begin : begin + BATCH] for begin in range(0, len(asked), BATCH)]
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            shares[name] = sum(int(_exact(model, batch).sum()) for batch in batches) / max(1, len(asked))
    torch.set_num_threads(threads)
    return shares


def _asked(rows: Rows, conversation: Conversation) -> tuple[list[int], list[bool]]:
    """Tokens, and which of them are of the last answer; neither what was given of it nor its end is."""
    *before, last = (replace(turn, user_learnt=False) for turn in conversation.turns)
    before = [replace(turn, weight=0.0) for turn in before]
    tokens, weights = rows.encode(Conversation(conversation.system, (*before, last)))
    return tokens[:-1], [weight > 0 for weight in weights[:-1]]


def _exact(model: Any, asked: Sequence[tuple[list[int], list[bool]]]) -> Tensor:
    """Which answers (b,) greedy decoding would write: each of their tokens is the likeliest behind those before it."""
    longest = max(len(tokens) for tokens, _ in asked)
    tokens = torch.tensor([[*tokens, *[0] * (longest - len(tokens))] for tokens, _ in asked])
    wanted = torch.tensor([[*wanted, *[False] * (longest - len(wanted))] for _, wanted in asked])
    states = model.model(input_ids=tokens, use_cache=False).last_hidden_state[:, :-1]
    right = torch.ones_like(tokens, dtype=torch.bool)
    places = wanted[:, 1:]
    right[:, 1:][places] = model.lm_head(states[places]).argmax(-1) == tokens[:, 1:][places]
    return right.all(dim=1)
