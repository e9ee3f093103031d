"""Decoding of any file or pipe with FFmpeg's libraries: choice of the track, damage, and the time of each sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from engine.audio.remark import Remark
from engine.errors import AudioError

if TYPE_CHECKING:
    from av.audio.frame import AudioFrame
    from av.audio.stream import AudioStream
    from av.container import InputContainer
    from av.packet import Packet

CLOCK_SLACK_SECONDS = 0.1
"""Largest difference between the file's clock and the samples so far that is left alone."""

LONGEST_HOLE_SECONDS = 12 * 3600.0
"""Longest hole in the sound, in seconds; a longer jump of the file's clock is an error of the clock."""

READS_THAT_FAIL = 20
"""Most consecutive failed reads, after which the rest of a file is given up."""

LEAST_DAMAGE_SECONDS = 0.2
"""Shortest damage that is reported, in seconds."""

PIPE_NAME = "The recording on standard input"

_OGG_RECORDING = b"OggS\0\2"
"""Bytes with which a recording begins in an Ogg file; others may stand before it."""

_READ_BYTES = 1 << 20

_KNOWS_ITS_LENGTH = ("flac", "mov,mp4,m4a,3gp,3g2,mj2", "aiff", "au")
"""FFmpeg's names of the formats whose header states the exact length; for others it is estimated."""


Report = Callable[[str | Remark], None]
"""Receives a plain sentence if sound is missing from some point on, a Remark about anything else."""


@dataclass(frozen=True, slots=True)
class TrackChoice:
    """A choice of a sound track: `number`, counted from 1; else the one in `language`; else the default.

    Attributes:
        channel: number of the only channel that is heard, counted from 0; None hears all of them together.
    """

    number: int | None = None
    language: str | None = None
    channel: int | None = None


