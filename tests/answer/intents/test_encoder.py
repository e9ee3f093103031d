"""Sentences as vectors: equal to those of transformers with the same weights, alone and in batches."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers

from engine.answer.intents.encoder import MOST_TOKENS, SentenceEncoder, in_bytes, read_arrays
from engine.errors import ModelError

CONFIG = {
    "hidden_size": 24, "num_attention_heads": 3, "num_hidden_layers": 2, "intermediate_size": 48, "vocab_size": 40,
    "max_position_embeddings": 80, "type_vocab_size": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-12,
    "model_type": "bert",
}  # fmt: skip
TEXTS = ("a b c", "c", "d e f g a", "b b", "g a d")


def shapes() -> dict[str, tuple[int, ...]]:
    d, inner = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    found: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (40, d),
        "embeddings.position_embeddings.weight": (80, d),
        "embeddings.token_type_embeddings.weight": (2, d),
        "embeddings.LayerNorm.weight": (d,),
        "embeddings.LayerNorm.bias": (d,),
    }
    for number in range(2):
        layer = f"encoder.layer.{number}."
        linear = {f"attention.self.{part}": (d, d) for part in ("query", "key", "value")}
        linear |= {"attention.output.dense": (d, d), "intermediate.dense": (inner, d), "output.dense": (d, inner)}
        for name, shape in linear.items():
            found |= {f"{layer}{name}.weight": shape, f"{layer}{name}.bias": shape[:1]}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            found |= {f"{layer}{name}.weight": (d,), f"{layer}{name}.bias": (d,)}
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    drawn = np.random.default_rng(3)
    arrays = {name: drawn.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes().items()}
    save_file(arrays, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    tokenizer = Tokenizer(
        models.WordLevel({"[UNK]": 0} | {letter: place + 1 for place, letter in enumerate("abcdefg")})
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_the_vectors_are_those_of_transformers(folder: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    model = transformers.BertModel(transformers.BertConfig(**CONFIG), add_pooling_layer=False)
    model.load_state_dict({name: torch.tensor(each) for name, each in read_arrays(folder).items()}, strict=False)
    encoder = SentenceEncoder(folder)
    for text in TEXTS:
        ids = torch.tensor([["_abcdefg".index(letter) for letter in text.split()]])
        with torch.inference_mode():
            _, lower, last = model.eval()(ids, output_hidden_states=True).hidden_states
        means = [states[0].mean(0).numpy() for states in (last, lower)]
        expected = np.concatenate([mean / np.linalg.norm(mean) for mean in means])
        assert np.allclose(encoder.encode(text), expected, atol=2e-5)


def test_what_is_read_together_is_what_is_read_alone(folder: Path) -> None:
    encoder = SentenceEncoder(folder)
    together = encoder.encode_all(TEXTS)
    assert np.allclose(together, np.stack([encoder.encode(text) for text in TEXTS]), atol=1e-6)
    assert np.allclose(np.linalg.norm(together.reshape(len(TEXTS), 2, -1), axis=2), 1, atol=1e-5)
    assert np.array_equal(encoder.encode("a " * MOST_TOKENS), encoder.encode("a " * 500))


def test_bytes_are_near_the_numbers_they_stand_for(folder: Path) -> None:
    exact = SentenceEncoder(folder).encode_all(TEXTS)
    save_file(in_bytes(read_arrays(folder)), folder / "model.safetensors")
    alike = exact * SentenceEncoder(folder).encode_all(TEXTS)
    assert alike.reshape(len(TEXTS), 2, -1).sum(axis=2).min() > 0.99


def test_a_folder_that_holds_something_else_is_refused(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="no model of sentences"):
        SentenceEncoder(folder)
