"""Notes are kept with their session, and exported with its transcript."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.history.export.exporting import ExportChoice, encoded, rendered
from app.history.records import Transcript
from app.history.store import HistoryStore
from engine.notes.records import NoteLine, Notes, NotesSection
from tests.app.history.export.test_read_back import caption

NOTES = Notes(
    "meeting",
    (
        NotesSection("decisions", "Decisions", (NoteLine("We take the *blue* one.", (1,)),)),
        NotesSection("tasks", "Tasks", (NoteLine("Order it.", (2,), "Anna", "by Friday", by_hand=True),)),
        NotesSection("topics", "Topics"),
    ),
)
TRANSCRIPT = Transcript(
    captions=(caption(1, "We take the blue one.", 3.0, "Ben"), caption(2, "Anna, order it by Friday.", 70.0, "Ben")),
    notes=NOTES,
)


def test_notes_come_back_from_the_history_and_go_with_their_session(tmp_path: Path) -> None:
    store = HistoryStore(tmp_path / "history" / "history.sqlite")
    session = store.begin("captions", "", "microphone", "starter", "en")
    assert store.transcript(session).notes is None
    store.put_notes(session, Notes())
    store.put_notes(session, NOTES)
    assert store.transcript(session).notes == NOTES
    store.delete(session)
    store.erase_deleted()
    assert store.notes(session) is None
    store.close()


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        (
            ".md",
            "## Decisions\n\n- We take the \\*blue\\* one. (0:03)\n\n## Tasks\n\n- **Anna, by Friday:** Order it.",
        ),
        (".txt", "Decisions\n- We take the *blue* one. (0:03)\n\nTasks\n- Anna, by Friday: Order it. (1:10)\n\n"),
        (".docx", "Tasks\n• Anna, by Friday: Order it. (1:10)\n"),
    ],
)
def test_an_export_begins_with_the_notes(ending: str, told: str) -> None:
    whole = rendered(TRANSCRIPT, ExportChoice(ending))
    assert told in whole
    assert whole.index("Decisions") < whole.index("We take the blue one")
    assert "Topics" not in whole  # an empty section
    assert "Decisions" not in rendered(TRANSCRIPT, ExportChoice(ending, notes=False))


def test_a_word_document_has_them_too() -> None:
    assert encoded(TRANSCRIPT, ExportChoice(".docx")) != encoded(TRANSCRIPT, ExportChoice(".docx", notes=False))


def test_json_has_notes_with_their_captions() -> None:
    record = json.loads(rendered(TRANSCRIPT, ExportChoice(".json")))["notes"]
    assert record["sections"][1]["lines"] == [
        {"text": "Order it.", "who": "Anna", "when": "by Friday", "by_hand": True, "lines": [2], "seconds": [70.0]}
    ]


@pytest.mark.parametrize("ending", [".srt", ".vtt", ".csv", ".rttm"])
def test_subtitles_and_tables_have_no_notes(ending: str) -> None:
    assert "Decisions" not in rendered(TRANSCRIPT, ExportChoice(ending))