class SoundTrack:
    """One sound track of a file or a pipe; a context manager that closes it.

    Attributes:
        samplerate: sample rate of the track, in Hz.
        seconds: length that the file states; 0 if it states none.
    """

    def __init__(self, source: Path | BinaryIO, name: str, report: Report, choice: TrackChoice | None = None) -> None:
        """Open a source that is called `name` in messages.

        Raises:
            AudioError: it holds no sound, or not the chosen track or channel.
            ValueError: FFmpeg does not know its format.
        """
        import av

        self._name = name
        self._report = report
        self._errors = av.error.FFmpegError
        self._path = source if isinstance(source, Path) else None
        self._begin = 0  # of this recording in the file, in bytes
        self._position = 0  # of the newest packet in this recording, in bytes
        self._container = _opened(source)
        self._channel = choice.channel if choice else None
        self._following: SoundTrack | None = None
        self._rest: BinaryIO | None = None
        try:
            self._track = self._chosen(choice or TrackChoice())
            self._check_channel()
        except (AudioError, ValueError):
            self._container.close()
            raise
        self.samplerate = int(self._track.rate or 0)
        duration = self._container.duration
        self.seconds = duration / av.time_base if duration else 0.0

    def __enter__(self) -> SoundTrack:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._container.close()
        if self._rest is not None:
            self._rest.close()

    def blocks(self) -> Iterator[np.ndarray]:
        """Yield float32 blocks (n, channels) to the end, with silence for holes in the file.

        Raises:
            AudioError: nothing can be decoded.
        """
        import av

        clock = _Clock(self._start_seconds(), self.seconds)
        channels, kind, resampler = 1, None, None
        for frame in self._frames(clock):
            if (now := (frame.format.name, frame.layout.name, frame.sample_rate)) != kind:
                # Concatenated recordings may alternate between mono and stereo. Packed samples: of planar channels only
                # eight can be reached.
                resampler, kind = av.AudioResampler(format="flt", rate=self.samplerate), now
            assert resampler is not None
            missing = round(clock.hole_before(frame.time, frame.samples / frame.sample_rate) * self.samplerate)
            while missing > 0:
                yield np.zeros((min(missing, self.samplerate), channels), np.float32)
                missing -= self.samplerate
            for block in resampler.resample(frame):
                samples = block.to_ndarray().reshape(block.samples, -1)
                if self._channel is not None:  # a part of the recording may have fewer than its beginning
                    samples = samples[:, [min(self._channel, samples.shape[1] - 1)]]
                channels = samples.shape[1]
                yield samples
        if self._following is not None:
            with self._following as following:
                yield from following.blocks()

    def _frames(self, clock: _Clock) -> Iterator[AudioFrame]:
        """Yield decoded frames, packet by packet, and report damage."""
        spoilt_seconds, gave_up = 0.0, False
        for packet in self._packets():
            if packet is None:
                self._following = self._next_in_chain()
                gave_up = self._following is None
                break
            self._position = max(self._position, packet.pos or 0)
            try:
                frames = packet.decode()
            except self._errors:
                spoilt_seconds += float((packet.duration or 0) * (packet.time_base or 0))
                continue
            yield from (frame for frame in frames if frame.samples)
        if not clock.seconds and (spoilt_seconds or gave_up):
            raise AudioError(f"{self._name} is damaged: no audio in it can be decoded.")
        if gave_up or self._stated_seconds() > clock.seconds + spoilt_seconds + 2.5 * CLOCK_SLACK_SECONDS:
            self._report(f"{self._name} is cut short or damaged: only its first {clock.seconds:.1f} s can be read.")
        elif spoilt_seconds >= LEAST_DAMAGE_SECONDS:
            self._report(Remark(f"{self._name} is damaged in places: {spoilt_seconds:.1f} s of it cannot be decoded."))

    def _next_in_chain(self) -> SoundTrack | None:
        """Open the next recording of an Ogg file, whose sound differs in kind from this one's."""
        if self._path is None or self._container.format.name != "ogg":
            return None
        self._rest = self._path.open("rb")
        begin = _next_beginning(self._rest, self._begin + self._position + 1)
        if begin is None:
            return None
        self._rest.seek(begin)
        try:
            rest = _ForwardReader(b"", self._rest)  # from there on, whatever FFmpeg looks for
            following = SoundTrack(rest, self._name, self._report, TrackChoice(channel=self._channel))  # type: ignore[arg-type]
        except (AudioError, ValueError):
            return None
        following.samplerate, following._path, following._begin = self.samplerate, self._path, begin
        return following

    def _packets(self) -> Iterator[Packet[AudioStream] | None]:
        """Yield the track's packets; None at the end if the rest cannot be read."""
        failed, packets = 0, self._container.demux(self._track)
        while failed < READS_THAT_FAIL:
            try:
                packet = next(packets, None)
            except self._errors:
                failed, packets = failed + 1, self._container.demux(self._track)
                continue
            if packet is None:
                return
            failed = 0
            yield packet
        yield None

    def _start_seconds(self) -> float:
        """Return the start time by the file's clock: that of the video track if the sound starts later."""
        import av

        start = self._container.start_time
        return start / av.time_base if start else 0.0

    def _stated_seconds(self) -> float:
        """Return the length stated by the file; 0 if that is an estimate."""
        if self._container.format.name not in _KNOWS_ITS_LENGTH or not self._track.duration:
            return 0.0
        return float(self._track.duration * (self._track.time_base or 0))

    def _check_channel(self) -> None:
        channels = len(self._track.layout.channels)
        if self._channel is not None and channels < 2:
            raise AudioError(f"{self._name} has one channel only, so it cannot be heard as two sides.")

    def _chosen(self, choice: TrackChoice) -> AudioStream:
        tracks = list(self._container.streams.audio)
        if not tracks:
            if self._container.streams.video:
                raise AudioError(f"{self._name} is a film without sound.")
            raise ValueError("no sound")
        if choice.number is not None and not 1 <= choice.number <= len(tracks):
            raise AudioError(f"{self._name} has no sound track {choice.number}: it has {len(tracks)}.")
        track = self._best(tracks, choice)
        if not hasattr(track, "rate"):  # no decoder knows it
            raise ValueError("sound of an unknown kind")
        if len(tracks) > 1:
            number = tracks.index(track) + 1
            language = f" ({track.language})" if track.language else ""
            self._report(Remark(f"{self._name} has {len(tracks)} sound tracks: track {number}{language} is heard."))
        return track

    def _best(self, tracks: list[AudioStream], choice: TrackChoice) -> AudioStream:
        """Return the chosen track; among those in the language, or all, the file's default."""
        if choice.number is not None:
            return tracks[choice.number - 1]
        default = self._container.streams.best("audio")
        spoken = [each for each in tracks if choice.language and _same_language(each.language, choice.language)]
        return next((each for each in (spoken or tracks) if each == default), (spoken or tracks)[0])


