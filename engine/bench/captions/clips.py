"""What the captions benchmark hears: sentences of synthetic voices, and recordings whose words are written down."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import read_audio
from engine.bench.errors import BenchError
from engine.events import Word
from engine.models.catalogue import ASSETS
from engine.recipes.speech.espeak import Speech, Voice, espeak

PAUSE_SECONDS = 0.4
BUILT_IN_VOICE = Voice()
TURN_SENTENCES = 4
TURN_PAUSE_SECONDS = 0.9  # somebody else goes on
VOICES = (
    Voice("en-us", 175),
    Voice("en-us+f3", 160),
    Voice("en-us+m3", 175),
    Voice("en-us+f1", 185),
    Voice("en-us+m2", 165),
    Voice("en-us+f4", 175),
    Voice("en-us+m4", 185),
    Voice("en-us+f2", 155),
)
"""Who speaks in turn: voices and rates that the starter model was trained on (assets/starter/hearing/README.md)."""

FILE_SECONDS = 120.0
LONG_FILE_SECONDS = 600.0
LONG_FROM_MINUTES = 20.0
"""A set of so many minutes begins with one long file: what piles up over minutes shows in no short one."""

SEGMENTS = ".segments.json"


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
        """Give the samples (n,) at 16 kHz."""
        if self.samples is not None:
            return self.samples
        assert self.file is not None
        return read_audio(self.file)


def bench_sentences() -> list[str]:
    """The sentences that no model of this project was trained on."""
    return (ASSETS / "bench" / "sentences.txt").read_text(encoding="utf-8").splitlines()


def spoken_clips(
    limit: int | None = None, sentences_each: int = 1, voices: Sequence[Voice] = (BUILT_IN_VOICE,)
) -> list[Clip]:
    """Speak the sentences, each once; several in one clip have short pauses between them.

    Each clip has one voice, those given in turn; by default it is the built-in one.
    """
    sentences = bench_sentences()
    groups = [sentences[i : i + sentences_each] for i in range(0, len(sentences), sentences_each)]
    return [
        _clip_of(f"spoken {number + 1}", [(sentence, voices[number % len(voices)]) for sentence in group])
        for number, group in enumerate(groups[:limit])
    ]


def spoken_files(minutes: float | None = None, limit: int | None = None) -> list[Clip]:
    """Speak the sentences as a conversation of several voices, in files of about two minutes.

    Without `minutes` every sentence is said once. With, they are said again by other voices until there are so many
    minutes, and from 20 minutes on the first file lasts at least ten of them.
    """
    files: list[Clip] = []
    lines = _conversation(len(bench_sentences()) if minutes is None else None)
    wanted = np.inf if minutes is None else 60 * minutes
    total = 0.0
    while total < wanted and (limit is None or len(files) < limit):
        long = not files and minutes is not None and minutes >= LONG_FROM_MINUTES
        clip = _next_file(f"talk {len(files) + 1}", lines, min(wanted - total, _file_seconds(long)))
        if clip is None:
            break
        files.append(clip)
        total += len(clip.listen()) / SAMPLE_RATE_HZ
    return files


def read_manifest(path: Path, languages: Sequence[str], limit: int | None = None) -> list[Clip]:
    """Read the clips in some languages that a manifest or a folder of chapters names.

    A manifest is JSON lines with `file` (from the manifest's folder), `text`, and maybe `id`, `seconds` and `lang`
    (else "en"). A folder of chapters has NAME.segments.json, a list of objects with a `text` each, and maybe `start`
    and `end` in seconds, beside every NAME.flac or .ogg or the like.

    Raises:
        BenchError: it is missing, has a line without a file or a text, or no clip in these languages.
    """
    clips = _chapters(path) if path.is_dir() else _manifest_lines(path)
    known = [clip for clip in clips if clip.language in languages]
    if not known:
        raise BenchError(f"The manifest {path} names no recording in {', '.join(languages)}.")
    return known[:limit]


def _file_seconds(long: bool) -> float:
    return LONG_FILE_SECONDS if long else FILE_SECONDS


def _conversation(sentences: int | None) -> Iterator[tuple[str, Voice]]:
    """Sentences and who says them, in turns; from the second time on by the next voice. Endless without a number."""
    texts = bench_sentences()
    for number in count() if sentences is None else range(sentences):
        again, index = divmod(number, len(texts))
        yield texts[index], VOICES[(index // TURN_SENTENCES + again) % len(VOICES)]


def _next_file(name: str, lines: Iterator[tuple[str, Voice]], seconds: float) -> Clip | None:
    """Speak as many lines as last so many seconds, or what is left of them; None where nothing is."""
    chosen: list[tuple[str, Voice]] = []
    spoken = 0.0
    for line in lines:
        chosen.append(line)
        spoken += espeak().speak(*line).seconds + PAUSE_SECONDS
        if spoken >= seconds:
            break
    return _clip_of(name, chosen) if chosen else None


def _clip_of(name: str, lines: Sequence[tuple[str, Voice]]) -> Clip:
    parts, words = [_silence(PAUSE_SECONDS)], []
    for index, (sentence, voice) in enumerate(lines):
        if index and voice != lines[index - 1][1]:
            parts.append(_silence(TURN_PAUSE_SECONDS - PAUSE_SECONDS))
        speech = espeak().speak(sentence, voice)
        words += _timed_words(speech, sum(map(len, parts)) / SAMPLE_RATE_HZ)
        parts += [speech.samples, _silence(PAUSE_SECONDS)]
    text = " ".join(sentence for sentence, _ in lines)
    return Clip(name, text, samples=np.concatenate(parts), words=tuple(words))


def _silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * SAMPLE_RATE_HZ), np.float32)


def _timed_words(speech: Speech, offset_seconds: float) -> list[Word]:
    return [
        Word(f" {text}", offset_seconds + start, offset_seconds + end)
        for text, (start, end) in zip(speech.text.split(), speech.words, strict=True)
    ]


def _manifest_lines(path: Path) -> list[Clip]:
    lines = _read(path).splitlines()
    return [_line_clip(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _line_clip(manifest: Path, number: int, line: str) -> Clip:
    try:
        record = json.loads(line)
        file, text = str(record["file"]), str(record["text"])
        whole = (Utterance(text, 0.0, float(record["seconds"])),) if "seconds" in record else ()
    except (ValueError, KeyError, TypeError) as error:
        raise BenchError(f"Line {number} of {manifest} must be a JSON object with a file and a text.") from error
    name = str(record.get("id", Path(file).stem))
    return Clip(name, text, str(record.get("lang", "en")), manifest.parent / file, utterances=whole)


def _chapters(folder: Path) -> list[Clip]:
    return [_chapter(folder, found) for found in sorted(folder.glob(f"*{SEGMENTS}"))]


def _chapter(folder: Path, segments: Path) -> Clip:
    name = segments.name.removesuffix(SEGMENTS)
    recordings = [file for file in sorted(folder.glob(f"{name}.*")) if file != segments]
    if not recordings:
        raise BenchError(f"The manifest {folder} has no recording beside {segments.name}.")
    try:
        text, utterances = _segments(json.loads(_read(segments)))
    except (ValueError, KeyError, TypeError) as error:
        raise BenchError(f"The manifest {segments} must be a list of objects with a text each.") from error
    return Clip(name, text, file=recordings[0], utterances=utterances)


def _segments(records: object) -> tuple[str, tuple[Utterance, ...]]:
    """The whole text, and its parts where all of them say when they are said."""
    if not isinstance(records, list):
        raise TypeError("not a list")
    timed = all("start" in record and "end" in record for record in records)
    parts = [Utterance(str(r["text"]), float(r["start"]), float(r["end"])) for r in records] if timed else []
    return " ".join(str(record["text"]) for record in records), tuple(parts)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BenchError(f"Cannot read the manifest {path}: {getattr(error, 'strerror', 'it is not text')}.") from error
