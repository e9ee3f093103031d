"""Audio from a file or a pipe, converted for the engine: float32, mono, 16 kHz, finite, within [-1, 1].

A file that cannot be decoded raises an AudioError that says what is wrong and what to do. Minor defects (a file cut
short, samples that are not numbers) are repaired and reported.
"""

from __future__ import annotations

import codecs
import logging
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.decoding import PIPE_NAME, Report, SoundTrack, TrackChoice, recording_in_pipe
from engine.audio.file_marks import begins_like_recording, index_comes_last
from engine.audio.remark import Remark
from engine.audio.resample import Resampler, mix_down
from engine.errors import AudioError

CHUNK_SECONDS = 0.1
RATES_HZ = range(1_000, 1_000_000)
PLACEHOLDER_BYTES = 1_900_000_000
"""Largest size in a WAV header that is believed. More is written by recorders that could not seek back."""
LEAST_TEXT_BYTES = 8
"""Fewest bytes that are taken for text: fewer may be raw samples."""

LEAST_NOISE = 0.5
"""Least loudness of data that are no sound, as a share of full scale."""
MOST_ALIKE = 0.2
"""Most correlation of neighbouring numbers in such data. Sound as loud as that is more alike, or distorted."""
MOST_AT_LIMITS = 0.01
"""Largest share of the highest and the lowest number in such data. Distorted sound has more of them."""
LEAST_DATA_BYTES = 512
"""Fewest bytes by which data are told from sound."""

MOST_QUOTED = 80
"""Most characters of a text that are quoted."""

_log = logging.getLogger(__name__)


def _log_remark(said: str | Remark) -> None:
    _log.warning("%s", said.sentence if isinstance(said, Remark) else said)


def read_audio(path: str | Path, report: Report | None = None, choice: TrackChoice | None = None) -> Samples:
    """Read a whole file: (n,) float32 at 16 kHz. Raises AudioError if it cannot be decoded."""
    return np.concatenate(list(_of_file(Path(path), report or _log_remark, choice)))


def stream_audio(
    path: str | Path,
    chunk_seconds: float = CHUNK_SECONDS,
    report: Report | None = None,
    choice: TrackChoice | None = None,
) -> Iterator[Samples]:
    """Read a file in chunks of `chunk_seconds` (the last may be shorter), holding only a little of it in memory.

    A damaged file is read as far as it can be decoded. Raises AudioError if nothing can.
    """
    return _in_chunks(_of_file(Path(path), report or _log_remark, choice), chunk_seconds)


def begun(chunks: Iterator[Samples]) -> Iterator[Samples]:
    """Decode the first chunk at once, so that a bad file is refused before anything waits for it."""
    first = next(chunks, None)
    return chain(() if first is None else (first,), chunks)


def damage_told(notes: Sequence[str]) -> str:
    """Return the problem of a recording that was heard and of which these were reported; empty if none were."""
    return " ".join((*notes, "What can be heard of it was captioned.")) if notes else ""


def audio_seconds(path: Path) -> float:
    """Return the length that a file states, in seconds; 0 if it states none. Raises AudioError if it cannot be
    decoded.
    """
    with _open(path, lambda _: None) as recording:
        return recording.seconds


def _of_file(path: Path, report: Report, choice: TrackChoice | None) -> Iterator[Samples]:
    yield from _mono_16k(_open(path, report, choice), str(path), report)


def chunks_of(samples: Samples) -> Iterator[Samples]:
    """Cut samples (n,) into chunks as a microphone would."""
    step = round(CHUNK_SECONDS * SAMPLE_RATE_HZ)
    return (samples[start : start + step] for start in range(0, len(samples), step))


def stream_pipe(
    stream: BinaryIO,
    chunk_seconds: float = CHUNK_SECONDS,
    report: Report | None = None,
    *,
    rate_hz: int = SAMPLE_RATE_HZ,
    choice: TrackChoice | None = None,
) -> Iterator[Samples]:
    """Read a recording of any kind, or raw mono PCM (signed 16-bit little-endian) at `rate_hz`, from a pipe to its
    end.

    A film or a recording whose index is at its end is kept in a temporary file until it has come whole.

    Raises:
        AudioError: nothing came, or text, or other data, or a recording that can only be read from a file.
    """
    return _in_chunks(
        _piped(stream, round(chunk_seconds * rate_hz) * 2, report or _log_remark, rate_hz, choice), chunk_seconds
    )


def _piped(
    stream: BinaryIO, block_bytes: int, report: Report, rate_hz: int, choice: TrackChoice | None
) -> Iterator[Samples]:
    head = stream.read(block_bytes)
    if not head:
        raise AudioError("No audio came on standard input. Send a recording, or raw 16-bit mono samples.")
    if index_comes_last(head):
        yield from _kept_first(head, stream, report, choice)
        return
    if not begins_like_recording(head):
        if text := _as_text(head):
            raise AudioError(f"Text came on standard input, not audio: {text}")
        if _is_data(head):
            raise AudioError(
                "What came on standard input is neither a recording of a known kind nor raw 16-bit mono samples."
            )
        yield from _raw_blocks(head, stream, block_bytes, rate_hz)
        return
    unreadable = (
        "The recording on standard input cannot be read as it comes, or is damaged: save it, and give the file's name "
        "instead of -."
    )
    try:
        recording = recording_in_pipe(head, stream, report, choice)
    except ValueError as error:
        raise AudioError(unreadable) from error
    heard = False
    try:
        for samples in _mono_16k(recording, PIPE_NAME, report):
            heard = heard or bool(len(samples))
            yield samples
    except AudioError as error:
        raise error if heard else AudioError(unreadable) from error


