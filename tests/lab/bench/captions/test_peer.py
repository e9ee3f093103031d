"""faster-whisper with our weights: what is written for it, and that it hears."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.terminal.cli import main
from engine.hear.decode.tokenizer import load_tokenizer
from engine.hear.whisper.load import HearingModel
from lab.bench.captions import peer

MULTILINGUAL, ENGLISH = (99, True), (99, False)
Made = Callable[..., HearingModel]


def test_without_faster_whisper_the_row_that_is_asked_for_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("lab.bench.captions.peer.importlib.util.find_spec", lambda name: None)
    assert main(["bench", "captions", "--set", "synthetic", "--methods", "faster-whisper"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "uv sync --group peers" in line


def test_merges_are_those_that_make_the_tokens() -> None:
    from lab.recipes.speech.byte_pairs import merges_of

    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"bc": 257, b"abc": 258, b"abcab": 259}
    assert merges_of(ranks) == [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b"abc", b"ab")]


@pytest.mark.parametrize("vocabulary", [ENGLISH, MULTILINGUAL])
def test_its_tokenizer_spells_as_ours(vocabulary: tuple[int, bool]) -> None:
    from tokenizers import Tokenizer

    from lab.bench.captions.peer_model import token_names, tokenizer_json

    ours = load_tokenizer(*vocabulary)
    names = token_names(ours)
    theirs = Tokenizer.from_str(tokenizer_json(ours, names))
    assert len(set(names)) == len(names) == ours.n_vocab
    for text in (" Hello, Mr. Quilter!", "naïve café's 1999", " 日本 — ♪  and   spaces", ""):
        assert theirs.encode(text, add_special_tokens=False).ids == ours.encode(text)
        assert theirs.decode(ours.encode(text)) == text
    for name, token in (("<|startofprev|>", ours.sot_prev), ("<|nocaptions|>", ours.no_speech)):
        assert theirs.token_to_id(name) == token
    assert names[ours.timestamp_begin + 1] == "<|0.02|>"


@pytest.fixture(scope="module")
def model(tiny_model: Made) -> HearingModel:
    pytest.importorskip("faster_whisper", reason="the dependency group peers is not installed")
    return tiny_model(n_audio_ctx=1500)


def test_the_weights_that_are_written_are_ours(model: HearingModel, tmp_path: Path) -> None:
    from lab.bench.captions.peer_model import write_peer_model

    write_peer_model(model, tmp_path)
    stored = read_variables(tmp_path / "model.bin")
    block = model.model.decoder.blocks[0]
    fused = np.concatenate([np.array(layer.weight) for layer in (block.attn.query, block.attn.key, block.attn.value)])
    assert np.array_equal(stored["decoder/layer_0/self_attention/linear_0/weight"], fused.astype(np.float16))
    embedding = np.array(model.model.decoder.token_embedding(np_tokens(model)))
    assert np.array_equal(stored["decoder/embeddings/weight"], embedding.astype(np.float16))
    kernel = np.array(model.model.encoder.conv2.weight).transpose(0, 2, 1)
    assert np.array_equal(stored["encoder/conv2/weight"], kernel.astype(np.float16))
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["alignment_heads"] == [list(pair) for pair in model.model.alignment_heads]


def test_it_hears_as_a_recognizer_does(model: HearingModel) -> None:
    recognizer = peer.PeerRecognizer(model)
    noise = np.random.default_rng(0).normal(0, 0.1, 16_000).astype(np.float32)
    heard = recognizer.hear(noise, offset_seconds=5.0, prompt="what was said", language="en")
    assert heard.language == "en"
    assert all(5.0 <= word.start <= word.end <= 6.1 for word in heard.words)
    assert recognizer.languages == model.languages


def np_tokens(model: HearingModel) -> object:
    import mlx.core as mx

    return mx.arange(model.model.dims.n_vocab)


def read_variables(path: Path) -> dict[str, np.ndarray]:
    """Read the float16 arrays in a CTranslate2 file."""
    data, position = path.read_bytes(), 4  # behind the version of the format
    found = {}

    def number(size: int) -> int:
        nonlocal position
        position += size
        return int.from_bytes(data[position - size : position], sys.byteorder)

    def string() -> str:
        nonlocal position
        count = number(2)
        position += count
        return data[position - count : position - 1].decode()

    string(), number(4)
    for _ in range(number(4)):
        name = string()
        shape = [number(4) for _ in range(number(1))]
        kind, count = number(1), number(4)
        if kind == 4:
            found[name] = np.frombuffer(data[position : position + count], np.float16).reshape(shape)
        position += count
    return found
