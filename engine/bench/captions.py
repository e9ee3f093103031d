"""Live captions measured: word errors, the delay of words, and how much of real time hearing takes.

Every clip is captioned as a live stream whose clock also counts the computation of every round (so the delay is
what a person would see), then transcribed as a whole, which shows what live captions cost in accuracy. Word error
rates are edits over words of all clips together; case and punctuation do not count (engine.metrics says how).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import read_audio
from engine.bench.tables import Cell, percent, table
from engine.captions import CaptionSession, SimulatedClock, caption_stream
from engine.errors import EngineError
from engine.events import Latency, Summary, Word
from engine.hear.recognizer import Recognizer, transcribe
from engine.metrics import WordErrors, latency_of, real_time_factor, word_errors, word_latencies
from engine.models.catalogue import ASSETS
from engine.options import CaptionOptions
from engine.recipes.espeak import Speech, Voice, espeak

QUICK_RECORDINGS = 6
QUICK_SENTENCES = 24
PAUSE_SECONDS = 0.4
CHUNK_SECONDS = 0.1


class BenchError(EngineError):
    """A benchmark without anything to measure."""


@dataclass(frozen=True, slots=True)
class Clip:
    """Something to hear, and what is said in it.

    Attributes:
        file: where the recording is, or None where `samples` holds it.
        language: of the speech.
        words: when each word is really said, where that is known.
    """

    name: str
    text: str
    language: str = "en"
    file: Path | None = None
    samples: Samples | None = None
    words: tuple[Word, ...] = ()

    def listen(self) -> Samples:
        """Give the samples (n,) at 16 kHz."""
        if self.samples is not None:
            return self.samples
        assert self.file is not None
        return read_audio(self.file)


@dataclass(frozen=True, slots=True)
class ClipResult:
    """What one clip came to.

    Attributes:
        streaming, offline: word errors of live captions, and of the same recording heard as a whole.
        latencies: from the end of each word to its being shown as committed, in seconds.
    """

    clip: Clip
    summary: Summary
    offline_text: str
    streaming: WordErrors
    offline: WordErrors
    latencies: tuple[float, ...]


def spoken_clips(limit: int | None = None, sentences_each: int = 1) -> list[Clip]:
    """Speak held-out sentences with the built-in voice; several in one clip have short pauses between them."""
    sentences = (ASSETS / "bench" / "sentences.txt").read_text(encoding="utf-8").splitlines()
    groups = [sentences[i : i + sentences_each] for i in range(0, len(sentences), sentences_each)]
    return [_spoken(f"spoken {number}", group) for number, group in enumerate(groups[:limit], 1)]


def read_manifest(path: Path, languages: Sequence[str], limit: int | None = None) -> list[Clip]:
    """Read the clips of a manifest in some languages.

    A manifest is JSON lines with `file` (from the manifest's folder), `text`, and maybe `id` and `lang` (else "en").

    Raises:
        BenchError: it is missing, has a line without a file or a text, or no clip in these languages.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BenchError(f"Cannot read the manifest {path}: {getattr(error, 'strerror', 'it is not text')}.") from error
    clips = [_clip_of(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    known = [clip for clip in clips if clip.language in languages]
    if not known:
        raise BenchError(f"The manifest {path} names no recording in {', '.join(languages)}.")
    return known[:limit]


def measure(recognizer: Recognizer, clips: Iterable[Clip], options: CaptionOptions) -> Iterator[ClipResult]:
    """Caption clips one after another, as if they were live, and then as a whole."""
    for clip in clips:
        samples = clip.listen()
        session = CaptionSession(recognizer, options, SimulatedClock())
        captions = list(caption_stream(_chunks(samples), session, pace="fast"))
        summary = session.summary
        offline_text = transcribe(recognizer, samples, language=options.language).text
        yield ClipResult(
            clip,
            summary,
            offline_text,
            streaming=word_errors(clip.text, summary.text, clip.language),
            offline=word_errors(clip.text, offline_text, clip.language),
            latencies=tuple(word_latencies(captions, clip.words or None)),
        )


def figures(results: Sequence[ClipResult]) -> dict[str, object]:
    """The headline numbers of all clips together, by name."""
    latency = _latency(results)
    return {
        "wer": round(_errors(result.streaming for result in results).rate, 4),
        "offline_wer": round(_errors(result.offline for result in results).rate, 4),
        "word_latency_seconds": latency and round(latency.mean, 3),
        "word_latency_p50_seconds": latency and round(latency.p50, 3),
        "word_latency_p95_seconds": latency and round(latency.p95, 3),
        "real_time_factor": round(_real_time_factor(results), 4),
        "clips": len(results),
        "words": sum(result.streaming.reference_words for result in results),
        "audio_seconds": round(sum(result.summary.audio_seconds for result in results), 1),
    }


def report(results: Sequence[ClipResult]) -> str:
    """Tables for a person: every clip, then all of them."""
    headers = ("clip", "seconds", "words", "WER", "WER offline", "delay s", "delay p50", "delay p95", "of real time")
    rows = [_row(result.clip.name, [result]) for result in results]
    total = _row("all", results)
    return table(headers, [*rows, total] if len(rows) > 1 else rows) + "\n" + _worst(results)


def _row(name: str, results: Sequence[ClipResult]) -> tuple[Cell, ...]:
    latency = _latency(results)
    delays = (latency.mean, latency.p50, latency.p95) if latency else (None, None, None)
    return (
        name,
        round(sum(result.summary.audio_seconds for result in results), 1),
        sum(result.streaming.reference_words for result in results),
        percent(_errors(result.streaming for result in results).rate),
        percent(_errors(result.offline for result in results).rate),
        *delays,
        _real_time_factor(results),
    )


def _worst(results: Sequence[ClipResult], count: int = 3) -> str:
    """The clips with the most errors, said and heard: figures alone do not tell what goes wrong."""
    wrong = sorted((r for r in results if r.streaming.rate > 0), key=lambda r: -r.streaming.rate)[:count]
    return "".join(f"{r.clip.name}\n  said:  {r.clip.text}\n  heard: {r.summary.text or '(nothing)'}\n" for r in wrong)


def _errors(parts: Iterable[WordErrors]) -> WordErrors:
    return sum(parts, start=WordErrors())


def _latency(results: Sequence[ClipResult]) -> Latency | None:
    return latency_of(seconds for result in results for seconds in result.latencies)


def _real_time_factor(results: Sequence[ClipResult]) -> float:
    compute = sum(result.summary.compute_seconds for result in results)
    return real_time_factor(compute, sum(result.summary.audio_seconds for result in results))


def _chunks(samples: Samples) -> Iterator[Samples]:
    step = round(CHUNK_SECONDS * SAMPLE_RATE_HZ)
    return (samples[start : start + step] for start in range(0, len(samples), step))


def _spoken(name: str, sentences: Sequence[str]) -> Clip:
    pause = np.zeros(round(PAUSE_SECONDS * SAMPLE_RATE_HZ), np.float32)
    parts, words = [pause], []
    for sentence in sentences:
        speech = espeak().speak(sentence, Voice())
        words += _timed_words(speech, sum(map(len, parts)) / SAMPLE_RATE_HZ)
        parts += [speech.samples, pause]
    return Clip(name, " ".join(sentences), samples=np.concatenate(parts), words=tuple(words))


def _timed_words(speech: Speech, offset_seconds: float) -> list[Word]:
    return [
        Word(f" {text}", offset_seconds + start, offset_seconds + end)
        for text, (start, end) in zip(speech.text.split(), speech.words, strict=True)
    ]


def _clip_of(manifest: Path, number: int, line: str) -> Clip:
    try:
        record = json.loads(line)
        file, text = str(record["file"]), str(record["text"])
    except (ValueError, KeyError, TypeError) as error:
        raise BenchError(f"Line {number} of {manifest} must be a JSON object with a file and a text.") from error
    name = str(record.get("id", Path(file).stem))
    return Clip(name, text, str(record.get("lang", "en")), manifest.parent / file)
