"""Preferences in their file: what was chosen comes back, and nothing else does."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from app.preferences.preferences import Preferences
from app.preferences.preferences_file import PreferencesFile
from engine.errors import EngineError
from engine.options import TranslationOptions

CHOSEN = Preferences(True, TranslationOptions("fr", bias=0.35, mask=0, stable=True))


def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    PreferencesFile(tmp_path / "new").save(CHOSEN)
    assert PreferencesFile(tmp_path / "new").load() == CHOSEN


def test_without_a_file_translation_is_off(tmp_path: Path) -> None:
    assert PreferencesFile(tmp_path).load() == Preferences()
    assert Preferences().translation_choice is None


def test_translation_that_is_off_remembers_how_it_was(tmp_path: Path) -> None:
    off = Preferences(False, CHOSEN.translation)
    PreferencesFile(tmp_path).save(off)
    assert PreferencesFile(tmp_path).load() == off
    assert off.translation_choice is None


def test_settings_of_another_version_are_read_as_far_as_they_are_known(tmp_path: Path) -> None:
    file = PreferencesFile(tmp_path)
    file.path.write_text(json.dumps({"translates": True, "translation": {"target": "es", "colour": "red"}, "new": 1}))
    assert file.load() == Preferences(True, TranslationOptions("es"))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"colour": "red"}'])
def test_a_damaged_file_is_a_sentence_that_names_it(tmp_path: Path, text: str) -> None:
    file = PreferencesFile(tmp_path)
    file.path.write_text(text)
    with pytest.raises(EngineError, match=r"preferences\.json cannot be read; the usual ones are used"):
        file.load()


def test_a_file_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder would be")
    with pytest.raises(EngineError, match="settings cannot be saved in"):
        PreferencesFile(tmp_path / "data").save(CHOSEN)


def test_case_settings_on_a_full_disk_are_told_in_the_windows_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = PreferencesFile(tmp_path)
    file.save(CHOSEN)

    def full(source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(EngineError, match=r"cannot be saved in .*preferences\.json: the disk is full\.$"):
        file.save(replace(CHOSEN, translates=not CHOSEN.translates))
    assert file.load() == CHOSEN
