"""Recordings for the benchmark of captions: sentences of synthetic voices, and recordings with a transcript."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import read_audio
from engine.events import Word
from engine.models.catalogue import ASSETS
from lab.bench.errors import BenchError
from lab.recipes.speech.espeak import Speech, SyntheticVoice, espeak

PAUSE_SECONDS = 0.4
SENTENCES_EACH = 3  # of one spoken clip: about 20 words, as LibriSpeech's utterances have
VOICES = (
    SyntheticVoice("en-us", 175),
    SyntheticVoice("en-us+f3", 160),
    SyntheticVoice("en-us+m3", 175),
    SyntheticVoice("en-us+f1", 185),
    SyntheticVoice("en-us+m2", 165),
    SyntheticVoice("en-us+f4", 175),
    SyntheticVoice("en-us+m4", 185),
    SyntheticVoice("en-us+f2", 155),
)
"""Speakers, in turn: voices and rates that the starter model was trained on (assets/starter/hearing/README.md)."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """Words said in a part of a clip, from `start` to `end` in seconds."""

    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Clip:
    """Something to hear, and what is said in it.

    Attributes:
        file: where the recording is, or None where `samples` holds it.
        language: of the speech.
        words: when each word is really said, where that is known.
        utterances: the parts that were said by themselves, in order, where they are known.
        speaker: who speaks, where one alone does and that is known.
    """

    name: str
    text: str
    language: str = "en"
    file: Path | None = None
    samples: Samples | None = field(default=None, repr=False)
    words: tuple[Word, ...] = field(default=(), repr=False)  # what is saved of a clip is found by the rest
    utterances: tuple[Utterance, ...] = ()
    speaker: str = ""

    def listen(self) -> Samples:
        """Return the samples (n,) at 16 kHz."""
        if self.samples is not None:
            return self.samples
        assert self.file is not None
        return read_audio(self.file)


def bench_sentences() -> list[str]:
    """Return the sentences that no model of this project was trained on."""
    return (ASSETS / "bench" / "sentences.txt").read_text(encoding="utf-8").splitlines()


def spoken_clips(limit: int | None = None) -> list[Clip]:
    """Speak the sentences, each once, a few in one clip with short pauses between them, by the voices in turn."""
    sentences = bench_sentences()
    groups = [sentences[i : i + SENTENCES_EACH] for i in range(0, len(sentences), SENTENCES_EACH)]
    return [
        _clip_of(f"spoken {number + 1}", group, VOICES[number % len(VOICES)])
        for number, group in enumerate(groups[:limit])
    ]


def read_manifest(path: Path, languages: Sequence[str], limit: int | None = None) -> list[Clip]:
    """Read the clips in some languages that a manifest names.

    It is JSON lines with `file` (from the manifest's folder), `text`, and maybe `id`, `seconds`, `speaker` and `lang`
    (else "en").

    Raises:
        BenchError: it is missing, has a line without a file or a text, or no clip in these languages.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BenchError(f"Cannot read the manifest {path}: {getattr(error, 'strerror', 'it is not text')}.") from error
    clips = [_line_clip(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    known = [clip for clip in clips if clip.language in languages]
    if not known:
        raise BenchError(f"The manifest {path} names no recording in {', '.join(languages)}.")
    return known[:limit]


def _clip_of(name: str, sentences: Sequence[str], voice: SyntheticVoice) -> Clip:
    parts, words = [_silence(PAUSE_SECONDS)], []
    for sentence in sentences:
        speech = espeak().speak(sentence, voice)
        words += _timed_words(speech, sum(map(len, parts)) / SAMPLE_RATE_HZ)
        parts += [speech.samples, _silence(PAUSE_SECONDS)]
    return Clip(name, " ".join(sentences), samples=np.concatenate(parts), words=tuple(words))


def _silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * SAMPLE_RATE_HZ), np.float32)


def _timed_words(speech: Speech, offset_seconds: float) -> list[Word]:
    return [
        Word(f" {text}", offset_seconds + start, offset_seconds + end)
        for text, (start, end) in zip(speech.text.split(), speech.words, strict=True)
    ]


def _line_clip(manifest: Path, number: int, line: str) -> Clip:
    try:
        record = json.loads(line)
        file, text = str(record["file"]), str(record["text"])
        whole = (Utterance(text, 0.0, float(record["seconds"])),) if "seconds" in record else ()
    except (ValueError, KeyError, TypeError) as error:
        raise BenchError(f"Line {number} of {manifest} must be a JSON object with a file and a text.") from error
    name = str(record.get("id", Path(file).stem))
    language, speaker = str(record.get("lang", "en")), str(record.get("speaker") or "")
    return Clip(name, text, language, manifest.parent / file, utterances=whole, speaker=speaker)
