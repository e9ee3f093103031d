import io
import os
import re
import socket
import zlib
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

import av
import numpy as np
import pytest
import soundfile

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.decoding import SoundTrack, TrackChoice
from engine.audio.decoding import _Clock as Clock
from engine.audio.file_marks import begins_like_recording
from engine.audio.remark import Remark
from engine.audio.source import _is_data, audio_seconds, read_audio, stream_audio, stream_pipe
from engine.errors import AudioError
from tests.people_clips import people_clips


def tone(seconds: float = 0.5, rate_hz: int = SAMPLE_RATE_HZ, channels: int = 1) -> np.ndarray:
    wave = 0.5 * np.sin(2 * np.pi * 440 * np.arange(round(rate_hz * seconds)) / rate_hz)
    return np.repeat(wave[:, None], channels, axis=1).astype(np.float32)


def write(path: Path, samples: np.ndarray, rate_hz: int = SAMPLE_RATE_HZ, subtype: str | None = None) -> Path:
    soundfile.write(path, samples, rate_hz, subtype=subtype)
    return path


def loudness(samples: np.ndarray) -> float:
    return float(np.sqrt(np.mean(samples[1000:-1000] ** 2)))


@pytest.mark.parametrize(
    ("name", "rate_hz", "channels", "subtype"),
    [
        ("plain.wav", 16_000, 1, "PCM_16"),
        ("eight_bit.wav", 8_000, 1, "PCM_U8"),
        ("studio.wav", 96_000, 2, "PCM_24"),
        ("surround.wav", 48_000, 7, "FLOAT"),
        ("double.wav", 44_100, 1, "DOUBLE"),
        ("telephone.wav", 8_000, 1, "ULAW"),
        ("lossless.flac", 22_050, 2, None),
        ("vorbis.ogg", 44_100, 2, "VORBIS"),
        ("opus.opus", 48_000, 1, "OPUS"),
        ("music.mp3", 44_100, 2, None),
        ("old.aiff", 11_025, 1, "PCM_16"),
    ],
)
def test_any_kind_of_audio_becomes_mono_at_16_khz(
    tmp_path: Path, name: str, rate_hz: int, channels: int, subtype: str | None
) -> None:
    if name.endswith(".opus"):
        soundfile.write(tmp_path / name, tone(0.5, rate_hz, channels), rate_hz, format="OGG", subtype=subtype)
    else:
        write(tmp_path / name, tone(0.5, rate_hz, channels), rate_hz, subtype)
    samples = read_audio(tmp_path / name, report=pytest.fail)
    assert samples.dtype == np.float32
    assert samples.ndim == 1
    assert abs(len(samples) / SAMPLE_RATE_HZ - 0.5) < 0.06  # lossy coders pad
    assert loudness(samples) == pytest.approx(0.5 / np.sqrt(2), rel=0.08)


