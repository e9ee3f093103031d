"""Try the GPU's way of the engine where there is a GPU: `python -m tests.gpu`, on a Mac or with `mlx[cuda13]`.

One line for each check says its name, "ok" or "not", and what was found. The exit status is 1 where one is not ok.
With `--device cpu` the same operations, written down for a GPU, are computed on the processor with small random
models: that rehearses the checks, and shows nothing of a GPU. docs/metal.md keeps the figures.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from engine.machine import backend
from tests.gpu.checks import CHECKS, Machine
from tests.hear.short_decoding import short_decoding

SHORT_TOKENS = 8
"""Most tokens of a decoding: models with random weights would write until they may not."""


def main() -> int:
    """Run the chosen checks; return 1 where one fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.gpu", description=__doc__)
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu", help="cpu rehearses the checks")
    parser.add_argument("--rounds", type=int, help="rounds of hearing in the pipeline (500 on a GPU, 12 on a CPU)")
    parser.add_argument("--only", nargs="+", choices=CHECKS, default=list(CHECKS), help="run these checks alone")
    options = parser.parse_args()
    rounds = options.rounds or (500 if options.device == "gpu" else 12)
    backend.prepare()
    if options.device == "gpu" and not backend.on_gpu():
        parser.exit(2, "MLX finds no GPU here. `--device cpu` rehearses the checks.\n")
    started, failed = time.perf_counter(), 0
    with tempfile.TemporaryDirectory() as folder, short_decoding(SHORT_TOKENS):
        machine = Machine(options.device, rounds, Path(folder))
        for name in options.only:
            begun = time.perf_counter()
            try:
                ok, figures = CHECKS[name](machine)
            except Exception as error:  # what a GPU does may be anything
                ok, figures = False, f"{type(error).__name__}: {error}"
            failed += not ok
            print(f"{name:<10} {'ok ' if ok else 'not'} {figures} [{time.perf_counter() - begun:.1f} s]", flush=True)
    total = len(options.only)
    print(f"{total - failed} of {total} ok in {time.perf_counter() - started:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
