"""Count what a round of hearing asks of a GPU, from the models' shapes: `uv run python docs/count_work.py --write`.

This prints the first part of docs/metal.md, up to the line END; a test compares them. Kernels are counted in the graph
that MLX would launch, of a model with the published one's layers and few states. FLOP and bytes come from the published
shapes.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import mlx.core as mx

from engine.hear.whisper import kernels
from engine.hear.whisper.arithmetic import encoder_macs
from engine.hear.whisper.files.published import PUBLISHED
from engine.hear.whisper.model import ModelDimensions, Whisper
from engine.machine.backend import GPU_CACHE_LIMIT_BYTES, MEBIBYTE, WIRED_SHARE

PAGE = Path(__file__).parents[1] / "docs" / "metal.md"
END = "<!-- What follows is written by hand. -->\n"
MODELS = ("tiny", "base", "small", "medium", "large-v3", "large-v3-turbo")
HEARD_SECONDS = 6.5  # what a round hears: a buffer of 6 s and a hush word
FORWARDS = 4  # of the decoder in a round: a block and three steps
CANDIDATES = 1
BLOCK_TOKENS = 20
HALF_PRECISION_BYTES = 2
QUANTISED_SHARE = 0.53
"""Size of a matrix in 8 bits with its scales, as a share of its size in float16."""
LAUNCH_SECONDS, WAIT_SECONDS = 5e-6, 2e-4
OPERATION_SECONDS = 2.5e-6
"""Time in which Python builds one operation of a graph, a view or a kernel: measured on a server's processor."""
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
class Graph:
    """Size of a graph: operations, and those of them that are more than a view."""

    operations: int
    kernels: int


@dataclass(frozen=True, slots=True)
class Work:
    """Work of one stage: FLOP, bytes read and written, the size of its graph, and waits for the result."""

    name: str
    flop: float
    bytes: float
    graph: Graph
    waits: int = 1

    @property
    def idle_seconds(self) -> float:
        """Return the time in which the GPU computes nothing: Python, launches and waits."""
        graph = self.graph
        return OPERATION_SECONDS * graph.operations + LAUNCH_SECONDS * graph.kernels + WAIT_SECONDS * self.waits

    def seconds(self, chip: Chip) -> float:
        """Return the expected time: arithmetic or memory, whichever takes longer, and the idle time."""
        arithmetic = self.flop / (SHARE_OF_PEAK * chip.teraflops * 1e12)
        memory = self.bytes / (chip.gigabytes * 1e9)
        return max(arithmetic, memory) + self.idle_seconds


def work_of(dims: ModelDimensions) -> tuple[Work, ...]:
    """Count the stages of a round: encoder with the cross-attention's keys, a block, a step, the times of words."""
    frames = round(HEARD_SECONDS * 50)
    states, layers = dims.n_text_state, dims.n_text_layer
    encoder_weights = 12 * dims.n_audio_layer * states**2 + 3 * states * (dims.n_mels + states)
    cross_weights, decoder_weights = 2 * layers * states**2, 14 * layers * states**2
    vocabulary = dims.n_vocab * states
    encode, block, step, align = graphs(dims)

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


def graphs(dims: ModelDimensions) -> tuple[Graph, Graph, Graph, Graph]:
    """Measure the graph that each stage has on a GPU."""
    few = FEW_STATES_OF_A_HEAD
    small = replace(dims, n_audio_state=few, n_text_state=few, n_audio_head=1, n_text_head=1, n_vocab=8)
    model = Whisper(small, [(small.n_text_layer - 1, 0)])
    mx.eval(model.parameters(), model.encoder._positions)
    mel = mx.zeros((1, 100, dims.n_mels))
    mx.eval(mel)
    with _one_kernel_each():
        cross = model.cross_cache(model.encode(mel))
        encode = _graph(cross.arrays())
        mx.eval(cross.arrays())

        def read(rows: int, count: int, *, aligned: bool) -> Graph:
            cache = model.new_cache(rows)
            mx.eval(cache.arrays())
            tokens = mx.zeros((rows, count), mx.int32)
            mx.eval(tokens)
            logits, scores = model.decode(tokens, cross, cache, with_alignment=aligned)
            return _graph([scores] if scores is not None else [logits])

        return (
            encode,
            read(1, BLOCK_TOKENS, aligned=False),
            read(CANDIDATES, 1, aligned=False),
            read(1, BLOCK_TOKENS, aligned=True),
        )


@contextmanager
def _one_kernel_each() -> Iterator[None]:
    """Let one operation stand for the activation, a norm and attention, which are one kernel each on a GPU alone."""

    def attention(query: mx.array, keys: mx.array, values: mx.array, **how: object) -> mx.array:
        return mx.concatenate([query, keys, values], axis=2)[:, :, : query.shape[2]]

    with ExitStack() as patches:
        patches.enter_context(patch.object(kernels, "writes_for_gpu", lambda: True))
        patches.enter_context(patch.object(kernels.nn, "gelu", mx.erf))
        patches.enter_context(patch.object(mx.fast, "layer_norm", lambda x, *_: mx.erf(x)))
        patches.enter_context(patch.object(mx.fast, "scaled_dot_product_attention", attention))
        yield


