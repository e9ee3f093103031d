"""The demo clip: a short meeting of two synthetic voices, with its text and times."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.recipes.espeak import SAMPLE_RATE, Voice, espeak

ANNA, BEN = "Anna", "Ben"
VOICES = {ANNA: Voice("en-us+f3", 172, 52), BEN: Voice("en-us", 175, 48)}
TURN_PAUSE_SECONDS, SENTENCE_PAUSE_SECONDS = 0.65, 0.35
LEVEL = 0.6  # peak of the loudest sample

TURNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (BEN, ("Good morning, everyone.", "Can you hear me?")),
    (ANNA, ("Yes, I can hear you very well.", "Let's start the meeting.")),
    (BEN, ("First, I want to talk about the new captions.",
           "They appear on the screen while we are speaking.")),
    (ANNA, ("That sounds great.", "Do they work without the internet?")),
    (BEN, ("Yes, they do.", "Nothing leaves this computer.")),
    (ANNA, ("That is good news.", "My mother has trouble hearing on the phone.",
            "She will be very happy.")),
    (BEN, ("We still have a lot of work to do.", "I need to finish the report by Friday.")),
    (ANNA, ("I can help you with that.", "Could you send me the first part this afternoon?")),
    (BEN, ("Of course.", "I will send it before three o'clock.")),
    (ANNA, ("Thank you.", "Is there anything else we need to discuss?")),
    (BEN, ("No, that is all for today.", "Have a nice day.")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SpokenSentence:
    """One sentence of the meeting and where it is in the clip."""

    speaker: str
    text: str
    start: float  # seconds
    end: float


def speak_meeting() -> tuple[np.ndarray, list[SpokenSentence]]:
    """Speak the meeting: samples (n,) at 16 kHz and the sentences in order."""
    parts = [np.zeros(int(0.5 * SAMPLE_RATE), np.float32)]
    sentences, at = [], len(parts[0])
    for speaker, lines in TURNS:
        for index, line in enumerate(lines):
            speech = espeak().speak(line, VOICES[speaker])
            start, end = at / SAMPLE_RATE, at / SAMPLE_RATE + speech.words[-1][1]
            sentences.append(SpokenSentence(speaker, line, round(start, 2), round(end, 2)))
            last = index == len(lines) - 1
            pause = TURN_PAUSE_SECONDS if last else SENTENCE_PAUSE_SECONDS
            parts += [speech.samples, np.zeros(int(pause * SAMPLE_RATE), np.float32)]
            at += len(parts[-2]) + len(parts[-1])
    samples = np.concatenate(parts)
    return samples * (LEVEL / np.abs(samples).max()), sentences


def write_meeting(folder: Path) -> Path:
    """Write meeting.flac and meeting.json into a folder; give the clip's path."""
    import soundfile

    samples, sentences = speak_meeting()
    folder.mkdir(parents=True, exist_ok=True)
    clip = folder / "meeting.flac"
    soundfile.write(clip, samples, SAMPLE_RATE, subtype="PCM_16")
    record = {
        "file": clip.name,
        "seconds": round(len(samples) / SAMPLE_RATE, 2),
        "lang": "en",
        "text": " ".join(sentence.text for sentence in sentences),
        "sentences": [{"speaker": s.speaker, "text": s.text, "start": s.start, "end": s.end} for s in sentences],
        "made": "espeak-ng, voices en-us (Ben) and en-us+f3 (Anna)",
    }
    (folder / "meeting.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return clip


if __name__ == "__main__":
    _parser = argparse.ArgumentParser(description=__doc__)
    _parser.add_argument("--out", type=Path, default=Path("assets/demo"))
    print(write_meeting(_parser.parse_args().out))
