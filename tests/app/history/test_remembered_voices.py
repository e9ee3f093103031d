"""Voices that are remembered if that is wanted: listed, deletable, readable by their owner alone."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.history.remembered_voices import FILE_NAME, MOST_VOICES, RememberedVoices
from app.preferences.paths import with_value
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from engine.events import KnownVoice

VOICE, OTHER = bytes(4 * 192), b"\x01" * (4 * 192)


@pytest.fixture
def settings(qapp: QApplication, tmp_path: Path) -> Iterator[Settings]:
    made = Settings(PreferencesFile(tmp_path))
    yield made
    made.settle()


@pytest.fixture
def voices(settings: Settings, tmp_path: Path) -> RememberedVoices:
    return RememberedVoices(tmp_path / "history", settings)


def want(settings: Settings, wanted: bool = True) -> None:
    settings.alter(lambda now: with_value(now, "history.voices", wanted))


def test_no_voice_is_kept_unless_it_is_wanted(voices: RememberedVoices, tmp_path: Path) -> None:
    voices.remember("Anna", VOICE)
    assert voices.names == () and voices.known() == ()
    assert not (tmp_path / "history").exists()


def test_a_named_voice_is_known_later_and_its_file_is_its_owner_s_alone(
    voices: RememberedVoices, settings: Settings, tmp_path: Path
) -> None:
    want(settings)
    voices.remember("Anna", VOICE)
    voices.remember("Ben", VOICE)
    voices.remember("Anna", OTHER)
    again = RememberedVoices(tmp_path / "history", settings)
    assert again.known() == (KnownVoice("Ben", VOICE), KnownVoice("Anna", OTHER))
    assert stat.S_IMODE((tmp_path / "history" / FILE_NAME).stat().st_mode) == 0o600
    assert not list((tmp_path / "history").glob("*.part"))


def test_voices_are_forgotten_one_by_one_or_with_the_setting(
    voices: RememberedVoices, settings: Settings, tmp_path: Path
) -> None:
    want(settings)
    for name in ("Anna", "Ben"):
        voices.remember(name, VOICE)
    voices.forget("Anna")
    assert voices.names == ("Ben",)
    want(settings, False)
    assert voices.names == () and not (tmp_path / "history" / FILE_NAME).exists()


def test_a_private_session_leaves_no_voice(voices: RememberedVoices, settings: Settings) -> None:
    want(settings)
    voices.set_private(True)
    voices.remember("Anna", VOICE)
    assert voices.names == ()
    voices.set_private(False)
    voices.remember("Anna", VOICE)
    assert voices.names == ("Anna",)


def test_where_voices_cannot_be_written_or_erased_that_is_told_and_they_stay(
    voices: RememberedVoices, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    voices.failed.connect(told.append)
    want(settings)
    voices.remember("Anna", VOICE)
    with monkeypatch.context() as full:
        full.setattr(os, "replace", refusing(errno.ENOSPC))
        voices.remember("Ben", VOICE)
    assert told == [f"The voices in {tmp_path / 'history' / FILE_NAME} are still those of before: the disk is full."]
    assert voices.names == ("Anna",)
    assert not list((tmp_path / "history").glob("*.part"))
    monkeypatch.setattr(Path, "unlink", refusing(errno.EACCES))
    want(settings, False)
    assert told[1].endswith("permission denied.")


def refusing(reason: int) -> Callable[..., None]:
    """Return a function of a file system that fails."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(reason, os.strerror(reason))

    return fail


@pytest.mark.parametrize("content", ["", "[]", '{"Anna": 3}', '{"Anna": "no base64!"}', '{"Anna": "AAAA"}', "\x00\xff"])
def test_a_damaged_file_has_no_voices_and_can_be_written_again(
    voices: RememberedVoices, settings: Settings, tmp_path: Path, content: str
) -> None:
    want(settings)
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / FILE_NAME).write_bytes(content.encode("latin-1"))
    assert voices.known() == ()
    voices.remember("Anna", b"too short")
    voices.remember("Ben", VOICE)
    assert voices.names == ("Ben",)


def test_the_oldest_voice_gives_way(voices: RememberedVoices, settings: Settings) -> None:
    want(settings)
    for number in range(MOST_VOICES + 1):
        voices.remember(f"Person {number}", VOICE)
    assert len(voices.names) == MOST_VOICES and "Person 0" not in voices.names
