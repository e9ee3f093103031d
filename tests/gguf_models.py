"""Language models with random weights, written as GGUF files that llama.cpp runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gguf import GGUFWriter, TokenType

from tests.language_models import SPECIAL, TEMPLATE

STATES, HEADS, FEED_FORWARD, LAYERS = 32, 4, 64, 2


def write_gguf(
    path: Path,
    *,
    template: str | None = TEMPLATE,
    tokenizer: bool = True,
    architecture: str = "llama",
    context: int = 1024,
) -> Path:
    """Write a tiny Llama whose tokens are bytes and the marks of the template, and return its path."""
    writer = GGUFWriter(path, architecture)
    writer.add_context_length(context)
    writer.add_embedding_length(STATES)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(STATES // HEADS)
    tokens = [*SPECIAL, *_byte_letters()]
    if tokenizer:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_list(tokens)
        writer.add_token_types([TokenType.CONTROL] * len(SPECIAL) + [TokenType.NORMAL] * 256)
        writer.add_token_merges(["t h"])
        writer.add_eos_token_id(0)
    if template is not None:
        writer.add_chat_template(template)
    random = np.random.default_rng(0)
    shapes = {"token_embd": (len(tokens), STATES), "output": (len(tokens), STATES), "output_norm": (STATES,)}
    for layer in range(LAYERS):
        square, wide = (STATES, STATES), (FEED_FORWARD, STATES)
        shapes |= {f"blk.{layer}.{name}": square for name in ("attn_q", "attn_k", "attn_v", "attn_output")}
        shapes |= {f"blk.{layer}.{name}": wide for name in ("ffn_gate", "ffn_up")}
        shapes |= {f"blk.{layer}.ffn_down": wide[::-1]}
        shapes |= {f"blk.{layer}.{name}": (STATES,) for name in ("attn_norm", "ffn_norm")}
    for name, shape in shapes.items():
        values = np.ones(shape) if name.endswith("norm") else random.normal(0, 0.3, shape)
        writer.add_tensor(f"{name}.weight", values.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _byte_letters() -> list[str]:
    """Return the letters by which byte-level tokenizers write bytes."""
    from tokenizers.pre_tokenizers import ByteLevel

    return sorted(ByteLevel.alphabet())
