"""Writes down what a Whisper model itself says of recordings with its full window: what hush words,
drafts and Speech-LLaMAs are taught by.

Nothing has to be known of what is said. Beside its text each transcript has the times of its words, by the model's
alignment heads, and the likeliest tokens at each place with their log-probabilities. A manifest is done once, in torch,
and goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import read_audio
from engine.errors import EngineError
from engine.hear.decode.tokenizer import Tokenizer
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.whisper.align import follow_attention, time_words
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.mel import MAX_SECONDS
from engine.metrics import WordErrors, word_errors
from engine.options import DecodeOptions
from lab.recipes.speech.torch_layers import Pair
from lab.recipes.speech.torch_whisper import TorchWhisper

LIKELIEST = 16  # tokens that are kept of each place
FRAMES_PER_SECOND = 50
MOST_TOKENS_PER_SECOND = 12
IN_A_FILE = 200
BATCH = 8
LEAST_SECONDS = 0.5
HIDDEN = -1e9  # a logit that leaves no probability; finite, since losses are taken of it
Report = Callable[[str], None]


class TranscriptError(EngineError):
    """Recordings or transcripts that nothing can be learnt from."""


@dataclass(frozen=True, slots=True)
class SourceClip:
    """A recording of a manifest, or a stretch of it.

    Attributes:
        speaker: who speaks; what is measured on is said by others than what is learnt from.
        text: what is said, where that is known.
        start, end: of the stretch, in seconds of the file.
    """

    file: Path
    speaker: str
    text: str
    start: float
    end: float
    language: str = "en"

    @property
    def seconds(self) -> float:
        return self.end - self.start

    def listen(self) -> Samples:
        """Read its samples (n,) at 16 kHz."""
        return read_audio(self.file)[round(self.start * SAMPLE_RATE_HZ) : round(self.end * SAMPLE_RATE_HZ)]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A model's transcript of a clip.

    Attributes:
        tokens: (n,) of the text, without its end.
        likeliest, log_probabilities: (n + 1, LIKELIEST) of each place, the end's included; (n + 1, 0) from a
            QuickTeacher.
        words: start and end of each word, in seconds.
        text: the words, each with the space before it.
    """

    clip: SourceClip
    tokens: NDArray[np.int32]
    likeliest: NDArray[np.int32]
    log_probabilities: NDArray[np.float16]
    words: tuple[tuple[str, float, float], ...]

    @property
    def text(self) -> str:
        return "".join(word for word, _, _ in self.words)


