"""The demo clip: people reading, cut from public-domain recordings, with its text and times.

python -m engine.recipes.speech.demo_readings --data ../shared/data --out assets/demo
"""

from __future__ import annotations

import argparse
import itertools
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import read_audio

KATHLEEN, VOLUNTEER, LINDA = "Kathleen", "a volunteer", "Linda Johnson"
READINGS = (
    (KATHLEEN, "kathleen/arctic_a0580_*", "This is my fifth voyage."),
    (KATHLEEN, "kathleen/arctic_a0473_*", "The night was calm and snowy."),
    (KATHLEEN, "kathleen/arctic_b0415_*", "There was nothing for us but the wide raw ocean."),
    (KATHLEEN, "kathleen/arctic_b0273_*", "Then it was that a strange thing happened."),
    (KATHLEEN, "kathleen/arctic_a0457_*", "What I saw I could not at first believe."),
    (VOLUNTEER, "commonvoice_v1_chetan/sample-000008.*",
     "This was the strangest of all things that ever came to earth from outer space."),
    (LINDA, "ljspeech_more/LJ001-0043.*", "A further development of the Roman letter took place at Venice."),
    (LINDA, "ljspeech_more/LJ001-0147.*",
     "The position of the page on the paper should be considered if the book is to have a satisfactory look."),
)  # fmt: skip
"""Who reads, from which file in DATA/speech_more, and what; chosen such that the starter hears it well."""

LEAD_SECONDS, GAP_SECONDS, TAIL_SECONDS = 0.6, 1.0, 1.5
MARGIN_SECONDS = 0.12
"""Kept around what is said."""

LONGEST_PAUSE_SECONDS = 0.28
"""Within a sentence: a longer one would end its caption too soon."""

FRAME = SAMPLE_RATE_HZ // 100
QUIET = 10 ** (-36 / 20)  # of the loud frames
LEVEL, PEAK = 0.075, 0.89  # root mean square of what is said, and the loudest sample
FADE_SECONDS = 0.04


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """One sentence of the clip and where it is in it, in seconds."""

    speaker: str
    text: str
    start: float
    end: float


def loudness(samples: Samples) -> Samples:
    """Give the root mean square of each 10 ms of samples (n,): (n // FRAME,)."""
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME)
    levels: Samples = np.sqrt((frames**2).mean(axis=1))
    return levels


def trimmed(samples: Samples) -> Samples:
    """Cut samples (n,) off before the first sound and behind the last one."""
    level = loudness(samples)
    heard = np.flatnonzero(level > np.percentile(level, 95) * QUIET)
    margin = round(MARGIN_SECONDS * SAMPLE_RATE_HZ)
    return samples[max(0, int(heard[0]) * FRAME - margin) : (int(heard[-1]) + 1) * FRAME + margin]


def without_long_pauses(samples: Samples) -> Samples:
    """Shorten each pause within samples (n,) to LONGEST_PAUSE_SECONDS, in its middle."""
    level = loudness(samples)
    heard = np.flatnonzero(level > np.percentile(level, 95) * QUIET)
    half = round(LONGEST_PAUSE_SECONDS / 2 * SAMPLE_RATE_HZ)
    for before, after in reversed(list(itertools.pairwise(heard))):
        start, end = (int(before) + 1) * FRAME + half, int(after) * FRAME - half
        if end - start > 2 * FRAME:
            rise = np.linspace(0, 1, FRAME, dtype=np.float32)
            joint = samples[start : start + FRAME] * (1 - rise) + samples[end - FRAME : end] * rise
            samples = np.concatenate([samples[:start], joint, samples[end:]])
    return samples


def levelled(samples: Samples) -> Samples:
    """Make what is said in samples (n,) as loud as LEVEL, and fade both ends."""
    level = loudness(samples)
    said = level[level > 0.1 * np.percentile(level, 95)]
    samples = samples * (LEVEL / np.sqrt(np.mean(said**2)))
    samples = samples * min(1.0, PEAK / float(np.abs(samples).max()))
    fade = round(FADE_SECONDS * SAMPLE_RATE_HZ)
    samples[:fade] *= np.linspace(0, 1, fade)
    samples[-fade:] *= np.linspace(1, 0, fade)
    return samples


def join_readings(data: Path) -> tuple[Samples, list[ReadSentence]]:
    """Join the readings of a data folder: samples (n,) at 16 kHz and the sentences in order."""
    parts = [np.zeros(round(LEAD_SECONDS * SAMPLE_RATE_HZ), np.float32)]
    sentences, at = [], LEAD_SECONDS
    for speaker, pattern, text in READINGS:
        file = min((data / "speech_more").glob(pattern))
        samples = levelled(without_long_pauses(trimmed(read_audio(file))))
        seconds = len(samples) / SAMPLE_RATE_HZ
        sentences.append(
            ReadSentence(speaker, text, round(at + MARGIN_SECONDS, 2), round(at + seconds - MARGIN_SECONDS, 2))
        )
        parts += [samples, np.zeros(round(GAP_SECONDS * SAMPLE_RATE_HZ), np.float32)]
        at += seconds + GAP_SECONDS
    parts[-1] = np.zeros(round(TAIL_SECONDS * SAMPLE_RATE_HZ), np.float32)
    return np.concatenate(parts), sentences


def write_readings(data: Path, folder: Path) -> Path:
    """Write readings.flac and readings.json into a folder; give the clip's path."""
    import soundfile

    samples, sentences = join_readings(data)
    clip = folder / "readings.flac"
    soundfile.write(clip, samples, SAMPLE_RATE_HZ, subtype="PCM_16", compression_level=1.0)
    record = {
        "file": clip.name,
        "seconds": round(len(samples) / SAMPLE_RATE_HZ, 2),
        "lang": "en",
        "text": " ".join(sentence.text for sentence in sentences),
        "sentences": [asdict(sentence) for sentence in sentences],
        "made": "recordings of people: see README.md",
    }
    clip.with_suffix(".json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return clip


if __name__ == "__main__":
    _parser = argparse.ArgumentParser(description=__doc__)
    _parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    _parser.add_argument("--out", type=Path, default=Path("assets/demo"))
    _options = _parser.parse_args()
    print(write_readings(_options.data, _options.out))
