"""Count what a round of hearing asks of a GPU, from the models' shapes: `uv run python docs/count_work.py --write`.

docs/metal.md is what this prints; a test says so. Kernels are counted in the very graph that MLX would launch, of a
model with the published one's layers and hardly any states; operations and bytes come from the published shapes.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import mlx.core as mx

from engine.hear.whisper import kernels
from engine.hear.whisper.arithmetic import encoder_macs
from engine.hear.whisper.files.published import PUBLISHED
from engine.hear.whisper.model import ModelDimensions, Whisper

PAGE = Path(__file__).parents[1] / "docs" / "metal.md"
MODELS = ("tiny", "base", "small", "medium", "large-v3", "large-v3-turbo")
HEARD_SECONDS = 6.5  # what a round hears: a buffer of 6 s and a hush word
FORWARDS = 4  # of the decoder in a round: a block and three steps
CANDIDATES = 1
BLOCK_TOKENS = 20
HALF_PRECISION_BYTES = 2
LAUNCH_SECONDS, WAIT_SECONDS = 5e-6, 2e-4
SHARE_OF_PEAK = 0.5
FEW_STATES_OF_A_HEAD = 64
VIEWS = frozenset(
    {"Transpose", "Reshape", "Flatten", "Unflatten", "Squeeze", "ExpandDims", "Broadcast", "Slice", "Split"}
)


@dataclass(frozen=True, slots=True)
class Chip:
    """An Apple chip's GPU: its cores in the smallest common version, peak operations and memory bandwidth a second."""

    name: str
    teraflops: float
    gigabytes: float


CHIPS = (Chip("M1", 2.6, 68), Chip("M2", 3.6, 100), Chip("M3", 4.1, 100), Chip("M4", 4.6, 120))


@dataclass(frozen=True, slots=True)
class Work:
    """Work of one stage: operations, bytes read and written, kernels launched, and waits for the result."""

    name: str
    flop: float
    bytes: float
    launches: int
    waits: int = 1

    def seconds(self, chip: Chip) -> float:
        """Return the expected time: arithmetic or memory, whichever takes longer, then launches and waits."""
        arithmetic = self.flop / (SHARE_OF_PEAK * chip.teraflops * 1e12)
        memory = self.bytes / (chip.gigabytes * 1e9)
        return max(arithmetic, memory) + LAUNCH_SECONDS * self.launches + WAIT_SECONDS * self.waits


def work_of(dims: ModelDimensions) -> tuple[Work, ...]:
    """Count the stages of a round: encoder with the cross-attention's keys, a block, a step, and the times of words."""
    frames = round(HEARD_SECONDS * 50)
    states, layers = dims.n_text_state, dims.n_text_layer
    encoder_weights = 12 * dims.n_audio_layer * states**2 + 3 * states * (dims.n_mels + states)
    cross_weights, decoder_weights = 2 * layers * states**2, 14 * layers * states**2
    vocabulary = dims.n_vocab * states
    encode, block, step, align = launches(dims)

    def read(rows: int, cached: int, *, with_vocabulary: bool) -> tuple[float, float]:
        weights = decoder_weights + (vocabulary if with_vocabulary else 0)
        attended = layers * states * 2 * (frames + cached)
        return 2.0 * rows * (weights + attended), HALF_PRECISION_BYTES * float(weights + attended)

    encoding = 2.0 * (encoder_macs(dims, frames) + cross_weights * frames)
    activations = dims.n_audio_layer * frames * states * 16
    return (
        Work("encoder and cross-attention keys", encoding,
             HALF_PRECISION_BYTES * float(encoder_weights + cross_weights + activations), encode),
        Work(f"block of {BLOCK_TOKENS} tokens", *read(BLOCK_TOKENS, BLOCK_TOKENS, with_vocabulary=True), block),
        Work("step", *read(CANDIDATES, BLOCK_TOKENS, with_vocabulary=True), step),
        Work("times of words", *read(BLOCK_TOKENS, BLOCK_TOKENS, with_vocabulary=False), align),
    )  # fmt: skip