def read_manifest(manifest: Path, languages: Sequence[str]) -> list[SourceClip]:
    """Read a manifest: JSON lines with a file, and maybe text, lang, speaker and seconds.

    TranscriptError where it cannot be read or names nothing in these languages.
    """
    try:
        lines = manifest.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise TranscriptError(f"Cannot read the manifest {manifest}: {reason}.") from error
    clips = [_clip(manifest, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    known = [clip for clip in clips if clip.language in languages]
    if not known:
        raise TranscriptError(f"The manifest {manifest} names no recording in {', '.join(languages)}.")
    return known


def _clip(manifest: Path, number: int, line: str) -> SourceClip:
    try:
        record = json.loads(line)
        file = manifest.parent / str(record["file"])
        speaker, text = str(record.get("speaker") or speaker_of(file)), str(record.get("text") or "")
        start = float(record.get("start", 0.0))
        return SourceClip(file, speaker, text, start, start + float(record["seconds"]), str(record.get("lang") or "en"))
    except (ValueError, KeyError, TypeError) as error:
        raise TranscriptError(
            f"Line {number} of {manifest} must be a JSON object with a file and its seconds."
        ) from error


def speaker_of(file: Path) -> str:
    """Guess the speaker from a file's place: LibriSpeech's names begin with the speaker, others are one folder
    each."""
    first = file.stem.split("-")[0]
    return f"ls-{first}" if first.isdigit() else file.parent.name


class Rules:
    """A ban on what a live transcript never says: unspoken signs, special tokens, and nothing but a space at first."""

    def __init__(self, tokenizer: Tokenizer, device: str) -> None:
        forbidden = np.zeros(tokenizer.n_vocab, bool)
        forbidden[list(tokenizer.non_speech_tokens)] = True
        forbidden[tokenizer.eot + 1 :] = True
        self._never = torch.from_numpy(forbidden).to(device)
        self._not_first = torch.tensor(tokenizer.blank_tokens, device=device)

    def applied(self, logits: torch.Tensor, *, first: bool) -> torch.Tensor:
        """Hide what is forbidden in logits (b, n, v), whose first place is that of a transcript where `first`."""
        logits = logits.masked_fill(self._never, HIDDEN)
        if not first:
            return logits
        return torch.cat([logits[:, :1].index_fill(-1, self._not_first, HIDDEN), logits[:, 1:]], 1)


class Teacher:
    """A model in torch that writes down batches of clips greedily, with its full window."""

    def __init__(self, hearing: HearingModel, device: str = "cpu") -> None:
        self.hearing = hearing
        self.device = device
        self.model = TorchWhisper(hearing.model).to(device).eval()
        self._rules = Rules(hearing.tokenizer, device)

    @torch.inference_mode()
    def write(self, clips: Sequence[SourceClip]) -> list[Transcript]:
        """Write down clips of at most 30 s each, all of one language."""
        window = MAX_SECONDS * SAMPLE_RATE_HZ
        samples = torch.stack([torch.from_numpy(_fitted(clip.listen(), window)) for clip in clips])
        cross = self.model.decoder.cross(self.model.listen(samples.to(self.device)))
        opening = self.hearing.tokenizer.sot_sequence(clips[0].language)
        most = max(16, int(MOST_TOKENS_PER_SECOND * max(clip.seconds for clip in clips)))
        tokens, likeliest, scores = self._decode(cross, opening, most)
        return [
            self._transcript(clip, tokens[row], likeliest[0][row], likeliest[1][row], scores[row], len(opening))
            for row, clip in enumerate(clips)
        ]

    def _decode(
        self, cross: list[Pair], opening: Sequence[int], most: int
    ) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray], np.ndarray]:
        """Return tokens (b, n), the likeliest of each place (b, n, k) twice, and scores (b, h, rows, t), ends
        included."""
        model, eot = self.model, self.hearing.tokenizer.eot
        rows = cross[0][0].shape[0]
        given = torch.tensor([list(opening)] * rows, device=self.device)
        past: list[Pair] = []
        ended = torch.zeros(rows, dtype=torch.bool, device=self.device)
        written: list[torch.Tensor] = []
        places, seen = [], []
        while True:
            layers: dict[int, torch.Tensor] = {}
            logits = model.decoder.logits(model.decoder(given, cross, past, layers)[:, -1])
            logits = self._rules.applied(logits[:, None], first=not written)[:, 0]
            seen.append(torch.stack([layers[layer][:, head] for layer, head in model.alignment_heads], 1))
            places.append(logits.log_softmax(-1).topk(LIKELIEST))
            chosen = logits.argmax(-1).masked_fill(ended, eot)
            written.append(chosen)
            ended |= chosen == eot
            if bool(ended.all()) or len(written) > most:
                break
            given = chosen[:, None]
        probabilities = torch.stack([place.values for place in places], 1).cpu().numpy()
        indices = torch.stack([place.indices for place in places], 1).cpu().numpy()
        return torch.stack(written, 1).cpu().numpy(), (indices, probabilities), torch.cat(seen, 2).cpu().numpy()

    def _transcript(
        self, clip: SourceClip, tokens: np.ndarray, likeliest: np.ndarray, log_probabilities: np.ndarray,
        scores: np.ndarray, opening: int,
    ) -> Transcript:  # fmt: skip
        tokenizer = self.hearing.tokenizer
        ends = np.flatnonzero(tokens == tokenizer.eot)
        count = int(ends[0]) if len(ends) else len(tokens) - 1
        text = tokens[:count].tolist()
        words: tuple[tuple[str, float, float], ...] = ()
        frames = min(scores.shape[-1], max(1, int(clip.seconds * FRAMES_PER_SECOND)))
        if text:
            # The last row of the opening predicts the first token of the text; one more row stands after the end.
            rows = np.concatenate([scores[:, : opening + count, :frames], scores[:, -1:, :frames]], 1)
            looks = follow_attention(rows.astype(np.float32), opening - 1)
            spoken = np.exp(log_probabilities[:count, 0].astype(np.float64))
            timed = time_words(tokenizer, text, looks, spoken, language=clip.language, offset_seconds=0.0)
            words = tuple((word.text, round(word.start, 2), round(word.end, 2)) for word in timed)
        kept = slice(0, count + 1)
        return Transcript(
            clip,
            np.array(text, np.int32),
            likeliest[kept].astype(np.int32),
            log_probabilities[kept].astype(np.float16),
            words,
        )