class _Clock:
    """Compares the file's clock with the samples yielded so far."""

    def __init__(self, start_seconds: float, stated_seconds: float) -> None:
        """Start at the file's own start; a hole never reaches beyond the stated length, where there is one."""
        self._longest = stated_seconds + 1.0 if stated_seconds else math.inf
        self.seconds = 0.0
        """Seconds of sound yielded so far, silence in holes included."""
        self._offset = start_seconds
        self._end: float | None = None

    def hole_before(self, time_seconds: float | None, duration_seconds: float) -> float:
        """Return how many seconds of silence precede a frame, and count both."""
        hole = 0.0
        if time_seconds is not None:
            jump = time_seconds - (self._offset if self._end is None else self._end)
            beyond = time_seconds - self._offset > self._longest
            if beyond or (self._end is not None and not -5 * CLOCK_SLACK_SECONDS <= jump <= LONGEST_HOLE_SECONDS):
                self._offset = time_seconds - self.seconds  # another recording was appended, or the clock is wrong
            late = time_seconds - self._offset - self.seconds
            hole = late if CLOCK_SLACK_SECONDS < late <= LONGEST_HOLE_SECONDS else 0.0
            self._end = time_seconds + duration_seconds
        elif self._end is not None:
            self._end += duration_seconds
        self.seconds += hole + duration_seconds
        return hole


def _next_beginning(file: BinaryIO, start: int) -> int | None:
    """Return where the next recording of an Ogg file begins, in bytes; None if none follows."""
    file.seek(start)
    held = b""
    while block := file.read(_READ_BYTES):
        held += block
        if (at := held.find(_OGG_RECORDING)) >= 0:
            return start + at
        start += max(0, len(held) - len(_OGG_RECORDING))
        held = held[-len(_OGG_RECORDING) :]
    return None


class _ForwardReader:
    """A stream that is only read forwards, starting with bytes that were already read."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head, self._stream = head, stream

    def read(self, size: int) -> bytes:
        head, self._head = self._head[:size], self._head[size:]
        return head or getattr(self._stream, "read1", self._stream.read)(size)


def recording_in_pipe(head: bytes, stream: BinaryIO, report: Report, choice: TrackChoice | None = None) -> SoundTrack:
    """Open a recording in a pipe whose first bytes have been read already."""
    return SoundTrack(_ForwardReader(head, stream), PIPE_NAME, report, choice)  # type: ignore[arg-type]


def _opened(source: Path | BinaryIO) -> InputContainer:
    import av

    try:
        if isinstance(source, Path):
            # A playlist may name network addresses: only files on this machine are opened.
            only_files = {"protocol_whitelist": "file"}
            return av.open(f"file:{source}", options=only_files, metadata_errors="ignore")
        return av.open(source, "r", options={"protocol_whitelist": ""}, metadata_errors="ignore")
    except av.error.FFmpegError as error:
        raise ValueError(str(error)) from error


def _same_language(of_track: str | None, wanted: str) -> bool:
    """Compare a track's language, such as "ger" or "deu", with a code such as "de"."""
    import langcodes

    if not of_track or not langcodes.tag_is_valid(of_track):
        return False
    return langcodes.standardize_tag(of_track) == wanted
