"""Sound of videos and compressed files that soundfile cannot open, decoded with FFmpeg's libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import AudioError

if TYPE_CHECKING:
    from av.audio.frame import AudioFrame
    from av.container import InputContainer

Report = Callable[[str], None]


class ContainerFile:
    """The first audio track of a file; a context manager that closes it.

    Attributes:
      samplerate: the track's sample rate, in Hz.
      seconds: the duration that the file declares; 0 if it declares none.
    """

    def __init__(self, path: Path, report: Report) -> None:
        """Open a file. Raises AudioError if it holds no audio, ValueError if FFmpeg does not know its format."""
        import av

        self._path = path
        self._report = report
        self._errors = av.error.FFmpegError
        try:
            # A playlist may name network addresses: only files on this machine are opened.
            only_files = {"protocol_whitelist": "file"}
            self._container: InputContainer = av.open(f"file:{path}", options=only_files, metadata_errors="ignore")
        except self._errors as error:
            raise ValueError(str(error)) from error
        if not self._container.streams.audio:
            is_film = bool(self._container.streams.video)
            self._container.close()
            if is_film:
                raise AudioError(f"{path} is a film without sound.")
            raise ValueError("no sound")
        track = self._container.streams.audio[0]
        if not hasattr(track, "rate"):  # no decoder knows it
            self._container.close()
            raise ValueError("sound of an unknown kind")
        self.samplerate = int(track.rate or 0)
        duration = self._container.duration
        self.seconds = duration / av.time_base if duration else 0.0

    def __enter__(self) -> ContainerFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._container.close()

    def blocks(self) -> Iterator[np.ndarray]:
        """Yield blocks (n, channels) of float32 up to the end, or up to where decoding fails."""
        import av

        seconds, before = 0.0, None
        try:
            for frame in self._container.decode(audio=0):
                kind = frame.format.name, frame.layout.name, frame.sample_rate
                if kind != before:  # concatenated recordings may alternate between mono and stereo
                    # Packed: of planar channels only eight can be reached.
                    resampler, before = av.AudioResampler(format="flt", rate=self.samplerate), kind
                for block in resampler.resample(frame):
                    seconds += block.samples / self.samplerate
                    yield _samples(block)
        except self._errors as error:
            if not seconds:
                raise AudioError(f"{self._path} is damaged: no audio in it can be decoded.") from error
            self._report(f"{self._path} is damaged: only its first {seconds:.1f} s can be read.")


def _samples(block: AudioFrame) -> np.ndarray:
    return block.to_ndarray().reshape(block.samples, -1)