class QuickTeacher:
    """A model that writes as it does for files, with the padding that suits it: several times sooner, words alone."""

    def __init__(self, hearing: HearingModel) -> None:
        self.hearing = hearing
        self._recognizer = WhisperRecognizer(hearing, DecodeOptions())

    def write(self, clips: Sequence[SourceClip]) -> list[Transcript]:
        """Write down clips of at most 28 s each, one after the other."""
        return [self._written(clip) for clip in clips]

    def _written(self, clip: SourceClip) -> Transcript:
        said = self._recognizer.hear(clip.listen(), language=clip.language, final=True).words
        tokens = [token for word in said for token in word.tokens]
        unknown = np.zeros((len(tokens) + 1, 0))
        words = tuple((word.text, round(word.start, 2), round(word.end, 2)) for word in said)
        return Transcript(clip, np.array(tokens, np.int32), unknown.astype(np.int32), unknown.astype(np.float16), words)


def _fitted(samples: Samples, window: int) -> Samples:
    return np.pad(samples[:window], (0, max(0, window - len(samples))))


class Transcripts:
    """A folder of transcripts, in files of a few hundred: what is written so far can be read while more is made."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self.folder = folder
        self._fingerprint = fingerprint

    def add(self, number: int, transcripts: Sequence[Transcript]) -> None:
        """Write one file, which appears whole."""
        self.folder.mkdir(parents=True, exist_ok=True)
        said = [
            {
                "file": str(one.clip.file), "speaker": one.clip.speaker, "text": one.clip.text, "start": one.clip.start,
                "end": one.clip.end, "lang": one.clip.language, "words": one.words, "tokens": len(one.tokens),
            }
            for one in transcripts
        ]  # fmt: skip
        partial = self._path(number).with_suffix(".partial")
        save_file(
            {
                "tokens": np.concatenate([one.tokens for one in transcripts]),
                "likeliest": np.concatenate([one.likeliest for one in transcripts]),
                "log_probabilities": np.concatenate([one.log_probabilities for one in transcripts]),
            },
            partial,
            {"fingerprint": self._fingerprint, "transcripts": json.dumps(said)},
        )
        partial.replace(self._path(number))

    def has(self, number: int) -> bool:
        """Return whether a file is there already."""
        return self._path(number).is_file()

    def read(self) -> list[Transcript]:
        """Read all that is there. TranscriptError for none, a damaged file, or another model's."""
        paths = sorted(self.folder.glob("transcripts-*.safetensors"))
        if not paths:
            raise TranscriptError(f"{self.folder} holds no transcripts. 'earshot train transcripts' writes them there.")
        return [one for path in paths for one in self._read(path)]

    def _read(self, path: Path) -> Iterator[Transcript]:
        try:
            with safe_open(str(path), framework="numpy") as file:
                metadata = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in ("tokens", "likeliest", "log_probabilities")}
            said = json.loads(metadata["transcripts"])
        except (SafetensorError, KeyError, ValueError, OSError) as error:
            raise TranscriptError(f"{path} is damaged ({error}). Delete it; the next run makes it again.") from error
        if metadata.get("fingerprint") != self._fingerprint:
            raise TranscriptError(f"{path} holds what another model says. Give another folder.")
        token = place = 0
        for one in said:
            count = one["tokens"]
            clip = SourceClip(Path(one["file"]), one["speaker"], one["text"], one["start"], one["end"], one["lang"])
            yield Transcript(
                clip,
                tensors["tokens"][token : token + count],
                tensors["likeliest"][place : place + count + 1],
                tensors["log_probabilities"][place : place + count + 1],
                tuple((str(word), float(start), float(end)) for word, start, end in one["words"]),
            )
            token, place = token + count, place + count + 1

    def _path(self, number: int) -> Path:
        return self.folder / f"transcripts-{number:04d}.safetensors"


