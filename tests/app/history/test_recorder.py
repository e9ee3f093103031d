"""The recorder of history: what is said is kept as it appears, if it is to be kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.captions.session import LiveSession
from app.history import archive as archive_module
from app.history.archive import Archive
from app.history.kept.schema import FILE_NAME
from app.history.store import HistoryStore
from app.preferences.preferences import HistoryOptions
from app.preferences.settings import Settings
from app.sound.audio_sources import AudioFile
from engine.options import CaptionOptions, TranslationOptions
from engine.process.messages import TranslationChoice
from engine.turns import Turn
from lab.recipes.speech.espeak import Speech
from tests.app.conftest import SHORT
from tests.app.history.recording_scene import Scene
from tests.app.made_captions import caption, split, translation
from tests.app.scripted_engine import scripted_client
from tests.app.scripted_hearing import say, write_wav

PATIENCE = 120_000  # milliseconds


def test_words_are_kept_with_the_moment_at_which_they_were_shown(scene: Scene) -> None:
    scene.recorder.begin_captions("Microphone", "starter", "")
    scene.now = 1.0
    scene.model.show(caption(1, "Good", pending="morning"))
    (kept,) = scene.kept
    assert [each.text for each in kept.captions] == ["Good"]
    assert kept.session is not None and kept.session.is_running
    scene.now = 2.0
    scene.model.show(caption(1, "Good morning.", revision=1, final=True))
    scene.recorder.end_captions()
    (kept,) = scene.kept
    assert [each.text for each in kept.captions] == ["Good morning."]
    assert kept.shown == {1: (1.0, 2.0)}
    assert kept.session is not None
    assert (kept.session.source, kept.session.model, kept.session.language) == ("Microphone", "starter", "en")
    assert not kept.session.is_running and not kept.session.crashed


def test_a_line_that_is_split_at_the_end_is_kept_as_two(scene: Scene) -> None:
    scene.recorder.begin_captions("Microphone", "starter", "")
    scene.now = 2.0
    whole = caption(1, "Any questions? Yes, two.", final=True)
    for each in (whole, caption(2, "Go on.", start=5.0, final=True), *split(whole, 2, 7)):
        scene.model.show(each)
    for number, name in ((1, "Anna"), (7, "Ben"), (2, "Anna")):
        scene.model.label(number, name, instead_of=("",))
    scene.recorder.end_captions()
    (kept,) = scene.kept
    said = [(each.id, each.speaker, each.text) for each in kept.captions]
    assert said == [(1, "Anna", "Any questions?"), (7, "Ben", "Yes, two."), (2, "Anna", "Go on.")]


def test_a_recording_in_which_nothing_is_said_leaves_nothing(scene: Scene) -> None:
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(1, "", pending="well"))
    scene.model.show(caption(1, "", revision=1))
    scene.recorder.end_captions()
    assert scene.kept == ()


def test_translations_are_kept_with_their_captions(scene: Scene) -> None:
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(1, "Good morning.", final=True))
    scene.model.translate(translation(1, "Guten", hidden="Morgen"))
    scene.model.translate(translation(1, "Guten Morgen.", revision=1, final=True))
    (kept,) = scene.kept
    assert [each.text for each in kept.translations] == ["Guten Morgen."]


def test_each_recording_is_a_session_whose_times_begin_with_it(scene: Scene) -> None:
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(1, "One two three.", final=True))
    scene.recorder.end_captions()
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(2, "Four.", start=2.5, final=True))
    scene.model.translate(translation(2, "Vier.", final=True))
    first, second = scene.kept
    assert [each.text for each in first.captions] == ["One two three."]
    assert [(each.id, each.text, each.start) for each in second.captions] == [(2, "Four.", 0.5)]
    assert [(each.id, each.text) for each in second.translations] == [(2, "Vier.")]


def test_nothing_is_kept_outside_of_a_recording(scene: Scene) -> None:
    scene.model.reset_to((caption(1, "From a file.", final=True),))
    scene.model.show(caption(2, "Not heard.", start=3.0, final=True))
    scene.recorder.keep_turn(Turn(1, 0, "Not asked?", "No."))
    assert scene.kept == ()


def test_nothing_is_kept_while_history_is_off(scene: Scene) -> None:
    scene.keep(HistoryOptions(keeps=False))
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(1, "Secret.", final=True))
    scene.model.translate(translation(1, "Geheim.", final=True))
    scene.recorder.begin_conversation("starter-assistant", "en")
    scene.recorder.keep_turn(Turn(1, 0, "Secret?", "Yes."))
    assert scene.kept == ()


def test_what_is_said_while_history_is_off_is_not_kept_later_either(scene: Scene) -> None:
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(1, "Kept.", final=True))
    scene.keep(HistoryOptions(keeps=False))
    scene.model.show(caption(2, "Secret", start=2.0))
    scene.keep(HistoryOptions())
    scene.model.show(caption(2, "Secret words.", start=2.0, revision=1, final=True))
    scene.model.translate(translation(2, "Geheim.", final=True))
    scene.model.show(caption(3, "Kept too.", start=4.0, final=True))
    (kept,) = scene.kept
    assert [each.text for each in kept.captions] == ["Kept.", "Kept too."]
    assert kept.translations == ()


@pytest.mark.parametrize("way", ["private", "settings"])
def test_what_is_not_to_be_kept_leaves_everything_before_it_as_it_was(scene: Scene, way: str) -> None:
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(1, "Good morning.", final=True))
    scene.recorder.keep_marks([(1, 0.0)])
    for kept in (False, True):
        scene.recorder.set_private(not kept) if way == "private" else scene.keep(HistoryOptions(keeps=kept))
        if not kept:
            scene.model.show(caption(2, "Secret.", start=2.0, final=True))
            scene.model.translate(translation(1, "Guten", hidden="Morgen."))
    scene.model.show(caption(3, "Bye.", start=4.0, final=True))
    scene.recorder.keep_marks([(1, 0.0), (2, 2.0), (3, 4.0)])
    scene.model.translate(translation(1, "Guten Morgen.", revision=1, final=True))
    scene.model.correct({1: "Good evening.", 2: "A secret."})
    (found,) = scene.kept
    assert [each.text for each in found.captions] == ["Good evening.", "Bye."]
    assert [each.text for each in found.translations] == ["Guten Morgen."]
    assert found.marks == (0.0, 4.0)


def test_a_mark_brings_no_session_back_that_was_erased(scene: Scene, archive: Archive) -> None:
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(1, "Good morning.", final=True))
    scene.recorder.end_captions()
    archive.write(HistoryStore.delete_all)
    scene.recorder.keep_marks([(1, 0.0)])
    assert scene.kept == ()


def test_turns_are_kept_and_replaced_by_their_newest_revision(scene: Scene) -> None:
    scene.recorder.begin_conversation("starter-assistant", "en")
    scene.recorder.keep_turn(Turn(1, 0, "", "", "nothing"))
    scene.recorder.keep_turn(Turn(2, 0, "What is it?", "A tree."))
    scene.recorder.keep_turn(Turn(2, 1, "What is it there?", "A tree.", "interrupted"))
    scene.recorder.end_conversation()
    (kept,) = scene.kept
    assert [(each.turn.prompt, each.turn.ended) for each in kept.turns] == [("What is it there?", "interrupted")]
    assert kept.session is not None and kept.session.kind == "conversation" and not kept.session.is_running


def test_old_sessions_go_as_soon_as_they_are_to_be_kept_for_less_long(scene: Scene, archive: Archive) -> None:
    def long_ago(store: HistoryStore) -> None:
        session = store.begin("captions", "Long ago", "", "", "", began=1_000.0)
        store.end(session, 1_010.0)

    archive.write(long_ago)
    assert len(scene.kept) == 1
    scene.keep(HistoryOptions(days=30))
    assert scene.kept == ()


def test_what_is_being_kept_is_over_when_the_app_ends(scene: Scene) -> None:
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(1, "Good", pending="morning"))
    scene.recorder.shut_down()
    (kept,) = scene.kept
    assert kept.session is not None and not kept.session.is_running


def test_a_history_set_aside_in_the_middle_goes_on_in_a_new_one(scene: Scene, archive: Archive) -> None:
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(1, "Before.", final=True))
    archive.write(lambda store: (store.end(1), store.delete_all()))
    scene.model.show(caption(2, "After.", start=3.0, final=True))
    (kept,) = scene.kept
    assert [each.text for each in kept.captions] == ["After."]


def test_a_recording_is_in_the_history_word_for_word(
    archive: Archive, settings: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    speech = say(SHORT)
    parent = QObject()
    client = scripted_client(speech)
    choice = TranslationChoice(TranslationOptions("de"), "scripted")
    session = LiveSession(client, "scripted", CaptionOptions(), parent, choice)
    scene = Scene(archive, settings, qtbot, parent)
    scene.recorder.follow(session.captions, lambda: session.clock_seconds)
    session.began.connect(lambda: scene.recorder.begin_captions("A file", session.model, ""))
    session.finished.connect(scene.recorder.end_captions)
    with qtbot.waitSignal(session.finished, timeout=PATIENCE):
        session.start(AudioFile(write_wav(tmp_path / "speech.wav", speech.samples), "A file"))
    (kept,) = scene.kept
    said = [(each.start, each.end, each.committed) for each in session.captions.final_captions()]
    assert [(each.start, each.end, each.committed) for each in kept.captions] == said
    assert [each.text for each in kept.translations] == [SHORT.upper()]
    assert all(delay is not None for each in kept.captions for delay in kept.delays_of(each))
    session.shut_down()
    parent.deleteLater()


_APP = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.sound.audio_sources import AudioFile
from app.history.archive import Archive
from app.history.recorder import HistoryRecorder
from app.captions.session import LiveSession
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from engine.options import CaptionOptions
from tests.app.scripted_engine import scripted_client
from tests.app.scripted_hearing import say

if __name__ == "__main__":
    qt = QCoreApplication([])
    folder = Path(sys.argv[1])
    session = LiveSession(scripted_client(say(sys.argv[3])), "scripted", CaptionOptions())
    archive = Archive(folder / "history.sqlite")
    recorder = HistoryRecorder(archive, Settings(PreferencesFile(folder)))
    recorder.follow(session.captions, lambda: session.clock_seconds)
    archive.start()
    before = 0

    def look():
        global before
        print(before, flush=True)  # what stood there before this change
        before = sum(len(each.committed) for each in session.captions.captions)

    session.captions.dataChanged.connect(look)
    session.captions.rowsInserted.connect(look)
    session.began.connect(lambda: recorder.begin_captions("A file", "scripted"))
    session.start(AudioFile(Path(sys.argv[2]), "A file"))
    qt.exec()
"""
LONG = "One two three four five six seven. Eight nine ten eleven twelve."
KILLED_AT_WORDS = 4


