"""Speech-LLaMA folders load to what they hold; damaged ones say what is wrong with them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_flatten

from engine.errors import ModelError
from engine.hear.decode.pruning import IMPROVED
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.speech_llama.load import SpeechLlamaModel, find_ear, load_speech_llama
from engine.hear.speech_llama.recognizer import SpeechLlamaRecognizer
from engine.hear.whisper.fingerprint import fingerprint_of
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.mel import log_mel
from engine.loading.check import check_model
from engine.loading.ready import load_any_hearing, make_ready
from engine.options import CaptionOptions
from engine.process.process import load_recognizer
from lab.bench.captions.subject import load_subject
from tests.random_speech_llama import BEGIN, END, random_config, random_weights, write_random_speech_llama
from tests.random_whisper import write_random_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_random_speech_llama(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """A model folder to damage."""
    return Path(shutil.copytree(folder, tmp_path / "model"))


def test_a_folder_loads_whole(folder: Path) -> None:
    loaded = load_speech_llama(folder)
    weights = random_weights(random_config())
    assert (loaded.name, loaded.folder, loaded.languages) == (folder.name, folder, ("en",))
    assert loaded.tokenizer.sot_sequence() == (BEGIN,) and loaded.tokenizer.eot == END
    assert loaded.model.alignment_heads == ((1, 0), (0, 1))
    np.testing.assert_array_equal(loaded.model.embedding.weight, weights["model.embed_tokens.weight"])
    assert loaded.heads is not None
    assert (loaded.heads.ahead, loaded.heads.draft_tokens) == (4, None)
    np.testing.assert_array_equal(loaded.heads.latent[1], weights["heads.latent.3.weight"])


def test_a_folder_without_heads_is_a_model_without_heads(copy: Path) -> None:
    configure(heads=None)(copy)
    assert load_speech_llama(copy).heads is None


def test_without_alignment_heads_the_upper_half_of_the_layers_times_words(copy: Path) -> None:
    configure(alignment_heads=None)(copy)
    assert load_speech_llama(copy).model.alignment_heads == ((1, 0), (1, 1), (1, 2))


def test_fingerprints_tell_models_apart(folder: Path, tmp_path: Path) -> None:
    same, other = (write_random_speech_llama(tmp_path / str(seed), seed) for seed in (0, 1))
    assert load_speech_llama(same).fingerprint == load_speech_llama(folder).fingerprint
    assert load_speech_llama(other).fingerprint != load_speech_llama(folder).fingerprint


def test_quantised_weights_load_to_about_what_they_were(tmp_path: Path) -> None:
    text = {"hidden_size": 64, "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 128}
    folder = write_random_speech_llama(tmp_path / "plain", text=text, n_audio_state=64)
    plain = load_speech_llama(folder).model
    copy = Path(shutil.copytree(folder, tmp_path / "packed"))
    stored = mx.load(str(copy / "model.safetensors"))
    assert isinstance(stored, dict)
    for name in [name for name in stored if name.startswith("model.layers.") and stored[name].ndim == 2]:
        packed, scales, biases = mx.quantize(stored.pop(name), 64, 8)
        path = name.removesuffix(".weight")
        stored |= {name: packed, f"{path}.scales": scales, f"{path}.biases": biases}
    mx.save_safetensors(str(copy / "model.safetensors"), stored)
    configure(quantization={"group_size": 64, "bits": 8})(copy)
    packed_model = load_speech_llama(copy).model
    noise = np.random.default_rng(0).normal(0, 0.1, 8000).astype(np.float32)

    def states(model: Any) -> mx.array:
        return model.write(mx.array([[BEGIN, 50, 60]]), model.read_audio(model.audio(noise)), model.new_cache())

    assert 0 < mx.abs(states(packed_model) - states(plain)).max().item() < 0.1


def test_every_parameter_is_frozen_and_evaluated_for_any_thread(folder: Path) -> None:
    model = load_speech_llama(folder).model
    assert not tree_flatten(model.trainable_parameters())
    assert not model.training


def test_a_name_gives_whichever_kind_its_folder_holds(folder: Path, tmp_path: Path) -> None:
    whisper = write_random_model(tmp_path / "whisper")
    assert isinstance(load_any_hearing(folder), SpeechLlamaModel)
    assert isinstance(load_any_hearing(whisper), HearingModel)
    assert isinstance(make_ready(str(folder)).recognizer(CaptionOptions()), SpeechLlamaRecognizer)
    assert isinstance(make_ready(str(whisper)).recognizer(CaptionOptions()), WhisperRecognizer)


def test_whatever_loads_a_model_by_name_takes_a_speech_llama(folder: Path) -> None:
    noise = np.random.default_rng(0).normal(0, 0.1, 16_000).astype(np.float32)
    ready, make = load_recognizer(str(folder))
    assert (ready.model, ready.kind) == (folder.name, "hearing")
    subject = load_subject(str(folder))
    assert not subject.has_hush_word and subject.languages == ("en",)
    for recognizer in (make(CaptionOptions()), subject.make(CaptionOptions(padding="full"), IMPROVED)):
        heard = recognizer.hear(noise, offset_seconds=0.0, prompt="", language="en")
        assert heard.forwards > 0 and heard.language == "en"
    assert subject.encoder_work is not None
    work, full = subject.encoder_work(CaptionOptions())(3.0), subject.full_gmacs()
    assert full is not None and 0 < work < full / 9


def test_what_needs_one_kind_says_so_of_the_other(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"holds a Speech-LLaMA\. A Whisper model is needed here\."):
        load_hearing_model(folder)
    with pytest.raises(ModelError, match="holds no Speech-LLaMA: its model_type is 'whisper'"):
        load_speech_llama(write_random_model(tmp_path / "whisper"))


# --- an ear that is another model's ---

EAR = {"n_mels": 80, "n_audio_ctx": 1500, "n_audio_state": 32, "n_audio_head": 2, "n_audio_layer": 2, "n_vocab": 51865}
TEXT_SIDE = {"n_text_ctx": 448, "n_text_state": 32, "n_text_head": 2, "n_text_layer": 1}


@pytest.fixture
def eared(copy: Path, tmp_path: Path) -> Path:
    """A folder without an encoder, beside the Whisper whose encoder it names."""
    ear = write_random_model(tmp_path / "whisper", EAR | TEXT_SIDE, seed=5)
    edit_weights(lambda weights: [weights.pop(name) for name in list(weights) if name.startswith("encoder.")])(copy)
    configure(ear={"model": "../whisper", "fingerprint": fingerprint_of(ear)})(copy)
    return copy


def test_a_model_hears_with_the_ear_that_it_names(eared: Path) -> None:
    loaded, whisper = load_speech_llama(eared), load_hearing_model(eared.parent / "whisper")
    samples = np.random.default_rng(0).normal(0, 0.1, 16_000).astype(np.float32)
    heard = whisper.model.encoder(log_mel(samples, 80)[None].astype(whisper.model.dtype))
    np.testing.assert_array_equal(loaded.model.audio(samples), loaded.model.embed(heard))
    assert check_model(eared) == "hearing"


def test_the_ear_may_be_any_model_of_the_catalogue(eared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whisper = eared.parent / "whisper"
    configure(ear={"model": "starter", "fingerprint": fingerprint_of(whisper)})(eared)
    monkeypatch.setattr("engine.hear.speech_llama.load.find_model", lambda name: (name, whisper))
    config = json.loads((eared / "config.json").read_text())
    assert find_ear(config, eared / "config.json") == whisper


@pytest.mark.parametrize(
    ("ear", "message"),
    [
        ({"model": "../nowhere", "fingerprint": "0" * 16}, "hears with the ear of ../nowhere, which is not here"),
        ({"model": "../whisper", "fingerprint": "0" * 16}, "taught with another ear than that of ../whisper"),
        ({"model": "../whisper"}, "must hold the model whose ear it is, and its fingerprint"),
        ("starter", "must hold the model whose ear it is, and its fingerprint"),
    ],
)
def test_an_ear_that_is_missing_or_anothers_is_said(eared: Path, ear: Any, message: str) -> None:
    configure(ear=ear)(eared)
    for load in (load_speech_llama, check_model):
        with pytest.raises(ModelError, match=message):
            load(eared)


def test_an_ear_of_another_shape_is_said(eared: Path) -> None:
    configure(n_audio_layer=3)(eared)
    with pytest.raises(ModelError, match="describes an ear of"):
        load_speech_llama(eared)


def test_texts_may_begin_twice_and_have_positions(copy: Path) -> None:
    edit_weights(lambda weights: weights.update({"positions": mx.random.normal((448, 48))}))(copy)
    configure(begins=2, text_positions=True, taught_seconds=12)(copy)
    loaded = load_speech_llama(copy)
    assert loaded.tokenizer.sot_sequence() == (BEGIN, BEGIN) and loaded.taught_seconds == 12.0
    heard = loaded.model.read_audio(loaded.model.audio(np.zeros(16_000, np.float32)))
    whole = loaded.model.write(mx.array([[BEGIN, BEGIN, 7]]), heard, loaded.model.new_cache())
    cache = loaded.model.new_cache()
    loaded.model.write(mx.array([[BEGIN, BEGIN]]), heard, cache)
    np.testing.assert_allclose(loaded.model.write(mx.array([[7]]), heard, cache)[0, -1], whole[0, -1], atol=1e-4)


# --- damage ---


def configure(text: dict[str, Any] | None = None, **changes: Any) -> Callable[[Path], None]:
    """Change config.json; None takes an entry away."""

    def change(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text())
        for part, new in ((config["text_config"], text or {}), (config, changes)):
            part |= new
            for name in [name for name, value in part.items() if value is None]:
                del part[name]
        (folder / "config.json").write_text(json.dumps(config))

    return change


def edit_weights(edit: Callable[[dict[str, mx.array]], object]) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        weights = mx.load(str(folder / "model.safetensors"))
        assert isinstance(weights, dict)
        edit(weights)
        mx.save_safetensors(str(folder / "model.safetensors"), weights)

    return change


def cut_off(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])


def shrink_vocabulary(folder: Path) -> None:
    configure({"vocab_size": 200})(folder)
    edit_weights(lambda weights: weights.update({"model.embed_tokens.weight": mx.zeros((200, 48))}))(folder)


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "no LLaMA": (configure(text_config=None), "has no text_config"),
    "another model in place of the LLaMA": (configure({"model_type": "qwen3"}), "asks for a qwen3 model"),
    "a LLaMA of no size": (configure({"hidden_size": 0}), "hidden_size is 0, not a positive number"),
    "a LLaMA without layers": (configure({"num_hidden_layers": None}), "num_hidden_layers is None"),
    "heads that do not divide": (configure({"num_attention_heads": 5}), "48 states, 5 heads and 3"),
    "shared keys that do not divide": (configure({"num_key_value_heads": 2}), "48 states, 3 heads and 2"),
    "an unembedding of its own": (configure({"tie_word_embeddings": False}), "tie_word_embeddings = False"),
    "a window that slides": (configure({"sliding_window": 128}), "sliding_window = 128"),
    "positions of another kind": (configure({"rope_traditional": True}), "rope_traditional = True"),
    "positions of an unknown kind": (configure({"rope_scaling": {"rope_type": "spiral"}}), "spiral"),
    "an ear without filters": (configure(n_mels=64), "n_mels is 64"),
    "an ear whose heads do not divide": (configure(n_audio_head=3), "n_audio_state is 32, which 3 heads"),
    "frames that are not stacked": (configure(stacked_frames=0), "stacked_frames is 0"),
    "another rate": (configure(sample_rate_hz=8000), "8000 samples a second"),
    "no language": (configure(languages=[]), "languages in .* must be a list of codes"),
    "an alignment head that is not there": (configure(alignment_heads=[[5, 0]]), "names head 0 of layer 5"),
    "no beginning": (configure({"bos_token_id": None}), "bos_token_id in text_config"),
    "an end beyond the vocabulary": (configure({"eos_token_id": 310}), "eos_token_id in text_config"),
    "heads of another kind": (configure(heads={"kind": "medusa", "ahead": 4}), "must be latent"),
    "a single head": (configure(heads={"kind": "latent", "ahead": 1}), "look 2 to 8 tokens ahead"),
    "a head missing": (configure(heads={"kind": "latent", "ahead": 5}), r"lacks heads\.latent\.5\.weight"),
    "a head of another shape": (
        edit_weights(lambda weights: weights.update({"heads.latent.2.weight": mx.zeros((4, 48))})),
        r"heads\.latent\.2\.weight .* has the shape \(4, 48\)",
    ),
    "a shortlist beyond the vocabulary": (
        edit_weights(lambda weights: weights.update({"heads.draft_tokens": mx.array([1, 2, 310], mx.uint32)})),
        r"heads\.draft_tokens in .* must be different tokens of its 310",
    ),
    "lessons of no length": (configure(taught_seconds=0), "taught_seconds in .* must be between 1 and 30"),
    "a text that never begins": (configure(begins=0), "begins in .* must be between 1 and 4"),
    "a tensor missing": (
        edit_weights(lambda weights: weights.pop("adapter.bias")),
        r"lacks 1 of \d+ tensors, adapter\.bias first",
    ),
    "a tensor of another shape": (
        edit_weights(lambda weights: weights.update({"model.norm.weight": mx.zeros((47,))})),
        r"model\.norm\.weight .* has the shape \(47,\)",
    ),
    "a tensor too many": (
        edit_weights(lambda weights: weights.update({"decoder.ln.weight": mx.zeros((1,))})),
        r"holds decoder\.ln\.weight, which is no part of the Speech-LLaMA model",
    ),
    "weights cut off": (cut_off, "is cut off"),
    "no weights": (lambda folder: (folder / "model.safetensors").unlink(), r"has no model\.safetensors"),
    "no tokenizer": (lambda folder: (folder / "tokenizer.json").unlink(), r"has no tokenizer\.json"),
    "a vocabulary smaller than the tokenizer's": (
        shrink_vocabulary,
        "they do not belong together",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_answered_with_one_sentence_that_helps(copy: Path, damage: str) -> None:
    break_it, message = DAMAGES[damage]
    break_it(copy)
    with pytest.raises(ModelError, match=message) as caught:
        load_speech_llama(copy)
    assert "\n" not in str(caught.value)
    assert str(copy) in str(caught.value)
