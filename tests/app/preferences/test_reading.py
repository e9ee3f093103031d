"""Preferences that are read back; a bad value costs itself alone."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.preferences.paths import value_at, with_value
from app.preferences.preferences import Behaviour, HistoryOptions, OverlayOptions, OverlayPosition, Preferences
from app.preferences.preferences_file import PreferencesFile, export_preferences, import_preferences
from app.preferences.reading import read_preferences, written
from engine.errors import EngineError, OptionError
from engine.options import TranslationOptions

CHOSEN = Preferences(
    True,
    TranslationOptions("fr", bias=0.35, glossary=(("mask", "Maske"),)),
    overlay=OverlayOptions(lines=3, places=(OverlayPosition("left", -5, 0, 400, 90),)),
)


def test_everything_that_is_written_is_read_back() -> None:
    reading = read_preferences(written(CHOSEN))
    assert reading.preferences == CHOSEN
    assert reading.ignored == ()


@pytest.mark.parametrize(
    ("path", "bad"),
    [
        ("overlay.points", 4000),
        ("overlay.text", "white"),
        ("overlay.lines", "two"),
        ("overlay.places", [{"screen": "left"}]),
        ("appearance.look", "sepia"),
        ("captions.step_seconds", -1),
        ("captions.decode.beam_size", 2.5),
        ("assistant.turns.silence_seconds", 0.05),
        ("translation.glossary", [["one"]]),
        ("threads.cpu_threads", 0),
        ("history", []),
        ("sound.input", 7),
    ],
)
def test_a_bad_value_costs_itself_alone_and_is_named(path: str, bad: object) -> None:
    chosen = replace(CHOSEN, behaviour=Behaviour(hotkey="Ctrl+Alt+E"))
    content = json.loads(written(chosen))
    place = content
    *parents, last = path.split(".")
    for name in parents:
        place = place[name]
    place[last] = bad
    reading = read_preferences(json.dumps(content))
    assert reading.preferences == with_value(chosen, path, value_at(Preferences(), path))
    (sentence,) = reading.ignored
    assert sentence.startswith(f"The setting {path} was ignored: ")
    assert sentence.endswith(".")


def test_what_an_older_version_did_not_know_has_the_value_that_is_usual_there() -> None:
    reading = read_preferences('{"captions": {"step_seconds": 0.5, "decode": {"beam_size": 5}}}')
    usual = Preferences().captions
    assert reading.preferences.captions == replace(usual, step_seconds=0.5, decode=replace(usual.decode, beam_size=5))


def test_a_name_that_is_unknown_is_told_and_left_out() -> None:
    decode = {"beam_size": 5, "patience": 2.0, "length_penalty": None}
    content = {
        "captions": {"decode": decode, "trimming": "sentence"},
        "assistant": {"answer": {"top_k": 4}, "turns": {"barge_in": False}},
        "colours": {},
    }
    reading = read_preferences(json.dumps(content))
    unknown = ("colours", "captions.trimming", "captions.decode.patience", "captions.decode.length_penalty")
    assert reading.ignored == tuple(f"The setting {name} was ignored: there is none of that name." for name in unknown)
    assert reading.preferences.captions.decode.beam_size == 5
    assert reading.preferences.assistant.answer.top_k == 4
    assert not reading.preferences.assistant.turns.barge_in


def test_what_was_left_to_the_model_once_is_as_is_usual() -> None:
    reading = read_preferences('{"captions": {"decode": {"acceptance": null, "beam_size": 5}}}')
    assert reading.preferences.captions.decode == replace(Preferences().captions.decode, beam_size=5)
    assert reading.ignored == ()


def test_values_that_contradict_each_other_leave_those_that_agree() -> None:
    turns = {"silence_seconds": 2.0, "sure_silence_seconds": 3.0, "doubtful_silence_seconds": 1.0, "barge_in": False}
    reading = read_preferences(json.dumps({"assistant": {"turns": turns}}))
    assert reading.preferences.assistant.turns.barge_in is False
    assert len(reading.ignored) >= 1


@pytest.mark.parametrize("text", ["", "[]", "null", "3", '{"colour": "red"}', "{", "[" * 100_000, '"' * 9])
def test_a_text_with_no_settings_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):
        read_preferences(text)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(sorted(json.loads(written(CHOSEN)))), _JSON)
def test_whatever_stands_there_the_rest_is_read(name: str, value: object) -> None:
    content = {**json.loads(written(CHOSEN)), name: value}
    preferences = read_preferences(json.dumps(content)).preferences
    for other in content:
        if other != name:
            assert value_at(preferences, other) == value_at(CHOSEN, other)


def test_a_value_out_of_range_is_refused_where_it_is_changed() -> None:
    with pytest.raises(OptionError, match="overlay lines must be between 1 and 8"):
        with_value(CHOSEN, "overlay.lines", 99)
    with pytest.raises(AttributeError):
        value_at(CHOSEN, "overlay.colour")


def test_a_damaged_file_is_put_aside_and_said(tmp_path: Path) -> None:
    file = PreferencesFile(tmp_path)
    file.path.write_text("{ damaged")
    with pytest.raises(EngineError, match=r"is now in .*preferences\.damaged\.json"):
        file.load()
    file.save(CHOSEN)
    assert (tmp_path / "preferences.damaged.json").read_text() == "{ damaged"
    assert file.load() == CHOSEN


def test_only_the_owner_may_read_the_settings(tmp_path: Path) -> None:
    file = PreferencesFile(tmp_path / "data")
    file.save(CHOSEN)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700


def test_an_export_comes_back_without_what_belongs_to_this_machine(tmp_path: Path) -> None:
    there = replace(CHOSEN, history=HistoryOptions(keeps=False, days=3), behaviour=Behaviour(welcomed=True, tray=True))
    here = Preferences(
        history=HistoryOptions(days=30), overlay=OverlayOptions(places=(OverlayPosition("right", 1, 2, 3, 4),))
    )
    export_preferences(there, tmp_path / "mine.json")
    taken = import_preferences(tmp_path / "mine.json", here).preferences
    assert taken.translation == CHOSEN.translation
    assert taken.behaviour == Behaviour(welcomed=False, tray=True)
    assert taken.history == here.history  # nothing is deleted sooner because a file says so
    assert taken.overlay == replace(CHOSEN.overlay, places=here.overlay.places)


def test_a_file_that_is_no_export_changes_nothing_and_says_so(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"colour": "red"}')
    with pytest.raises(EngineError, match="holds no settings that Earshot has exported"):
        import_preferences(other, CHOSEN)
    other.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(EngineError, match="holds no settings"):
        import_preferences(other, CHOSEN)
    with pytest.raises(EngineError, match="cannot be read: No such file"):
        import_preferences(tmp_path / "none.json", CHOSEN)


def test_an_export_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    target.mkdir()
    with pytest.raises(EngineError, match="cannot be exported"):
        export_preferences(CHOSEN, target)
    assert list(tmp_path.iterdir()) == [target]