def launches(dims: ModelDimensions) -> tuple[int, int, int, int]:
    """Count the kernels of each stage, in graphs written for a GPU."""
    few = FEW_STATES_OF_A_HEAD
    small = replace(dims, n_audio_state=few, n_text_state=few, n_audio_head=1, n_text_head=1, n_vocab=8)
    model = Whisper(small, [(small.n_text_layer - 1, 0)])
    mx.eval(model.parameters(), model.encoder._positions)
    mel = mx.zeros((1, 100, dims.n_mels))
    mx.eval(mel)
    # On a GPU the activation is compiled to one kernel; here nothing compiles, and one operation stands in for it.
    with patch.object(kernels, "writes_for_gpu", lambda: True), patch.object(kernels.nn, "gelu", mx.erf):
        cross = model.cross_cache(model.encode(mel))
        encode = _kernels(cross.arrays())
        mx.eval(cross.arrays())

        def read(rows: int, count: int, *, aligned: bool) -> int:
            cache = model.new_cache(rows)
            mx.eval(cache.arrays())
            tokens = mx.zeros((rows, count), mx.int32)
            mx.eval(tokens)
            logits, scores = model.decode(tokens, cross, cache, with_alignment=aligned)
            return _kernels([scores] if scores is not None else [logits])

        return (
            encode,
            read(1, BLOCK_TOKENS, aligned=False),
            read(CANDIDATES, 1, aligned=False),
            read(1, BLOCK_TOKENS, aligned=True),
        )


def _kernels(arrays: list[mx.array]) -> int:
    """Count the operations of a graph that are more than another view of an array."""
    graph = StringIO()
    mx.export_to_dot(graph, *arrays)
    found = re.findall(r'label\s*=\s*"([A-Za-z]+)', graph.getvalue())
    return sum(1 for name in found if name not in VIEWS)


def page() -> str:
    """Return the tables as Markdown."""
    return "\n".join((*_intro(), *_stages(), *_rounds())) + "\n"


def _intro() -> Iterator[str]:
    chips = "; ".join(f"{chip.name} {chip.teraflops:g} TFLOPS, {chip.gigabytes:g} GB/s" for chip in CHIPS)
    yield f"""\
# What a round asks of Metal

Counted by `uv run python docs/count_work.py --write`, not measured: no Mac was at hand. A round hears
{HEARD_SECONDS:g} s in half precision: it encodes them, reads a block of {BLOCK_TOKENS} tokens (prompt and last
hypothesis), decodes {FORWARDS - 1} steps with one candidate, and times the words. Kernels are the operations
of MLX's graph that are more than a view; each forward ends with one wait for its logits, which the search on the
processor needs.

The expected time is that of arithmetic (at half of a chip's peak) or of memory (weights, and keys and values that are
attended to, read once), whichever is longer, plus 5 µs for every kernel and 0.2 ms for every wait. Peaks:
{chips}.

These graphs have none of the fast paths for processors: polynomials, blocks of rows, products of bytes and numpy are
chosen where the device is no GPU, when a model is loaded or an operation is built.
"""


def _stages() -> Iterator[str]:
    yield "| model | stage | GFLOP | MB | kernels | waits |"
    yield "|---|---|---|---|---|---|"
    for name in MODELS:
        for work in work_of(PUBLISHED[name].dims):
            size = f"{work.flop / 1e9:.2f} | {work.bytes / 1e6:.0f}"
            yield f"| {name} | {work.name} | {size} | {work.launches} | {work.waits} |"


def _rounds() -> Iterator[str]:
    yield "\nA whole round, in milliseconds (and the share that launches and waits have of it):\n"
    yield f"| model | kernels | waits | {' | '.join(chip.name for chip in CHIPS)} |"
    yield "|---|---|---|" + "---|" * len(CHIPS)
    for name in MODELS:
        encode, block, step, align = work_of(PUBLISHED[name].dims)
        parts = (encode, block, *(step,) * (FORWARDS - 1), align)
        kernels_, waits = sum(part.launches for part in parts), sum(part.waits for part in parts)
        idle = LAUNCH_SECONDS * kernels_ + WAIT_SECONDS * waits
        totals = [sum(part.seconds(chip) for part in parts) for chip in CHIPS]
        cells = " | ".join(f"{1e3 * total:.0f} ({100 * idle / total:.0f}%)" for total in totals)
        yield f"| {name} | {kernels_} | {waits} | {cells} |"


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/metal.md")
    if parser.parse_args().write:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page(), end="")


if __name__ == "__main__":
    main()
