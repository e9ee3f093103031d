"""The weights of a translation model under Marian's names, from Marian's own file or Hugging Face's safetensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError
from engine.weights.binary import refuse_non_finite
from engine.weights.marian import MarianFile, Matrix, read_marian
from engine.weights.model_folder import read_json, weight_files
from engine.weights.safetensors import ADVICE, read_header
from engine.weights.storage import binary_in

MOST_LAYERS, MOST_STATES, MOST_TOKENS = 100, 16384, 1_000_000
"""Bounds of what is still a translation model."""

END = 0
"""Token that ends a sentence in Marian's vocabularies."""

_IGNORED = ("_QuantMultA",)
_NEEDED = {
    "type": ("transformer",),
    "transformer-preprocess": ("", "d"),
    "transformer-postprocess": ("dan", "da", "an"),
    "transformer-decoder-autoreg": ("rnn", "self-attention"),
    "transformer-ffn-activation": ("relu", "swish"),
    "transformer-ffn-depth": ("2",),
    "transformer-train-position-embeddings": ("false",),
    "transformer-no-projection": ("false",),
    "dec-cell": ("ssru", "gru"),
    "right-left": ("false",),
}
"""Settings of Marian's, and their values that are computed here."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a network, and what is computed in it.

    Attributes:
        recurrent: the decoder has SSRUs in place of attention to itself.
        swish: the feed-forward layers have swish in place of relu.
        end, start: tokens; -1 starts without an embedding.
        muted: tokens that are never written.
        long_waves: the longest wave of the positions is 10,000 exactly, as in Marian, not as in Hugging Face's.
    """

    encoder_layers: int
    decoder_layers: int
    width: int
    heads: int
    inner: int
    source_tokens: int
    target_tokens: int
    recurrent: bool = False
    swish: bool = False
    end: int = END
    start: int = -1
    muted: tuple[int, ...] = ()
    long_waves: bool = True
    scales_embeddings: bool = True

    def frequencies(self) -> NDArray[np.float64]:
        """Return the frequencies (d / 2,) of the waves that tell positions."""
        count = self.width // 2
        rates: NDArray[np.float64] = 10000.0 ** (-np.arange(count) / max(1, count - self.long_waves))
        return rates


@dataclass(frozen=True, slots=True)
class Stored:
    """Weights of a network whose names and shapes have been checked.

    Attributes:
        joint: the tensor with the embeddings of both sides, or that of each side.
    """

    shape: Shape
    path: Path
    matrix: Callable[[str], Matrix]
    vector: Callable[[str], NDArray[np.float32]]
    table: Callable[[str], Matrix]
    names: frozenset[str]

    def embeddings(self, side: str) -> Matrix:
        """Return the embeddings of a side, "encoder" or "decoder"."""
        return self.table(table_of(self.names, side))

    def output_bias(self) -> NDArray[np.float32]:
        """Return what is added to the logits (vocabulary,); tokens that are never written get none."""
        bias = self.vector("decoder_ff_logit_out_b").copy()
        bias[list(self.shape.muted)] = -1e9
        return bias


def table_of(names: frozenset[str], side: str) -> str:
    """Return the name of a side's embeddings."""
    return f"{side}_Wemb" if f"{side}_Wemb" in names else "Wemb"


def open_stored(folder: Path) -> Stored:
    """Check the weights of a folder without reading them. Raises ModelError if something is wrong with them."""
    binary = binary_in(folder)
    stored = _of_binary(read_marian(binary)) if binary is not None else _of_safetensors(folder)
    _check_sizes(stored.shape, stored.path)
    return stored


def _check_sizes(shape: Shape, path: Path) -> None:
    layers, sizes = (shape.encoder_layers, shape.decoder_layers), (shape.width, shape.inner)
    fits = all(0 < count <= MOST_LAYERS for count in layers) and all(0 < size <= MOST_STATES for size in sizes)
    fits = fits and all(1 < count <= MOST_TOKENS for count in (shape.source_tokens, shape.target_tokens))
    if not fits or shape.heads < 1 or shape.width % shape.heads or shape.width % 2:
        raise ModelError(f"{path} describes no translation model: its sizes are {layers}, {sizes}, {shape.heads}.")