def test_a_stream_has_even_chunks_and_the_same_samples(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", tone(0.55, 44_100, 2), 44_100)
    chunks = list(stream_audio(path, chunk_seconds=0.1))
    assert [len(chunk) for chunk in chunks[:-1]] == [1600] * (len(chunks) - 1)
    assert 0 < len(chunks[-1]) <= 1600
    np.testing.assert_array_equal(np.concatenate(chunks), read_audio(path))


@pytest.mark.parametrize("name", ["a.mp3", "a.ogg", "a.flac"])
def test_reading_in_blocks_leaves_no_gaps(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, tone(1.0))
    whole, _ = soundfile.read(path, dtype="float32")
    heard = read_audio(path)
    assert 0 <= len(heard) - len(whole) < 0.02 * SAMPLE_RATE_HZ, "a decoder may leave the padding of its last block"
    np.testing.assert_allclose(heard[: len(whole)], whole.clip(-1, 1), atol=1e-5)


def test_numbers_that_are_none_are_silenced_and_reported_once(tmp_path: Path) -> None:
    samples = tone(1.0)
    samples[::5000] = np.nan
    samples[7] = np.inf
    said: list[Remark] = []
    heard = read_audio(write(tmp_path / "nan.wav", samples, subtype="FLOAT"), report=said.append)
    assert np.isfinite(heard).all()
    assert heard[5000] == 0 and heard[7] == 0
    assert len(said) == 1 and "not numbers" in said[0].sentence


def test_samples_beyond_full_scale_are_clipped_and_reported(tmp_path: Path) -> None:
    said: list[Remark] = []
    heard = read_audio(write(tmp_path / "loud.wav", 100 * tone(), subtype="FLOAT"), report=said.append)
    assert np.abs(heard).max() == 1
    assert len(said) == 1 and "clipped" in said[0].sentence


def test_clipped_recordings_and_a_constant_offset_are_read_as_they_are(tmp_path: Path) -> None:
    clipped = np.clip(4 * tone(), -1, 1)
    read_audio(write(tmp_path / "clipped.wav", clipped), report=pytest.fail)
    offset = read_audio(write(tmp_path / "offset.wav", 0.3 + tone()), report=pytest.fail)
    assert offset.mean() == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize(
    ("name", "format_"), [("a.wav", "WAV"), ("a.flac", "FLAC"), ("a.ogg", "OGG"), ("a.mp3", "MP3")]
)
def test_a_file_that_is_cut_short_is_heard_as_far_as_it_goes(tmp_path: Path, name: str, format_: str) -> None:
    rng = np.random.default_rng(0)
    path = tmp_path / name
    soundfile.write(path, rng.uniform(-0.5, 0.5, 4 * SAMPLE_RATE_HZ), SAMPLE_RATE_HZ, format=format_)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    said: list[str] = []
    seconds = len(read_audio(path, report=said.append)) / SAMPLE_RATE_HZ
    assert 0.5 < seconds < 3.0
    if format_ in ("WAV", "FLAC"):  # the others do not say how long they should be
        assert len(said) == 1 and "cut short" in said[0]


def test_a_damaged_middle_ends_the_audio_there(tmp_path: Path) -> None:
    path = write(tmp_path / "a.flac", np.random.default_rng(0).uniform(-0.5, 0.5, 4 * SAMPLE_RATE_HZ))
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 40_000] = b"\x55" * 40_000
    path.write_bytes(data)
    assert len(read_audio(path, report=lambda _: None)) > SAMPLE_RATE_HZ


def assert_refused(path: Path, *fragments: str) -> None:
    with pytest.raises(AudioError) as caught:
        read_audio(path, report=pytest.fail)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    for fragment in fragments:
        assert fragment in message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert_refused(tmp_path / "nowhere.wav", "There is no file")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert_refused(tmp_path, "is a folder")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.wav"
    path.touch()
    assert_refused(path, "is empty")


def test_audio_of_no_length_is_refused(tmp_path: Path) -> None:
    assert_refused(write(tmp_path / "a.wav", np.zeros((0, 1), np.float32)), "zero seconds")


def test_text_is_not_audio(tmp_path: Path) -> None:
    path = tmp_path / "letter.mp3"
    path.write_text("Dear Sir or Madam, " * 100)
    assert_refused(path, "damaged, or not an audio or video file")


def test_a_header_without_anything_behind_it_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ogg", tone(2.0))
    path.write_bytes(path.read_bytes()[:40])
    assert_refused(path)


def write_film(path: Path, samples: np.ndarray, codec: str, *, picture: bool = False, sound: bool = True) -> Path:
    """Write stereo samples (n,) at 48 kHz as FFmpeg does, with a few pictures if asked for."""
    with av.open(str(path), "w") as container:
        streams = []
        if picture:
            video = container.add_stream("mpeg4", rate=10)
            video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
            streams.append(video)
        if sound:
            track = container.add_stream(codec, rate=48_000, layout="stereo")
            frame = av.AudioFrame.from_ndarray(np.stack([samples, samples]).astype(np.float32), "fltp", "stereo")
            frame.sample_rate = 48_000
            for resampled in av.AudioResampler(track.format, track.layout, 48_000, track.frame_size).resample(frame):
                container.mux(track.encode(resampled))
            streams.append(track)
        for _ in range(5 if picture else 0):
            container.mux(video.encode(av.VideoFrame(64, 48, "yuv420p")))
        for stream in streams:
            container.mux(stream.encode(None))
    return path


