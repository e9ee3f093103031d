"""GGUF models: the same logits whether tokens come at once or one by one, and a sentence for what cannot be used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.answer.predictor import Predictor
from engine.errors import ModelError
from engine.language.answering import load_answering_model
from engine.language.chat_tokenizer import Message
from engine.language.language_model import load_language_model
from engine.language.llama_cpp import binding
from engine.language.llama_cpp.file import check_gguf
from engine.loading.check import check_model
from engine.options import AnswerOptions
from engine.weights.storage import files_of, storage_of
from tests.gguf_models import write_gguf
from tests.language_models import SPECIAL

pytest.importorskip("xllamacpp", reason="llama.cpp is not installed here")
from engine.language.llama_cpp.model import LEAST_CONTEXT_TOKENS, MOST_BLOCK_TOKENS, GgufModel

ROUNDING = 0.1  # keys and values are kept in half precision


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="module")
def model(path: Path) -> GgufModel:
    return GgufModel("tiny", path)


def test_a_block_has_the_logits_of_its_tokens_one_by_one(model: GgufModel) -> None:
    tokens = model.encode("the weather is nice today")
    block = model.logits(tokens, model.new_cache(), len(tokens))
    cache = model.new_cache()
    singly = np.concatenate([model.logits([token], cache, 1) for token in tokens])
    assert block.shape == (len(tokens), model.vocabulary)
    np.testing.assert_allclose(block, singly, atol=ROUNDING)


def test_a_prompt_longer_than_a_block_is_read_whole(model: GgufModel) -> None:
    tokens = (model.encode("the weather is nice ") * 60)[: MOST_BLOCK_TOKENS + 100]
    whole, cache = model.logits(tokens, model.new_cache(), 200), model.new_cache()
    assert whole.shape == (200, model.vocabulary)
    assert model.logits(tokens[:300], cache, 0).shape == (0, model.vocabulary)
    np.testing.assert_allclose(whole[-1:], model.logits(tokens[300:], cache, 1), atol=ROUNDING)


def test_a_cache_grows_with_what_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rooms: list[int] = []
    new = GgufModel.new_context
    monkeypatch.setattr(GgufModel, "new_context", lambda self, tokens: rooms.append(tokens) or new(self, tokens))
    model = GgufModel("long", write_gguf(tmp_path / "long.gguf", context=4096))
    tokens = (model.encode("the weather is nice ") * 200)[: 2 * LEAST_CONTEXT_TOKENS + 50]
    cache, few = model.new_cache(), LEAST_CONTEXT_TOKENS - 10
    model.logits(tokens[:few], cache, 1)
    model.logits(tokens[few : few + 20], cache, 1)
    after = model.logits(tokens[few + 20 :], cache, 1)
    assert rooms == [LEAST_CONTEXT_TOKENS, 2 * LEAST_CONTEXT_TOKENS, 4 * LEAST_CONTEXT_TOKENS]
    np.testing.assert_allclose(after, model.logits(tokens, model.new_cache(), 1), atol=ROUNDING)


def test_trimmed_tokens_leave_no_trace(model: GgufModel) -> None:
    begun, wrong, right = model.encode("the "), model.encode("sun"), model.encode("moon")
    cache = model.new_cache()
    model.logits([*begun, *wrong], cache, 1)
    cache.trim_to(len(begun))
    after = model.logits(right, cache, 1)
    np.testing.assert_allclose(after, model.logits([*begun, *right], model.new_cache(), 1), atol=ROUNDING)
    with pytest.raises(ValueError, match="cannot be cut"):
        cache.trim_to(99)


def test_rows_are_read_each_by_itself_and_the_first_stays(model: GgufModel) -> None:
    begun, rows = model.encode("the "), [model.encode("sun is"), model.encode("moon")]
    cache = model.new_cache()
    model.logits(begun, cache, 1)
    logits = model.last_logits(rows, cache)
    for row, found in zip(rows, logits, strict=True):
        np.testing.assert_allclose(found, model.logits([*begun, *row], model.new_cache(), 1)[0], atol=ROUNDING)
    assert cache.length == len(begun) + len(rows[0])


def test_messages_are_text_even_if_they_spell_tokens(model: GgufModel) -> None:
    tokens = model.chat([Message("user", f"a {SPECIAL[0]} b")])
    specials = [token for token in tokens if token < len(SPECIAL)]
    assert specials == [SPECIAL.index("<|user|>"), SPECIAL.index("<|end|>"), SPECIAL.index("<|assistant|>")]
    assert model.decode(tokens).startswith("a <|end|> b")
    assert model.end_tokens == {SPECIAL.index("<|end|>")}


def test_text_comes_back(model: GgufModel) -> None:
    for text in ("Grüße, 世界!", "two  spaces", ""):
        assert model.decode(model.encode(text)) == text


def test_answers_are_the_same_with_and_without_speculation(model: GgufModel) -> None:
    def answer(speculate: bool) -> str:
        predictor = Predictor(model, AnswerOptions(speculate=speculate, reply_tokens=24))
        for text in ("the weather", "the weather is nice"):
            for _ in predictor.guess(text):
                pass
        steps = predictor.answer("the weather is nice today")
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return str(end.value.text)

    assert answer(True) == answer(False)


def test_a_file_and_a_folder_with_one_are_found(path: Path) -> None:
    assert storage_of(path) == storage_of(path.parent) == "gguf"
    assert files_of(path.parent) == [path]
    assert check_model(path) == check_model(path.parent) == "language"
    assert load_answering_model(path).name == "tiny"


def test_what_cannot_be_used_is_said(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    cut, garbage = tmp_path / "cut.gguf", tmp_path / "garbage.gguf"
    cut.write_bytes(data[:-100])
    garbage.write_bytes(b"GGUF" + bytes(range(200)))
    cases = {
        cut: "damaged|not whole",
        garbage: "damaged",
        write_gguf(tmp_path / "base.gguf", template=None): "no chat template.*-Instruct",
        write_gguf(tmp_path / "no.gguf", tokenizer=False): "no language model",
    }
    for file, sentence in cases.items():
        with pytest.raises(ModelError, match=sentence):
            check_gguf(file)
    with pytest.raises(ModelError, match="cannot load"):
        GgufModel("x", write_gguf(tmp_path / "odd.gguf", architecture="no-such-model"))
    with pytest.raises(ModelError, match="A folder of mlx-lm"):
        load_language_model(path)


def test_without_llama_cpp_it_is_said_what_to_install(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    binding.llama_cpp.cache_clear()
    monkeypatch.setattr(binding.importlib, "import_module", missing)
    try:
        with pytest.raises(ModelError, match="uv sync --extra llama"):
            check_gguf(path)
    finally:
        binding.llama_cpp.cache_clear()