def shuffled(clips: Iterable[SourceClip]) -> list[SourceClip]:
    """Bring clips into an order that is no speaker's, and always the same."""
    return sorted(clips, key=lambda clip: hashlib.sha256(f"{clip.file.name} {clip.start}".encode()).digest())


def errors_of(transcripts: Iterable[Transcript]) -> WordErrors:
    """Compare transcripts with what is said, where that is known of a whole recording."""
    errors = WordErrors()
    for one in transcripts:
        if one.clip.text:
            errors += word_errors(one.clip.text, one.text, one.clip.language)
    return errors


def write_transcripts(
    teacher: Teacher | QuickTeacher,
    clips: Sequence[SourceClip],
    out: Path,
    minutes: float,
    workers: int,
    report: Report = print,
) -> None:
    """Write down clips of at most 30 s until all are done or the time is up."""
    transcripts = Transcripts(out, teacher.hearing.fingerprint)
    ranked = shuffled(clip for clip in clips if LEAST_SECONDS <= clip.seconds <= MAX_SECONDS)
    started, done = time.monotonic(), 0
    with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        for number, first in enumerate(range(0, len(ranked), IN_A_FILE)):
            if transcripts.has(number):
                continue
            if time.monotonic() - started > 60 * minutes:
                return
            some = sorted(ranked[first : first + IN_A_FILE], key=lambda clip: clip.seconds)
            batches = [some[begin : begin + BATCH] for begin in range(0, len(some), BATCH)]
            transcripts.add(number, [one for batch in pool.map(teacher.write, batches) for one in batch])
            done += len(some)
            spent = time.monotonic() - started
            report(f"transcripts {min(first + IN_A_FILE, len(ranked))} of {len(ranked)}, {done / spent:.2f} a second")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    parser.add_argument("--model", default="starter", metavar="NAME|FOLDER", help="(default: %(default)s)")
    parser.add_argument(
        "--data", type=Path, required=True, action="append", metavar="MANIFEST",
        help="JSON lines: file, seconds; maybe text, lang, speaker, start; may be repeated",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="what is there already is kept")
    parser.add_argument("--resume", action="store_true", help="go on where a run stopped, as it does anyway")
    parser.add_argument("--minutes", type=float, default=60.0, metavar="M", help="(default: %(default)g)")
    parser.add_argument(
        "--clips", type=int, metavar="N", help="so many of the recordings, drawn from all (default: all)"
    )
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="threads (default: %(default)d)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument(
        "--quick", action="store_true", help="hear at natural lengths, several times sooner: enough for draft texts"
    )


def run(args: argparse.Namespace) -> None:
    """Write transcripts as the command line asks."""
    hearing = load_hearing_model(args.model)
    clips = [clip for manifest in args.data for clip in read_manifest(manifest, hearing.languages)]
    clips = shuffled(clips)[: args.clips]
    teacher = QuickTeacher(hearing) if args.quick else Teacher(hearing, args.device)
    write_transcripts(teacher, clips, args.out, args.minutes, args.workers, lambda line: print(line, flush=True))
    errors = errors_of(Transcripts(args.out, hearing.fingerprint).read())
    if errors.reference_words:
        print(f"{errors.rate:.2%} of {errors.reference_words} words that are known are wrong, missing or too many.")
