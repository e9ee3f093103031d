"""The sound of a session in its file: at its times, readable at any moment, and never waited for."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.history.kept import audio_files
from app.history.kept.audio_files import audio_from
from app.history.kept.audio_writer import MOST_WAITING_SECONDS, AudioWriter
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import AudioError

PATIENCE = 120.0
CHUNK = SAMPLE_RATE_HZ // 10


def tone(seconds: float) -> Samples:
    return (0.3 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ)).astype(
        np.float32
    )


def quiet(seconds: float) -> Samples:
    return np.zeros(round(seconds * SAMPLE_RATE_HZ), np.float32)


def put(writer: AudioWriter, samples: Samples) -> None:
    for at in range(0, len(samples), CHUNK):
        writer.put(samples[at : at + CHUNK])


def read(path: Path, seconds: float = 0.0) -> Samples:
    return np.concatenate(list(audio_from(path, seconds)))


def first_sound(samples: Samples) -> float:
    """Return when it is no longer quiet, in seconds."""
    return float(np.argmax(np.abs(samples) > 0.05)) / SAMPLE_RATE_HZ


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audio" / audio_files.new_name()


def test_what_is_written_is_read_from_any_second_on(path: Path) -> None:
    failures: list[str] = []
    writer = AudioWriter(path, failures.append)
    put(writer, np.concatenate([quiet(3.0), tone(1.0), quiet(2.0), tone(1.0)]))
    writer.finish()
    writer.wait(PATIENCE)
    whole = read(path)
    assert len(whole) == pytest.approx(7 * SAMPLE_RATE_HZ, abs=0.05 * SAMPLE_RATE_HZ)
    assert first_sound(whole) == pytest.approx(3.0, abs=0.05)
    assert first_sound(read(path, 2.5)) == pytest.approx(0.5, abs=0.05)
    assert first_sound(read(path, 4.5)) == pytest.approx(1.5, abs=0.05)
    assert failures == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


_WRITTEN_UNTIL_KILLED = """
import sys
from pathlib import Path
from app.history.kept.audio_writer import AudioWriter
from tests.app.history.kept.test_audio_writer import put, tone
writer = AudioWriter(Path(sys.argv[1]), print)
put(writer, tone(10.0))
sys.stdin.read()
"""


def test_a_kill_leaves_all_but_the_last_moment(path: Path, qtbot: QtBot) -> None:
    child = subprocess.Popen([sys.executable, "-c", _WRITTEN_UNTIL_KILLED, str(path)], stdin=subprocess.PIPE)
    assert child.stdin is not None

    def is_there() -> bool:
        try:
            return len(read(path)) >= 9 * SAMPLE_RATE_HZ
        except (AudioError, ValueError):
            return False

    try:
        qtbot.waitUntil(is_there, timeout=120_000)
    finally:
        child.kill()
        child.wait()
        child.stdin.close()
    assert len(read(path)) >= 9 * SAMPLE_RATE_HZ
    assert first_sound(read(path, 8.0)) < 0.1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_ends_it_with_one_sentence(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audio_files, "create", lambda path: os.fdopen(os.open("/dev/full", os.O_WRONLY), "wb"))
    failures: list[str] = []
    writer = AudioWriter(path, failures.append)
    put(writer, tone(5.0))
    writer.wait(PATIENCE)
    put(writer, tone(1.0))
    writer.finish()
    assert failures == ["The disk is full: the sound of this session is kept no further. Captions go on."]


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    failures: list[str] = []
    writer = AudioWriter(tmp_path / "file" / "x.ogg", failures.append)
    writer.wait(PATIENCE)
    (told,) = failures
    assert told.endswith("Captions go on.") and "Errno" not in told and str(tmp_path) not in told


def test_a_disk_that_hangs_is_not_waited_for_and_times_stay_true(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = threading.Event()
    create = audio_files.create

    def create_late(path: Path) -> BinaryIO:
        goes_on.wait(PATIENCE)
        return create(path)

    monkeypatch.setattr(audio_files, "create", create_late)
    writer = AudioWriter(path, lambda _: None)
    put(writer, quiet(MOST_WAITING_SECONDS + 10.0))
    goes_on.set()
    while writer._waiting:
        goes_on.wait(0.01)
    put(writer, tone(1.0))
    writer.finish()
    writer.wait(PATIENCE)
    assert first_sound(read(path)) == pytest.approx(MOST_WAITING_SECONDS + 10.0, abs=0.05)


def test_a_file_that_is_no_sound_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.ogg").write_bytes(b"nothing" * 100)
    for name in ("x.ogg", "missing.ogg"):
        with pytest.raises(AudioError, match="gone or damaged"):
            read(tmp_path / name)


def test_only_files_of_the_folder_are_erased(tmp_path: Path) -> None:
    folder = tmp_path / "audio"
    folder.mkdir()
    for name in ("audio/a.ogg", "audio/b.ogg", "audio/c.ogg", "audio/new.ogg", "audio/notes.txt", "outside.ogg"):
        (tmp_path / name).write_bytes(b"12345")
        if "new" not in name:
            os.utime(tmp_path / name, (1e9, 1e9))
    assert audio_files.size_bytes(folder) == 20
    audio_files.erase(folder, ["a.ogg", "../outside.ogg", "notes.txt", "missing.ogg"])
    audio_files.erase_strays(folder, {"b.ogg"})
    assert sorted(each.name for each in folder.iterdir()) == ["b.ogg", "new.ogg", "notes.txt"]
    assert (tmp_path / "outside.ogg").exists()
    assert audio_files.size_bytes(tmp_path / "nowhere") == 0
