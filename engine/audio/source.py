"""Audio from a file or a pipe, converted for the engine: float32, mono, 16 kHz, finite, within [-1, 1].

Every defect of a file raises an AudioError that says what is wrong and what to do. Minor defects (a file cut short,
samples that are not numbers) are repaired and passed to `report`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import soundfile

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.container import ContainerFile
from engine.audio.resample import Resampler, mix_down
from engine.errors import AudioError

CHUNK_SECONDS = 0.1
READ_SECONDS = 0.25
RATES_HZ = range(1_000, 1_000_000)
STREAMED_SIZES = (0, 0xFFFFFFFF)  # size in a WAV header of a recorder that could not seek back

Report = Callable[[str], None]

_log = logging.getLogger(__name__)


def read_audio(path: str | Path, report: Report = _log.warning) -> Samples:
    """Read a whole file: (n,) float32 at 16 kHz. Raises AudioError if it cannot be decoded."""
    return np.concatenate(list(_mono_16k(Path(path), report)))


def stream_audio(
    path: str | Path, chunk_seconds: float = CHUNK_SECONDS, report: Report = _log.warning
) -> Iterator[Samples]:
    """Read a file in chunks of `chunk_seconds` (the last may be shorter), holding only a little of it in memory.

    A file that breaks off is read as far as possible. Raises AudioError if nothing of it can be read.
    """
    return _in_chunks(_mono_16k(Path(path), report), chunk_seconds)


def audio_seconds(path: Path) -> float:
    """Return the duration that a file declares, in seconds; 0 if none. Raises AudioError if it cannot be decoded."""
    with _open(path, lambda _: None) as file:
        return file.seconds if isinstance(file, ContainerFile) else file.frames / file.samplerate


def stream_raw(stdin: BinaryIO, chunk_seconds: float = CHUNK_SECONDS) -> Iterator[Samples]:
    """Read raw PCM (signed 16-bit little-endian, mono, 16 kHz) until its end; half a sample at the end is dropped."""
    return _in_chunks(_raw_blocks(stdin, round(chunk_seconds * SAMPLE_RATE_HZ) * 2), chunk_seconds)


def chunks_of(samples: Samples) -> Iterator[Samples]:
    """Cut samples (n,) into chunks as a microphone would."""
    step = round(CHUNK_SECONDS * SAMPLE_RATE_HZ)
    return (samples[start : start + step] for start in range(0, len(samples), step))


def _raw_blocks(stdin: BinaryIO, block_bytes: int) -> Iterator[Samples]:
    rest = stdin.read(block_bytes)
    if not rest:
        raise AudioError("No audio came on standard input. Send raw 16-bit 16 kHz mono samples.")
    if rest[:4] in (b"RIFF", b"fLaC", b"OggS"):
        raise AudioError("Standard input holds an audio file, not raw samples. Give the file's name instead of -.")
    while rest:
        whole = len(rest) // 2 * 2
        yield np.frombuffer(rest[:whole], "<i2").astype(np.float32) / np.float32(32768)
        block = stdin.read(block_bytes)
        rest = rest[whole:] + block if block else b""


def _mono_16k(path: Path, report: Report) -> Iterator[Samples]:
    with _open(path, report) as file:
        resampler = Resampler(file.samplerate)
        repairs = _Repairs(path, report)
        seconds = 0.0
        for frames in file.blocks() if isinstance(file, ContainerFile) else _frames(file, path, report):
            samples = resampler.add(mix_down(repairs.finite(frames)))
            seconds += len(samples) / SAMPLE_RATE_HZ
            yield repairs.within_range(samples)
        tail = resampler.finish()
    if not seconds and not len(tail):
        raise AudioError(f"{path} holds no audio: it is zero seconds long.")
    yield repairs.within_range(tail)


class _ForwardFile(soundfile.SoundFile):  # type: ignore[misc]
    """A file that is only read forwards. Otherwise every read ends in a seek."""

    def seekable(self) -> bool:
        return False


def _frames(file: _ForwardFile, path: Path, report: Report) -> Iterator[np.ndarray]:
    """Yield blocks (n, channels) up to the file's end, or up to where decoding fails."""
    done = 0
    while True:
        try:
            frames = file.read(round(file.samplerate * READ_SECONDS), dtype="float32", always_2d=True)
        except soundfile.SoundFileError as error:
            if not done:
                raise AudioError(f"{path} is damaged: no audio in it can be decoded.") from error
            frames = np.zeros((0, file.channels), np.float32)
        if not len(frames):
            if 0 < done < file.frames - file.samplerate * READ_SECONDS:
                report(f"{path} is cut short or damaged: only its first {done / file.samplerate:.1f} s can be read.")
            return
        done += len(frames)
        yield frames


