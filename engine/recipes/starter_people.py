"""Speech of people for the starter corpus: recordings, and flite's recorded voices.

Nothing says when its words are spoken, so its shards have texts without times.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr

from engine.recipes.espeak import SAMPLE_RATE, Speech
from engine.recipes.starter_speech import SHARD_SENTENCES, write_shard
from engine.recipes.starter_text import fraction, training_sentences

HELD_OUT_SPEAKERS = frozenset({"1272", "1988", "2035", "2078"})  # of LibriSpeech dev-clean
FLITE_VOICES = ("slt", "rms", "awb", "kal16")
FLITE_FROM = 150_000  # flite speaks sentences that espeak-ng does not


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded utterance and what is said in it."""

    file: Path
    text: str
    speaker: str


def recordings(data: Path) -> list[Recording]:
    """The English recordings of a folder like the project's data, 0.8 to 28 s long."""
    found = []
    manifest = data / "speech" / "manifest.jsonl"
    for line in manifest.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        part = record["file"].split("/")[0]
        usable = part in ("librispeech", "ljspeech") and 0.8 <= record["seconds"] <= 28.0
        if usable and record["lang"] == "en" and record.get("kind") == "utterance":
            speaker = record["id"].split("-")[1] if part == "librispeech" else part
            text = readable(record["text"])
            found.append(Recording(data / "speech" / record["file"], text, speaker))
    return found


def readable(text: str) -> str:
    """Bring a transcript in capitals into lower case; "I" stays."""
    if text.upper() != text:
        return text
    return re.sub(r"\bi\b", "I", text.lower())


def people_speech(data: Path) -> Iterator[Speech]:
    """Read all recordings whose speakers are not held out."""
    for recording in recordings(data):
        if recording.speaker not in HELD_OUT_SPEAKERS:
            yield Speech(load(recording.file), recording.text, recording.speaker, (), ())


def load(file: Path) -> np.ndarray:
    """Read a mono file at 16 kHz (n,) float32."""
    samples, rate = soundfile.read(file, dtype="float32", always_2d=True)
    mono: np.ndarray = samples.mean(axis=1)
    if rate != SAMPLE_RATE:
        mono = soxr.resample(mono, rate, SAMPLE_RATE)
    return mono


def flite_speech(sentences: list[str]) -> Iterator[Speech]:
    """Speak sentences with flite at paces and pitches that the sentence decides."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "speech.wav"
        for sentence in sentences:
            voice = FLITE_VOICES[int(fraction(sentence, "flite") * len(FLITE_VOICES))]
            pace = 0.8 + 0.4 * fraction(sentence, "pace")
            pitch = (85 if voice != "slt" else 150) + 60 * fraction(sentence, "pitch")
            command = [
                "flite", "-voice", voice, "--setf", f"duration_stretch={pace:.2f}",
                "--setf", f"int_f0_target_mean={pitch:.0f}", "-t", sentence, "-o", str(target),
            ]  # fmt: skip
            subprocess.run(command, check=True, capture_output=True)
            yield Speech(load(target), sentence, f"flite-{voice}", (), ())


def synthesise_people(data: Path, out: Path, flite_shards: int) -> None:
    """Write the shards of recordings and of flite's voices; those there are kept."""
    has_recordings = (data / "speech" / "manifest.jsonl").exists()
    if has_recordings and not (out / "people-0000.jsonl").exists():
        write_shard(out / "people-0000", people_speech(data))
    sentences = training_sentences(data)[FLITE_FROM:]
    for shard in range(flite_shards):
        chosen = sentences[shard * SHARD_SENTENCES : (shard + 1) * SHARD_SENTENCES]
        target = out / f"flite-{shard:04d}"
        if chosen and not target.with_suffix(".jsonl").exists():
            write_shard(target, flite_speech(chosen))
