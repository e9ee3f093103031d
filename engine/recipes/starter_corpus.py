"""Makes the corpus of spoken sentences in a process of its own, while training uses what is there."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from engine.errors import EngineError
from engine.recipes.starter_speech import synthesise

SHARDS = 251  # every sentence there is


def start_making(data: Path, corpus: Path) -> subprocess.Popen[bytes]:
    """Start the process and wait for the first shard; shards that are there already are kept."""
    command = [sys.executable, "-m", "engine.recipes.starter_corpus", "--data", str(data), "--out", str(corpus)]
    process = subprocess.Popen(command)
    while not any(corpus.glob("*.jsonl")):
        if process.poll() is not None:
            raise EngineError(f"No speech could be made from the texts in {data}; see the lines above.")
        time.sleep(0.2)
    return process


if __name__ == "__main__":
    _parser = argparse.ArgumentParser(description=__doc__)
    _parser.add_argument("--data", type=Path, required=True)
    _parser.add_argument("--out", type=Path, required=True)
    _options = _parser.parse_args()
    os.nice(5)  # training comes first
    synthesise(_options.data, _options.out, SHARDS)