def test_a_kill_of_the_app_loses_no_word_that_was_on_the_screen(tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    script.write_text(_APP)
    speech: Speech = say(LONG)
    wav = write_wav(tmp_path / "speech.wav", speech.samples)
    environment = os.environ | {"PYTHONPATH": str(Path.cwd()), "QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "data"), str(wav), LONG],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as app:
        assert app.stdout is not None
        shown = 0
        while shown < KILLED_AT_WORDS:
            line = app.stdout.readline()
            assert line, "the app ended before it was killed"
            shown = int(line)
        os.kill(app.pid, signal.SIGKILL)
        app.wait()
    store = HistoryStore(tmp_path / "data" / FILE_NAME)
    (session,) = store.sessions()
    said = [word.text.strip() for each in store.captions(session.id) for word in each.committed]
    assert session.crashed and not session.is_running
    assert len(said) >= shown
    assert said == LONG.split()[: len(said)]
    store.close()


def test_a_session_is_over_once_it_ends_even_while_the_disk_is_full_and_is_whole_once_it_is_not(
    scene: Scene, archive: Archive, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_module, "RETRY_SECONDS", 0.05)
    told: list[str] = []
    archive.unsaved.connect(told.append)
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(1, "Before.", final=True))
    (before,) = scene.kept
    assert before.session is not None and before.session.is_running
    archive.write(lambda store: store._db.execute("PRAGMA max_page_count = 1"))
    for number in range(2, 61):
        scene.model.show(caption(number, "Many words " * 40, start=3.0 * number, final=True))
    scene.recorder.end_captions()
    (full,) = scene.kept
    assert told and "full" in told[0]
    assert len(full.captions) < 60
    assert full.session is not None and not full.session.is_running
    archive.ask(lambda store: store._db.execute("PRAGMA max_page_count = 1000000"), lambda _: None)
    qtbot.waitUntil(lambda: told[-1] == "")
    (whole,) = scene.kept
    assert [each.id for each in whole.captions] == list(range(1, 61))
    assert whole.session is not None and not whole.session.is_running


def test_what_is_still_on_the_screen_is_corrected_too(
    scene: Scene, archive: Archive, settings: Settings, qtbot: QtBot
) -> None:
    scene.model.show(caption(1, "From before", final=True))
    scene.recorder.begin_captions("Microphone", "starter", "en")
    scene.model.show(caption(2, "We meat at nine.", start=1.0, final=True))
    scene.model.show(caption(3, "Bring cake.", start=5.0, final=True))
    scene.recorder.end_captions()
    (kept,) = scene.kept
    assert kept.session is not None
    archive.write(lambda store: store.correct(kept.session.id, kept.captions[0].id, "We meet at nine."))
    scene.recorder.show_corrected(kept.session.id)
    qtbot.waitUntil(lambda: scene.model.caption_at(1).text == "We meet at nine.")
    assert [each.text for each in scene.model.captions] == ["From before", "We meet at nine.", "Bring cake."]
    assert scene.model.caption_at(1).start == 1.0
    scene.model.clear()
    scene.recorder.show_corrected(kept.session.id)
    assert scene.kept and scene.model.captions == ()


def test_nothing_on_the_screen_changes_for_another_session(scene: Scene, archive: Archive) -> None:
    for said in ("Good mourning.", "Good evening."):
        scene.model.clear()
        scene.recorder.begin_captions("Microphone", "starter", "en")
        scene.model.show(caption(1, said, final=True))
        scene.recorder.end_captions()
    first = scene.kept[0]
    assert first.session is not None
    archive.write(lambda store: store.correct(first.session.id, 1, "Good morning."))
    scene.recorder.show_corrected(first.session.id)
    assert scene.kept[0].captions[0].text == "Good morning."
    assert [each.text for each in scene.model.captions] == ["Good evening."]
