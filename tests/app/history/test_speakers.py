"""Speakers in the history: kept, searched, named by hand, taken back, and in every export."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

from app.history.export.exporting import ExportChoice, rendered
from app.history.records import Transcript
from app.history.search import terms_of
from app.history.store import HistoryStore
from app.history.transcript.transcript_lines import lines_of
from engine.events import Caption
from tests.app.history.recording_scene import Scene
from tests.app.made_captions import caption, translation


def by(speaker: str, made: Caption) -> Caption:
    return replace(made, speaker=speaker)


CALL = (
    by("You", caption(1, "Shall we begin?", final=True)),
    by("Call", caption(2, "Yes, let us talk about the budget & more.", start=1.0, final=True)),
    by("", caption(3, "Somebody laughs.", start=6.0, final=True)),
)
TALK = Transcript(captions=CALL, translations=(translation(2, "Ja, reden wir über den Haushalt.", final=True),))


def export(ending: str, *, times: bool = False) -> str:
    return rendered(TALK, ExportChoice(ending, times=times))


# --- exports ---


def test_text_and_markdown_begin_each_line_with_its_speaker() -> None:
    assert export(".txt").splitlines()[:1] == ["You: Shall we begin?"]
    assert "Call: Yes, let us talk about the budget & more.\n> Ja, reden wir über den Haushalt." in export(".txt")
    assert export(".txt").splitlines()[-1] == "Somebody laughs."
    assert export(".txt", times=True).startswith("[0:00:00] You: Shall")
    assert export(".md").startswith("**You:** Shall we begin?")
    assert export(".docx").startswith("You: Shall we begin?")


def test_subtitles_name_speakers_as_their_formats_do() -> None:
    assert "\nYou: Shall we begin?\n" in export(".srt")
    assert "\n<v You>Shall we begin?\n" in export(".vtt")
    assert "<v Call>" in export(".vtt")
    assert "Call:" not in export(".vtt")
    odd = replace(TALK, captions=(by("A<b> & c", CALL[0]),), translations=())
    assert "<v A&lt;b&gt; &amp; c>Shall" in rendered(odd, ExportChoice(".vtt"))


def test_turns_are_exported_for_programs_that_count_them() -> None:
    first = CALL[0]
    assert export(".rttm").splitlines()[0] == (
        f"SPEAKER recording 1 {first.start:.3f} {first.end - first.start:.3f} <NA> <NA> You <NA> <NA>"
    )
    assert [line.split()[7] for line in export(".rttm").splitlines()] == ["You", "Call", "unknown"]


def test_tables_and_json_have_speakers_only_where_somebody_is_named() -> None:
    rows = list(csv.reader(io.StringIO(export(".csv").removeprefix("\ufeff"))))
    assert rows[0] == ["start", "end", "speaker", "text", "translation"]
    assert [row[2] for row in rows[1:]] == ["You", "Call", ""]
    records = json.loads(export(".json"))["captions"]
    assert [each.get("speaker") for each in records] == ["You", "Call", None]
    nobody = Transcript(captions=(CALL[2],))
    assert "speaker" not in rendered(nobody, ExportChoice(".csv"))


def test_subtitles_of_two_who_speak_at_once_stand_together_for_that_time() -> None:
    long = by("You", caption(1, "one two three four five six seven eight nine ten", final=True))
    short = by("Call", caption(2, "Yes", start=1.0, final=True))
    text = rendered(Transcript(captions=(long, short)), ExportChoice(".srt"))
    times = [line.split(" --> ") for line in text.splitlines() if "-->" in line]
    assert times[0][0] < times[1][0] < times[0][1], "the long one is not cut off"
    assert times[0][1] == "00:00:04,000"


# --- what is kept ---


def kept_call(store: HistoryStore) -> int:
    session = store.begin("captions", "", "Microphone and computer", "starter", "en", 1000.0)
    for each in CALL:
        store.put_caption(session, each)
    store.end(session, 1010.0)
    return session


def test_speakers_are_kept_and_given_back(store: HistoryStore) -> None:
    session = kept_call(store)
    assert [each.speaker for each in store.captions(session)] == ["You", "Call", ""]
    lines = lines_of(store.transcript(session))
    assert [line.text[: line.named] for line in lines] == ["You: ", "Call: ", ""]
    assert lines[0].words[-1].end == len(lines[0].text)


def test_lines_are_found_by_who_said_them(store: HistoryStore) -> None:
    session = kept_call(store)
    store.name_speakers(session, {2: "Anna Schmidt"})
    (found,) = store.sessions("anna budget")
    assert found.found == "Anna Schmidt: Yes, let us talk about the budget & more."
    assert store.sessions("call") == ()
    assert [line.caption.speaker for line in store.lines_with(terms_of("schmidt"))] == ["Anna Schmidt"]
    store.correct(session, 2, "Yes, about the weather.")
    assert store.sessions("anna weather")


# --- while and after it is recorded ---


def test_a_name_that_is_given_to_a_caption_is_kept_while_it_is_recorded_and_after(scene: Scene) -> None:
    scene.recorder.begin_captions("Microphone", "starter", "")
    scene.model.show(caption(1, "Good morning.", final=True))
    scene.model.show(caption(2, "And", pending="so", start=3.0))
    scene.model.name_speakers({1: "Anna", 2: "Ben"})
    scene.model.show(caption(2, "And so on.", start=3.0, revision=1, final=True))
    assert [each.speaker for each in scene.kept[0].captions] == ["Anna", "Ben"], "in newer revisions too"
    scene.recorder.end_captions()
    before = scene.model.name_speakers({2: "Carla"})
    assert [each.speaker for each in scene.kept[0].captions] == ["Anna", "Carla"]
    scene.model.name_speakers(before)
    assert [each.speaker for each in scene.kept[0].captions] == ["Anna", "Ben"]


def test_names_of_another_transcript_do_not_reach_the_last_recording(scene: Scene) -> None:
    scene.recorder.begin_captions("Microphone", "starter", "")
    scene.model.show(caption(1, "Good morning.", final=True))
    scene.recorder.end_captions()
    scene.model.reset_to((caption(1, "A demo.", start=0.7, final=True),))
    scene.model.name_speakers({1: "Anna"})
    assert [each.speaker for each in scene.kept[0].captions] == [""]


def test_earlier_captions_that_are_shown_again_are_named_in_their_session(scene: Scene) -> None:
    scene.recorder.begin_captions("Microphone", "starter", "")
    scene.model.show(caption(4, "Good morning.", start=2.0, final=True))
    scene.recorder.end_captions()
    (kept,) = scene.kept
    scene.recorder._last = None
    scene.model.reset_to(kept.captions)
    scene.recorder.reopen(kept)
    scene.model.name_speakers({kept.captions[0].id: "Anna"})
    assert [each.speaker for each in scene.kept[0].captions] == ["Anna"]