class _Repairs:
    """Makes samples finite and limits their range, with one report per file."""

    def __init__(self, path: Path, report: Report) -> None:
        self._path = path
        self._report = report
        self._told: set[str] = set()

    def finite(self, frames: np.ndarray) -> np.ndarray:
        if np.isfinite(frames).all():
            return frames
        self._tell("samples that are not numbers; they are heard as silence")
        return np.where(np.isfinite(frames), frames, np.float32(0))

    def within_range(self, samples: Samples) -> Samples:
        # A resampling filter overshoots a little at full scale, which is not the file's fault.
        if len(samples) and np.abs(samples).max() > 2:
            self._tell("samples far beyond full scale; they are clipped")
        clipped: Samples = np.clip(samples, -1, 1)
        return clipped

    def _tell(self, what: str) -> None:
        if what not in self._told:
            self._told.add(what)
            self._report(f"{self._path} has {what}.")


def _open(path: Path, report: Report) -> _ForwardFile | ContainerFile:
    head, size = _head(path)
    try:
        file = _open_with_either(path, head, report)
    except ValueError as error:
        raise AudioError(_unreadable(path)) from error
    if file.samplerate not in RATES_HZ:
        file.close()
        raise AudioError(f"{path} claims {file.samplerate} samples a second: its header is damaged.")
    declared = int.from_bytes(head[4:8], "little")
    if head[:4] == b"RIFF" and declared not in STREAMED_SIZES and declared + 8 > size + 1:
        report(f"{path} is cut short: {size} of {declared + 8} bytes are there.")
    return file


def _open_with_either(path: Path, head: bytes, report: Report) -> _ForwardFile | ContainerFile:
    """Open a file with soundfile, or else with FFmpeg's libraries. Raises ValueError if neither knows it."""
    if path.suffix.lower() == ".mp3" or _is_mpeg(head):  # libsndfile would print warnings on standard error
        return ContainerFile(path, report)
    try:
        return _ForwardFile(path)
    except (soundfile.SoundFileError, TypeError, ValueError):  # TypeError: a .raw name without a format
        if path.suffix.lower() in _HEADLESS:
            raise ValueError("no header") from None
        return ContainerFile(path, report)


def _is_mpeg(head: bytes) -> bool:
    """Return whether these are the first bytes of MPEG audio: a tag, or the sync bits of a frame."""
    return head[:3] == b"ID3" or (head[:1] == b"\xff" and head[1:2] >= b"\xe0")


def _head(path: Path) -> tuple[bytes, int]:
    """Return the first bytes and the size of a regular, readable, non-empty file."""
    try:
        if path.is_dir():
            raise AudioError(f"{path} is a folder. Name an audio file in it.")
        if not path.exists():
            raise AudioError(f"There is no file {path}.")
        if not path.is_file():
            raise AudioError(f"{path} is not a regular file. Pipe raw samples to standard input (-) instead.")
        with path.open("rb") as file:
            head = file.read(64)
    except OSError as error:
        raise AudioError(f"{path} cannot be read: {error.strerror or error}.") from error
    if not head:
        raise AudioError(f"{path} is empty.")
    return head, path.stat().st_size


def _unreadable(path: Path) -> str:
    if path.suffix.lower() in _HEADLESS:
        return f"{path} has no header that tells its format. Pipe 16-bit 16 kHz mono samples to standard input (-)."
    return f"{path} cannot be opened: it is damaged, or not an audio or video file."


_HEADLESS = (".raw", ".pcm")


def _in_chunks(blocks: Iterable[Samples], chunk_seconds: float) -> Iterator[Samples]:
    size = max(1, round(chunk_seconds * SAMPLE_RATE_HZ))
    held = np.zeros(0, np.float32)
    for block in blocks:
        held = np.concatenate([held, block])
        whole = len(held) // size * size
        yield from held[:whole].reshape(-1, size)
        held = held[whole:]
    if len(held):
        yield held