def _graph(arrays: list[mx.array]) -> Graph:
    graph = StringIO()
    mx.export_to_dot(graph, *arrays)
    found = re.findall(r'label\s*=\s*"([A-Za-z]+)', graph.getvalue())
    return Graph(len(found), sum(1 for name in found if name not in VIEWS))


def page() -> str:
    """Return the counted part of the page as Markdown."""
    return "\n".join((*_intro(), *_stages(), *_rounds(), *_memory())) + "\n\n" + END


def _intro() -> Iterator[str]:
    chips = "; ".join(f"{chip.name} {chip.teraflops:g} TFLOPS, {chip.gigabytes:g} GB/s" for chip in CHIPS)
    yield f"""\
# What a round asks of Metal

Counted by `uv run python docs/count_work.py --write`, not measured: no Mac was at hand. A round hears
{HEARD_SECONDS:g} s in half precision: it encodes them, reads a block of {BLOCK_TOKENS} tokens (prompt and last
hypothesis), decodes {FORWARDS - 1} steps with one candidate, and times the words. Kernels are the operations
of MLX's graph that are more than a view.

A round waits for the GPU once for the encoder, once for each forward of the decoder, whose logits the search on the
processor needs, and once for the times: {FORWARDS + 2} times, and once more where the language has to be found out. The
features for a draft network come with the encoder's wait. A translation waits once for each of its forwards.

The expected time is that of arithmetic (at half of a chip's peak) or of memory (weights, and keys and values that are
attended to, read once), whichever is longer, plus {1e6 * OPERATION_SECONDS:g} µs of Python for every operation
(measured on a server's processor), {1e6 * LAUNCH_SECONDS:g} µs for every kernel and {1e3 * WAIT_SECONDS:g} ms for every
wait. Python builds the graph of a forward only when the last one's logits are there, so that the GPU is idle meanwhile.
Peaks: {chips}.

These graphs have none of the fast paths for processors: polynomials, blocks of rows, products of bytes and numpy are
chosen where the device is no GPU, when a model is loaded or an operation is built.
"""


def _stages() -> Iterator[str]:
    yield "| model | stage | GFLOP | MB | operations | kernels | Python, ms | waits |"
    yield "|---|---|---|---|---|---|---|---|"
    for name in MODELS:
        for work in work_of(PUBLISHED[name].dims):
            size, graph = f"{work.flop / 1e9:.2f} | {work.bytes / 1e6:.0f}", work.graph
            python = 1e3 * OPERATION_SECONDS * graph.operations
            counts = f"{graph.operations} | {graph.kernels} | {python:.1f} | {work.waits}"
            yield f"| {name} | {work.name} | {size} | {counts} |"


def _rounds() -> Iterator[str]:
    yield "\nA whole round, in milliseconds (and the share that Python, launches and waits have of it):\n"
    yield f"| model | kernels | waits | {' | '.join(chip.name for chip in CHIPS)} |"
    yield "|---|---|---|" + "---|" * len(CHIPS)
    for name in MODELS:
        encode, block, step, align = work_of(PUBLISHED[name].dims)
        parts = (encode, block, *(step,) * (FORWARDS - 1), align)
        kernels_, waits = sum(part.graph.kernels for part in parts), sum(part.waits for part in parts)
        idle = sum(part.idle_seconds for part in parts)
        totals = [sum(part.seconds(chip) for part in parts) for chip in CHIPS]
        cells = " | ".join(f"{1e3 * total:.0f} ({100 * idle / total:.0f}%)" for total in totals)
        yield f"| {name} | {kernels_} | {waits} | {cells} |"


def _memory() -> Iterator[str]:
    cache = GPU_CACHE_LIMIT_BYTES / MEBIBYTE
    yield f"""
Memory, in MB. Each engine process has limits of its own: one hears and translates, the other answers. The models of
each are wired from macOS 15 on, and with them at most {WIRED_SHARE - 1:.0%} more, for what a round makes; wired memory
is lost to all other programs. Up to {cache:.0f} MiB of freed arrays are kept for reuse, and given back after loading
and after a session. A Mac of 8 GB lets its GPU have 5.7 GB: both processes together have to stay below, and far below
where other programs are open.
"""
    yield "| model | weights in float16 | wired at most | weights in 8 bits | wired at most |"
    yield "|---|---|---|---|---|"
    for name in MODELS:
        half = HALF_PRECISION_BYTES * weights(PUBLISHED[name].dims) / 1e6
        cells = (half, WIRED_SHARE * half, half * QUANTISED_SHARE, WIRED_SHARE * half * QUANTISED_SHARE)
        yield f"| {name} | {' | '.join(f'{each:.0f}' for each in cells)} |"


def weights(dims: ModelDimensions) -> int:
    """Return how many numbers a Whisper's matrices hold, without norms and biases."""
    audio, text = dims.n_audio_state, dims.n_text_state
    encoder = 12 * dims.n_audio_layer * audio**2 + 3 * audio * (dims.n_mels + audio)
    return encoder + 16 * dims.n_text_layer * text**2 + (dims.n_vocab + dims.n_text_ctx) * text


def main() -> None:
    """Print the counted part of the page, or put it there in place of the old one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/metal.md")
    if parser.parse_args().write:
        by_hand = PAGE.read_text(encoding="utf-8").partition(END)[2]
        PAGE.write_text(page() + by_hand, encoding="utf-8")
    else:
        print(page(), end="")


if __name__ == "__main__":
    main()
