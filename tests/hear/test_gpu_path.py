"""Graphs for a GPU stay in half precision, and are evaluated as few times as can be.

They are computed on the CPU here, which takes longer and gives the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest

from engine.hear import recognizer
from engine.hear.decode import decoder
from engine.hear.recognizer import NO_REFERENCE, WhisperRecognizer
from engine.hear.speech_llama import recognizer as speech_llama_recognizer
from engine.hear.speech_llama.load import load_speech_llama
from engine.hear.speech_llama.model import SpeechLlamaDecoder
from engine.hear.speech_llama.recognizer import SpeechLlamaRecognizer
from engine.hear.whisper import align
from engine.hear.whisper.load import load_hearing_model
from engine.hear.whisper.mel import log_mel
from engine.language.language_model import load_language_model
from engine.machine import backend
from engine.machine.backend import Backend
from engine.options import DecodeOptions
from tests.hear.short_decoding import short_decoding
from tests.random_speech_llama import BEGIN, write_random_speech_llama
from tests.random_whisper import write_random_model

NOISE = (0.1 * np.random.default_rng(0).normal(size=16_000)).astype(np.float32)
Watch = Callable[[nn.Module], Counter[tuple[str, mx.Dtype]]]


@pytest.fixture
def on_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose the GPU's way, on the device that is there."""
    monkeypatch.setattr(backend, "_prepared", Backend("gpu", "accelerate", 0, "half precision"))
    monkeypatch.setattr(backend, "device", lambda: mx.Device(mx.cpu))


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    """Count what each layer of a model gives from now on, by its kind and the type of its numbers."""
    seen: Counter[tuple[str, mx.Dtype]] = Counter()

    def watched(call: Callable[..., Any], kind: str) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            made = call(*given, **named)
            if isinstance(made, mx.array):
                seen[kind, made.dtype] += 1
            return made

        return counted

    def begin(model: nn.Module) -> Counter[tuple[str, mx.Dtype]]:
        for kind in {type(layer) for layer in model.modules() if "__call__" in vars(type(layer))}:
            monkeypatch.setattr(kind, "__call__", watched(vars(kind)["__call__"], kind.__name__))
        return seen

    yield begin


def types_of(seen: Counter[tuple[str, mx.Dtype]]) -> set[mx.Dtype]:
    """Return the types that were seen; at least a handful of kinds must have been at work."""
    assert len({kind for kind, _ in seen}) >= 4
    return {dtype for _, dtype in seen}


@pytest.mark.parametrize("shape", [{}, {"num_key_value_heads": 1}], ids=["own keys", "shared keys"])
def test_a_speech_llama_stays_in_half_precision(
    shape: dict[str, int], on_gpu: None, watch: Watch, tmp_path: Path
) -> None:
    """Mac review M7: tables of positions in float32 made float32 of everything behind the first layer."""
    loaded = load_speech_llama(write_random_speech_llama(tmp_path, text=shape))
    model = loaded.model
    assert model.dtype == mx.float16
    seen = watch(model)
    heard = model.read_audio(model.audio(NOISE))
    assert {each.dtype for each in heard.arrays()} == {mx.float16}
    cache = model.new_cache()
    assert model.write(mx.array([[BEGIN, 40, 77]]), heard, cache).dtype == mx.float16
    assert model.write(mx.array([[5]]), heard, cache).dtype == mx.float16
    assert model.looks(mx.array([[BEGIN, 40, 77]]), heard).dtype == mx.float16
    assert loaded.heads is not None and loaded.heads.latent.dtype == mx.float16
    assert types_of(seen) == {mx.float16}


def test_half_precision_writes_what_single_precision_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_random_speech_llama(tmp_path)

    def logits() -> np.ndarray:
        model = load_speech_llama(folder).model
        one = SpeechLlamaDecoder(model, model.audio(NOISE))
        return np.array(one.logits(one.forward(mx.array([[BEGIN, 40, 77, 5]]), one.new_cache())))

    single = logits()
    monkeypatch.setattr(backend, "_prepared", Backend("gpu", "accelerate", 0, "half precision"))
    monkeypatch.setattr(backend, "device", lambda: mx.Device(mx.cpu))
    half = logits()
    assert np.abs(half - single).max() < 0.02 * np.abs(single).max()
    np.testing.assert_array_equal(half.argmax(axis=-1), single.argmax(axis=-1))


def test_a_whisper_stays_in_half_precision(on_gpu: None, watch: Watch, tmp_path: Path) -> None:
    model = load_hearing_model(write_random_model(tmp_path)).model
    seen = watch(model)
    cross = model.cross_cache(model.encode(log_mel(NOISE, 80).astype(mx.float16)))
    cache = model.new_cache()
    logits, scores = model.decode(mx.array([[1, 2, 3]]), cross, cache, with_alignment=True)
    assert scores is not None
    assert {each.dtype for each in (*cross.arrays(), *cache.arrays(), scores)} == {mx.float16}
    assert logits.dtype == mx.float32
    assert types_of(seen) == {mx.float16}


@pytest.mark.parametrize("kind", ["whisper", "speech-llama"])
def test_what_numpy_reads_was_evaluated_as_it_reads_it(
    kind: str, on_gpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mac review L9: a cast or slice after `evaluate` is a second evaluation, and keeps the device's turn."""
    evaluated: list[mx.array] = []

    def watched(*given: mx.array) -> None:
        mx.eval(*given)
        evaluated.extend(given)

    for module in (align, recognizer, speech_llama_recognizer):
        monkeypatch.setattr(module, "evaluate", watched)
    made: WhisperRecognizer | SpeechLlamaRecognizer
    if kind == "whisper":
        made = WhisperRecognizer(load_hearing_model(write_random_model(tmp_path)), DecodeOptions())
    else:
        made = SpeechLlamaRecognizer(load_speech_llama(write_random_speech_llama(tmp_path)), DecodeOptions())
    stages = made.stages(
        NOISE, offset_seconds=0.0, prompt="", language=made.languages[0], final=False, reference=NO_REFERENCE
    )
    for stage in stages:
        if stage == "encoded":
            (features,) = [each for each in evaluated if each.dtype == mx.float32]
            assert features.shape == (50, made._hearing.model.dims.n_audio_state)
        if stage == "decoded":
            evaluated.clear()
    (scores,) = evaluated
    assert scores.dtype == mx.float32


@pytest.mark.parametrize("language", ["en", None])
def test_a_round_waits_once_for_each_forward_once_for_the_encoder_and_once_for_times(
    language: str | None, on_gpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mac review L13: docs/metal.md counts these waits."""
    waits: list[str] = []
    for module in (align, decoder, recognizer):
        monkeypatch.setattr(
            module, "evaluate", lambda *given, name=module.__name__: waits.append(name) or mx.eval(*given)
        )
    hearing = WhisperRecognizer(load_hearing_model(write_random_model(tmp_path)), DecodeOptions())
    with short_decoding(4):
        heard = hearing.hear(NOISE, language=language, prompt="before that")
    assert heard.words
    assert Counter(waits) == {recognizer.__name__: 1, decoder.__name__: heard.forwards, align.__name__: 1}


@pytest.mark.parametrize("name", ["starter-language", "starter-assistant"])
def test_a_starter_that_writes_stays_in_the_type_of_its_scales(name: str, on_gpu: None, watch: Watch) -> None:
    loaded = load_language_model(name)
    seen = watch(loaded._model)
    cache = loaded.new_cache()
    assert loaded.logits([1, 2], cache, 1).dtype == np.float32
    assert {each.dtype for each in cache.arrays()} == {mx.float16}
    assert types_of(seen) == {mx.float16}
