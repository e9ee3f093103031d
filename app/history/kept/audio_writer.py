"""A session's sound on its way to a file, on a thread of its own. No Qt."""

from __future__ import annotations

import errno
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from app.history.kept import audio_files
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import reason_of

if TYPE_CHECKING:
    from av.audio.stream import AudioStream
    from av.container import OutputContainer

BIT_RATE = 24_000
BLOCK_SECONDS = 0.5
"""Length of the sound that is encoded at a time, and that a page of the file holds.

A kill loses at most twice as much.
"""

MOST_WAITING_SECONDS = 60.0
"""Longest sound that waits for a disk that hangs; further sound becomes silence in the file."""


class AudioWriter:
    """Writes Opus in Ogg during the recording; callers that add sound never wait.

    Times in the file are those of the recording, also after sound was lost.
    """

    def __init__(self, path: Path, failed: Callable[[str], None]) -> None:
        """Write to a file. `failed` receives on the writer's thread why no more is written, once, in one sentence."""
        self.path = path
        self._failed = failed
        self._chunks: queue.SimpleQueue[tuple[int, Samples] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._waiting = self._missed = 0  # samples
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="session audio", daemon=True)
        self._thread.start()

    def put(self, samples: Samples) -> None:
        """Add the next samples (n,) at 16 kHz, from any thread."""
        with self._lock:
            if self._is_closed:
                return
            if self._waiting + len(samples) > MOST_WAITING_SECONDS * SAMPLE_RATE_HZ:
                self._missed += len(samples)
                return
            missed, self._missed = self._missed, 0
            self._waiting += len(samples)
        self._chunks.put((missed, samples))

    def finish(self) -> None:
        """Write what waits, and nothing that comes later."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._chunks.put(None)

    def wait(self, seconds: float) -> None:
        """Return when all is written, or after this many seconds."""
        self._thread.join(seconds)

    def _run(self) -> None:
        import av

        try:
            write_sound(self.path, self._blocks())
        except (OSError, av.FFmpegError) as error:
            with self._lock:
                self._is_closed = True
            self._failed(_sentence(error))
            while not self._chunks.empty():  # it may be a minute of sound
                self._chunks.get()

    def _blocks(self) -> Iterator[Samples]:
        """Yield sound in blocks that are worth encoding, with silence for lost sound."""
        import numpy as np

        size = round(BLOCK_SECONDS * SAMPLE_RATE_HZ)
        waiting: list[Samples] = []
        count = 0
        while (chunk := self._chunks.get()) is not None:
            missed, samples = chunk
            with self._lock:
                self._waiting -= len(samples)
            waiting += [np.zeros(min(size, missed - at), np.float32) for at in range(0, missed, size)]
            waiting.append(np.ascontiguousarray(samples, np.float32))
            count += missed + len(samples)
            if count >= size:
                yield np.concatenate(waiting)
                waiting, count = [], 0
        if count:
            yield np.concatenate(waiting)


def write_sound(path: Path, blocks: Iterable[Samples]) -> None:
    """Write blocks (n,) at 16 kHz to a new file that nobody else may read.

    Raises:
        OSError, av.FFmpegError: the file cannot be written.
    """
    import av

    options = {"page_duration": str(round(BLOCK_SECONDS * 1e6)), "flush_packets": "1"}
    with audio_files.create(path) as file:
        container = av.open(_Flushed(file), "w", format="ogg", container_options=options)
        try:
            stream = container.add_stream("libopus", rate=SAMPLE_RATE_HZ, layout="mono")
            stream.bit_rate = BIT_RATE
            _encode(container, stream, blocks)
        except BaseException:
            with suppress(OSError, av.FFmpegError):
                container.close()
            raise
        container.close()


def _encode(container: OutputContainer, stream: AudioStream, blocks: Iterable[Samples]) -> None:
    import av

    done = 0
    for block in blocks:
        frame = av.AudioFrame.from_ndarray(block[None], format="flt", layout="mono")
        frame.sample_rate = SAMPLE_RATE_HZ
        frame.pts = done
        done += len(block)
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))


class _Flushed:
    """A file as FFmpeg writes it; every page is sent to the disk at once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        self._file.write(data)
        self._file.flush()
        return len(data)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full: the sound of this session is kept no further. Captions go on."
    why = reason_of(error) if isinstance(error, OSError) else error
    return f"The sound of this session is kept no further ({why}). Captions go on."
