"""The transcription of a recording: its time left, its files and its session."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.history.kept.schema import FILE_NAME
from app.history.records import Transcript
from app.history.store import HistoryStore
from app.transcription.job import Job, Stage, export, free_place, keep
from tests.app.made_captions import caption, translation

SAID = Transcript(
    captions=(caption(0, "Good morning.", final=True), caption(1, "Bye.", start=4.0, final=True)),
    translations=(translation(1, "Tschüs.", final=True),),
    audio_seconds=6.5,
)


def test_the_time_left_is_told_once_it_can_be_known() -> None:
    job = Job(1, Path("talk.mp3"), stage=Stage.HEARING, done_seconds=30, total_seconds=90, spent_seconds=1.0)
    assert job.seconds_left is None
    job = Job(1, Path("talk.mp3"), stage=Stage.HEARING, done_seconds=30, total_seconds=90, spent_seconds=10.0)
    assert job.seconds_left == pytest.approx(20.0)
    assert job.share == pytest.approx(1 / 3)
    assert Job(2, Path("talk.mp3")).share == 0.0


def test_what_was_heard_is_kept_and_exported(tmp_path: Path) -> None:
    job = Job(1, tmp_path / "talk.mp3", ".srt")
    store = HistoryStore(tmp_path / "history" / FILE_NAME)
    kept = store.transcript(keep(store, job, SAID, "starter", 1_700_000_000.0))
    store.close()
    assert kept.session is not None
    assert (kept.session.source, kept.session.is_running, kept.session.target) == ("talk.mp3", False, "de")
    assert [each.text for each in kept.captions] == ["Good morning.", "Bye."]
    (tmp_path / "talk.srt").write_text("somebody's own")
    done = export(job, SAID)
    assert done.written == (tmp_path / "talk-2.srt",)
    assert "Good morning." in done.written[0].read_text()
    assert (tmp_path / "talk.srt").read_text() == "somebody's own"


def test_a_recording_that_is_written_down_again_is_named_as_before_and_found_again(tmp_path: Path) -> None:
    store = HistoryStore(tmp_path / "history" / FILE_NAME)
    session = store.session(keep(store, Job(1, tmp_path / "talk.mp3", name="Budget"), SAID, "starter", 0.0))
    store.close()
    assert session is not None
    assert (session.name, session.source, session.recording) == ("Budget", "talk.mp3", str(tmp_path / "talk.mp3"))


def test_sound_that_was_erased_meanwhile_is_not_led_to(tmp_path: Path) -> None:
    store = HistoryStore(tmp_path / "history" / FILE_NAME)
    store.end(store.begin("captions", "Another", "Headset", "starter", "en"))
    session = store.session(keep(store, Job(1, store.audio_folder / "gone.ogg", name="Budget"), SAID, "starter", 0.0))
    store.close()
    assert session is not None
    assert (session.source, session.recording, session.audio) == ("", "", "")


def test_a_recording_in_which_nothing_was_said_leaves_no_session(tmp_path: Path) -> None:
    store = HistoryStore(tmp_path / "history" / FILE_NAME)
    assert keep(store, Job(1, tmp_path / "a.wav"), Transcript(), "starter", 0.0) == 0
    assert store.sessions() == ()
    store.close()


def test_only_the_ending_of_a_name_is_another(tmp_path: Path) -> None:
    assert free_place(tmp_path / "a.b.mp3", ".txt") == tmp_path / "a.b.txt"


def test_of_a_recording_without_speech_no_empty_file_is_written(tmp_path: Path) -> None:
    job = export(Job(1, tmp_path / "silence.wav", ".srt"), Transcript(audio_seconds=30.0))
    assert job.written == () and list(tmp_path.iterdir()) == []
