"""Makes the starter corpus in a process of its own, while training uses what is there."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from engine.errors import EngineError
from engine.recipes.starter_people import synthesise_people
from engine.recipes.starter_speech import synthesise, synthesise_drills, synthesise_questions

ESPEAK_SHARDS, FLITE_SHARDS = 251, 5  # espeak-ng says every sentence there is
DRILL_SHARDS = 80


def start_making(
    data: Path, corpus: Path, espeak_shards: int = ESPEAK_SHARDS, drill_shards: int = 0
) -> subprocess.Popen[bytes]:
    """Start the process and wait for the first shard; shards that are there already are kept."""
    command = [sys.executable, "-m", "engine.recipes.starter_corpus"]
    command += ["--data", str(data), "--out", str(corpus), "--espeak-shards", str(espeak_shards)]
    command += ["--drill-shards", str(drill_shards)]
    process = subprocess.Popen(command)
    while not any(corpus.glob("*.jsonl")):
        if process.poll() is not None:
            raise EngineError(f"No speech could be made from the texts in {data}; see the lines above.")
        time.sleep(0.2)
    return process


def make(data: Path, corpus: Path, espeak_shards: int, drill_shards: int) -> None:
    """Make all shards: espeak-ng's, then recordings, flite's where it is installed, and last the drills."""
    os.nice(5)  # training comes first
    synthesise(data, corpus, espeak_shards)
    flite_shards = FLITE_SHARDS if shutil.which("flite") else 0
    synthesise_people(data, corpus, flite_shards)
    synthesise_drills(data, corpus, drill_shards)
    if drill_shards:
        synthesise_questions(corpus)


if __name__ == "__main__":
    _parser = argparse.ArgumentParser(description=__doc__)
    _parser.add_argument("--data", type=Path, required=True)
    _parser.add_argument("--out", type=Path, required=True)
    _parser.add_argument("--espeak-shards", type=int, default=ESPEAK_SHARDS)
    _parser.add_argument("--drill-shards", type=int, default=DRILL_SHARDS)
    _options = _parser.parse_args()
    make(_options.data, _options.out, _options.espeak_shards, _options.drill_shards)
