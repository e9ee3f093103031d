"""Stages of a round, as Earshot and as CTranslate2 compute them, and how much work they are."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import read_audio
from engine.hear.decode.cache import CrossCache
from engine.hear.decode.decoder import Reader
from engine.hear.whisper.arithmetic import encoder_macs
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.mel import log_mel
from engine.hear.whisper.whisper_decoder import WhisperDecoder
from engine.models.catalogue import ASSETS
from lab.bench.captions.peer_model import write_peer_model

ENCODED_SECONDS = (1, 5, 10, 30)
STEP_SECONDS = 5
CANDIDATES = (1, 5)
EARSHOT, PEER_FLOAT, PEER_BYTES = "Earshot", "CTranslate2 float32", "CTranslate2 int8"
STEPS = 16
FEWER_TOKENS, MORE_TOKENS = 16, 64  # CTranslate2 halves them, and cannot be asked for a step: two texts' difference is

Run = Callable[[], int]
"""Function that does a stage's work, and returns how many times."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage.

    Attributes:
        name: of the stage; of Earshot's steps it is that of the peer's too.
        runs: what does it, by the program's name.
        flop: operations on numbers that it takes, by formula.
        bytes: of weights that Earshot reads for it.
        shorter: of a peer's steps, what is taken off: the same with fewer tokens.
    """

    name: str
    runs: dict[str, Run]
    flop: float
    bytes: float = 0.0
    shorter: dict[str, Run] | None = None


def speech(seconds: int) -> Samples:
    """Return this many seconds of the demo's speech, from its beginning again where it is shorter."""
    samples = read_audio(ASSETS / "demo" / "talk.ogg")
    return np.resize(samples, seconds * SAMPLE_RATE_HZ)


def stages(hearing: HearingModel, peers: dict[str, Any]) -> list[Stage]:
    """List the stages of a model; `peers` are models of CTranslate2's by program name."""
    heard = hearing.model.cross_cache(hearing.model.encode(_mel(hearing, STEP_SECONDS)))
    mx.eval(heard.arrays())
    return [
        *(_encoder(hearing, peers, seconds) for seconds in ENCODED_SECONDS),
        _cross_keys(hearing),
        *(_step(hearing, peers, heard, rows) for rows in CANDIDATES),
        *(_vocabulary(hearing, heard, rows) for rows in CANDIDATES),
    ]


def load_peers(hearing: HearingModel) -> dict[str, Any]:
    """Load the model's weights into CTranslate2 with one thread, by program name."""
    import ctranslate2

    kinds = {PEER_FLOAT: "float32", PEER_BYTES: "int8"}
    with tempfile.TemporaryDirectory(prefix="earshot-peer-") as folder:
        write_peer_model(hearing, Path(folder))
        return {
            name: ctranslate2.models.Whisper(folder, device="cpu", compute_type=kind, intra_threads=1, inter_threads=1)
            for name, kind in kinds.items()
        }


def _mel(hearing: HearingModel, seconds: int) -> mx.array:
    mel = log_mel(speech(seconds), hearing.model.dims.n_mels)
    mx.eval(mel)
    return mel


def _view(hearing: HearingModel, seconds: int) -> Any:
    """Return the log-mel as CTranslate2 takes it: (1, n_mels, frames)."""
    import ctranslate2

    mel = np.array(_mel(hearing, seconds)).T[None]
    return ctranslate2.StorageView.from_array(np.ascontiguousarray(mel))


def _encoder(hearing: HearingModel, peers: dict[str, Any], seconds: int) -> Stage:
    model, mel = hearing.model, _mel(hearing, seconds)
    runs: dict[str, Run] = {EARSHOT: lambda: _once(lambda: mx.eval(model.encode(mel)))}
    for name, peer in peers.items():
        runs[name] = _once_with(peer.encode, _view(hearing, seconds))
    return Stage(f"encoder, {seconds} s", runs, 2.0 * encoder_macs(model.dims, mel.shape[0] // 2))


def _cross_keys(hearing: HearingModel) -> Stage:
    model = hearing.model
    features = model.encode(_mel(hearing, STEP_SECONDS))
    mx.eval(features)
    dims = model.dims
    flop = 4.0 * dims.n_text_layer * dims.n_text_state**2 * features.shape[1]
    run = _once_with(lambda: mx.eval(model.cross_cache(features).arrays()))
    return Stage(f"cross-attention keys, {STEP_SECONDS} s", {EARSHOT: run}, flop)


def _step(hearing: HearingModel, peers: dict[str, Any], heard: CrossCache, rows: int) -> Stage:
    decoder = WhisperDecoder(hearing.model, heard)
    start = hearing.tokenizer.sot_sequence(hearing.languages[0])

    def steps() -> int:
        reader = Reader(decoder)
        reader.read(start, [-1])
        logits = reader.step([0] * rows, [start[-1]] * rows)
        for _ in range(STEPS):
            logits = reader.step(range(rows), logits.argmax(axis=1).tolist())
        return STEPS

    longer: dict[str, Run] = {EARSHOT: steps}
    shorter: dict[str, Run] = {}
    for name, peer in peers.items():
        encoded = peer.encode(_view(hearing, STEP_SECONDS))
        for runs, limit in ((longer, MORE_TOKENS), (shorter, FEWER_TOKENS)):
            runs[name] = _written(peer, encoded, start, rows, limit, hearing.tokenizer.eot)
    layers, vocabulary = _weights(hearing)
    by_bytes = hearing.model.fast_decoder is not None
    read = 2 * layers + vocabulary if by_bytes else 4 * (layers + vocabulary)
    return Stage(_rows("decoder step", rows), longer, 2.0 * rows * (layers + vocabulary), read, shorter)


def _written(peer: Any, encoded: Any, start: Sequence[int], rows: int, limit: int, eot: int) -> Run:
    """Write a text that does not end before the limit; return its tokens."""

    def write() -> int:
        found = peer.generate(
            encoded, [list(start)], beam_size=rows, max_length=limit, suppress_tokens=[eot], suppress_blank=False
        )
        return len(found[0].sequences_ids[0])

    return write


def _vocabulary(hearing: HearingModel, heard: CrossCache, rows: int) -> Stage:
    model, dims = hearing.model, hearing.model.dims
    tokens = mx.array([hearing.tokenizer.sot_sequence(hearing.languages[0])[:1]] * rows)
    states = model.read(tokens, heard, model.new_cache(rows), frozenset())[0][:, 0]
    mx.eval(states)
    run = _once_with(lambda: mx.eval(model.logits(states)))
    size = dims.n_vocab * dims.n_text_state
    read = size if model.fast_decoder is not None else 4 * size
    return Stage(_rows("vocabulary product", rows), {EARSHOT: run}, 2.0 * rows * size, read)


def _weights(hearing: HearingModel) -> tuple[int, int]:
    """Return how many weights a step reads: of all layers, and of the vocabulary."""
    dims = hearing.model.dims
    return 14 * dims.n_text_layer * dims.n_text_state**2, dims.n_vocab * dims.n_text_state


def _rows(stage: str, rows: int) -> str:
    return f"{stage}, {rows} candidate{'s' if rows > 1 else ''}"


def _once(work: Callable[[], object]) -> int:
    work()
    return 1


def _once_with(work: Callable[..., object], *given: object) -> Run:
    return lambda: _once(lambda: work(*given))