def _kept_first(head: bytes, stream: BinaryIO, report: Report, choice: TrackChoice | None) -> Iterator[Samples]:
    """Read a recording that cannot be decoded before its end has come."""
    try:
        with tempfile.TemporaryFile() as file:
            file.write(head)
            shutil.copyfileobj(stream, file)
            file.seek(0)
            yield from _mono_16k(SoundTrack(file, PIPE_NAME, report, choice), PIPE_NAME, report)
    except OSError as error:
        raise AudioError(f"{PIPE_NAME} cannot be kept until its end: {error.strerror or error}.") from error
    except ValueError as error:
        raise AudioError(f"{PIPE_NAME} is damaged.") from error


def _as_text(head: bytes) -> str:
    """Return the beginning of text, such as the page that a server sent instead of a recording; "" if it is none."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return ""
    line = " ".join(text.split())
    return line[:MOST_QUOTED] if len(head) >= LEAST_TEXT_BYTES and line.isprintable() else ""


def _is_data(head: bytes) -> bool:
    """Return whether bytes are compressed or random, or samples of another format, which would be heard as noise."""
    if len(head) < LEAST_DATA_BYTES:
        return False
    numbers = np.frombuffer(head[: len(head) // 2 * 2], "<i2").astype(np.float64) / 32768
    power = np.mean(numbers**2)
    if power < LEAST_NOISE**2 or abs(np.mean(numbers[1:] * numbers[:-1])) > MOST_ALIKE * power:
        return False
    return bool(np.mean((numbers == numbers.max()) | (numbers == numbers.min())) < MOST_AT_LIMITS)


def _raw_blocks(head: bytes, stream: BinaryIO, block_bytes: int, rate_hz: int) -> Iterator[Samples]:
    resampler, rest = Resampler(rate_hz), head
    while rest:
        whole = len(rest) // 2 * 2
        yield resampler.add(np.frombuffer(rest[:whole], "<i2").astype(np.float32) / np.float32(32768))
        block = stream.read(block_bytes)
        rest = rest[whole:] + block if block else b""
    yield resampler.finish()


def _mono_16k(recording: SoundTrack, name: str, report: Report) -> Iterator[Samples]:
    with recording:
        resampler = Resampler(recording.samplerate)
        repairs = _Repairs(name, report)
        seconds = 0.0
        for frames in recording.blocks():
            samples = resampler.add(mix_down(repairs.finite(frames)))
            seconds += len(samples) / SAMPLE_RATE_HZ
            yield repairs.within_range(samples)
        tail = resampler.finish()
    if not seconds and not len(tail):
        raise AudioError(f"{name} holds no audio: it is zero seconds long.")
    yield repairs.within_range(tail)


class _Repairs:
    """Makes samples finite and limits their range; reports each repair once per file."""

    def __init__(self, name: str, report: Report) -> None:
        self._name = name
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
            self._report(Remark(f"{self._name} has {what}."))


def _open(path: Path, report: Report, choice: TrackChoice | None = None) -> SoundTrack:
    head, size = _head(path)
    if path.suffix.lower() in _HEADLESS:
        raise AudioError(
            f"{path} has no header that tells its format. Pipe 16-bit 16 kHz mono samples to standard input (-)."
        )
    try:
        recording = SoundTrack(path, str(path), report, choice)
    except ValueError as error:
        raise AudioError(f"{path} cannot be opened: it is damaged, or not an audio or video file.") from error
    if recording.samplerate not in RATES_HZ:
        recording.close()
        raise AudioError(f"{path} is damaged.")
    stated = int.from_bytes(head[4:8], "little") + 8
    if head[:4] == b"RIFF" and size + 1 < stated < PLACEHOLDER_BYTES:
        report(f"{path} is cut short: {size} of {stated} bytes are there.")
    return recording


def _head(path: Path) -> tuple[bytes, int]:
    """Return the first bytes and the size of a regular, readable, non-empty file."""
    try:
        if path.is_dir():
            raise AudioError(f"{path} is a folder. Name an audio file in it.")
        if not path.exists():
            raise AudioError(f"There is no file {path}.")
        if not path.is_file():
            raise AudioError(f"{path} is not a regular file. Pipe its sound to standard input (-) instead.")
        with path.open("rb") as file:
            head = file.read(64)
    except OSError as error:
        raise AudioError(f"{path} cannot be read: {error.strerror or error}.") from error
    if not head:
        raise AudioError(f"{path} is empty.")
    return head, path.stat().st_size


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