@pytest.mark.parametrize(
    ("name", "codec", "picture"),
    [
        ("film.mp4", "aac", True),
        ("film.mov", "aac", True),
        ("film.mkv", "aac", True),
        ("sound.webm", "libopus", False),
        ("sound.m4a", "aac", False),
        ("sound.aac", "aac", False),
        ("sound.opus", "libopus", False),
        ("sound.mp3", "libmp3lame", False),
    ],
)
def test_films_and_compressed_sound_are_heard(tmp_path: Path, name: str, codec: str, picture: bool) -> None:
    tone_48k = 0.5 * np.sin(2 * np.pi * 440 * np.arange(2 * 48_000) / 48_000)
    path = write_film(tmp_path / name, tone_48k, codec, picture=picture)
    samples = read_audio(path)
    assert abs(len(samples) / SAMPLE_RATE_HZ - 2.0) < 0.12  # encoders fill up their last block
    assert abs(audio_seconds(path) - 2.0) < 0.25
    middle = samples[SAMPLE_RATE_HZ // 2 : 3 * SAMPLE_RATE_HZ // 2]
    spectrum = np.abs(np.fft.rfft(middle))
    assert int(spectrum.argmax()) == 440
    assert 0.3 < float(np.abs(middle).max()) < 0.7


def test_recordings_behind_one_another_may_differ_in_their_channels(tmp_path: Path) -> None:
    tone_48k = (0.5 * np.sin(2 * np.pi * 440 * np.arange(48_000) / 48_000)).astype(np.float32)
    parts = []
    for layout in ("mono", "stereo"):
        bare = {"write_xing": "0", "id3v2_version": "0"}
        with av.open(str(tmp_path / f"{layout}.mp3"), "w", options=bare) as container:
            track = container.add_stream("libmp3lame", rate=48_000, layout=layout)
            frame = av.AudioFrame.from_ndarray(np.tile(tone_48k, (track.channels, 1)), "fltp", layout)
            frame.sample_rate = 48_000
            for resampled in av.AudioResampler(track.format, track.layout, 48_000, track.frame_size).resample(frame):
                container.mux(track.encode(resampled))
            container.mux(track.encode(None))
        parts.append((tmp_path / f"{layout}.mp3").read_bytes())
    path = tmp_path / "both.mp3"
    path.write_bytes(b"".join(parts))
    with SoundTrack(path, "it", print) as file:
        blocks = list(file.blocks())
    assert {block.shape[1] for block in blocks} == {1, 2}
    assert abs(sum(map(len, blocks)) / 48_000 - 2.0) < 0.2


def test_more_channels_than_a_film_has_are_all_heard(tmp_path: Path) -> None:
    levels = np.linspace(0.1, 0.5, 12, dtype=np.float32)
    path = write(tmp_path / "studio.wav", np.tile(levels, (4_000, 1)), subtype="FLOAT")
    with SoundTrack(path, "it", print) as file:
        frames = np.concatenate(list(file.blocks()))
    assert frames.shape == (4_000, 12)
    assert frames == pytest.approx(np.tile(levels, (4_000, 1)))


def test_a_film_without_sound_is_refused(tmp_path: Path) -> None:
    path = write_film(tmp_path / "film.mp4", np.zeros(0), "aac", picture=True, sound=False)
    assert_refused(path, "a film without sound")


def test_a_film_that_is_cut_short_is_heard_as_far_as_it_goes(tmp_path: Path) -> None:
    tone_48k = 0.5 * np.sin(2 * np.pi * 440 * np.arange(4 * 48_000) / 48_000)
    path = write_film(tmp_path / "film.mkv", tone_48k, "aac")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert 1.0 < len(read_audio(path, report=lambda _: None)) / SAMPLE_RATE_HZ < 3.5


@pytest.mark.parametrize("name", ["film.mp4", "film.mkv", "film"])
def test_what_only_begins_like_a_film_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\x00\x00\x00\x20ftypisom" + bytes(2000))
    assert_refused(path, "not an audio or video file")


def test_a_playlist_opens_no_address(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        path = tmp_path / "list.m3u8"
        address = f"http://127.0.0.1:{server.getsockname()[1]}/a.ts"
        path.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n{address}\n#EXT-X-ENDLIST\n")
        assert_refused(path)
        with pytest.raises(TimeoutError):
            server.accept()


def test_samples_without_a_header_belong_on_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "a.raw"
    path.write_bytes(bytes(3200))
    assert_refused(path, "standard input")


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert_refused(tmp_path / "pipe", "not a regular file")


def test_a_file_without_permission_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.wav", tone())

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # a superuser may read everything, so the refusal is played
    assert_refused(path, "cannot be read: Permission denied")


def test_raw_samples_come_in_chunks_and_half_a_sample_is_dropped() -> None:
    numbers = np.arange(-2000, 2000, dtype="<i2")
    chunks = list(stream_pipe(io.BytesIO(numbers.tobytes() + b"\x01"), chunk_seconds=0.1))
    assert [len(chunk) for chunk in chunks] == [1600, 1600, 800]
    np.testing.assert_array_equal(np.concatenate(chunks), numbers / np.float32(32768))


def test_raw_samples_survive_reads_that_end_between_two_bytes() -> None:
    class Dribble(io.RawIOBase):
        def __init__(self, data: bytes) -> None:
            self.data = data

        def read(self, size: int = -1) -> bytes:
            part, self.data = self.data[:7], self.data[7:]
            return part

    numbers = np.arange(100, dtype="<i2")
    heard = np.concatenate(list(stream_pipe(Dribble(numbers.tobytes()))))  # type: ignore[arg-type]
    np.testing.assert_array_equal(heard * 32768, numbers)


def test_an_empty_pipe_is_refused() -> None:
    with pytest.raises(AudioError, match="No audio"):
        list(stream_pipe(io.BytesIO(b"")))


class OneWay(io.RawIOBase):
    """A pipe: it is read onwards, a little at a time, and cannot be sought in."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, size: int = -1) -> bytes:
        part, self._data = self._data[: min(size, 5_000)], self._data[min(size, 5_000) :]
        return part

    def seekable(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        *(("a.wav", ""), ("a.flac", ""), ("a.ogg", ""), ("a.aiff", ""), ("a.au", ""), ("a.rf64", "")),
        *(("a.mp3", "libmp3lame"), ("a.aac", "aac"), ("a.webm", "libopus"), ("a.ts", "aac"), ("a.mkv", "aac")),
        ("a.flv", "aac"),
    ],
)
def test_a_recording_in_a_pipe_is_decoded(tmp_path: Path, name: str, codec: str) -> None:
    path = tmp_path / name
    if codec:
        write_film(path, 0.5 * np.sin(2 * np.pi * 440 * np.arange(2 * 48_000) / 48_000), codec)
    else:
        soundfile.write(path, tone(2.0), SAMPLE_RATE_HZ, format=name[2:].upper())
    heard = np.concatenate(list(stream_pipe(OneWay(path.read_bytes()), report=lambda _: None)))  # type: ignore[arg-type]
    assert abs(len(heard) / SAMPLE_RATE_HZ - 2.0) < 0.15
    assert loudness(heard) == pytest.approx(0.5 / np.sqrt(2), rel=0.1)


@pytest.mark.parametrize("name", ["a.mp4", "a.m4a", "a.mov"])
def test_case_a_film_in_a_pipe_whose_index_is_at_its_end_is_read_when_it_has_come(tmp_path: Path, name: str) -> None:
    path = write_film(tmp_path / name, 0.5 * np.sin(2 * np.pi * 440 * np.arange(2 * 48_000) / 48_000), "aac")
    heard = np.concatenate(list(stream_pipe(OneWay(path.read_bytes()), report=lambda _: None)))  # type: ignore[arg-type]
    assert abs(len(heard) / SAMPLE_RATE_HZ - 2.0) < 0.15
    assert loudness(heard) == pytest.approx(0.5 / np.sqrt(2), rel=0.1)
    cut = OneWay(path.read_bytes()[:9_000])  # without its index
    with pytest.raises(AudioError, match="The recording on standard input is damaged"):
        list(stream_pipe(cut, report=lambda _: None))  # type: ignore[arg-type]


def test_case_a_film_in_a_pipe_for_which_there_is_no_room_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_film(tmp_path / "a.mp4", tone(1.0, 48_000)[:, 0], "aac")

    def full() -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    with pytest.raises(AudioError, match="cannot be kept until its end: No space left on device"):
        list(stream_pipe(OneWay(path.read_bytes()), report=lambda _: None))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["<html><title>404 Not Found</title>", "curl: (6) Could not resolve host\n", "Hier wäre der Ton\r\n" * 400]
)
def test_case_text_in_a_pipe_is_not_heard_as_noise(text: str) -> None:
    with pytest.raises(AudioError, match=f"Text came on standard input, not audio: {re.escape(text[:17])}"):
        list(stream_pipe(io.BytesIO(text.encode())))


def test_case_raw_samples_are_not_taken_for_text() -> None:
    rng = np.random.default_rng(0)
    for loudest in (0, 1, 30, 300, 10_000):
        numbers = rng.integers(-loudest, loudest + 1, 4_000).astype("<i2")
        assert len(np.concatenate(list(stream_pipe(io.BytesIO(numbers.tobytes()))))) == 4_000


@pytest.mark.parametrize(
    "data",
    [
        np.random.default_rng(0).bytes(100_000),
        b"\x89PNG\r\n\x1a\n" + zlib.compress(np.random.default_rng(0).integers(0, 200, 9_000).astype("u1").tobytes()),
        people_clips()[0].samples[20_000:].astype(np.float32).tobytes(),
    ],
    ids=["random", "a picture", "samples of another format"],
)
def test_data_that_are_no_sound_are_not_heard_as_noise(data: bytes) -> None:
    with pytest.raises(AudioError, match="neither a recording of a known kind nor raw 16-bit mono samples"):
        list(stream_pipe(io.BytesIO(data)))


def test_speech_is_not_taken_for_data_however_distorted() -> None:
    for clip in people_clips():
        for gain in (1, 30, 1_000):
            numbers = (np.clip(clip.samples * gain, -1, 1) * 32_767).astype("<i2")
            for start in range(0, len(numbers), 4_000):
                assert not _is_data(numbers[start : start + 1_600].tobytes())


def test_quiet_raw_samples_are_not_taken_for_a_recording() -> None:
    rng = np.random.default_rng(0)
    for loudness_of_noise in (1, 3, 30, 3_000):
        numbers = rng.integers(-loudness_of_noise, loudness_of_noise + 1, 4_000).astype("<i2")
        for start in range(200):
            assert not begins_like_recording(numbers[start:].tobytes()[:3_200])


def test_raw_samples_of_another_rate_are_resampled() -> None:
    raw = (tone(1.0, 48_000)[:, 0] * 32_000).astype("<i2").tobytes()
    heard = np.concatenate(list(stream_pipe(io.BytesIO(raw), rate_hz=48_000)))
    assert abs(len(heard) - SAMPLE_RATE_HZ) < 10
    assert int(np.abs(np.fft.rfft(heard[:SAMPLE_RATE_HZ])).argmax()) == 440


# The kinds of recordings in which users of other programs lost words, or got them at the wrong time.


def write_late(path: Path, codec: str, parts: Sequence[tuple[float, float]], *, picture_seconds: float) -> Path:
    """Write a film with a picture from 0 on and a tone at each of some (start, end) in seconds."""
    with av.open(str(path), "w") as container:
        video = container.add_stream("mpeg4", rate=10)
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        track = container.add_stream(codec, rate=48_000, layout="mono")
        for number in range(round(picture_seconds * 10)):
            picture = av.VideoFrame(64, 48, "yuv420p")
            picture.pts, picture.time_base = number, Fraction(1, 10)
            container.mux(video.encode(picture))
        container.mux(video.encode(None))
        for start, end in parts:
            wave = tone(end - start, 48_000)[:, 0]
            size = track.frame_size or 960
            for at in range(0, len(wave) - size + 1, size):
                frame = av.AudioFrame.from_ndarray(wave[None, at : at + size], "fltp", "mono")
                frame.sample_rate, frame.time_base, frame.pts = 48_000, Fraction(1, 48_000), round(start * 48_000) + at
                container.mux(track.encode(frame))
        container.mux(track.encode(None))
    return path


def sounding(samples: np.ndarray) -> tuple[float, float]:
    """Return where sound begins and ends, in seconds."""
    loud = np.flatnonzero(np.abs(samples) > 0.1) / SAMPLE_RATE_HZ
    return float(loud[0]), float(loud[-1])


@pytest.mark.parametrize("name", ["film.mkv", "film.mp4", "film.ts"])
def test_case_sound_begins_later_than_picture(tmp_path: Path, name: str) -> None:
    path = write_late(tmp_path / name, "aac", [(4.9, 6.9)], picture_seconds=8.0)
    start, end = sounding(read_audio(path, report=pytest.fail))
    assert start == pytest.approx(4.9, abs=0.1) and end == pytest.approx(6.9, abs=0.15)


@pytest.mark.parametrize("name", ["film.mkv", "film.ts"])
def test_case_gap_in_the_sound_of_a_film(tmp_path: Path, name: str) -> None:
    path = write_late(tmp_path / name, "aac", [(0.0, 1.0), (11.0, 12.0)], picture_seconds=12.0)
    samples = read_audio(path, report=pytest.fail)
    assert sounding(samples[5 * SAMPLE_RATE_HZ :])[0] == pytest.approx(6.0, abs=0.1)
    assert not samples[2 * SAMPLE_RATE_HZ : 10 * SAMPLE_RATE_HZ].any()


def test_a_clock_that_leaps_beyond_the_end_of_the_file_makes_no_hole() -> None:
    clock = Clock(0.0, stated_seconds=10.0)
    assert clock.hole_before(0.0, 1.0) == 0
    assert clock.hole_before(5_000.0, 1.0) == 0, "a damaged time stamp"
    assert clock.hole_before(2.0, 1.0) == 0
    assert clock.hole_before(5.0, 1.0) == pytest.approx(2.0), "a real hole"
    assert clock.seconds == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("name", "codec"), [("a.mp3", "libmp3lame"), ("a.aac", "aac"), ("a.ts", "aac"), ("a.ac3", "ac3")]
)
def test_case_one_bad_packet_ends_the_recording(tmp_path: Path, name: str, codec: str) -> None:
    path = write_film(tmp_path / name, tone(8.0, 48_000)[:, 0], codec)
    data = bytearray(path.read_bytes())
    middle = len(data) * 45 // 100
    data[middle : middle + 600] = np.random.default_rng(0).bytes(600)
    path.write_bytes(data)
    said: list[str | Remark] = []
    assert 7.5 < len(read_audio(path, report=said.append)) / SAMPLE_RATE_HZ < 8.3
    assert all(isinstance(each, Remark) for each in said), "what follows was heard: no damage to fail for"


def test_case_one_bad_frame_of_flac_costs_that_frame(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).uniform(-0.5, 0.5, 8 * SAMPLE_RATE_HZ)
    path = write(tmp_path / "a.flac", noise)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 600] = b"\x55" * 600
    path.write_bytes(data)
    samples = read_audio(path, report=lambda said: None)
    assert len(samples) == pytest.approx(len(noise), abs=SAMPLE_RATE_HZ // 10)
    np.testing.assert_allclose(samples[-SAMPLE_RATE_HZ:], noise[-SAMPLE_RATE_HZ:], atol=1e-3)


@pytest.mark.parametrize("name", ["a.ogg", "a.opus", "a.mp3", "a.flac"])
def test_case_chained_recordings_are_heard_to_the_end(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    opus = {"format": "OGG", "subtype": "OPUS"} if name == "a.opus" else {}
    soundfile.write(path, tone(2.0, 48_000), 48_000, **opus)
    path.write_bytes(3 * path.read_bytes())
    assert 5.7 < len(read_audio(path, report=lambda said: None)) / SAMPLE_RATE_HZ < 6.4


def test_case_chained_recordings_of_another_kind_are_heard_to_the_end(tmp_path: Path) -> None:
    path, said = tmp_path / "radio.ogg", list[object]()
    with path.open("wb") as radio:
        for rate_hz, channels in ((16_000, 1), (44_100, 2), (16_000, 1)):
            part = tmp_path / "part.ogg"
            soundfile.write(part, np.tile(tone(2.0, rate_hz), (1, channels)), rate_hz)
            radio.write(part.read_bytes())
    samples = read_audio(path, said.append)
    assert len(samples) / SAMPLE_RATE_HZ == pytest.approx(6.0, abs=0.2)
    assert said == []
    for second in (1.0, 3.0, 5.0):
        assert np.abs(samples[round(second * SAMPLE_RATE_HZ) :][:1600]).max() > 0.1


def test_case_the_default_track_is_heard_unless_another_is_chosen(tmp_path: Path) -> None:
    path = tmp_path / "two.mkv"
    with av.open(str(path), "w") as container:
        tracks = []
        for language, hertz in (("ger", 440), ("eng", 880), ("fre", 1760)):
            track = container.add_stream("aac", rate=48_000, layout="mono")
            track.metadata["language"] = language
            track.disposition = av.stream.Disposition.default if language == "eng" else av.stream.Disposition(0)
            tracks.append((track, hertz))
        for track, hertz in tracks:
            wave = 0.5 * np.sin(2 * np.pi * hertz * np.arange(96_000) / 48_000).astype(np.float32)
            for at in range(0, len(wave) - 1023, 1024):
                frame = av.AudioFrame.from_ndarray(wave[None, at : at + 1024], "fltp", "mono")
                frame.sample_rate, frame.time_base, frame.pts = 48_000, Fraction(1, 48_000), at
                container.mux(track.encode(frame))
            container.mux(track.encode(None))

    def heard(choice: TrackChoice | None) -> tuple[int, str]:
        said: list[str | Remark] = []
        samples = read_audio(path, said.append, choice)[:SAMPLE_RATE_HZ]
        assert len(said) == 1 and isinstance(said[0], Remark)
        return int(np.abs(np.fft.rfft(samples)).argmax()), said[0].sentence

    assert heard(None) == (880, f"{path} has 3 sound tracks: track 2 (eng) is heard.")
    assert heard(TrackChoice(number=1))[0] == 440
    assert heard(TrackChoice(language="fr"))[0] == 1760, "the code of two letters names the track of three"
    assert heard(TrackChoice(language="de"))[0] == 440
    assert heard(TrackChoice(language="ja"))[0] == 880
    with pytest.raises(AudioError, match="no sound track 4: it has 3"):
        read_audio(path, lambda said: None, TrackChoice(number=4))


@pytest.mark.parametrize("stated", [0, 0x7FFFFFFF - 36, 0xFFFFFFFF - 36, 2_000_000_000])
def test_case_wav_with_a_streamers_header_is_heard_without_complaint(tmp_path: Path, stated: int) -> None:
    path = write(tmp_path / "a.wav", tone(2.0))
    data = bytearray(path.read_bytes())
    data[4:8] = min(stated + 36, 0xFFFFFFFF).to_bytes(4, "little")
    data[40:44] = stated.to_bytes(4, "little")
    path.write_bytes(data)
    assert len(read_audio(path, report=pytest.fail)) == 2 * SAMPLE_RATE_HZ
