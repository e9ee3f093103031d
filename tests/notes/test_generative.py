"""Notes that a language model writes: fixed sections, drafts, parts, and the check against the transcript."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from engine.language import speculative_decoding
from engine.language.speculative_decoding import LEAST_BLOCK_TOKENS
from engine.notes.generative import GenerativeWriter, items_of, sources_of
from engine.notes.ground import supported
from engine.notes.records import Notes
from engine.notes.served import sections_of
from engine.notes.template import NotesTemplate, parse_template
from engine.notes.writer import finished
from tests.notes.said import said
from tests.scripted_model import ScriptedCache, ScriptedModel

TEMPLATE = parse_template("# T\n## Decisions: decisions\n## Tasks: tasks\n## Topics: topics\n", "t")
LINES = said(
    "Ruth: Good, so we buy a new pump.",
    "Omar: I'll order the pump tonight.",
    "Lena: I have to see the invoice.",
    "Omar: I'll send the invoice to Lena.",
)


def scripted(notes: dict[int, str]) -> ScriptedModel:
    """Return a model that writes a whole answer by the number of lines in the last message."""

    def reply(user: str) -> str:
        return notes[len(user.splitlines())]

    return ScriptedModel(reply)


ANSWERS = {
    2: "Decisions:\n- A new pump is bought.\n\nTasks:\n- Omar orders the pump tonight.",
    4: "Decisions:\n- A new pump is bought.\n\nTasks:\n- Omar orders the pump tonight.\n- Omar sends Lena the invoice.",
}


def written(writer: GenerativeWriter, count: int, template: NotesTemplate = TEMPLATE) -> Notes:
    return finished(writer.write(LINES[:count], template))


def texts(notes: Notes) -> list[list[str]]:
    return [[line.text for line in section.lines] for section in notes.sections if section.kind != "topics"]


def test_every_section_has_its_items_with_their_lines() -> None:
    notes = written(GenerativeWriter(scripted(ANSWERS)), 4)
    assert texts(notes) == [
        ["A new pump is bought."],
        ["Omar orders the pump tonight.", "Omar sends Lena the invoice."],
    ]
    assert notes.writer == "scripted"
    first, second = notes.section("tasks")
    assert (first.who, first.when, first.rests_on) == ("Omar", "tonight", (2,))
    assert second.rests_on == (4,)
    assert supported(notes, LINES).section("tasks") == (first, second)


@pytest.mark.parametrize("drafts", [True, False])
def test_the_last_notes_as_a_draft_change_no_word(drafts: bool) -> None:
    writer = GenerativeWriter(scripted(ANSWERS), bias=0.0, drafts=drafts)
    written(writer, 2)
    assert texts(written(writer, 4)) == texts(written(GenerativeWriter(scripted(ANSWERS)), 4))


class TimedModel(ScriptedModel):
    """Needs the same time for each token that it reads, and remembers how many it read at once."""

    def __init__(self, token_seconds: float) -> None:
        super().__init__(scripted(ANSWERS).reply)
        self.token_seconds = token_seconds
        self.blocks: list[int] = []

    def logits(self, tokens: Sequence[int], cache: ScriptedCache, rows: int) -> np.ndarray:
        self.blocks.append(len(tokens))
        self.timer.seconds += self.token_seconds * len(tokens)
        return super().logits(tokens, cache, rows)


@pytest.mark.parametrize(("token_seconds", "longest"), [(0.03, 2 * LEAST_BLOCK_TOKENS), (0.001, 200), (0.0, 10_000)])
def test_captions_wait_for_no_long_block_of_a_slow_model(
    token_seconds: float, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = TimedModel(token_seconds)
    monkeypatch.setattr(speculative_decoding, "time", SimpleNamespace(perf_counter=model.timer))
    writer = GenerativeWriter(model)
    notes = [written(writer, count) for count in (2, 4, 4)]
    assert max(model.blocks) <= longest
    assert token_seconds or max(model.blocks) > 200
    expected = [texts(written(GenerativeWriter(scripted(ANSWERS)), count)) for count in (2, 4, 4)]
    assert [texts(each) for each in notes] == expected


def test_what_the_last_notes_have_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speculative_decoding, "time", SimpleNamespace(perf_counter=lambda: 0.0))
    same = {2: ANSWERS[2], 4: ANSWERS[2]}
    writer = GenerativeWriter(scripted(same))
    written(writer, 2)
    before = writer.stats.output, writer.stats.accepted, writer.stats.forwards
    written(writer, 4)
    output, accepted, forwards = (
        now - then
        for now, then in zip((writer.stats.output, writer.stats.accepted, writer.stats.forwards), before, strict=True)
    )
    assert output == accepted > 0
    assert forwards == 1


def test_a_new_item_is_written_behind_those_that_stay() -> None:
    writer = GenerativeWriter(scripted(ANSWERS))
    written(writer, 2)
    accepted = writer.stats.accepted
    assert texts(written(writer, 4))[1] == ["Omar orders the pump tonight.", "Omar sends Lena the invoice."]
    assert writer.stats.accepted > accepted


def test_work_that_is_cut_off_can_be_done_again() -> None:
    writer = GenerativeWriter(scripted(ANSWERS))
    steps = writer.write(LINES[:4], TEMPLATE)
    for _ in range(30):
        next(steps)
    steps.close()
    assert texts(written(writer, 4)) == texts(written(GenerativeWriter(scripted(ANSWERS)), 4))


def test_a_long_transcript_is_noted_part_by_part_and_full_parts_stay() -> None:
    lines = said(*(f"Ruth: We agreed on point {number} of the list." for number in range(1, 41)))
    asked: list[str] = []

    def reply(user: str) -> str:
        first = user.splitlines()[0].removeprefix("Ruth: ")
        asked.append(first)
        return f"Decisions:\n- {first}\n\nTasks:\n- none"

    model = ScriptedModel(reply, context_tokens=1200)
    writer = GenerativeWriter(model)
    notes = finished(writer.write(lines, TEMPLATE))
    assert len(notes.section("decisions")) > 2
    assert supported(notes, lines).section("decisions") == notes.section("decisions")
    assert notes.section("tasks") == ()
    asked.clear()
    finished(writer.write([*lines, *said("Ruth: Good night.")], TEMPLATE))
    assert len(set(asked)) == 1  # of the last part alone


def test_items_lose_their_marks_and_those_that_say_nothing() -> None:
    text = "- The pump of the garden broke. It costs six hundred.\n2. Omar orders another.\n- none\n- None.\n"
    assert items_of(text) == ["The pump of the garden broke.", "It costs six hundred.", "Omar orders another."]


def test_an_item_rests_on_the_few_lines_that_have_its_words() -> None:
    assert sources_of("Omar sends the invoice to Lena.", LINES) == (4,)
    assert sources_of("Nothing of this was spoken.", said("Eve: Hm.")) == ()


def test_sections_are_found_below_headings_however_they_are_marked() -> None:
    text = "Here you are.\n\n## **Decisions:**\n- A pump.\n\nTasks\n- Omar orders it.\n- none"
    assert sections_of(text, ("Decisions", "Tasks", "Topics")) == ("- A pump.\n", "- Omar orders it.\n- none", "")
