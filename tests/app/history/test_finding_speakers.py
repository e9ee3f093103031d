"""Speakers of a kept session, found in its sound by a real engine process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.history.archive import Archive
from app.history.changes import Changes
from app.history.finding_speakers import SpeakersOfTranscript
from app.history.records import Transcript
from app.history.store import HistoryStore
from engine.audio import Samples
from engine.events import Caption, KnownVoice, Word
from engine.speakers.diarization import Diarizer
from tests.app.history.history_pages import MakePage, Told, show
from tests.app.made_captions import caption, translation
from tests.app.scripted_hearing import write_wav
from tests.people_clips import people_clips
from tests.speakers.two_people import conversation

PATIENCE = 240_000


@pytest.fixture
def changes(archive: Archive, qtbot: QtBot) -> Changes:
    return Changes(archive)


@pytest.fixture
def bar(changes: Changes, qtbot: QtBot) -> Iterator[SpeakersOfTranscript]:
    made = SpeakersOfTranscript(changes)
    qtbot.addWidget(made)
    yield made
    made.stop()


def kept(archive: Archive, qtbot: QtBot, starts: list[float], named: str = "") -> Transcript:
    """Keep a session with a line at each of these seconds, the first of them by somebody who is `named`."""

    def write(store: HistoryStore) -> None:
        session = store.begin("captions", "", "Microphone", "starter", "en", 1_700_000_000.0)
        for number, start in enumerate(starts, 1):
            said = caption(number, f"Line {number}.", start=start, final=True)
            store.put_caption(session, replace(said, speaker=named if number == 1 else ""))
        store.end(session, 1_700_000_100.0)

    archive.write(write)
    return read(archive, qtbot)


def read(archive: Archive, qtbot: QtBot) -> Transcript:
    found: list[Transcript] = []
    archive.ask(lambda store: store.transcript(store.sessions()[0].id), found.append)
    qtbot.waitUntil(lambda: bool(found), timeout=PATIENCE)
    return found[0]


def names(transcript: Transcript) -> list[str]:
    return [each.speaker for each in transcript.captions]


def sound(tmp_path: Path, samples: Samples) -> Path:
    return write_wav(tmp_path / "talk.wav", samples)


def test_lines_are_named_by_who_says_them_and_it_can_be_undone(
    archive: Archive, changes: Changes, bar: SpeakersOfTranscript, tmp_path: Path, qtbot: QtBot
) -> None:
    samples, spoken = conversation()
    transcript = kept(archive, qtbot, [start + 0.5 for start, _, _ in spoken])
    with qtbot.waitSignal(changes.made, timeout=PATIENCE) as told:
        bar.begin(transcript, sound(tmp_path, samples))
        assert not bar.isHidden() and bar.is_busy
    assert told.args == ["2 speakers were found."]
    assert bar.isHidden() and not bar.is_busy
    assert names(read(archive, qtbot)) == ["Speaker 1", "Speaker 2", "Speaker 1", "Speaker 2"]
    changes.undo()
    assert names(read(archive, qtbot)) == [""] * 4


def test_a_line_is_split_where_another_speaker_begins_and_undone_whole(
    archive: Archive, changes: Changes, bar: SpeakersOfTranscript, tmp_path: Path, qtbot: QtBot
) -> None:
    samples, spoken = conversation()
    said = [Word(f" {word}", round(at, 1), round(at + 0.3, 1)) for word, at in turns_in_words(spoken[:2])]
    line = Caption(1, 0, said[0].start, said[-1].end, tuple(said), (), True, said[-1].end, said[-1].end)
    keep(archive, line)
    before = read(archive, qtbot)
    with qtbot.waitSignal(changes.made, timeout=PATIENCE):
        bar.begin(before, sound(tmp_path, samples))
    split = read(archive, qtbot)
    assert [(each.speaker, each.text) for each in split.captions] == [("Speaker 1", "a a a"), ("Speaker 2", "b b b")]
    assert split.captions[1].start == before.captions[0].committed[3].start
    assert [store_hits(archive, qtbot, word) for word in ("a", "b")] == [1, 1]
    changes.undo()
    after = read(archive, qtbot)
    assert (after.captions, after.shown) == (before.captions, before.shown)
    assert [store_hits(archive, qtbot, word) for word in ("a", "b")] == [1, 1]


@pytest.mark.parametrize("kept_whole", ["corrected", "translated"])
def test_a_line_that_is_corrected_or_translated_stays_whole(
    archive: Archive, changes: Changes, bar: SpeakersOfTranscript, tmp_path: Path, qtbot: QtBot, kept_whole: str
) -> None:
    samples, spoken = conversation()
    said = [Word(f" {word}", round(at, 1), round(at + 0.3, 1)) for word, at in turns_in_words(spoken[:2])][:5]
    line = Caption(1, 0, said[0].start, said[-1].end, tuple(said), (), True, said[-1].end, said[-1].end)

    keep(archive, line)
    if kept_whole == "corrected":
        archive.write(lambda store: store.correct(1, 1, "a a a b c"))
    else:
        archive.write(lambda store: store.put_translation(1, translation(1, "eins", final=True)))
    with qtbot.waitSignal(changes.made, timeout=PATIENCE):
        bar.begin(read(archive, qtbot), sound(tmp_path, samples))
    assert names(read(archive, qtbot)) == ["Speaker 1"]


def turns_in_words(spoken: list[tuple[float, float, int]]) -> list[tuple[str, float]]:
    """Return three words in the midst of each turn, with their times."""
    middles = [round((start + end) / 2, 1) for start, end, _ in spoken]
    return [("ab"[at], middle + 0.4 * (word - 1)) for at, middle in enumerate(middles) for word in range(3)]


def keep(archive: Archive, line: Caption) -> None:
    """Keep a session of one line, which is over."""

    def write(store: HistoryStore) -> None:
        session = store.begin("captions", "", "Microphone", "starter", "en")
        store.put_caption(session, line, 30.0)
        store.end(session)

    archive.write(write)


def store_hits(archive: Archive, qtbot: QtBot, word: str) -> int:
    """Return how many lines of the newest session a search finds."""
    found: list[int] = []
    archive.ask(lambda store: store.sessions(word)[0].hits, found.append)
    qtbot.waitUntil(lambda: bool(found), timeout=PATIENCE)
    return found[0]


def test_a_line_that_has_a_speaker_keeps_it(
    archive: Archive, changes: Changes, bar: SpeakersOfTranscript, tmp_path: Path, qtbot: QtBot
) -> None:
    samples, spoken = conversation()
    transcript = kept(archive, qtbot, [start + 0.5 for start, _, _ in spoken], named="Anna")
    with qtbot.waitSignal(changes.made, timeout=PATIENCE):
        bar.begin(transcript, sound(tmp_path, samples))
    assert names(read(archive, qtbot)) == ["Anna", "Speaker 2", "Speaker 1", "Speaker 2"]


def test_a_speaker_who_is_two_people_is_split_by_voice_and_one_again(
    archive: Archive, changes: Changes, bar: SpeakersOfTranscript, tmp_path: Path, qtbot: QtBot
) -> None:
    samples, spoken = conversation()
    transcript = kept(archive, qtbot, [start + 0.5 for start, _, _ in spoken], named="Speaker 2")
    archive.write(lambda store: store.name_speakers(1, {2: "Anna", 3: "Anna", 4: "Anna"}))
    transcript = read(archive, qtbot)
    with qtbot.waitSignal(changes.made, timeout=PATIENCE) as told:
        bar.begin(transcript, sound(tmp_path, samples), "Anna")
    assert told.args == ["“Anna” was split by voice."]
    assert names(read(archive, qtbot)) == ["Speaker 2", "Anna", "Speaker 1", "Anna"]
    changes.undo()
    assert names(read(archive, qtbot)) == ["Speaker 2", "Anna", "Anna", "Anna"]


def test_a_speaker_with_one_line_of_one_voice_is_not_split(
    archive: Archive, bar: SpeakersOfTranscript, tmp_path: Path, qtbot: QtBot
) -> None:
    samples, spoken = conversation()
    transcript = kept(archive, qtbot, [spoken[0][0] + 0.5], named="Anna")
    with qtbot.waitSignal(bar.finished, timeout=PATIENCE) as said:
        bar.begin(transcript, sound(tmp_path, samples), "Anna")
    assert said.args == ["Only one voice is heard in the lines of “Anna”."]
    assert names(read(archive, qtbot)) == ["Anna"]


def test_one_person_alone_is_said_and_not_named(
    archive: Archive, bar: SpeakersOfTranscript, tmp_path: Path, qtbot: QtBot
) -> None:
    transcript = kept(archive, qtbot, [0.5])
    with qtbot.waitSignal(bar.finished, timeout=PATIENCE) as told:
        bar.begin(transcript, sound(tmp_path, people_clips()[0].samples))
    assert told.args == ["Only one person speaks in this session."]
    assert names(read(archive, qtbot)) == [""]


def test_a_remembered_voice_has_its_name(
    archive: Archive, changes: Changes, bar: SpeakersOfTranscript, tmp_path: Path, qtbot: QtBot
) -> None:
    alone = people_clips()[0].samples
    (voice,) = Diarizer()([alone]).voices
    bar.known_voices = lambda: (KnownVoice("Anna", voice.tobytes()),)
    with qtbot.waitSignal(changes.made, timeout=PATIENCE) as told:
        bar.begin(kept(archive, qtbot, [0.5]), sound(tmp_path, alone))
    assert told.args == ["Only “Anna” speaks in this session."]
    assert names(read(archive, qtbot)) == ["Anna"]


def test_sound_that_cannot_be_read_is_a_sentence(
    archive: Archive, bar: SpeakersOfTranscript, tmp_path: Path, qtbot: QtBot
) -> None:
    transcript = kept(archive, qtbot, [0.5])
    (tmp_path / "talk.wav").write_text("This is no audio.")
    with qtbot.waitSignal(bar.failed, timeout=PATIENCE) as told:
        bar.begin(transcript, tmp_path / "talk.wav")
    assert told.args is not None and told.args[0].startswith("The speakers were not found: ")


def test_a_search_that_is_cancelled_names_nobody(
    archive: Archive, bar: SpeakersOfTranscript, tmp_path: Path, qtbot: QtBot
) -> None:
    transcript = kept(archive, qtbot, [0.5])
    bar.begin(transcript, sound(tmp_path, conversation()[0]))
    bar.cancel.click()
    assert bar.isHidden() and not bar.is_busy
    assert names(read(archive, qtbot)) == [""]


def test_a_speaker_is_split_by_the_menu_of_a_line_merged_and_all_is_taken_back(
    archive: Archive, make_page: MakePage, tmp_path: Path, qtbot: QtBot
) -> None:
    samples, spoken = conversation()
    recording = sound(tmp_path, samples)

    def write(store: HistoryStore) -> None:
        session = store.begin("captions", "Talk", "File", "starter", "en", 1_700_000_000.0, str(recording))
        for number, (start, _, _) in enumerate(spoken, 1):
            said = caption(number, f"Line {number}.", start=start + 0.5, final=True)
            store.put_caption(session, replace(said, speaker="Anna"))
        store.end(session)

    archive.write(write)
    page = make_page()
    told = Told(page)
    show(page, qtbot, "Talk")
    split = page.commands.split_speaker
    assert split in page.corrections.menu(0).actions()
    assert split.isEnabled() and split.text() == "Split “Anna” by &voice"

    def wait_for(*speakers: str) -> None:
        qtbot.waitUntil(lambda: names(page.corrections._transcript) == list(speakers), timeout=PATIENCE)

    split.trigger()
    assert not page.speakers.isHidden() and not split.isEnabled()
    wait_for("Anna", "Speaker 1", "Anna", "Speaker 1")
    assert told.texts == ["“Anna” was split by voice."] and split.isEnabled()
    dialog = page.corrections.ask_for_speaker(1)
    assert dialog.everywhere.isChecked(), "a number is meant everywhere"
    dialog.everywhere.setChecked(False)
    dialog.name.setCurrentText("Ben")  # this line only
    dialog.save.click()
    wait_for("Anna", "Ben", "Anna", "Speaker 1")
    dialog = page.corrections.ask_for_speaker(3)
    dialog.name.setCurrentText("Anna")  # merged
    dialog.save.click()
    wait_for("Anna", "Ben", "Anna", "Anna")
    page.commands.undo.trigger()
    page.commands.undo.trigger()
    wait_for("Anna", "Speaker 1", "Anna", "Speaker 1")
    page.commands.undo.trigger()
    wait_for("Anna", "Anna", "Anna", "Anna")


def test_nobody_in_particular_and_a_session_without_sound_are_not_split(
    archive: Archive, make_page: MakePage, qtbot: QtBot
) -> None:
    kept(archive, qtbot, [0.5, 3.0], named="Anna")
    page = make_page()
    qtbot.waitUntil(lambda: page.transcript is not None and page.pane.view.is_complete)
    split = page.commands.split_speaker
    assert split in page.corrections.menu(0).actions() and not split.isEnabled()
    assert split not in page.corrections.menu(1).actions()
