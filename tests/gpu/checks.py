"""The checks of `python -m tests.gpu`: each returns whether it holds, and its figures in words."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.audio import Samples
from engine.hear.recognizer import NO_REFERENCE, ModelRecognizer, WhisperRecognizer
from engine.hear.rounds.pipeline import Pipeline, Stages
from engine.hear.speech_llama.load import load_speech_llama
from engine.hear.speech_llama.recognizer import SpeechLlamaRecognizer
from engine.hear.whisper.convert import convert_model
from engine.hear.whisper.load import load_hearing_model
from engine.hear.whisper.mel import log_mel
from engine.language.language_model import LanguageModel, load_language_model
from engine.machine import backend
from engine.machine.backend import GPU_CACHE_LIMIT_BYTES, MEBIBYTE, Backend
from engine.options import DecodeOptions
from tests.people_clips import people_clips
from tests.random_speech_llama import write_random_speech_llama
from tests.random_whisper import write_random_model

TOLERANCE, KERNEL_TOLERANCE = 0.05, 0.01
"""Largest difference from single precision of a whole model and of one kernel, as a share of the largest number."""
ALIKE = 0.9
"""Least share of rounds whose words are those of a serial round: halves are rounded otherwise on a processor."""
GROWTH = 1.1
"""Most memory in use after the last round, as a multiple of what was in use after the first tenth."""
PATIENCE_SECONDS = 120.0

Result = tuple[bool, str]


@dataclass
class Machine:
    """The machine that is tried.

    Attributes:
        kind: "gpu", or "cpu" for a rehearsal with small random models.
        rounds: how many rounds the pipeline hears.
        folder: where models are written.
        in_use: bytes in use after each round of the pipeline.
    """

    kind: str
    rounds: int
    folder: Path
    in_use: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.prepared = backend.prepare()
        if self.kind == "cpu":
            self.prepared = Backend("gpu", "none", 0, "half precision")
        self._use(self.prepared)
        if self.kind == "gpu":
            mx.enable_compile()  # on Linux `prepare` forbids it, since it would run a compiler for the processor

    def _use(self, prepared: Backend) -> None:
        backend._prepared = prepared
        on_gpu = prepared.device == "gpu" and self.kind == "gpu"
        backend.device = lambda: mx.Device(mx.gpu if on_gpu else mx.cpu)  # type: ignore[assignment]
        mx.set_default_device(backend.device())

    @contextmanager
    def on_processor(self) -> Iterator[None]:
        """Load and compute as on a machine without a GPU."""
        self._use(Backend("cpu", "none", 0, "float32"))
        try:
            yield
        finally:
            self._use(self.prepared)

    @cached_property
    def clips(self) -> list[Samples]:
        """Return what is heard: people, or noise in a rehearsal."""
        if self.kind == "gpu":
            return [clip.samples for clip in people_clips() if clip.seconds < 7]
        random = np.random.default_rng(0)
        return [(0.1 * random.normal(size=16_000)).astype(np.float32) for _ in range(3)]

    @cached_property
    def whispers(self) -> dict[str, Path]:
        """Write the same Whisper quantised and in float16."""
        source: Path | str = "starter" if self.kind == "gpu" else write_random_model(self.folder / "random")
        return {
            name: convert_model(source, self.folder / name.replace(" ", ""), bits).folder
            for name, bits in (("8 bit", 8), ("float16", 16))
        }

    @cached_property
    def speech_llama(self) -> Path | str:
        return "starter-speech-llama" if self.kind == "gpu" else write_random_speech_llama(self.folder / "speech-llama")

    @cached_property
    def small(self) -> WhisperRecognizer:
        """Return a recognizer whose rounds take little time on a processor too, which decodes them in the pipeline."""
        return WhisperRecognizer(load_hearing_model(write_random_model(self.folder / "small")), DecodeOptions())

    @cached_property
    def language_model(self) -> LanguageModel:
        return load_language_model("starter-language")


def check_backend(machine: Machine) -> Result:
    """Check that the engine takes the GPU, in half precision."""
    prepared = backend.prepare()
    info = mx.device_info(backend.device())
    backend.wire_models()
    name = info.get("device_name", info.get("architecture", "unnamed"))
    words = f"{prepared.device}, {prepared.dtype}, {name}, MLX {version('mlx')}"
    return (prepared.device, prepared.dtype) == ("gpu", "half precision"), words


def check_hearing(machine: Machine) -> Result:
    """Compare features, logits and words with those of single precision on a processor."""
    ok, words = True, []
    for name, folder in machine.whispers.items():
        loaded = load_hearing_model(folder)
        with machine.on_processor():
            plain = load_hearing_model(folder)
            expected = [np.array(each) for each in _forward(plain.model, machine.clips[0])]
            said = [_text(WhisperRecognizer(plain, DecodeOptions()), clip) for clip in machine.clips]
        found = [np.array(each) for each in _forward(loaded.model, machine.clips[0])]
        errors = [_difference(a, b) for a, b in zip(found, expected, strict=True)]
        heard = [_text(WhisperRecognizer(loaded, DecodeOptions()), clip) for clip in machine.clips]
        alike = sum(a == b != "" for a, b in zip(heard, said, strict=True))
        ok = ok and max(errors) <= TOLERANCE and alike == len(said)
        words.append(f"{name}: features {errors[0]:.4f}, logits {errors[1]:.4f}, texts {alike}/{len(said)}")
    with machine.on_processor():
        said = [
            _text(SpeechLlamaRecognizer(load_speech_llama(machine.speech_llama), DecodeOptions()), machine.clips[0])
        ]
    llama = load_speech_llama(machine.speech_llama)
    half = llama.model.read_audio(llama.model.audio(machine.clips[0])).keys[-1].dtype
    alike = _text(SpeechLlamaRecognizer(llama, DecodeOptions()), machine.clips[0]) == said[0]
    words.append(f"Speech-LLaMA: {str(half).rpartition('.')[2]}, texts {int(alike)}/1")
    return ok and alike and half == mx.float16, "; ".join(words)


def check_pipeline(machine: Machine) -> Result:
    """Hear rounds in the pipeline while a language model translates; compare with rounds one by one."""
    recognizer, model = machine.small, machine.language_model
    prompt = model.encode("Good morning.")
    alone, serial_seconds = [], []
    for clip in machine.clips:
        began = time.perf_counter()
        alone.append(_text(recognizer, clip))
        serial_seconds.append(time.perf_counter() - began)
    logits = model.logits(prompt, model.new_cache(), 1)
    pipeline, texts, translated, same = Pipeline(), [], 0, True
    waiting, began = list(range(machine.rounds)), time.perf_counter()
    while len(texts) < machine.rounds:
        if waiting and pipeline.has_room:
            pipeline.begin(_starts(recognizer, machine.clips[waiting.pop(0) % len(machine.clips)]))
        if (done := pipeline.next_done()) is not None:
            texts.append("".join(word.text for word in done.hypothesis.words))
            machine.in_use.append(mx.get_active_memory())
        elif translated <= len(texts):
            same = same and np.allclose(model.logits(prompt, model.new_cache(), 1), logits, atol=0.05)
            translated += 1
        else:
            pipeline.wait(1.0, for_room=bool(waiting))
    seconds = (time.perf_counter() - began) / machine.rounds
    pipeline.close()
    alike = sum(text == alone[number % len(alone)] for number, text in enumerate(texts))
    serial = sum(serial_seconds) / len(alone)
    figures = (
        f"{alike}/{len(texts)} rounds as one by one, {1e3 * seconds:.0f} ms each (one by one {1e3 * serial:.0f}), "
    )
    figures += f"{translated} translations beside them {'un' if same else ''}changed"
    return alike >= ALIKE * len(texts) and same and not pipeline.incidents(), figures


def check_death(machine: Machine) -> Result:
    """Let the GPU's executor die amid a round; its error must reach the caller, and a new pipeline must hear."""
    recognizer, clip = machine.small, machine.clips[0]
    expected = _text(recognizer, clip)

    def dying() -> Stages:
        stages = _starts(recognizer, clip)()
        yield next(stages)
        raise RuntimeError("the GPU was lost")

    pipeline, told = Pipeline(), ""
    pipeline.begin(dying)
    try:
        pipeline.wait(PATIENCE_SECONDS)
        pipeline.next_done()
    except RuntimeError as error:
        told = str(error)
    pipeline.close()
    pipeline = Pipeline()
    pipeline.begin(_starts(recognizer, clip))
    pipeline.wait(PATIENCE_SECONDS)
    done = pipeline.next_done()
    pipeline.close()
    again = done is not None and "".join(word.text for word in done.hypothesis.words) == expected
    return (
        told == "the GPU was lost" and again,
        f"told {told!r}, the next pipeline hears {'the same' if again else 'not'}",
    )