def expected(shape: Shape, names: frozenset[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the name and the shape of every tensor, matrices as (inputs, outputs)."""
    d, inner = shape.width, shape.inner
    yield table_of(names, "encoder"), (shape.source_tokens, d)
    yield table_of(names, "decoder"), (shape.target_tokens, d)
    yield "decoder_ff_logit_out_b", (1, shape.target_tokens)

    def norm(name: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        yield f"{name}_ln_scale", (1, d)
        yield f"{name}_ln_bias", (1, d)

    def attention(name: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        for each in "qkvo":
            yield f"{name}_W{each}", (d, d)
            yield f"{name}_b{each}", (1, d)
        yield from norm(f"{name}_Wo")

    def feed_forward(name: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        yield from (
            (f"{name}_ffn_W1", (d, inner)),
            (f"{name}_ffn_b1", (1, inner)),
            (f"{name}_ffn_W2", (inner, d)),
            (f"{name}_ffn_b2", (1, d)),
        )
        yield from norm(f"{name}_ffn_ffn")

    for layer in range(1, shape.encoder_layers + 1):
        yield from attention(f"encoder_l{layer}_self")
        yield from feed_forward(f"encoder_l{layer}")
    for layer in range(1, shape.decoder_layers + 1):
        if shape.recurrent:
            name = f"decoder_l{layer}_rnn"
            yield from ((f"{name}_W", (d, d)), (f"{name}_Wf", (d, d)), (f"{name}_bf", (1, d)))
            yield from norm(f"{name}_ffn")
        else:
            yield from attention(f"decoder_l{layer}_self")
        yield from attention(f"decoder_l{layer}_context")
        yield from feed_forward(f"decoder_l{layer}")


def _check_tensors(shape: Shape, held: dict[str, tuple[int, ...]], place: Path) -> None:
    """Compare the shapes of tensors with those of the network."""
    wanted = dict(expected(shape, frozenset(held)))
    missing = sorted(wanted.keys() - held.keys())
    if missing:
        raise ModelError(f"{place} lacks {len(missing)} of {len(wanted)} tensors, {missing[0]} first. {ADVICE}")
    surplus = sorted(held.keys() - wanted.keys())
    if surplus:
        raise ModelError(f"{place} holds {surplus[0]}, which is no part of the translation models that Earshot runs.")
    for name, needed in wanted.items():
        if held[name] != needed:
            raise ModelError(f"{name} in {place} has the shape {held[name]}; the model needs {needed}.")


def _of_binary(file: MarianFile) -> Stored:
    settings = file.settings
    for name, known in _NEEDED.items():
        if settings.get(name, known[0]) not in known:
            raise ModelError(f"{file.path} has {name} {settings[name]!r}, which Earshot does not compute.")
    held = {
        name: tensor.shape
        for name, tensor in file.tensors.items()
        if not name.endswith(_IGNORED) and name != "encoder_ff_logit_out_b"
    }

    def number(name: str) -> int:
        given = settings.get(name, "")
        if not given.isdecimal() or len(given) > 9:
            raise ModelError(f"{file.path} is damaged: its settings do not say {name}. {ADVICE}")
        return int(given)

    def tokens(side: str) -> int:
        return held.get(table_of(frozenset(held), side), (0,))[0]

    shape = Shape(
        number("enc-depth"),
        number("dec-depth"),
        number("dim-emb"),
        number("transformer-heads"),
        number("transformer-dim-ffn"),
        tokens("encoder"),
        tokens("decoder"),
        recurrent=settings.get("transformer-decoder-autoreg") == "rnn",
        swish=settings.get("transformer-ffn-activation") == "swish",
    )
    if shape.recurrent and settings.get("dec-cell") != "ssru":
        raise ModelError(f"{file.path} has a decoder of {settings.get('dec-cell')}. Earshot computes SSRUs.")
    _check_sizes(shape, file.path)
    _check_tensors(shape, held, file.path)
    return Stored(
        shape,
        file.path,
        file.matrix,
        file.vector,
        lambda name: file.matrix(name, embeds=True),
        frozenset(held),
    )


_LAYERS = {
    "self_attn.q_proj": "self_{}q",
    "self_attn.k_proj": "self_{}k",
    "self_attn.v_proj": "self_{}v",
    "self_attn.out_proj": "self_{}o",
    "encoder_attn.q_proj": "context_{}q",
    "encoder_attn.k_proj": "context_{}k",
    "encoder_attn.v_proj": "context_{}v",
    "encoder_attn.out_proj": "context_{}o",
    "fc1": "ffn_{}1",
    "fc2": "ffn_{}2",
}
_NORMS = {
    "self_attn_layer_norm": "self_Wo_ln",
    "encoder_attn_layer_norm": "context_Wo_ln",
    "final_layer_norm": "ffn_ffn_ln",
}


def marian_name(name: str, *, shared: bool) -> str | None:
    """Return Marian's name of a tensor of Hugging Face's; None for a copy of another one, or a table of positions."""
    plain = name.removeprefix("model.")
    if plain == "final_logits_bias":
        return "decoder_ff_logit_out_b"
    if plain == "shared.weight":
        return "Wemb" if shared else None
    side, _, rest = plain.partition(".")
    if rest == "embed_tokens.weight" and side in ("encoder", "decoder"):
        return None if shared else f"{side}_Wemb"
    if plain == "lm_head.weight" or rest == "embed_positions.weight":
        return None
    place, _, what = rest.removeprefix("layers.").partition(".")
    layer, _, kind = what.rpartition(".")
    if not place.isdecimal() or kind not in ("weight", "bias"):
        return name
    if layer in _NORMS:
        return f"{side}_l{int(place) + 1}_{_NORMS[layer]}_{'scale' if kind == 'weight' else 'bias'}"
    return f"{side}_l{int(place) + 1}_{_LAYERS[layer].format('Wb'[kind == 'bias'])}" if layer in _LAYERS else name


def _of_safetensors(folder: Path) -> Stored:
    config_path = folder / "config.json"
    shape = _configured(read_json(config_path), config_path)
    [path] = weight_files(folder, "Hugging Face's converter makes one of it on the model's page")[:1]
    header = read_header(path)
    shared = not any(name.removeprefix("model.") == "encoder.embed_tokens.weight" for name in header) or any(
        name.removeprefix("model.") == "shared.weight" for name in header
    )
    theirs: dict[str, str] = {}
    held: dict[str, tuple[int, ...]] = {}
    for name, info in header.items():
        ours = marian_name(name, shared=shared)
        if ours is None:
            continue
        if info.dtype not in ("F32", "F16"):
            raise ModelError(f"{path} stores {name} as {info.dtype}. Earshot reads Marian's in float32 and float16.")
        theirs[ours] = name
        is_matrix = len(info.shape) == 2 and not ours.endswith("Wemb")
        held[ours] = info.shape[::-1] if is_matrix and ours != "decoder_ff_logit_out_b" else info.shape
        held[ours] = (1, *held[ours]) if len(held[ours]) == 1 else held[ours]
    _check_sizes(shape, config_path)
    _check_tensors(shape, held, folder)

    def values(name: str) -> NDArray[np.float32]:
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                read: NDArray[np.float32] = file.get_tensor(theirs[name]).astype(np.float32)
        except (SafetensorError, OSError) as error:
            raise ModelError(f"{path} is damaged ({error}). {ADVICE}") from error
        refuse_non_finite(read, name, path)
        return read

    return Stored(
        shape,
        path,
        lambda name: Matrix(values(name)),
        lambda name: values(name).reshape(-1),
        lambda name: Matrix(values(name)),
        frozenset(held),
    )


def _configured(config: dict[str, Any], path: Path) -> Shape:
    """Read the sizes from Hugging Face's configuration."""

    def number(name: str, usual: int | None = None) -> int:
        found = config.get(name, usual)
        if not isinstance(found, int) or isinstance(found, bool):
            raise ModelError(f"{path} does not say {name}, or in another form. {ADVICE}")
        return found

    activation = config.get("activation_function", "swish")
    if config.get("normalize_before") or activation not in ("swish", "silu", "relu"):
        raise ModelError(f"{path} describes a Marian of another kind than Earshot computes.")
    heads = number("encoder_attention_heads")
    inner = number("encoder_ffn_dim")
    if (heads, inner) != (number("decoder_attention_heads", heads), number("decoder_ffn_dim", inner)):
        raise ModelError(f"{path} describes an encoder and a decoder of different sizes, which Earshot does not run.")
    tokens = number("vocab_size")
    written = config.get("decoder_vocab_size")
    padding = number("pad_token_id", tokens - 1)
    written = written if isinstance(written, int) else tokens
    start = number("decoder_start_token_id", padding)
    end = number("eos_token_id", END)
    if not all(0 <= token < written for token in (padding, start, end)):
        raise ModelError(f"{path} names tokens that its vocabulary of {written:,} does not have. {ADVICE}")
    return Shape(
        number("encoder_layers"),
        number("decoder_layers"),
        number("d_model"),
        heads,
        inner,
        tokens,
        written,
        swish=activation != "relu",
        end=end,
        start=start,
        muted=(padding,),
        long_waves=False,
        scales_embeddings=config.get("scale_embedding") is True,
    )