def check_views(machine: Machine) -> Result:
    """Read logits of the GPU without a copy; later work of the GPU must not change them."""
    model = machine.language_model
    tokens = model.encode("Good morning.")
    seen = model.logits(tokens, model.new_cache(), 1)
    kept = seen.copy()
    for _ in range(5):
        model.logits(tokens[::-1], model.new_cache(), 1)
    return bool(np.array_equal(seen, kept)), f"{kept.size} logits, largest {kept.max():.3f}"


def check_compiled(machine: Machine) -> Result:
    """Compute compiled activations in two threads at once, as hearing and a language model do."""
    x = mx.random.normal((64, 512)).astype(mx.float16)
    mx.eval(x)
    exact = x.astype(mx.float32)
    expected = np.array(exact * (1 + mx.erf(exact / 2**0.5)) / 2)
    errors: list[float] = []

    def compute() -> None:
        for _ in range(20):
            made = nn.gelu(x).astype(mx.float32)
            mx.eval(made)
            errors.append(_difference(np.array(made), expected))
        mx.clear_streams()

    threads = [threading.Thread(target=compute) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(errors) == 40 and max(errors) <= KERNEL_TOLERANCE, f"{len(errors)} of 40, difference {max(errors):.5f}"


def check_attention(machine: Machine) -> Result:
    """Compare causal attention in half precision with plain operations, for the shapes that hearing has."""
    worst = 0.0
    for rows, queries, keys in (
        (1, 1, 40),
        (5, 1, 40),
        (1, 8, 40),
        (1, 20, 20),
        (1, 20, 60),
        (5, 4, 200),
        (1, 300, 300),
    ):
        q, k, v = (mx.random.normal((rows, 6, count, 64)).astype(mx.float16) for count in (queries, keys, keys))
        mask = "causal" if queries > 1 else None
        found = mx.fast.scaled_dot_product_attention(q, k, v, scale=0.125, mask=mask).astype(mx.float32)
        scores = (q.astype(mx.float32) @ k.astype(mx.float32).swapaxes(2, 3)) * 0.125
        later = np.triu(np.ones((queries, keys), bool), keys - queries + 1)
        weights = mx.softmax(mx.where(mx.array(later), -mx.inf, scores), axis=-1)
        worst = max(worst, _difference(np.array(found), np.array(weights @ v.astype(mx.float32))))
    return worst <= KERNEL_TOLERANCE, f"7 shapes, difference {worst:.5f}"


def check_memory(machine: Machine) -> Result:
    """Compare the memory in use early and late in the pipeline's rounds, and what is kept for reuse with its limit."""
    if not machine.in_use:
        check_pipeline(machine)
    early, late = machine.in_use[len(machine.in_use) // 10], machine.in_use[-1]
    cached = mx.get_cache_memory()
    backend.release_unused()
    figures = f"{early / MEBIBYTE:.0f} MiB early, {late / MEBIBYTE:.0f} late, {cached / MEBIBYTE:.0f} kept for reuse"
    figures += f" ({mx.get_cache_memory() / MEBIBYTE:.0f} when released), {mx.get_peak_memory() / MEBIBYTE:.0f} at most"
    return late <= GROWTH * early and cached <= GPU_CACHE_LIMIT_BYTES and mx.get_cache_memory() == 0, figures


CHECKS: dict[str, Callable[[Machine], Result]] = {
    "backend": check_backend,
    "hearing": check_hearing,
    "pipeline": check_pipeline,
    "death": check_death,
    "views": check_views,
    "compiled": check_compiled,
    "attention": check_attention,
    "memory": check_memory,
}


def _forward(model: object, clip: Samples) -> Iterator[mx.array]:
    """Yield features and logits of a Whisper for a clip and a few tokens."""
    features = model.encode(log_mel(clip, model.dims.n_mels))  # type: ignore[attr-defined]
    yield features.astype(mx.float32)
    cross = model.cross_cache(features)  # type: ignore[attr-defined]
    logits, _ = model.decode(mx.array([[50257, 11, 284, 286]]), cross, model.new_cache())  # type: ignore[attr-defined]
    yield logits.astype(mx.float32)


def _starts(recognizer: WhisperRecognizer, clip: Samples) -> Callable[[], Stages]:
    def start() -> Stages:
        how = {"offset_seconds": 0.0, "prompt": "", "language": recognizer.languages[0], "final": True}
        return recognizer.stages(clip, reference=NO_REFERENCE, **how)  # type: ignore[arg-type]

    return start


def _text(recognizer: ModelRecognizer, clip: Samples) -> str:  # type: ignore[type-arg]
    heard = recognizer.hear(clip, language=recognizer.languages[0])
    return "".join(word.text for word in heard.words)


def _difference(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())
